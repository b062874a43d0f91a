"""A pass that walks the graph itself: kind ``fusion_base``."""

from __future__ import annotations

from gepass import FusionBasePass, PassContext, PassStage, register_fusion_pass
from gepass.graph import Graph


@register_fusion_pass(name="RemoveIdentity", stage=PassStage.BEFORE_INFER_SHAPE)
class RemoveIdentity(FusionBasePass):
    """Leaves the graph as it is; a real one would drop ``Identity`` nodes."""

    def run(self, graph: Graph, context: PassContext) -> bool:
        return True
