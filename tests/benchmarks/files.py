"""The pass files that are loaded: all distinct, in the style of real ones."""

from __future__ import annotations

from pathlib import Path

__all__ = ["GeneratedFiles"]

_STAGES = ("BeforeInferShape", "AfterInferShape", "AfterBuiltinFusionPass")

_HEAD = '''\
"""Fold the scale after convolution {index} into its weights."""

import math
from collections import Counter

import gepass

TOLERANCE = {index}e-6  # scales nearer to one than this are left alone


@gepass.register_fusion_pass(name="FoldScale{index}", stage="{stage}")
class FoldScale{index}(gepass.FusionBasePass):
    """Replaces Conv2D and Mul by one Conv2D."""

    def run(self, graph, context):
        kinds = Counter(node.type for node in graph.nodes)
        return kinds["Conv2D"] > {index} and self.is_far_from_one(graph.scale)

    def is_far_from_one(self, scale):
        return not math.isclose(scale, 1.0, abs_tol=TOLERANCE)
'''

_METHOD = '''\

    def fold_weights_{number}(self, weights, scale, bias=None):
        """Return the weights of variant {number} with the scale multiplied in."""
        if scale is None or not self.is_far_from_one(scale):
            return weights
        folded = []
        for row, value in enumerate(weights):
            # Rows of the lower half keep their bias.
            if value < {index}.{number} and row % 2:
                folded.append(value * scale)
            elif bias is not None:
                folded.append(math.fsum((value * scale, bias[row])))
        return {{"weights": folded, "variant": "v{index}_{number}"}}
'''

_HEAD_LINES = _HEAD.count("\n")
_METHOD_LINES = _METHOD.count("\n")


class GeneratedFiles:
    """Directories of generated files below ``root``, each made when first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def directory(self, count: int, lines: int) -> Path:
        """Return a directory with ``count`` files of ``lines`` lines."""
        directory = self.root / f"{count}x{lines}"
        if not directory.exists():
            directory.mkdir()
            for index in range(count):
                path = directory / f"fold_scale_{index:05}.py"
                path.write_text(_body(index, lines), encoding="utf-8")
        return directory


def _body(index: int, lines: int) -> str:
    """Write a class with as many methods as ``lines`` lines hold."""
    count = (lines - _HEAD_LINES) // _METHOD_LINES
    head = _HEAD.format(index=index, stage=_STAGES[index % len(_STAGES)])
    methods = (_METHOD.format(index=index, number=number) for number in range(count))
    return head + "".join(methods)
