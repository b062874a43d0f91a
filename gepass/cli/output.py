"""
What commands print: results on standard output, tables for people, errors as a block.

Off a terminal nothing is wrapped or coloured. Characters that the output cannot show are
written as escapes, so that no name can break a command.
"""

from __future__ import annotations

import contextlib
import os
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

_UNWRAPPED: Final = 100_000
"""Columns of an output that nobody looks at through a window."""


class Output:
    """Standard output, kept for the results of the command alone."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        on_terminal = stream.isatty()
        self._console = Console(
            file=stream,
            width=None if on_terminal else _UNWRAPPED,
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
        self._console.print(Text(printable(text)), soft_wrap=True)

    def heading(self, text: str) -> None:
        """Write a heading, set off from what is above."""
        self._console.print()
        self._console.print(Text(printable(text), style="bold"), soft_wrap=True)

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
            table.add_row(*(Text(printable(cell)) for cell in row))
        with self._console.capture() as capture:
            self._console.print(table)
        for line in capture.get().splitlines():
            self._stream.write(line.rstrip() + "\n")


def claim_stdout() -> Output:
    """
    Keep standard output for results: what user code prints goes to standard error.

    The descriptors are switched, not only ``sys.stdout``, and stay so until the process
    ends, since C code and exit handlers print as well.
    """
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    stream = os.fdopen(
        _duplicate(1), "w", encoding=encoding, errors="backslashreplace", newline="\n"
    )
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return Output(stream)


def place(path: Path | None, line: int | None) -> str:
    """Write ``file:line`` the way editors understand it."""
    if path is None:
        return ""
    return encode_path(path) if line is None else f"{encode_path(path)}:{line}"


def show_error(error: GepassError) -> None:
    """Write an error as one readable block on standard error."""
    if sys.stderr is None:
        return
    first, *rest = error.message.splitlines() or [""]
    lines = [
        f"gepass: error {error.code.value}: {first}",
        *(f"  {line}" for line in rest),
    ]
    text = "\n".join(printable(line) for line in lines)
    encoding = sys.stderr.encoding or "utf-8"
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def _duplicate(descriptor: int) -> int:
    try:
        return os.dup(descriptor)
    except OSError:  # standard output is closed: results have nowhere to go
        return os.open(os.devnull, os.O_WRONLY)
