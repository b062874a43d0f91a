"""The events that an outcome gives: one outcome, told once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gepass.errors import Code
from gepass.events import (
    LoadEvent,
    ModuleAlreadyLoaded,
    ModuleFailed,
    ModuleLoaded,
    ModuleRegisteredNothing,
    PassRegistered,
    PassRejected,
    WarningRaised,
)

if TYPE_CHECKING:
    from gepass.errors import Problem
    from gepass.outcomes import Failure, ModuleOutcome
    from gepass.registry import Registration

__all__ = ["outcome_events"]

_REJECTIONS = frozenset(
    {Code.REGISTRATION_TYPE, Code.REGISTRATION_VALUE, Code.DUPLICATE_PASS}
)


def outcome_events(
    load_id: str, outcome: ModuleOutcome, registrations: tuple[Registration, ...]
) -> Iterator[LoadEvent]:
    """Tell what became of a module, what it registered, and what to know about it."""
    yield _module_event(load_id, outcome)
    if outcome.error is not None and outcome.error.code in _REJECTIONS:
        yield PassRejected(
            load_id=load_id, code=outcome.error.code, detail=outcome.error.message
        )
    for known in registrations:
        record = known.record
        yield PassRegistered(
            load_id=load_id,
            pass_name=record.pass_name,
            stage=record.stage.value,
            kind=record.kind.value,
            descriptor_key=record.descriptor_key,
            path=record.source.path,
            line=record.source.line,
        )
    for problem in outcome.warnings:
        yield _warning_event(load_id, outcome, problem)


def _warning_event(load_id: str, outcome: ModuleOutcome, problem: Problem) -> LoadEvent:
    if problem.code == Code.REGISTERED_NOTHING:
        return ModuleRegisteredNothing(
            load_id=load_id,
            path=outcome.path,
            module_name=outcome.module_name,
            detail=problem.message,
        )
    return WarningRaised(
        load_id=load_id,
        code=problem.code,
        detail=problem.message,
        path=problem.path,
        line=problem.line,
    )


def _module_event(load_id: str, outcome: ModuleOutcome) -> LoadEvent:
    if outcome.error is not None:
        return _failed(load_id, outcome, outcome.error)
    if outcome.status == "already_loaded":
        return ModuleAlreadyLoaded(
            load_id=load_id,
            path=outcome.path,
            module_name=outcome.module_name,
            pass_names=outcome.pass_names,
        )
    return ModuleLoaded(
        load_id=load_id,
        path=outcome.path,
        module_name=outcome.module_name,
        sha256=outcome.sha256 or "",
        duration_ms=outcome.duration_ms,
        pass_names=outcome.pass_names,
        executed=outcome.executed,
    )


def _failed(load_id: str, outcome: ModuleOutcome, failure: Failure) -> ModuleFailed:
    return ModuleFailed(
        load_id=load_id,
        path=outcome.path,
        module_name=outcome.module_name,
        code=failure.code,
        exception_type=failure.exception_type,
        detail=failure.message,
        line=failure.line,
        traceback=failure.traceback,
    )
