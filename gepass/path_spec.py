"""
From the text of the variable to checked path specs (R1 to R5).

``split_pass_path`` is the split alone, ``parse_pass_path`` also looks at the disk.
Nothing here runs user code.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)
from pydantic_core import PydanticCustomError

from gepass.environ import PASS_PATH
from gepass.errors import (
    Code,
    PassPathError,
    PassPathNotFoundError,
    PassPathPermissionError,
    PassPathValueError,
    Problem,
)
from gepass.path_text import PathText, RawText, quote

__all__ = [
    "PassPathSpec",
    "PathKind",
    "Segment",
    "check_is_text",
    "parse_pass_path",
    "segment_name",
    "split_pass_path",
]

SEPARATOR: Final = ":"

PathKind = Literal["file", "directory"]


def _check_path(value: object) -> object:
    if value == "":
        kind = "path_empty"
        raise PydanticCustomError(kind, "the path is empty")
    if isinstance(value, str):
        value = Path(value)
    if isinstance(value, Path) and not value.is_absolute():
        kind = "path_relative"
        raise PydanticCustomError(kind, "the path is not absolute")
    return value


class PassPathSpec(BaseModel):
    """One accepted segment of the variable: an existing directory or ``.py`` file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    position: Annotated[int, Field(ge=0)]
    """0-based position in the variable, empty segments counted."""
    raw: RawText
    """The segment as given, without outer blanks."""
    path: Annotated[PathText, BeforeValidator(_check_path)]
    """Canonical: absolute, links resolved."""
    kind: PathKind


class Segment(NamedTuple):
    """One piece of the variable's text, trimmed; empty ones are dropped later."""

    position: int
    text: str


class _Refusal(Exception):  # noqa: N818 - a signal inside this module, not an error
    """Why a segment cannot be used."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


_ERROR_CLASS: Final[dict[Code, type[PassPathError]]] = {
    Code.PATH_NOT_FOUND: PassPathNotFoundError,
    Code.PATH_NOT_READABLE: PassPathPermissionError,
}
_PATH_MAX: Final = os.pathconf("/", "PC_PATH_MAX")
_ADVICE: Final = "give an existing directory or .py file"


def segment_name(position: int) -> str:
    """Name a segment in messages (R2)."""
    return f"{PASS_PATH}[{position}]"


def split_pass_path(text: str) -> tuple[Segment, ...]:
    """
    Split the value at ``:`` and trim each piece; empty pieces keep their position.

    Raises:
        TypeError: ``text`` is not a string.

    """
    check_is_text(text)
    return tuple(
        Segment(position=position, text=piece.strip())
        for position, piece in enumerate(text.split(SEPARATOR))
    )


def parse_pass_path(text: str) -> tuple[PassPathSpec, ...]:
    """
    Turn the value of the variable into checked specs, in the order given.

    Relative segments are resolved against the working directory of this moment, ``~``
    is expanded in each segment alike (R5). A value with nothing but separators and
    blanks gives an empty tuple (R1).

    Raises:
        PassPathNotFoundError: the first unusable segment names nothing.
        PassPathValueError: it is no directory and no regular ``.py`` file.
        PassPathPermissionError: it may not be read.

    The text and ``problems`` of the exception list all unusable segments (R4).

    """
    specs: list[PassPathSpec] = []
    problems: list[Problem] = []
    for segment in split_pass_path(text):
        if not segment.text:
            continue
        try:
            specs.append(_parse_segment(segment))
        except _Refusal as refusal:
            problems.append(_describe(segment, refusal, text))
    if problems:
        raise _path_error(tuple(problems))
    return tuple(specs)


def check_is_text(value: object) -> None:
    """Check what the type of an argument promises: a path object is no pass path."""
    if not isinstance(value, str):
        msg = f"the pass path is a string, not {type(value).__name__}; use str(path)"
        raise TypeError(msg)


def _parse_segment(segment: Segment) -> PassPathSpec:
    path = _resolve(segment.text)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise _refusal_for(error) from error
    if stat.S_ISDIR(mode):
        _check_access(path, os.R_OK | os.X_OK)
        return _spec(segment, path, "directory")
    if not stat.S_ISREG(mode):
        raise _Refusal(Code.PATH_NOT_REGULAR, "is not a regular file and no directory")
    # Path(".py") has no suffix: the whole name is the stem.
    if Path(segment.text).suffix != ".py":
        raise _Refusal(Code.PATH_NOT_PYTHON, "is a file that does not end in .py")
    _check_access(path, os.R_OK)
    return _spec(segment, path, "file")


def _spec(segment: Segment, path: Path, kind: PathKind) -> PassPathSpec:
    return PassPathSpec(position=segment.position, raw=segment.text, path=path, kind=kind)


def _resolve(text: str) -> Path:
    expanded = os.path.expanduser(text)  # noqa: PTH111 - Path.expanduser raises where no home is known
    if expanded.startswith("~"):
        raise _Refusal(Code.PATH_NOT_FOUND, "starts with ~ but no such home is known")
    try:
        if len(os.fsencode(expanded)) >= _PATH_MAX:
            raise _Refusal(Code.PATH_UNUSABLE, "is too long for a path")
        return Path(os.path.realpath(expanded, strict=True))
    except OSError as error:
        raise _refusal_for(error) from error
    except ValueError as error:  # a NUL byte, or text that is no file name
        raise _Refusal(Code.PATH_UNUSABLE, f"cannot be a path ({error})") from error


def _refusal_for(error: OSError) -> _Refusal:
    if error.errno == errno.EACCES:
        return _Refusal(Code.PATH_NOT_READABLE, "cannot be reached (permission denied)")
    if error.errno == errno.ELOOP:
        return _Refusal(Code.PATH_UNUSABLE, "is a loop of links")
    if error.errno == errno.ENAMETOOLONG:
        return _Refusal(Code.PATH_UNUSABLE, "is too long for a path")
    if error.errno == errno.ENOTDIR:
        return _Refusal(Code.PATH_NOT_FOUND, "does not exist (it goes through a file)")
    return _Refusal(Code.PATH_NOT_FOUND, "does not exist")


def _check_access(path: Path, mode: int) -> None:
    if not os.access(path, mode, effective_ids=os.access in os.supports_effective_ids):
        raise _Refusal(Code.PATH_NOT_READABLE, "may not be read (permission denied)")


def _describe(segment: Segment, refusal: _Refusal, whole: str) -> Problem:
    where = f"{segment_name(segment.position)}: {quote(segment.text)}"
    context = f" (a segment of {quote(whole)})" if whole.strip() != segment.text else ""
    usable = "\0" not in segment.text
    return Problem(
        code=refusal.code,
        message=f"{where} {refusal}{context}; {_ADVICE}",
        position=segment.position,
        path=Path(segment.text) if usable else None,
    )


def _path_error(problems: tuple[Problem, ...]) -> PassPathError:
    code = problems[0].code
    error_class = _ERROR_CLASS.get(code, PassPathValueError)
    text = "\n".join(problem.message for problem in problems)
    return error_class(text, code=code, problems=problems)
