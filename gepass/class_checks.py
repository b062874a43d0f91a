"""
Whether GE can make and call a class, by inspection and never by making an instance.

Each ``find_*`` returns what is wrong as text, ``None`` when nothing is.
"""

from __future__ import annotations

import inspect
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
    """Tell which method that GE calls on this kind of pass is not implemented."""
    base, hooks = _REQUIRED_HOOKS[kind]
    for hook in hooks:
        if getattr(cls, hook) is not getattr(base, hook):
            continue
        if hook == "patterns" and _has_pattern_method(cls):
            continue
        return f"{cls.__qualname__} does not implement {hook}()"
    return None


def _makers(cls: type[AnyPass]) -> list[object]:
    """Return what ``cls()`` calls with the class or the instance alone, builtins aside."""
    if type(cls).__call__ is not type.__call__:
        return [type(cls).__call__]  # decides for itself what it calls
    makers = ((cls.__new__, object.__new__), (cls.__init__, object.__init__))
    return [maker for maker, default in makers if maker is not default]


def _binding_error(maker: object) -> TypeError | None:
    try:
        inspect.signature(maker).bind(None)  # type: ignore[arg-type] # a function
    except TypeError as error:
        return error
    except ValueError:  # written in C, without a signature to look at
        return None
    return None


def _has_pattern_method(cls: type) -> bool:
    return any(
        is_pattern_method(value) for base in cls.__mro__ for value in vars(base).values()
    )
