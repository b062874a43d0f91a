"""The static check: what it reports, that it runs nothing, and that nothing stops it."""

from __future__ import annotations

import json
import sys
import textwrap
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import TypeAdapter

import gepass
from gepass.importing.table import table
from gepass.inspection import CheckedPass, CheckReport, check_passes
from gepass.path_text import encode_path
from tests.support import Runs, pass_file, write

GOOD = {
    "fusion.py": """
        import gepass
        @gepass.register_fusion_pass(name="Plain", stage="BeforeInferShape")
        class Plain(gepass.FusionBasePass):
            def run(self, graph, context):
                return None
    """,
    "from_import.py": """
        from gepass import FusionBasePass as Base, PassStage, register_fusion_pass as r
        @r(
            name="Renamed",
            stage=PassStage.AFTER_INFER_SHAPE,
            kind="fusion_base",
        )
        class Renamed(Base):
            async def run(self, graph, context): ...
    """,
    "submodules.py": """
        import gepass.decorators, gepass.passes as passes
        from gepass.stages import PassKind as K, PassStage
        @gepass.decorators.register_fusion_pass(
            name="Sub", stage=PassStage.AFTER_INFER_SHAPE.value, kind=K.PATTERN_FUSION)
        class Sub(passes.PatternFusionPass):
            @passes.pattern
            def one(self, inputs): ...
            @passes.pattern
            def two(self, inputs): ...
            def replacement(self, inputs, match_result, context): ...
    """,
    "alias.py": """
        from gepass import *
        register = register_decompose_pass
        class Common(DecomposePass):
            def __init__(self, depth=1, *rest, **options): ...
            def replacement(self, node, context=None): ...
        @register(name="Set", stage="AfterInferShape", op_types={"B", "A"})
        class Set(Common): ...
        @register(name="List", stage="AfterInferShape", op_types=["B", "A", "B"])
        class List(Common):
            def meet_requirements(self, node): ...
    """,
    "stacked.py": """
        import gepass
        @gepass.register_fusion_pass(name="Outer", stage="BeforeInferShape")
        @gepass.register_fusion_pass(name="Inner", stage="AfterInferShape", kind=None)
        @gepass.register_fusion_pass(name="Inner", stage="AfterInferShape")
        class Both(gepass.FusionBasePass):
            def run(self, graph, context): ...
    """,
    "nested.py": """
        import gepass
        from gepass import FusionBasePass as Base
        class Holder:
            @gepass.register_fusion_pass(name="Held", stage="BeforeInferShape")
            class Held(Base):
                run = lambda self, graph, context: None
    """,
    "generic.py": """
        import abc
        from typing import Generic, TypeVar
        import gepass
        T = TypeVar("T", contravariant=True)
        class Graph: ...
        class Part(gepass.FusionBasePass[T], abc.ABC, Generic[T]):
            @abc.abstractmethod
            def step(self): ...
            def run(self, graph, context): ...
        @gepass.register_fusion_pass(name="Whole", stage="BeforeInferShape")
        class Whole(Part[Graph]):
            def step(self): ...
    """,
    "dataclass.py": """
        from dataclasses import dataclass
        import gepass
        @gepass.register_fusion_pass(name="Data", stage="BeforeInferShape")
        @dataclass
        class Data(gepass.FusionBasePass):
            limit: int = 3
            def run(self, graph, context): ...
    """,
    "package/__init__.py": "from . import part\nfrom .inner import deep\n",
    "package/part.py": """
        from helper import shared
        import gepass
        @gepass.register_fusion_pass(name="Part", stage="BeforeInferShape")
        class Part(gepass.FusionBasePass):
            def run(self, graph, context): ...
    """,
    "package/inner/__init__.py": "",
    "package/inner/deep.py": """
        import gepass
        @gepass.register_fusion_pass(name="Deep", stage="BeforeInferShape")
        class Deep(gepass.FusionBasePass):
            def run(self, graph, context): ...
    """,
    "helper/__init__.py": """
        import gepass
        shared = 1
        @gepass.register_fusion_pass(name="Shared", stage="BeforeInferShape")
        class Shared(gepass.FusionBasePass):
            def run(self, graph, context): ...
    """,
}


