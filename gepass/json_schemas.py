"""
The JSON Schemas of every document that gepass writes, made from its own types.

They are serialization schemas: they describe what is written. Readers must ignore keys
that they do not know.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from gepass.errors import DocumentWriteError
from gepass.events import AnyLoadEvent
from gepass.export import write_atomically
from gepass.inspection import CheckReport
from gepass.outcomes import LoadReport
from gepass.path_text import quote
from gepass.records import RegistrationRecord, RegistryDocument

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

__all__ = ["SchemaName", "make_schema", "schema_names", "write_schemas"]

SchemaName = Literal[
    "check-report",
    "load-event",
    "load-report",
    "registration-record",
    "registry-document",
]

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


class _AlwaysWritten(GenerateJsonSchema):
    """Every field is written, so every field is required, defaults or not."""

    def field_is_required(
        self,
        field: core_schema.ModelField  # noqa: ARG002 - the signature of the library
        | core_schema.DataclassField
        | core_schema.TypedDictField,
        total: bool,  # noqa: ARG002, FBT001
    ) -> bool:
        return True

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Readers ignore keys that they do not know, so no schema forbids them."""
        described = super().model_schema(schema)
        described.pop("additionalProperties", None)
        return described


def _schema_of(adapter: TypeAdapter[object]) -> JsonSchemaValue:
    return adapter.json_schema(mode="serialization", schema_generator=_AlwaysWritten)


def _event_schema() -> JsonSchemaValue:
    """Describe a line of the log: an event, and when and how loud it was told."""
    schema = _schema_of(TypeAdapter(AnyLoadEvent))
    for definition in schema["$defs"].values():
        if "event" in definition["properties"]:
            definition["properties"] |= {
                "level": {"enum": ["debug", "info", "warning", "error"]},
                "timestamp": {"type": "string", "format": "date-time"},
            }
            definition["required"] += ["level", "timestamp"]
    return schema


_MAKERS: Final[dict[SchemaName, Callable[[], JsonSchemaValue]]] = {
    "check-report": lambda: _schema_of(TypeAdapter(CheckReport)),
    "load-event": _event_schema,
    "load-report": lambda: _schema_of(TypeAdapter(LoadReport)),
    "registration-record": lambda: _schema_of(TypeAdapter(RegistrationRecord)),
    "registry-document": lambda: _schema_of(TypeAdapter(RegistryDocument)),
}


def schema_names() -> tuple[SchemaName, ...]:
    """Return the names of all documents, sorted."""
    return tuple(sorted(_MAKERS))


def make_schema(name: SchemaName) -> str:
    """Return the JSON Schema (draft 2020-12) of a document as text."""
    schema = {"$schema": _DRAFT, "$id": f"urn:gepass:{name}", **_MAKERS[name]()}
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def write_schemas(directory: Path) -> tuple[Path, ...]:
    """
    Write all schemas into a directory, which is made when missing.

    Raises:
        DocumentWriteError: a file could not be written.

    """
    written: list[Path] = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot write {quote(directory)}: {error.strerror or error}"
        raise DocumentWriteError(msg) from error
    for name in schema_names():
        path = directory / f"{name}.schema.json"
        write_atomically(path, make_schema(name).encode())
        written.append(path)
    return tuple(written)
