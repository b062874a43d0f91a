"""A load report as JSON for programs and as tables for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from gepass.cli.output import Output
from gepass.outcomes import LoadReport
from gepass.path_text import encode_path
from gepass.records import running_order

if TYPE_CHECKING:
    from gepass.errors import Problem
    from gepass.outcomes import ModuleOutcome
    from gepass.path_spec import PassPathSpec
    from gepass.records import RegistrationRecord
    from gepass.scanning import SkippedEntry

__all__ = [
    "count",
    "failure_traceback",
    "show_load_report",
    "show_problems",
    "show_skipped",
    "show_specs",
    "write_load_report",
]


def write_load_report(output: Output, report: LoadReport) -> None:
    """Write the report as one JSON document."""
    output.write_bytes(TypeAdapter(LoadReport).dump_json(report, indent=2) + b"\n")


def show_load_report(
    output: Output,
    report: LoadReport,
    records: Iterable[RegistrationRecord],
    *,
    traceback: bool,
) -> None:
    """Show the chain link by link: segments, modules, skips, passes, findings."""
    show_specs(output, report.specs)
    if report.modules:
        _show_modules(output, report.modules)
    show_skipped(output, report.skipped)
    _show_passes(output, tuple(records))
    show_problems(output, "Warnings", report.warnings)
    show_problems(output, "Problems", report.problems)
    if traceback:
        for outcome in report.modules:
            if outcome.error is not None:
                output.heading(f"Traceback of {encode_path(outcome.path)}")
                output.block(outcome.error.traceback)
    output.line()
    output.line(_summary(report))


def failure_traceback(report: LoadReport | None) -> tuple[str, ...]:
    """Return the traceback of the module that ended the load, if one did."""
    if report is None:
        return ()
    failures = [outcome.error for outcome in report.modules if outcome.error]
    return failures[-1].traceback if failures else ()


def show_specs(output: Output, specs: tuple[PassPathSpec, ...]) -> None:
    """Show what the value named."""
    if not specs:
        output.line("Nothing to load: the pass path is unset or empty.")
        return
    output.heading("Pass path")
    output.table(
        ("segment ", "kind", "path"),
        ((str(spec.position), spec.kind, encode_path(spec.path)) for spec in specs),
    )


def show_skipped(output: Output, skipped: tuple[SkippedEntry, ...]) -> None:
    """Show what was left out, and why."""
    if skipped:
        output.heading("Skipped")
        output.table(
            ("path", "reason"),
            ((encode_path(entry.path), entry.reason) for entry in skipped),
        )


def show_problems(output: Output, title: str, problems: tuple[Problem, ...]) -> None:
    """Show findings, each with its code."""
    if problems:
        output.heading(title)
        for problem in problems:
            first, *rest = problem.message.splitlines() or [""]
            output.line(f"{problem.code.value}  {first}")
            output.block(f"     {line}" for line in rest)


def _show_modules(output: Output, modules: tuple[ModuleOutcome, ...]) -> None:
    output.heading("Modules")
    output.table(
        ("status", "ms ", "passes", "path"),
        (
            (
                outcome.status,
                f"{outcome.duration_ms:.1f}",
                ", ".join(outcome.pass_names) or "-",
                encode_path(outcome.path),
            )
            for outcome in modules
        ),
    )


def _show_passes(output: Output, records: tuple[RegistrationRecord, ...]) -> None:
    if not records:
        return
    output.heading("Passes in running order")
    output.table(
        ("stage", "pass", "kind", "op types", "class", "place"),
        (
            (
                record.stage.value,
                record.pass_name,
                record.kind.value,
                ", ".join(record.op_types),
                record.class_name,
                f"{record.source.path}:{record.source.line}",
            )
            for record in running_order(records)
        ),
    )


def _summary(report: LoadReport) -> str:
    failed = sum(outcome.status == "failed" for outcome in report.modules)
    passes = sum(len(outcome.pass_names) for outcome in report.modules)
    parts = (
        count(len(report.modules), "module"),
        f"{failed} failed",
        count(passes, "pass", "passes"),
        f"{len(report.skipped)} skipped",
        count(len(report.warnings), "warning"),
    )
    return ", ".join(parts)


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
