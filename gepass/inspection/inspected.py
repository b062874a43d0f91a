"""Inspect one file: bytes, syntax tree, facts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gepass.errors import Code, Problem
from gepass.ge_differs import sibling_import_warnings
from gepass.inspection.following import SourceFile
from gepass.inspection.reading import FoundImport, Reader
from gepass.inspection.report import CheckedPass
from gepass.inspection.sources import (
    CompiledSource,
    compile_source,
    not_compiled,
    read_source,
)
from gepass.path_text import encode_path, quote
from gepass.relative_imports import find_relative_fault

if TYPE_CHECKING:
    from gepass.importing.lookup import Names

__all__ = ["InspectedFile", "inspect_file"]


@dataclass(frozen=True, kw_only=True, slots=True)
class InspectedFile:
    """What is known of a file."""

    file: SourceFile
    sha256: str | None
    passes: tuple[CheckedPass, ...] = ()
    imports: tuple[FoundImport, ...] = ()
    undecorated: tuple[str, ...] = ()
    """Pass classes without a decorator, should the file register nothing."""
    may_register: bool = True
    """Whether it registers passes, or may do so in a way that its text does not tell."""
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def inspect_file(file: SourceFile, names: Names, *, certain: bool) -> InspectedFile:
    """
    Inspect a file.

    Args:
        file: what to inspect.
        names: the importable names of its directory.
        certain: whether a load is sure to run it; otherwise nothing is a problem.

    """
    source = read_source(file.path)
    if isinstance(source, Problem):
        return _unusable(file, None, source, certain=certain)
    data, digest = source
    compiled = compile_source(data, file.path)
    if isinstance(compiled, Problem):
        return _unusable(file, digest, compiled, certain=certain)
    try:
        return _read(file, digest, compiled, names, certain=certain)
    except (RecursionError, MemoryError) as error:  # nested deeper than one can walk
        return _unusable(file, digest, not_compiled(error, file.path), certain=certain)


def _unusable(
    file: SourceFile, digest: str | None, problem: Problem, *, certain: bool
) -> InspectedFile:
    return InspectedFile(
        file=file,
        sha256=digest,
        problems=(problem,) if certain else (),
        warnings=() if certain else (problem,),
    )


def _read(
    file: SourceFile,
    digest: str,
    compiled: CompiledSource,
    names: Names,
    *,
    certain: bool,
) -> InspectedFile:
    reader = Reader(
        path=file.path,
        module_name=encode_path(file.name),
        code=compiled.code,
        certain=certain,
    )
    reader.read(compiled.tree)
    warnings: list[Problem] = []
    if reader.unread_line is not None:
        warnings.append(_unread(file.path, reader.unread_line))
    if certain:
        warnings += sibling_import_warnings(
            compiled.code,
            file.path,
            siblings=names.every,
            lasting=names.packages,
            alone=file.alone,
        )
    return InspectedFile(
        file=file,
        sha256=digest,
        passes=tuple(reader.passes),
        imports=tuple(reader.imports),
        undecorated=reader.undecorated_passes(),
        may_register=bool(reader.passes) or reader.may_register,
        problems=(
            *reader.problems,
            *(_relative_faults(file, reader.imports) if certain else ()),
        ),
        warnings=tuple(warnings),
    )


def _relative_faults(file: SourceFile, imports: Iterable[FoundImport]) -> Iterator[Problem]:
    for found in imports:
        level = found.node.level if isinstance(found.node, ast.ImportFrom) else 0
        depth = len(file.packages)
        fault = find_relative_fault(file.path, depth=depth, level=level)
        if fault is not None and found.certain:
            line = found.node.lineno
            yield Problem(
                code=Code.MODULE_FAILED,
                message=f"{quote(file.path)}, line {line}: ImportError: {fault}",
                path=file.path,
                line=line,
            )


def _unread(path: Path, line: int) -> Problem:
    message = (
        f"{quote(path)}, line {line}: registers passes in a way that a check cannot read; "
        "gepass load shows them"
    )
    return Problem(code=Code.NOT_READ_BY_CHECK, message=message, path=path, line=line)
