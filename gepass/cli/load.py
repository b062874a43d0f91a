"""``gepass load``: the real load, with everything it did and did not do."""

from __future__ import annotations

import click

from gepass.cli.options import ChainOptions, chain_options
from gepass.cli.output import Output, claim_stdout, show_error
from gepass.cli.report import failure_traceback, show_load_report, write_load_report
from gepass.errors import GepassError
from gepass.process import load_passes
from gepass.registry import default_registry

__all__ = ["load", "load_and_show"]


@click.command(epilog="Example: gepass load --path ~/passes:/opt/more/fuse.py")
@chain_options(on_error="isolate")
def load(options: ChainOptions) -> int:
    """Load the passes and show what came of each file."""
    return load_and_show(options, claim_stdout())


def load_and_show(options: ChainOptions, output: Output) -> int:
    """Load, and show the report, also that of a load that was given up."""
    try:
        report = load_passes(options.path, on_error=options.on_error)
    except GepassError as error:
        if error.report is None:
            raise
        if options.as_json:
            write_load_report(output, error.report)
        show_error(error, failure_traceback(error.report) if options.traceback else ())
        return 1
    if options.as_json:
        write_load_report(output, report)
    else:
        show_load_report(
            output, report, default_registry().records(), traceback=options.traceback
        )
    return 0 if report.ok else 1
