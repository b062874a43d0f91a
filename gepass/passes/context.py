"""What a running pass is told, and can say, besides the graph (facts 1.12)."""

from __future__ import annotations

__all__ = ["PassContext"]


class PassContext:
    """
    The context of one stage run; made by the scheduler, valid only while a hook runs.

    It has no public constructor, as in GE.
    """

    def __init__(self) -> None:
        msg = "a PassContext is made by the scheduler and handed to the hooks of a pass"
        raise TypeError(msg)
