"""User code that calls back into gepass while it is being loaded (REENT)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import gepass
from gepass import load_gate
from gepass.environ import PASS_PATH
from gepass.errors import Code
from gepass.process import forget_everything
from tests.meeting import DEADLINE, Meeting, start, wait_until, waits_for_a_load
from tests.process_state import internal_modules
from tests.support import Runs, pass_file, write

CALLS = [
    "gepass.load_from_environment()",
    "gepass.load_passes('')",
    "gepass.load_passes('', registry=gepass.PassRegistry(), on_error='isolate')",
    "gepass.unload()",
]
SAME_THREAD = (
    "load in progress: a load was asked for by the code that the load runs; ask for it "
    "after the running load has ended"
)
OTHER_THREAD = (
    "load in progress: a load was asked for in another thread that may wait for this "
    "one; ask for it after the running load has ended"
)
IN_THREAD = """\
import gepass, meeting, threading
def ask():
    try: gepass.load_passes("")
    except Exception as error: meeting.seen.append(error)
thread = threading.Thread(target=ask)
thread.start()
thread.join()
"""


@pytest.fixture
def meeting() -> Iterator[Meeting]:
    with Meeting() as module:
        yield module


def names() -> list[str]:
    return [record.pass_name for record in gepass.default_registry()]


class TestLoadInsideALoad:
    @pytest.mark.parametrize("call", CALLS)
    def test_reent_01_is_refused_at_once(
        self,
        d: Path,
        runs: Runs,
        monkeypatch: pytest.MonkeyPatch,
        call: str,
    ) -> None:
        path = write(d / "a.py", pass_file("A", after=call))
        write(d / "b.py", pass_file("B"))
        monkeypatch.setenv(PASS_PATH, str(d))
        with pytest.raises(gepass.ModuleLoadError) as caught:
            gepass.load_from_environment()

        assert str(caught.value) == (
            f"'{path}', line 10: LoadInProgressError: {SAME_THREAD}"
        )
        assert caught.value.code is Code.LOAD_IN_PROGRESS
        assert isinstance(caught.value.__cause__, gepass.LoadInProgressError)
        assert isinstance(caught.value.__cause__, RuntimeError)
        assert runs.files == ["a.py"]
        assert names() == []
        assert internal_modules() == []

    def test_reent_01_a_file_that_expects_it_is_loaded_like_any_other(
        self,
        d: Path,
        runs: Runs,
        meeting: Meeting,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        refused = """
            import meeting
            try: gepass.load_from_environment()
            except gepass.LoadInProgressError as error: meeting.seen.append(error)
        """
        write(d / "a.py", pass_file("A", before=refused))
        write(d / "b.py", pass_file("B", before=refused))
        monkeypatch.setenv(PASS_PATH, str(d))
        report = gepass.load_from_environment()

        assert report.ok
        assert [str(error) for error in meeting.seen] == [SAME_THREAD] * 2
        assert runs.files == ["a.py", "b.py"]
        assert names() == ["A", "B"]
        assert gepass.load_from_environment() is report

    def test_reent_01_forgetting_everything_is_refused(self, d: Path, runs: Runs) -> None:
        call = "import gepass.process; gepass.process.forget_everything()"
        write(d / "a.py", pass_file("A", after=call))
        with pytest.raises(gepass.ModuleLoadError, match="load in progress"):
            gepass.load_passes(str(d))
        assert runs.files == ["a.py"]

    def test_reent_01_a_thread_that_user_code_joins_gives_up(
        self, d: Path, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The wait is bounded, since the load waits for the thread."""
        monkeypatch.setattr(load_gate, "PATIENCE_SECONDS", 0.05)
        write(d / "a.py", IN_THREAD)
        write(d / "b.py", pass_file("B"))
        report = gepass.load_passes(str(d))

        assert report.ok
        (error,) = meeting.seen
        assert isinstance(error, gepass.LoadInProgressError)
        assert str(error) == OTHER_THREAD
        assert names() == ["B"]

    def test_reent_01_a_pool_of_the_host_that_user_code_waits_for_gives_up(
        self, d: Path, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Code of the file that an older thread runs may be waited for, too."""
        monkeypatch.setattr(load_gate, "PATIENCE_SECONDS", 0.05)
        inbox: list[threading.Event] = [threading.Event(), threading.Event()]
        vars(meeting)["inbox"] = inbox

        def host() -> None:
            inbox[0].wait(DEADLINE)
            ask = vars(meeting)["ask"]
            ask()
            inbox[1].set()

        older = start(host)
        text = IN_THREAD.partition("thread =")[0]
        write(
            d / "a.py",
            text + "meeting.ask = ask\nmeeting.inbox[0].set()\nmeeting.inbox[1].wait(60)\n",
        )
        gepass.load_passes(str(d))
        older.finish()

        assert [str(error) for error in meeting.seen] == [OTHER_THREAD]

    def test_reent_01_a_thread_that_nobody_waits_for_gets_its_turn(
        self, d: Path, meeting: Meeting
    ) -> None:
        text = IN_THREAD.replace("thread.join()\n", "meeting.thread = thread\n")
        write(d / "a.py", text)
        gepass.load_passes(str(d))
        vars(meeting)["thread"].join(DEADLINE)

        assert meeting.seen == []

    def test_an_older_thread_waits_longer_than_the_bound(
        self, d: Path, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(load_gate, "PATIENCE_SECONDS", 0.01)
        begin = threading.Event()
        older = start(lambda: begin.wait(DEADLINE) and gepass.load_passes(""))
        write(d / "a.py", pass_file("A", before="import meeting\nmeeting.wait()\n"))
        load = start(lambda: gepass.load_passes(str(d)))
        assert meeting.started.wait(DEADLINE)
        begin.set()
        wait_until(lambda: waits_for_a_load(older))
        older.join(0.2)
        assert waits_for_a_load(older)
        meeting.go_on.set()

        load.finish()
        assert isinstance(older.finish(), gepass.LoadReport)

    def test_a_load_after_the_refusal_works(
        self, d: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write(d / "a.py", pass_file("A", after=CALLS[0]))
        monkeypatch.setenv(PASS_PATH, str(d))
        with pytest.raises(gepass.ModuleLoadError):
            gepass.load_from_environment()
        write(path, pass_file("A"))

        assert gepass.load_from_environment().ok
        assert names() == ["A"]
        assert runs.files == ["a.py", "a.py"]


class TestRegistryInsideALoad:
    def test_reent_02_user_code_may_ask_the_registry(
        self, d: Path, meeting: Meeting
    ) -> None:
        ask = """
            import meeting
            registry = gepass.default_registry()
            meeting.seen.append([r.pass_name for r in registry])
            meeting.seen.append(registry.find("A") is not None)
            meeting.seen.append(registry.get_class("A").__name__)
            meeting.seen.append(len(registry.by_stage(gepass.PassStage.BEFORE_INFER_SHAPE)))
        """
        write(d / "a.py", pass_file("A", after=ask))
        write(d / "b.py", pass_file("B", before=ask))
        gepass.load_passes(str(d))

        assert meeting.seen == [["A"], True, "Pass", 1] * 2

    def test_reent_02_clearing_leaves_a_consistent_registry(
        self, d: Path, meeting: Meeting
    ) -> None:
        """It takes what was there before, and does not disturb who iterates."""

        @gepass.register_fusion_pass(name="Host", stage="AfterInferShape")
        class Host(gepass.FusionBasePass):
            def run(self, graph: object, context: object) -> None:
                """Do nothing."""

        clear = """
            import meeting
            for record in gepass.default_registry():
                gepass.default_registry().clear()
                meeting.seen.append(record.pass_name)
        """
        write(d / "a.py", pass_file("A", after=clear))
        write(d / "b.py", pass_file("B"))
        report = gepass.load_passes(str(d))

        assert meeting.seen == ["Host", "A"]
        assert names() == ["A", "B"]
        assert [o.pass_names for o in report.modules] == [("A",), ("B",)]
        assert report.ok

    def test_reent_02_passes_of_a_failing_load_are_gone_though_it_looked_at_them(
        self, d: Path, meeting: Meeting
    ) -> None:
        look = """
            import meeting
            meeting.seen.append(gepass.default_registry().get("A").pass_name)
            1 / 0
        """
        write(d / "a.py", pass_file("A", after=look))
        with pytest.raises(gepass.ModuleLoadError, match="ZeroDivisionError"):
            gepass.load_passes(str(d))

        assert meeting.seen == ["A"]
        assert names() == []


class TestManyLoads:
    def test_reent_04_five_loads_run_register_and_tell_once(
        self,
        d: Path,
        runs: Runs,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        write(d / "a.py", pass_file("A"))
        monkeypatch.setenv(PASS_PATH, str(d))
        with caplog.at_level("DEBUG", "gepass"):
            reports = [gepass.load_from_environment() for _ in range(5)]

        assert all(report is reports[0] for report in reports)
        assert runs.files == ["a.py"]
        assert names() == ["A"]
        told = [record.getMessage().split()[0] for record in caplog.records]
        assert told == [
            "load_started",
            "path_accepted",
            "module_loaded",
            "pass_registered",
            "load_finished",
        ]

    def test_reent_04_five_explicit_loads_run_and_register_once(
        self, d: Path, runs: Runs
    ) -> None:
        write(d / "a.py", pass_file("A"))
        reports = [gepass.load_passes(str(d)) for _ in range(5)]

        statuses = [report.modules[0].status for report in reports]
        assert statuses == ["loaded"] + ["already_loaded"] * 4
        assert {report.modules[0].pass_names for report in reports} == {("A",)}
        assert runs.files == ["a.py"]
        assert names() == ["A"]
        forget_everything()
        assert names() == []
