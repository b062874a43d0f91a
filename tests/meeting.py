"""Where a test and the pass files that it runs meet, in one process."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType

from typing_extensions import Self

DEADLINE = 60.0
"""Seconds after which a test is taken for hung."""


class Meeting(ModuleType):
    """A module that pass files import to say that they have started, and to wait."""

    def __init__(self) -> None:
        super().__init__("meeting")
        self.started = threading.Event()
        self.go_on = threading.Event()
        self.seen: list[object] = []
        """What pass files have to tell."""

    def __enter__(self) -> Self:
        """Let pass files ``import meeting``."""
        sys.modules["meeting"] = self
        return self

    def __exit__(self, *_: object) -> None:
        """Let everybody go."""
        self.go_on.set()
        del sys.modules["meeting"]

    def wait(self) -> None:
        """Tell the test that user code runs, and wait for leave to go on."""
        self.started.set()
        if not self.go_on.wait(DEADLINE):
            msg = "the test never let this file go on"
            raise TimeoutError(msg)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "the other thread never came that far"
        time.sleep(0.001)


def waits_for_a_load(thread: threading.Thread) -> bool:
    """Tell whether a thread stands at the gate of loads."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_globals.get("__name__") == "gepass.load_gate":
            return frame.f_code.co_name == "_acquire"
        frame = frame.f_back
    return False


class Worker(threading.Thread):
    """A thread that keeps what its function returned or raised."""

    def __init__(self, function: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.function = function
        self.result: object = None
        self.error: Exception | None = None

    def run(self) -> None:
        """Run the function."""
        try:
            self.result = self.function()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.error = error

    def finish(self) -> object:
        """Wait for the end and return what the function returned."""
        self.join(DEADLINE)
        assert not self.is_alive(), "the thread hangs"
        if self.error is not None:
            raise self.error
        return self.result


def start(function: Callable[[], object]) -> Worker:
    """Run a function in a new thread."""
    worker = Worker(function)
    worker.start()
    return worker
