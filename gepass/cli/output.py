"""
What commands print: results on standard output, tables for people, errors as a block.

Off a terminal nothing is wrapped or coloured. Characters that the output cannot show are
written as escapes, so that no name can break a command.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gepass.path_text import encode_path, printable

if TYPE_CHECKING:
    from pathlib import Path

    from gepass.errors import GepassError

__all__ = ["Output", "claim_stdout", "place", "show_error"]

_UNWRAPPED: Final = 1_000_000_000
"""Columns of an output that nobody looks at through a window."""
_LAST_STANDARD: Final = 2


class Output:
    """Standard output, kept for the results of the command alone."""

    def __init__(self, stream: TextIO, width: int) -> None:
        self._stream = stream
        on_terminal = stream.isatty()
        # Width and height are given, so that no variable or descriptor decides them.
        self._console = Console(
            file=stream,
            width=width if on_terminal else _UNWRAPPED,
            height=25,
            force_terminal=None if on_terminal else False,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def write_bytes(self, data: bytes) -> None:
        """Write a document as it is."""
        self._stream.flush()
        self._stream.buffer.write(data)
        self._stream.flush()

    def line(self, text: str = "") -> None:
        """Write one line for people."""
        self._console.print(Text(self._shown(text).rstrip()), soft_wrap=True)

    def heading(self, text: str) -> None:
        """Write a heading, set off from what is above."""
        self._console.print()
        self._console.print(Text(self._shown(text), style="bold"), soft_wrap=True)

    def block(self, lines: Iterable[str]) -> None:
        """Write lines, indented."""
        for line in lines:
            self.line(f"  {line}")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Write a table; a column of numbers is one whose heading ends in a blank."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for column in columns:
            numeric = column.endswith(" ")
            table.add_column(
                column.strip(), justify="right" if numeric else "left", overflow="fold"
            )
        for row in rows:
            table.add_row(*(Text(self._shown(cell)) for cell in row))
        with self._console.capture() as capture:
            self._console.print(table)
        for line in capture.get().splitlines():
            self._stream.write(line.rstrip() + "\n")

    def _shown(self, text: str) -> str:
        """Escape what the output cannot show, before the layout is made."""
        encoding = self._stream.encoding
        return printable(text).encode(encoding, "backslashreplace").decode(encoding)


def claim_stdout() -> Output:
    """
    Keep standard output for results: what user code prints goes to standard error.

    The descriptors are switched, not only ``sys.stdout``, and stay so until the process
    ends, since C code and exit handlers print as well.
    """
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    width = shutil.get_terminal_size().columns
    stream = os.fdopen(
        os.dup(1), "w", encoding=encoding, errors="backslashreplace", newline="\n"
    )
    os.dup2(2, 1)
    os.register_at_fork(after_in_child=lambda: discard(stream.fileno()))
    return Output(stream, width)


def place(path: Path | None, line: int | None) -> str:
    """Write ``file:line`` the way editors understand it."""
    if path is None:
        return ""
    return encode_path(path) if line is None else f"{encode_path(path)}:{line}"


def show_error(error: GepassError, traceback: Iterable[str] = ()) -> None:
    """Write an error as one readable block on standard error, whatever user code did."""
    first, *rest = error.message.splitlines() or [""]
    lines = [
        f"gepass: error {error.code.value}: {first}",
        *(f"  {line}" for line in rest),
        *(f"  {line}" for line in traceback),
    ]
    text = "".join(printable(line).rstrip() + "\n" for line in lines)
    encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stderr.flush()
    with contextlib.suppress(OSError), os.fdopen(2, "wb", closefd=False) as stream:
        stream.write(text.encode(encoding, "backslashreplace"))


def open_missing_descriptors() -> None:
    """Open the standard descriptors that are closed, so that no file takes their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD:
        continue
    os.close(descriptor)


def discard(descriptor: int) -> None:
    """Let nothing that is still written to a descriptor arrive."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor, inheritable=False)
    os.close(null)
