"""A helper: its name starts with ``_``, so it is imported by others and not scanned."""

from __future__ import annotations

__all__ = ["is_zero"]

TOLERANCE = 1e-6
"""Largest absolute value that counts as zero."""


def is_zero(value: float) -> bool:
    """Tell whether a constant counts as zero."""
    return abs(value) < TOLERANCE
