"""
Where events go: the only module that knows structlog and the standard logger.

The library configures nothing and prints nothing. Events go to structlog when the
application has configured it, otherwise to the standard logger ``gepass``. Whether it has
is looked up when a load starts, without importing structlog. The command line uses
``configured``.
"""

from __future__ import annotations

import io
import json
import logging
import sys
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, Protocol, TextIO, TypeAlias

from pydantic import TypeAdapter

from gepass.errors import Code
from gepass.events import AnyLoadEvent, LoadEvent, WarningRaised
from gepass.fork_lock import fork_lock
from gepass.path_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping

    from gepass.environ import LogFormat, LogLevel

__all__ = ["EventLog", "configured", "event_fields"]

_LOGGER_NAME: Final = "gepass"
_to_json: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_LEVELS: Final[dict[str, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


_IsEnabledFor: TypeAlias = "Callable[[int], bool]"


class _Writer(Protocol):
    def __call__(self, event: LoadEvent) -> None: ...


class EventLog:
    """
    The sink of one load, bound to the logging set-up at its start.

    Logging never fails a load: an event that cannot be written is counted in ``lost``,
    and a record without its data is tried in its place.
    """

    def __init__(self) -> None:
        self._write, self._is_enabled_for = _structlog_writer() or _standard_writer()
        self.lost = 0
        if self.takes("error"):
            _build_adapter()  # before user code runs, and only where it will be used

    def __call__(self, event: LoadEvent) -> None:
        """Write an event."""
        try:
            self._write(event)
        except Exception as error:  # noqa: BLE001 - any sink, any failure
            self.lost += 1
            self._write_substitute(event, error)

    def takes(self, level: LogLevel) -> bool:
        """Tell whether events of a level go anywhere; in doubt they do."""
        try:
            return self._is_enabled_for(_LEVELS[level])
        except Exception:  # noqa: BLE001 - any sink, any failure
            return True

    def _write_substitute(self, event: LoadEvent, error: Exception) -> None:
        name = type(event).__name__
        substitute = WarningRaised(
            load_id=event.load_id,
            code=Code.EVENT_LOST,
            detail=f"an event {name} could not be written ({type(error).__name__})",
            path=None,
            line=None,
        )
        try:
            self._write(substitute)
        except Exception:  # noqa: BLE001
            return  # the loss is counted, and the report of the load tells it


@lru_cache(maxsize=1)
def _build_adapter() -> TypeAdapter[LoadEvent]:
    with fork_lock:
        return TypeAdapter(AnyLoadEvent)


def event_fields(event: LoadEvent) -> dict[str, object]:
    """Return the fields of an event as JSON values, ``event`` among them."""
    fields: dict[str, object] = _build_adapter().dump_python(event, mode="json")
    return fields


def _standard_writer() -> tuple[_Writer, _IsEnabledFor]:
    logger = logging.getLogger(_LOGGER_NAME)

    def write(event: LoadEvent) -> None:
        level = _LEVELS[event.level]
        if logger.isEnabledFor(level):
            fields = event_fields(event)
            name = fields.pop("event")
            text = _to_json(fields)
            logger.log(level, "%s %s", name, text, extra={"gepass_event": fields})

    return write, logger.isEnabledFor


def _structlog_writer() -> tuple[_Writer, _IsEnabledFor] | None:
    structlog = sys.modules.get("structlog")
    is_configured = getattr(structlog, "is_configured", None)
    if structlog is None or is_configured is None or not is_configured():
        return None
    logger = structlog.get_logger(_LOGGER_NAME).bind()
    is_enabled_for: _IsEnabledFor = getattr(logger, "is_enabled_for", lambda _level: True)

    def write(event: LoadEvent) -> None:
        if is_enabled_for(_LEVELS[event.level]):
            fields = event_fields(event)
            getattr(logger, event.level)(fields.pop("event"), **fields)

    return write, is_enabled_for


@contextmanager
def configured(
    *,
    level: LogLevel | None,
    style: LogFormat,
    stream: TextIO | None,
    log_file: TextIO | None,
) -> Iterator[None]:
    """
    Set structlog up for a command, and leave the process as it was afterwards.

    Args:
        level: least level shown on ``stream``, ``None`` for nothing.
        style: how events look on ``stream``.
        stream: where people read, standard error; ``None`` where it is closed.
        log_file: gets every event as JSON Lines, whatever ``level`` is.

    """
    if stream is None:
        level = None
    if level is None and log_file is None:
        with _standard_logger_silenced():
            yield
        return
    import structlog  # noqa: PLC0415 - only those who want logs pay for it

    was_configured, before = structlog.is_configured(), structlog.get_config()
    shown_from = logging.CRITICAL if level is None else _LEVELS[level]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            partial(_write_line, log_file),
            partial(_drop_below, shown_from),
            structlog.processors.JSONRenderer(_render_json)
            if style == "json"
            else _render_line,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            shown_from if log_file is None else logging.DEBUG
        ),
        logger_factory=structlog.WriteLoggerFactory(file=stream or io.StringIO()),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.reset_defaults()
        if was_configured:
            structlog.configure(**before)


@contextmanager
def _standard_logger_silenced() -> Iterator[None]:
    logger = logging.getLogger(_LOGGER_NAME)
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _write_line(
    log_file: TextIO | None,
    _logger: object,
    _method: str,
    event_dict: MutableMapping[str, object],
) -> MutableMapping[str, object]:
    # Pass files may log through structlog as well; the file is that of the loads.
    if log_file is not None and "load_id" in event_dict:
        log_file.write(_to_json(event_dict) + "\n")
        log_file.flush()
    return event_dict


def _drop_below(
    shown_from: int,
    _logger: object,
    method: str,
    event_dict: MutableMapping[str, object],
) -> MutableMapping[str, object]:
    # Pass files may use other methods than the events of gepass do.
    if _LEVELS.get(method, logging.CRITICAL) < shown_from:
        raise sys.modules["structlog"].DropEvent
    return event_dict


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


def _render_json(event_dict: MutableMapping[str, object], **_: object) -> str:
    # ASCII, since the encoding of standard error is anybody's; pass files log anything.
    return json.dumps(event_dict, default=repr)


def _show(value: object) -> str:
    return printable(value if isinstance(value, str) else json.dumps(value, default=repr))