def facts(found: CheckedPass) -> tuple[object, ...]:
    return (
        found.pass_name,
        found.stage,
        found.kind,
        found.op_types,
        found.class_name,
        encode_path(found.path),
        found.line,
    )


def registered(value: str) -> set[tuple[object, ...]]:
    registry = gepass.PassRegistry()
    gepass.load_passes(value, registry=registry)
    return {
        (
            record.pass_name,
            record.stage.value,
            record.kind.value,
            record.op_types,
            record.class_name,
            record.source.path,
            record.source.line,
        )
        for record in registry
    }


class TestGoodFiles:
    @pytest.mark.parametrize("name", [name for name in GOOD if "/" not in name])
    def test_a_check_finds_what_a_load_registers(self, d: Path, name: str) -> None:
        path = write(d / name, GOOD[name])

        report = check_passes(str(path))

        found = [facts(found) for module in report.modules for found in module.passes]
        assert report.problems == ()
        assert report.warnings == ()
        assert set(found) == registered(str(path))
        assert len(found) == len(set(found))
        assert all(found.certain for module in report.modules for found in module.passes)

    def test_in_a_directory_with_packages_too(self, d: Path) -> None:
        for name, text in GOOD.items():
            write(d / name, text)

        report = check_passes(str(d))

        found = [facts(found) for module in report.modules for found in module.passes]
        assert report.problems == ()
        assert report.ok
        assert set(found) == registered(str(d))
        assert len(found) == len(set(found))

    def test_the_passes_of_a_file_stand_in_the_order_of_their_decorators(
        self, d: Path
    ) -> None:
        path = write(d / "stacked.py", GOOD["stacked.py"])

        (module,) = check_passes(str(path)).modules

        assert [found.pass_name for found in module.passes] == ["Inner", "Outer"]

    def test_the_example_passes_of_the_package_are_good(self) -> None:
        examples = Path(gepass.__file__).parent / "examples"
        value = f"{examples / 'basic'}:{examples / 'advanced'}"

        report = check_passes(value)

        assert report.problems == ()
        assert report.warnings == ()
        found = {facts(found) for module in report.modules for found in module.passes}
        assert found == registered(value)


class TestNothingRuns:
    MARK = "(lambda: open({marker!r}, 'w').close())()"
    PLACES: ClassVar[dict[str, str]] = {
        "module": "{0}",
        "argument": """
            @gepass.register_fusion_pass(name={0}, stage={0}, kind={0})
            class P(gepass.FusionBasePass): ...
        """,
        "op_types": """
            @gepass.register_decompose_pass(name="A", stage="B", op_types=[{0}, "C"])
            class P(gepass.DecomposePass): ...
        """,
        "base": "class P(gepass.PatternFusionPass, {0}): ...",
        "metaclass": "class P(gepass.FusionBasePass, metaclass={0}): ...",
        "body": """
            class P(gepass.FusionBasePass):
                x = {0}
        """,
        "default": """
            class P(gepass.FusionBasePass):
                def run(self, graph={0}): ...
        """,
        "annotation": """
            class P(gepass.FusionBasePass):
                def run(self, graph: {0}): ...
        """,
        "decorator": """
            class P(gepass.FusionBasePass):
                @{0}
                def run(self, graph, context): ...
        """,
        "hooks of classes": """
            class M(gepass.FusionBasePass):
                def __init_subclass__(cls): {0}
                def __class_getitem__(cls, item): {0}
                def __set_name__(self, owner, name): {0}
                def __new__(cls): {0}
                def __init__(self): {0}
            class P(M[int]):
                m = M()
        """,
        "walrus": "if (x := {0}): pass",
    }

    @pytest.mark.parametrize("place", PLACES)
    def test_code_in_every_place_of_a_file_is_only_read(self, d: Path, place: str) -> None:
        marker = d / "marker"
        mark = self.MARK.format(marker=str(marker))
        text = "import gepass\n" + textwrap.dedent(self.PLACES[place].format(mark))
        write(d / "a.py", text)
        write(d / "package" / "__init__.py", "from . import part\nimport _helper\n")
        write(d / "package" / "part.py", text)
        write(d / "_helper.py", text)
        modules, path = set(sys.modules), list(sys.path)

        report = check_passes(str(d))

        assert not marker.exists()
        assert [module.name for module in report.modules] == [
            *("a", "package", "package.part", "_helper")
        ]
        assert set(sys.modules) == modules
        assert sys.path == path
        assert table.by_name == {}
        assert not list(d.rglob("__pycache__"))

    def test_the_same_file_makes_the_marker_when_it_is_loaded(self, d: Path) -> None:
        marker = d / "marker"
        write(d / "a.py", self.MARK.format(marker=str(marker)))

        gepass.load_passes(str(d), registry=gepass.PassRegistry())

        assert marker.exists()

    def test_a_pass_file_does_not_note_a_run(self, d: Path, runs: Runs) -> None:
        write(d / "a.py", pass_file("A"))

        report = check_passes(str(d))

        assert runs.files == []
        assert [found.pass_name for found in report.modules[0].passes] == ["A"]
        assert len(gepass.default_registry()) == 0


