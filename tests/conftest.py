"""A process without leftovers for each test."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gepass
from gepass.importing.importer import importer
from gepass.process import forget_everything
from tests.support import RUNS_VARIABLE, Runs


@pytest.fixture(autouse=True)
def _clean_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("GEPASS_") or name == "ASCEND_GE_PY_PASS_PATH":
            monkeypatch.delenv(name)
    path, meta_path = list(sys.path), list(sys.meta_path)

    yield

    forget_everything()
    gepass.default_registry().clear()
    assert importer.session is None
    assert not [name for name in sys.modules if name.startswith("_ge_py_pass_")]
    assert sys.meta_path == meta_path
    sys.path[:] = path


@pytest.fixture
def runs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Tell which files of ``pass_file`` ran."""
    log = tmp_path_factory.mktemp("runs") / "log"
    monkeypatch.setenv(RUNS_VARIABLE, str(log))
    return Runs(log)


@pytest.fixture
def d(tmp_path: Path, runs: Runs) -> Path:  # noqa: ARG001 - pass files need the log
    """Return an empty directory for pass files."""
    directory = tmp_path / "d"
    directory.mkdir()
    return directory
