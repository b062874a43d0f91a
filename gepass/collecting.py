"""
Who takes a registration: the scope of the module whose globals ran the decorator.

A load opens a scope for each module it executes. Decorators look the scope up by module
name, so a registration is attributed right in whatever thread it is made.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from gepass.scanning import MODULE_PREFIX

if TYPE_CHECKING:
    from gepass.records import DirectOrigin, EntryPointOrigin, EnvironmentOrigin
    from gepass.registry import Registration

__all__ = ["Scope", "find_scope", "is_forgotten", "scopes", "thread"]


class Scope(NamedTuple):
    """How registrations of one executing module are recorded, and who takes them."""

    path: str | None
    """File of the module, written by ``encode_path``; ``None`` for foreign globals."""
    sha256: str | None
    origin: EnvironmentOrigin | EntryPointOrigin | DirectOrigin
    collect: Callable[[Registration], None]


scopes: Final[dict[str, Scope]] = {}
"""The open scopes by module name. Single operations on it are atomic; no lock is held."""


class _ThreadScope(threading.local):
    scope: Scope | None = None


thread: Final = _ThreadScope()
"""Who takes what this thread registers with globals that are no module's."""


def find_scope(module_name: str, module_globals: Mapping[str, object]) -> Scope | None:
    """
    Return who takes a registration; ``None`` for the default registry.

    Globals made by ``exec`` or ``runpy`` while a module is executed are that module's
    doing. A module that it merely imports registers for itself, and stays.
    """
    scope = scopes.get(module_name)
    if scope is not None or thread.scope is None:
        return scope
    module = sys.modules.get(module_name)
    is_imported = (
        getattr(module, "__dict__", None) is module_globals
        and getattr(module, "__spec__", None) is not None
    )
    return None if is_imported else thread.scope


def is_forgotten(module_name: str) -> bool:
    """Tell whether a name is that of a pass file's module that is gone."""
    return module_name.startswith(MODULE_PREFIX) and module_name not in sys.modules
