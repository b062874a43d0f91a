"""Why a relative import cannot work, told before Python tells it in its own words."""

from __future__ import annotations

from pathlib import Path

from gepass.path_text import quote
from gepass.scanning import INIT_FILE

__all__ = ["find_relative_fault"]


def find_relative_fault(path: Path, *, depth: int, level: int) -> str | None:
    """
    Tell what is wrong with a relative import (IMP-05, FS-13).

    Args:
        path: the importing file.
        depth: number of packages that it is part of, its own included.
        level: number of dots.

    """
    if level <= depth:
        return None
    if depth:
        return (
            f"relative import in {quote(path)} goes above its package; import files of the "
            "pass directory by their plain name"
        )
    advice = (
        "give its directory's parent instead of the file, and it is imported as a package"
        if path.name == INIT_FILE
        else "import the other file by its plain name, or put both into a package"
    )
    return (
        f"relative import in {quote(path)}: files of a pass directory are independent "
        f"modules; {advice}"
    )
