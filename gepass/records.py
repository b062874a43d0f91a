"""
The wire models: a registration record and the registry document (design section 6).

These are the only definitions of the JSON that C++ reads. Producers are strict,
readers ignore unknown keys and refuse another major ``schema_version``.
"""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    computed_field,
    model_validator,
)
from pydantic_core import PydanticCustomError

from gepass.errors import Code, DocumentError
from gepass.path_text import printable
from gepass.stages import PassKind, PassStage

__all__ = [
    "SCHEMA_VERSION",
    "DirectOrigin",
    "EntryPointOrigin",
    "EnvironmentOrigin",
    "Generator",
    "RecordOrigin",
    "RecordSource",
    "RegistrationRecord",
    "RegistryDocument",
    "find_text_fault",
    "running_order",
]

SCHEMA_VERSION: Final = "1.0"
"""Version of the registry document: another minor one can be read, a major one not."""

# Control and format characters, surrogates, line and paragraph separators: what can forge
# a line in a log, clear a terminal, make two names look the same, or is no UTF-8.
_FORBIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def find_text_fault(text: str) -> str | None:
    """Tell why a text cannot be a name that people, logs and C++ read alike."""
    if not text.strip():
        return "is empty"
    if text != text.strip():
        return "begins or ends with a blank"
    if any(unicodedata.category(character) in _FORBIDDEN for character in text):
        return "holds a control character or a lone surrogate"
    return None


def _check_plain_text(text: str) -> str:
    fault = find_text_fault(text)
    if fault is not None:
        kind = "plain_text"
        raise PydanticCustomError(kind, "{fault}", {"fault": fault})
    return text


PlainText = Annotated[str, AfterValidator(_check_plain_text)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _WireModel(BaseModel):
    # Unknown keys: a reader of a newer minor version ignores them (SCH-03).
    # Validators are built at first use, so that importing gepass stays cheap.
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", defer_build=True)


class RecordSource(_WireModel):
    """Where a registration stands."""

    path: str | None
    """The file, written by ``encode_path``; null when it was made outside any file."""
    sha256: Digest | None
    """Digest of the bytes that were executed; null when gepass did not execute them."""
    line: Annotated[int, Field(ge=1)]
    """1-based line of the decorator."""


class EnvironmentOrigin(_WireModel):
    """The registration was loaded through a segment of the variable."""

    type: Literal["environment"] = "environment"
    position: Annotated[int, Field(ge=0)]
    """0-based segment, empty ones counted."""


class EntryPointOrigin(_WireModel):
    """The registration was loaded through an entry point of a distribution."""

    type: Literal["entry_point"] = "entry_point"
    distribution: str
    entry_point: str


class DirectOrigin(_WireModel):
    """The decorator ran outside any load."""

    type: Literal["direct"] = "direct"


RecordOrigin = Annotated[
    EnvironmentOrigin | EntryPointOrigin | DirectOrigin, Field(discriminator="type")
]
"""How a registration came into the registry."""


class RegistrationRecord(_WireModel):
    """One registered pass: the seven keys of GE's bridge, and where it comes from."""

    pass_name: PlainText
    module_name: Annotated[str, Field(min_length=1)]
    class_name: Annotated[str, Field(min_length=1)]
    stage: PassStage
    kind: PassKind
    op_types: tuple[PlainText, ...] = ()
    """Op types that a decompose pass replaces; empty for the other kinds."""
    source: RecordSource
    origin: RecordOrigin

    @computed_field  # type: ignore[prop-decorator] # mypy: property under a decorator
    @property
    def descriptor_key(self) -> str:
        """``module_name:class_name:pass_name``, the identity that C++ uses."""
        return f"{self.module_name}:{self.class_name}:{self.pass_name}"

    @model_validator(mode="after")
    def _check_op_types(self) -> RegistrationRecord:
        if (self.kind is PassKind.DECOMPOSE) != bool(self.op_types):
            kind = "op_types"
            raise PydanticCustomError(kind, "op_types go with kind decompose alone")
        return self

    @property
    def place(self) -> str:
        """Name class, file and line for a message."""
        path = self.source.path or "<no file>"
        return f"class {self.class_name}, {path}:{self.source.line}"


class Generator(_WireModel):
    """The program that wrote a document."""

    name: str
    version: str


class RegistryDocument(_WireModel):
    """
    All registrations of a registry, in GE's running order: stage, then name byte-wise.

    Equal registrations give equal bytes in every process: keys are sorted, text is
    UTF-8, nothing depends on time or chance.
    """

    schema_version: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+$")] = SCHEMA_VERSION
    generator: Generator
    passes: tuple[RegistrationRecord, ...]

    @computed_field  # type: ignore[prop-decorator] # mypy: property under a decorator
    @property
    def digest(self) -> Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]:
        """``sha256:`` and the digest of the canonical bytes of ``passes``."""
        return _digest(self._lines)

    @cached_property
    def _lines(self) -> tuple[bytes, ...]:
        return tuple(_canonical(record) for record in self.passes)

    @classmethod
    def from_records(
        cls, records: Iterable[RegistrationRecord], generator: Generator
    ) -> RegistryDocument:
        """Put records into running order."""
        return cls(generator=generator, passes=running_order(records))

    @classmethod
    def from_json(cls, text: str | bytes) -> RegistryDocument:
        """
        Read a document; a newer minor version may hold keys that are ignored.

        Raises:
            DocumentError: it is no registry document, its major version is another
                one (``GP402``), or its digest does not fit its passes.

        """
        raw = _parse_json(text)
        _check_version(raw)
        try:
            document = cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the document"
            msg = f"not a registry document: {printable(where)}: {first['msg']}"
            raise DocumentError(msg) from error
        _check_digest(raw)
        _check_entries(raw["passes"], document.passes)
        return document

    def to_json(self) -> bytes:
        """Write the document as UTF-8, one record a line, with a line end at the end."""
        lines = b",\n".join(self._lines)
        generator = _canonical(self.generator)
        return b"".join(
            (
                b'{"digest":"' + self.digest.encode() + b'",\n',
                b'"generator":' + generator + b",\n",
                b'"passes":[\n' + lines + b"\n],\n" if lines else b'"passes":[],\n',
                b'"schema_version":"' + self.schema_version.encode() + b'"}\n',
            )
        )


