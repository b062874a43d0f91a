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

__all__ = ["reduce_pass", "restore_pass"]


def reduce_pass(
    instance: object, default: str | tuple[object, ...]
) -> str | tuple[object, ...]:
    """Replace the class in what ``object.__reduce_ex__`` gives by its name and file."""
    cls = type(instance)
    if isinstance(default, str) or not cls.__module__.startswith(MODULE_PREFIX):
        return default
    make, arguments, *state = default
    if not isinstance(arguments, tuple) or arguments[:1] != (cls,):
        return default
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    reference = (cls.__module__, cls.__qualname__, file)
    return (restore_pass, (reference, make, *arguments[1:]), *state)


def restore_pass(
    reference: tuple[str, str, str | None],
    make: Callable[..., object],
    *arguments: object,
) -> object:
    """
    Make the instance of a pickle again.

    Raises:
        PassNotLoadedError: this process has not loaded the file of the class.

    """
    module_name, qualified_name, file = reference
    module = sys.modules.get(module_name)
    if module is None:
        msg = (
            f"the pass class {qualified_name} of {file} is not loaded in this process; "
            "call gepass.load_from_environment() or gepass.load_passes() before "
            "unpickling it"
        )
        raise PassNotLoadedError(msg)
    return make(attrgetter(qualified_name)(module), *arguments)
