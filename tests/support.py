"""What tests write and run: pass files, and Python processes."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

RUNS_VARIABLE = "TEST_RUNS"
"""Names the file in which pass files of ``pass_file`` note that they ran."""


def pass_file(
    name: str, *, stage: str = "BeforeInferShape", before: str = "", after: str = ""
) -> str:
    """Return a file body that notes its execution and registers one pass ``name``.

    ``before`` runs first, ``after`` last. The class is called ``Pass``.
    """
    head = (
        "import os as _os\n"
        f"with open(_os.environ['{RUNS_VARIABLE}'], 'ab') as _file:\n"
        "    _file.write(_os.fsencode(__file__) + b'\\n')\n"
        "import gepass\n"
    )
    body = (
        f"@gepass.register_fusion_pass(name={name!r}, stage={stage!r})\n"
        "class Pass(gepass.FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        return None\n"
    )
    return head + textwrap.dedent(before) + "\n" + body + textwrap.dedent(after) + "\n"


def write(path: Path, text: str | bytes = "") -> Path:
    """Write a file, directories included, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else textwrap.dedent(text).encode()
    path.write_bytes(data)
    return path


@dataclass(frozen=True)
class Runs:
    """Which files of ``pass_file`` ran, in order."""

    log: Path

    @property
    def files(self) -> list[str]:
        """File names, once for each execution."""
        if not self.log.exists():
            return []
        return [Path(os.fsdecode(line)).name for line in self.log.read_bytes().splitlines()]


def python(
    code: str, *, env: Mapping[str, str] | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter, with ``env`` on top of this environment."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        errors="backslashreplace",
        timeout=timeout,
        check=False,
    )


def gepass_command(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gepass", *arguments],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="backslashreplace",
        timeout=timeout,
        check=False,
    )
