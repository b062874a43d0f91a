"""
A load, from the text of the variable to the report; reads like the flow of the design.

    str -> PassPathSpec -> ModuleSource -> module -> Registration -> LoadReport

Loads are synchronous and one at a time in a process. ``gepass.process`` holds the
process-wide one.
"""

from __future__ import annotations

import gc
import importlib
import keyword
import os
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gepass.errors import (
    Code,
    DuplicatePassError,
    GepassError,
    ModuleLoadError,
    PassPathError,
    Problem,
)
from gepass.events import (
    EntrySkipped,
    LoadFinished,
    LoadStarted,
    PathAccepted,
    PathRejected,
    PathSegmentDropped,
    WarningRaised,
)
from gepass.ge_differs import ge_differs
from gepass.importing.directories import NEVER_OWN
from gepass.importing.importer import importer
from gepass.importing.session import PlannedModule, Session
from gepass.logs import EventLog
from gepass.outcome_events import outcome_events
from gepass.outcomes import LoadReport, ModuleOutcome
from gepass.path_spec import parse_pass_path, segment_name, split_pass_path
from gepass.path_text import quote
from gepass.records import EnvironmentOrigin
from gepass.scanning import ScanResult, SkippedEntry, scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gepass.environ import OnError
    from gepass.path_spec import PassPathSpec
    from gepass.registry import PassRegistry, Registration
    from gepass.scanning import ModuleSource

__all__ = ["Load"]

# What pydantic would import when it builds its first model: a fork in the middle of an
# import leaves a lock that hangs the child, so nothing is left to import in a load.
for _needed in ("pydantic.dataclasses", "pydantic.plugin._loader"):
    importlib.import_module(_needed)


