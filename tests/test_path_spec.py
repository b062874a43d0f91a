"""What the variable may say, and what it means (R1, R2, R5, PATH)."""

from __future__ import annotations

from pathlib import Path

import pydantic
import pytest

import gepass
from gepass.errors import Code
from tests.process_state import nothing_stays
from tests.support import Runs, pass_file, python, write

VARIABLE = "ASCEND_GE_PY_PASS_PATH"
ADVICE = "give an existing directory or .py file"
NOTHING = ["", " ", "\t\n ", ":", "::", " : \n: "]


def refusal(value: str) -> gepass.PassPathError:
    """Return the error for a value that must be refused."""
    with nothing_stays(), pytest.raises(gepass.PassPathError) as caught:
        gepass.load_passes(value)
    return caught.value


@pytest.mark.parametrize("value", NOTHING)
def test_r1_a_value_without_segments_gives_no_spec(value: str) -> None:
    assert gepass.parse_pass_path(value) == ()


@pytest.mark.parametrize("value", [None, *NOTHING])
def test_r1_path_02_nothing_to_load_is_no_failure_and_no_load(
    value: str | None, d: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(d / "a.py", pass_file("A"))
    monkeypatch.chdir(d)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)

    with nothing_stays():
        report = gepass.load_from_environment()

    assert (report.ok, report.specs, report.modules) == (True, (), ())
    assert runs.files == []


@pytest.mark.parametrize("value", ["", " ", ":"])
def test_path_04_a_process_with_an_empty_variable_starts_and_says_what_it_dropped(
    value: str,
) -> None:
    done = python(
        """
        import logging, gepass
        logging.basicConfig(level="INFO", format="%(message)s")
        report = gepass.load_from_environment()
        assert report.ok and report.modules == ()
        """,
        env={VARIABLE: value},
    )

    assert done.returncode == 0
    dropped = [x for x in done.stderr.splitlines() if "path_segment_dropped" in x]
    assert len(dropped) == value.count(":") + 1


def test_path_02_an_empty_path_is_no_spec() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        gepass.PassPathSpec.model_validate(
            {"position": 0, "raw": "", "path": "", "kind": "directory"}
        )

    (error,) = caught.value.errors()
    assert (error["loc"], error["msg"]) == (("path",), "the path is empty")


def test_r2_segments_are_trimmed_and_positions_count_empty_ones(d: Path) -> None:
    a, b = write(d / "a.py"), write(d / "b.py")

    specs = gepass.parse_pass_path(f": \n:  {a}\t::{b} :{d}:")

    assert [(s.position, s.raw, s.path, s.kind) for s in specs] == [
        (2, str(a), a, "file"),
        (4, str(b), b, "file"),
        (5, str(d), d, "directory"),
    ]


def test_r2_dropped_segments_are_reported(d: Path) -> None:
    report = gepass.load_passes(f":{write(d / 'a.py', pass_file('A'))}: :")

    assert [(w.code, w.position, w.message) for w in report.warnings] == [
        (Code.SEGMENT_EMPTY, n, f"{VARIABLE}[{n}] is empty and was dropped")
        for n in (0, 2, 3)
    ]
    assert report.ok


@pytest.mark.parametrize("value", ["{a}:", ":{a}", "{a}::{a}"])
def test_path_01_an_empty_segment_is_not_the_working_directory(
    value: str, d: Path, tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = write(d / "a.py", pass_file("A"))
    write(tmp_path / "c" / "evil.py", pass_file("Evil"))
    monkeypatch.chdir(tmp_path / "c")

    report = gepass.load_passes(value.format(a=a))

    assert {spec.path for spec in report.specs} == {a}
    assert [r.pass_name for r in gepass.default_registry()] == ["A"]
    assert runs.files == ["a.py"]


def test_path_05_r5_a_tilde_is_expanded_in_each_segment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    p1, p2 = write(tmp_path / "p1.py"), write(tmp_path / "p2.py")

    specs = gepass.parse_pass_path("~/p1.py:~/p2.py:~")

    assert [s.path for s in specs] == [p1, p2, tmp_path]
    assert [s.raw for s in specs] == ["~/p1.py", "~/p2.py", "~"]


def test_path_07_one_directory_in_four_spellings_is_loaded_once(
    d: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = write(d / "a.py", pass_file("A"))
    (d.parent / "link").symlink_to(d)
    monkeypatch.chdir(d.parent)

    report = gepass.load_passes(f"{d}:{d}/:./{d.name}:{d}/../{d.name}:link:link/a.py")

    assert report.ok
    assert {spec.path for spec in report.specs} == {d, a}
    assert [r.pass_name for r in gepass.default_registry()] == ["A"]
    assert runs.files == ["a.py"]
    assert [(s.path, s.reason) for s in report.skipped] == [
        (a, f"the same file as one of {VARIABLE}[0], loaded once") for _ in range(5)
    ]


def test_path_08_r5_user_code_cannot_change_what_later_segments_mean(
    d: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(d / "a_chdir.py", pass_file("A", before="import os; os.chdir('/')"))
    b = write(d / "b.py", pass_file("B"))
    monkeypatch.chdir(d)

    report = gepass.load_passes("a_chdir.py:b.py")

    assert report.specs[1].path == b
    assert [r.pass_name for r in gepass.default_registry()] == ["A", "B"]
    assert runs.files == ["a_chdir.py", "b.py"]


def test_path_11_a_blank_is_no_separator(tmp_path: Path) -> None:
    for name in ("d1", "d2"):
        (tmp_path / name).mkdir()
    value = f"{tmp_path}/d1 {tmp_path}/d2"

    error = refusal(value)

    assert isinstance(error, FileNotFoundError)
    assert str(error) == f"{VARIABLE}[0]: '{value}' does not exist; {ADVICE}"


def test_path_11_line_ends_and_blanks_around_a_segment_are_no_part_of_it(
    tmp_path: Path,
) -> None:
    for name in ("d1", "d2", "x "):
        (tmp_path / name).mkdir()

    specs = gepass.parse_pass_path(f"{tmp_path}/d1:\n  {tmp_path}/d2")
    error = refusal(f"{tmp_path}/x :{tmp_path}/d1")

    assert [s.path.name for s in specs] == ["d1", "d2"]
    assert str(error) == (
        f"{VARIABLE}[0]: '{tmp_path}/x' does not exist "
        f"(a segment of '{tmp_path}/x :{tmp_path}/d1'); {ADVICE}"
    )


def test_r5_relative_and_linked_segments_are_resolved_and_keep_what_was_written(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = write(d / "a.py")
    (d / "link.py").symlink_to(a)
    monkeypatch.chdir(d.parent)

    specs = gepass.parse_pass_path(f"{d.name}/a.py:.:{d}/link.py")

    assert [(s.raw, s.path) for s in specs] == [
        (f"{d.name}/a.py", a),
        (".", d.parent),
        (f"{d}/link.py", a),
    ]


def test_r5_a_relative_spec_cannot_be_made() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        gepass.PassPathSpec(position=0, raw="a", path=Path("a"), kind="directory")

    (error,) = caught.value.errors()
    assert (error["loc"], error["msg"]) == (("path",), "the path is not absolute")
