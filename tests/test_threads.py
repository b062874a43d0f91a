"""Loads and registrations in many threads (CONC)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gepass
from gepass.environ import PASS_PATH
from tests.meeting import DEADLINE, Meeting, start, wait_until, waits_for_a_load
from tests.process_state import internal_modules
from tests.support import Runs, pass_file, write


@pytest.fixture
def meeting() -> Iterator[Meeting]:
    with Meeting() as module:
        yield module


SLOW = "import meeting\nmeeting.wait()\nVALUE = 1\n"


def names() -> list[str]:
    return [record.pass_name for record in gepass.default_registry()]


class TestOneLoadAtATime:
    def test_conc_01_the_second_thread_gets_the_whole_module(
        self, d: Path, runs: Runs, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(d / "slow.py", pass_file("S", before=SLOW))
        monkeypatch.setenv(PASS_PATH, str(d))
        first = start(gepass.load_from_environment)
        assert meeting.started.wait(DEADLINE)
        second = start(lambda: (gepass.load_from_environment(), names()))
        wait_until(lambda: waits_for_a_load(second))
        assert names() == []
        meeting.go_on.set()

        report = first.finish()
        assert second.finish() == (report, ["S"])
        (name,) = internal_modules()
        assert vars(sys.modules[name])["VALUE"] == 1
        assert runs.files == ["slow.py"]
        assert names() == ["S"]

    def test_conc_01_eight_threads_run_each_file_once_and_get_one_report(
        self, d: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in "abcdef":
            write(d / f"{name}.py", pass_file(name))
        monkeypatch.setenv(PASS_PATH, str(d))
        together = threading.Barrier(8)

        def load() -> gepass.LoadReport:
            together.wait(DEADLINE)
            return gepass.load_from_environment()

        with ThreadPoolExecutor(8) as pool:
            reports = list(pool.map(lambda _: load(), range(8)))

        assert all(report is reports[0] for report in reports)
        assert runs.files == [f"{name}.py" for name in "abcdef"]
        assert names() == list("abcdef")

    def test_conc_01_explicit_loads_in_many_threads_run_each_file_once(
        self, d: Path, runs: Runs
    ) -> None:
        for name in "abc":
            write(d / f"{name}.py", pass_file(name))
        registries = [gepass.PassRegistry() for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            reports = list(
                pool.map(lambda r: gepass.load_passes(str(d), registry=r), registries)
            )

        assert runs.files == ["a.py", "b.py", "c.py"]
        keys = {tuple(r.descriptor_key for r in registry) for registry in registries}
        assert len(keys) == 1
        statuses = sorted(report.modules[0].status for report in reports)
        assert statuses == ["already_loaded"] * 7 + ["loaded"]

    def test_conc_01_a_failure_is_not_half_seen(
        self, d: Path, runs: Runs, meeting: Meeting
    ) -> None:
        path = write(d / "slow.py", pass_file("S", before=SLOW, after="1 / 0"))
        first = start(lambda: gepass.load_passes(str(d)))
        assert meeting.started.wait(DEADLINE)
        second = start(lambda: gepass.load_passes(str(d)))
        wait_until(lambda: waits_for_a_load(second))
        write(path, pass_file("Repaired"))
        meeting.go_on.set()

        with pytest.raises(gepass.ModuleLoadError, match="ZeroDivisionError"):
            first.finish()
        second.finish()
        assert names() == ["Repaired"]
        assert runs.files == ["slow.py", "slow.py"]


class TestThreadsOfPassFiles:
    @pytest.mark.parametrize("target", ["register", "sibling", "registry"])
    def test_conc_04_a_thread_that_a_file_joins_finishes(
        self, d: Path, runs: Runs, meeting: Meeting, target: str
    ) -> None:
        write(d / "_helper.py", pass_file("Sibling"))
        path = write(
            d / "a.py",
            """\
            import gepass, meeting, threading
            def register():
                @gepass.register_fusion_pass(name="T", stage="BeforeInferShape")
                class T(gepass.FusionBasePass):
                    def run(self, graph, context): return None
            def sibling():
                import _helper
            def registry():
                meeting.seen.append(gepass.default_registry().records())
                register()
            thread = threading.Thread(target=globals()[meeting.target])
            thread.start()
            thread.join(timeout=30)
            meeting.seen.append(thread.is_alive())
            """,
        )
        vars(meeting)["target"] = target
        report = gepass.load_passes(str(d))

        assert meeting.seen[-1] is False
        (outcome,) = report.modules
        (record,) = gepass.default_registry()
        if target == "sibling":
            assert outcome.pass_names == ("Sibling",)
            assert runs.files == ["_helper.py"]
        else:
            assert outcome.pass_names == ("T",)
            assert record.module_name == outcome.module_name
            assert (record.source.path, record.source.line) == (str(path), 3)
            assert record.origin.type == "environment"

    @pytest.mark.parametrize("late", [False, True])
    def test_conc_04_a_registration_by_a_thread_goes_when_the_file_fails(
        self, d: Path, meeting: Meeting, *, late: bool
    ) -> None:
        write(
            d / "a.py",
            """\
            import gepass, meeting, threading
            def register():
                if meeting.late:
                    meeting.wait()
                try:
                    @gepass.register_fusion_pass(name="T", stage="BeforeInferShape")
                    class T(gepass.FusionBasePass):
                        def run(self, graph, context): return None
                except Exception as error:
                    meeting.seen.append(error)
            meeting.thread = threading.Thread(target=register)
            meeting.thread.start()
            if not meeting.late:
                meeting.thread.join()
            raise RuntimeError("after the thread")
            """,
        )
        vars(meeting)["late"] = late
        with pytest.raises(gepass.ModuleLoadError, match="after the thread"):
            gepass.load_passes(str(d))
        meeting.go_on.set()
        vars(meeting)["thread"].join(DEADLINE)

        assert names() == []
        assert [type(error) for error in meeting.seen] == (
            [gepass.RegistrationValueError] if late else []
        )

    def test_registries_answer_other_threads_while_a_load_runs(
        self, d: Path, meeting: Meeting
    ) -> None:
        write(d / "slow.py", pass_file("S", before=SLOW))
        load = start(lambda: gepass.load_passes(str(d)))
        assert meeting.started.wait(DEADLINE)

        @gepass.register_fusion_pass(name="Host", stage="AfterInferShape")
        class Host(gepass.FusionBasePass):
            def run(self, graph: object, context: object) -> None:
                """Do nothing."""

        registry = gepass.default_registry()
        assert names() == ["Host"]
        assert registry.find("S") is None
        assert registry.get_class("Host") is Host
        assert load.is_alive()
        meeting.go_on.set()
        load.finish()
        assert names() == ["Host", "S"]

    def test_a_name_taken_while_the_load_runs_is_a_duplicate(
        self, d: Path, meeting: Meeting
    ) -> None:
        write(d / "slow.py", pass_file("S", after=SLOW))
        load = start(lambda: gepass.load_passes(str(d)))
        assert meeting.started.wait(DEADLINE)

        @gepass.register_fusion_pass(name="S", stage="AfterInferShape")
        class Host(gepass.FusionBasePass):
            def run(self, graph: object, context: object) -> None:
                """Do nothing."""

        meeting.go_on.set()
        with pytest.raises(gepass.DuplicatePassError, match="registered twice"):
            load.finish()
        assert gepass.default_registry().get_class("S") is Host
        assert internal_modules() == []
