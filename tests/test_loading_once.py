"""A file runs once, and unload forgets it (R9)."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import internal_modules, names
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write


def statuses(report: gepass.LoadReport) -> list[str]:
    """Return what became of each module."""
    return [outcome.status for outcome in report.modules]


def module_of(report: gepass.LoadReport) -> object:
    """Return the first module of a load."""
    return sys.modules[report.modules[0].module_name]


@pytest.mark.parametrize(
    "value",
    [
        "{d}:{d}",
        "{d}/a.py:{d}",
        "{d}:{d}/a.py",
        "{d}/a.py:{d}/./a.py:{d}/../d/a.py",
        "{d}/link.py:{d}",
        "{d}/linked:{d}",
        "{d}/a.py:{d}/hard.py",
    ],
)
def test_r9_a_file_runs_once_by_whatever_segments(value: str, d: Path, runs: Runs) -> None:
    a = write(d / "a.py", pass_file("A"))
    (d / "link.py").symlink_to(a)
    (d / "linked").symlink_to(d)
    is_hard_link = "hard" in value
    if is_hard_link:
        write(d / "hard.py", pass_file("Other"))

    gepass.load_passes(value.format(d=d))

    assert names() == (["A", "Other"] if is_hard_link else ["A"])
    assert runs.files == (["a.py", "hard.py"] if is_hard_link else ["a.py"])


def test_r9_a_second_load_adopts_what_the_first_one_ran(d: Path, runs: Runs) -> None:
    write(d / "_helper.py", pass_file("H"))
    write(d / "a.py", pass_file("A", before="import _helper"))
    first = gepass.load_passes(str(d))
    records = gepass.default_registry().records()

    second = gepass.load_passes(f"{d}/a.py")

    assert statuses(second) == ["already_loaded"]
    assert second.modules[0].pass_names == first.modules[0].pass_names == ("H", "A")
    assert second.modules[0].sha256 == first.modules[0].sha256
    assert second.modules[0].executed == ()
    assert gepass.default_registry().records() == records
    assert runs.files == ["a.py", "_helper.py"]


def test_r9_another_or_a_cleared_registry_gets_the_same_classes(
    d: Path, runs: Runs
) -> None:
    write(d / "_helper.py", pass_file("H"))
    write(d / "a.py", pass_file("A", before="import _helper"))
    write(d / "pk" / "__init__.py", pass_file("P", before="from . import sub"))
    write(d / "pk" / "sub.py", pass_file("Sub"))
    one, two = gepass.PassRegistry(), gepass.PassRegistry()

    gepass.load_passes(str(d), registry=one)
    gepass.load_passes(f"::{d}", registry=two)
    classes = [one.get_class(name) for name in names(one)]
    one.clear()
    gepass.load_passes(str(d), registry=one)

    assert names(one) == names(two) == ["H", "A", "Sub", "P"]
    assert [one.get_class(name) for name in names(one)] == classes
    assert [two.get_class(name) for name in names(two)] == classes
    assert names() == []
    assert [r.origin.position for r in two if r.origin.type == "environment"] == [2] * 4
    assert len(runs.files) == 4


def test_r9_a_sibling_import_and_a_scan_are_one_run(d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A", before="import b; from b import Pass as P"))
    write(d / "b.py", pass_file("B"))

    gepass.load_passes(f"{d}/a.py")
    report = gepass.load_passes(str(d))

    assert statuses(report) == ["already_loaded", "already_loaded"]
    assert [m.pass_names for m in report.modules] == [("A",), ("B",)]
    assert sorted(names()) == ["A", "B"]
    assert runs.files == ["a.py", "b.py"]


@pytest.mark.parametrize("value", ["{d}:{d}/pk/sub.py", "{d}/pk/sub.py:{d}"])
def test_r9_a_submodule_that_is_listed_by_itself_is_one_module(
    value: str, d: Path, runs: Runs
) -> None:
    init = "from . import sub\nimport pk.sub as s\nassert s is sub"
    write(d / "pk" / "__init__.py", pass_file("P", before=init))
    write(d / "pk" / "sub.py", pass_file("Sub"))

    report = gepass.load_passes(value.format(d=d))

    assert sorted(names()) == ["P", "Sub"]
    assert sorted(runs.files) == ["__init__.py", "sub.py"]
    files = {m.path.name: sys.modules[m.module_name] for m in report.modules}
    assert files["__init__.py"].sub is sys.modules[files["__init__.py"].sub.__name__]


def test_r9_a_file_that_a_function_imported_late_is_adopted(d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A", after="def late(): import b"))
    write(d / "b.py", pass_file("B"))
    module = module_of(gepass.load_passes(f"{d}/a.py"))
    vars(module)["late"]()
    registry = gepass.PassRegistry()

    gepass.load_passes(str(d), registry=registry)
    gepass.load_passes(str(d))

    assert names(registry) == ["A", "B"]
    assert sorted(names()) == ["A", "B"]
    assert runs.files == ["a.py", "b.py"]
    gepass.unload()
    assert (names(), internal_modules()) == ([], [])


def test_r9_a_module_that_puts_another_object_in_its_place_runs_once(
    d: Path, runs: Runs
) -> None:
    replace = """
        import sys
        class Proxy: ...
        sys.modules[__name__] = Proxy()
    """
    write(d / "a.py", pass_file("A", after=replace))
    write(d / "b.py", "import a; assert type(a).__name__ == 'Proxy'")

    done = python(
        f"""
        import sys, gepass
        registry = gepass.PassRegistry()
        print([m.status for m in gepass.load_passes({str(d)!r}).modules])
        report = gepass.load_passes({str(d)!r}, registry=registry)
        print([m.status for m in report.modules], [r.pass_name for r in registry])
        gepass.unload()
        print([name for name in sys.modules if name.startswith("_ge_py_pass_")])
        """,
        env={RUNS_VARIABLE: str(runs.log)},
    )

    assert done.stdout.splitlines() == [
        "['loaded', 'loaded']",
        "['already_loaded', 'already_loaded'] ['A']",
        "[]",
    ]
    assert runs.files == ["a.py"]


def test_r9_many_threads_load_one_file_once(d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A", before="import time; time.sleep(0.05)"))
    barrier = threading.Barrier(6)

    def load(_: int) -> str:
        barrier.wait(30)
        return gepass.load_passes(str(d)).modules[0].status

    with ThreadPoolExecutor(6) as pool:
        found = sorted(pool.map(load, range(6)))

    assert found == ["already_loaded"] * 5 + ["loaded"]
    assert (names(), runs.files) == (["A"], ["a.py"])


@pytest.mark.parametrize(
    ("change", "what"), [("write", "changed"), ("unlink", "disappeared")]
)
def test_r9_a_file_that_changed_is_adopted_with_a_warning(
    change: str, what: str, d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", pass_file("A"))
    (d / "link").mkdir()
    (d / "link" / "a.py").symlink_to(a)
    gepass.load_passes(str(a))
    if change == "write":
        write(a, pass_file("New"))
    value = str(a)

    if change == "unlink":
        write(d / "b.py", pass_file("B", before=f"import os; os.unlink({str(a)!r})"))
        value = f"{d}/b.py:{a}"
    report = gepass.load_passes(value)

    assert report.ok
    warning = [w for w in report.warnings if w.code is Code.CHANGED_SINCE_LOADED]
    assert [(w.path, w.message) for w in warning] == [
        (
            a,
            (
                f"'{a}' {what} after it was loaded; changes are not seen until "
                "gepass.unload() and a new load"
            ),
        )
    ]
    assert names()[0] == "A"
    assert runs.files[0] == "a.py"


def test_r9_unload_forgets_modules_and_a_later_load_runs_them_again(
    d: Path, runs: Runs
) -> None:
    write(d / "_helper.py", pass_file("H"))
    a = write(d / "a.py", pass_file("A", before="import _helper"))
    other = gepass.PassRegistry()
    gepass.load_passes(str(d))
    gepass.load_passes(str(d), registry=other)
    kept = other.get_class("A")

    gepass.unload()

    assert (internal_modules(), names()) == ([], [])
    assert names(other) == ["H", "A"]
    assert kept().run(None, None) is None  # type: ignore[arg-type] # no graph is needed
    write(a, pass_file("New"))
    report = gepass.load_passes(str(d))
    assert (statuses(report), names()) == (["loaded"], ["New"])
    assert runs.files == ["a.py", "_helper.py", "a.py"]


def test_r9_unload_leaves_what_the_host_registered(d: Path) -> None:
    @gepass.register_fusion_pass(name="Host", stage="BeforeInferShape")
    class Host(gepass.FusionBasePass):
        def run(self, graph: object, context: object) -> None: ...

    write(d / "a.py", pass_file("A"))
    gepass.load_passes(str(d))

    gepass.unload()

    assert names() == ["Host"]
