"""What a directory leads to: loaded, skipped, and why (R6, R7, FS)."""

from __future__ import annotations

from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import (
    names,
    nothing_stays,
    public_directory,
    python_as_nobody,
)
from tests.support import Runs, pass_file, write

VARIABLE = "ASCEND_GE_PY_PASS_PATH"
UNDERSCORE = "the name starts with an underscore"
NOT_PY = "not a .py file"
DOT_DIRECTORY = "a directory whose name starts with a dot"


def skips(report: gepass.LoadReport) -> dict[str, str]:
    """Return the reason of each skipped entry by its name."""
    return {entry.path.name: entry.reason for entry in report.skipped}


def scan(d: Path) -> gepass.ScanResult:
    """Scan a directory."""
    (spec,) = gepass.parse_pass_path(str(d))
    return gepass.scan(spec)


def test_r6_children_are_sorted_by_code_points(d: Path) -> None:
    listed = ["~.py", "b.py", "B.py", "a10.py", "a2.py", "é.py", "z.py", "ß", "Z"]
    for name in listed:
        write(d / name / "__init__.py" if "." not in name else d / name)

    sources = scan(d).sources

    assert [s.path.name if s.kind == "file" else s.name for s in sources] == sorted(listed)


def test_r6_only_direct_children_are_looked_at(d: Path, runs: Runs) -> None:
    write(d / "pkg" / "__init__.py", pass_file("P"))
    write(d / "pkg" / "sub.py", pass_file("Sub"))
    write(d / "pkg" / "inner" / "__init__.py", pass_file("Inner"))
    write(d / "plain" / "deep.py", pass_file("Deep"))

    gepass.load_passes(str(d))

    assert names() == ["P"]
    assert runs.files == ["__init__.py"]


def test_r6_names_that_start_with_an_underscore_are_skipped(d: Path) -> None:
    for name in ("_a.py", "__init__.py", "__main__.py", "_.py", "_pkg/__init__.py"):
        write(d / name, "1/0")

    result = scan(d)

    assert result.sources == ()
    assert {entry.reason for entry in result.skipped} == {UNDERSCORE}
    assert [entry.path.name for entry in result.skipped] == sorted(
        ["_a.py", "__init__.py", "__main__.py", "_.py", "_pkg"]
    )


def test_r6_a_dot_does_not_hide_a_file(d: Path) -> None:
    write(d / ".x.py", pass_file("X"))

    gepass.load_passes(str(d))

    assert names() == ["X"]


def test_r7_sources_say_what_they_are(d: Path) -> None:
    a = write(d / "a.py")
    init = write(d / "pkg" / "__init__.py")
    (spec,) = gepass.parse_pass_path(f"::{d}")[:1]

    result = gepass.scan(spec)

    assert [(s.path, s.kind, s.position) for s in result.sources] == [
        (a, "file", 2),
        (init, "package", 2),
    ]
    assert result.skipped == ()


def test_r7_scanning_executes_and_changes_nothing(d: Path) -> None:
    for name in ("a.py", "pkg/__init__.py"):
        write(d / name, "raise SystemExit")

    with nothing_stays():
        assert len(scan(d).sources) == 2


def test_r7_a_file_spec_leads_to_that_file_whatever_its_name(d: Path) -> None:
    hidden = write(d / "_hidden.py")
    write(d / "other.py")

    result = scan(hidden)

    assert [s.path for s in result.sources] == [hidden]
    assert result.skipped == ()


def test_r7_a_directory_that_vanished_after_it_was_checked_is_missing(
    d: Path,
) -> None:
    (spec,) = gepass.parse_pass_path(str(d))
    d.rmdir()

    with pytest.raises(gepass.PassPathNotFoundError) as caught:
        gepass.scan(spec)

    assert str(caught.value) == (
        f"{VARIABLE}[0]: '{d}' disappeared before it was scanned; restore it and load again"
    )


def test_r7_a_directory_that_holds_nothing_to_load_is_reported(d: Path) -> None:
    report = gepass.load_passes(str(d))

    assert report.ok
    assert [(w.code, w.position, w.path, w.message) for w in report.warnings] == [
        (
            Code.NOTHING_FOUND,
            0,
            d,
            f"{VARIABLE}[0]: '{d}' holds no pass file and no package at its first level",
        )
    ]


def test_fs_03_r6_the_listed_name_decides_not_the_target(d: Path, runs: Runs) -> None:
    write(d / "_impl.py", pass_file("I"))
    write(d / "impl2.py", pass_file("I2"))
    (d / "link.py").symlink_to("_impl.py")
    (d / "_link.py").symlink_to("impl2.py")

    report = gepass.load_passes(str(d))

    assert names() == ["I2", "I"]
    assert runs.files == ["impl2.py", "_impl.py"]
    assert skips(report) == {"_impl.py": UNDERSCORE, "_link.py": UNDERSCORE}
    assert [m.module_name.rpartition("_")[0] for m in report.modules] == [
        "_ge_py_pass_impl2",
        "_ge_py_pass__impl",
    ]


