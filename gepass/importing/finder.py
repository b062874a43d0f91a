"""
The finder and loader of the modules of pass directories (R8, R9).

It answers for names with the internal prefix and for no others. What runs is compiled
from bytes that were read once and hashed; no ``__pycache__`` is read or written.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader
from time import perf_counter
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from gepass.errors import SourceReadError
from gepass.importing.lookup import locate
from gepass.importing.table import FileStamp, ModuleEntry, table
from gepass.path_text import quote
from gepass.scanning import MODULE_PREFIX

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PassFinder", "compile_entry", "compile_source", "hash_entry"]

Execute = Callable[[ModuleEntry, ModuleType], None]
"""Runs the code of a module; ``gepass.importing.session`` provides it."""


class PassFinder(MetaPathFinder):
    """Finds modules with the internal prefix through the module table."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - the interface's
    ) -> ModuleSpec | None:
        """
        Return the spec of a module with the internal prefix.

        Raises:
            ModuleNotFoundError: there is no such module. Asking other finders would end
                in one that reads ``__pycache__``.

        """
        if not fullname.startswith(MODULE_PREFIX):
            return None
        entry = table.by_name.get(fullname)
        if entry is None and path is not None:
            entry = _declare_submodule(fullname, path)
        if entry is None:
            msg = f"No module named {table.to_plain(fullname)!r}"
            if path is None:
                msg += " any more: its load failed in another thread, or it was unloaded"
            raise ModuleNotFoundError(msg, name=fullname)
        return self._spec(fullname, entry)

    def _spec(self, fullname: str, entry: ModuleEntry) -> ModuleSpec:
        loader = _Loader(fullname, entry, self._execute)
        spec = ModuleSpec(
            fullname,
            loader,
            origin=str(entry.path),
            is_package=entry.search is not None,
        )
        if entry.search is not None:
            spec.submodule_search_locations = [entry.search]
        # Without has_location no __cached__ is made up; the loader sets __file__.
        return spec


def _declare_submodule(fullname: str, path: Sequence[str]) -> ModuleEntry | None:
    parent_name, _, tail = fullname.rpartition(".")
    parent = table.by_name.get(parent_name)
    if parent is None:
        return None
    for directory in path:
        located = locate(directory, tail)
        if located is not None:
            return table.declare(
                ModuleEntry(
                    name=fullname,
                    plain_name=f"{parent.plain_name}.{tail}",
                    path=located.path,
                    kind=located.kind,
                    search=located.search,
                    directory=parent.directory,
                )
            )
    return None


class _Loader(SourceFileLoader):
    """
    Loads one module of a pass directory.

    ``SourceFileLoader`` brings what tools ask of a loader: source, data, resources.
    """

    def __init__(self, fullname: str, entry: ModuleEntry, execute: Execute) -> None:
        super().__init__(fullname, str(entry.path))
        self._entry = entry
        self._execute = execute
        self._aliased_spec: ModuleSpec | None = None

    def is_package(self, fullname: str) -> bool:  # noqa: ARG002 - the interface's
        """Tell whether the module has submodules; a lone ``__init__.py`` has none."""
        return self._entry.search is not None

    def get_code(self, fullname: str) -> CodeType | None:  # noqa: ARG002
        """Compile the file as it is now, for tools; a load does it itself."""
        return None if self._entry.kind == "namespace" else compile_entry(self._entry)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """
        Return the module to be filled; ``None`` for a new one.

        A file that already is a module under another name is that module (R9). An
        extension is made under its plain name, since its init function is called so.
        """
        entry = self._entry
        if spec.name != entry.name:
            entry.aliases.append(spec.name)
            module = importlib.import_module(entry.name)
            self._aliased_spec = module.__spec__
            return module
        if entry.kind != "extension":
            return None
        return _create_extension(entry)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, unless it is one that has run under another name."""
        if self._aliased_spec is not None:
            module.__spec__ = self._aliased_spec
            return
        self._execute(self._entry, module)


def _create_extension(entry: ModuleEntry) -> ModuleType:
    # The init function has the last part of the name: a submodule's is as it should be.
    name = entry.name if "." in entry.name else entry.plain_name
    before = sys.modules.get(name)
    loader = ExtensionFileLoader(name, str(entry.path))
    module = loader.create_module(ModuleSpec(name, loader, origin=str(entry.path)))
    # Old-style extensions enter themselves under the plain name, where others see them.
    if before is None and sys.modules.get(name) is module:
        del sys.modules[name]
    module.__name__ = entry.name
    return module


def compile_entry(entry: ModuleEntry) -> CodeType:
    """
    Read a source file once, keep its digest, and compile those bytes.

    Raises:
        SourceReadError: the file vanished or cannot be read.
        SyntaxError: it is no Python, in any sense.

    """
    path = entry.path
    data = _read(entry)
    entry.sha256 = hashlib.sha256(data).hexdigest()
    return compile_source(data, path)


def compile_source(data: bytes, path: Path) -> CodeType:
    """
    Compile the bytes of a file.

    Raises:
        SyntaxError: they are no Python, or too much for the compiler.

    """
    try:
        return compile(data, str(path), "exec", dont_inherit=True)
    except ValueError as error:  # NUL bytes, before Python 3.12
        raise SyntaxError(str(error)) from error
    except (MemoryError, RecursionError) as error:
        msg = f"too complex to be compiled ({type(error).__name__})"
        raise SyntaxError(msg) from error


def compile_ahead(entry: ModuleEntry) -> None:
    """
    Compile a module before its turn, which is cheaper for many than one at a time.

    What goes wrong is left to go wrong in its turn.
    """
    started = perf_counter()
    with suppress(Exception):
        entry.code = compile_entry(entry)
        entry.seconds_ahead = perf_counter() - started


def take_code(entry: ModuleEntry) -> CodeType:
    """
    Return what was compiled ahead, or compile the file if it changed or was not.

    Raises:
        SourceReadError: the file vanished or cannot be read.
        SyntaxError: it is no Python, in any sense.

    """
    code, entry.code = entry.code, None
    if code is None or entry.has_changed():
        return compile_entry(entry)
    return code


def hash_entry(entry: ModuleEntry) -> None:
    """
    Keep the digest of an extension module, whose code the system's loader maps.

    Raises:
        SourceReadError: the file vanished or cannot be read.

    """
    entry.sha256 = hashlib.sha256(_read(entry)).hexdigest()


def _read(entry: ModuleEntry) -> bytes:
    path = entry.path
    try:
        with path.open("rb", buffering=0) as file:
            entry.stamp = FileStamp.of(file.fileno())
            return file.readall()
    except FileNotFoundError as error:
        msg = f"{quote(path)} disappeared during the load; restore it and load again"
        raise SourceReadError(msg) from error
    except OSError as error:
        msg = f"{quote(path)} cannot be read ({error.strerror}); mend its permissions"
        raise SourceReadError(msg) from error
