"""
``register_fusion_pass`` and ``register_decompose_pass`` (design section 3).

A decorator validates at once and registers nowhere by itself: it hands the registration
to the ``Scope`` of the module whose globals run it. Scopes are open while a load
executes the module; without one the registration goes to the default registry.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TypeVar

from pydantic import ValidationError
from typing_extensions import Never

from gepass.class_checks import find_construction_fault, find_missing_hook
from gepass.collecting import is_forgotten, scopes
from gepass.errors import RegistrationTypeError, RegistrationValueError
from gepass.passes import AnyPass, DecomposePass, FusionBasePass, PatternFusionPass
from gepass.path_text import encode_path, printable
from gepass.records import (
    DirectOrigin,
    RecordSource,
    RegistrationRecord,
    find_text_fault,
)
from gepass.registry import Registration, default_registry
from gepass.stages import UNSCHEDULED_STAGES, PassKind, PassStage

if TYPE_CHECKING:
    from types import CodeType, FrameType

__all__ = [
    "MARKER",
    "register_decompose_pass",
    "register_fusion_pass",
]

PassT = TypeVar("PassT", bound=AnyPass)
DecomposeT = TypeVar("DecomposeT", bound=DecomposePass[Never])

MARKER: Final = "__ge_pass_descriptor__"
"""Class attribute that holds the record of the decorator applied last (facts 1.16)."""


def register_fusion_pass(
    *, name: str, stage: PassStage | str, kind: PassKind | str | None = None
) -> Callable[[type[PassT]], type[PassT]]:
    """
    Register a ``FusionBasePass`` or ``PatternFusionPass`` subclass.

    Args:
        name: unique, non-empty, without control characters and outer blanks.
        stage: a member of ``PassStage`` or its value.
        kind: what the class implies when left out.

    Returns:
        A decorator that gives the class back unchanged.

    Raises:
        RegistrationTypeError: when applied, if the class or an argument is of the wrong
            type, or the class cannot do what its kind calls.
        RegistrationValueError: when applied, if an argument has a wrong value.
        DuplicatePassError: when applied outside a load, if the name is taken.

    """
    caller = _Place.of(sys._getframe(1))  # noqa: SLF001 - documented, and the only way

    def decorate(cls: type[PassT]) -> type[PassT]:
        place = _Place.of(sys._getframe(1)).with_line_of(caller)  # noqa: SLF001
        _check_class(cls, FusionBasePass, "register_fusion_pass", place)
        if issubclass(cls, DecomposePass):
            reason = f"{cls.__qualname__} is a DecomposePass; use register_decompose_pass"
            place.refuse_type(reason)
        implied = (
            PassKind.PATTERN_FUSION
            if issubclass(cls, PatternFusionPass)
            else PassKind.FUSION_BASE
        )
        _check_kind(cls, kind, implied, place)
        _register(cls, name, stage, implied, (), place)
        return cls

    return decorate


def register_decompose_pass(
    *, name: str, stage: PassStage | str, op_types: Iterable[str]
) -> Callable[[type[DecomposeT]], type[DecomposeT]]:
    """
    Register a ``DecomposePass`` subclass for some op types.

    Args:
        name: unique, non-empty, without control characters and outer blanks.
        stage: a member of ``PassStage`` or its value.
        op_types: non-empty iterable of non-empty strings, not a string; a set is
            sorted, any other order is kept.

    Returns:
        A decorator that gives the class back, with ``op_types`` set to a new list.

    Raises:
        RegistrationTypeError: at once for ``op_types``; when applied, if the class or
            an argument is of the wrong type, or the class lacks ``replacement``.
        RegistrationValueError: at once if ``op_types`` is empty; when applied, if
            another argument has a wrong value.
        DuplicatePassError: when applied outside a load, if the name is taken.

    """
    caller = _Place.of(sys._getframe(1))  # noqa: SLF001
    types = _read_op_types(op_types, caller)

    def decorate(cls: type[DecomposeT]) -> type[DecomposeT]:
        place = _Place.of(sys._getframe(1)).with_line_of(caller)  # noqa: SLF001
        _check_class(cls, DecomposePass, "register_decompose_pass", place)
        _register(cls, name, stage, PassKind.DECOMPOSE, types, place)
        cls.op_types = list(types)
        return cls

    return decorate


class _Place(NamedTuple):
    """Where a decorator is made or applied: the module, and the line in it."""

    code: CodeType
    module_name: str
    file: str | None
    line: int

    @classmethod
    def of(cls, frame: FrameType) -> _Place:
        """Read the place of a frame; the frame itself is not kept alive."""
        file = frame.f_globals.get("__file__")
        return cls(
            frame.f_code,
            str(frame.f_globals.get("__name__", "__main__")),
            encode_path(file) if isinstance(file, str) else None,
            frame.f_lineno,
        )

    def with_line_of(self, made: _Place) -> _Place:
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


def _register(  # noqa: PLR0913, PLR0917 - the parts of a record
    cls: type[AnyPass],
    name: object,
    stage: object,
    kind: PassKind,
    op_types: tuple[str, ...],
    place: _Place,
) -> None:
    fault = find_construction_fault(cls) or find_missing_hook(cls, kind)
    if fault is not None:
        place.refuse_type(fault)
    scope = scopes.get(place.module_name)
    if scope is None and is_forgotten(place.module_name):
        place.refuse_value(
            f"{cls.__qualname__} belongs to a module that failed or was unloaded; load "
            "it again"
        )
    try:
        record = RegistrationRecord(
            pass_name=name,  # type: ignore[arg-type] # validated right here
            module_name=place.module_name,
            class_name=cls.__name__,
            stage=_read_stage(stage, place),
            kind=kind,
            op_types=op_types,
            source=RecordSource(
                path=place.file if scope is None else scope.path,
                sha256=None if scope is None else scope.sha256,
                line=place.line,
            ),
            origin=DirectOrigin() if scope is None else scope.origin,
        )
    except ValidationError as error:
        _refuse_record(name, error, place)
    entry = Registration(record=record, pass_class=cls)
    if scope is None:
        default_registry().add(entry)
    else:
        scope.collect(entry)
    setattr(cls, MARKER, record)


def _refuse_record(name: object, error: ValidationError, place: _Place) -> NoReturn:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "string_type":
        place.refuse_type(f"name is a string, not {type(name).__name__}")
    fault = find_text_fault(name) if isinstance(name, str) else first["msg"]
    place.refuse_value(f"the pass name {printable(repr(name))} {fault}; choose another one")


def _read_op_types(op_types: object, place: _Place) -> tuple[str, ...]:
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


def _read_stage(stage: object, place: _Place) -> PassStage:
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
    try:
        return PassStage(text)
    except ValueError:
        place.refuse_value(
            f"stage {printable(repr(text))} does not exist; use one of: {allowed}"
        )


def _check_class(cls: object, base: type, decorator: str, place: _Place) -> None:
    if not isinstance(cls, type):
        place.refuse_type(
            f"@{decorator} decorates a class, not an object of type {type(cls).__name__}"
        )
    if not issubclass(cls, base):
        place.refuse_type(
            f"@{decorator} decorates a subclass of {base.__name__}, "
            f"{cls.__qualname__} is none"
        )


def _check_kind(cls: type[AnyPass], kind: object, implied: PassKind, place: _Place) -> None:
    if kind is None:
        return
    if not isinstance(kind, str):
        place.refuse_type(f"kind is a PassKind or its value, not {type(kind).__name__}")
    if str(kind.value if isinstance(kind, Enum) else kind) != implied.value:
        place.refuse_value(
            f"kind {printable(repr(str(kind)))} does not fit {cls.__qualname__}, "
            f"which is of kind {implied.value!r}; leave kind out"
        )
