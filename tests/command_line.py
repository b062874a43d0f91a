"""What tests of the command line expect and read: tables, terminals, odd streams."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GEPASS = (sys.executable, "-m", "gepass")

SPECS = ("segment ", "kind", "path")
MODULES = ("status", "ms ", "passes", "path")
SKIPPED = ("path", "reason")
PASSES = ("stage", "pass", "kind", "op types", "class", "place")
"""The columns of the tables; one whose name ends in a blank stands to the right."""


ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""An environment in which Python takes everything to be ASCII."""


def one_pass(name: str) -> str:
    """Return a file of one pass, whose class is ``A`` and decorator stands in line 2."""
    return (
        "import gepass\n"
        f'@gepass.register_fusion_pass(name="{name}", stage="BeforeInferShape")\n'
        "class A(gepass.FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        return None\n"
    )


def section(
    title: str,
    columns: Sequence[str],
    *rows: Sequence[str],
    ascii_only: bool = False,
) -> str:
    """Return a heading and a table as they look off a terminal."""
    bar, dash, cross = (" | ", "-", "-+-") if ascii_only else ("   ", "─", "───")
    right = [column.endswith(" ") for column in columns]
    cells = [[column.strip() for column in columns], *rows]
    widths = [max(_width(row[i]) for row in cells) for i in range(len(columns))]
    lines = [
        bar.join(
            _pad(cell, width, right=is_right)
            for cell, width, is_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]
    rule = cross.join(dash * width for width in widths)
    return "\n".join(("", title, lines[0], rule, *lines[1:], ""))


def _pad(cell: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if right else cell + blanks


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def durations(output: str) -> list[str]:
    """Return the times in the table of modules, the only thing that chance decides."""
    status = "loaded|already_loaded|failed"
    return re.findall(rf"^(?:{status})[ |]+(\d+\.\d) ", output, re.MULTILINE)


@dataclass(frozen=True)
class Done:
    """What a process left behind."""

    code: int
    stdout: bytes
    stderr: str


def redirected(
    redirection: str,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Done:
    """Run the command line with a redirection of the shell, such as ``>&-``."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *GEPASS, *arguments],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode(errors="replace"))


def first_line(*arguments: str) -> Done:
    """Run the command line in a pipe whose reader goes away after the first line."""
    with (
        tempfile.TemporaryFile() as stderr,
        subprocess.Popen(
            [*GEPASS, *arguments], stdout=subprocess.PIPE, stderr=stderr
        ) as process,
    ):
        assert process.stdout is not None
        line = process.stdout.readline()
        process.stdout.close()
        code = process.wait(timeout=60)
        stderr.seek(0)
        return Done(code, line, stderr.read().decode())


def on_terminal(
    *arguments: str, columns: int, env: Mapping[str, str] | None = None
) -> Done:
    """Run the command line with a terminal as its standard output alone."""
    whole = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES"}}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with (
        tempfile.TemporaryFile() as stderr,
        subprocess.Popen(
            [*GEPASS, *arguments],
            env={**whole, "TERM": "xterm", **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=stderr,
        ) as process,
    ):
        os.close(theirs)
        shown = _read_all(ours)
        os.close(ours)
        code = process.wait(timeout=60)
        stderr.seek(0)
        return Done(code, shown.replace(b"\r\n", b"\n"), stderr.read().decode())


def _read_all(terminal: int) -> bytes:
    data = bytearray()
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # the other side is closed
                raise
            return bytes(data)
        if not piece:
            return bytes(data)
        data += piece
