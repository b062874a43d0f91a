"""
Which passes are registered: ``PassRegistry``, and the default one of the process.

A load stages what its modules register in a ``Transaction`` and commits all of it at the
end, so that readers never see half a load. One lock guards all registries. It is held for
dictionary work only, never while user code runs, and across a fork, so that a child
always finds it free.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gepass.errors import Code, DuplicatePassError, PassNotFoundError
from gepass.events import NO_LOAD, WarningRaised
from gepass.logs import EventLog
from gepass.passes import AnyPass
from gepass.records import RegistrationRecord, running_order
from gepass.stages import PassStage

__all__ = [
    "Batch",
    "PassRegistry",
    "Registration",
    "Transaction",
    "default_registry",
]

_lock: Final = threading.RLock()
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Registration:
    """A validated record and the class it stands for."""

    record: RegistrationRecord
    pass_class: type[AnyPass]

    def is_same_pass(self, other: Registration) -> bool:
        """Tell whether both stand for one class under one name."""
        return (
            self.pass_class is other.pass_class
            and self.record.descriptor_key == other.record.descriptor_key
        )


class PassRegistry:
    """The passes of a process or of one load; safe to use from any thread."""

    def __init__(self) -> None:
        self._committed: dict[str, Registration] = {}
        self._staged: dict[str, Registration] = {}
        self._transaction: Transaction | None = None
        self._is_untouched = True

    def records(self) -> tuple[RegistrationRecord, ...]:
        """Return all records in registration order (R15)."""
        visible = self._visible()
        if not visible and self is _default and self._is_untouched:
            self._is_untouched = False
            _hint_that_nothing_was_loaded()
        return tuple(entry.record for entry in visible.values())

    def get(self, name: str) -> RegistrationRecord:
        """
        Return the record of a pass.

        Raises:
            PassNotFoundError: no pass of that name is registered.

        """
        return self._get(name).record

    def find(self, name: str) -> RegistrationRecord | None:
        """Return the record of a pass, ``None`` when no pass has that name."""
        entry = self._visible().get(name)
        return None if entry is None else entry.record

    def get_class(self, name: str) -> type[AnyPass]:
        """
        Return the class of a pass.

        Raises:
            PassNotFoundError: no pass of that name is registered.

        """
        return self._get(name).pass_class

    def by_stage(self, stage: PassStage) -> tuple[RegistrationRecord, ...]:
        """
        Return the records of a stage in GE's running order.

        Raises:
            ValueError: there is no such stage.

        """
        wanted = PassStage(stage)
        return running_order(r for r in self.records() if r.stage is wanted)

    def clear(self) -> None:
        """Forget all registered passes; those of a load under way are not touched."""
        with _lock:
            self._committed.clear()

    def __len__(self) -> int:
        return len(self._visible())

    def __iter__(self) -> Iterator[RegistrationRecord]:
        return iter(self.records())

    def add(self, entry: Registration) -> None:
        """
        Register a pass outside any load.

        Raises:
            DuplicatePassError: the name is taken; the first registration stays.

        """
        self.add_all((entry,))

    def add_all(self, entries: Sequence[Registration]) -> None:
        """
        Register passes outside any load, all or none.

        Raises:
            DuplicatePassError: a name is taken; what was there stays.

        """
        with _lock:
            added: dict[str, Registration] = {}
            for entry in entries:
                name = entry.record.pass_name
                first = (
                    added.get(name) or self._committed.get(name) or self._staged.get(name)
                )
                if first is not None:
                    raise _duplicate(first, entry)
                added[name] = entry
            self._committed.update(added)

    def remove(self, entries: Iterable[Registration]) -> None:
        """Forget these passes, not other classes that have their names."""
        with _lock:
            for entry in entries:
                known = self._committed.get(entry.record.pass_name)
                if known is not None and known.is_same_pass(entry):
                    del self._committed[entry.record.pass_name]

    def begin(self) -> Transaction:
        """Open the transaction of a load that runs in this thread."""
        with _lock:
            self._is_untouched = False
            self._transaction = Transaction(self._committed, self._staged)
            return self._transaction

    def _get(self, name: str) -> Registration:
        visible = self._visible()
        if name in visible:
            return visible[name]
        known = ", ".join(sorted(visible)) or "none"
        msg = f"no pass called {name!r} is registered; registered: {known}"
        raise PassNotFoundError(msg)

    def _visible(self) -> dict[str, Registration]:
        """Committed entries; user code that a load runs also sees what that load made."""
        with _lock:
            visible = dict(self._committed)
            transaction = self._transaction
        if transaction is not None and transaction.is_of_this_thread():
            visible.update(transaction.entries())
        return visible


class Batch:
    """What one scanned module registers, in the order in which its decorators ran."""

    def __init__(self, order: int) -> None:
        self.order = order
        """Scan order of the module within its load (R15)."""
        self.entries: list[Registration] = []
        self.staged = False

    def drop_repetitions(self) -> None:
        """Keep the first of several registrations of one class under one name."""
        kept: dict[tuple[str, int], Registration] = {}
        for entry in self.entries:
            # By identity: classes may refuse to be compared.
            kept.setdefault((entry.record.descriptor_key, id(entry.pass_class)), entry)
        self.entries = list(kept.values())


class Transaction:
    """The registrations of one load, invisible to others until they are committed."""

    def __init__(
        self, committed: dict[str, Registration], staged: dict[str, Registration]
    ) -> None:
        self._committed = committed
        self._staged = staged
        self._thread = threading.get_ident()
        self._batches: list[Batch] = []

    def is_of_this_thread(self) -> bool:
        """Tell whether the calling thread is the one that loads."""
        return threading.get_ident() == self._thread

    def open_batch(self, order: int) -> Batch:
        """Start to collect what a module registers."""
        batch = Batch(order)
        self._batches.append(batch)
        return batch

    def entries(self) -> dict[str, Registration]:
        """Return what was collected so far, by name, in registration order."""
        return {
            entry.record.pass_name: entry
            for batch in self._in_order()
            for entry in tuple(batch.entries)
        }

    def stage(self, batch: Batch) -> None:
        """
        Claim the names of a module that has ended.

        A pass that the registry holds already as the same class is dropped from the
        batch (R9).

        Raises:
            DuplicatePassError: a name is taken; nothing of the batch is claimed.

        """
        with _lock:
            claimed: dict[str, Registration] = {}
            for entry in batch.entries:
                name = entry.record.pass_name
                first = (
                    claimed.get(name) or self._staged.get(name) or self._committed.get(name)
                )
                if first is None:
                    claimed[name] = entry
                elif not first.is_same_pass(entry):
                    raise _duplicate(first, entry)
            batch.entries = list(claimed.values())
            batch.staged = True
            self._staged.update(claimed)

    def drop(self, batch: Batch) -> None:
        """Forget what a failed module registered."""
        with _lock:
            self._unstage(batch)
            if batch in self._batches:
                self._batches.remove(batch)

    def commit(self) -> tuple[Registration, ...]:
        """Make all staged batches visible to everybody at once, and return them."""
        with _lock:
            entries = [entry for batch in self._in_order() for entry in batch.entries]
            self._committed.update((entry.record.pass_name, entry) for entry in entries)
            self.roll_back()
        return tuple(entries)

    def roll_back(self) -> None:
        """Forget everything that the load collected; a no-op after a commit."""
        with _lock:
            for batch in self._batches:
                self._unstage(batch)
            self._batches.clear()

    def _in_order(self) -> list[Batch]:
        return sorted(self._batches, key=lambda batch: batch.order)

    def _unstage(self, batch: Batch) -> None:
        if batch.staged:
            for entry in batch.entries:
                self._staged.pop(entry.record.pass_name, None)
            batch.staged = False


_default: Final = PassRegistry()


def default_registry() -> PassRegistry:
    """Return the registry of the process, which decorators outside any load fill."""
    return _default


def _hint_that_nothing_was_loaded() -> None:
    # A spawned process starts without the passes of its parent (FORK-02).
    message = (
        "no passes: nothing was loaded in this process; call "
        "gepass.load_from_environment() here as well"
    )
    EventLog()(
        WarningRaised(
            load_id=NO_LOAD,
            code=Code.NOT_LOADED_HERE,
            detail=message,
            path=None,
            line=None,
        )
    )


def _duplicate(first: Registration, second: Registration) -> DuplicatePassError:
    name = second.record.pass_name
    places = (first.record.place, second.record.place)
    advice = "give one of them another name"
    one, other = first.record, second.record
    if one.source.path == other.source.path and one.module_name != other.module_name:
        advice = (
            f"the file is imported as {one.module_name!r} and as {other.module_name!r}, "
            "import it in one way only"
        )
    msg = (
        f"the pass name {name!r} is registered twice: first by {places[0]}, "
        f"then by {places[1]}; {advice}"
    )
    return DuplicatePassError(msg, name=name, first=places[0], second=places[1])
