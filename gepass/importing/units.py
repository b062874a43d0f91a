"""
What fails or stays as a whole: one scanned module and all it is the first to import.

A ``Unit`` remembers what executing it changed, so that one place can take it back (R12).
Modules that are imported when no load runs have a unit of their own.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from gepass.importing.undo import ImportState
from gepass.outcomes import ExecutedFile, ModuleOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from gepass.errors import Problem
    from gepass.importing.session import Session
    from gepass.importing.table import ModuleEntry
    from gepass.records import DirectOrigin, EntryPointOrigin, EnvironmentOrigin
    from gepass.registry import Batch

__all__ = [
    "Savepoint",
    "Unit",
    "executed_files",
    "milliseconds_since",
    "remove_module",
]


class Savepoint(NamedTuple):
    """How far a unit had come before it ran one more module."""

    created: int
    entries: int
    children: int
    state: ImportState


@dataclass(slots=True, eq=False)
class Unit:
    """What is being executed, and everything that came of it so far."""

    session: Session | None
    """The load that it belongs to; ``None`` for a late import."""
    batch: Batch
    origin: EnvironmentOrigin | EntryPointOrigin | DirectOrigin
    owner: str
    """Internal name of the scanned module, or of the one that was imported late."""
    alone: bool
    """Whether its file is listed by itself, not its directory."""
    started: float = field(default_factory=perf_counter)
    created: list[tuple[ModuleEntry, ModuleType]] = field(default_factory=list)
    """Modules that ran to their end, in that order."""
    children: list[Unit] = field(default_factory=list)
    """Other scanned modules that this one was the first to import."""
    warnings: list[Problem] = field(default_factory=list)
    outcome: ModuleOutcome | None = None
    is_open: bool = True
    is_undone: bool = False

    def savepoint(self) -> Savepoint:
        """Remember the state of now."""
        return Savepoint(
            len(self.created),
            len(self.batch.entries),
            len(self.children),
            ImportState.capture(),
        )

    def roll_back(self, point: Savepoint) -> None:
        """Undo what a module that failed changed since the savepoint."""
        self._roll_back(point.created, point.entries, point.children)
        point.state.remove_additions()

    def undo(self) -> None:
        """Undo the unit as a whole, those inside it included."""
        if self.is_undone:
            return
        self.is_undone = True
        self.is_open = False
        if self.session is not None:
            self.session.transaction.drop(self.batch)
        self._roll_back(0, 0, 0)

    def _roll_back(self, created: int, entries: int, children: int) -> None:
        for child in reversed(self.children[children:]):
            child.undo()
        del self.children[children:]
        for entry, module in reversed(self.created[created:]):
            remove_module(entry, module)
        del self.created[created:]
        del self.batch.entries[entries:]


def executed_files(entries: Iterable[ModuleEntry]) -> tuple[ExecutedFile, ...]:
    """Return the files of modules, with the digest of what ran; a namespace has none."""
    return tuple(
        ExecutedFile(path=entry.path, module_name=entry.name, sha256=entry.sha256)
        for entry in entries
        if entry.sha256 is not None
    )


def milliseconds_since(started: float) -> float:
    """Return the time since a reading of ``time.perf_counter``."""
    return round((perf_counter() - started) * 1000, 3)


def remove_module(entry: ModuleEntry, module: ModuleType) -> None:
    """Take a module out of ``sys.modules`` and its package, if it is still there."""
    for name in [entry.name, *entry.aliases]:
        if sys.modules.get(name) is module:
            del sys.modules[name]
        parent_name, _, tail = name.rpartition(".")
        parent = sys.modules.get(parent_name)
        if parent is not None and vars(parent).get(tail) is module:
            delattr(parent, tail)
    entry.forget_run()
