"""
One load's imports: what is planned, what came of it, and how to undo it.

A ``Session`` is the importing half of a load. It executes nothing itself: it asks the
import system for a module, whose loader comes back through the ``importer``.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final

from gepass.errors import Code, DuplicatePassError, Problem
from gepass.importing.classes import settle_classes
from gepass.importing.deadlock import explained_deadlock
from gepass.importing.failures import describe_failure, exception_text
from gepass.importing.finder import compile_ahead
from gepass.importing.table import FileStamp, ModuleEntry, table
from gepass.importing.undo import ImportState
from gepass.importing.units import executed_files, milliseconds_since
from gepass.outcomes import ModuleOutcome
from gepass.passes import FusionBasePass
from gepass.path_text import quote
from gepass.registry import Registration, Transaction
from gepass.source_warnings import registered_nothing

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from gepass.importing.units import Unit
    from gepass.records import EntryPointOrigin, EnvironmentOrigin
    from gepass.scanning import ModuleSource

__all__ = ["PlannedModule", "Session", "changed_since_loaded"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedModule:
    """A source, and what the load knows about it besides."""

    source: ModuleSource
    order: int
    """Place in the scan order of the whole load."""
    origin: EnvironmentOrigin | EntryPointOrigin
    alone: bool
    """Whether the file itself is listed, not its directory."""
    warnings: tuple[Problem, ...] = ()


class Session:
    """The importing half of one load: plan, outcomes, and how to undo them."""

    def __init__(
        self,
        transaction: Transaction,
        publish: Callable[[ModuleOutcome, tuple[Registration, ...]], None],
    ) -> None:
        self.transaction: Final = transaction
        self.plan: Final[dict[str, PlannedModule]] = {}
        self.outcomes: Final[dict[str, ModuleOutcome]] = {}
        self.errors: Final[dict[str, BaseException]] = {}
        """What failed modules raised; all three are keyed by internal module name."""
        self._publish_outcome = publish
        self._state = ImportState.capture()
        self._settled: list[Unit] = []

    def add(self, planned: PlannedModule, entry: ModuleEntry) -> None:
        """Plan a module under its internal name, and compile it if it has not run."""
        self.plan[entry.name] = planned
        if entry.module is None:
            compile_ahead(entry)

    def import_planned(self, name: str) -> ModuleOutcome:
        """
        Import a planned module, or take over what it did in an earlier load.

        Raises:
            KeyboardInterrupt: it came while the module ran; what it changed is undone.

        """
        if name in self.outcomes:
            return self.outcomes[name]
        entry = table.by_name[name]
        if entry.module is not None and sys.modules.get(name) is entry.module:
            return self._adopt(entry)
        started = perf_counter()
        try:
            with explained_deadlock(entry.plain_name):
                importlib.import_module(name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - SystemExit and the like, too (R12)
            if name not in self.outcomes:
                self._settle_failure(entry, error, started)
        return self.outcomes.get(name) or self._adopt(entry)

    def commit(self) -> None:
        """Make what was loaded stay; how to undo it is no longer kept."""
        self.transaction.commit()
        self._settled.clear()

    def roll_back(self) -> None:
        """Undo everything that this load did."""
        for unit in reversed(self._settled):
            unit.undo()
        self._settled.clear()
        self.transaction.roll_back()
        self._state.remove_additions()

    def check_not_failed(self, entry: ModuleEntry) -> None:
        """
        Refuse to run a module a second time in the load in which it failed.

        Raises:
            ImportError: with the first failure as its cause.

        """
        error = self.errors.get(entry.name)
        if error is not None:
            msg = (
                f"{quote(entry.path)} failed earlier in this load: "
                f"{type(error).__name__}: {exception_text(error)}"
            )
            raise ImportError(msg, name=entry.plain_name, path=str(entry.path)) from error

    def finish(self, unit: Unit, entry: ModuleEntry) -> None:
        """
        Close a unit whose code ran to its end: check duplicates, make the outcome.

        Raises:
            DuplicatePassError: one of its passes has a name that is taken.
            RegistrationTypeError: a decorator made a class that GE cannot make.

        """
        unit.warnings += settle_classes(unit.batch)
        unit.batch.drop_repetitions()
        registrations = tuple(unit.batch.entries)
        self.transaction.stage(unit.batch)
        entry.registrations = registrations
        entry.helpers = tuple(known for known, _ in unit.created if known is not entry)
        unit.is_open = False
        unit.outcome = self._loaded_outcome(unit, entry)

    def settle(self, unit: Unit) -> None:
        """Make the outcomes of a unit, and of those inside it, final."""
        self._drain(unit)
        self._settled.append(unit)
        if unit.outcome is not None:
            self._publish(unit.outcome, tuple(unit.batch.entries))

    def attach(self, unit: Unit, parent: Unit) -> None:
        """
        Let a unit share the fate of the one that imports it.

        Another thread may end the parent at this moment; whoever takes the unit out of
        its list settles it, so no lock is needed.
        """
        parent.children.append(unit)
        if not parent.is_open:
            self._drain(parent)

    def keep(self, unit: Unit) -> None:
        """
        Take what a thread imported after the module that started it had ended.

        Raises:
            DuplicatePassError: one of its passes has a name that is taken.

        """
        self.transaction.stage(unit.batch)
        self._settled.append(unit)

    def _drain(self, parent: Unit) -> None:
        while parent.children:
            child = parent.children.pop(0)
            if parent.is_undone:
                child.undo()
            else:
                self.settle(child)

    def fail(self, unit: Unit, entry: ModuleEntry, error: BaseException) -> None:
        """Undo a unit and make its failure final; a Ctrl-C is nobody's failure."""
        unit.undo()
        if not isinstance(error, KeyboardInterrupt):
            self._settle_failure(entry, error, unit.started, tuple(unit.warnings))

    def _settle_failure(
        self,
        entry: ModuleEntry,
        error: BaseException,
        started: float,
        warnings: tuple[Problem, ...] = (),
    ) -> None:
        self.errors[entry.name] = error
        self._publish(
            ModuleOutcome(
                path=entry.path,
                module_name=entry.name,
                status="failed",
                sha256=entry.sha256,
                duration_ms=milliseconds_since(started),
                pass_names=(),
                error=describe_failure(error, entry.path),
                warnings=(*self.plan[entry.name].warnings, *warnings),
                executed=(),
            )
        )

    def _loaded_outcome(self, unit: Unit, entry: ModuleEntry) -> ModuleOutcome:
        names = tuple(known.record.pass_name for known in entry.registrations)
        warnings = [*self.plan[entry.name].warnings, *unit.warnings]
        if not names:
            warnings.append(_registered_nothing(entry))
        return ModuleOutcome(
            path=entry.path,
            module_name=entry.name,
            status="loaded",
            sha256=entry.sha256,
            duration_ms=milliseconds_since(unit.started - entry.seconds_ahead),
            pass_names=names,
            error=None,
            warnings=tuple(warnings),
            executed=executed_files((entry, *entry.helpers)),
        )

    def _adopt(self, entry: ModuleEntry) -> ModuleOutcome:
        """Register what a module registered before, without running it (R9)."""
        planned = self.plan[entry.name]
        batch = self.transaction.open_batch(planned.order)
        batch.entries = [
            Registration(
                record=known.record.model_copy(update={"origin": planned.origin}),
                pass_class=known.pass_class,
            )
            for known in _registrations_of(entry, self.plan.keys())
        ]
        names = tuple(known.record.pass_name for known in batch.entries)
        try:
            self.transaction.stage(batch)
        except DuplicatePassError as error:
            self.transaction.drop(batch)
            self._settle_failure(entry, error, perf_counter())
            return self.outcomes[entry.name]
        outcome = ModuleOutcome(
            path=entry.path,
            module_name=entry.name,
            status="already_loaded",
            sha256=entry.sha256,
            duration_ms=0.0,
            pass_names=names,
            error=None,
            warnings=(*planned.warnings, *changed_since_loaded(entry)),
            executed=(),
        )
        self._publish(outcome, tuple(batch.entries))
        return outcome

    def _publish(
        self, outcome: ModuleOutcome, registrations: tuple[Registration, ...] = ()
    ) -> None:
        self.outcomes[outcome.module_name] = outcome
        self._publish_outcome(outcome, registrations)


