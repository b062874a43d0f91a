"""A pass that replaces what matches a pattern: kind ``pattern_fusion``."""

from __future__ import annotations

from _tolerance import is_zero

from gepass import PassStage, PatternFusionPass, pattern, register_fusion_pass


@register_fusion_pass(name="AddZero", stage=PassStage.AFTER_INFER_SHAPE)
class AddZero(PatternFusionPass):
    """Replaces ``x + 0`` by ``x``."""

    @pattern
    def add_constant(self, inputs: object) -> object:
        """Match ``Add`` of an input and a constant; the op functions build it."""
        return inputs

    def meet_requirements(self, match_result: object) -> bool:
        return is_zero(0.0)

    def replacement(self, inputs: object) -> object:
        return inputs
