"""What became of a load: one outcome a module, and their sum, the load report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gepass.errors import Code, Problem
from gepass.path_spec import PassPathSpec
from gepass.path_text import PathText
from gepass.scanning import SkippedEntry

__all__ = ["ExecutedFile", "Failure", "LoadReport", "ModuleOutcome", "ModuleStatus"]

ModuleStatus = Literal["loaded", "already_loaded", "failed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutedFile:
    """A file of a pass directory whose code a load executed."""

    path: PathText
    module_name: str
    sha256: str
    """Digest of the bytes that were compiled; of the file, for an extension module."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Why a module could not be loaded."""

    code: Code
    exception_type: str
    message: str
    """One line or more: file, line, cause, advice."""
    path: PathText
    """The file of the line that raised, as far as it is the user's."""
    line: int | None
    traceback: tuple[str, ...]
    """Lines of the traceback from the user's code on, without values of variables."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleOutcome:
    """What became of one scanned file or package."""

    path: PathText
    module_name: str
    status: ModuleStatus
    sha256: str | None
    """Digest of the file's bytes; ``None`` when they could not be read."""
    duration_ms: float
    """Time of reading, compiling and executing, imports included."""
    pass_names: tuple[str, ...]
    """Passes that the module put into the registry, in the order of their decorators."""
    error: Failure | None
    warnings: tuple[Problem, ...]
    executed: tuple[ExecutedFile, ...]
    """The module's own file, then submodules and helpers that it was first to import."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadReport:
    """Everything that one load did, and did not do."""

    load_id: str
    specs: tuple[PassPathSpec, ...]
    modules: tuple[ModuleOutcome, ...]
    """In scan order."""
    skipped: tuple[SkippedEntry, ...]
    problems: tuple[Problem, ...]
    """What ``ok`` depends on: unusable segments, failed modules."""
    warnings: tuple[Problem, ...]
    ok: bool
    """Whether everything that was asked for is loaded: there are no problems."""
