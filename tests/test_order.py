"""In which order passes stand in a registry (R15)."""

from __future__ import annotations

from pathlib import Path

import pytest

import gepass
from tests.support import Runs, pass_file, write


def loaded(value: str | Path, registry: gepass.PassRegistry | None = None) -> list[str]:
    """Load a value and return the names of the passes in order."""
    registry = gepass.PassRegistry() if registry is None else registry
    gepass.load_passes(str(value), registry=registry)
    return [record.pass_name for record in registry]


def test_r15_segments_stand_as_given_and_children_by_name(tmp_path: Path, d: Path) -> None:
    for which in "xy":
        for name in ("b", "a", "B", "c/__init__"):
            path = write(tmp_path / which / f"{name}.py")
            write(path, pass_file(f"{which}.{name[0]}"))
    write(d / "single.py", pass_file("single"))

    order = loaded(f"{tmp_path}/y:{d}/single.py:{tmp_path}/x")

    assert order == [
        *("y.B", "y.a", "y.b", "y.c"),
        "single",
        *("x.B", "x.a", "x.b", "x.c"),
    ]


def test_r15_a_file_has_the_place_where_it_is_met_first(d: Path) -> None:
    for name in "abc":
        write(d / f"{name}.py", pass_file(name))

    registry = gepass.PassRegistry()

    assert loaded(f"{d}/c.py:{d}:{d}/a.py", registry) == ["c", "a", "b"]
    assert [
        record.origin.position for record in registry if record.origin.type == "environment"
    ] == [0, 1, 1]


def test_r15_registrations_stand_in_the_order_of_their_decorators(d: Path) -> None:
    several = """
        def register(name):
            @gepass.register_fusion_pass(name=name, stage="BeforeInferShape")
            class Inner(gepass.FusionBasePass):
                def run(self, graph, context): ...
        for name in ("z", "y", "x"):
            register(name)
    """
    write(d / "a.py", pass_file("first", after=several))
    write(d / "b.py", pass_file("last", before=several.replace('"z", "y", "x"', '"n"')))

    assert loaded(d) == ["first", "z", "y", "x", "n", "last"]


def test_r15_a_sibling_that_was_imported_earlier_keeps_its_own_place(
    d: Path, runs: Runs
) -> None:
    write(d / "a.py", pass_file("A", before="import z, y_pk"))
    write(d / "m.py", pass_file("M", before="import a"))
    write(d / "y_pk" / "__init__.py", pass_file("Y"))
    write(d / "z.py", pass_file("Z", before="import m"))

    report = gepass.load_passes(str(d))

    assert [r.pass_name for r in gepass.default_registry()] == ["A", "M", "Y", "Z"]
    assert [m.pass_names for m in report.modules] == [("A",), ("M",), ("Y",), ("Z",)]
    assert runs.files == ["a.py", "z.py", "m.py", "__init__.py"]


def test_r15_a_helper_belongs_to_the_module_that_first_imported_it(d: Path) -> None:
    write(d / "_helper.py", pass_file("H"))
    write(d / "a.py", pass_file("A"))
    write(d / "b.py", pass_file("B1", after="import _helper"))
    write(d / "c.py", pass_file("C", before="import _helper"))

    report = gepass.load_passes(str(d))

    assert [r.pass_name for r in gepass.default_registry()] == ["A", "B1", "H", "C"]
    assert [m.pass_names for m in report.modules] == [("A",), ("B1", "H"), ("C",)]


def test_r15_a_submodule_belongs_to_its_package_when_that_imports_it(d: Path) -> None:
    write(d / "a.py", pass_file("A", before="import pk.sub"))
    write(d / "pk" / "__init__.py", pass_file("P", before="from . import sub"))
    write(d / "pk" / "sub.py", pass_file("Sub", before="from .deep import x"))
    write(d / "pk" / "deep" / "__init__.py")
    write(d / "pk" / "deep" / "x.py", pass_file("X"))

    assert loaded(d) == ["A", "X", "Sub", "P"]


def test_r15_a_submodule_belongs_to_another_module_that_imports_it_first(
    d: Path,
) -> None:
    write(d / "a.py", pass_file("A", before="import pk.sub"))
    write(d / "pk" / "__init__.py", pass_file("P"))
    write(d / "pk" / "sub.py", pass_file("Sub"))

    assert loaded(d) == ["Sub", "A", "P"]


def test_r15_a_registration_in_a_thread_stands_where_its_module_does(d: Path) -> None:
    in_thread = """
        import threading
        def work():
            import _helper, c
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(30)
    """
    write(d / "_helper.py", pass_file("H"))
    write(d / "a.py", pass_file("A", before=in_thread))
    write(d / "b.py", pass_file("B"))
    write(d / "c.py", pass_file("C"))

    assert loaded(d) == ["H", "A", "B", "C"]


@pytest.mark.parametrize("code", ["import z", "import _helper", "import pk.sub"])
def test_r15_another_registry_gets_the_same_order(code: str, d: Path) -> None:
    write(d / "_helper.py", pass_file("H"))
    write(d / "a.py", pass_file("A", before=code))
    write(d / "pk" / "__init__.py", pass_file("P"))
    write(d / "pk" / "sub.py", pass_file("Sub"))
    write(d / "z.py", pass_file("Z"))

    first = loaded(d)

    assert loaded(d) == first
    assert loaded(f"{d}/z.py:{d}") == ["Z", *(name for name in first if name != "Z")]


def test_r15_a_second_load_puts_its_passes_behind_those_that_are_there(
    tmp_path: Path, d: Path
) -> None:
    registry = gepass.PassRegistry()
    write(d / "b.py", pass_file("B"))
    assert loaded(d, registry) == ["B"]
    write(d / "a.py", pass_file("A"))
    write(tmp_path / "c.py", pass_file("C"))

    assert loaded(f"{tmp_path}/c.py:{d}", registry) == ["B", "C", "A"]


def test_r15_the_stage_does_not_change_the_order_of_the_registry(d: Path) -> None:
    write(d / "a.py", pass_file("A", stage="AfterOriginGraphOptimize"))
    write(d / "b.py", pass_file("B", stage="BeforeInferShape"))

    assert loaded(d) == ["A", "B"]
