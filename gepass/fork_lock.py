"""A lock that forks wait for, so that no child inherits what it guards half done."""

from __future__ import annotations

import os
import threading
from typing import Final

__all__ = ["fork_lock"]

fork_lock: Final = threading.RLock()
"""Held while something is built once; never while user code runs."""

os.register_at_fork(
    before=fork_lock.acquire,
    after_in_parent=fork_lock.release,
    after_in_child=fork_lock.release,
)
