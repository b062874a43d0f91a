"""Two passes in one submodule."""

from __future__ import annotations

from gepass import FusionBasePass, PassContext, PassStage, register_fusion_pass
from gepass.graph import Graph


@register_fusion_pass(name="FuseSoftmax", stage=PassStage.AFTER_BUILTIN_FUSION_PASS)
class FuseSoftmax(FusionBasePass):
    """Leaves the graph as it is; a real one would fuse a scaled softmax."""

    def run(self, graph: Graph, context: PassContext) -> bool:
        return True


@register_fusion_pass(name="TuneSoftmax", stage=PassStage.AFTER_ORIGIN_GRAPH_OPTIMIZE)
class TuneSoftmax(FusionBasePass):
    """Leaves the graph as it is; a real one would choose a format."""

    def run(self, graph: Graph, context: PassContext) -> bool:
        return True
