"""Where a pass runs in a compile (``PassStage``) and how it is called (``PassKind``)."""

from __future__ import annotations

from enum import Enum
from typing import Final

__all__ = ["UNSCHEDULED_STAGES", "PassKind", "PassStage"]


class PassStage(str, Enum):
    """The four points of a compile at which GE runs custom passes, in running order."""

    BEFORE_INFER_SHAPE = "BeforeInferShape"
    AFTER_INFER_SHAPE = "AfterInferShape"
    AFTER_BUILTIN_FUSION_PASS = "AfterBuiltinFusionPass"  # noqa: S105
    AFTER_ORIGIN_GRAPH_OPTIMIZE = "AfterOriginGraphOptimize"


class PassKind(str, Enum):
    """What GE calls on a pass: ``run``, the pattern hooks, or the decompose hooks."""

    FUSION_BASE = "fusion_base"
    PATTERN_FUSION = "pattern_fusion"
    DECOMPOSE = "decompose"


UNSCHEDULED_STAGES: Final = {
    "AfterAssignLogicStream": "GE runs only its own stream passes there",
    "CompatibleInherited": "GE runs only its own built-in passes there",
}
"""Stage names that GE's C++ side knows, with the reason why a pass never runs there."""
