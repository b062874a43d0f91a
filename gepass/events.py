"""
The closed vocabulary of load events, each a typed value (design section 7).

Events are data. ``gepass.logs`` says where they go; a sink is any callable that takes
one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from gepass.environ import LogLevel
from gepass.outcomes import ExecutedFile
from gepass.path_text import PathText, RawText

__all__ = [
    "NO_LOAD",
    "AnyLoadEvent",
    "EntrySkipped",
    "EventSink",
    "LoadEvent",
    "LoadFinished",
    "LoadStarted",
    "ModuleAlreadyLoaded",
    "ModuleFailed",
    "ModuleLoaded",
    "ModuleRegisteredNothing",
    "PassRegistered",
    "PassRejected",
    "PathAccepted",
    "PathRejected",
    "PathSegmentDropped",
    "WarningRaised",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadEvent:
    """
    Something that a load did; ``load_id`` tells which load.

    No field is called as an attribute of ``logging.LogRecord``, ``message`` above all, so
    that events fit every set-up of structlog and the standard library.
    """

    level: ClassVar[LogLevel] = "info"
    load_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadStarted(LoadEvent):
    """A load begins."""

    event: Literal["load_started"] = "load_started"
    value: RawText | None
    """The raw value of the variable or argument, ``None`` when the variable is unset."""
    pid: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PathAccepted(LoadEvent):
    """A segment names an existing directory or ``.py`` file."""

    event: Literal["path_accepted"] = "path_accepted"
    position: int
    path: PathText
    kind: Literal["file", "directory"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PathSegmentDropped(LoadEvent):
    """A segment is empty."""

    event: Literal["path_segment_dropped"] = "path_segment_dropped"
    position: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PathRejected(LoadEvent):
    """A segment cannot be used."""

    level: ClassVar[LogLevel] = "error"
    event: Literal["path_rejected"] = "path_rejected"
    position: int | None
    code: str
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class EntrySkipped(LoadEvent):
    """An entry of a scanned directory is not loaded."""

    level: ClassVar[LogLevel] = "debug"
    event: Literal["entry_skipped"] = "entry_skipped"
    path: PathText
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleLoaded(LoadEvent):
    """A file or package was executed and its passes are registered."""

    event: Literal["module_loaded"] = "module_loaded"
    path: PathText
    module_name: str
    sha256: str
    duration_ms: float
    pass_names: tuple[str, ...]
    executed: tuple[ExecutedFile, ...]
    """The module's own file, then submodules and helpers that it was first to import."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleAlreadyLoaded(LoadEvent):
    """A file or package was loaded before and was not executed again."""

    event: Literal["module_already_loaded"] = "module_already_loaded"
    path: PathText
    module_name: str
    pass_names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleFailed(LoadEvent):
    """A file or package could not be loaded; what it changed is undone."""

    level: ClassVar[LogLevel] = "error"
    event: Literal["module_failed"] = "module_failed"
    path: PathText
    module_name: str
    code: str
    exception_type: str
    detail: str
    line: int | None
    traceback: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleRegisteredNothing(LoadEvent):
    """A module was loaded and has no effect."""

    level: ClassVar[LogLevel] = "warning"
    event: Literal["module_registered_nothing"] = "module_registered_nothing"
    path: PathText
    module_name: str
    detail: str
    """Names pass classes that lack a decorator."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PassRegistered(LoadEvent):
    """A module that ended well registered a pass."""

    event: Literal["pass_registered"] = "pass_registered"
    pass_name: str
    stage: str
    kind: str
    descriptor_key: str
    path: str | None
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PassRejected(LoadEvent):
    """A registration was refused."""

    level: ClassVar[LogLevel] = "error"
    event: Literal["pass_rejected"] = "pass_rejected"
    code: str
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WarningRaised(LoadEvent):
    """Something that works, and that the author or operator should know."""

    level: ClassVar[LogLevel] = "warning"
    event: Literal["warning_raised"] = "warning_raised"
    code: str
    detail: str
    path: PathText | None
    line: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadFinished(LoadEvent):
    """A load ended; with ``ok`` false, ``on_error="raise"`` means nothing stays."""

    event: Literal["load_finished"] = "load_finished"
    ok: bool
    modules: int
    failed: int
    passes: int
    duration_ms: float


AnyLoadEvent = Annotated[
    LoadStarted
    | PathAccepted
    | PathSegmentDropped
    | PathRejected
    | EntrySkipped
    | ModuleLoaded
    | ModuleAlreadyLoaded
    | ModuleFailed
    | ModuleRegisteredNothing
    | PassRegistered
    | PassRejected
    | WarningRaised
    | LoadFinished,
    Field(discriminator="event"),
]
"""Every event there is."""

NO_LOAD: Final = "none"
"""The ``load_id`` of a warning that belongs to no load."""

EventSink = Callable[[LoadEvent], None]
"""What takes events."""
