"""
From a scanned source to an executed module: the only code that runs user files.

``table`` knows every module of a pass directory, ``directories`` what their code can
import, ``finder`` reads and compiles, ``session`` executes, collects and undoes.
"""

from __future__ import annotations

__all__: list[str] = []
