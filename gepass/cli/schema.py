"""``gepass schema``: the JSON Schemas of everything that gepass writes."""

from __future__ import annotations

from pathlib import Path

import click

from gepass.cli.output import claim_stdout
from gepass.json_schemas import SchemaName, make_schema, schema_names, write_schemas
from gepass.path_text import encode_path

__all__ = ["schema"]


@click.command(epilog="Example: gepass schema registry-document")
@click.argument("name", metavar="[NAME]", required=False, type=click.Choice(schema_names()))
@click.option(
    "--write",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write all schemas into DIR.",
)
def schema(name: SchemaName | None, directory: Path | None) -> int:
    """Print a JSON Schema, or the names of all documents."""
    if name is not None and directory is not None:
        msg = "--write writes all schemas; leave NAME out"
        raise click.UsageError(msg)
    output = claim_stdout()
    if directory is not None:
        for path in write_schemas(directory):
            output.line(encode_path(path))
    elif name is not None:
        output.write_bytes(make_schema(name).encode())
    else:
        for known in schema_names():
            output.line(known)
    return 0
