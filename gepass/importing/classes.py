"""
Which class a registration stands for when its module has ended (NAME-08).

A decorator above the registering one may have made another class: a copy, as
``@dataclass(slots=True)`` does, or a subclass. What the module's name means in the end is
what must be run; else ``isinstance`` and pickle fail later.
"""

from __future__ import annotations

import inspect
import sys
from operator import attrgetter
from typing import TypeGuard

from gepass.class_checks import find_construction_fault
from gepass.decorators import MARKER
from gepass.errors import Code, Problem, RegistrationTypeError
from gepass.passes import AnyPass
from gepass.path_text import decode_path
from gepass.registry import Batch, Registration

__all__ = ["settle_classes"]


def settle_classes(batch: Batch) -> list[Problem]:
    """
    Put the final classes in place of replaced ones, and return a warning for each.

    Raises:
        RegistrationTypeError: a final class cannot be made without arguments.

    """
    warnings: list[Problem] = []
    for index, known in enumerate(batch.entries):
        final = _find_final(known.pass_class)
        if final is None or final is known.pass_class:
            final = known.pass_class
        elif _is_made_from(final, known.pass_class):
            batch.entries[index] = Registration(record=known.record, pass_class=final)
            warnings.append(_replaced(known, "the new class is used"))
        elif not isinstance(final, type):
            warnings.append(_replaced(known, "the registered one stays"))
            continue
        _check_can_be_made(batch.entries[index])
    return warnings


def _find_final(cls: type) -> object:
    """Return what the qualified name of a class means now, ``None`` for nothing."""
    try:
        return attrgetter(cls.__qualname__)(sys.modules[cls.__module__])
    except (AttributeError, KeyError):
        return None


def _is_made_from(final: object, cls: type[AnyPass]) -> TypeGuard[type[AnyPass]]:
    if not isinstance(final, type):
        return False
    if issubclass(final, cls):
        return MARKER not in vars(final)
    # A copy shares the functions of the body; another class of that name has its own.
    return any(
        vars(final).get(name) is value
        for name, value in vars(cls).items()
        if inspect.isfunction(value)
    )


def _check_can_be_made(entry: Registration) -> None:
    fault = find_construction_fault(entry.pass_class)
    if fault is not None:
        source = entry.record.source
        msg = f"{source.path}:{source.line}: {fault}"
        raise RegistrationTypeError(msg)


def _replaced(entry: Registration, what: str) -> Problem:
    message = (
        f"class {entry.record.class_name} was replaced by another decorator after it was "
        f"registered, {what}; put the registering decorator on top"
    )
    source = entry.record.source
    return Problem(
        code=Code.CLASS_REPLACED,
        message=message,
        path=None if source.path is None else decode_path(source.path),
        line=source.line,
    )