def changed_since_loaded(entry: ModuleEntry) -> tuple[Problem, ...]:
    """Warn where a file of a loaded module differs from what ran (R9)."""
    files = (entry, *entry.helpers)
    return tuple(_changed(file, what) for file in files if (what := _change_of(file)))


def _change_of(entry: ModuleEntry) -> str | None:
    try:
        if entry.stamp is None or FileStamp.of(entry.path) == entry.stamp:
            return None
        return None if entry.has_digest_of_file() else "changed"
    except OSError:
        return "disappeared"


def _changed(entry: ModuleEntry, what: str) -> Problem:
    message = (
        f"{quote(entry.path)} {what} after it was loaded; changes are not seen until "
        "gepass.unload() and a new load"
    )
    return Problem(code=Code.CHANGED_SINCE_LOADED, message=message, path=entry.path)


def _registrations_of(
    entry: ModuleEntry, planned: AbstractSet[str]
) -> tuple[Registration, ...]:
    """
    Return what a module registered, with what helpers registered for it.

    What another planned module registered is that module's, whoever imported it first.
    """
    owner = table.by_name.get(entry.owner or "", entry)
    return tuple(
        known
        for known in owner.registrations
        if known.record.module_name == entry.name
        or (owner is entry and known.record.module_name not in planned)
    )


def _registered_nothing(entry: ModuleEntry) -> Problem:
    names = [
        name
        for name, value in getattr(entry.module, "__dict__", {}).items()
        if isinstance(value, type)
        and issubclass(value, FusionBasePass)
        and value.__module__ == entry.name
        and not name.startswith("_")
    ]
    return registered_nothing(entry.path, names)
