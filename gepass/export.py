"""From a registry to its document, and to a file in one step."""

from __future__ import annotations

import contextlib
import os
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
    target = Path(os.path.realpath(path))
    temporary: Path | None = None
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a device or pipe: there is nothing to replace
            return
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name[:100]}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode_for(target))
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        msg = f"cannot write {quote(path)}: {error.strerror or error}"
        raise DocumentWriteError(msg) from error


def _mode_for(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
