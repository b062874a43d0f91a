"""What a check found: one entry a file, and their sum, the check report."""

from __future__ import annotations

from dataclasses import dataclass

from gepass.errors import Problem
from gepass.path_spec import PassPathSpec
from gepass.path_text import PathText
from gepass.scanning import SkippedEntry, SourceKind

__all__ = ["CheckReport", "CheckedModule", "CheckedPass"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedPass:
    """A registration in a file's text; ``None`` is not known, or was refused."""

    pass_name: str | None
    stage: str | None
    kind: str | None
    op_types: tuple[str, ...] | None
    class_name: str
    path: PathText
    line: int
    """1-based line of the decorator."""
    certain: bool
    """Whether loading the file is sure to run the decorator."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedModule:
    """A file that was inspected: a scanned one, or one that such a file imports."""

    path: PathText
    name: str
    """What code beside it calls it: ``helper``, ``package.part``."""
    kind: SourceKind
    imported_by: PathText | None
    """The file whose import led here; ``None`` for what the scan found."""
    sha256: str | None
    """Digest of the file's bytes; ``None`` when they could not be read."""
    passes: tuple[CheckedPass, ...]
    """In the order in which the decorators would run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckReport:
    """Everything that one check found."""

    specs: tuple[PassPathSpec, ...]
    modules: tuple[CheckedModule, ...]
    """In scan order, each scanned file before those that it is the first to import."""
    skipped: tuple[SkippedEntry, ...]
    problems: tuple[Problem, ...]
    """What would make a load fail."""
    warnings: tuple[Problem, ...]
    ok: bool
    """Whether no problem was found."""
