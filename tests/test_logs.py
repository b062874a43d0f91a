"""Where events go, and that no log can fail a load (LOG)."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import sys
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import structlog

import gepass
from gepass import events
from gepass.errors import Code
from gepass.logs import EventLog
from tests.support import Runs, pass_file, python, write
from tests.told import told

Event = MutableMapping[str, object]


@pytest.fixture
def sink() -> Iterator[list[Event]]:
    """Configure structlog as an application does, with a list as its sink."""
    received: list[Event] = []

    def keep(_logger: object, method: str, event: Event) -> Event:
        received.append({**event, "method": method})
        raise structlog.DropEvent

    structlog.configure(processors=[structlog.contextvars.merge_contextvars, keep])
    yield received
    structlog.contextvars.clear_contextvars()
    structlog.reset_defaults()


@pytest.fixture
def _defaults() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def raising(error: BaseException) -> Callable[[object, str, Event], Event]:
    def processor(_logger: object, _method: str, _event: Event) -> Event:
        raise error

    return processor


def lost(report: gepass.LoadReport) -> list[str]:
    return [w.message for w in report.warnings if w.code is Code.EVENT_LOST]


class TestDestination:
    def test_events_go_to_structlog_when_it_is_configured(
        self, d: Path, sink: list[Event], caplog: pytest.LogCaptureFixture
    ) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", "1 / 0")
        report = gepass.load_passes(f":{d}", on_error="isolate")

        assert [(event["event"], event["method"]) for event in sink] == [
            ("load_started", "info"),
            ("path_segment_dropped", "info"),
            ("path_accepted", "info"),
            ("module_loaded", "info"),
            ("pass_registered", "info"),
            ("module_failed", "error"),
            ("load_finished", "info"),
        ]
        assert {event["load_id"] for event in sink} == {report.load_id}
        assert caplog.records == []

    def test_otherwise_they_go_to_the_standard_logger(
        self, d: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        write(d / "a.py", pass_file("A"))
        with caplog.at_level("INFO", "gepass"):
            report = gepass.load_passes(str(d))

        assert {record.name for record in caplog.records} == {"gepass"}
        for record in caplog.records:
            name, _, text = record.getMessage().partition(" ")
            assert name.isidentifier()
            assert json.loads(text)["load_id"] == report.load_id

    def test_levels_of_the_host_are_obeyed(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", "1 / 0")
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        logger = logging.getLogger("gepass")
        logger.addHandler(handler)
        logger.setLevel("ERROR")
        try:
            gepass.load_passes(str(d), on_error="isolate")
        finally:
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)

        (line,) = stream.getvalue().splitlines()
        assert line.startswith("module_failed {")

    @pytest.mark.usefixtures("_defaults")
    def test_log_04_a_host_that_configures_later_gets_the_later_events(
        self, d: Path
    ) -> None:
        received: list[Event] = []
        a = write(d / "a.py", pass_file("A"))
        b = write(d / "b.py", pass_file("B"))
        for processors in (raising(structlog.DropEvent()), None):
            structlog.reset_defaults()
            with told() as events_told:
                gepass.load_passes(str(a))
            assert events_told
            structlog.configure(
                processors=[processors or structlog.testing.LogCapture()],
                cache_logger_on_first_use=True,
            )
        capture = structlog.testing.LogCapture()
        structlog.configure(processors=[capture])
        with told() as events_told:
            gepass.load_passes(str(b))
        received += capture.entries

        assert events_told == []
        assert [event["event"] for event in received] == [
            "load_started",
            "path_accepted",
            "module_loaded",
            "pass_registered",
            "load_finished",
        ]

    def test_a_load_keeps_the_set_up_of_its_start(self, d: Path, sink: list[Event]) -> None:
        """A pass file that meddles with structlog takes no event away."""
        meddle = "import structlog\nstructlog.reset_defaults()\n"
        write(d / "a.py", pass_file("A", before=meddle))
        gepass.load_passes(str(d))

        assert sink[-1]["event"] == "load_finished"

    def test_log_05_importing_gepass_sets_nothing_up(self) -> None:
        code = """
            import logging, os, sys
            def state():
                return (
                    list(logging.root.handlers), logging.root.level,
                    logging.getLogger("gepass").handlers,
                    dict(os.environ), list(sys.path), list(sys.meta_path),
                    list(sys.path_hooks), __import__, sys.stdout, sys.stderr,
                    sys.excepthook,
                )
            import warnings
            filters = list(warnings.filters)
            before = state()
            import gepass
            assert state() == before
            assert "structlog" not in sys.modules
            logging.basicConfig(level="DEBUG", stream=sys.stdout, format="%(message)s")
            assert len(logging.root.handlers) == 1
            gepass.load_passes("")
            print(logging.root.level)
        """
        done = python(code, env={"GEPASS_ON_ERROR": "nonsense"})
        assert done.returncode == 1
        assert "GEPASS_ON_ERROR='nonsense' is not allowed" in done.stderr

        done = python(code)
        assert done.stderr == ""
        told_lines = done.stdout.splitlines()
        assert [line.split()[0] for line in told_lines] == [
            "load_started",
            "path_segment_dropped",
            "load_finished",
            "10",
        ]

    def test_conc_06_each_load_of_a_pool_has_its_own_id_and_context(
        self, d: Path, sink: list[Event]
    ) -> None:
        def load(number: int) -> str:
            path = write(d / f"{number}.py", pass_file(f"P{number}"))
            with structlog.contextvars.bound_contextvars(request=number):
                return gepass.load_passes(str(path)).load_id

        with ThreadPoolExecutor(2) as pool:
            ids = list(pool.map(load, range(8)))

        assert len(set(ids)) == 8
        for number, load_id in enumerate(ids):
            own = [event for event in sink if event["load_id"] == load_id]
            assert [own[0]["event"], own[-1]["event"]] == ["load_started", "load_finished"]
            assert {event["request"] for event in own} == {number}
        assert len(sink) == 8 * 5


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
            "message": "an event ModuleLoaded could not be written (TypeError)",
            "path": None,
            "line": None,
        }

    @pytest.mark.parametrize("number", [float("nan"), float("inf")])
    def test_json_02_a_number_that_is_no_json_is_never_written(self, number: float) -> None:
        event = events.LoadFinished(
            load_id="1", ok=True, modules=0, failed=0, passes=0, duration_ms=number
        )
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        logger = logging.getLogger("gepass")
        logger.addHandler(handler)
        logger.setLevel("INFO")
        try:
            EventLog()(event)
        finally:
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)

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
            handler = logging.StreamHandler(stream)
            logging.getLogger("gepass").addHandler(handler)
            logging.getLogger("gepass").setLevel("INFO")
            try:
                report = gepass.load_passes(str(d))
            finally:
                logging.getLogger("gepass").removeHandler(handler)
                logging.getLogger("gepass").setLevel(logging.NOTSET)
            assert len(stream.getvalue().splitlines()) >= 4
            stream.close()
            assert lost(report) == []
        assert sys.stdout is not None
