"""What the operator's GEPASS_* settings do to the loads of a process (R17)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gepass
from gepass.environ import OnError
from gepass.errors import Code
from tests.process_state import names, nothing_stays
from tests.support import Runs, pass_file, write

VARIABLE = "ASCEND_GE_PY_PASS_PATH"
BINDS = "GEPASS_ON_ERROR=raise binds; on_error='isolate' has no effect"


@pytest.fixture
def half_broken(d: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of one good and one failing file; the variable names it."""
    write(d / "bad.py", "1/0")
    write(d / "good.py", pass_file("Good"))
    monkeypatch.setenv(VARIABLE, str(d))
    return d


def test_r17_on_error_isolate_is_obeyed_by_the_process_wide_load(
    half_broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEPASS_ON_ERROR", " isolate ")

    report = gepass.load_from_environment()

    assert (names(), report.ok) == (["Good"], False)
    assert [problem.path for problem in report.problems] == [half_broken / "bad.py"]


@pytest.mark.parametrize("value", [None, "", " ", "raise"])
@pytest.mark.usefixtures("half_broken")
def test_r17_the_process_wide_load_raises_otherwise(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is not None:
        monkeypatch.setenv("GEPASS_ON_ERROR", value)

    with nothing_stays(), pytest.raises(gepass.ModuleLoadError):
        gepass.load_from_environment()


def test_r17_an_argument_cannot_loosen_a_setting(
    half_broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEPASS_ON_ERROR", "raise")

    with nothing_stays(), pytest.raises(gepass.ModuleLoadError) as caught:
        gepass.load_passes(str(half_broken), on_error="isolate")

    assert caught.value.report is not None
    warnings = caught.value.report.warnings
    assert [(w.code, w.message) for w in warnings] == [(Code.SETTING_BINDS, BINDS)]


def test_r17_an_argument_can_tighten_a_setting(
    half_broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEPASS_ON_ERROR", "isolate")

    with nothing_stays(), pytest.raises(gepass.ModuleLoadError):
        gepass.load_passes(str(half_broken), on_error="raise")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("GEPASS_ON_ERROR", "ignore", "raise, isolate"),
        ("GEPASS_ON_ERROR", "RAISE", "raise, isolate"),
        ("GEPASS_LOG_LEVEL", "trace", "debug, info, warning, error"),
        ("GEPASS_LOG_FORMAT", "xml", "console, json"),
    ],
)
@pytest.mark.usefixtures("half_broken")
def test_r17_a_wrong_value_is_an_error_before_anything_runs(
    name: str,
    value: str,
    allowed: str,
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(name, value)

    for load in (
        gepass.load_from_environment,
        lambda: gepass.load_passes(os.environ[VARIABLE]),
    ):
        with nothing_stays(), pytest.raises(gepass.SettingError) as caught:
            load()
        assert isinstance(caught.value, ValueError)
        assert str(caught.value) == (
            f"{name}={value!r} is not allowed; use one of: {allowed}"
        )
        assert caught.value.code == Code.SETTING_INVALID
    assert runs.files == []


@pytest.mark.parametrize("on_error", ["ignore", "", None])
def test_r17_a_wrong_argument_is_an_error_too(on_error: OnError, d: Path) -> None:
    with nothing_stays(), pytest.raises(gepass.SettingError) as caught:
        gepass.load_passes(str(d), on_error=on_error)

    assert str(caught.value) == (
        f"on_error={on_error!r} is not allowed; use one of: raise, isolate"
    )


def test_r17_an_unknown_setting_is_a_warning(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEPASS_ON_EROR", "raise")
    monkeypatch.setenv("GEPASS_Q1", "1")
    write(d / "a.py", pass_file("A"))

    report = gepass.load_passes(str(d))

    text = "is not a setting of this version and has no effect"
    assert [(w.code, w.message) for w in report.warnings] == [
        (Code.SETTING_UNKNOWN, f"GEPASS_ON_EROR {text}; did you mean GEPASS_ON_ERROR?"),
        (Code.SETTING_UNKNOWN, f"GEPASS_Q1 {text}"),
    ]
    assert names() == ["A"]


def test_r17_segment_problems_raise_whatever_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEPASS_ON_ERROR", "isolate")
    monkeypatch.setenv(VARIABLE, "/nope")

    with nothing_stays(), pytest.raises(gepass.PassPathNotFoundError):
        gepass.load_from_environment()
