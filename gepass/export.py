"""From a registry to its document, and to a file in one step."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from gepass.errors import DocumentWriteError
from gepass.path_text import quote
from gepass.records import Generator, RegistryDocument
from gepass.registry import PassRegistry
from gepass.version import __version__

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
        temporary = target.parent / f".{target.name[:100]}.{os.urandom(8).hex()}"
        # Made with the mode that the process gives its files, unless there is an old one.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            if target.exists():
                os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(descriptor)
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
