"""``gepass export``: load, then write the registry document."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from gepass.cli.options import ChainOptions, chain_options
from gepass.cli.output import claim_stdout, show_error
from gepass.cli.report import failure_traceback
from gepass.errors import GepassError
from gepass.export import export_registry, write_atomically
from gepass.process import load_passes
from gepass.registry import PassRegistry

__all__ = ["export"]

_STDOUT: Final = Path("/dev/stdout")


@click.command(epilog="Example: gepass export --path ~/passes -o registry.json")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to FILE, as a whole or not at all.  [default: standard output]",
)
@chain_options(on_error="raise")
def export(options: ChainOptions, out: Path | None) -> int:
    """Load the passes and write the registry document, as JSON."""
    output = claim_stdout()
    registry = PassRegistry()
    # Passes may change the working directory.
    file = None if out is None or out == _STDOUT else out.absolute()
    try:
        report = load_passes(options.path, registry=registry, on_error=options.on_error)
    except GepassError as error:
        show_error(error, failure_traceback(error.report) if options.traceback else ())
        return 1
    data = export_registry(registry).to_json()
    if file is None:
        output.write_bytes(data)
    else:
        write_atomically(file, data)
    for outcome in report.modules:
        if outcome.error is not None:
            show_error(
                GepassError(outcome.error.message, code=outcome.error.code),
                outcome.error.traceback if options.traceback else (),
            )
    return 0 if report.ok else 1
