"""Which classes can be registered."""

from __future__ import annotations

import abc
from collections.abc import Callable
from pathlib import Path

import pytest

import gepass
from tests.support import write

FUSION, PATTERN, DECOMPOSE = (
    gepass.FusionBasePass,
    gepass.PatternFusionPass,
    gepass.DecomposePass,
)


def a_hook(self: object, value: object) -> None:
    """Stand for a hook with one argument."""


def patterns(self: object) -> None:
    """Stand for ``patterns``."""


def make(base: type, **body: object) -> type:
    return type("Made", (base,), {"__module__": __name__, **body})


def register(cls: type) -> None:
    if issubclass(cls, DECOMPOSE):
        gepass.register_decompose_pass(
            name=cls.__name__, stage="BeforeInferShape", op_types=["Add"]
        )(cls)
        return
    decorator: Callable[[type], type] = gepass.register_fusion_pass(
        name=cls.__name__, stage="BeforeInferShape"
    )
    decorator(cls)


def refusal(cls: type) -> str:
    with pytest.raises(gepass.RegistrationTypeError) as caught:
        register(cls)
    assert len(gepass.default_registry()) == 0
    line = register.__code__.co_firstlineno + 6
    if issubclass(cls, DECOMPOSE):
        line -= 4
    return str(caught.value).removeprefix(f"{__file__}:{line}: ")


class Empty(gepass.FusionBasePass):
    """A pass that does nothing, and counts its instances."""

    made = 0

    def run(self, graph: object, context: object) -> None:
        """Do nothing."""

    def __init__(self, *rest: object, factor: float = 1.0, **more: object) -> None:
        Empty.made += 1
        self.given = (rest, factor, more)


class TestWhatGeCalls:
    @pytest.mark.parametrize(
        ("base", "body", "missing"),
        [
            (FUSION, {}, "run"),
            (PATTERN, {}, "patterns"),
            (PATTERN, {"patterns": patterns}, "replacement"),
            (PATTERN, {"replacement": a_hook}, "patterns"),
            (DECOMPOSE, {"meet_requirements": a_hook}, "replacement"),
        ],
    )
    def test_a_missing_hook_is_refused(
        self, base: type, body: dict[str, object], missing: str
    ) -> None:
        assert refusal(make(base, **body)) == f"Made does not implement {missing}()"

    def test_inherited_hooks_count(self) -> None:
        class Mixin:
            def run(self, graph: object, context: object) -> None:
                """Do nothing."""

        def shape(self: object, inputs: object) -> None:
            """Stand for a pattern."""

        parent = make(PATTERN, shape=gepass.pattern(shape), replacement=a_hook)
        register(type("Mixed", (Mixin, FUSION), {}))
        register(type("Child", (parent,), {}))

        assert [r.pass_name for r in gepass.default_registry()] == ["Mixed", "Child"]

    def test_an_abstract_class_is_refused_with_what_it_lacks(self) -> None:
        class Abstract(gepass.FusionBasePass, abc.ABC):
            def run(self, graph: object, context: object) -> None:
                """Do nothing."""

            @abc.abstractmethod
            def second(self) -> None: ...

            @abc.abstractmethod
            def first(self) -> None: ...

        assert refusal(Abstract) == (
            f"{Abstract.__qualname__} is abstract; implement first, second"
        )


class TestConstructor:
    def test_a_class_is_judged_without_an_instance(self) -> None:
        register(Empty)

        assert Empty.made == 0

    @pytest.mark.parametrize(
        ("method", "parameters", "missing"),
        [
            ("__init__", "self, n", "argument: 'n'"),
            ("__init__", "self, a=1, *, n", "keyword-only argument: 'n'"),
            ("__new__", "cls, n", "argument: 'n'"),
        ],
    )
    def test_a_required_argument_is_refused(
        self, method: str, parameters: str, missing: str
    ) -> None:
        constructor = eval(f"lambda {parameters}: None")  # noqa: S307
        message = refusal(make(Empty, **{method: constructor}))

        # Before Python 3.12 the interpreter does not say "keyword-only".
        assert message.replace("keyword-only ", "") == (
            "GE makes Made without arguments, but its constructor has a required one "
            f"(missing a required {missing}); give it a default"
        ).replace("keyword-only ", "")

    def test_a_metaclass_may_make_instances_its_own_way(self) -> None:
        class Needs(type):
            def __call__(cls, n: int) -> object:
                return super().__call__(n)

        class Free(type):
            def __call__(cls) -> object:
                return super().__call__(3)

        def init(self: object, n: int) -> None:
            """Take a number."""

        register(Free("Made", (Empty,), {"__init__": init}))
        gepass.default_registry().clear()
        assert "a required one" in refusal(Needs("Made", (Empty,), {}))

    def test_a_constructor_written_in_c_is_taken(self) -> None:
        register(type("Made", (Empty, dict), {"__init__": dict.__init__}))


HOSTILE = """\
import gepass
class Hostile(type):
    def __bool__(self): return False
    def __len__(self): return 0
    def __eq__(self, other): raise RuntimeError("compared")
    __hash__ = None
@gepass.register_fusion_pass(name="H", stage="BeforeInferShape")
class H(gepass.FusionBasePass, metaclass=Hostile):
    def run(self, graph, context): return None
"""


class TestHostileClasses:
    def test_part_09_a_falsy_class_that_refuses_comparison_is_registered(
        self, d: Path
    ) -> None:
        report = gepass.load_passes(str(write(d / "a.py", HOSTILE)))

        assert report.modules[0].pass_names == ("H",)
        assert not report.warnings
        assert gepass.default_registry().get_class("H").__name__ == "H"

    @pytest.mark.parametrize("metaclass_line", ["", "    __eq__ = type.__eq__\n"])
    def test_part_09_it_is_removed_like_any_other(
        self, d: Path, metaclass_line: str
    ) -> None:
        text = HOSTILE.replace("    __hash__", metaclass_line + "    __hash__")
        path = write(d / "a.py", text + 'raise ValueError("late")\n')
        with pytest.raises(gepass.ModuleLoadError) as caught:
            gepass.load_passes(str(path))

        line = text.count("\n") + 1
        assert str(caught.value) == f"'{path}', line {line}: ValueError: late"
        assert gepass.default_registry().records() == ()
        write(path, text.replace('"H"', '"Repaired"'))
        gepass.load_passes(str(path))
        assert [r.pass_name for r in gepass.default_registry()] == ["Repaired"]
