"""What a load tells: each outcome once, and the report is their sum (design section 7)."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

import gepass
from gepass import events
from gepass.environ import PASS_PATH
from gepass.errors import Code
from tests.support import pass_file, write
from tests.told import Fields, names_of, told

NO_EFFECT = "registers no pass and has no effect"


def load(value: str) -> tuple[gepass.LoadReport, list[Fields]]:
    with told() as events_told:
        report = gepass.load_passes(value, on_error="isolate")
    return report, events_told


class TestOneLoad:
    def test_tells_its_steps_in_order(self, d: Path) -> None:
        path = write(d / "a.py", pass_file("A"))
        write(d / "_helper.py")
        report, events_told = load(f":{d}")

        assert names_of(events_told) == [
            "load_started",
            "path_segment_dropped",
            "path_accepted",
            "entry_skipped",
            "module_loaded",
            "pass_registered",
            "load_finished",
        ]
        started, dropped, accepted, skipped, loaded, registered, finished = events_told
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        name = report.modules[0].module_name
        head = {"load_id": report.load_id, "level": "info"}
        assert started == {
            **head,
            "event": "load_started",
            "value": f":{d}",
            "pid": os.getpid(),
        }
        assert dropped == {**head, "event": "path_segment_dropped", "position": 0}
        assert accepted == {
            **head,
            "event": "path_accepted",
            "position": 1,
            "path": str(d),
            "kind": "directory",
        }
        assert skipped == {
            "load_id": report.load_id,
            "level": "debug",
            "event": "entry_skipped",
            "path": f"{d}/_helper.py",
            "reason": "the name starts with an underscore",
        }
        assert loaded == {
            **head,
            "event": "module_loaded",
            "path": str(path),
            "module_name": name,
            "sha256": digest,
            "duration_ms": report.modules[0].duration_ms,
            "pass_names": ["A"],
            "executed": [{"path": str(path), "module_name": name, "sha256": digest}],
        }
        assert registered == {
            **head,
            "event": "pass_registered",
            "pass_name": "A",
            "stage": "BeforeInferShape",
            "kind": "fusion_base",
            "descriptor_key": f"{name}:Pass:A",
            "path": str(path),
            "line": 6,
        }
        duration = finished.pop("duration_ms")
        assert isinstance(duration, float)
        assert duration > 0
        assert finished == {
            **head,
            "event": "load_finished",
            "ok": True,
            "modules": 1,
            "failed": 0,
            "passes": 1,
        }

    def test_an_unset_variable_is_told_as_null(self) -> None:
        with told() as events_told:
            report = gepass.load_from_environment()

        assert names_of(events_told) == ["load_started", "load_finished"]
        assert events_told[0]["value"] is None
        assert events_told[1]["ok"] is True
        assert report.modules == ()

    def test_a_failure_is_told_once_with_line_and_traceback(self, d: Path) -> None:
        path = write(d / "a.py", "def f():\n    1 / 0\nf()\n")
        report, events_told = load(str(d))

        (failed,) = [e for e in events_told if e["level"] == "error"]
        traceback = failed.pop("traceback")
        assert failed == {
            "event": "module_failed",
            "level": "error",
            "load_id": report.load_id,
            "path": str(path),
            "module_name": report.modules[0].module_name,
            "code": "GP201",
            "exception_type": "ZeroDivisionError",
            "detail": f"'{path}', line 2: ZeroDivisionError: division by zero",
            "line": 2,
        }
        assert isinstance(traceback, list)
        assert traceback[0] == "Traceback (most recent call last):"
        assert f'  File "{path}", line 3, in <module>' in traceback
        assert f'  File "{path}", line 2, in f' in traceback
        assert traceback[-1] == "ZeroDivisionError: division by zero"
        assert not [line for line in traceback if "gepass/" in line or "<frozen" in line]

    def test_a_refused_registration_is_told_as_such(self, d: Path) -> None:
        write(d / "a.py", pass_file(" "))
        write(d / "b.py", pass_file("B"))
        write(d / "c.py", pass_file("B"))
        report, events_told = load(str(d))

        rejected = [e for e in events_told if e["event"] == "pass_rejected"]
        assert [(e["code"], e["detail"]) for e in rejected] == [
            (problem.code, problem.message) for problem in report.problems
        ]
        assert [e["code"] for e in rejected] == ["GP302", "GP303"]
        assert [e["pass_name"] for e in events_told if "pass_name" in e] == ["B"]

    def test_nothing_is_told_of_passes_of_a_module_that_failed(self, d: Path) -> None:
        write(d / "a.py", pass_file("A", after="1 / 0"))
        _, events_told = load(str(d))

        assert "pass_registered" not in names_of(events_told)
        assert events_told[-1]["passes"] == 0

    def test_what_a_failed_load_tells_agrees_with_what_stays(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", "1 / 0")
        with told() as events_told, pytest.raises(gepass.ModuleLoadError):
            gepass.load_passes(str(d))

        finished = events_told[-1]
        assert finished["event"] == "load_finished"
        assert (finished["ok"], finished["failed"], finished["passes"]) == (False, 1, 0)

    def test_the_report_is_the_sum_of_what_is_told(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", "1 / 0")
        write(d / "nothing.py")
        write(d / "json.py", pass_file("J"))
        report, events_told = load(f"{d}:")
        by_name: dict[object, list[Fields]] = {}
        for event in events_told:
            by_name.setdefault(event["event"], []).append(event)

        assert [e["path"] for e in by_name["module_loaded"]] == [
            str(outcome.path) for outcome in report.modules if outcome.status == "loaded"
        ]
        assert [e["detail"] for e in by_name["module_failed"]] == [
            problem.message for problem in report.problems
        ]
        assert [e["path"] for e in by_name.get("entry_skipped", [])] == [
            str(entry.path) for entry in report.skipped
        ]
        warned = by_name["warning_raised"] + by_name["module_registered_nothing"]
        dropped = len(by_name["path_segment_dropped"])
        assert len(report.warnings) == len(warned) + dropped
        assert {e["detail"] for e in warned} < {w.message for w in report.warnings}

    def test_a_rejected_segment_is_told_with_its_position(self, d: Path) -> None:
        with told() as events_told, pytest.raises(gepass.PassPathError) as caught:
            gepass.load_passes(f"{d}:{d}/x:{d}/y")

        rejected = [e for e in events_told if e["event"] == "path_rejected"]
        assert [(e["position"], e["code"]) for e in rejected] == [
            (1, "GP101"),
            (2, "GP101"),
        ]
        assert [e["detail"] for e in rejected] == [
            problem.message for problem in caught.value.problems
        ]
        assert "module_loaded" not in names_of(events_told)
        assert events_told[-1]["ok"] is False

    def test_an_already_loaded_module_is_told_without_a_second_run(self, d: Path) -> None:
        path = write(d / "a.py", pass_file("A"))
        gepass.load_passes(str(d))
        report, events_told = load(str(d))

        (event,) = [e for e in events_told if str(e["event"]).startswith("module_")]
        assert event == {
            "event": "module_already_loaded",
            "level": "info",
            "load_id": report.load_id,
            "path": str(path),
            "module_name": report.modules[0].module_name,
            "pass_names": ["A"],
        }


class TestWithoutALoad:
    def test_path_09_a_changed_variable_is_told_with_the_id_of_the_load_in_force(
        self, d: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(d / "a.py", pass_file("A"))
        monkeypatch.setenv(PASS_PATH, str(d))
        report = gepass.load_from_environment()
        monkeypatch.setenv(PASS_PATH, "/elsewhere")
        with told() as events_told:
            gepass.load_from_environment()

        (event,) = events_told
        assert event["event"] == "warning_raised"
        assert event["load_id"] == report.load_id
        assert event["code"] == Code.VARIABLE_CHANGED

    def test_an_unload_too_many_belongs_to_no_load(self) -> None:
        with told() as events_told:
            gepass.unload()

        (event,) = events_told
        assert (event["load_id"], event["code"]) == (events.NO_LOAD, Code.UNLOAD_TOO_MANY)


class TestNothingRegistered:
    def test_sch_05_helpers_and_forgotten_decorators_are_told_apart(self, d: Path) -> None:
        forgot = write(
            d / "forgot.py",
            """\
            import gepass
            from gepass import FusionBasePass
            class First(FusionBasePass): pass
            class Second(gepass.DecomposePass): pass
            class _Base(FusionBasePass): pass
            """,
        )
        util = write(d / "util.py", "VALUE = 1\n")
        report, events_told = load(str(d))

        nothing = [e for e in events_told if e["event"] == "module_registered_nothing"]
        assert [e["detail"] for e in nothing] == [
            f"'{forgot}' {NO_EFFECT}; pass classes without a decorator: First, Second",
            f"'{util}' {NO_EFFECT}; start its name with '_' if it is a helper",
        ]
        assert report.ok
        assert [outcome.status for outcome in report.modules] == ["loaded", "loaded"]
        assert len(gepass.default_registry()) == 0


def test_a_late_import_is_told_with_what_ran(
    d: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No report tells it, since its load is over."""
    write(d / "a.py", pass_file("A", after="def late():\n    import _late\n"))
    helper = write(d / "_late.py", "import _deep\n")
    deep = write(d / "_deep.py", pass_file("D"))
    gepass.load_passes(str(d))
    caplog.clear()
    with caplog.at_level("INFO", "gepass"):
        module = sys.modules[gepass.default_registry().get("A").module_name]
        vars(module)["late"]()

    (event,) = [json.loads(m.partition(" ")[2]) for m in caplog.messages]
    assert (event["path"], event["load_id"]) == (str(helper), "none")
    assert event["pass_names"] == ["D"]
    assert [(file["path"], file["sha256"]) for file in event["executed"]] == [
        (str(path), hashlib.sha256(path.read_bytes()).hexdigest())
        for path in (helper, deep)
    ]
