"""Passes, files and packages that share a name (NAME)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import gepass
from gepass.environ import OnError
from gepass.errors import Code
from tests.process_state import names, nothing_stays
from tests.support import Runs, pass_file, write


@pytest.mark.parametrize("as_files", [False, True])
def test_name_01_equal_stems_in_two_directories_are_two_modules(
    tmp_path: Path,
    runs: Runs,
    *,
    as_files: bool,
) -> None:
    a = write(tmp_path / "a" / "my.py", pass_file("A"))
    b = write(tmp_path / "b" / "my.py", pass_file("B"))
    value = f"{a}:{b}" if as_files else f"{a.parent}:{b.parent}"

    report = gepass.load_passes(value)

    modules = [sys.modules[m.module_name] for m in report.modules]
    assert names() == ["A", "B"]
    assert runs.files == ["my.py", "my.py"]
    assert modules[0] is not modules[1]
    assert [module.__file__ for module in modules] == [str(a), str(b)]
    assert report.warnings == ()


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_name_02_equal_packages_in_two_directories_are_both_loaded(
    order: str, tmp_path: Path, runs: Runs
) -> None:
    inits = {
        which: write(
            tmp_path / which / "passes" / "__init__.py",
            pass_file(
                f"P{which}",
                before=f"import passes.sub\nassert passes.sub.W == {which!r}",
            ),
        )
        for which in order
    }
    for which, init in inits.items():
        write(init.parent / "sub.py", f"W = {which!r}")

    report = gepass.load_passes(":".join(f"{tmp_path}/{which}" for which in order))

    first, second = (inits[which] for which in order)
    assert names() == [f"P{which}" for which in order]
    assert runs.files == ["__init__.py", "__init__.py"]
    assert [(w.code, w.path, w.message) for w in report.warnings] == [
        (
            Code.GE_DIFFERS,
            second,
            (
                f"ge_differs: GE drops this package, since '{first.parent}' has the same "
                "name; rename one of the directories"
            ),
        )
    ]


def test_name_02_a_package_called_like_a_loaded_module_is_loaded(d: Path) -> None:
    init = write(d / "pytest" / "__init__.py", pass_file("P"))

    report = gepass.load_passes(str(d))

    assert names() == ["P"]
    assert sys.modules["pytest"] is pytest
    assert [(w.code, w.path, w.message) for w in report.warnings] == [
        (
            Code.GE_DIFFERS,
            init,
            (
                "ge_differs: GE takes the module 'pytest' that is loaded already in place "
                "of the package; rename the directory"
            ),
        )
    ]


def duplicate(name: str, first: Path, second: Path) -> str:
    """Return the text for a pass name that two files of ``pass_file`` register."""
    return (
        f"the pass name {name!r} is registered twice: first by class Pass, {first}:6, "
        f"then by class Pass, {second}:6; give one of them another name"
    )


@pytest.mark.parametrize(("value", "order"), [("{d}", "xy"), ("{d}/y.py:{d}/x.py", "yx")])
@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_name_04_a_pass_name_in_two_files_is_an_error_that_names_both(
    on_error: OnError, value: str, order: str, d: Path, runs: Runs
) -> None:
    write(d / "x.py", pass_file("Dup", stage="BeforeInferShape"))
    write(d / "y.py", pass_file("Dup", stage="AfterInferShape"))
    first, second = (d / f"{which}.py" for which in order)
    message = duplicate("Dup", first, second)

    if on_error == "raise":
        with nothing_stays(), pytest.raises(ValueError, match="Dup") as caught:
            gepass.load_passes(value.format(d=d))
        error = caught.value
        assert isinstance(error, gepass.DuplicatePassError)
        assert (str(error), error.name) == (message, "Dup")
        assert error.first == f"class Pass, {first}:6"
        assert error.second == f"class Pass, {second}:6"
        assert error.report is not None
        report = error.report
    else:
        report = gepass.load_passes(value.format(d=d), on_error=on_error)
        (record,) = gepass.default_registry()
        assert record.source.path == str(first)

    assert [(p.code, p.path, p.message) for p in report.problems] == [
        (Code.DUPLICATE_PASS, second, f"'{second}': DuplicatePassError: {message}")
    ]
    assert runs.files == [first.name, second.name]


def test_name_04_a_pass_name_twice_in_one_file_is_an_error(d: Path) -> None:
    path = write(d / "a.py", pass_file("Dup", after=pass_file("Dup")))

    with nothing_stays(), pytest.raises(gepass.DuplicatePassError) as caught:
        gepass.load_passes(str(d))

    assert str(caught.value) == (
        f"the pass name 'Dup' is registered twice: first by class Pass, {path}:6, then "
        f"by class Pass, {path}:15; give one of them another name"
    )


@pytest.mark.usefixtures("runs")
def test_name_04_a_pass_name_of_an_earlier_load_is_an_error(tmp_path: Path) -> None:
    first = write(tmp_path / "one" / "a.py", pass_file("Dup"))
    second = write(tmp_path / "two" / "a.py", pass_file("Dup"))
    gepass.load_passes(str(first))

    with nothing_stays(), pytest.raises(gepass.DuplicatePassError) as caught:
        gepass.load_passes(str(second))

    assert str(caught.value) == duplicate("Dup", first, second)


@pytest.mark.usefixtures("runs")
def test_name_04_equal_names_in_two_registries_are_no_conflict(tmp_path: Path) -> None:
    one, two = gepass.PassRegistry(), gepass.PassRegistry()
    for which, registry in (("one", one), ("two", two)):
        path = write(tmp_path / which / "a.py", pass_file("Dup"))
        gepass.load_passes(str(path), registry=registry)

    assert one.get("Dup").module_name != two.get("Dup").module_name


SLOTTED = """
    from dataclasses import dataclass
    import gepass

    @dataclass(slots=True)
    @gepass.register_fusion_pass(name="Sl", stage="BeforeInferShape")
    class Sl(gepass.FusionBasePass):
        n: int = 1
        def run(self, graph, context):
            assert type(self) is Sl
