"""
From an import statement to the files of the same pass directory that it imports (R14).

The names are looked up as they are in a load; what belongs to no pass directory, and what
has no source, is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gepass.importing.lookup import locate
from gepass.scanning import SourceKind

if TYPE_CHECKING:
    from gepass.scanning import ModuleSource

__all__ = ["SourceFile", "imported_files", "scanned_file"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Package:
    name: str
    search: str
    """Directory of its submodules."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceFile:
    """A file to be inspected."""

    path: Path
    """Canonical."""
    name: str
    """What code beside it calls it."""
    kind: SourceKind
    directory: Path
    """Canonical path of the pass directory that its code belongs to."""
    packages: tuple[_Package, ...]
    """The packages that it is part of, from the outermost on."""
    imported_by: Path | None
    order: int
    """Place of the scanned file that led here in the scan order of the whole check."""
    alone: bool
    """Whether that scanned file is listed itself, not its directory."""


def scanned_file(source: ModuleSource, *, order: int, alone: bool) -> SourceFile:
    """Turn what a scan found into a file to be inspected."""
    package = _Package(name=source.name, search=str(source.path.parent))
    return SourceFile(
        path=source.path,
        name=source.name,
        kind=source.kind,
        directory=source.directory,
        packages=(package,) if source.kind == "package" else (),
        imported_by=None,
        order=order,
        alone=alone,
    )


def imported_files(
    node: ast.Import | ast.ImportFrom, importer: SourceFile, own_names: frozenset[str]
) -> Iterator[SourceFile]:
    """
    List the files that an import statement imports, packages before their submodules.

    Args:
        node: the statement.
        importer: the file in which it stands.
        own_names: the importable names of the importer's directory.

    """
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.partition(".")[0] in own_names:
                yield from _locate_all(alias.name.split("."), (), importer, ())
        return
    module = node.module.split(".") if node.module else []
    members = [alias.name for alias in node.names]
    if node.level:
        depth = len(importer.packages) - node.level + 1
        if depth > 0:
            base = importer.packages[:depth]
            yield from _locate_all(module, base, importer, members)
    elif module[0] in own_names:
        yield from _locate_all(module, (), importer, members)


def _locate_all(
    parts: Iterable[str],
    packages: tuple[_Package, ...],
    importer: SourceFile,
    members: Iterable[str],
) -> Iterator[SourceFile]:
    for part in parts:
        search = packages[-1].search if packages else str(importer.directory)
        located = locate(search, part)
        if located is None:
            return
        name = f"{packages[-1].name}.{part}" if packages else part
        inside = packages
        if located.search is not None:
            inside = (*packages, _Package(name=name, search=located.search))
        if located.kind in {"file", "package"}:
            yield SourceFile(
                path=located.path,
                name=name,
                kind="file" if located.kind == "file" else "package",
                directory=importer.directory,
                packages=inside,
                imported_by=importer.path,
                order=importer.order,
                alone=importer.alone,
            )
        if located.search is None:
            return
        packages = inside
    for member in members:
        yield from _locate_all((member,), packages, importer, ())
