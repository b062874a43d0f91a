"""
The documents of a fixed set of passes, for readers in any language.

The files of ``tests/plugins`` are loaded where a test puts them; what depends on the
place, on the time or on the interpreter is then replaced, so that the documents are the
same everywhere and still valid. ``python -m tests.golden`` writes them anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import gepass

FOLDER = Path(__file__).parent
PLUGINS = FOLDER.parent / "plugins"
PLACE = "/plugins"
"""Where the golden documents say that the files are."""


def make(directory: Path) -> dict[str, bytes]:
    """Load a copy of the plugins in ``directory``; return the documents by file name."""
    root = directory.resolve() / "plugins"
    shutil.copytree(PLUGINS, root, ignore=shutil.ignore_patterns("__pycache__"))
    names = ("good", "package", "broken", "duplicate")
    value = ":".join([*(str(root / name) for name in names), ""])
    registry = _gepass("export", "--on-error", "isolate", "--path", value)
    report = _gepass("load", "--json", "--path", value)
    return {
        "registry-document.json": _with_digest(_moved(registry, root)),
        "load-report.json": _timeless(_moved(report, root)),
    }


def _gepass(*arguments: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "gepass", *arguments],
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.stdout


def _moved(document: bytes, root: Path) -> bytes:
    """Put paths, and the digests of paths in module names, where ``PLACE`` is."""
    for path in root.rglob("*.py"):
        there = f"{PLACE}/{path.relative_to(root)}"
        document = document.replace(_digest_of_path(str(path)), _digest_of_path(there))
    return document.replace(str(root).encode(), PLACE.encode())


def _digest_of_path(path: str) -> bytes:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:32].encode()


def _with_digest(document: bytes) -> bytes:
    """Make the digest that of the passes as they are now, and the version a fixed one."""
    version = f'"version":"{gepass.__version__}"'.encode()
    document = document.replace(version, b'"version":"0.0.0"')
    content = json.loads(document)
    passes = json.dumps(
        content["passes"], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    digest = hashlib.sha256(passes.encode()).hexdigest()
    return document.replace(content["digest"].encode(), f"sha256:{digest}".encode())


def _timeless(report: bytes) -> bytes:
    """Drop what chance decides, and the marks below source lines in tracebacks."""
    report = re.sub(rb'"load_id": "\w+"', b'"load_id": "' + b"0" * 32 + b'"', report)
    report = re.sub(rb'"duration_ms": [0-9.e-]+', b'"duration_ms": 0.0', report)
    return re.sub(rb'\n *" *[~^][~^ ]*",', b"", report)
