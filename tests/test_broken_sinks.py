"""No log can fail a load (LOG)."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog

import gepass
from gepass import events
from gepass.errors import Code
from gepass.logs import EventLog
from tests.support import Runs, pass_file, python, write

Event = MutableMapping[str, object]


@pytest.fixture
def _defaults() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@contextmanager
def writing_to(stream: io.StringIO) -> Iterator[None]:
    logger, handler = logging.getLogger("gepass"), logging.StreamHandler(stream)
    logger.addHandler(handler)
    logger.setLevel("INFO")
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def raising(error: BaseException) -> Callable[[object, str, Event], Event]:
    def processor(_logger: object, _method: str, _event: Event) -> Event:
        raise error

    return processor


def lost(report: gepass.LoadReport) -> list[str]:
    return [w.message for w in report.warnings if w.code is Code.EVENT_LOST]


class TestBrokenSinks:
    @pytest.mark.usefixtures("_defaults")
    @pytest.mark.parametrize(
        "error", [RuntimeError("sink"), TypeError("keys"), OSError(28, "disk full")]
    )
    def test_log_01_a_sink_that_fails_never_fails_the_load(
        self, d: Path, runs: Runs, error: Exception
    ) -> None:
        write(d / "a.py", pass_file("A"))
        structlog.configure(processors=[raising(error)])
        report = gepass.load_passes(str(d))

        assert report.ok
        assert lost(report) == ["5 events could not be written to the log"]
        assert runs.files == ["a.py"]
        assert [record.pass_name for record in gepass.default_registry()] == ["A"]

    @pytest.mark.usefixtures("_defaults")
    def test_log_01_an_event_that_cannot_be_rendered_is_replaced(self, d: Path) -> None:
        received: list[Event] = []

        def picky(_logger: object, _method: str, event: Event) -> Event:
            if event["event"] == "module_loaded":
                msg = "keys must be str"
                raise TypeError(msg)
            received.append(event)
            raise structlog.DropEvent

        write(d / "a.py", pass_file("A"))
        structlog.configure(processors=[picky])
        report = gepass.load_passes(str(d))

        assert lost(report) == ["1 event could not be written to the log"]
        (substitute,) = [event for event in received if event["event"] == "warning_raised"]
        assert substitute == {
            "event": "warning_raised",
            "load_id": report.load_id,
            "code": "GP214",
            "detail": "an event ModuleLoaded could not be written (TypeError)",
            "path": None,
            "line": None,
        }

    @pytest.mark.parametrize("number", [float("nan"), float("inf")])
    def test_json_02_a_number_that_is_no_json_is_never_written(self, number: float) -> None:
        event = events.LoadFinished(
            load_id="1", ok=True, modules=0, failed=0, passes=0, duration_ms=number
        )
        stream = io.StringIO()
        with writing_to(stream):
            EventLog()(event)

        (line,) = stream.getvalue().splitlines()
        json.loads(line.partition(" ")[2], parse_constant=pytest.fail)

    @pytest.mark.usefixtures("_defaults")
    def test_events_fit_the_standard_library_set_up_of_structlog(
        self, d: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Fields of events do not clash with the attributes of a log record."""
        structlog.configure(
            processors=[
                structlog.stdlib.filter_by_level,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.render_to_log_kwargs,
            ],
            wrapper_class=structlog.stdlib.BoundLogger,
            logger_factory=structlog.stdlib.LoggerFactory(),
        )
        write(d / "a.py", "1 / 0")
        write(d / "b.py")
        with caplog.at_level("DEBUG", "gepass"):
            report = gepass.load_passes(str(d), on_error="isolate")

        assert lost(report) == []
        assert [record.getMessage() for record in caplog.records] == [
            "load_started",
            "path_accepted",
            "module_failed",
            "module_loaded",
            "module_registered_nothing",
            "load_finished",
        ]

    def test_log_03_a_load_without_standard_streams(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", "1 / 0")
        for closing in (
            "sys.stdout.close()",
            "sys.stdout.close(); sys.stderr.close()",
            "sys.stdout = sys.stderr = None",
            "os.close(1); os.close(2)",
        ):
            code = f"""
                import logging, os, sys, gepass
                logging.basicConfig(level="DEBUG")
                answer = os.open({str(d / "answer")!r}, os.O_WRONLY | os.O_CREAT)
                {closing}
                report = gepass.load_passes({str(d)!r}, on_error="isolate")
                os.write(answer, repr([m.status for m in report.modules]).encode())
                os._exit(0)
            """
            python(code)
            answer = d / "answer"
            assert answer.read_text() == "['loaded', 'failed']"
            answer.unlink()

    def test_log_10_no_stream_is_kept_from_one_load_to_the_next(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        for stream in (io.StringIO(), io.StringIO()):
            with writing_to(stream):
                report = gepass.load_passes(str(d))
            assert len(stream.getvalue().splitlines()) >= 4
            stream.close()
            assert lost(report) == []
