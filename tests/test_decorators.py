"""What the two decorators give back and record (design section 3)."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import cast

import pytest

import gepass
from gepass.decorators import MARKER
from gepass.errors import Code
from gepass.records import DirectOrigin, EnvironmentOrigin
from tests.support import Runs, pass_file, write

STAGES = (
    "BeforeInferShape, AfterInferShape, AfterBuiltinFusionPass, AfterOriginGraphOptimize"
)


APPLIED_AT = 3 if sys.version_info >= (3, 11) else 4
"""Line of a decorator on line 3 when it is applied: older interpreters tell the class's."""


class Fusion(gepass.FusionBasePass):
    def run(self, graph: object, context: gepass.PassContext) -> None:
        """Do nothing."""


class Decompose(gepass.DecomposePass):
    def replacement(self, node: object) -> object:
        return node


class Pattern(gepass.PatternFusionPass):
    def patterns(self) -> list[object]:
        return []

    def replacement(self, match_result: object) -> object:
        return match_result


Decorate = Callable[..., Callable[[object], object]]
"""The decorators as wrong code sees them: anything goes."""


def fuse(cls: object = Fusion, **changes: object) -> object:
    register = cast("Decorate", gepass.register_fusion_pass)
    arguments = {"name": "X", "stage": "BeforeInferShape"} | changes
    return register(**arguments)(cls)


def decompose(cls: object = Decompose, **changes: object) -> object:
    register = cast("Decorate", gepass.register_decompose_pass)
    arguments = {"name": "X", "stage": "BeforeInferShape"} | changes
    return register(**arguments)(cls)


def records() -> tuple[gepass.RegistrationRecord, ...]:
    return gepass.default_registry().records()


@pytest.fixture(autouse=True)
def _unmarked() -> Iterable[None]:
    yield
    for cls in (Fusion, Decompose, Pattern):
        if MARKER in vars(cls):
            delattr(cls, MARKER)
    Decompose.op_types = None


class TestResult:
    def test_returns_the_class_itself(self) -> None:
        assert fuse(Fusion, name="A") is Fusion
        assert fuse(Pattern, name="B") is Pattern
        assert decompose(Decompose, name="C", op_types=["Add"]) is Decompose

    def test_arguments_are_keywords(self) -> None:
        fusion: object = gepass.register_fusion_pass
        decomposition: object = gepass.register_decompose_pass
        with pytest.raises(TypeError, match="0 positional arguments but 2"):
            fusion("P", "BeforeInferShape")  # type: ignore[operator]
        with pytest.raises(TypeError, match="0 positional arguments but 3"):
            decomposition("P", "BeforeInferShape", ["Add"])  # type: ignore[operator]

    def test_marks_the_class_with_its_record(self) -> None:
        fuse(Fusion)

        assert vars(Fusion)[MARKER] is gepass.default_registry().get("X")

    def test_does_not_mark_a_class_that_was_refused(self) -> None:
        fuse(Pattern)
        with pytest.raises(gepass.DuplicatePassError):
            fuse(Fusion)

        assert MARKER not in vars(Fusion)

    def test_does_not_set_op_types_of_a_class_that_was_refused(self) -> None:
        fuse(Fusion)
        with pytest.raises(gepass.DuplicatePassError):
            decompose(Decompose, op_types=["Add"])

        assert Decompose.op_types is None

    def test_gives_each_class_a_list_of_its_own(self) -> None:
        given = ["Conv2D", "Add"]
        decompose(Decompose, op_types=given)
        given.append("Mul")

        assert Decompose.op_types == ["Conv2D", "Add"]
        assert gepass.default_registry().get("X").op_types == ("Conv2D", "Add")

    def test_registers_one_class_under_two_names(self) -> None:
        fuse(fuse(Fusion, name="Inner"), name="Outer")

        assert [record.pass_name for record in records()] == ["Inner", "Outer"]
        assert vars(Fusion)[MARKER] is gepass.default_registry().get("Outer")

    @pytest.mark.parametrize(
        ("cls", "kind"), [(Fusion, "fusion_base"), (Pattern, "pattern_fusion")]
    )
    @pytest.mark.parametrize("as_member", [True, False])
    def test_takes_the_kind_that_the_class_implies(
        self, cls: type, kind: str, *, as_member: bool
    ) -> None:
        fuse(cls, name="implied")
        fuse(cls, name="given", kind=gepass.PassKind(kind) if as_member else kind)

        assert [record.kind.value for record in records()] == [kind, kind]

    def test_takes_a_stage_as_member_or_value_or_member_of_another_enum(self) -> None:
        class Foreign(str, Enum):
            AFTER = "AfterInferShape"

        fuse(name="A", stage=gepass.PassStage.AFTER_INFER_SHAPE)
        fuse(name="B", stage="AfterInferShape")
        fuse(name="C", stage=Foreign.AFTER)

        stages = [record.stage for record in records()]
        assert stages == [gepass.PassStage.AFTER_INFER_SHAPE] * 3

    def test_stores_a_name_as_plain_text(self) -> None:
        class Text(str):
            __slots__ = ()

        fuse(name=Text("Fuse"))

        assert [type(record.pass_name) for record in records()] == [str]


