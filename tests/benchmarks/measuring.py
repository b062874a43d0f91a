"""
Ratios of two works, each measured in a fresh process, turn and turn about.

A pair runs close together, so what else the machine does meets both; the median of the
ratios leaves out the pairs where it did not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.files import GeneratedFiles

__all__ = ["Bench", "Comparison", "Measure", "compare"]

_ROOT = Path(__file__).parents[2]


class Bench:
    """Runs child processes that leave their traces below ``root`` alone."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = GeneratedFiles(root)
        self._environment = _clean_environment(root / "pycache")

    def seconds_of_process(self, *arguments: str) -> float:
        """Time a Python process from start to end."""
        started = time.perf_counter()
        self._python(*arguments)
        return time.perf_counter() - started

    def seconds_of_work(self, name: str, *arguments: object) -> float:
        """Time a work of ``works`` inside its process."""
        return self._run_work(name, *arguments)["seconds"]

    def extra_bytes_of_work(self, name: str, *arguments: object) -> float:
        """Return the peak memory of a work less that of a process that does nothing."""
        peak = self._run_work(name, *arguments)["peak_bytes"]
        return peak - self._run_work("nothing")["peak_bytes"]

    def _run_work(self, name: str, *arguments: object) -> dict[str, float]:
        texts = map(str, arguments)
        output = self._python("-m", "tests.benchmarks.works", name, *texts)
        found: dict[str, float] = json.loads(output)
        return found

    def _python(self, *arguments: str) -> str:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=_ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        ).stdout


Measure = Callable[[Bench], float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What came of measuring two works: medians of their values and of the ratios."""

    baseline: float
    measured: float
    ratio: float


def compare(baseline: Measure, measured: Measure, bench: Bench, rounds: int) -> Comparison:
    """
    Measure both in turn, ``rounds`` times after one that warms the disk's cache.

    Raises:
        subprocess.CalledProcessError: a process failed.

    """
    pairs = [(baseline(bench), measured(bench)) for _ in range(rounds + 1)][1:]
    return Comparison(
        baseline=median(first for first, _ in pairs),
        measured=median(second for _, second in pairs),
        ratio=median(second / first for first, second in pairs),
    )


def _clean_environment(pycache: Path) -> Mapping[str, str]:
    """Keep settings of the caller out, and compiled files out of the checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GEPASS_", "ASCEND_", "PYTHON")) or name == "PYTHONPATH"
    }
    return {**kept, "PYTHONPYCACHEPREFIX": str(pycache)}
