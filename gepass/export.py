"""From a registry to its document, and to a file in one step."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gepass.errors import DocumentWriteError
from gepass.path_text import quote
from gepass.records import Generator, RegistryDocument
from gepass.version import __version__

if TYPE_CHECKING:
    from gepass.registry import PassRegistry

__all__ = ["export_registry", "write_atomically"]


def export_registry(registry: PassRegistry) -> RegistryDocument:
    """Return the document of what is registered now, in GE's running order."""
    generator = Generator(name="gepass", version=__version__)
    return RegistryDocument.from_records(registry.records(), generator)


def write_atomically(path: Path, data: bytes) -> None:
    """
    Write a file as a whole: readers see the old bytes or the new ones.

    A link is followed, so that its target changes and the link stays.

    Raises:
        DocumentWriteError: it could not be written; the old file is untouched.

    """
    temporary: Path | None = None
    try:
        if _is_no_regular_file(path):
            path.write_bytes(data)  # a device or pipe: there is nothing to replace
            return
        target = Path(os.path.realpath(path))
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name[:100]}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode_for(target))
        temporary.replace(target)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        reason = getattr(error, "strerror", None) or error
        msg = f"cannot write {quote(path)}: {reason}"
        raise DocumentWriteError(msg) from error


def _is_no_regular_file(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _mode_for(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
