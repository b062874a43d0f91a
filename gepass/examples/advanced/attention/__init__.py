"""A package: imported as a whole, its submodules register passes, too."""

from __future__ import annotations

from . import softmax

__all__ = ["softmax"]
