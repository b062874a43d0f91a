"""Take back what a failed module added to the import system and the warnings (R12)."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from operator import eq, is_
from typing import NamedTuple, TypeVar

__all__ = ["ImportState"]

_Item = TypeVar("_Item")


class ImportState(NamedTuple):
    """``sys.path``, ``sys.meta_path`` and ``warnings.filters`` at one moment."""

    path: tuple[object, ...]
    meta_path: tuple[object, ...]
    filters: tuple[object, ...]

    @classmethod
    def capture(cls) -> ImportState:
        """Remember the state of now."""
        return cls(tuple(sys.path), tuple(sys.meta_path), tuple(warnings.filters))

    def remove_additions(self) -> None:
        """Remove what was added since; what was there and is still there stays."""
        _remove_added(sys.path, self.path, eq)
        _remove_added(sys.meta_path, self.meta_path, is_)
        if tuple(warnings.filters) != self.filters:
            _remove_added(warnings.filters, self.filters, eq)  # type: ignore[arg-type] # a list
            # Entering and leaving makes the interpreter drop what it cached by filter.
            with warnings.catch_warnings():
                pass


def _remove_added(
    items: list[_Item],
    before: tuple[object, ...],
    same: Callable[[object, object], bool],
) -> None:
    """Keep of ``items`` what ``before`` accounts for, in the order of ``before``."""
    left = list(items)
    kept: list[_Item] = []
    for old in before:
        for index, item in enumerate(left):
            if same(item, old):
                kept.append(item)
                del left[index]
                break
    items[:] = kept
