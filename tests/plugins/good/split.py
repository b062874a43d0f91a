from _shared import OP_TYPES

from gepass import DecomposePass, register_decompose_pass


@register_decompose_pass(name="拆分", stage="AfterBuiltinFusionPass", op_types=OP_TYPES)
class Split(DecomposePass):
    def replacement(self, node):
        return node
