"""``gepass check``: inspect the passes without executing them."""

from __future__ import annotations

import click

from gepass.cli.options import ChainOptions, chain_options
from gepass.cli.output import claim_stdout

__all__ = ["check"]


@click.command(epilog="Example: gepass check --path ~/passes")
@chain_options(on_error="isolate")
def check(options: ChainOptions) -> int:
    """Check the passes without executing any user code."""
    claim_stdout()
    return 0
