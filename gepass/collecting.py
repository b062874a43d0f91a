"""
Who takes a registration: the scope of the module whose globals ran the decorator.

A load opens a scope for each module it executes. Decorators look the scope up by module
name, so a registration is attributed right in whatever thread it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gepass.records import DirectOrigin, EntryPointOrigin, EnvironmentOrigin
    from gepass.registry import Registration

__all__ = ["Scope", "scopes"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """How registrations of one executing module are recorded, and who takes them."""

    path: str
    """File of the module, written by ``encode_path``."""
    sha256: str
    origin: EnvironmentOrigin | EntryPointOrigin | DirectOrigin
    collect: Callable[[Registration], None]


scopes: Final[dict[str, Scope]] = {}
"""The open scopes by module name. Single operations on it are atomic; no lock is held."""