class TestPlace:
    def test_records_the_line_of_the_decorator(self, d: Path) -> None:
        text = (
            "import gepass\n"
            "from gepass import (\n"
            "    register_fusion_pass as register)\n"
            "\n"
            "@register(\n"
            "    name='A',\n"
            "    stage='BeforeInferShape',\n"
            ")\n"
            "@register(name='B',\n"
            "          stage='BeforeInferShape')\n"
            "# a comment\n"
            "class Pass(gepass.FusionBasePass):\n"
            "    def run(self, graph, context): return None\n"
        )
        path = write(d / "a.py", text)
        gepass.load_passes(str(path))

        lines = {record.pass_name: record.source.line for record in records()}
        assert lines == {"A": 5, "B": 9}

    def test_records_the_line_that_applies_the_decorator_of_a_helper(self, d: Path) -> None:
        write(
            d / "_helper.py",
            """\
            import gepass
            def before(name):
                return gepass.register_fusion_pass(name=name, stage="BeforeInferShape")
            """,
        )
        path = write(
            d / "a.py",
            """\
            import gepass, _helper

            @_helper.before("A")
            class Pass(gepass.FusionBasePass):
                def run(self, graph, context): return None
            """,
        )
        gepass.load_passes(str(d))

        (record,) = records()
        assert record.source.path == str(path)
        assert record.source.line == APPLIED_AT
        assert record.module_name.startswith("_ge_py_pass_a_")

    def test_records_the_bytes_that_were_executed(self, d: Path, runs: Runs) -> None:
        path = write(d / "a.py", pass_file("A"))
        gepass.load_passes(f":{path}")

        (record,) = records()
        assert record.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert record.origin == EnvironmentOrigin(position=1)
        assert runs.files == ["a.py"]

    def test_outside_any_load_the_origin_is_direct(self) -> None:
        fuse(Fusion)

        (record,) = records()
        assert record.origin == DirectOrigin()
        assert record.module_name == __name__
        assert record.source.path == __file__
        assert record.source.sha256 is None

    def test_without_a_file_there_is_no_path(self) -> None:
        namespace = {"__name__": "typed_in", "gepass": gepass, "Fusion": Fusion}
        code = "\ngepass.register_fusion_pass(name='X', stage='AfterInferShape')(Fusion)"
        exec(compile(code, "<stdin>", "exec"), namespace)  # noqa: S102

        (record,) = records()
        assert (record.source.path, record.source.line) == (None, 2)
        assert record.module_name == "typed_in"

    def test_the_module_whose_globals_run_the_decorator_has_the_registration(
        self, d: Path
    ) -> None:
        write(
            d / "_helper.py",
            """\
            import gepass
            def make(name):
                @gepass.register_fusion_pass(name=name, stage="BeforeInferShape")
                class Made(gepass.FusionBasePass):
                    def run(self, graph, context): return None
            """,
        )
        write(d / "a.py", "import _helper\n_helper.make('A')\n")
        write(d / "b.py", "import _helper\n_helper.make('B')\n")
        report = gepass.load_passes(str(d))

        modules = {record.module_name.split("_")[-2] for record in records()}
        assert modules == {"helper"}
        assert [outcome.pass_names for outcome in report.modules] == [("A",), ("B",)]

    def test_a_refusal_in_a_load_names_file_and_line_and_undoes_the_file(
        self, d: Path
    ) -> None:
        path = write(
            d / "a.py",
            """\
            import gepass
            @gepass.register_fusion_pass(name="A", stage="BeforeInferShape")
            class A(gepass.FusionBasePass):
                def run(self, graph, context): return None
            @gepass.register_fusion_pass(name="B", stage="Never")
            class B(gepass.FusionBasePass):
                def run(self, graph, context): return None
            """,
        )
        with pytest.raises(gepass.ModuleLoadError) as caught:
            gepass.load_passes(str(d))

        assert str(caught.value) == (
            f"'{path}', line {2 + APPLIED_AT}: RegistrationValueError: {path}:5: "
            f"stage 'Never' does not exist; use one of: {STAGES}"
        )
        assert caught.value.code is Code.REGISTRATION_VALUE
        assert isinstance(caught.value.__cause__, gepass.RegistrationValueError)
        assert not records()
        assert not [name for name in sys.modules if name.startswith("_ge_py_pass_")]
