"""
The facts of one file: what its text registers, imports, and gets wrong.

The text is read in its order, as the interpreter would run it. What stands under a
condition, or in a function, may or may not happen: it is noted as not certain, and what
is wrong with it is no problem.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Final

from typing_extensions import final

from gepass.decorators import register_decompose_pass, register_fusion_pass
from gepass.errors import PassClassError, Problem
from gepass.inspection.mirror import (
    MirroredClass,
    bound_names,
    forget_constructor,
    mirror_class,
    mirror_function,
)
from gepass.inspection.names import UNKNOWN, ImportedName, Names
from gepass.inspection.registrations import DecorationCheck, read_decoration
from gepass.inspection.report import CheckedPass
from gepass.passes import FusionBasePass
from gepass.path_text import encode_path

__all__ = ["FoundImport", "Reader"]

_REGISTRARS: Final = (register_fusion_pass, register_decompose_pass)
_REGISTERING: Final = frozenset(function.__name__ for function in _REGISTRARS)
_MAY_REGISTER: Final = _REGISTERING | {"import_module", "__import__", "exec"}
"""Names whose use outside of decorators may register passes all the same."""


@dataclass(frozen=True, slots=True)
class FoundImport:
    """An import statement."""

    node: ast.Import | ast.ImportFrom
    certain: bool
    """Whether loading the file is sure to run it."""


@dataclass(slots=True)
class _Context:
    """Where a block stands."""

    names: Names
    certain: bool
    qualifier: str = ""
    """What goes before the names of its definitions to make them qualified."""


class Reader:
    """Reads the syntax tree of one file and keeps what it finds."""

    def __init__(
        self, *, path: Path, module_name: str, code: CodeType, certain: bool
    ) -> None:
        self.passes: list[CheckedPass] = []
        self.problems: list[Problem] = []
        self.imports: list[FoundImport] = []
        self.may_register = False
        """Whether it may register passes in a way that its text does not tell."""
        self.unread_line: int | None = None
        """Where a registering decorator is named that is no plain use of one."""
        self._path = path
        self._module_name = module_name
        self._code = code
        self._top = _Context(Names(), certain)

    def read(self, tree: ast.Module) -> None:
        """Read the whole file."""
        self._read_block(tree.body, self._top)
        self.problems.sort(key=lambda problem: problem.line or 0)
        if not self.passes:
            self.unread_line = self._first_unread_use(tree)
            self.may_register = self.may_register or _uses_registration(tree)

    def _first_unread_use(self, tree: ast.Module) -> int | None:
        """Find a registering function that is used, and not as a plain decorator."""
        bound = {name for statement in tree.body for name in bound_names(statement)}
        lines = [
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Name)
            and node.id in _REGISTERING
            and (node.id not in bound or self._top.names.resolve(node) in _REGISTRARS)
        ]
        return min(lines, default=None)

    def undecorated_passes(self) -> tuple[str, ...]:
        """Name the pass classes of the file, for when it registers none of them."""
        return tuple(
            name
            for name, meaning in self._top.names.meanings.items()
            if isinstance(meaning, MirroredClass)
            and issubclass(meaning.mirror, FusionBasePass)
            and not name.startswith("_")
        )

    def _read_block(self, statements: Iterable[ast.stmt], context: _Context) -> None:
        for statement in statements:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                context.names.bind_import(statement, certain=context.certain)
                self.imports.append(FoundImport(statement, context.certain))
            elif isinstance(statement, ast.ClassDef):
                self._read_class(statement, context)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._read_function(statement, context)
            elif isinstance(statement, ast.Assign):
                _read_assignment(statement, context)
            else:
                self._read_other(statement, context)

    def _read_class(self, node: ast.ClassDef, context: _Context) -> None:
        checks = self._read_decorators(node, context)
        qualified_name = context.qualifier + node.name
        inner = _Context(context.names.child(), context.certain, f"{qualified_name}.")
        self._read_block(node.body, inner)
        meaning = self._mirror(node, context, qualified_name)
        names: set[str | None] = {None}
        for decorator, check in reversed(checks):
            if check is None:
                meaning = self._decorate(meaning, decorator, context)
                continue
            check.check_applied(meaning)
            found = check.result(node.name, certain=context.certain)
            # One class may not be registered twice under one name, and is not.
            if found.pass_name is None or found.pass_name not in names:
                self.passes.append(found)
            names.add(found.pass_name)
        self._take_problems(checks, context)
        context.names.bind(node.name, meaning, certain=context.certain)

    def _read_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, context: _Context
    ) -> None:
        checks = self._read_decorators(node, context)
        meaning: object = mirror_function(node)
        for _, check in reversed(checks):
            if check is None:
                meaning = UNKNOWN
            else:
                check.check_applied(meaning)
        self._take_problems(checks, context)
        context.names.bind(node.name, UNKNOWN, certain=context.certain)
        qualifier = f"{context.qualifier}{node.name}.<locals>."
        inner = _Context(context.names.child(), certain=False, qualifier=qualifier)
        self._read_block(node.body, inner)

    def _read_other(self, statement: ast.stmt, context: _Context) -> None:
        """Read a statement that may hold blocks, which may not run."""
        inner: list[ast.stmt] = []
        for part in _parts_of(statement):
            if isinstance(part, ast.stmt):
                inner.append(part)
                continue
            for name in bound_names(part):
                context.names.bind(name, UNKNOWN, certain=context.certain)
        self._read_block(
            inner, _Context(context.names, certain=False, qualifier=context.qualifier)
        )

    def _read_decorators(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, context: _Context
    ) -> list[tuple[ast.expr, DecorationCheck | None]]:
        checks: list[tuple[ast.expr, DecorationCheck | None]] = []
        for decorator in node.decorator_list:
            decoration = read_decoration(decorator, context.names)
            check = None
            if decoration is not None:
                check = DecorationCheck(decoration, context.names, self._path, self._code)
                check.check_made()
            checks.append((decorator, check))
        return checks

    def _mirror(self, node: ast.ClassDef, context: _Context, qualified_name: str) -> object:
        try:
            return mirror_class(node, context.names, self._module_name, qualified_name)
        except PassClassError as error:
            if context.certain:
                message = f"{encode_path(self._path)}:{node.lineno}: {error}"
                self.problems.append(
                    Problem(
                        code=error.code, message=message, path=self._path, line=node.lineno
                    )
                )
            return UNKNOWN

    def _decorate(self, meaning: object, decorator: ast.expr, context: _Context) -> object:
        """Return what a class is after another decorator."""
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        decorate = context.names.resolve(call)
        if decorate is final:
            return meaning
        if isinstance(decorate, ImportedName) and _is_standard(decorate):
            forget_constructor(meaning)
            return meaning
        self.may_register = True
        return UNKNOWN

    def _take_problems(
        self,
        checks: Iterable[tuple[ast.expr, DecorationCheck | None]],
        context: _Context,
    ) -> None:
        if not context.certain:
            return
        for _, check in checks:
            if check is not None:
                self.problems += check.problems


def _read_assignment(statement: ast.Assign, context: _Context) -> None:
    plain = all(isinstance(target, ast.Name) for target in statement.targets)
    meaning = context.names.resolve(statement.value) if plain else UNKNOWN
    for name in bound_names(statement):
        context.names.bind(name, meaning, certain=context.certain)


def _parts_of(statement: ast.stmt) -> Iterator[ast.AST]:
    """List the statements and expressions of a statement, ``elif`` chains flattened."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        for child in ast.iter_child_nodes(node):
            is_branch = isinstance(child, (ast.ExceptHandler, ast.match_case))
            if is_branch or (isinstance(node, ast.If) and node.orelse == [child]):
                pending.append(child)
            else:
                yield child


def _is_standard(imported: ImportedName) -> bool:
    return imported.dotted.partition(".")[0] in sys.stdlib_module_names


def _uses_registration(tree: ast.Module) -> bool:
    names = set(_MAY_REGISTER)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {a.asname for a in node.names if a.name in names and a.asname}
    return any(
        (isinstance(node, ast.Name) and node.id in names)
        or (isinstance(node, ast.Attribute) and node.attr in names)
        for node in ast.walk(tree)
    )
