"""``gepass demo``: the whole chain on the example passes of the package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from gepass.cli.load import load_and_show
from gepass.cli.options import ChainOptions, chain_options
from gepass.cli.output import claim_stdout
from gepass.environ import PASS_PATH
from gepass.export import export_registry, write_atomically
from gepass.path_text import encode_path
from gepass.registry import default_registry

__all__ = ["demo"]

_EXAMPLES: Final = Path(__file__).parent.parent / "examples"


@click.command(epilog="Example: gepass demo -o demo.json")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("gepass-demo.json"),
    show_default=True,
    metavar="FILE",
    help="Where the registry document goes.",
)
@chain_options(on_error="raise", with_path=False)
def demo(options: ChainOptions, out: Path) -> int:
    """Show the whole chain on the example passes of the package."""
    output = claim_stdout()
    path = f"{_EXAMPLES / 'basic'}:{_EXAMPLES / 'advanced'}"
    if not options.as_json:
        output.line(f"export {PASS_PATH}={path}")
    code = load_and_show(replace(options, path=path), output)
    if code == 0:
        write_atomically(out, export_registry(default_registry()).to_json())
        if not options.as_json:
            output.line(f"The registry document is in {encode_path(out)}.")
    return code
