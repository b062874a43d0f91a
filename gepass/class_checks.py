"""
Whether GE can make and call a class, by inspection and never by making an instance.

Each ``find_*`` returns what is wrong as text, ``None`` when nothing is.
"""

from __future__ import annotations

import inspect
from types import CodeType
from typing import Final

from gepass.passes import AnyPass, DecomposePass, FusionBasePass, PatternFusionPass
from gepass.passes.hooks import is_pattern_method
from gepass.stages import PassKind

__all__ = ["find_construction_fault", "find_missing_hook"]

_REQUIRED_HOOKS: Final = {
    PassKind.FUSION_BASE: (FusionBasePass, ("run",)),
    PassKind.PATTERN_FUSION: (PatternFusionPass, ("patterns", "replacement")),
    PassKind.DECOMPOSE: (DecomposePass, ("replacement",)),
}


def find_construction_fault(cls: type[AnyPass]) -> str | None:
    """Tell why ``cls()`` cannot work."""
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
        return f"{cls.__qualname__} is abstract; implement {missing}"
    for maker in _makers(cls):
        error = _binding_error(maker)
        if error is not None:
            return (
                f"GE makes {cls.__qualname__} without arguments, but its constructor has "
                f"a required one ({error}); give it a default"
            )
    return None


def find_missing_hook(cls: type[AnyPass], kind: PassKind) -> str | None:
    """Tell which method that GE calls on this kind of pass is not there or not callable."""
    base, hooks = _REQUIRED_HOOKS[kind]
    for hook in hooks:
        found = getattr(cls, hook)
        if found is getattr(base, hook):
            if hook == "patterns" and _has_pattern_method(cls):
                continue
            return f"{cls.__qualname__} does not implement {hook}()"
        if not callable(found):
            return f"{cls.__qualname__} has {hook} that is no method"
    return _find_run_fault(cls) if kind is PassKind.FUSION_BASE else None


def _find_run_fault(cls: type[AnyPass]) -> str | None:
    run = inspect.getattr_static(cls, "run")
    given = 2 if isinstance(run, (staticmethod, classmethod)) else 3
    error = _binding_error(getattr(cls, "run"), given)  # noqa: B009 - compared to no type
    if error is None:
        return None
    form = "run(self, graph, context)"
    return f"{cls.__qualname__} has run that cannot be called as {form} ({error})"


def _makers(cls: type[AnyPass]) -> list[object]:
    """Return what ``cls()`` calls with the class or the instance alone, builtins aside."""
    if type(cls).__call__ is not type.__call__:
        return [type(cls).__call__]  # decides for itself what it calls
    makers = ((cls.__new__, object.__new__), (cls.__init__, object.__init__))
    return [maker for maker, default in makers if maker is not default]


def _is_ordinary(function: object, given: int) -> bool:
    """Tell for the usual form of a function, without the cost of a signature."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return False
    return code.co_argcount == given and not code.co_kwonlyargcount


def _binding_error(function: object, given: int = 1) -> TypeError | None:
    if _is_ordinary(function, given):
        return None
    try:
        inspect.signature(function).bind(*[None] * given)  # type: ignore[arg-type] # callable
    except TypeError as error:
        return error
    except ValueError:  # written in C, without a signature to look at
        return None
    return None


def _has_pattern_method(cls: type) -> bool:
    return any(
        is_pattern_method(value) for base in cls.__mro__ for value in vars(base).values()
    )