class TestPathErrors:
    def test_an_unusable_segment_raises_as_in_a_load(self, d: Path) -> None:
        with pytest.raises(gepass.PassPathNotFoundError) as caught:
            check_passes(f"{d}:{d}/missing")

        assert str(caught.value) == (
            f"ASCEND_GE_PY_PASS_PATH[1]: '{d}/missing' does not exist (a segment of "
            f"'{d}:{d}/missing'); give an existing directory or .py file"
        )

    @pytest.mark.parametrize("value", ["", " ", ":", " : : "])
    def test_nothing_to_check_is_fine(self, value: str) -> None:
        report = check_passes(value)

        assert report.ok
        assert report.modules == ()
        dropped = [problem.message for problem in report.warnings]
        assert dropped == [
            f"ASCEND_GE_PY_PASS_PATH[{position}] is empty and was dropped"
            for position in range(value.count(":") + 1)
            if value.strip()
        ]


class TestReport:
    def test_it_is_written_as_its_schema_says(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "notes.txt", "")
        adapter = TypeAdapter(CheckReport)

        schema = adapter.json_schema(mode="serialization")
        written = json.loads(adapter.dump_json(check_passes(str(d))))

        assert set(schema["properties"]) == {
            *("specs", "modules", "skipped", "problems", "warnings", "ok")
        }
        assert written["ok"] is True
        assert written["modules"][0]["passes"] == [
            {
                "pass_name": "A",
                "stage": "BeforeInferShape",
                "kind": "fusion_base",
                "op_types": [],
                "class_name": "Pass",
                "path": str(d / "a.py"),
                "line": 6,
                "certain": True,
            }
        ]
        assert written["skipped"] == [
            {"path": str(d / "notes.txt"), "reason": "not a .py file", "code": None}
        ]

    def test_names_that_are_no_utf8_can_be_written(self, d: Path) -> None:
        text = "import gepass\nclass P(gepass.PatternFusionPass):\n    run = 1\n"
        write(d / "a\udcff.py", text)
        write(d / "p\udcff" / "__init__.py", text)

        report = check_passes(str(d))

        written = json.loads(TypeAdapter(CheckReport).dump_json(report))
        assert [module["name"] for module in written["modules"]] == [r"a\xff", r"p\xff"]
        reason = (
            "overrides run(), which GE never calls on this kind of pass; implement "
            "patterns and replacement, or derive from FusionBasePass"
        )
        assert [problem["message"] for problem in written["problems"]] == [
            rf"{d}/a\xff.py:2: a\xff.P {reason}",
            rf"{d}/p\xff/__init__.py:2: p\xff.P {reason}",
        ]

    def test_it_cannot_be_changed(self, d: Path) -> None:
        report = check_passes(str(d))

        assert isinstance(report.modules, tuple)
        with pytest.raises(FrozenInstanceError):
            report.ok = False  # type: ignore[misc] # what must not work
