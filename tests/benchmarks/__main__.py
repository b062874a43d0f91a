"""Run the benchmarks and print one table."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.measuring import Bench, Comparison, compare
from tests.benchmarks.rows import ROWS, Row

_UNITS = {"ms": 1e3, "MiB": 2**-20}

_Result = Comparison | str
"""What was measured, or why it could not be."""


def main() -> int:
    """Return the exit code: 1 if a target is missed and ``--check`` asks for it."""
    arguments = _parse_arguments()
    rows = [row for row in ROWS if arguments.only in {None, row.name}]
    with tempfile.TemporaryDirectory(prefix="gepass-benchmarks-") as directory:
        bench = Bench(Path(directory))
        results = [_measure(row, bench, arguments.rounds) for row in rows]
    _print_table(rows, results)
    all_met = all(map(_is_met, rows, results))
    return 1 if arguments.check and not all_met else 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    names = [row.name for row in ROWS]
    parser.add_argument("--only", choices=names, help="measure this row alone")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of each row")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 when a target is missed"
    )
    return parser.parse_args()


def _measure(row: Row, bench: Bench, rounds: int) -> _Result:
    sys.stderr.write(f"{row.name} ...\n")
    try:
        return compare(row.baseline, row.measured, bench, rounds)
    except subprocess.CalledProcessError as error:
        lines = str(error.stderr).strip().splitlines()
        return lines[-1] if lines else f"exit code {error.returncode}"


def _is_met(row: Row, result: _Result) -> bool:
    return isinstance(result, Comparison) and result.ratio <= row.at_most


def _print_table(rows: Sequence[Row], results: Sequence[_Result]) -> None:
    # Imported late: a child's peak memory counts what its parent held at the start.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table("name", "work")
    for heading in ("baseline", "gepass", "ratio", "target", "verdict"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row, result in zip(rows, results, strict=True):
        table.add_row(row.name, row.work, *_cells(row, result))
    Console(width=120).print(table)
    for row, result in zip(rows, results, strict=True):
        if isinstance(result, str):
            Console(width=120).print(f"{row.name}: {result}", markup=False)


def _cells(row: Row, result: _Result) -> tuple[str, ...]:
    target = f"<= {row.at_most:g}"
    if isinstance(result, str):
        return "", "", "", target, "failed"
    return (
        _show(result.baseline, row),
        _show(result.measured, row),
        f"{result.ratio:.2f}",
        target,
        "met" if _is_met(row, result) else "missed",
    )


def _show(value: float, row: Row) -> str:
    return f"{value * _UNITS[row.unit]:.1f} {row.unit}"


if __name__ == "__main__":
    sys.exit(main())
