"""
Where events go: the only module that knows structlog and the standard logger.

The library configures nothing and prints nothing. Events go to structlog when the
application has configured it, otherwise to the standard logger ``gepass``. Whether it has
is looked up when a load starts, without importing structlog. The command line calls
``configure``.
"""

from __future__ import annotations

import json
import logging
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from pydantic import TypeAdapter

from gepass.errors import Code
from gepass.events import AnyLoadEvent, LoadEvent, WarningRaised
from gepass.path_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from gepass.environ import LogFormat, LogLevel

__all__ = ["EventLog", "configure", "event_fields"]

_LOGGER_NAME: Final = "gepass"
_LEVELS: Final[dict[str, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class _Writer(Protocol):
    def __call__(self, event: LoadEvent) -> None: ...


class EventLog:
    """
    The sink of one load, bound to the logging set-up at its start.

    Logging never fails a load: an event that cannot be written is counted in ``lost``,
    and a record without its data is tried in its place.
    """

    def __init__(self) -> None:
        self._write: _Writer = _structlog_writer() or _write_standard
        self.lost = 0

    def __call__(self, event: LoadEvent) -> None:
        """Write an event."""
        try:
            self._write(event)
        except Exception as error:  # noqa: BLE001 - any sink, any failure
            self.lost += 1
            self._write_substitute(event, error)

    def _write_substitute(self, event: LoadEvent, error: Exception) -> None:
        name = type(event).__name__
        substitute = WarningRaised(
            load_id=event.load_id,
            code=Code.EVENT_LOST,
            message=f"an event {name} could not be written ({type(error).__name__})",
            path=None,
            line=None,
        )
        try:
            self._write(substitute)
        except Exception:  # noqa: BLE001
            return  # the loss is counted, and the report of the load tells it


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[LoadEvent]:
    return TypeAdapter(AnyLoadEvent)


def event_fields(event: LoadEvent) -> dict[str, object]:
    """Return the fields of an event as JSON values, ``event`` among them."""
    fields: dict[str, object] = _adapter().dump_python(event, mode="json")
    return fields


def _write_standard(event: LoadEvent) -> None:
    logger = logging.getLogger(_LOGGER_NAME)
    level = _LEVELS[event.level]
    if logger.isEnabledFor(level):
        fields = event_fields(event)
        name = fields.pop("event")
        text = json.dumps(fields, ensure_ascii=False)
        logger.log(level, "%s %s", name, text, extra={"gepass_event": fields})


def _structlog_writer() -> _Writer | None:
    structlog = sys.modules.get("structlog")
    is_configured = getattr(structlog, "is_configured", None)
    if structlog is None or is_configured is None or not is_configured():
        return None
    logger = structlog.get_logger(_LOGGER_NAME).bind()
    is_enabled_for: Callable[[int], bool] = getattr(
        logger, "is_enabled_for", lambda _level: True
    )

    def write(event: LoadEvent) -> None:
        if is_enabled_for(_LEVELS[event.level]):
            fields = event_fields(event)
            getattr(logger, event.level)(fields.pop("event"), **fields)

    return write


def configure(
    *,
    level: LogLevel | None,
    style: LogFormat,
    stream: TextIO | None,
    log_file: TextIO | None,
) -> None:
    """
    Set structlog up for the command line.

    Args:
        level: least level shown on ``stream``, ``None`` for nothing.
        style: how events look on ``stream``.
        stream: where people read, standard error; ``None`` where it is closed.
        log_file: gets every event as JSON Lines, whatever ``level`` is.

    """
    if log_file is None and (level is None or stream is None):
        logging.getLogger(_LOGGER_NAME).disabled = True
        return
    import structlog  # noqa: PLC0415 - only those who want logs pay for it

    shown_from = logging.CRITICAL if stream is None or level is None else _LEVELS[level]
    lowest = logging.DEBUG if log_file is not None else shown_from

    def write_file(
        _logger: object, _method: str, event_dict: MutableMapping[str, object]
    ) -> MutableMapping[str, object]:
        if log_file is not None:
            log_file.write(json.dumps(event_dict, ensure_ascii=False) + "\n")
            log_file.flush()
        return event_dict

    def drop_below(
        _logger: object, method: str, event_dict: MutableMapping[str, object]
    ) -> MutableMapping[str, object]:
        if _LEVELS[method] < shown_from:
            raise structlog.DropEvent
        return event_dict

    renderer: Callable[..., str | bytes]
    if style == "json":
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    else:
        renderer = _render_line
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            write_file,
            drop_below,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(lowest),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )


def _render_line(
    _logger: object, _method: str, event_dict: MutableMapping[str, object]
) -> str:
    """Render an event for people as one line; what it holds cannot forge another."""
    level = event_dict.pop("level", "")
    name = event_dict.pop("event", "")
    event_dict.pop("timestamp", None)
    event_dict.pop("traceback", None)
    pairs = " ".join(f"{key}={_show(value)}" for key, value in event_dict.items())
    return f"gepass {level}: {name} {pairs}".rstrip()


def _show(value: object) -> str:
    return printable(value if isinstance(value, str) else json.dumps(value))
