"""What a check says of one file, beside what a load says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import gepass
from gepass.errors import Code
from gepass.inspection import check_passes

__all__ = ["Finding", "findings_of_check", "first_finding_of_load"]


@dataclass(frozen=True)
class Finding:
    """A problem without the places that stand in front of its text."""

    code: Code
    line: int | None
    reason: str


def findings_of_check(path: Path) -> list[Finding]:
    """Check a file, and check that all problems are its own."""
    report = check_passes(str(path))
    findings: list[Finding] = []
    for problem in report.problems:
        place = f"{path}:{problem.line}: "
        assert problem.path == path
        assert problem.message.startswith(place)
        reason = problem.message.removeprefix(place)
        findings.append(Finding(problem.code, problem.line, reason))
    assert report.ok == (not findings)
    return findings


def first_finding_of_load(path: Path) -> Finding | None:
    """Load a file; a load ends with the first problem."""
    report = gepass.load_passes(
        str(path), registry=gepass.PassRegistry(), on_error="isolate"
    )
    if report.ok:
        return None
    (problem,) = report.problems
    place = f"'{path}', line {problem.line}: "
    assert problem.message.startswith(place)
    reason = problem.message.removeprefix(place)
    if problem.code is Code.MODULE_FAILED:
        return Finding(problem.code, problem.line, reason)
    # The name of the exception, which the code says as well; then, where a decorator
    # refuses, its place: Python 3.10 applies decorators in the line of the class.
    reason = reason.partition(": ")[2]
    decorator = re.match(rf"{re.escape(str(path))}:(\d+): ", reason)
    if decorator is None:
        return Finding(problem.code, problem.line, reason)
    return Finding(problem.code, int(decorator[1]), reason[decorator.end() :])
