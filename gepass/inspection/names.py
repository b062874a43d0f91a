"""
What names mean in a file's text, as far as its imports and definitions tell.

A name that stands for something of gepass, or of GE's package of the same interface,
means gepass's own object. Everything else is ``UNKNOWN``.
"""

from __future__ import annotations

import abc
import ast
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Generic

import typing_extensions

from gepass.decorators import register_decompose_pass, register_fusion_pass
from gepass.passes import DecomposePass, FusionBasePass, PatternFusionPass, pattern
from gepass.stages import PassKind, PassStage

__all__ = ["UNKNOWN", "ImportedName", "Names", "read_literal"]

UNKNOWN: Final = object()
"""What the text of a file does not tell."""

_INTERFACE: Final[dict[str, object]] = {
    thing.__name__: thing
    for thing in (
        *(register_fusion_pass, register_decompose_pass, pattern),
        *(FusionBasePass, PatternFusionPass, DecomposePass, PassStage, PassKind),
    )
}
_OTHERS: Final[dict[str, object]] = {
    "abc.ABC": abc.ABC,
    "abc.abstractmethod": abc.abstractmethod,
    "builtins.classmethod": classmethod,
    "builtins.object": object,
    "builtins.property": property,
    "builtins.staticmethod": staticmethod,
    "typing.Generic": Generic,
    "typing.final": typing_extensions.final,
    "typing.override": typing_extensions.override,
    "typing_extensions.final": typing_extensions.final,
    "typing_extensions.override": typing_extensions.override,
}


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A module or other thing that an import brings, and that is not looked into."""

    dotted: str


def _imported(dotted: str) -> object:
    module, _, name = dotted.rpartition(".")
    if name in _INTERFACE and f"{module}.".startswith(("gepass.", "ge.passes.")):
        return _INTERFACE[name]
    return _OTHERS.get(dotted, ImportedName(dotted))


@dataclass(slots=True)
class Names:
    """The names of a scope, filled in the order of the text."""

    parent: Names | None = None
    meanings: dict[str, object] = field(default_factory=dict)

    def child(self) -> Names:
        """Open the scope of a class or function body."""
        return Names(self)

    def bind(self, name: str, meaning: object, *, certain: bool) -> None:
        """
        Give a name a meaning.

        A statement that may not run leaves the name unknown where it had another one.
        """
        if not certain and self.meanings.get(name, meaning) != meaning:
            meaning = UNKNOWN
        self.meanings[name] = meaning

    def bind_import(self, node: ast.Import | ast.ImportFrom, *, certain: bool) -> None:
        """Give the names of an import statement their meanings."""
        for name, meaning in _names_of_import(node):
            self.bind(name, meaning, certain=certain)

    def resolve(self, node: ast.expr) -> object:
        """Return what a name with attributes stands for."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return UNKNOWN
        meaning = self._look_up(node.id)
        for attribute in reversed(attributes):
            meaning = _attribute_of(meaning, attribute)
        return meaning

    def read_value(self, node: ast.expr) -> object:
        """Return the value of a literal or of a member of gepass's enums."""
        if isinstance(node, ast.Attribute):
            value = self.resolve(node)
            return value if isinstance(value, str) else UNKNOWN
        return read_literal(node)

    def _look_up(self, name: str) -> object:
        scope: Names | None = self
        while scope is not None:
            if name in scope.meanings:
                return scope.meanings[name]
            scope = scope.parent
        return _OTHERS.get(f"builtins.{name}", UNKNOWN)


def _names_of_import(
    node: ast.Import | ast.ImportFrom,
) -> list[tuple[str, object]]:
    if isinstance(node, ast.Import):
        return [
            (alias.asname, _imported(alias.name))
            if alias.asname
            else (alias.name.partition(".")[0], _imported(alias.name.partition(".")[0]))
            for alias in node.names
        ]
    if node.level:
        return [(alias.asname or alias.name, UNKNOWN) for alias in node.names]
    names = [alias.name for alias in node.names]
    if names == ["*"]:
        star = [(name, _imported(f"{node.module}.{name}")) for name in _INTERFACE]
        return [(n, m) for n, m in star if not isinstance(m, ImportedName)]
    return [
        (alias.asname or alias.name, _imported(f"{node.module}.{alias.name}"))
        for alias in node.names
    ]


def _attribute_of(meaning: object, attribute: str) -> object:
    if isinstance(meaning, ImportedName):
        return _imported(f"{meaning.dotted}.{attribute}")
    if meaning is PassStage or meaning is PassKind:
        members: dict[str, Any] = dict(meaning.__members__)
        return members.get(attribute, UNKNOWN)
    if isinstance(meaning, Enum) and attribute == "value":
        return meaning.value
    return UNKNOWN


def read_literal(node: ast.expr) -> object:
    """Return the value of a literal, ``UNKNOWN`` for any other expression."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN
