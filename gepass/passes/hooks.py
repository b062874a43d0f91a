"""
What a pass class must look like, checked when its body has run (facts 1.4 to 1.9).

As in GE only the class's own body is looked at; parents were checked when they were
made, and a mix-in is the author's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Final, TypeVar

from gepass.errors import PassClassError

__all__ = ["check_decompose_body", "check_pattern_body", "is_pattern_method", "pattern"]

_Function = TypeVar("_Function", bound=Callable[..., object])

_PATTERN_MARK: Final = "__ge_expression_pattern_method__"
_PATTERN_FORM: Final = "(self, inputs)"


def pattern(method: _Function) -> _Function:
    """Mark a method ``(self, inputs)`` of a ``PatternFusionPass`` as one pattern."""
    setattr(method, _PATTERN_MARK, True)
    return method


def is_pattern_method(value: object) -> bool:
    """Tell whether an entry of a class body is a ``@pattern`` method."""
    return callable(value) and getattr(value, _PATTERN_MARK, False) is True


def check_pattern_body(cls: type) -> None:
    """
    Check the body of a ``PatternFusionPass`` subclass.

    Raises:
        PassClassError: it overrides ``run``, combines ``@pattern`` with ``patterns``,
            or a hook has a form that GE does not call.

    """
    _check_no_run(cls, "patterns and replacement")
    methods = [value for value in vars(cls).values() if is_pattern_method(value)]
    if methods and "patterns" in vars(cls):
        _refuse(cls, "cannot combine @pattern methods with patterns(); keep one of the two")
    for method in methods:
        _check_pattern_method(cls, method)
    _check_value_hook(cls, "meet_requirements", "match_result")
    if "replacement" in vars(cls):
        _check_replacement(cls)


def check_decompose_body(cls: type) -> None:
    """
    Check the body of a ``DecomposePass`` subclass.

    Raises:
        PassClassError: it overrides ``run``, or a hook has a form that GE does not call.

    """
    _check_no_run(cls, "replacement")
    _check_value_hook(cls, "meet_requirements", "node")
    _check_value_hook(cls, "replacement", "node")


def _refuse(cls: type, reason: str) -> None:
    msg = f"{cls.__module__}.{cls.__qualname__} {reason}"
    raise PassClassError(msg)


def _check_no_run(cls: type, hooks: str) -> None:
    if "run" in vars(cls):
        _refuse(
            cls,
            f"overrides run(), which GE never calls on this kind of pass; implement "
            f"{hooks}, or derive from FusionBasePass",
        )


def _check_pattern_method(cls: type, method: object) -> None:
    name = getattr(method, "__name__", "?")
    names, required_keywords = _positional_names(cls, name, method, _PATTERN_FORM)
    if len(names) != 2 or required_keywords:  # noqa: PLR2004 - self and inputs
        _refuse(cls, f"has the @pattern method {name}, which must be {_PATTERN_FORM}")


def _check_value_hook(cls: type, name: str, value: str) -> None:
    """Hooks of facts 1.7: two or three positional parameters, the third the context."""
    if name not in vars(cls):
        return
    form = f"{name}(self, {value}) or {name}(self, {value}, context)"
    names, required_keywords = _positional_names(cls, name, vars(cls)[name], form)
    if len(names) not in {2, 3} or required_keywords:
        _refuse(cls, f"has {name} with {_count(names)}; it must be {form}")


def _check_replacement(cls: type) -> None:
    """Facts 1.8: a second parameter called inputs makes it an expression."""
    form = "replacement(self, inputs[, match_result][, context])"
    hook = vars(cls)["replacement"]
    names, required_keywords = _positional_names(cls, "replacement", hook, form)
    if names[1:2] != ["inputs"]:
        _check_value_hook(cls, "replacement", "match_result")
        return
    if len(names) > 4 or required_keywords:  # noqa: PLR2004 - self, inputs, match, context
        _refuse(cls, f"has replacement with more than four arguments; it must be {form}")
    if len(names) == 4 and names[3] != "context":  # noqa: PLR2004
        _refuse(
            cls,
            f"has replacement with four arguments of which the last is {names[3]!r}; "
            f"it must be called context: {form}",
        )


def _positional_names(
    cls: type, name: str, hook: object, form: str
) -> tuple[list[str], bool]:
    """Return the names of the positional parameters, and whether a keyword is required."""
    function = hook.__func__ if isinstance(hook, staticmethod) else hook
    if not inspect.isfunction(function) and not callable(function):
        _refuse(cls, f"has {name} that is no plain method; it must be {form}")
    parameters = _parameters(function)
    positional = [
        parameter.name
        for parameter in parameters
        if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}
    ]
    required = any(
        parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty
        for parameter in parameters
    )
    return positional, required


def _parameters(function: object) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())  # type: ignore[arg-type] # any callable
    except (TypeError, ValueError):
        return []


def _count(names: list[str]) -> str:
    return f"{len(names)} positional parameter{'' if len(names) == 1 else 's'}"
