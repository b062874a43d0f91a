"""
The static check: what a load would make of the files, found out without running them.

    str -> PassPathSpec -> ModuleSource -> syntax tree -> facts of a file -> CheckReport

A file's text is compiled and read, never executed. What its text does not tell, such as
an argument that is computed, is "not known" and no problem.
"""

from __future__ import annotations

from gepass.inspection.checking import check_passes
from gepass.inspection.report import CheckedModule, CheckedPass, CheckReport

__all__ = ["CheckReport", "CheckedModule", "CheckedPass", "check_passes"]
