"""The options that commands share, gathered into one typed value."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO, get_args

import click

from gepass import logs
from gepass.environ import (
    PASS_PATH,
    LogFormat,
    LogLevel,
    OnError,
    read_pass_path,
    read_settings,
)
from gepass.errors import DocumentWriteError
from gepass.path_text import quote

__all__ = ["ChainOptions", "chain_options", "logging_to"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainOptions:
    """What the user asked for, settings of the operator already applied."""

    path: str
    as_json: bool
    on_error: OnError
    traceback: bool
    log_level: LogLevel | None
    log_format: LogFormat
    log_file: Path | None


_path_option: Final = click.option(
    "--path", metavar="VALUE", help=f"Use this value instead of {PASS_PATH}."
)


def chain_options(
    on_error: OnError,
    *,
    with_path: bool = True,
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """
    Give a command the common options as its first argument.

    Args:
        on_error: what the command does with failing modules unless told otherwise.
        with_path: whether the user says what is loaded.

    """
    default_on_error = on_error

    def decorate(
        command: Callable[..., int],
    ) -> Callable[..., int]:
        @click.option(
            "--json", "as_json", is_flag=True, help="Write JSON to standard output."
        )
        @click.option(
            "--on-error",
            type=click.Choice(get_args(OnError)),
            help=f"What a failing module does to the rest.  [default: {on_error}]",
        )
        @click.option(
            "--traceback", is_flag=True, help="Show tracebacks of failing modules."
        )
        @click.option(
            "--log-level",
            type=click.Choice(get_args(LogLevel)),
            help="Show events from this level on, on standard error.",
        )
        @click.option(
            "--log-format",
            type=click.Choice(get_args(LogFormat)),
            help="How events look.  [default: console]",
        )
        @click.option(
            "--log-file",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Append all events to FILE as JSON Lines.",
        )
        @functools.wraps(command)
        def wrapped(  # noqa: PLR0913 - one for each option
            *,
            path: str | None = None,
            as_json: bool,
            on_error: OnError | None,
            traceback: bool,
            log_level: LogLevel | None,
            log_format: LogFormat | None,
            log_file: Path | None,
            **others: object,
        ) -> int:
            settings = read_settings()
            options = ChainOptions(
                path=(read_pass_path() or "") if path is None else path,
                as_json=as_json,
                on_error=on_error or settings.on_error or default_on_error,
                traceback=traceback,
                log_level=log_level or settings.log_level,
                log_format=log_format or settings.log_format or "console",
                log_file=log_file,
            )
            with logging_to(options):
                return command(options, **others)

        return _path_option(wrapped) if with_path else wrapped

    return decorate


@contextlib.contextmanager
def logging_to(options: ChainOptions) -> Iterator[None]:
    """
    Send events where the options say, for the time of a command.

    Raises:
        DocumentWriteError: the log file cannot be opened.

    """
    with contextlib.ExitStack() as stack:
        log_file: TextIO | None = None
        if options.log_file is not None:
            log_file = _open_log(options.log_file)
            stack.callback(_close_log, log_file)
        stack.enter_context(
            logs.configured(
                level=options.log_level,
                style=options.log_format,
                stream=sys.stderr,
                log_file=log_file,
            )
        )
        yield


def _close_log(file: TextIO) -> None:
    # Lines that could not be written are told by the report; they are still buffered.
    with contextlib.suppress(OSError):
        file.close()


def _open_log(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        msg = f"cannot write {quote(path)}: {error.strerror or error}"
        raise DocumentWriteError(msg) from error
