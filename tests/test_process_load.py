"""Modules without passes, and the process-wide load (R10, R11)."""

from __future__ import annotations

from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import internal_modules, names, nothing_stays
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write

VARIABLE = "ASCEND_GE_PY_PASS_PATH"


def statuses(report: gepass.LoadReport) -> list[str]:
    """Return what became of each module."""
    return [outcome.status for outcome in report.modules]


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("x = 1", "start its name with '_' if it is a helper"),
        ("", "start its name with '_' if it is a helper"),
        ("class One(gepass.FusionBasePass): ...", "pass class without a decorator: One"),
        (
            (
                "class One(gepass.DecomposePass): ...\n"
                "class Two(One): ...\nclass _Base(gepass.FusionBasePass): ..."
            ),
            "pass classes without a decorator: One, Two",
        ),
        (
            "from gepass import FusionBasePass, PatternFusionPass",
            "start its name with '_' if it is a helper",
        ),
    ],
)
@pytest.mark.parametrize("file", ["a.py", "pk/__init__.py"])
def test_r10_a_module_that_registers_nothing_is_loaded_and_reported(
    file: str, code: str, advice: str, d: Path
) -> None:
    path = write(d / file, f"import gepass\n{code}")

    report = gepass.load_passes(str(d))

    assert (report.ok, statuses(report), names()) == (True, ["loaded"], [])
    assert [(w.code, w.path, w.message) for w in report.warnings] == [
        (
            Code.REGISTERED_NOTHING,
            path,
            f"'{path}' registers no pass and has no effect; {advice}",
        )
    ]


def test_r10_a_package_whose_submodule_registers_is_not_reported(d: Path) -> None:
    write(d / "pk" / "__init__.py", "from . import sub")
    write(d / "pk" / "sub.py", pass_file("Sub"))

    report = gepass.load_passes(str(d))

    assert (report.warnings, report.modules[0].pass_names) == ((), ("Sub",))


def test_r11_path_09_the_variable_is_read_by_the_load_not_by_the_import(
    d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", pass_file("A"))
    b = write(d / "b.py", pass_file("B"))

    done = python(
        f"""
        import os, gepass
        os.environ["{VARIABLE}"] = {str(a)!r}
        print([m.path.name for m in gepass.load_from_environment().modules])
        os.environ["{VARIABLE}"] = {str(b)!r}
        report = gepass.load_from_environment()
        print([m.path.name for m in report.modules])
        print(report.warnings[-1].code.value, report.warnings[-1].message)
        """,
        env={RUNS_VARIABLE: str(runs.log), VARIABLE: "/nope"},
    )

    message = (
        f"{VARIABLE} is '{b}' now and was '{a}' when it was loaded; the change has no "
        "effect until gepass.unload()"
    )
    assert done.stdout.splitlines() == ["['a.py']", "['a.py']", f"GP207 {message}"]
    assert "warning_raised" in done.stderr
    assert runs.files == ["a.py"]


@pytest.mark.parametrize("first", [None, "", "{d}/a.py"])
def test_r11_the_first_success_fixes_the_value_until_the_last_unload(
    first: str | None, d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(d / "a.py", pass_file("A"))
    write(d / "b.py", pass_file("B"))
    was = "unset"
    if first is not None:
        monkeypatch.setenv(VARIABLE, first.format(d=d))
        was = f"'{first.format(d=d)}'"
    report = gepass.load_from_environment()
    assert gepass.load_from_environment() == report

    monkeypatch.setenv(VARIABLE, f"{d}/b.py")
    again = gepass.load_from_environment()

    assert again.modules == report.modules
    assert [w.message for w in again.warnings if w not in report.warnings] == [
        (
            f"{VARIABLE} is '{d}/b.py' now and was {was} when it was loaded; the change "
            "has no effect until gepass.unload()"
        )
    ]
    gepass.unload()
    gepass.unload()
    assert names() == (["A"] if first else [])
    gepass.unload()
    assert (names(), internal_modules()) == ([], [])
    gepass.load_from_environment()
    assert names() == ["B"]


def test_r11_a_failed_load_releases_the_value(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = write(d / "a.py", "1/0")
    monkeypatch.setenv(VARIABLE, f"{d}/a.py:/nope")
    with nothing_stays(), pytest.raises(gepass.PassPathNotFoundError):
        gepass.load_from_environment()
    monkeypatch.setenv(VARIABLE, f"{d}/a.py")
    with nothing_stays(), pytest.raises(gepass.ModuleLoadError):
        gepass.load_from_environment()
    write(a, pass_file("A"))
    monkeypatch.setenv(VARIABLE, str(d))

    report = gepass.load_from_environment()

    assert (names(), report.warnings) == (["A"], ())


def test_r11_an_explicit_load_does_not_fix_the_value(
    tmp_path: Path, d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(d / "a.py", pass_file("A"))
    b = write(tmp_path / "b.py", pass_file("B"))
    gepass.load_passes(str(d))
    monkeypatch.setenv(VARIABLE, str(b))

    report = gepass.load_from_environment()

    assert (names(), report.warnings) == (["A", "B"], ())


def test_r11_a_later_user_is_told_of_changed_files(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = write(d / "a.py", pass_file("A"))
    monkeypatch.setenv(VARIABLE, str(d))
    gepass.load_from_environment()
    write(a, pass_file("New"))

    report = gepass.load_from_environment()

    assert [w.message for w in report.warnings] == [
        (
            f"'{a}' changed after it was loaded; changes are not seen until "
            "gepass.unload() and a new load"
        )
    ]


def test_r11_one_unload_too_many_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    gepass.unload()

    (message,) = caplog.messages
    assert message.startswith("warning_raised ")
    assert '"code": "GP213"' in message
    assert '"detail": "unload() was called and nothing is loaded"' in message
