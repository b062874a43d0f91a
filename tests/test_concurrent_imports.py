"""Imports by many threads at once, and the places a load can be called from (CONC)."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import gepass
from tests.meeting import Meeting, start
from tests.process_state import load_failure
from tests.support import Runs, pass_file, write


@pytest.fixture
def meeting() -> Iterator[Meeting]:
    with Meeting() as module:
        yield module


class TestManyDirectories:
    def test_conc_05_eight_threads_and_directories_do_not_meet(
        self, tmp_path: Path
    ) -> None:
        path = list(sys.path)

        def load(number: int, round_number: int) -> tuple[str, ...]:
            directory = tmp_path / f"{round_number}-{number}"
            others = ", ".join(f"helper{n}" for n in range(8) if n != number)
            write(directory / f"_helper{number}.py", f"NUMBER = {number}")
            text = (
                f"import _helper{number} as own\n"
                f"for other in {others.split(', ')!r}:\n"
                "    try: __import__('_' + other)\n"
                "    except ModuleNotFoundError: continue\n"
                "    raise AssertionError(other)\n"
                f"assert own.NUMBER == {number}\n"
                "import gepass\n"
                f"@gepass.register_fusion_pass(name='P{number}', "
                "stage='BeforeInferShape')\n"
                "class P(gepass.FusionBasePass):\n"
                "    def run(self, graph, context): return None\n"
            )
            write(directory / "plugin.py", text)
            registry = gepass.PassRegistry()
            gepass.load_passes(str(directory), registry=registry)
            return tuple(record.pass_name for record in registry)

        with ThreadPoolExecutor(8) as pool:
            for round_number in range(100):
                found = pool.map(partial(load, round_number=round_number), range(8))
                assert list(found) == [(f"P{n}",) for n in range(8)]

        assert sys.path == path

    @pytest.mark.usefixtures("runs")
    def test_conc_08_two_threads_import_one_package(
        self, tmp_path: Path, meeting: Meeting
    ) -> None:
        """CONC-08: it works, or the message says why; it never hangs."""
        package = {
            "a.py": "import meeting, threading\n"
            "def other():\n"
            "    try: import pk.sub.mod\n"
            "    except BaseException as error: meeting.seen.append(error)\n"
            "thread = threading.Thread(target=other)\n"
            "thread.start()\n",
            "pk/__init__.py": pass_file("P", before="import pk.sub\n"),
            "pk/sub/__init__.py": pass_file("S", before="import pk.sub.mod\n"),
            "pk/sub/mod.py": pass_file("M", before="import time; time.sleep(0.002)\n"),
            "z.py": "import a\na.thread.join()\n",
        }
        failures: list[str] = []
        for round_number in range(40):
            directory = tmp_path / str(round_number)
            for name, text in package.items():
                write(directory / name, text)
            registry = gepass.PassRegistry()
            try:
                report = gepass.load_passes(str(directory), registry=registry)
            except gepass.ModuleLoadError as error:
                failures.append(error.message)
                assert len(registry) == 0
            else:
                assert [outcome.status for outcome in report.modules] == ["loaded"] * 3
                assert {record.pass_name for record in registry} == {"P", "S", "M"}

        assert all("thread" in text for text in failures)
        for text in [*failures, *map(str, meeting.seen)]:
            assert "_DeadlockError" not in text

    @pytest.mark.usefixtures("meeting")
    @pytest.mark.parametrize("imported", ["pk", "_helper"])
    def test_conc_08_a_thread_imports_after_the_file_that_started_it_has_ended(
        self, d: Path, runs: Runs, imported: str
    ) -> None:
        write(
            d / "a.py",
            f"""\
            import meeting, threading
            def other():
                meeting.wait()
                import {imported}
            meeting.thread = threading.Thread(target=other)
            meeting.thread.start()
            """,
        )
        write(d / "b.py", "import meeting\nmeeting.go_on.set()\nmeeting.thread.join()\n")
        write(d / "_helper.py", pass_file("H"))
        write(d / "pk/__init__.py", pass_file("P"))
        registry = gepass.PassRegistry()
        report = gepass.load_passes(str(d), registry=registry)

        expected = {"pk": ["P"], "_helper": ["H", "P"]}[imported]
        assert [record.pass_name for record in registry] == expected
        assert {record.origin.type for record in registry} == {"environment"}
        assert [outcome.status for outcome in report.modules] == ["loaded"] * 3
        assert len(gepass.default_registry()) == 0
        assert len(runs.files) == len(expected)

    @pytest.mark.usefixtures("meeting")
    def test_conc_08_what_such_a_thread_imports_goes_when_the_load_fails(
        self, d: Path
    ) -> None:
        write(
            d / "a.py",
            """\
            import meeting, threading
            def other():
                meeting.wait()
                import _helper
            meeting.thread = threading.Thread(target=other)
            meeting.thread.start()
            """,
        )
        write(
            d / "b.py",
            "import meeting\nmeeting.go_on.set()\nmeeting.thread.join()\n1 / 0\n",
        )
        write(d / "_helper.py", pass_file("H"))
        assert "ZeroDivisionError" in str(load_failure(d))


class TestWhereLoadsAreCalled:
    def test_conc_09_off_the_main_thread_and_without_signals(
        self, d: Path, runs: Runs
    ) -> None:
        """CONC-09: there is no time limit, and the host's handler stays."""
        handler = signal.getsignal(signal.SIGALRM)
        write(d / "a.py", pass_file("A"))
        report = start(lambda: gepass.load_passes(str(d))).finish()

        assert isinstance(report, gepass.LoadReport)
        assert runs.files == ["a.py"]
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    def test_conc_10_inside_an_event_loop(self, d: Path, runs: Runs) -> None:
        path = write(
            d / "a.py",
            """\
            import asyncio
            async def main(): pass
            coroutine = main()
            try:
                asyncio.run(coroutine)
            finally:
                coroutine.close()
            """,
        )
        write(d / "b.py", pass_file("B"))

        async def host() -> tuple[gepass.LoadReport, int]:
            task = asyncio.create_task(asyncio.sleep(0, 3))
            report = gepass.load_passes(str(d), on_error="isolate")
            return report, await task

        report, answer = asyncio.run(host())

        assert answer == 3
        (problem,) = report.problems
        assert problem.message == (
            f"'{path}', line 5: RuntimeError: asyncio.run() cannot be called from a "
            "running event loop"
        )
        assert [record.pass_name for record in gepass.default_registry()] == ["B"]
        assert runs.files == ["b.py"]