_STAGE_ORDER: Final = {stage: order for order, stage in enumerate(PassStage)}


def running_order(
    records: Iterable[RegistrationRecord],
) -> tuple[RegistrationRecord, ...]:
    """Sort as GE runs them: by stage, then by the bytes of the name (facts 6.2)."""
    return tuple(
        sorted(records, key=lambda r: (_STAGE_ORDER[r.stage], r.pass_name.encode()))
    )


_encode: Final = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
).encode


def _canonical(model: BaseModel) -> bytes:
    return _encode(model.model_dump(mode="json")).encode()


def _digest(passes: Iterable[bytes]) -> str:
    return "sha256:" + hashlib.sha256(b"[" + b",".join(passes) + b"]").hexdigest()


def _parse_json(text: str | bytes) -> Mapping[str, object]:
    """Parse strict JSON, which knows no NaN and no infinity."""
    try:
        raw = json.loads(text, parse_constant=_parse_float, parse_float=_parse_float)
    except (ValueError, RecursionError) as error:
        msg = f"not a registry document: not JSON ({printable(str(error))})"
        raise DocumentError(msg) from error
    return raw if isinstance(raw, dict) else {}


def _parse_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        msg = f"{text} is no number that every reader can hold"
        raise ValueError(msg)
    return value


def _check_version(raw: Mapping[str, object]) -> None:
    version = raw.get("schema_version")
    if not isinstance(version, str):
        msg = "not a registry document: it has no schema_version"
        raise DocumentError(msg)
    major = SCHEMA_VERSION.partition(".")[0]
    if version.partition(".")[0] != major:
        msg = (
            f"the document has schema_version {printable(version)}, this gepass reads "
            f"{major}.x (it writes {SCHEMA_VERSION}); export it again or use a gepass of "
            "that version"
        )
        raise DocumentError(msg, code=Code.DOCUMENT_VERSION)


def _check_entries(raw: object, passes: tuple[RegistrationRecord, ...]) -> None:
    given = [entry.get("descriptor_key") for entry in raw] if isinstance(raw, list) else []
    for key, record in zip(given, passes, strict=True):
        if key != record.descriptor_key:
            msg = (
                f"not a registry document: the descriptor_key of pass "
                f"{record.pass_name!r} does not fit its parts"
            )
            raise DocumentError(msg)
    names = Counter(record.pass_name for record in passes)
    for name in sorted(name for name, count in names.items() if count > 1):
        msg = f"not a registry document: two passes are called {name!r}"
        raise DocumentError(msg)


def _check_digest(raw: Mapping[str, object]) -> None:
    # On the JSON itself, so that keys of a newer minor version count as well.
    given, passes = raw.get("digest"), raw["passes"]
    found = "sha256:" + hashlib.sha256(_encode(passes).encode()).hexdigest()
    if given != found:
        msg = (
            f"the digest is {given!r} but the passes give {found!r}; the document was "
            "changed after it was written, export it again"
        )
        raise DocumentError(msg)
