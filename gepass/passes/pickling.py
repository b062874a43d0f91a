"""
Pickled passes, readable in another process once it has loaded the same files.

The class of a pass file lives under an internal module name that no other process can
import by itself, so an instance is stored with the file's name beside the class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import attrgetter

from gepass.errors import PassNotLoadedError
from gepass.scanning import MODULE_PREFIX

__all__ = ["find_class", "reduce_pass", "restore_pass"]


class _ClassReference:
    """A class that is pickled by name and file, and copied as it is."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def __deepcopy__(self, memo: object) -> _ClassReference:
        return self

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str, str | None]]:
        cls = self.cls
        module = sys.modules.get(cls.__module__)
        try:
            found = attrgetter(cls.__qualname__)(module)
        except AttributeError:
            found = None
        if found is not cls:
            import pickle  # noqa: PLC0415 - whoever comes here has it

            msg = (
                f"cannot pickle an instance of {cls.__qualname__}: its module does not "
                "hold the class under that name"
            )
            raise pickle.PicklingError(msg)
        file = getattr(module, "__file__", None)
        return find_class, (cls.__module__, cls.__qualname__, file)


def reduce_pass(
    instance: object, default: str | tuple[object, ...]
) -> str | tuple[object, ...]:
    """Replace the class in what ``object.__reduce_ex__`` gives by a reference."""
    cls = type(instance)
    if isinstance(default, str) or not cls.__module__.startswith(MODULE_PREFIX):
        return default
    make, arguments, *state = default
    if not isinstance(arguments, tuple) or arguments[:1] != (cls,):
        return default
    return (restore_pass, (_ClassReference(cls), make, *arguments[1:]), *state)


def restore_pass(
    reference: _ClassReference | type, make: Callable[..., object], *arguments: object
) -> object:
    """Make the instance of a pickle, or of a copy, again."""
    cls = reference.cls if isinstance(reference, _ClassReference) else reference
    return make(cls, *arguments)


def find_class(module_name: str, qualified_name: str, file: str | None) -> type:
    """
    Return the class of a pickled pass.

    Raises:
        PassNotLoadedError: this process has not loaded the file of the class.

    """
    module = sys.modules.get(module_name)
    if module is None:
        msg = (
            f"the pass class {qualified_name} of {file} is not loaded in this process; "
            "call gepass.load_from_environment() or gepass.load_passes() before "
            "unpickling it"
        )
        raise PassNotLoadedError(msg)
    cls: type = attrgetter(qualified_name)(module)
    return cls
