"""Read and compile a file's bytes, without running what comes of it."""

from __future__ import annotations

import ast
import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from gepass.errors import Code, Problem
from gepass.importing.failures import exception_text
from gepass.importing.finder import compile_source as compile_bytes
from gepass.path_text import quote

__all__ = ["CompiledSource", "compile_source", "not_compiled", "read_source"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CompiledSource:
    """What a file's bytes mean to Python."""

    tree: ast.Module
    code: CodeType


def read_source(path: Path) -> tuple[bytes, str] | Problem:
    """Return a file's bytes and their digest, or why there are none."""
    try:
        with path.open("rb", buffering=0) as file:
            data = file.readall()
    except FileNotFoundError:
        message = f"{quote(path)} disappeared during the check; restore it and check again"
    except OSError as error:
        message = f"{quote(path)} cannot be read ({error.strerror}); mend its permissions"
    else:
        return data, hashlib.sha256(data).hexdigest()
    return Problem(code=Code.MODULE_NOT_READ, message=message, path=path)


def compile_source(data: bytes, path: Path) -> CompiledSource | Problem:
    """Return the syntax tree and the code of a file, or why there are none."""
    try:
        code = compile_bytes(data, path)
        # Compiling the tree would parse once only, but takes less nesting than a load.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were just given
            tree = ast.parse(data, str(path))
    except Exception as error:  # noqa: BLE001 - hostile bytes get many kinds out of it
        return not_compiled(error, path)
    return CompiledSource(tree=tree, code=code)


def not_compiled(error: Exception, path: Path) -> Problem:
    """Make the problem of a file that is no Python, or too much for Python."""
    line = error.lineno or None if isinstance(error, SyntaxError) else None
    where = quote(path) if line is None else f"{quote(path)}, line {line}"
    # The text of a syntax error repeats the line.
    text = str(error.msg) if isinstance(error, SyntaxError) else exception_text(error)
    message = f"{where}: {type(error).__name__}{f': {text}' if text else ''}"
    return Problem(code=Code.MODULE_NOT_COMPILED, message=message, path=path, line=line)
