"""
``register_fusion_pass`` and ``register_decompose_pass`` (design section 3).

A decorator validates at once and registers nowhere by itself: it hands the registration
to the ``Scope`` of the module whose globals run it. Scopes are open while a load
executes the module; without one the registration goes to the default registry.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from pydantic import ValidationError
from typing_extensions import Never

from gepass.class_checks import find_construction_fault, find_missing_hook
from gepass.collecting import find_scope, is_forgotten
from gepass.first_use import prepare
from gepass.passes import AnyPass, DecomposePass, FusionBasePass, PatternFusionPass
from gepass.records import (
    DirectOrigin,
    RecordSource,
    RegistrationRecord,
)
from gepass.registration_rules import (
    Place,
    check_class,
    check_kind,
    check_no_decompose_pass,
    read_op_types,
    read_stage,
    refuse_record,
)
from gepass.registry import Registration, default_registry
from gepass.stages import PassKind, PassStage

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
    caller = Place.of(sys._getframe(1))  # noqa: SLF001 - documented, and the only way

    def decorate(cls: type[PassT]) -> type[PassT]:
        place = Place.of(sys._getframe(1)).with_line_of(caller)  # noqa: SLF001
        check_class(cls, FusionBasePass, "register_fusion_pass", place)
        check_no_decompose_pass(cls, place)
        implied = (
            PassKind.PATTERN_FUSION
            if issubclass(cls, PatternFusionPass)
            else PassKind.FUSION_BASE
        )
        check_kind(cls, kind, implied, place)
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
    caller = Place.of(sys._getframe(1))  # noqa: SLF001
    types = read_op_types(op_types, caller)

    def decorate(cls: type[DecomposeT]) -> type[DecomposeT]:
        place = Place.of(sys._getframe(1)).with_line_of(caller)  # noqa: SLF001
        check_class(cls, DecomposePass, "register_decompose_pass", place)
        _register(cls, name, stage, PassKind.DECOMPOSE, types, place)
        cls.op_types = list(types)
        return cls

    return decorate


def _register(  # noqa: PLR0913, PLR0917 - the parts of a record
    cls: type[AnyPass],
    name: object,
    stage: object,
    kind: PassKind,
    op_types: tuple[str, ...],
    place: Place,
) -> None:
    fault = find_construction_fault(cls) or find_missing_hook(cls, kind)
    if fault is not None:
        place.refuse_type(fault)
    prepare()
    scope = find_scope(place.module_name, place.module_globals)
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
            stage=read_stage(stage, place),
            kind=kind,
            op_types=op_types,
            source=RecordSource(
                path=place.file if scope is None or scope.path is None else scope.path,
                sha256=None if scope is None else scope.sha256,
                line=place.line,
            ),
            origin=DirectOrigin() if scope is None else scope.origin,
        )
    except ValidationError as error:
        refuse_record(name, error, place)
    entry = Registration(record=record, pass_class=cls)
    if scope is None:
        default_registry().add(entry)
    else:
        scope.collect(entry)
    setattr(cls, MARKER, record)
