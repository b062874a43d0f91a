"""gepass's own graph type, what ``run`` gets where no host brings another one."""

from __future__ import annotations

__all__ = ["Graph"]


class Graph:
    """A computation graph in GE's terms."""
