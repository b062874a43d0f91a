"""
Real classes made from the text of class definitions, so that the real rules judge them.

A mirror has the bases and the attributes of its original; its methods have the original's
parameters and no code. What the text does not tell is filled with something that breaks
no rule.
"""

from __future__ import annotations

import abc
import ast
import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic

from gepass.errors import PassClassError
from gepass.inspection.names import UNKNOWN, Names, read_literal
from gepass.passes import DecomposePass, FusionBasePass, PatternFusionPass

__all__ = [
    "MirroredClass",
    "bound_names",
    "forget_constructor",
    "mirror_class",
    "mirror_function",
]

_MAX_ANCESTORS: Final = 200
"""A class with more is not looked into: what it costs grows with the square."""
_BASES: Final = (FusionBasePass, PatternFusionPass, DecomposePass, abc.ABC)
_CONSTRUCTORS: Final = ("__init__", "__new__")
_CALLED: Final = ("run", "patterns", "meet_requirements", "replacement", "__init__")
"""What GE calls on a class of any kind."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MirroredClass:
    """What the text tells of a class."""

    mirror: type
    complete: bool
    """Whether all bases are known, so that what is missing is sure to be missing."""


def mirror_class(
    node: ast.ClassDef, names: Names, module_name: str, qualified_name: str
) -> MirroredClass:
    """
    Make the mirror of a class definition.

    Raises:
        PassClassError: the body breaks a rule of its base class.

    """
    bases, complete = _read_bases(node, names)
    if sum(len(base.__mro__) for base in bases) > _MAX_ANCESTORS:
        return MirroredClass(mirror=object, complete=False)
    body = _Body.of(node, names)
    body.values |= {"__module__": module_name, "__qualname__": qualified_name}
    try:
        mirror: type = types.new_class(
            node.name, bases, exec_body=lambda namespace: namespace.update(body.values)
        )
    except PassClassError:
        raise
    except TypeError:  # the bases do not go together
        return MirroredClass(mirror=object, complete=False)
    _fill_in(mirror, body, complete=complete)
    mirrored = MirroredClass(mirror=mirror, complete=complete)
    if node.keywords:  # a metaclass may make instances in its own way
        forget_constructor(mirrored)
    return mirrored


def forget_constructor(meaning: object) -> None:
    """Note that something else than the body may say how instances are made."""
    if isinstance(meaning, MirroredClass) and meaning.mirror is not object:
        for name in _CONSTRUCTORS:
            setattr(meaning.mirror, name, _anything)


def mirror_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Callable[..., object]:
    """Make a function that has the parameters of a definition, and no code."""

    def function(*_arguments: object, **_keywords: object) -> None: ...

    function.__name__ = function.__qualname__ = node.name
    vars(function)["__signature__"] = inspect.Signature(list(_parameters(node.args)))
    return function


def bound_names(node: ast.AST) -> Iterator[str]:
    """List the names that a statement, or what is inside it, may bind."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield inner.name
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name.partition(".")[0]


def _anything(self: object, value: object = None, context: object = None) -> None:
    """Stand in for what is not known: fits as any hook and as a constructor."""


@dataclass(slots=True)
class _Body:
    """The attributes of a class, as far as its body tells."""

    values: dict[str, object] = field(default_factory=dict)
    possible: set[str] = field(default_factory=set)
    """Names that are bound in some other way than by plain statements."""
    may_have_patterns: bool = False
    """Whether something unknown may be a ``@pattern`` method."""

    @classmethod
    def of(cls, node: ast.ClassDef, names: Names) -> _Body:
        body = cls()
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body.put(statement.name, _read_method(statement, names))
            elif isinstance(statement, ast.Assign) and _are_names(statement.targets):
                for name in bound_names(statement):
                    body.put(name, read_literal(statement.value))
            elif not isinstance(statement, ast.AnnAssign) or statement.value is not None:
                body.possible.update(bound_names(statement))
        return body

    def put(self, name: str, value: object) -> None:
        if name.startswith("__") and name not in _CONSTRUCTORS:
            return  # what Python itself calls is not mirrored
        if value is UNKNOWN:
            self.may_have_patterns = True
            value = _anything
        self.values[name] = value


def _read_bases(node: ast.ClassDef, names: Names) -> tuple[tuple[type, ...], bool]:
    bases: list[type] = []
    complete = not node.keywords
    for expression in node.bases:
        base = names.resolve(_without_subscripts(expression))
        if base is Generic or base is object:
            continue
        if isinstance(base, MirroredClass):
            complete = complete and base.complete
            bases.append(base.mirror)
        elif base in _BASES:
            bases += [known for known in _BASES if known is base]
        else:
            complete = False
    return tuple(base for base in bases if base is not object), complete


def _without_subscripts(node: ast.expr) -> ast.expr:
    """Turn ``Base[Graph]`` into ``Base``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _are_names(targets: list[ast.expr]) -> bool:
    return all(isinstance(target, ast.Name) for target in targets)


def _read_method(node: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> object:
    value: object = mirror_function(node)
    for decorator in reversed(node.decorator_list):
        decorate = names.resolve(decorator)
        if not callable(decorate):
            return UNKNOWN
        try:
            value = decorate(value)
        except (AttributeError, TypeError, ValueError):  # no decorator of methods
            return UNKNOWN
    return value


def _parameters(arguments: ast.arguments) -> Iterator[inspect.Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    first_default = len(positional) - len(arguments.defaults)
    for index, argument in enumerate(positional):
        yield inspect.Parameter(
            argument.arg,
            inspect.Parameter.POSITIONAL_ONLY
            if index < len(arguments.posonlyargs)
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if index >= first_default else inspect.Parameter.empty,
        )
    if arguments.vararg is not None:
        yield inspect.Parameter(arguments.vararg.arg, inspect.Parameter.VAR_POSITIONAL)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield inspect.Parameter(
            argument.arg,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is None else None,
        )
    if arguments.kwarg is not None:
        yield inspect.Parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD)


def _fill_in(mirror: type, body: _Body, *, complete: bool) -> None:
    """Give the mirror what the original may have."""
    possible = set(body.possible)
    if body.may_have_patterns or possible:
        possible.add("patterns")
    abstract: frozenset[str] = getattr(mirror, "__abstractmethods__", frozenset())
    if not complete:
        possible |= {*_CALLED, *abstract}
    for name in possible & {*_CALLED, *abstract} - vars(mirror).keys():
        setattr(mirror, name, _anything)
    if abstract & possible:
        vars_abstract = abstract - possible
        setattr(mirror, "__abstractmethods__", vars_abstract)  # noqa: B010
