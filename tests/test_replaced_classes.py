"""Which class a registration stands for when decorators and subclasses meddle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.support import write

REPLACED = (
    "class Sl was replaced by another decorator after it was registered, the new class "
    "is used; put the registering decorator on top"
)
HEAD = (
    "import gepass\n"
    "from dataclasses import dataclass\n"
    "def copy(cls): return type(cls)(cls.__name__, (cls,), {})\n"
    "def function(cls): return lambda: cls()\n"
    "def the_class(): return Sl\n"
)
REGISTER = '@gepass.register_fusion_pass(name="{}", stage="BeforeInferShape")\n'
BODY = (
    "class Sl(gepass.FusionBasePass):\n"
    "    n: int = 1\n"
    "    def run(self, graph, context): return None\n"
)
SLOTS = "@dataclass(slots=True)\n"


def class_of_module(cls: type[object]) -> object:
    """Return what the name of the class means in its module now."""
    run: object = vars(cls).get("run") or vars(cls.__base__)["run"]
    namespace: dict[str, object] = getattr(run, "__globals__")  # noqa: B009
    the_class = namespace["the_class"]
    assert callable(the_class)
    return the_class()


class TestReplacedClasses:
    @pytest.mark.parametrize(
        "decorators",
        [
            SLOTS + REGISTER.format("A"),
            SLOTS + REGISTER.format("B") + REGISTER.format("A"),
            REGISTER.format("B") + SLOTS + REGISTER.format("A"),
            "@copy\n" + REGISTER.format("A"),
        ],
    )
    def test_name_08_the_class_that_the_module_ends_with_is_the_one_registered(
        self, d: Path, decorators: str
    ) -> None:
        """NAME-08: else ``isinstance`` and pickle fail later."""
        write(d / "a.py", HEAD + decorators + BODY)
        report = gepass.load_passes(str(d))

        registry = gepass.default_registry()
        for record in registry:
            cls = registry.get_class(record.pass_name)
            assert class_of_module(cls) is cls
            assert isinstance(cls(), cls)
        assert {warning.message for warning in report.warnings} == {REPLACED}
        assert {warning.code for warning in report.warnings} == {Code.CLASS_REPLACED}

    def test_name_08_the_instance_that_is_run_has_slots(self, d: Path) -> None:
        write(d / "a.py", HEAD + SLOTS + REGISTER.format("Sl") + BODY)
        report = gepass.load_passes(str(d))

        instance: object = gepass.default_registry().get_class("Sl")()
        assert vars(type(instance))["__slots__"] == ("n",)
        assert getattr(instance, "n") == 1  # noqa: B009
        (warning,) = report.warnings
        assert (warning.message, warning.line) == (REPLACED, 7)

    def test_name_08_a_nested_class_is_found_as_well(self, d: Path) -> None:
        nested = SLOTS + REGISTER.format("Sl") + BODY
        indented = "".join(f"    {line}\n" for line in nested.splitlines())
        write(
            d / "a.py",
            f"{HEAD}class Outer:\n{indented}def the_class(): return Outer.Sl\n",
        )
        gepass.load_passes(str(d))

        cls = gepass.default_registry().get_class("Sl")
        assert class_of_module(cls) is cls

    def test_name_08_a_decorator_that_returns_no_class_is_warned_of(self, d: Path) -> None:
        write(d / "a.py", HEAD + "@function\n" + REGISTER.format("A") + BODY)
        report = gepass.load_passes(str(d))

        assert [warning.code for warning in report.warnings] == [Code.CLASS_REPLACED]

    def test_name_08_a_decorator_above_may_not_add_a_required_argument(
        self, d: Path
    ) -> None:
        required = BODY.replace("n: int = 1", "n: int")
        write(d / "a.py", HEAD + "@dataclass\n" + REGISTER.format("A") + required)
        expected = "GE makes Sl without arguments, but its constructor has a required"
        with pytest.raises(gepass.ModuleLoadError, match=re.escape(expected)):
            gepass.load_passes(str(d))

    def test_two_classes_of_one_name_are_no_replacement(self, d: Path) -> None:
        write(d / "a.py", HEAD + REGISTER.format("A") + BODY + REGISTER.format("B") + BODY)
        report = gepass.load_passes(str(d))

        assert not report.warnings
        registry = gepass.default_registry()
        assert registry.get_class("A") is not registry.get_class("B")


class TestInheritedMark:
    def test_name_09_a_subclass_does_not_inherit_the_registration(self, d: Path) -> None:
        decompose = (
            '@gepass.register_decompose_pass(name="{}", '
            'stage="BeforeInferShape", op_types=["{}"])\n'
        )
        text = (
            "import gepass\n"
            + decompose.format("P", "Conv2D")
            + "class P(gepass.DecomposePass):\n"
            "    def replacement(self, node): return None\n"
            "class Q(P): pass\n" + decompose.format("R", "Add") + "class R(P): pass\n"
        )
        write(d / "a.py", text)
        report = gepass.load_passes(str(d))

        registry = gepass.default_registry()
        assert report.modules[0].pass_names == ("P", "R")
        assert [r.op_types for r in registry] == [("Conv2D",), ("Add",)]
        parent, child = registry.get_class("P"), registry.get_class("R")
        assert vars(parent)["op_types"] == ["Conv2D"]
        assert vars(child)["op_types"] == ["Add"]

    def test_name_09_an_undecorated_subclass_is_named_as_such(self, d: Path) -> None:
        write(d / "a.py", HEAD + REGISTER.format("Base") + BODY)
        path = write(d / "b.py", "import a\nclass Forgot(a.Sl): pass\n")
        report = gepass.load_passes(str(d))

        assert [record.pass_name for record in gepass.default_registry()] == ["Base"]
        (warning,) = report.modules[1].warnings
        assert warning.code is Code.REGISTERED_NOTHING
        assert warning.message == (
            f"'{path}' registers no pass and has no effect; pass class without a "
            "decorator: Forgot"
        )
