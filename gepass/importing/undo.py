"""Take back what a failed module added to the import system and the warnings (R12)."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from operator import eq, is_
from typing import TypeVar

__all__ = ["ImportState"]

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class ImportState:
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
    """
    Remove from ``items`` what ``before`` does not account for.

    Compared from the end: of two equal entries the one nearer to the front is the new
    one, since that is where entries are inserted; an appended one is met first and does
    not fit the old last one.
    """
    if len(items) == len(before) and all(map(same, items, before)):
        return
    kept: list[_Item] = []
    expected = list(before)
    for item in reversed(items):
        if expected and same(item, expected[-1]):
            expected.pop()
            kept.append(item)
    if expected:  # entries were taken away or moved: only the number of each can count
        kept = _bounded(items, list(before), same)
    items[:] = reversed(kept)


def _bounded(
    items: list[_Item], before: list[object], same: Callable[[object, object], bool]
) -> list[_Item]:
    kept: list[_Item] = []
    for item in reversed(items):
        for index, old in enumerate(before):
            if same(item, old):
                del before[index]
                kept.append(item)
                break
    return kept
