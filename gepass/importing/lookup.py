"""Find what a name stands for in a directory, as Python's own finder would (R14)."""

from __future__ import annotations

import os
import stat
import time
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from gepass.scanning import INIT_FILE

if TYPE_CHECKING:
    from gepass.importing.table import ModuleKind

__all__ = ["Listing", "Located", "Names", "locate"]


_TICK_NS: Final = 1_000_000_000
"""More than the coarsest step of a file system's time stamps in use."""


class Located(NamedTuple):
    """The file or directory that a name stands for."""

    kind: ModuleKind
    path: Path
    """Canonical."""
    search: str | None
    """Directory of the submodules, for a package or namespace."""


def locate(directory: str, name: str) -> Located | None:
    """
    Look a module name up in a directory: package, extension, source, namespace.

    Files without source (``.pyc``) do not count.
    """
    base = f"{directory}/{name}"
    if _is_file(f"{base}/{INIT_FILE}"):
        package = os.path.realpath(base)
        return Located(kind="package", path=Path(package, INIT_FILE), search=package)
    for suffix in EXTENSION_SUFFIXES:
        if _is_file(base + suffix):
            return Located(
                kind="extension",
                path=Path(os.path.realpath(base + suffix)),
                search=None,
            )
    if _is_file(base + ".py"):
        return Located(kind="file", path=Path(os.path.realpath(base + ".py")), search=None)
    if os.path.isdir(base):  # noqa: PTH112 - on the path of every import, no Path made
        namespace = os.path.realpath(base)
        return Located(kind="namespace", path=Path(namespace), search=namespace)
    return None


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


class Names(NamedTuple):
    """The importable names of a directory."""

    every: frozenset[str]
    packages: frozenset[str]
    """Those that a scan imports as packages."""


class Listing:
    """What a directory holds, read again when the directory changes."""

    def __init__(self, directory: str, *, without: frozenset[str]) -> None:
        self._directory = directory
        self._without = without
        self._stamp: int | None = None
        self._is_fresh = False
        self._names = Names(frozenset(), frozenset())

    def may_hold(self, name: str) -> bool:
        """
        Tell whether it is worth while to look a name up.

        A directory that changed right before it was read may have changed again within
        the same tick of the clock, so such a listing says no to nothing.
        """
        return name in self.names().every or (self._is_fresh and name not in self._without)

    def names(self) -> Names:
        """Return the names; none when the directory cannot be read."""
        try:
            stamp = os.stat(self._directory).st_mtime_ns  # noqa: PTH116
            if stamp != self._stamp:
                self._is_fresh = time.time_ns() - stamp < _TICK_NS
                self._names = self._read()
                self._stamp = stamp
        except OSError:
            return Names(frozenset(), frozenset())
        return self._names

    def _read(self) -> Names:
        modules: set[str] = set()
        packages: set[str] = set()
        with os.scandir(self._directory) as entries:
            for entry in entries:
                stem, _, suffix = entry.name.partition(".")
                if suffix == "py" or f".{suffix}" in EXTENSION_SUFFIXES:
                    modules.add(stem)
                elif not suffix and entry.is_dir():
                    scanned = stem[0] != "_" and _is_file(f"{entry.path}/{INIT_FILE}")
                    (packages if scanned else modules).add(stem)
        packages -= self._without
        return Names(frozenset(modules - self._without | packages), frozenset(packages))
