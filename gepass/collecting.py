"""
Who takes a registration: the scope of the module whose globals ran the decorator.

A load opens a scope for each module it executes. Decorators look the scope up by module
name, so a registration is attributed right in whatever thread it is made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from gepass.scanning import MODULE_PREFIX

if TYPE_CHECKING:
    from gepass.records import DirectOrigin, EntryPointOrigin, EnvironmentOrigin
    from gepass.registry import Registration

__all__ = ["Scope", "is_forgotten", "scopes"]


class Scope(NamedTuple):
    """How registrations of one executing module are recorded, and who takes them."""

    path: str
    """File of the module, written by ``encode_path``."""
    sha256: str
    origin: EnvironmentOrigin | EntryPointOrigin | DirectOrigin
    collect: Callable[[Registration], None]


scopes: Final[dict[str, Scope]] = {}
"""The open scopes by module name. Single operations on it are atomic; no lock is held."""


def is_forgotten(module_name: str) -> bool:
    """Tell whether a name is that of a pass file's module that is gone."""
    return module_name.startswith(MODULE_PREFIX) and module_name not in sys.modules
