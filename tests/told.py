"""What a load tells, as a host sees it through the standard logger."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

Fields: TypeAlias = "dict[str, object]"


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.events: list[Fields] = []

    def emit(self, record: logging.LogRecord) -> None:
        fields: Fields = getattr(record, "gepass_event")  # noqa: B009 - an extra
        assert isinstance(record.args, tuple)
        name = record.args[0]
        self.events.append({"event": name, "level": record.levelname.lower(), **fields})


@contextmanager
def told() -> Iterator[list[Fields]]:
    """Collect all events that are told meanwhile."""
    logger, collector = logging.getLogger("gepass"), _Collector()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(collector)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    try:
        yield collector.events
    finally:
        logger.removeHandler(collector)
        logger.setLevel(level)
        logger.propagate = propagate


def names_of(events: list[Fields]) -> list[object]:
    """Return the names of events in the order in which they were told."""
    return [event["event"] for event in events]
