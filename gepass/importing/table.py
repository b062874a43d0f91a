"""
Every module of a pass directory that this process knows, by internal name and by file.

The table is what the finder answers from, and what tells that a file has run (R9).
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from gepass.scanning import MODULE_PREFIX

if TYPE_CHECKING:
    from pathlib import Path
    from types import CodeType, ModuleType

    from gepass.importing.directories import PassDirectory
    from gepass.registry import Registration

__all__ = ["FileStamp", "ModuleEntry", "ModuleKind", "ModuleTable", "table"]

ModuleKind = Literal["file", "package", "extension", "namespace"]


class FileStamp(NamedTuple):
    """What changes when a file is written: enough to know that it may differ."""

    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, file: Path | int) -> FileStamp:
        """Read the stamp of a file or open descriptor; raises ``OSError``."""
        status = os.stat(file)  # noqa: PTH116 - a descriptor, too
        return cls(status.st_mtime_ns, status.st_size, status.st_ino)


@dataclass(kw_only=True, slots=True, eq=False)
class ModuleEntry:
    """A module of a pass directory and, once it ran, what it did."""

    name: str
    """Internal name, its key in ``sys.modules``."""
    plain_name: str
    """What its authors call it: ``helper``, ``package.part``."""
    path: Path
    """The file that is executed; the directory itself for a namespace."""
    kind: ModuleKind
    search: str | None
    """Directory of its submodules; ``None`` when it is no package."""
    directory: PassDirectory
    aliases: list[str] = field(default_factory=list)
    """Other keys in ``sys.modules``: a file that is also a submodule of a package."""

    module: ModuleType | None = None
    """Set when the module has run to its end."""
    code: CodeType | None = None
    """Compiled ahead, until the module runs."""
    seconds_ahead: float = 0.0
    """What compiling it ahead took."""
    sha256: str | None = None
    stamp: FileStamp | None = None
    owner: str | None = None
    """Internal name of the scanned module that first imported it, itself included."""
    helpers: tuple[ModuleEntry, ...] = ()
    """For a scanned module: what it was the first to import."""
    registrations: tuple[Registration, ...] = ()
    """For a scanned module: all registrations of it and of what it was first to import."""

    def has_changed(self) -> bool:
        """Tell whether the file looks different from when it was read."""
        try:
            return FileStamp.of(self.path) != self.stamp
        except OSError:
            return True

    def has_digest_of_file(self) -> bool:
        """Tell whether the file still holds the bytes that ran; raises ``OSError``."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest() == self.sha256

    def forget_run(self) -> None:
        """Return to the state before the module ran."""
        self.module = self.owner = self.code = None
        self.seconds_ahead = 0.0
        self.helpers = ()
        self.registrations = ()


_INTERNAL_NAME: Final = re.compile(rf"{MODULE_PREFIX}(\w+?)_[0-9a-f]{{32}}((?:\.\w+)*)")


@dataclass(slots=True)
class ModuleTable:
    """The entries; the finder of ``sys.meta_path`` and the loads share one table."""

    by_name: dict[str, ModuleEntry] = field(default_factory=dict)
    by_path: dict[str, ModuleEntry] = field(default_factory=dict)

    def declare(self, entry: ModuleEntry) -> ModuleEntry:
        """Enter a module; a file keeps the first name under which it was entered."""
        known = self.by_path.setdefault(str(entry.path), entry)
        if known is entry:
            self.by_name[entry.name] = entry
        return known

    def remove(self, entry: ModuleEntry) -> None:
        """Forget a module."""
        self.by_name.pop(entry.name, None)
        self.by_path.pop(str(entry.path), None)

    def to_plain(self, text: str) -> str:
        """Put the authors' module names in place of the internal ones in a message."""
        if MODULE_PREFIX not in text:
            return text
        return _INTERNAL_NAME.sub(self._plain, text)

    def _plain(self, match: re.Match[str]) -> str:
        name = match[0]
        if name in self.by_name:
            return self.by_name[name].plain_name
        head = self.by_name.get(name.partition(".")[0])
        # A module that was forgotten meanwhile is still known by the stem of its file.
        return (match[1] if head is None else head.plain_name) + match[2]


table: Final = ModuleTable()
"""The table of the process."""
