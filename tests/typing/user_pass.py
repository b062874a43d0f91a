"""A pass author's code; ``mypy --strict`` accepts all of it."""

# ruff: noqa: ARG002 - hooks have the form that GE calls
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from typing_extensions import assert_type

import gepass
from gepass import PassContext, PassKind, PassStage
from gepass.graph import Graph
from gepass.records import RecordSource


class HostGraph:
    """The graph of a host that brings its own."""

    nodes: list[str]


class HostNode:
    """A node of that graph."""


@gepass.register_fusion_pass(name="Default", stage=PassStage.BEFORE_INFER_SHAPE)
class OnGraph(gepass.FusionBasePass):
    """Works on gepass's own graph, which needs no parameter."""

    def run(self, graph: Graph, context: PassContext) -> bool:
        """Change nothing."""
        return isinstance(graph, Graph)

    def own(self) -> int:
        """Return a number, as a method of the author's may."""
        return 3


@gepass.register_fusion_pass(
    name="Host", stage="AfterInferShape", kind=PassKind.FUSION_BASE
)
class OnHostGraph(gepass.FusionBasePass[HostGraph]):
    """Works on the graph of the host."""

    def run(self, graph: HostGraph, context: PassContext) -> None:
        """Drop all nodes."""
        graph.nodes.clear()


@gepass.register_fusion_pass(name="Second", stage="AfterInferShape")
@gepass.register_fusion_pass(name="First", stage="AfterInferShape", kind="fusion_base")
@dataclass(slots=True)
class Options(gepass.FusionBasePass[HostGraph]):
    """Has options with defaults, and returns a status code."""

    limit: int = 3

    def run(self, graph: HostGraph, context: PassContext) -> int:
        """Say that nothing was changed."""
        return 0 if len(graph.nodes) < self.limit else 1343242304


@gepass.register_fusion_pass(name="Pattern", stage="AfterBuiltinFusionPass")
class WithPatterns(gepass.PatternFusionPass):
    """Implements ``patterns``, and hooks with two parameters."""

    def patterns(self) -> Iterable[Graph]:
        """Return no pattern."""
        return []

    def meet_requirements(self, match_result: object) -> bool:
        """Accept everything."""
        return bool(match_result)

    def replacement(self, match_result: object) -> Graph:
        """Return an empty graph."""
        return Graph()


@gepass.register_fusion_pass(name="Methods", stage="AfterBuiltinFusionPass")
class WithMethods(gepass.PatternFusionPass):
    """Has ``@pattern`` methods, and hooks with more parameters."""

    @gepass.pattern
    def shape(self, inputs: list[int]) -> int:
        """Return the first input."""
        return inputs[0]

    def meet_requirements(self, match_result: object, context: PassContext) -> bool:
        """Look at the context as well."""
        return context is not match_result

    def replacement(
        self, inputs: list[int], match_result: object, context: PassContext
    ) -> int:
        """Return the first input."""
        return inputs[0] if context is not match_result else 0


@gepass.register_decompose_pass(
    name="Decompose", stage="AfterOriginGraphOptimize", op_types={"Conv2D", "Add"}
)
class Decompose(gepass.DecomposePass):
    """Replaces single nodes."""

    def meet_requirements(self, node: HostNode) -> bool:
        """Accept every node."""
        return isinstance(node, HostNode)

    def replacement(self, node: HostNode, context: PassContext) -> Graph:
        """Return an empty graph."""
        return Graph()


def use_the_classes() -> None:
    """Decorated classes keep their type and their methods."""
    assert_type(OnGraph, type[OnGraph])
    assert_type(OnGraph().own(), int)
    assert_type(Options(limit=4).limit, int)
    assert_type(WithMethods().shape([1]), int)
    assert_type(Decompose.op_types, "list[str] | None")


def use_the_hooks(graph: HostGraph, context: PassContext) -> None:
    """A host calls ``run`` on its own type, whatever the pass returns."""
    passes: list[gepass.FusionBasePass[HostGraph]] = [OnHostGraph(), Options()]
    for one in passes:
        assert_type(one.run(graph, context), "bool | int | None")
    OnGraph().run(Graph(), context)


def use_the_library(path: str) -> bytes:
    """Everything that comes back is typed."""
    specs = gepass.parse_pass_path(path)
    assert_type(specs, tuple[gepass.PassPathSpec, ...])
    scanned = gepass.scan(specs[0])
    assert_type(scanned.sources, tuple[gepass.ModuleSource, ...])
    assert_type(scanned.skipped, tuple[gepass.SkippedEntry, ...])
    registry = gepass.PassRegistry()
    report = gepass.load_passes(path, registry=registry, on_error="isolate")
    assert_type(report, gepass.LoadReport)
    assert_type(report.ok, bool)
    assert_type(report.modules, tuple[gepass.ModuleOutcome, ...])
    assert_type(report.problems, tuple[gepass.Problem, ...])
    assert_type(report.modules[0].pass_names, tuple[str, ...])
    assert_type(gepass.load_from_environment(), gepass.LoadReport)
    for record in registry:
        assert_type(record, gepass.RegistrationRecord)
        assert_type(record.descriptor_key, str)
        assert_type(record.stage, PassStage)
        assert_type(record.op_types, tuple[str, ...])
        assert_type(record.source, RecordSource)
    assert_type(registry.find("A"), "gepass.RegistrationRecord | None")
    assert_type(registry.by_stage(PassStage.AFTER_INFER_SHAPE)[0].pass_name, str)
    exported = gepass.export_registry(gepass.default_registry())
    assert_type(exported, gepass.RegistryDocument)
    assert_type(exported.digest, str)
    gepass.unload()
    return exported.to_json()


def use_the_errors() -> str | None:
    """Errors carry their data as attributes."""
    try:
        gepass.load_from_environment()
    except gepass.PassPathError as error:
        assert_type(error.problems, tuple[gepass.Problem, ...])
        return error.problems[0].message
    except gepass.ModuleLoadError as error:
        assert_type(error.report, "gepass.LoadReport | None")
        assert_type(error.line, "int | None")
        return f"{error.file}:{error.line} {error.code.value}"
    return None
