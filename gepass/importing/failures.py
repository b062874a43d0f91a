"""Turn what a module raised into a ``Failure``: file, line and cause first."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gepass.errors import Code, GepassError, SourceReadError
from gepass.importing.table import table
from gepass.outcomes import Failure
from gepass.path_text import quote, writable

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["describe_failure", "exception_text"]

_PACKAGE: Final = str(Path(__file__).parent.parent)
_MAX_LINES: Final = 60


def exception_text(error: object) -> str:
    """Return the text of an exception, or of its message, whatever ``__str__`` does."""
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - user code, which may even exit
        return "<unprintable>"
    return writable(table.to_plain(text))


def describe_failure(error: BaseException, path: Path) -> Failure:
    """
    Describe why the module at ``path`` could not be loaded.

    The place is the innermost line of user code; where that is in a file that the
    module imported, the text says so.
    """
    place, line = _place_of(error, path)
    where = quote(place) if line is None else f"{quote(place)}, line {line}"
    via = "" if place == path else f" (imported by {quote(path)})"
    kind = type(error).__name__
    # The text of a syntax error repeats the line.
    text = exception_text(error.msg if isinstance(error, SyntaxError) else error)
    if isinstance(error, SourceReadError):
        message = f"{text}{via}"
    else:
        message = f"{where}: {kind}: {text}{via}" if text else f"{where}: {kind}{via}"
    return Failure(
        code=_code_of(error),
        exception_type=kind,
        message=message,
        path=place,
        line=line,
        traceback=_traceback_of(error),
    )


def _code_of(error: BaseException) -> Code:
    if isinstance(error, GepassError):
        return error.code
    if isinstance(error, SyntaxError):
        return Code.MODULE_NOT_COMPILED
    return Code.MODULE_FAILED


def _place_of(error: BaseException, path: Path) -> tuple[Path, int | None]:
    if isinstance(error, SyntaxError) and error.filename in table.by_path:
        return Path(error.filename), error.lineno or None
    place, line = path, None
    for frame, frame_line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if file in table.by_path:
            place, line = Path(file), frame_line
    return place, line


def _traceback_of(error: BaseException) -> tuple[str, ...]:
    try:
        described = traceback.TracebackException(
            type(error), error, _skip_own(error.__traceback__), capture_locals=False
        )
        _drop_machinery(described)
        text = writable(table.to_plain("".join(described.format())))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - it asks user code for texts
        return (f"{type(error).__name__}: {exception_text(error)}",)
    lines = text.splitlines()
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES // 2], "  ...", *lines[-_MAX_LINES // 2 :]]
    return tuple(lines)


def _skip_own(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and _is_machinery(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def _drop_machinery(described: traceback.TracebackException) -> None:
    seen: set[int] = set()
    pending: list[traceback.TracebackException | None] = [described]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.stack[:] = [f for f in one.stack if not _is_machinery(f.filename)]
        pending += [one.__cause__, one.__context__]


def _is_machinery(filename: str) -> bool:
    return filename.startswith(("<frozen importlib", _PACKAGE))
