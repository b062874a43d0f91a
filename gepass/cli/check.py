"""``gepass check``: inspect the passes without executing them."""

from __future__ import annotations

import uuid
from dataclasses import replace

import click
from pydantic import TypeAdapter

from gepass.cli.options import ChainOptions, chain_options
from gepass.cli.output import Output, claim_stdout, place
from gepass.cli.report import count, show_problems, show_skipped, show_specs
from gepass.environ import read_settings
from gepass.errors import PassPathError
from gepass.events import EntrySkipped, WarningRaised
from gepass.inspection import CheckedPass, CheckReport, check_passes
from gepass.logs import EventLog

__all__ = ["check"]


@click.command(epilog="Example: gepass check --path ~/passes")
@chain_options(on_error="isolate")
def check(options: ChainOptions) -> int:
    """Inspect the passes without running any user code."""
    output = claim_stdout()
    try:
        report = check_passes(options.path)
        report = replace(report, warnings=(*read_settings().unknown, *report.warnings))
        _log(report)
    except PassPathError as error:
        if options.as_json:
            _write_check_report(output, _refused(error))
        raise
    if options.as_json:
        _write_check_report(output, report)
    else:
        _show_check_report(output, report)
    return 0 if report.ok else 1


def _log(report: CheckReport) -> None:
    """Tell what was found as events, under an id of its own."""
    log, check_id = EventLog(), uuid.uuid4().hex
    for entry in report.skipped:
        log(EntrySkipped(load_id=check_id, path=entry.path, reason=entry.reason))
    for problem in (*report.warnings, *report.problems):
        log(
            WarningRaised(
                load_id=check_id,
                code=problem.code,
                detail=problem.message,
                path=problem.path,
                line=problem.line,
            )
        )


def _write_check_report(output: Output, report: CheckReport) -> None:
    data = TypeAdapter(CheckReport).dump_json(report, indent=2)
    output.write_bytes(data + b"\n")


def _refused(error: PassPathError) -> CheckReport:
    return CheckReport(
        specs=(), modules=(), skipped=(), problems=error.problems, warnings=(), ok=False
    )


def _show_check_report(output: Output, report: CheckReport) -> None:
    show_specs(output, report.specs)
    passes = [found for module in report.modules for found in module.passes]
    if passes:
        output.heading("Passes in the text of the files")
        output.table(
            ("pass", "stage", "kind", "op types", "class", "place"), map(_row, passes)
        )
    show_skipped(output, report.skipped)
    show_problems(output, "Warnings", report.warnings)
    show_problems(output, "Problems", report.problems)
    parts = (
        count(len(report.modules), "file"),
        count(len(passes), "pass", "passes"),
        f"{len(report.skipped)} skipped",
        count(len(report.warnings), "warning"),
        count(len(report.problems), "problem"),
    )
    output.line()
    output.line(", ".join(parts))


def _row(found: CheckedPass) -> tuple[str, ...]:
    unknown = "not known"
    return (
        found.pass_name or unknown,
        found.stage or unknown,
        found.kind or unknown,
        unknown if found.op_types is None else ", ".join(found.op_types),
        found.class_name,
        place(found.path, found.line),
    )
