"""
What loads here and would not load in GE, read from compiled code without running it.

GE imports a scanned file while its directory is on ``sys.path``, and takes the directory
away afterwards; a file that is listed by itself never has its directory there (facts
11.A, A11 and A12). The warnings of this module carry the words ``ge_differs``.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, NamedTuple

from gepass.errors import Code, Problem

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

__all__ = ["ge_differs", "sibling_import_warnings"]


class _SiblingImport(NamedTuple):
    name: str
    line: int
    deferred: bool
    """Whether it stands in a function, and so may run after the load."""


def ge_differs(message: str, path: Path, line: int | None = None) -> Problem:
    """Make the warning for something that GE's own loader would not take."""
    return Problem(
        code=Code.GE_DIFFERS, message=f"ge_differs: {message}", path=path, line=line
    )


def sibling_import_warnings(
    code: CodeType,
    path: Path,
    *,
    siblings: AbstractSet[str],
    lasting: AbstractSet[str],
    alone: bool,
) -> list[Problem]:
    """
    Warn of imports of files of the same directory that fail in GE.

    Args:
        code: the compiled module.
        path: its file.
        siblings: importable names of its directory.
        lasting: those that stay importable in GE after the load: the packages.
        alone: whether the file itself is listed, not its directory.

    """
    warnings: list[Problem] = []
    for found in _sibling_imports(code, siblings):
        if alone:
            reason = (
                f"'import {found.name}' finds a file beside this one, which GE does not "
                "for a file that is listed by itself; list the directory"
            )
        elif found.deferred and found.name not in lasting:
            reason = (
                f"'import {found.name}' stands in a function; GE finds files of the "
                "directory only while it loads, so import it at the top of the file"
            )
        else:
            continue
        warnings.append(ge_differs(reason, path, found.line))
    return warnings


def _sibling_imports(
    module_code: CodeType, names: AbstractSet[str]
) -> Iterator[_SiblingImport]:
    pending = [(module_code, False)]
    while pending:
        code, deferred = pending.pop()
        if _may_import(code, names):
            yield from _imports_of(code, names, deferred=deferred)
        # CO_NEWLOCALS: a function; class bodies run when the module does.
        pending += [
            (constant, deferred or bool(constant.co_flags & inspect.CO_NEWLOCALS))
            for constant in reversed(code.co_consts)
            if isinstance(constant, CodeType)
        ]


def _may_import(code: CodeType, names: AbstractSet[str]) -> bool:
    """Sieve: most code mentions no name of its directory."""
    mentioned = code.co_names
    if "." in "".join(mentioned):
        mentioned = tuple(name.partition(".")[0] for name in mentioned)
    return not names.isdisjoint(mentioned)


def _imports_of(
    code: CodeType, names: AbstractSet[str], *, deferred: bool
) -> Iterator[_SiblingImport]:
    line_starts = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    arguments: list[object] = []
    for instruction in dis.get_instructions(code):
        line = line_starts.get(instruction.offset) or line
        # The two values below the name on the stack are the level and the from-list.
        if instruction.opname == "IMPORT_NAME" and arguments[-2] == 0:
            name = str(instruction.argval).partition(".")[0]
            if name in names:
                yield _SiblingImport(name, line, deferred)
        arguments.append(instruction.argval)
