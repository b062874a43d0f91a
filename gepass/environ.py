"""
The environment variables that gepass knows; the only module that reads ``os.environ``.

``ASCEND_GE_PY_PASS_PATH`` is GE's. The ``GEPASS_*`` settings are the operator's: they
bind every load in the process, and arguments can only tighten them (R17).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeVar, get_args

from gepass.errors import Code, Problem, SettingError
from gepass.path_text import printable

__all__ = [
    "PASS_PATH",
    "SETTINGS",
    "LogFormat",
    "LogLevel",
    "OnError",
    "Settings",
    "read_pass_path",
    "read_settings",
]

PASS_PATH: Final = "ASCEND_GE_PY_PASS_PATH"  # noqa: S105 - a fusion pass, no password

OnError = Literal["raise", "isolate"]
"""What a failing module does to the load: end it, or be left out (R13)."""
LogFormat = Literal["console", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]

_PREFIX: Final = "GEPASS_"

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "GEPASS_ON_ERROR": get_args(OnError),
    "GEPASS_LOG_LEVEL": get_args(LogLevel),
    "GEPASS_LOG_FORMAT": get_args(LogFormat),
}
"""The settings of this version with the values that each may have."""

_Choice = TypeVar("_Choice", bound=str)


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The operator's settings; ``None`` where a variable is unset or empty."""

    on_error: OnError | None
    log_level: LogLevel | None
    log_format: LogFormat | None
    unknown: tuple[Problem, ...]
    """One warning for each ``GEPASS_*`` variable that this version does not know."""


def read_pass_path() -> str | None:
    """Return the value of ``ASCEND_GE_PY_PASS_PATH``, ``None`` when it is unset."""
    return os.environ.get(PASS_PATH)


def read_settings() -> Settings:
    """
    Read all ``GEPASS_*`` settings.

    Raises:
        SettingError: a value is not one of those allowed.

    """
    environ = {k: v for k, v in os.environ.items() if k.startswith(_PREFIX)}
    return Settings(
        on_error=_parse_choice(environ, "GEPASS_ON_ERROR", get_args(OnError)),
        log_level=_parse_choice(environ, "GEPASS_LOG_LEVEL", get_args(LogLevel)),
        log_format=_parse_choice(environ, "GEPASS_LOG_FORMAT", get_args(LogFormat)),
        unknown=tuple(_unknown(name) for name in sorted(environ) if name not in SETTINGS),
    )


def _parse_choice(
    environ: Mapping[str, str], name: str, allowed: tuple[_Choice, ...]
) -> _Choice | None:
    text = environ.get(name, "").strip()
    if not text:
        return None
    for choice in allowed:
        if text == choice:
            return choice
    msg = f"{name}='{printable(text)}' is not allowed; use one of: {', '.join(allowed)}"
    raise SettingError(msg)


def _unknown(name: str) -> Problem:
    # The common prefix would make every name near.
    known = {setting.removeprefix(_PREFIX): setting for setting in SETTINGS}
    near = difflib.get_close_matches(name.removeprefix(_PREFIX), known, n=1)
    hint = f"; did you mean {known[near[0]]}?" if near else ""
    return Problem(
        code=Code.SETTING_UNKNOWN,
        message=(
            f"{printable(name)} is not a setting of this version and has no effect{hint}"
        ),
    )
