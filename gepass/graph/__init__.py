"""The graph that passes work on; the authoring API fills this package."""

from __future__ import annotations

from gepass.graph.graph import Graph

__all__ = ["Graph"]
