"""``check_passes``: from the value of the variable to the check report."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gepass.errors import Code, Problem
from gepass.importing.directories import NEVER_OWN, find_hidden
from gepass.importing.lookup import Listing
from gepass.inspection.following import SourceFile, imported_files, scanned_file
from gepass.inspection.inspected import InspectedFile, inspect_file
from gepass.inspection.report import CheckedModule, CheckedPass, CheckReport
from gepass.path_spec import parse_pass_path, split_pass_path
from gepass.path_text import encode_path
from gepass.scanning import SkippedEntry, scan
from gepass.source_warnings import (
    entry_skipped,
    name_warnings,
    nothing_found,
    registered_nothing,
    repeated_source,
    segment_dropped,
)

if TYPE_CHECKING:
    from gepass.path_spec import PassPathSpec
    from gepass.scanning import ModuleSource

__all__ = ["check_passes"]


def check_passes(pass_path: str) -> CheckReport:
    """
    Inspect what a value names without executing it; the value is as in ``load_passes``.

    Raises:
        PassPathError: a segment cannot be used (R3).

    """
    specs = parse_pass_path(pass_path)
    check = _Check()
    check.note_dropped_segments(pass_path)
    for spec in specs:
        check.scan(spec)
    files = check.inspect()
    problems = (
        *(problem for inspected in files for problem in inspected.problems),
        *_duplicates(files),
    )
    return CheckReport(
        specs=specs,
        modules=tuple(_checked_module(inspected) for inspected in files),
        skipped=tuple(check.skipped),
        problems=problems,
        warnings=(
            *check.warnings,
            *(warning for inspected in files for warning in inspected.warnings),
            *_without_effect(files),
        ),
        ok=not problems,
    )


class _Check:
    """One check under way: what was found by the scan, and what is inspected so far."""

    def __init__(self) -> None:
        self.skipped: Final[list[SkippedEntry]] = []
        self.warnings: Final[list[Problem]] = []
        self._scanned: dict[Path, tuple[ModuleSource, SourceFile]] = {}
        self._packages: dict[str, ModuleSource] = {}
        self._inspected: dict[Path, InspectedFile] = {}
        self._possible: deque[SourceFile] = deque()
        """Files whose import is not certain."""
        self._listings: dict[Path, Listing] = {}
        self._named: set[tuple[Path, str]] = set()
        """Plain names that were imported, by directory."""

    def note_dropped_segments(self, pass_path: str) -> None:
        """Warn of empty segments, unless there is nothing else (R1)."""
        if pass_path.strip():
            self.warnings.extend(
                segment_dropped(segment.position)
                for segment in split_pass_path(pass_path)
                if not segment.text
            )

    def scan(self, spec: PassPathSpec) -> None:
        """Note what a spec leads to; a file has its first place."""
        result = scan(spec)
        for entry in result.skipped:
            self.skipped.append(entry)
            warning = entry_skipped(entry)
            if warning is not None:
                self.warnings.append(warning)
        if spec.kind == "directory" and not result.sources:
            self.warnings.append(nothing_found(spec))
        for source in result.sources:
            first = self._scanned.get(source.path)
            if first is not None:
                self.skipped.append(repeated_source(source, first[0]))
                continue
            file = scanned_file(source, order=len(self._scanned), alone=spec.kind == "file")
            self._scanned[source.path] = (source, file)
            self.warnings.extend(name_warnings(source, self._packages))

    def inspect(self) -> list[InspectedFile]:
        """Inspect what was scanned and what it imports, each file once."""
        for _, file in self._scanned.values():
            self._inspect_with_imports(file, certain=True)
        while self._possible:
            self._inspect_with_imports(self._possible.popleft(), certain=False)
        return sorted(self._inspected.values(), key=lambda known: known.file.order)

    def _inspect_with_imports(self, first: SourceFile, *, certain: bool) -> None:
        pending = [first]
        while pending:
            file = pending.pop()
            if file.path in self._scanned:
                # Runs as itself, whoever imports it first; so do its own imports.
                _, file = self._scanned[file.path]
            if file.path in self._inspected:
                continue
            names = self._listing_of(file.directory).names()
            inspected = inspect_file(file, names, certain=certain)
            self._inspected[file.path] = inspected
            imported: list[SourceFile] = []
            for found in inspected.imports:
                targets = list(imported_files(found.node, file, names.every))
                self._note_hidden(targets)
                (imported if found.certain or not certain else self._possible).extend(
                    targets
                )
            pending += reversed(imported)

    def _note_hidden(self, targets: list[SourceFile]) -> None:
        for target in targets:
            key = (target.directory, target.name)
            if "." in target.name or key in self._named:
                continue
            self._named.add(key)
            hidden = find_hidden(target.name, target.directory)
            if hidden is not None:
                self.warnings.append(hidden)

    def _listing_of(self, directory: Path) -> Listing:
        known = self._listings.get(directory)
        return known or self._listings.setdefault(
            directory, Listing(str(directory), without=NEVER_OWN)
        )


def _checked_module(inspected: InspectedFile) -> CheckedModule:
    file = inspected.file
    return CheckedModule(
        path=file.path,
        name=encode_path(file.name),
        kind=file.kind,
        imported_by=file.imported_by,
        sha256=inspected.sha256,
        passes=inspected.passes,
    )


def _duplicates(files: list[InspectedFile]) -> Iterator[Problem]:
    first: dict[str, CheckedPass] = {}
    for inspected in files:
        for found in inspected.passes:
            if not found.certain or found.pass_name is None:
                continue
            known = first.setdefault(found.pass_name, found)
            if known is not found:
                yield _duplicate(known, found)


def _duplicate(first: CheckedPass, second: CheckedPass) -> Problem:
    message = (
        f"{encode_path(second.path)}:{second.line}: the pass name {second.pass_name!r} is "
        f"registered twice: first by {_place_of(first)}, then by {_place_of(second)}; "
        "give one of them another name"
    )
    return Problem(
        code=Code.DUPLICATE_PASS, message=message, path=second.path, line=second.line
    )


def _place_of(found: CheckedPass) -> str:
    return f"class {found.class_name}, {encode_path(found.path)}:{found.line}"


def _without_effect(files: list[InspectedFile]) -> Iterator[Problem]:
    """Warn of scanned files that, with all they import, are sure to register nothing."""
    others = {
        inspected.file.order
        for inspected in files
        if inspected.may_register or inspected.problems
    }
    for inspected in files:
        file = inspected.file
        if file.imported_by is None and file.order not in others:
            yield registered_nothing(file.path, inspected.undecorated)
