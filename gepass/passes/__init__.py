"""The base classes of passes and what their hooks are given."""

from __future__ import annotations

from gepass.passes.base import (
    AnyPass,
    DecomposePass,
    FusionBasePass,
    PatternFusionPass,
)
from gepass.passes.context import PassContext
from gepass.passes.hooks import pattern

__all__ = [
    "AnyPass",
    "DecomposePass",
    "FusionBasePass",
    "PassContext",
    "PatternFusionPass",
    "pattern",
]