class Load:
    """One load under way."""

    def __init__(
        self,
        value: str | None,
        *,
        registry: PassRegistry,
        on_error: OnError,
        warnings: tuple[Problem, ...],
        on_progress: Callable[[], None],
    ) -> None:
        self._value = value
        self._registry = registry
        self._on_error = on_error
        self._on_progress = on_progress
        self._log = EventLog()
        self._id = uuid.uuid4().hex
        self._started = time.perf_counter()
        self._specs: tuple[PassPathSpec, ...] = ()
        self._skipped: list[SkippedEntry] = []
        self._plan: dict[Path, PlannedModule] = {}
        self._outcomes: dict[str, ModuleOutcome] = {}
        self._problems: list[Problem] = []
        self._early_warnings = warnings
        self._warnings: list[Problem] = []

    def run(self) -> LoadReport:
        """
        Load everything that the value names.

        Raises:
            PassPathError: a segment cannot be used; no user code has run.
            ModuleLoadError: a module failed and ``on_error`` is ``raise``.
            DuplicatePassError: likewise, two passes have one name.

        All of them carry the report.

        """
        self._log(LoadStarted(load_id=self._id, value=self._value, pid=os.getpid()))
        for problem in self._early_warnings:
            self._warn(problem)
        try:
            self._specs = self._parse()
            self._scan()
        except PassPathError as error:
            self._reject(error)
            raise
        self._import()
        return self._finish()

    def _parse(self) -> tuple[PassPathSpec, ...]:
        if self._value is None:
            return ()
        for segment in split_pass_path(self._value):
            if not segment.text:
                self._log(PathSegmentDropped(load_id=self._id, position=segment.position))
                if self._value.strip():
                    self._warnings.append(_dropped(segment.position))
        specs = parse_pass_path(self._value)
        for spec in specs:
            self._log(
                PathAccepted(
                    load_id=self._id,
                    position=spec.position,
                    path=spec.path,
                    kind=spec.kind,
                )
            )
        return specs

    def _scan(self) -> None:
        """Scan all specs before anything is imported; a file has its first place."""
        plan = self._plan
        packages: dict[str, ModuleSource] = {}
        for spec in self._specs:
            result = scan(spec)
            self._note_skips(result)
            if spec.kind == "directory" and not result.sources:
                self._warn(_nothing_found(spec))
            for source in result.sources:
                first = plan.get(source.path)
                if first is not None:
                    self._skip(_repeated(source, first.source))
                    continue
                plan[source.path] = PlannedModule(
                    source=source,
                    order=len(plan),
                    origin=EnvironmentOrigin(position=source.position),
                    alone=spec.kind == "file",
                    warnings=tuple(_name_warnings(source, packages)),
                )

    def _import(self) -> None:
        transaction = self._registry.begin()
        session = Session(transaction, self._publish)
        with _collector_paused(), importer.running(session):
            try:
                self._import_in_order(session)
                transaction.commit()
            except BaseException:
                session.roll_back()
                raise

    def _import_in_order(self, session: Session) -> None:
        for planned in self._plan.values():
            session.add(planned, importer.declare(planned.source))
        for name in tuple(session.plan):
            outcome = session.import_planned(name)
            self._on_progress()
            if outcome.status == "failed" and self._on_error == "raise":
                raise self._failure(outcome, session.errors[name])

    def _publish(
        self, outcome: ModuleOutcome, registrations: tuple[Registration, ...]
    ) -> None:
        """Take an outcome into the report, and tell it."""
        self._outcomes[outcome.module_name] = outcome
        self._warnings += outcome.warnings
        if outcome.error is not None:
            self._problems.append(
                Problem(
                    code=outcome.error.code,
                    message=outcome.error.message,
                    path=outcome.error.path,
                    line=outcome.error.line,
                )
            )
        for event in outcome_events(self._id, outcome, registrations):
            self._log(event)

    def _failure(self, outcome: ModuleOutcome, error: BaseException) -> GepassError:
        """Make the exception that ends the load."""
        report = self._finish()
        failure = outcome.error
        if failure is None or isinstance(error, DuplicatePassError):
            raised = error if isinstance(error, GepassError) else GepassError(str(error))
        else:
            raised = ModuleLoadError(
                failure.message,
                code=failure.code,
                path=failure.path,
                line=failure.line,
            )
            raised.__cause__ = error
        raised.report = report
        return raised

    def _reject(self, error: PassPathError) -> None:
        self._problems += error.problems
        for problem in error.problems:
            self._log(
                PathRejected(
                    load_id=self._id,
                    position=problem.position,
                    code=problem.code,
                    message=problem.message,
                )
            )
        error.report = self._finish()

    def _finish(self) -> LoadReport:
        outcomes = tuple(
            sorted(
                self._outcomes.values(),
                key=lambda outcome: self._plan[outcome.path].order,
            )
        )
        passes = sum(len(outcome.pass_names) for outcome in outcomes)
        stays = not self._problems or self._on_error == "isolate"
        self._log(
            LoadFinished(
                load_id=self._id,
                ok=not self._problems,
                modules=len(outcomes),
                failed=sum(outcome.status == "failed" for outcome in outcomes),
                passes=passes if stays else 0,
                duration_ms=round((time.perf_counter() - self._started) * 1000, 3),
            )
        )
        if self._log.lost:
            self._warnings.append(_events_lost(self._log.lost))
        return LoadReport(
            load_id=self._id,
            specs=self._specs,
            modules=outcomes,
            skipped=tuple(self._skipped),
            problems=tuple(self._problems),
            warnings=tuple(self._warnings),
            ok=not self._problems,
        )

    def _note_skips(self, result: ScanResult) -> None:
        for entry in result.skipped:
            self._skip(entry)
            if entry.code is not None:
                self._warn(
                    Problem(
                        code=entry.code,
                        message=f"{quote(entry.path)} is not loaded: {entry.reason}",
                        path=entry.path,
                    )
                )

    def _skip(self, entry: SkippedEntry) -> None:
        self._skipped.append(entry)
        self._log(EntrySkipped(load_id=self._id, path=entry.path, reason=entry.reason))

    def _warn(self, problem: Problem) -> None:
        self._warnings.append(problem)
        self._log(
            WarningRaised(
                load_id=self._id,
                code=problem.code,
                message=problem.message,
                path=problem.path,
                line=problem.line,
            )
        )


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Classes and modules are cyclic and all stay: on large loads the collector costs as
    # much as everything else and finds nothing.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _name_warnings(
    source: ModuleSource, packages: dict[str, ModuleSource]
) -> Iterator[Problem]:
    """Warn of names that siblings, or GE, cannot import as one would think."""
    name = source.name
    if name in NEVER_OWN:
        message = (
            f"{quote(source.path)} is called like a module of the standard library or "
            f"of the tools; code beside it that imports {name!r} gets that one"
        )
        yield Problem(code=Code.NOT_IMPORTABLE, message=message, path=source.path)
    if source.kind == "file":
        return
    if not name.isidentifier() or keyword.iskeyword(name):
        message = (
            f"{quote(source.path.parent)}: {name!r} is no name that code beside it "
            "can import; the package itself is loaded"
        )
        yield Problem(code=Code.NOT_IMPORTABLE, message=message, path=source.path)
        yield ge_differs(f"GE cannot import a package called {name!r}", source.path)
    elif name in sys.modules:
        message = (
            f"GE takes the module {name!r} that is loaded already in place of the "
            "package; rename the directory"
        )
        yield ge_differs(message, source.path)
    first = packages.setdefault(name, source)
    if first is not source:
        message = (
            f"GE drops this package, since {quote(first.path.parent)} has the same "
            "name; rename one of the directories"
        )
        yield ge_differs(message, source.path)


def _dropped(position: int) -> Problem:
    message = f"{segment_name(position)} is empty and was dropped"
    return Problem(code=Code.SEGMENT_EMPTY, message=message, position=position)


def _nothing_found(spec: PassPathSpec) -> Problem:
    message = (
        f"{segment_name(spec.position)}: {quote(spec.path)} holds no pass file and no "
        "package at its first level"
    )
    return Problem(
        code=Code.NOTHING_FOUND, message=message, position=spec.position, path=spec.path
    )


def _repeated(source: ModuleSource, first: ModuleSource) -> SkippedEntry:
    listed = source.directory / (
        source.name if source.kind == "package" else f"{source.name}.py"
    )
    where = segment_name(first.position)
    return SkippedEntry(path=listed, reason=f"the same file as one of {where}, loaded once")


def _events_lost(count: int) -> Problem:
    message = f"{count} event{'s' * (count > 1)} could not be written to the log"
    return Problem(code=Code.EVENT_LOST, message=message)
