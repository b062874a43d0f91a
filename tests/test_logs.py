"""Where events go: to structlog when it is configured, else to the standard logger."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import structlog

import gepass
from tests.support import pass_file, python, write
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
        a = write(d / "a.py", pass_file("A"))
        with told() as events_told:
            gepass.load_passes(str(a))
        assert events_told

        for name in ("B", "C"):
            path = write(d / f"{name}.py", pass_file(name))
            capture = structlog.testing.LogCapture()
            structlog.configure(processors=[capture], cache_logger_on_first_use=True)
            with told() as events_told:
                gepass.load_passes(str(path))

            assert events_told == []
            assert [entry["event"] for entry in capture.entries] == [
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
