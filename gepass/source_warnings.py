"""
What an author should know about sources that are fine: told by loads and checks alike.

Nothing here looks into a file, or runs one.
"""

from __future__ import annotations

import keyword
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gepass.errors import Code, Problem
from gepass.ge_differs import ge_differs
from gepass.importing.directories import NEVER_OWN
from gepass.path_spec import segment_name
from gepass.path_text import quote
from gepass.scanning import SkippedEntry

if TYPE_CHECKING:
    from pathlib import Path

    from gepass.path_spec import PassPathSpec
    from gepass.scanning import ModuleSource

__all__ = [
    "entry_skipped",
    "name_warnings",
    "nothing_found",
    "registered_nothing",
    "repeated_source",
    "segment_dropped",
]


def segment_dropped(position: int) -> Problem:
    """Warn of an empty segment (R2)."""
    message = f"{segment_name(position)} is empty and was dropped"
    return Problem(code=Code.SEGMENT_EMPTY, message=message, position=position)


def nothing_found(spec: PassPathSpec) -> Problem:
    """Warn of a directory without any source."""
    message = (
        f"{segment_name(spec.position)}: {quote(spec.path)} holds no pass file and no "
        "package at its first level"
    )
    return Problem(
        code=Code.NOTHING_FOUND, message=message, position=spec.position, path=spec.path
    )


def entry_skipped(entry: SkippedEntry) -> Problem | None:
    """Warn of a skipped entry that its author probably expects to be loaded."""
    if entry.code is None:
        return None
    message = f"{quote(entry.path)} is not loaded: {entry.reason}"
    return Problem(code=entry.code, message=message, path=entry.path)


def repeated_source(source: ModuleSource, first: ModuleSource) -> SkippedEntry:
    """Skip a file that an earlier place of the scan led to (R9)."""
    listed = source.directory / (
        source.name if source.kind == "package" else f"{source.name}.py"
    )
    where = segment_name(first.position)
    return SkippedEntry(path=listed, reason=f"the same file as one of {where}, loaded once")


def registered_nothing(path: Path, class_names: Sequence[str]) -> Problem:
    """Warn of a module without effect; ``class_names`` lack a decorator (R10)."""
    what = f"{quote(path)} registers no pass and has no effect"
    if class_names:
        what += (
            f"; pass class{'es' if len(class_names) > 1 else ''} without a decorator: "
            f"{', '.join(class_names)}"
        )
    else:
        what += "; start its name with '_' if it is a helper"
    return Problem(code=Code.REGISTERED_NOTHING, message=what, path=path)


def name_warnings(
    source: ModuleSource, packages: dict[str, ModuleSource]
) -> Iterator[Problem]:
    """
    Warn of names that siblings, or GE, cannot import as one would think.

    Args:
        source: what the scan found.
        packages: the first package of each name; one of a new name is entered.

    """
    name = source.name
    if name in NEVER_OWN:
        message = (
            f"{quote(source.path)} is called like a module of the standard library or "
            f"of the tools; code beside it that imports {name!r} gets that one"
        )
        yield Problem(code=Code.NOT_IMPORTABLE, message=message, path=source.path)
    if source.kind == "package":
        yield from _package_warnings(source, packages)


def _package_warnings(
    source: ModuleSource, packages: dict[str, ModuleSource]
) -> Iterator[Problem]:
    name = source.name
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
