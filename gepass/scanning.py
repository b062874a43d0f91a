"""
What a path spec leads to: an ordered list of modules, and what was left out (R6 to R8).

Scanning reads the disk and imports nothing.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gepass.errors import (
    Code,
    PassPathError,
    PassPathNotFoundError,
    PassPathPermissionError,
    Problem,
)
from gepass.path_spec import PassPathSpec, segment_name
from gepass.path_text import PathText, quote

__all__ = [
    "INIT_FILE",
    "MODULE_PREFIX",
    "ModuleSource",
    "ScanResult",
    "SkippedEntry",
    "SourceKind",
    "is_python_file",
    "module_name",
    "scan",
]

MODULE_PREFIX: Final = "_ge_py_pass_"
_DIGEST_LENGTH: Final = 32  # hex digits: 128 bits, so that two paths never meet
INIT_FILE: Final = "__init__.py"

SourceKind = Literal["file", "package"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleSource:
    """A file or package that a load will import."""

    path: PathText
    """Canonical path of the file that is executed; a package's is its ``__init__.py``."""
    module_name: str
    kind: SourceKind
    position: int
    """0-based position of the segment that led here."""
    name: str
    """The plain name by which code of the same directory imports it."""
    directory: PathText
    """Canonical path of the pass directory that the code belongs to (R14)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedEntry:
    """A directory entry that is not loaded."""

    path: PathText
    reason: str
    code: Code | None = None
    """Set when the author probably expects the entry to be loaded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScanResult:
    """What one spec leads to, both parts in scan order."""

    sources: tuple[ModuleSource, ...]
    skipped: tuple[SkippedEntry, ...]


class _Skip(Exception):  # noqa: N818 - a signal inside this module, not an error
    """Why an entry is left out."""

    def __init__(self, reason: str, code: Code | None = None) -> None:
        super().__init__(reason)
        self.code = code


def is_python_file(name: str) -> bool:
    """Tell whether a file name has the suffix ``.py``; a name of only that has none."""
    return name.endswith(".py") and name != ".py"


def module_name(path: Path, stem: str | None = None) -> str:
    """
    Return the internal module name of a canonical path (R8).

    Args:
        path: the file, or the ``__init__.py`` of a package.
        stem: the readable part; the file's stem when not given.

    """
    text = path.stem if stem is None else stem
    text = os.fsencode(text).decode("utf-8", "surrogateescape")
    readable = "".join(c if f"_{c}".isidentifier() else "_" for c in text)
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:_DIGEST_LENGTH]
    return f"{MODULE_PREFIX}{readable}_{digest}"


def scan(spec: PassPathSpec) -> ScanResult:
    """
    List what a spec leads to; a file leads to itself, a directory to its children.

    Raises:
        PassPathNotFoundError: the directory vanished since it was checked.
        PassPathPermissionError: it may not be listed.

    """
    _check_is_spec(spec)
    if spec.kind == "file":
        source = _file_source(spec.path, spec.path.stem, spec.path.parent, spec)
        return ScanResult(sources=(source,), skipped=())
    sources: list[ModuleSource] = []
    skipped: list[SkippedEntry] = []
    for entry in _list_directory(spec):
        try:
            sources.append(_entry_source(entry, spec))
        except _Skip as skip:
            skipped.append(
                SkippedEntry(path=Path(entry.path), reason=str(skip), code=skip.code)
            )
    return ScanResult(sources=tuple(sources), skipped=tuple(skipped))


def _check_is_spec(value: object) -> None:
    if not isinstance(value, PassPathSpec):
        msg = (
            f"scan() takes a PassPathSpec, not {type(value).__name__}; see parse_pass_path"
        )
        raise TypeError(msg)


def _list_directory(spec: PassPathSpec) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(spec.path) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except PermissionError as error:
        reason = "may not be listed; give the process the right to read it"
        raise _scan_error(PassPathPermissionError, spec, reason) from error
    except OSError as error:
        reason = "disappeared before it was scanned; restore it and load again"
        raise _scan_error(PassPathNotFoundError, spec, reason) from error


def _scan_error(
    error_class: type[PassPathError], spec: PassPathSpec, reason: str
) -> PassPathError:
    message = f"{segment_name(spec.position)}: {quote(spec.path)} {reason}"
    problem = Problem(
        code=error_class.code, message=message, position=spec.position, path=spec.path
    )
    return error_class(message, problems=(problem,))


def _entry_source(entry: os.DirEntry[str], spec: PassPathSpec) -> ModuleSource:
    if entry.name.startswith("_"):
        reason = "the name starts with an underscore"
        raise _Skip(reason)
    if entry.name.startswith("._"):
        reason = "an AppleDouble file"
        raise _Skip(reason)
    listed = Path(entry.path)
    mode, path = _identify(entry, listed)
    if stat.S_ISDIR(mode):
        return _package_source(path, listed, spec)
    if not is_python_file(entry.name):
        reason = "not a .py file"
        raise _Skip(reason)
    if not stat.S_ISREG(mode):
        reason = "not a regular file"
        raise _Skip(reason)
    return _file_source(path, listed.stem, spec.path, spec)


def _identify(entry: os.DirEntry[str], listed: Path) -> tuple[int, Path]:
    """Return type and canonical path; only links cost a look at the disk."""
    if not entry.is_symlink():
        if entry.is_file(follow_symlinks=False):
            return stat.S_IFREG, listed
        if entry.is_dir(follow_symlinks=False):
            return stat.S_IFDIR, listed
        return entry.stat(follow_symlinks=False).st_mode, listed
    try:
        path = Path(os.path.realpath(listed, strict=True))
        return path.stat().st_mode, path
    except PermissionError:
        # Loading it will fail with this reason, and say so.
        return stat.S_IFREG, listed
    except OSError:
        reason = "a link that leads nowhere"
        raise _Skip(reason) from None


def _file_source(
    path: Path, name: str, directory: Path, spec: PassPathSpec
) -> ModuleSource:
    return ModuleSource(
        path=path,
        module_name=module_name(path),
        kind="file",
        position=spec.position,
        name=name,
        directory=directory,
    )


def _package_source(path: Path, listed: Path, spec: PassPathSpec) -> ModuleSource:
    if listed.name.startswith("."):
        reason = "a directory whose name starts with a dot"
        raise _Skip(reason)
    if spec.path.is_relative_to(path):
        reason = "a link to the scanned directory or to one above it"
        raise _Skip(reason)
    init = path / INIT_FILE
    try:
        mode = init.stat().st_mode
    except FileNotFoundError:
        raise _without_init(path) from None
    except OSError:
        mode = stat.S_IFREG  # loading it will fail with this reason, and say so
    if not stat.S_ISREG(mode):
        reason = f"a directory whose {INIT_FILE} is not a regular file"
        raise _Skip(reason)
    # The directory is resolved, its __init__.py is not: two packages may share one.
    return ModuleSource(
        path=init,
        module_name=module_name(init, path.name),
        kind="package",
        position=spec.position,
        name=listed.name,
        directory=spec.path,
    )


def _without_init(path: Path) -> _Skip:
    try:
        holds_python = any(is_python_file(child.name) for child in path.iterdir())
    except OSError:
        holds_python = False
    if holds_python:
        return _Skip(f"a directory with .py files but no {INIT_FILE}", Code.NOT_A_PACKAGE)
    return _Skip(f"a directory without {INIT_FILE}")
