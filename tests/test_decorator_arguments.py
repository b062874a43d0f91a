"""Which arguments the two decorators refuse, and with which words (design section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

import pytest

import gepass
from gepass.decorators import MARKER
from gepass.errors import Code

STAGES = (
    "BeforeInferShape, AfterInferShape, AfterBuiltinFusionPass, AfterOriginGraphOptimize"
)


class Fusion(gepass.FusionBasePass):
    def run(self, graph: object, context: gepass.PassContext) -> None:
        """Do nothing."""


class Decompose(gepass.DecomposePass):
    def replacement(self, node: object) -> object:
        return node


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


FUSE = f"{__file__}:{fuse.__code__.co_firstlineno + 3}: "
DECOMPOSE = f"{__file__}:{decompose.__code__.co_firstlineno + 3}: "


def records() -> tuple[gepass.RegistrationRecord, ...]:
    return gepass.default_registry().records()


@pytest.fixture(autouse=True)
def _unmarked() -> Iterable[None]:
    yield
    for cls in (Fusion, Decompose):
        if MARKER in vars(cls):
            delattr(cls, MARKER)
    Decompose.op_types = None


CONTROL = "holds a control character or a lone surrogate; choose another one"


class TestName:
    @pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000"])
    def test_sch_06_refuses_an_empty_name(self, name: str) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(name=name)
        assert str(caught.value) == (
            f"{FUSE}the pass name {name!r} is empty; choose another one"
        )
        assert not records()

    @pytest.mark.parametrize("name", [None, 7, b"A", True, ["A"]])
    def test_sch_06_refuses_a_name_that_is_no_text(self, name: object) -> None:
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            fuse(name=name)
        assert str(caught.value) == (f"{FUSE}name is a string, not {type(name).__name__}")
        assert caught.value.code is Code.REGISTRATION_TYPE
        assert not records()

    @pytest.mark.parametrize("name", ["Fuse ", " Fuse", "Fuse\n", "\u00a0Fuse"])
    def test_sch_06_refuses_outer_blanks(self, name: str) -> None:
        fuse(name="Fuse")
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(name=name)
        assert str(caught.value) == (
            f"{FUSE}the pass name {name!r} begins or ends with a blank; choose another one"
        )
        assert [record.pass_name for record in records()] == ["Fuse"]

    @pytest.mark.parametrize("name", ["A\0x", "A\0y", "\0"])
    def test_json_07_refuses_a_nul(self, name: str) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(name=name)
        assert str(caught.value) == f"{FUSE}the pass name {name!r} {CONTROL}"

    @pytest.mark.parametrize("name", ["A\ud800B", "\udfff", "\ude00\ud83d"])
    def test_json_01_refuses_a_lone_surrogate(self, name: str) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(name=name)
        assert str(caught.value) == f"{FUSE}the pass name {name!r} {CONTROL}"
        str(caught.value).encode()

    @pytest.mark.parametrize(
        "name",
        ['A\n{"event":"pass_registered"}', "A\x1b[2J", "A\x85B", "A\u2028B", "A\x7fB"],
    )
    def test_sec_06_refuses_what_forges_a_line_or_drives_a_terminal(
        self, name: str
    ) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(name=name)
        assert str(caught.value) == f"{FUSE}the pass name {name!r} {CONTROL}"
        assert str(caught.value).isprintable()

    @pytest.mark.parametrize("name", ["融合", "a b", "x" * 10_000, "a:b", "\U0001f600"])
    def test_takes_every_other_text(self, name: str) -> None:
        fuse(name=name)

        assert [record.pass_name for record in records()] == [name]


class TestStage:
    @pytest.mark.parametrize(
        ("stage", "reason"),
        [
            ("AfterAssignLogicStream", "GE runs only its own stream passes there"),
            ("CompatibleInherited", "GE runs only its own built-in passes there"),
        ],
    )
    def test_sch_04_refuses_a_stage_that_never_runs(self, stage: str, reason: str) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(stage=stage)
        assert str(caught.value) == (
            f"{FUSE}stage {stage!r} never runs a custom pass: {reason}; "
            f"use one of: {STAGES}"
        )
        assert not records()

    @pytest.mark.parametrize(
        "stage",
        ["BeforeInferShap", "beforeinfershape", "BEFORE_INFER_SHAPE", "", "x\n"],
    )
    def test_sch_04_refuses_a_stage_that_does_not_exist(self, stage: str) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(stage=stage)
        assert str(caught.value) == (
            f"{FUSE}stage {stage!r} does not exist; use one of: {STAGES}"
        )

    @pytest.mark.parametrize("stage", [1, None, b"BeforeInferShape"])
    def test_sch_04_refuses_a_stage_that_is_no_text(self, stage: object) -> None:
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            decompose(stage=stage, op_types=["Add"])
        assert str(caught.value) == (
            f"{__file__}:{decompose.__code__.co_firstlineno + 3}: stage is a PassStage "
            f"or its value, not {type(stage).__name__}; use one of: {STAGES}"
        )


class TestKind:
    @pytest.mark.parametrize("kind", ["pattern_fusion", "decompose", "bogus", "x\n"])
    def test_refuses_a_kind_that_does_not_fit(self, kind: str) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            fuse(kind=kind)
        assert str(caught.value) == (
            f"{FUSE}kind {kind!r} does not fit Fusion, which is of kind "
            "'fusion_base'; leave kind out"
        )

    def test_refuses_a_kind_that_is_no_text(self) -> None:
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            fuse(kind=3)
        assert str(caught.value) == f"{FUSE}kind is a PassKind or its value, not int"


def a_function() -> None:
    """Stand for what is no class."""


class TestWhatIsDecorated:
    @pytest.mark.parametrize("thing", [None, a_function, Fusion(), 7])
    def test_part_09_refuses_what_is_no_class(self, thing: object) -> None:
        kind = type(thing).__name__
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            fuse(thing)
        assert str(caught.value) == (
            f"{FUSE}@register_fusion_pass decorates a class, not an object of type {kind}"
        )
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            decompose(thing, op_types=["Add"])
        assert str(caught.value) == (
            f"{DECOMPOSE}@register_decompose_pass decorates a class, "
            f"not an object of type {kind}"
        )
        assert not records()

    def test_refuses_a_class_of_another_tree(self) -> None:
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            fuse(int)
        assert str(caught.value) == (
            f"{FUSE}@register_fusion_pass decorates a subclass of FusionBasePass, "
            "int is none"
        )
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            decompose(Fusion, op_types=["Add"])
        assert str(caught.value) == (
            f"{DECOMPOSE}@register_decompose_pass decorates a subclass of "
            "DecomposePass, Fusion is none"
        )

    def test_refuses_a_decompose_pass_as_fusion_pass(self) -> None:
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            fuse(Decompose)
        assert str(caught.value) == (
            f"{FUSE}Decompose is a DecomposePass; use register_decompose_pass"
        )


class TestOpTypes:
    @pytest.mark.parametrize("op_types", ["Conv2D", b"Conv2D", None, 7])
    def test_json_08_refuses_what_is_no_iterable_of_strings(self, op_types: object) -> None:
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            decompose(None, op_types=op_types)
        assert str(caught.value) == (
            f"{DECOMPOSE}op_types is an iterable of strings, not "
            f'{type(op_types).__name__}; write op_types=["Conv2D"]'
        )

    @pytest.mark.parametrize("op_types", [[], (), iter(()), set()])
    def test_refuses_none_at_all_before_any_class(self, op_types: object) -> None:
        with pytest.raises(gepass.RegistrationValueError) as caught:
            decompose(None, op_types=op_types)
        assert str(caught.value) == (
            f"{DECOMPOSE}op_types is empty; name at least one op type"
        )

    @pytest.mark.parametrize("item", ["", 7, None, b"Add"])
    def test_refuses_an_item_that_is_no_op_type(self, item: object) -> None:
        with pytest.raises(gepass.RegistrationTypeError) as caught:
            decompose(None, op_types=["Add", item])
        assert str(caught.value) == (
            f"{DECOMPOSE}op_types is an iterable of strings that are not empty, "
            f"it holds {item!r}"
        )

    @pytest.mark.parametrize("item", ["Conv\ud800", "Conv\0", "Conv\n", " Conv"])
    def test_json_01_refuses_op_types_that_are_no_plain_text(self, item: str) -> None:
        with pytest.raises(gepass.RegistrationError) as caught:
            decompose(Decompose, op_types=["Add", item])
        assert "op_types" in str(caught.value)
        assert "pass name" not in str(caught.value)
        assert not records()

    @pytest.mark.parametrize(
        ("op_types", "kept"),
        [
            (("b", "a", "b"), ("b", "a", "b")),
            ({"b": 1, "a": 2}, ("b", "a")),
            ((text for text in "ba"), ("b", "a")),
            ({"Conv2D", "MatMul", "Add", "Relu"}, ("Add", "Conv2D", "MatMul", "Relu")),
            (frozenset({"b", "a"}), ("a", "b")),
            ({"b": 1, "a": 2}.keys(), ("b", "a")),
        ],
    )
    def test_json_08_sorts_sets_and_keeps_any_other_order(
        self, op_types: object, kept: tuple[str, ...]
    ) -> None:
        decompose(Decompose, op_types=op_types)

        assert [record.op_types for record in records()] == [kept]
        assert Decompose.op_types == list(kept)
