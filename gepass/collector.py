"""The pause of the cyclic collector while a load runs."""

from __future__ import annotations

import gc
from typing import Final

__all__ = ["CollectorPause", "collector_pause"]


class CollectorPause:
    """
    Keeps the cyclic collector from running in a ``with`` block.

    Classes and modules are cyclic and all stay: on large loads the collector costs as much
    as everything else and finds nothing.
    """

    def __init__(self) -> None:
        self._is_to_resume = False

    def __enter__(self) -> None:
        self._is_to_resume = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        self.resume()

    def resume(self) -> None:
        """Let the collector run again if it ran before; also for a load that is gone."""
        if self._is_to_resume:
            self._is_to_resume = False
            gc.enable()


collector_pause: Final = CollectorPause()
"""The pause of the process; loads come one at a time."""
