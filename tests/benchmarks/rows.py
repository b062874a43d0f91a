"""The rows of the table: what is compared with what, and how much it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tests.benchmarks.measuring import Bench, Measure

__all__ = ["ROWS", "Row"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Two works, and how much the second may take of what the first takes."""

    name: str
    work: str
    baseline: Measure
    measured: Measure
    at_most: float
    unit: Literal["ms", "MiB"] = "ms"


def _execute(count: int, lines: int) -> Measure:
    return lambda bench: bench.seconds_of_work(
        "execute", bench.files.directory(count, lines)
    )


def _load(count: int, lines: int) -> Measure:
    return lambda bench: bench.seconds_of_work("load", bench.files.directory(count, lines))


def _load_with_events(work: str, count: int, lines: int) -> Measure:
    return lambda bench: bench.seconds_of_work(
        work, bench.files.directory(count, lines), bench.root / "events.jsonl"
    )


def _load_extra_memory(count: int, lines: int) -> Measure:
    return lambda bench: bench.extra_bytes_of_work(
        "load", bench.files.directory(count, lines)
    )


def _process(code: str) -> Measure:
    return lambda bench: bench.seconds_of_process("-c", code)


def _command_line(bench: Bench) -> float:
    file = next(bench.files.directory(1, 20).iterdir())
    return bench.seconds_of_process("-m", "gepass", "load", "--path", str(file))


ROWS = (
    Row(
        name="load-20",
        work="load 1,000 files of 20 lines, against a loop that executes them",
        baseline=_execute(1_000, 20),
        measured=_load(1_000, 20),
        at_most=1.3,
    ),
    Row(
        name="load-150",
        work="load 1,000 files of 150 lines, against a loop",
        baseline=_execute(1_000, 150),
        measured=_load(1_000, 150),
        at_most=1.1,
    ),
    Row(
        name="events-structlog",
        work="load-20 with events to the application's structlog, JSON in a file",
        baseline=_execute(1_000, 20),
        measured=_load_with_events("load_with_structlog", 1_000, 20),
        at_most=1.7,
    ),
    Row(
        name="events-log-file",
        work="load-20 with events to the command line's log file",
        baseline=_execute(1_000, 20),
        measured=_load_with_events("load_with_log_file", 1_000, 20),
        at_most=1.7,
    ),
    Row(
        name="scale-time",
        work="load 10,000 files of 20 lines, against 1,000",
        baseline=_load(1_000, 20),
        measured=_load(10_000, 20),
        at_most=12,
    ),
    Row(
        name="scale-memory",
        work="the same, memory beyond that of importing gepass",
        baseline=_load_extra_memory(1_000, 20),
        measured=_load_extra_memory(10_000, 20),
        at_most=11,
        unit="MiB",
    ),
    Row(
        name="import",
        work="import gepass, against a process that defines one pydantic model",
        baseline=_process("import pydantic\nclass M(pydantic.BaseModel):\n    x: int"),
        measured=_process("import gepass"),
        at_most=1.3,
    ),
    Row(
        name="command-line",
        work="gepass load of one file, against importing what its output needs",
        baseline=_process("import pydantic, structlog, rich.table, rich.console"),
        measured=_command_line,
        at_most=1.5,
    ),
    Row(
        name="export",
        work="export 10,000 records, against json.dumps of the same data",
        baseline=lambda bench: bench.seconds_of_work("dump", 10_000),
        measured=lambda bench: bench.seconds_of_work("export", 10_000),
        at_most=3,
    ),
)
