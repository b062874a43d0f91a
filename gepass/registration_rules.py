"""
The rules for what is given to a registering decorator (design section 3).

A ``Place`` tells where, and raises. The static check judges by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from gepass.errors import RegistrationTypeError, RegistrationValueError
from gepass.passes import AnyPass, DecomposePass
from gepass.path_text import encode_path, printable
from gepass.records import find_text_fault
from gepass.stages import UNSCHEDULED_STAGES, PassKind, PassStage

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from pydantic import ValidationError

__all__ = [
    "Place",
    "check_class",
    "check_kind",
    "check_no_decompose_pass",
    "read_op_types",
    "read_stage",
    "refuse_record",
]


class Place(NamedTuple):
    """Where a decorator is made or applied: the module, and the line in it."""

    code: CodeType
    module_name: str
    file: str | None
    line: int
    module_globals: Mapping[str, object] = MappingProxyType({})

    @classmethod
    def of(cls, frame: FrameType) -> Place:
        """Read the place of a frame; the frame itself is not kept alive."""
        file = frame.f_globals.get("__file__")
        return cls(
            frame.f_code,
            str(frame.f_globals.get("__name__", "__main__")),
            encode_path(file) if isinstance(file, str) else None,
            frame.f_lineno,
            frame.f_globals,
        )

    def with_line_of(self, made: Place) -> Place:
        """
        Take over the line where the decorator was made.

        Where a helper made it, the line that applies it is the author's and is kept.
        """
        return made if made.code is self.code else self

    def refuse_type(self, reason: str) -> NoReturn:
        """Raise for a wrong type."""
        raise RegistrationTypeError(self._message(reason))

    def refuse_value(self, reason: str) -> NoReturn:
        """Raise for a wrong value."""
        raise RegistrationValueError(self._message(reason))

    def _message(self, reason: str) -> str:
        return f"{self.file or self.code.co_filename}:{self.line}: {reason}"


def refuse_record(name: object, error: ValidationError, place: Place) -> NoReturn:
    """Raise for the first fault that the record's model found."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "string_type":
        place.refuse_type(f"name is a string, not {type(name).__name__}")
    fault = find_text_fault(name) if isinstance(name, str) else first["msg"]
    place.refuse_value(f"the pass name {printable(repr(name))} {fault}; choose another one")


def read_op_types(op_types: object, place: Place) -> tuple[str, ...]:
    """Return the op types in order; a set is sorted, an iterator is read once."""
    if isinstance(op_types, (str, bytes)) or not isinstance(op_types, Iterable):
        place.refuse_type(
            f"op_types is an iterable of strings, not {type(op_types).__name__}; "
            'write op_types=["Conv2D"]'
        )
    items = tuple(op_types)
    for item in items:
        if not isinstance(item, str) or not item:
            place.refuse_type(
                "op_types is an iterable of strings that are not empty, it holds "
                f"{printable(repr(item))}"
            )
        fault = find_text_fault(item)
        if fault is not None:
            place.refuse_value(f"op_types holds {printable(repr(item))}, which {fault}")
    if not items:
        place.refuse_value("op_types is empty; name at least one op type")
    return tuple(sorted(items)) if isinstance(op_types, (set, frozenset)) else items


def read_stage(stage: object, place: Place) -> PassStage:
    """Return the stage that a member or its value names."""
    allowed = ", ".join(member.value for member in PassStage)
    if not isinstance(stage, str):
        place.refuse_type(
            f"stage is a PassStage or its value, not {type(stage).__name__}; "
            f"use one of: {allowed}"
        )
    # A member of another str enum, such as GE's own, counts by its value.
    text = str(stage.value) if isinstance(stage, Enum) else stage
    if text in UNSCHEDULED_STAGES:
        place.refuse_value(
            f"stage {text!r} never runs a custom pass: {UNSCHEDULED_STAGES[text]}; "
            f"use one of: {allowed}"
        )
    found = next((member for member in PassStage if member.value == text), None)
    if found is None:
        place.refuse_value(
            f"stage {printable(repr(text))} does not exist; use one of: {allowed}"
        )
    return found


def check_class(cls: object, base: type, decorator: str, place: Place) -> None:
    """Check that what is decorated is a class of the right base."""
    if not isinstance(cls, type):
        place.refuse_type(
            f"@{decorator} decorates a class, not an object of type {type(cls).__name__}"
        )
    if not issubclass(cls, base):
        place.refuse_type(
            f"@{decorator} decorates a subclass of {base.__name__}, "
            f"{cls.__qualname__} is none"
        )


def check_no_decompose_pass(cls: type, place: Place) -> None:
    """Check that a class is not of the kind that has a decorator of its own."""
    if issubclass(cls, DecomposePass):
        place.refuse_type(
            f"{cls.__qualname__} is a DecomposePass; use register_decompose_pass"
        )


def check_kind(cls: type[AnyPass], kind: object, implied: PassKind, place: Place) -> None:
    """Check that an explicit kind is the one that the class implies."""
    if kind is None:
        return
    if not isinstance(kind, str):
        place.refuse_type(f"kind is a PassKind or its value, not {type(kind).__name__}")
    if str(kind.value if isinstance(kind, Enum) else kind) != implied.value:
        place.refuse_value(
            f"kind {printable(repr(str(kind)))} does not fit {cls.__qualname__}, "
            f"which is of kind {implied.value!r}; leave kind out"
        )