"""


def test_name_08_the_class_that_the_module_ends_with_is_the_one_that_runs(
    d: Path,
) -> None:
    path = write(d / "a.py", SLOTTED)

    report = gepass.load_passes(str(d))

    cls = gepass.default_registry().get_class("Sl")
    module = sys.modules[report.modules[0].module_name]
    assert cls is module.Sl
    assert vars(cls)["__slots__"] == ("n",)
    assert [(w.code, w.line, w.message) for w in report.warnings] == [
        (
            Code.CLASS_REPLACED,
            6,
            (
                "class Sl was replaced by another decorator after it was registered, the "
                "new class is used; put the registering decorator on top"
            ),
        )
    ]
    assert report.warnings[0].path == path


def test_name_08_a_class_that_another_one_hides_stays_the_registered_one(
    d: Path,
) -> None:
    write(d / "a.py", pass_file("A", after="FIRST = Pass\nclass Pass: pass"))

    (outcome,) = gepass.load_passes(str(d)).modules

    cls = gepass.default_registry().get_class("A")
    assert cls is sys.modules[outcome.module_name].FIRST


def test_name_09_a_subclass_does_not_inherit_the_registration(d: Path) -> None:
    write(
        d / "a.py",
        """
        import gepass
        @gepass.register_decompose_pass(
            name="P", stage="BeforeInferShape", op_types=["Conv2D"]
        )
        class P(gepass.DecomposePass):
            def replacement(self, node): ...
        class Q(P): ...
        @gepass.register_decompose_pass(
            name="R", stage="BeforeInferShape", op_types=["Add"]
        )
        class R(P): ...
        """,
    )

    report = gepass.load_passes(str(d))

    module = sys.modules[report.modules[0].module_name]
    assert [(r.pass_name, r.op_types) for r in gepass.default_registry()] == [
        ("P", ("Conv2D",)),
        ("R", ("Add",)),
    ]
    assert (module.P.op_types, module.R.op_types) == (["Conv2D"], ["Add"])
    assert report.modules[0].pass_names == ("P", "R")