def test_r6_a_link_without_py_to_a_py_file_is_skipped(d: Path, tmp_path: Path) -> None:
    (d / "link").symlink_to(write(tmp_path / "a.py", pass_file("A")))

    report = gepass.load_passes(str(d))

    assert skips(report) == {"link": NOT_PY}


def test_r6_a_py_link_to_a_file_without_py_is_loaded(d: Path, tmp_path: Path) -> None:
    (d / "link.py").symlink_to(write(tmp_path / "a.txt", pass_file("A")))

    gepass.load_passes(str(d))

    assert names() == ["A"]


def test_fs_06_a_directory_whose_name_ends_in_py_is_a_directory(d: Path) -> None:
    write(d / "d.py" / "inner.txt")
    write(d / "ok.py", pass_file("OK"))

    report = gepass.load_passes(str(d))
    inner = gepass.load_passes(str(d / "d.py"))

    assert names() == ["OK"]
    assert skips(report) == {"d.py": "a directory without __init__.py"}
    assert (inner.ok, inner.modules) == (True, ())
    assert [w.message for w in inner.warnings] == [
        f"{VARIABLE}[0]: '{d}/d.py' holds no pass file and no package at its first level"
    ]


def test_fs_07_only_the_last_suffix_counts(d: Path, runs: Runs) -> None:
    odd = ["ok.py,cover", "ok.py~", "ok.py.swp", "ok.pyc", ".py", "ok.py.orig", "ok.Py"]
    for name in odd:
        write(d / name, b"broken (\0")
    write(d / "ok.py", pass_file("OK"))

    report = gepass.load_passes(str(d))

    assert (names(), runs.files) == (["OK"], ["ok.py"])
    assert skips(report) == dict.fromkeys(odd, NOT_PY)


def test_fs_08_a_dot_directory_is_skipped(d: Path, runs: Runs) -> None:
    write(d / "ok.py", pass_file("OK"))
    write(d / ".ipynb_checkpoints" / "__init__.py")
    write(d / ".ipynb_checkpoints" / "ok-checkpoint.py", pass_file("OK"))

    report = gepass.load_passes(str(d))

    assert (names(), runs.files) == (["OK"], ["ok.py"])
    assert skips(report) == {".ipynb_checkpoints": DOT_DIRECTORY}


def test_fs_09_a_directory_of_files_without_init_is_skipped_with_a_warning(
    d: Path, runs: Runs
) -> None:
    write(d / "nopkg" / "x.py", pass_file("X"))
    write(d / "ok.py", pass_file("OK"))

    report = gepass.load_passes(str(d))

    reason = "a directory with .py files but no __init__.py"
    assert (report.ok, names(), runs.files) == (True, ["OK"], ["ok.py"])
    assert skips(report) == {"nopkg": reason}
    assert [(w.code, w.path, w.message) for w in report.warnings] == [
        (
            Code.NOT_A_PACKAGE,
            d / "nopkg",
            f"'{d}/nopkg' is not loaded: {reason}",
        )
    ]


def test_fs_09_an_init_that_is_no_file_makes_no_package(d: Path) -> None:
    (d / "pkg" / "__init__.py").mkdir(parents=True)

    report = gepass.load_passes(str(d))

    assert skips(report) == {"pkg": "a directory whose __init__.py is not a regular file"}


def test_fs_12_clutter_is_skipped_and_never_opened() -> None:
    clutter = ["README", "data.json", "lib.so", "Makefile", "a.pyc"]
    with public_directory() as directory:
        for name in clutter:
            write(directory / name, "1/0").chmod(0)
        for name in (".mypy_cache", "__pycache__"):
            (directory / name).mkdir(mode=0o000)
        write(directory / "ok.py", pass_file("OK"))
        done = python_as_nobody(
            directory,
            """
            report = gepass.load_passes(str(directory))
            assert report.ok and not report.warnings
            for entry in report.skipped:
                print(entry.path.name, entry.reason, sep=": ")
            """,
        )

    assert done.stdout.splitlines() == [
        f".mypy_cache: {DOT_DIRECTORY}",
        f"Makefile: {NOT_PY}",
        f"README: {NOT_PY}",
        f"__pycache__: {UNDERSCORE}",
        f"a.pyc: {NOT_PY}",
        f"data.json: {NOT_PY}",
        f"lib.so: {NOT_PY}",
        f"log: {NOT_PY}",
    ]
