"""A pass author's mistakes; each line that mypy must report names the code."""

# ruff: noqa: ARG002, B018 - mistakes are the point, each on a line of its own
from __future__ import annotations

import gepass
from gepass.graph import Graph

STAGE = "AfterInferShape"


class HostGraph:
    """The graph of a host."""


gepass.register_fusion_pass("A", STAGE)  # error: call-arg
gepass.register_fusion_pass(name=3, stage=STAGE)  # error: arg-type
gepass.register_fusion_pass(name="A", stage=3)  # error: arg-type
gepass.register_fusion_pass(name="A")  # error: call-arg
gepass.register_decompose_pass(name="A", stage=STAGE)  # error: call-arg
gepass.register_decompose_pass(name="A", stage=STAGE, op_types=[3])  # error: list-item


@gepass.register_fusion_pass(name="A", stage=STAGE)
class NoPass:  # error: type-var
    """Derives from nothing."""


@gepass.register_decompose_pass(name="A", stage=STAGE, op_types=["Add"])
class NoDecomposePass(gepass.FusionBasePass):  # error: type-var
    """Is a pass of another kind."""


@gepass.register_fusion_pass(name="A", stage=STAGE)  # error: type-var, arg-type
def function() -> None:
    """Stand for what is no class."""


class OtherGraph(gepass.FusionBasePass):
    """Says nothing of the host's graph."""

    def run(self, graph: HostGraph, context: gepass.PassContext) -> None:  # error: override
        """Do nothing."""


class OtherResult(gepass.FusionBasePass):
    """Returns what GE does not understand."""

    def run(self, graph: Graph, context: gepass.PassContext) -> str:  # error: override
        """Return a text."""
        return "done"


class OtherParameters(gepass.FusionBasePass):
    """Lacks the context."""

    def run(self, graph: Graph) -> None:  # error: override
        """Do nothing."""


gepass.PassContext().anything  # error: attr-defined
gepass.load_passes(["/a", "/b"])  # error: arg-type
gepass.load_passes("/a", on_error="ignore")  # error: arg-type
gepass.load_passes("/a", registry={})  # error: arg-type
gepass.default_registry().get("A").name  # error: attr-defined
gepass.default_registry().find("A").pass_name  # error: union-attr
gepass.default_registry().by_stage("AfterInferShape")  # error: arg-type
gepass.load_from_environment().ok = True  # error: misc
gepass.PassStage.AFTER_ASSIGN_LOGIC_STREAM  # error: attr-defined
