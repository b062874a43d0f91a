"""A pass that replaces one node by a graph: kind ``decompose``."""

from __future__ import annotations

from gepass import DecomposePass, PassContext, PassStage, register_decompose_pass


@register_decompose_pass(
    name="SplitGroupedConv",
    stage=PassStage.AFTER_BUILTIN_FUSION_PASS,
    op_types=["Conv2D"],
)
class SplitGroupedConv(DecomposePass):
    """Splits a grouped convolution into one convolution a group."""

    def meet_requirements(self, node: object, context: PassContext) -> bool:
        return False

    def replacement(self, node: object, context: PassContext) -> object:
        return node
