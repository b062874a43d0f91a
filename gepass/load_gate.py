"""
One load at a time, and no thread that waits for ever.

A load holds the gate while user code runs; registries and decorators never do. A thread
that asks for a load meanwhile waits for it. Where the running load may in turn wait for
that thread, because user code started or uses it, the wait is bounded.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, NoReturn

from gepass.errors import LoadInProgressError

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["LoadGate"]

PATIENCE_SECONDS: Final = 10.0
"""How long a thread that may be waited for waits while no module of the load ends."""


class LoadGate:
    """
    The lock of loads, with a way out for those who must not wait.

    Args:
        executing: the modules that are being executed, by name.

    """

    def __init__(self, executing: Mapping[str, int]) -> None:
        self._executing = executing
        self._condition = threading.Condition()
        self._owner: int | None = None
        self._progress = 0
        self._earlier_threads: frozenset[int | None] = frozenset()

    @contextmanager
    def held(self) -> Iterator[None]:
        """
        Hold the gate; other threads wait.

        Raises:
            LoadInProgressError: this thread runs a load already, or waited in vain for
                one that may wait for it.

        """
        self._acquire()
        try:
            yield
        finally:
            with self._condition:
                self._owner = None
                self._condition.notify_all()

    def note_progress(self) -> None:
        """Tell those who wait that a module of the load has ended."""
        with self._condition:
            self._progress += 1
            self._condition.notify_all()

    def is_held_elsewhere(self) -> bool:
        """Tell whether another thread than this one holds the gate."""
        return self._owner is not None and self._owner != threading.get_ident()

    def reset(self) -> None:
        """Make the gate anew in a forked child; a load of this very thread goes on."""
        if self.is_held_elsewhere():
            self._owner = None
        self._condition = threading.Condition()

    def _acquire(self) -> None:
        thread = threading.get_ident()
        with self._condition:
            if self._owner == thread:
                _refuse("by the code that the load runs")
            while self._owner is not None:
                patience = PATIENCE_SECONDS if self._may_be_awaited() else None
                moved = partial(self._moved_since, self._progress)
                if not self._condition.wait_for(moved, patience):
                    _refuse("in another thread that may wait for this one")
            self._owner = thread
            self._earlier_threads = frozenset(t.ident for t in threading.enumerate())

    def _moved_since(self, progress: int) -> bool:
        return self._owner is None or self._progress != progress

    def _may_be_awaited(self) -> bool:
        if threading.get_ident() not in self._earlier_threads:
            return True
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
        while frame is not None:
            if frame.f_globals.get("__name__") in self._executing:
                return True
            frame = frame.f_back
        return False


def _refuse(where: str) -> NoReturn:
    msg = (
        f"load in progress: a load was asked for {where}; ask for it after the running "
        "load has ended"
    )
    raise LoadInProgressError(msg)
