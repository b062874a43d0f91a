"""
The loads of a process: the process-wide one, explicit ones, and forgetting (R9, R11).

This module owns the gate that keeps loads apart, and what a fork needs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Final, get_args

from gepass.collector import collector_pause
from gepass.environ import PASS_PATH, OnError, read_pass_path, read_settings
from gepass.errors import Code, Problem, SettingError
from gepass.events import NO_LOAD, WarningRaised
from gepass.first_use import prepare
from gepass.importing.importer import importer
from gepass.importing.session import changed_since_loaded
from gepass.importing.table import table
from gepass.load_gate import LoadGate
from gepass.loading import Load
from gepass.logs import EventLog
from gepass.outcomes import LoadReport
from gepass.path_spec import check_is_text
from gepass.path_text import quote
from gepass.registry import PassRegistry, default_registry

__all__ = ["forget_everything", "load_from_environment", "load_passes", "unload"]


@dataclass(slots=True)
class _ProcessLoad:
    """The process-wide load that is in force."""

    value: str | None
    report: LoadReport
    users: int = 1


class _Process:
    """What the loads of this process share."""

    def __init__(self) -> None:
        self.gate: Final = LoadGate(importer.executing)
        self.load: _ProcessLoad | None = None


_process: Final = _Process()


def load_from_environment() -> LoadReport:
    """
    Load what ``ASCEND_GE_PY_PASS_PATH`` names into the default registry.

    The first success fixes the value for the process; later calls count as users of the
    same load and return its report, with a warning where the variable or a file has
    changed since. ``unload`` of the last user releases the value (R11).
    ``GEPASS_ON_ERROR=isolate`` leaves failing modules out instead of raising.

    Raises:
        PassPathError: a segment cannot be used (R3); nothing was loaded.
        ModuleLoadError: a module failed; nothing stays.
        DuplicatePassError: two passes have one name; nothing stays.
        SettingError: a ``GEPASS_*`` setting has a value that is not allowed.
        LoadInProgressError: called by code that a load runs or waits for.

    """
    prepare()
    with _process.gate.held():
        if _process.load is not None:
            _process.load.users += 1
            if _is_incomplete(_process.load):
                _process.load.report = _run_process_load(_process.load.value)
            return _report_again(_process.load)
        value = read_pass_path()
        report = _run_process_load(value)
        _process.load = _ProcessLoad(value, report)
        return report


def _run_process_load(value: str | None) -> LoadReport:
    settings = read_settings()
    return Load(
        value,
        registry=default_registry(),
        on_error=settings.on_error or "raise",
        warnings=settings.unknown,
        on_progress=_process.gate.note_progress,
    ).run()


def _is_incomplete(load: _ProcessLoad) -> bool:
    """Tell whether somebody cleared the registry: then it is filled again (R9)."""
    registry = default_registry()
    return any(
        registry.find(name) is None
        for outcome in load.report.modules
        for name in outcome.pass_names
    )


def load_passes(
    pass_path: str,
    *,
    registry: PassRegistry | None = None,
    on_error: OnError = "raise",
) -> LoadReport:
    """
    Load what a value names; it has the form of ``ASCEND_GE_PY_PASS_PATH``.

    A file that ran before in this process is not run again; what it registers goes into
    ``registry`` all the same (R9).

    Args:
        pass_path: files and directories, separated by ``:``.
        registry: where the passes go, the default registry when left out.
        on_error: ``raise`` makes the load all or nothing, ``isolate`` leaves failing
            modules out and says so in the report. ``GEPASS_ON_ERROR=raise`` binds.

    Raises:
        PassPathError: a segment cannot be used (R3), in every mode.
        ModuleLoadError: a module failed, with ``on_error="raise"``.
        DuplicatePassError: two passes have one name, with ``on_error="raise"``.
        SettingError: a setting or ``on_error`` has a value that is not allowed.
        LoadInProgressError: called by code that a load runs or waits for.

    """
    check_is_text(pass_path)
    _check_is_registry(registry)
    if on_error not in get_args(OnError):
        msg = f"on_error={on_error!r} is not allowed; use one of: raise, isolate"
        raise SettingError(msg)
    prepare()
    with _process.gate.held():
        settings = read_settings()
        warnings = settings.unknown
        if on_error == "isolate" and settings.on_error == "raise":
            warnings += (_setting_binds(),)
            on_error = "raise"
        return Load(
            pass_path,
            registry=default_registry() if registry is None else registry,
            on_error=on_error,
            warnings=warnings,
            on_progress=_process.gate.note_progress,
        ).run()


def _check_is_registry(value: object) -> None:
    if value is not None and not isinstance(value, PassRegistry):
        msg = f"registry is a PassRegistry or None, not {type(value).__name__}"
        raise TypeError(msg)


def unload() -> None:
    """
    Give up one use of the process-wide load; the last one forgets all modules.

    Forgotten modules leave ``sys.modules`` and their passes the default registry; a later
    load runs the files again. Without a process-wide load, what explicit loads left is
    forgotten at once. Passes in other registries stay usable.

    Raises:
        LoadInProgressError: called by code that a load runs or waits for.

    """
    with _process.gate.held():
        if _process.load is not None:
            _process.load.users -= 1
            if _process.load.users:
                return
        elif not table.by_name:
            _warn(Code.UNLOAD_TOO_MANY, "unload() was called and nothing is loaded")
            return
        _forget()


def forget_everything() -> None:
    """Forget all modules, whoever uses them: for tests and for the end of a host."""
    with _process.gate.held():
        _forget()


def _forget() -> None:
    _process.load = None
    default_registry().remove(importer.forget_modules())


def _report_again(load: _ProcessLoad) -> LoadReport:
    warnings: list[Problem] = []
    value = read_pass_path()
    if value != load.value:
        now = "unset" if value is None else quote(value)
        was = "unset" if load.value is None else quote(load.value)
        message = (
            f"{PASS_PATH} is {now} now and was {was} when it was loaded; the change has "
            "no effect until gepass.unload()"
        )
        warnings.append(Problem(code=Code.VARIABLE_CHANGED, message=message))
    for outcome in load.report.modules:
        entry = table.by_name.get(outcome.module_name)
        if entry is not None:
            warnings += changed_since_loaded(entry)
    for problem in warnings:
        _warn(problem.code, problem.message, load.report.load_id)
    if not warnings:
        return load.report
    return replace(load.report, warnings=(*load.report.warnings, *warnings))


def _setting_binds() -> Problem:
    message = "GEPASS_ON_ERROR=raise binds; on_error='isolate' has no effect"
    return Problem(code=Code.SETTING_BINDS, message=message)


def _warn(code: Code, message: str, load_id: str = NO_LOAD) -> None:
    EventLog()(
        WarningRaised(load_id=load_id, code=code, detail=message, path=None, line=None)
    )


def _after_fork_in_child() -> None:
    """Drop what a load in another thread, which the child lacks, was in the middle of."""
    if _process.gate.is_held_elsewhere():
        importer.abandon_session()
        collector_pause.resume()
    importer.abandon_other_threads()
    _process.gate.reset()


os.register_at_fork(after_in_child=_after_fork_in_child)
