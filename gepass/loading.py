"""
A load, from the text of the variable to the report; reads like the flow of the design.

    str -> PassPathSpec -> ModuleSource -> module -> Registration -> LoadReport

Loads are synchronous and one at a time in a process. ``gepass.process`` holds the
process-wide one.
"""

from __future__ import annotations

import os
import uuid
from time import perf_counter
from typing import TYPE_CHECKING

from gepass.collector import collector_pause
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
from gepass.importing.importer import importer
from gepass.importing.session import PlannedModule, Session
from gepass.logs import EventLog
from gepass.outcome_events import outcome_events
from gepass.outcomes import LoadReport, ModuleOutcome
from gepass.path_spec import parse_pass_path, split_pass_path
from gepass.records import EnvironmentOrigin
from gepass.scanning import ScanResult, SkippedEntry, scan
from gepass.source_warnings import (
    entry_skipped,
    name_warnings,
    nothing_found,
    repeated_source,
    segment_dropped,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gepass.environ import OnError
    from gepass.path_spec import PassPathSpec
    from gepass.registry import PassRegistry, Registration
    from gepass.scanning import ModuleSource

__all__ = ["Load"]


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
        self._started = perf_counter()
        self._specs: tuple[PassPathSpec, ...] = ()
        self._skipped: list[SkippedEntry] = []
        self._plan: dict[str, PlannedModule] = {}
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
        with collector_pause:
            self._import()
        return self._finish()

    def _parse(self) -> tuple[PassPathSpec, ...]:
        if self._value is None:
            return ()
        for segment in split_pass_path(self._value):
            if not segment.text:
                self._log(PathSegmentDropped(load_id=self._id, position=segment.position))
                if self._value.strip():
                    self._warnings.append(segment_dropped(segment.position))
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
            origin = EnvironmentOrigin(position=spec.position)
            self._note_skips(result)
            if spec.kind == "directory" and not result.sources:
                self._warn(nothing_found(spec))
            for source in result.sources:
                first = plan.get(str(source.path))
                if first is not None:
                    self._skip(repeated_source(source, first.source))
                    continue
                plan[str(source.path)] = PlannedModule(
                    source=source,
                    order=len(plan),
                    origin=origin,
                    alone=spec.kind == "file",
                    warnings=tuple(name_warnings(source, packages)),
                )

    def _import(self) -> None:
        transaction = self._registry.begin()
        session = Session(transaction, self._publish)
        with importer.running(session):
            try:
                self._import_in_order(session)
                session.commit()
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
        if outcome.error is None and not outcome.warnings and not self._log.takes("info"):
            return  # making events that nobody takes would cost more than the outcome
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
                    detail=problem.message,
                )
            )
        error.report = self._finish()

    def _finish(self) -> LoadReport:
        outcomes = tuple(
            sorted(
                self._outcomes.values(),
                key=lambda outcome: self._plan[str(outcome.path)].order,
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
                duration_ms=round((perf_counter() - self._started) * 1000, 3),
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
            warning = entry_skipped(entry)
            if warning is not None:
                self._warn(warning)

    def _skip(self, entry: SkippedEntry) -> None:
        self._skipped.append(entry)
        self._log(EntrySkipped(load_id=self._id, path=entry.path, reason=entry.reason))

    def _warn(self, problem: Problem) -> None:
        self._warnings.append(problem)
        self._log(
            WarningRaised(
                load_id=self._id,
                code=problem.code,
                detail=problem.message,
                path=problem.path,
                line=problem.line,
            )
        )


def _events_lost(count: int) -> Problem:
    message = f"{count} event{'s' * (count > 1)} could not be written to the log"
    return Problem(code=Code.EVENT_LOST, message=message)
