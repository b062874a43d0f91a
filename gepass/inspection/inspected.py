"""Inspect one file: bytes, syntax tree, facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gepass.errors import Problem
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
from gepass.path_text import encode_path

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
    if certain:
        warnings = sibling_import_warnings(
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
        problems=tuple(reader.problems),
        warnings=tuple(warnings),
    )
