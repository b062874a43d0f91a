"""Say what happened when two threads import parts of one package (CONC-08)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["explained_deadlock"]


@contextmanager
def explained_deadlock(name: str) -> Iterator[None]:
    """
    Put words in place of the import system's own error about its locks.

    Raises:
        ImportError: the thread would wait for one that waits for it.

    """
    try:
        yield
    except RuntimeError as error:
        # The class is private to the import system, its name is in every traceback.
        if type(error).__name__ != "_DeadlockError":
            raise
        msg = (
            f"{name} is being imported by another thread, which waits for this one; let "
            "one thread import the package before others do"
        )
        raise ImportError(msg, name=name) from error
