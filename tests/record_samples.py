"""Records and documents made by hand."""

from __future__ import annotations

from typing import TypeAlias

import gepass
from gepass.records import DirectOrigin, Generator, RecordOrigin, RecordSource

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def record(
    name: str = "Fuse",
    *,
    stage: str = "BeforeInferShape",
    op_types: tuple[str, ...] = (),
    origin: RecordOrigin | None = None,
) -> gepass.RegistrationRecord:
    """Make a record, of kind decompose when it has op types."""
    kinds = gepass.PassKind
    return gepass.RegistrationRecord(
        pass_name=name,
        module_name="module",
        class_name="Class",
        stage=gepass.PassStage(stage),
        kind=kinds.DECOMPOSE if op_types else kinds.FUSION_BASE,
        op_types=op_types,
        source=RecordSource(path="/d/a.py", sha256="0" * 64, line=7),
        origin=origin or DirectOrigin(),
    )


def document(*records: gepass.RegistrationRecord) -> gepass.RegistryDocument:
    """Make a document of these records."""
    generator = Generator(name="gepass", version="1.2.3")
    return gepass.RegistryDocument.from_records(records, generator)
