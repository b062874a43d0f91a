"""
The importing state of the process, and the one place that executes user files.

The finder's loaders call ``execute``. It decides for whom a module runs: as planned by
the load under way, for the unit that imports it, or, when no load asks for it, by itself.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from gepass.collecting import Scope, scopes, thread
from gepass.errors import Problem, RegistrationValueError
from gepass.events import NO_LOAD, ModuleLoaded
from gepass.ge_differs import sibling_import_warnings
from gepass.importing.directories import PassDirectory
from gepass.importing.finder import PassFinder, hash_entry, take_code
from gepass.importing.table import ModuleEntry, table
from gepass.importing.units import (
    Unit,
    executed_files,
    milliseconds_since,
    remove_module,
)
from gepass.logs import EventLog
from gepass.path_text import encode_path, quote
from gepass.records import DirectOrigin
from gepass.registry import Batch, Registration, default_registry
from gepass.scanning import MODULE_PREFIX

if TYPE_CHECKING:
    from gepass.importing.session import PlannedModule, Session
    from gepass.scanning import ModuleSource

__all__ = ["importer"]


class _ThreadState(threading.local):
    unit: Unit | None = None
    """What this thread executes."""


class _Importer:
    """Finder, directories, and the session of the load under way."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.executing: Final[dict[str, int]] = {}
        """Thread of each module that is being executed, by internal name."""
        self._units: Final[dict[str, Unit]] = {}
        """Unit of each module that the load under way executed, by internal name."""
        self._finder: Final = PassFinder(self.execute)
        self._directories: Final[dict[Path, PassDirectory]] = {}
        self._thread: Final = _ThreadState()

    @contextmanager
    def running(self, session: Session) -> Iterator[None]:
        """Make a session the one that modules are executed for."""
        self.session = session
        self._install()
        try:
            yield
        finally:
            self.session = None
            self._close_scopes()
            self._remove_unused()

    def declare(self, source: ModuleSource) -> ModuleEntry:
        """Make a scanned module known; a file that is known keeps its entry."""
        return table.declare(
            ModuleEntry(
                name=source.module_name,
                plain_name=source.name,
                path=source.path,
                kind=source.kind,
                search=str(source.path.parent) if source.kind == "package" else None,
                directory=self._get_directory(source.directory),
            )
        )

    def forget_modules(self) -> tuple[Registration, ...]:
        """Forget every module that ran, and return what they registered."""
        registrations: list[Registration] = []
        for entry in list(table.by_name.values()):
            registrations += entry.registrations
            if entry.module is not None:
                remove_module(entry, entry.module)
        self._remove_unused()
        return tuple(registrations)

    def execute(self, entry: ModuleEntry, module: ModuleType) -> None:
        """Run the code of a module that the import system is about to load."""
        session = self.session
        planned = None if session is None else session.plan.get(entry.name)
        unit = self._thread.unit
        if entry.module is module and (planned is not None or entry.registrations):
            msg = (
                f"{quote(entry.path)} has run and is not run again in a process; call "
                "gepass.unload() and load it again"
            )
            raise ImportError(msg, name=entry.plain_name, path=str(entry.path))
        self.executing[entry.name] = threading.get_ident()
        try:
            if session is not None and planned is not None:
                self._run_planned(session, planned, entry, module)
            elif unit is not None and unit.is_open:
                self._run(unit, entry, module)
            else:
                self._run_late(entry, module)
        finally:
            self.executing.pop(entry.name, None)

    @contextmanager
    def attributing(self, importer_name: str) -> Iterator[None]:
        """Attribute imports by another thread to the unit of the importing module."""
        self._install()
        unit = self._thread.unit or self._units.get(importer_name)
        with self._as_current(unit):
            yield

    def warn(self, problem: Problem) -> None:
        """Take a warning about what this thread imports right now."""
        if self._thread.unit is not None:
            self._thread.unit.warnings.append(problem)

    def abandon_session(self) -> None:
        """After a fork: undo the load of another thread, which the child lacks."""
        if self.session is not None:
            for unit in set(self._units.values()):
                if unit.is_open:
                    unit.undo()
            self.session.roll_back()
            self.session = None
            self._close_scopes()

    def abandon_other_threads(self) -> None:
        """
        After a fork: forget what other threads were importing.

        The import system keeps a lock a module. One that a thread held at the fork is
        never released in the child, wherever in the import that thread was.
        """
        thread = threading.get_ident()
        for name, ident in list(self.executing.items()):
            if ident != thread:
                del self.executing[name]
        locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
        for name in {*sys.modules, *locks}:
            if not name.startswith(MODULE_PREFIX) or name in self.executing:
                continue
            locks.pop(name, None)
            entry = table.by_name.get(name)
            if entry is None or entry.module is None:
                sys.modules.pop(name, None)

    def _get_directory(self, path: Path) -> PassDirectory:
        known = self._directories.get(path)
        return known or self._directories.setdefault(path, PassDirectory(path, self))

    def _install(self) -> None:
        # First, since it answers for a prefix of its own and asks nobody else.
        if not any(finder is self._finder for finder in sys.meta_path):
            sys.meta_path.insert(0, self._finder)

    def _close_scopes(self) -> None:
        for name in self._units:
            scopes.pop(name, None)
        self._units.clear()

    def _remove_unused(self) -> None:
        """Forget entries that did not run; leave no trace when none did."""
        for entry in list(table.by_name.values()):
            if entry.module is None and entry.name not in self.executing:
                table.remove(entry)
        if not table.by_name:
            sys.meta_path[:] = [f for f in sys.meta_path if f is not self._finder]
            self._directories.clear()

    def _run_planned(
        self,
        session: Session,
        planned: PlannedModule,
        entry: ModuleEntry,
        module: ModuleType,
    ) -> None:
        session.check_not_failed(entry)
        parent = self._thread.unit
        unit = Unit(
            session=session,
            batch=session.transaction.open_batch(planned.order),
            origin=planned.origin,
            owner=entry.name,
            alone=planned.alone,
        )
        try:
            with self._as_current(unit):
                self._run(unit, entry, module)
            session.finish(unit, entry)
        except BaseException as error:
            session.fail(unit, entry, error)
            raise
        if parent is None or parent.session is not session:
            session.settle(unit)
        else:
            session.attach(unit, parent)

    def _run_late(self, entry: ModuleEntry, module: ModuleType) -> None:
        """Run a module that no unit under way imports: it has a unit of its own."""
        unit = self._late_unit(entry)
        try:
            with self._as_current(unit):
                self._run(unit, entry, module)
            if unit.session is None:
                default_registry().add_all(unit.batch.entries)
            else:
                unit.session.keep(unit)
        except BaseException:
            unit.undo()
            raise
        finally:
            unit.is_open = False
            if unit.session is None:
                for created, _ in [*unit.created, (entry, module)]:
                    scopes.pop(created.name, None)
        _record(unit)
        _tell_late_import(unit, entry)

    def _late_unit(self, entry: ModuleEntry) -> Unit:
        session, ended = self.session, self._thread.unit
        if session is None or ended is None or ended.session is not session:
            return Unit(
                session=None,
                batch=Batch(0),
                origin=DirectOrigin(),
                owner=entry.name,
                alone=False,
            )
        # A thread goes on importing after the module that started it has ended.
        return Unit(
            session=session,
            batch=session.transaction.open_batch(ended.batch.order),
            origin=ended.origin,
            owner=ended.owner,
            alone=ended.alone,
        )

    def _run(self, unit: Unit, entry: ModuleEntry, module: ModuleType) -> None:
        point = unit.savepoint()
        try:
            self._run_code(unit, entry, module)
        except BaseException:
            unit.roll_back(point)
            raise
        entry.module = sys.modules.get(entry.name, module)
        entry.owner = unit.owner
        unit.created.append((entry, entry.module))

    def _run_code(self, unit: Unit, entry: ModuleEntry, module: ModuleType) -> None:
        if entry.kind == "namespace":
            return
        module.__file__ = str(entry.path)
        if entry.kind == "extension":
            hash_entry(entry)
            ExtensionFileLoader(entry.name, str(entry.path)).exec_module(module)
            return
        code = take_code(entry)
        names = entry.directory.listing.names()
        unit.warnings += sibling_import_warnings(
            code,
            entry.path,
            siblings=names.every,
            lasting=names.packages,
            alone=unit.alone,
        )
        self._open_scope(unit, entry)
        namespace = vars(module)
        namespace["__builtins__"] = entry.directory.builtins
        exec(code, namespace)  # noqa: S102 - running user files is the job

    def _open_scope(self, unit: Unit, entry: ModuleEntry) -> None:
        if unit.session is not None:
            self._units[entry.name] = unit
        scopes[entry.name] = Scope(
            path=encode_path(entry.path),
            sha256=entry.sha256,
            origin=unit.origin,
            collect=partial(self._collect, unit),
        )

    def _collect(self, unit: Unit, registration: Registration) -> None:
        """Take a registration, also one that a function makes after its module ended."""
        current = self._thread.unit
        if unit.is_open:
            unit.batch.entries.append(registration)
        elif unit.is_undone:
            msg = (
                f"the module that registers {registration.record.pass_name!r} failed; "
                "nothing of it stays"
            )
            raise RegistrationValueError(msg)
        elif current is not None and current.is_open:
            current.batch.entries.append(registration)
        elif unit.session is not None:
            batch = unit.session.transaction.open_batch(unit.batch.order)
            batch.entries.append(registration)
            unit.session.transaction.stage(batch)

    @contextmanager
    def _as_current(self, unit: Unit | None) -> Iterator[None]:
        before, before_scope = self._thread.unit, thread.scope
        self._thread.unit = unit
        thread.scope = None if unit is None else self._thread_scope(unit)
        try:
            yield
        finally:
            self._thread.unit, thread.scope = before, before_scope

    def _thread_scope(self, unit: Unit) -> Scope:
        return Scope(
            path=None,
            sha256=None,
            origin=unit.origin,
            collect=partial(self._collect, unit),
        )


def _record(unit: Unit) -> None:
    """Let the owner answer for what was imported for it after it had ended (R9)."""
    owner = table.by_name[unit.owner]
    helpers = (known for known, _ in unit.created if known is not owner)
    owner.helpers = (*owner.helpers, *helpers)
    owner.registrations = (*owner.registrations, *unit.batch.entries)


def _tell_late_import(unit: Unit, entry: ModuleEntry) -> None:
    """Log what ran, since no report of a load will tell it."""
    executed = executed_files(known for known, _ in reversed(unit.created))
    EventLog()(
        ModuleLoaded(
            load_id=NO_LOAD,
            path=entry.path,
            module_name=entry.name,
            sha256=entry.sha256 or "",
            duration_ms=milliseconds_since(unit.started),
            pass_names=tuple(known.record.pass_name for known in unit.batch.entries),
            executed=executed,
        )
    )


importer: Final = _Importer()
"""The importer of the process."""
