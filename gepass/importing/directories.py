"""
What the code of a pass directory sees when it imports a plain name (R14).

Each directory has one ``__builtins__`` mapping, whose ``__import__`` puts the internal
name in place of a plain name of that directory: after the standard library, before what
is installed. Functions keep the mapping of their module, so it holds for late imports
and in every thread, and nobody outside ever meets it.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Final, Protocol

from gepass.errors import Code, Problem
from gepass.importing.deadlock import explained_deadlock
from gepass.importing.lookup import Listing, locate
from gepass.importing.table import ModuleEntry, table
from gepass.path_text import quote
from gepass.relative_imports import find_relative_fault
from gepass.scanning import module_name

__all__ = ["NEVER_OWN", "ImportListener", "PassDirectory", "find_hidden"]

NEVER_OWN: Final = frozenset(
    {*sys.stdlib_module_names, *sys.builtin_module_names, "__main__", "gepass", "ge"}
)
"""First parts of names that never mean a file of a pass directory."""


class ImportListener(Protocol):
    """Told what the code of pass directories imports; a load listens."""

    def attributing(self, importer: str) -> AbstractContextManager[None]:
        """Attribute what is imported meanwhile to the module ``importer``."""

    def warn(self, problem: Problem) -> None:
        """Take a warning about what is imported right now."""


class PassDirectory:
    """The names of one pass directory, and the ``__import__`` that its code runs."""

    def __init__(self, path: Path, listener: ImportListener) -> None:
        self.path = path
        self.listing = Listing(str(path), without=NEVER_OWN)
        self._listener = listener
        self.builtins: dict[str, object] = {
            **vars(builtins),
            "__import__": self._import,
        }
        self._importlib = _DirectoryImportlib(self)
        self._own: dict[str, str] = {}

    def translate(self, name: str) -> str:
        """Return the internal form of a module name, or the name when it is not own."""
        head, dot, rest = name.partition(".")
        if head in NEVER_OWN or not self.listing.may_hold(head):
            return name
        own = self._own.get(head)
        if own not in table.by_name:
            own = self._declare(head)
        return name if own is None else f"{own}{dot}{rest}"

    def _declare(self, head: str) -> str | None:
        located = locate(str(self.path), head)
        if located is None:
            return None
        stem = located.path.parent.name if located.kind == "package" else None
        entry = table.declare(
            ModuleEntry(
                name=module_name(located.path, stem),
                plain_name=head,
                path=located.path,
                kind=located.kind,
                search=located.search,
                directory=self,
            )
        )
        self._own[head] = entry.name
        hidden = find_hidden(head, self.path)
        if hidden is not None:
            self._listener.warn(hidden)
        return entry.name

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - the builtin's names
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        importer = "" if globals is None else str(globals.get("__name__", ""))
        if level:
            _check_relative(importer, globals, level)
        elif name == "importlib" or (not fromlist and name.startswith("importlib.")):
            builtins.__import__(name, globals, locals, fromlist or (), 0)
            return self._importlib
        target = name if level else self.translate(name)
        if level == 0 and target is name:
            return self._import_foreign(name, globals, locals, fromlist or ())
        with self._listener.attributing(importer), explained_deadlock(name):
            return builtins.__import__(target, globals, locals, fromlist or (), level)

    def import_module(self, name: str, package: str | None, importer: str) -> ModuleType:
        """Do what ``importlib.import_module`` does, own names first."""
        if name.startswith("."):
            package = package and self.translate(package)
        else:
            name = self.translate(name)
        with self._listener.attributing(importer), explained_deadlock(name):
            return importlib.import_module(name, package)

    def _import_foreign(
        self,
        name: str,
        globals: Mapping[str, object] | None,  # noqa: A002
        locals: Mapping[str, object] | None,  # noqa: A002
        fromlist: Sequence[str],
    ) -> ModuleType:
        try:
            return builtins.__import__(name, globals, locals, fromlist, 0)
        except ModuleNotFoundError as error:
            compiled = self.path / f"{name}.pyc"
            if error.name == name and compiled.is_file():
                error.msg += f"; {quote(compiled)} has no source, and only source is loaded"
            raise


def _check_relative(
    importer: str, importer_globals: Mapping[str, object] | None, level: int
) -> None:
    entry = table.by_name.get(importer)
    if entry is None:
        return
    package = str((importer_globals or {}).get("__package__") or "")
    depth = len(package.split(".")) if package else 0
    fault = find_relative_fault(entry.path, depth=depth, level=level)
    if fault is not None:
        raise ImportError(fault, name=entry.plain_name, path=str(entry.path))


def find_hidden(name: str, directory: Path) -> Problem | None:
    """Warn where a plain name of a directory hides an installed module (R14)."""
    origin = _origin_of_installed(name)
    if origin is None or directory in Path(origin).parents:
        return None
    message = (
        f"'import {name}' in {quote(directory)} means the file there and hides the "
        f"installed {quote(origin)}; rename it if that is not meant"
    )
    return Problem(code=Code.HIDES_INSTALLED, message=message, path=directory)


def _origin_of_installed(name: str) -> str | None:
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # noqa: BLE001 - other people's finders
        return None
    return None if spec is None else spec.origin


class _DirectoryImportlib(ModuleType):
    """What ``import importlib`` gives: ``import_module`` knows the directory's names."""

    def __init__(self, directory: PassDirectory) -> None:
        super().__init__("importlib", importlib.__doc__)
        vars(self).update(
            (key, value) for key, value in vars(importlib).items() if key != "import_module"
        )
        self._directory = directory

    def __getattr__(self, name: str) -> object:
        return getattr(importlib, name)

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Import a module as ``importlib.import_module`` does, own names first."""
        importer = str(sys._getframe(1).f_globals.get("__name__", ""))  # noqa: SLF001
        return self._directory.import_module(name, package, importer)
