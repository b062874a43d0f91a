"""What loads leave in their process, and processes with fewer rights."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

import gepass
from tests.support import RUNS_VARIABLE, pass_file, python, write

NOBODY = 65534
"""A user without rights, whom permissions bind; root passes every check."""


def internal_modules() -> list[str]:
    """Return the keys of ``sys.modules`` that belong to pass files."""
    return [name for name in sys.modules if name.startswith("_ge_py_pass_")]


def names(registry: gepass.PassRegistry | None = None) -> list[str]:
    """Return the names of the passes in a registry, the default one when left out."""
    registry = gepass.default_registry() if registry is None else registry
    return [record.pass_name for record in registry]


def loaded(value: str | Path) -> list[ModuleType]:
    """Load a value and return its modules in scan order."""
    outcomes = gepass.load_passes(str(value)).modules
    return [sys.modules[outcome.module_name] for outcome in outcomes]


def messages(report: gepass.LoadReport) -> list[str]:
    """Return the texts of a report's problems."""
    return [problem.message for problem in report.problems]


@contextmanager
def nothing_stays() -> Iterator[None]:
    """Check that what runs inside leaves the process as it found it."""
    before = _state()
    yield
    assert _state() == before


def _state() -> tuple[object, ...]:
    return (
        gc.isenabled(),
        list(sys.path),
        list(sys.meta_path),
        list(warnings.filters),
        internal_modules(),
        gepass.default_registry().records(),
    )


def load_failure(value: str | Path) -> gepass.ModuleLoadError:
    """Load what must fail, check that nothing of it stays, and return the error."""
    with nothing_stays(), pytest.raises(gepass.ModuleLoadError) as caught:
        gepass.load_passes(str(value))
    return caught.value


@contextmanager
def public_directory() -> Iterator[Path]:
    """Make a directory that every user can reach, with an empty log of runs in it."""
    directory = Path(tempfile.mkdtemp(dir="/tmp"))  # pytest's are private
    log = directory / "log"
    log.touch()
    log.chmod(0o666)
    directory.chmod(0o755)
    try:
        yield directory
    finally:
        for path, _, _ in os.walk(directory):
            Path(path).chmod(0o755)
        shutil.rmtree(directory)


def python_as_nobody(directory: Path, code: str) -> subprocess.CompletedProcess[str]:
    """
    Run code that knows ``directory`` by that name, as a user without rights.

    A first load, with rights, imports what a load needs: that user may not be able to.
    """
    with tempfile.TemporaryDirectory() as first:
        write(Path(first, "good.py"), pass_file("First"))
        write(Path(first, "bad.py"), "1/0")
        head = f"""
            import os, pathlib, gepass
            gepass.load_passes({first!r}, on_error="isolate")
            gepass.unload()
            if os.getuid() == 0:
                os.setgid({NOBODY})
                os.setuid({NOBODY})
            directory = pathlib.Path({str(directory)!r})
        """
        return python(
            textwrap.dedent(head) + textwrap.dedent(code),
            env={RUNS_VARIABLE: str(directory / "log")},
        )
