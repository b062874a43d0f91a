"""What the body of a pass class may hold (facts 1.3 to 1.9)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import gepass
from gepass.errors import Code, PassClassError
from gepass.graph import Graph

Hook = Callable[..., object]
FUSION, PATTERN, DECOMPOSE = (
    gepass.FusionBasePass,
    gepass.PatternFusionPass,
    gepass.DecomposePass,
)
MEET = "meet_requirements(self, {0}) or meet_requirements(self, {0}, context)"
LEGACY = "replacement(self, {0}) or replacement(self, {0}, context)"
EXPRESSION = "replacement(self, inputs[, match_result][, context])"


def taking(parameters: str) -> Hook:
    """Make a function with these parameters."""
    function: Hook = eval(f"lambda {parameters}: True")  # noqa: S307
    return function


def make(base: type, **body: object) -> type:
    return type("Made", (base,), {"__module__": __name__, **body})


def refusal(base: type, **body: object) -> str:
    with pytest.raises(PassClassError) as caught:
        make(base, **body)
    assert isinstance(caught.value, TypeError)
    assert caught.value.code is Code.PASS_CLASS
    return str(caught.value).removeprefix(f"{__name__}.Made ")


class TestBases:
    def test_the_base_methods_say_what_is_missing(self) -> None:
        class Missing(gepass.FusionBasePass):
            """Without run."""

        expected = f"{Missing.__qualname__} does not implement run()"
        with pytest.raises(NotImplementedError, match=re.escape(expected)):
            Missing().run(Graph(), object.__new__(gepass.PassContext))

    def test_a_missing_hook_is_no_matter_for_the_class_itself(self) -> None:
        for base in (FUSION, PATTERN, DECOMPOSE):
            make(base)

    def test_by_default_everything_is_accepted(self) -> None:
        assert make(PATTERN)().meet_requirements(object()) is True
        assert make(DECOMPOSE)().meet_requirements(object(), object()) is True

    def test_op_types_are_none_until_registered(self) -> None:
        assert gepass.DecomposePass.op_types is None
        assert vars(make(DECOMPOSE)).get("op_types") is None

    def test_a_context_cannot_be_made(self) -> None:
        with pytest.raises(TypeError, match="made by the scheduler"):
            gepass.PassContext()

    @pytest.mark.parametrize("base", [FUSION, PATTERN, DECOMPOSE])
    def test_class_keywords_go_to_the_next_base(self, base: type) -> None:
        seen: dict[str, object] = {}

        class Mixin:
            def __init_subclass__(cls, **kwargs: object) -> None:
                seen.update(kwargs)

        type("Made", (base, Mixin), {}, flavour=3)

        assert seen == {"flavour": 3}


class TestRun:
    @pytest.mark.parametrize(
        ("base", "hooks"),
        [(PATTERN, "patterns and replacement"), (DECOMPOSE, "replacement")],
    )
    @pytest.mark.parametrize("run", [taking("self, graph"), None, 3])
    def test_overriding_run_is_refused_whatever_its_value(
        self, base: type, hooks: str, run: object
    ) -> None:
        assert refusal(base, run=run) == (
            "overrides run(), which GE never calls on this kind of pass; implement "
            f"{hooks}, or derive from FusionBasePass"
        )

    def test_a_run_of_a_mix_in_is_not_noticed(self) -> None:
        class Mixin:
            def run(self, graph: object, context: object) -> None:
                """Do nothing."""

        type("Made", (Mixin, PATTERN), {})
        type("Made", (Mixin, DECOMPOSE), {})


TWO: list[Hook] = [
    taking("self, value"),
    taking("self, value, *rest, option=1, **more"),
    staticmethod(taking("instance, value")),
]
THREE: list[Hook] = [
    taking("self, value, context"),
    taking("self, value, anything=None"),
    taking("self, value, /, whatever"),
    staticmethod(taking("instance, value, context")),
]
WRONG: list[tuple[Hook, str]] = [
    (taking("self"), "1 positional parameter"),
    (taking(""), "0 positional parameters"),
    (taking("self, a, b, c"), "4 positional parameters"),
    (taking("self, a, b, c, d=1"), "5 positional parameters"),
    (staticmethod(taking("value")), "1 positional parameter"),
]


class TestValueHooks:
    @pytest.mark.parametrize("hook", [*TWO, *THREE])
    def test_two_or_three_positional_parameters_are_taken(self, hook: Hook) -> None:
        make(PATTERN, meet_requirements=hook)
        make(PATTERN, replacement=hook)
        make(DECOMPOSE, meet_requirements=hook, replacement=hook)

    @pytest.mark.parametrize(("hook", "count"), WRONG)
    @pytest.mark.parametrize(
        ("base", "name", "form"),
        [
            (PATTERN, "meet_requirements", MEET.format("match_result")),
            (PATTERN, "replacement", LEGACY.format("match_result")),
            (DECOMPOSE, "meet_requirements", MEET.format("node")),
            (DECOMPOSE, "replacement", LEGACY.format("node")),
        ],
    )
    def test_another_number_is_refused_with_the_allowed_forms(
        self, base: type, name: str, form: str, hook: Hook, count: str
    ) -> None:
        assert refusal(base, **{name: hook}) == (
            f"has {name} with {count}; it must be {form}"
        )

    @pytest.mark.parametrize(
        ("base", "value"), [(PATTERN, "match_result"), (DECOMPOSE, "node")]
    )
    def test_a_required_keyword_is_refused_with_the_allowed_forms(
        self, base: type, value: str
    ) -> None:
        hook = taking("self, value, *, needed")
        assert refusal(base, meet_requirements=hook).endswith(
            f"; it must be {MEET.format(value)}"
        )
        assert refusal(base, replacement=hook).endswith(
            f"; it must be {LEGACY.format(value)}"
        )

    @pytest.mark.parametrize(
        "hook", [classmethod(taking("cls, value")), property(taking("self")), None]
    )
    @pytest.mark.parametrize("base", [PATTERN, DECOMPOSE])
    def test_what_is_no_plain_method_is_refused(self, base: type, hook: object) -> None:
        value = "match_result" if base is PATTERN else "node"
        assert refusal(base, meet_requirements=hook) == (
            "has meet_requirements that is no plain method; it must be "
            f"{MEET.format(value)}"
        )
        assert "has replacement that is no plain method; it must be replacement" in (
            refusal(base, replacement=hook)
        )

    def test_inherited_hooks_are_not_looked_at_again(self) -> None:
        class Mixin:
            def meet_requirements(self) -> bool:
                return True

        type("Made", (Mixin, PATTERN), {})

    def test_a_hook_set_later_is_not_looked_at(self) -> None:
        cls = make(PATTERN)
        cls.meet_requirements = taking("")  # type: ignore[attr-defined]

    def test_a_decompose_replacement_has_no_expression_form(self) -> None:
        make(DECOMPOSE, replacement=taking("self, inputs"))
        assert refusal(DECOMPOSE, replacement=taking("self, inputs, match, context")) == (
            "has replacement with 4 positional parameters; it must be "
            f"{LEGACY.format('node')}"
        )


class TestExpressionReplacement:
    @pytest.mark.parametrize(
        "hook",
        [
            taking("self, inputs"),
            taking("self, inputs, match"),
            taking("self, inputs, context"),
            taking("self, inputs, anything, context"),
            taking("self, inputs, *rest, option=None"),
        ],
    )
    def test_takes_every_form(self, hook: Hook) -> None:
        make(PATTERN, replacement=hook)

    def test_refuses_a_fourth_argument_that_is_not_the_context(self) -> None:
        assert refusal(
            PATTERN, replacement=taking("self, inputs, match_result, extra")
        ) == (
            "has replacement with four arguments of which the last is 'extra'; it "
            f"must be called context: {EXPRESSION}"
        )

    def test_refuses_more_arguments(self) -> None:
        hook = taking("self, inputs, match, context, more")
        assert refusal(PATTERN, replacement=hook) == (
            f"has replacement with more than four arguments; it must be {EXPRESSION}"
        )

    def test_refuses_a_required_keyword(self) -> None:
        hook = taking("self, inputs, *, needed")
        assert refusal(PATTERN, replacement=hook).endswith(f"; it must be {EXPRESSION}")


class TestPatternMethods:
    def test_the_decorator_returns_the_same_function(self) -> None:
        def method(self: object, inputs: object) -> None:
            """Stand for a pattern."""

        assert gepass.pattern(method) is method

    @pytest.mark.parametrize(
        "method",
        [
            taking("self, inputs"),
            taking("self, anything, *rest, option=1, **more"),
        ],
    )
    def test_two_positional_parameters_are_taken(self, method: Hook) -> None:
        make(PATTERN, shape=gepass.pattern(method))

    @pytest.mark.parametrize(
        "method",
        [
            taking("self"),
            taking("self, inputs, more"),
            taking("self, inputs, more=1"),
            taking("self, inputs, *, needed"),
        ],
    )
    def test_another_form_is_refused(self, method: Hook) -> None:
        assert refusal(PATTERN, shape=gepass.pattern(method)) == (
            "has the @pattern method <lambda>, which must be (self, inputs)"
        )

    def test_patterns_beside_it_is_refused(self) -> None:
        body: dict[str, object] = {
            "shape": gepass.pattern(taking("self, inputs")),
            "patterns": taking("self"),
        }
        assert refusal(PATTERN, **body) == (
            "cannot combine @pattern methods with patterns(); keep one of the two"
        )

    def test_patterns_of_a_parent_is_no_conflict(self) -> None:
        parent = make(PATTERN, patterns=taking("self"))
        make(parent, shape=gepass.pattern(taking("self, inputs")))

    def test_only_a_mark_on_top_of_a_static_method_counts(self) -> None:
        def one(instance: object) -> None:
            """Have too few parameters for a pattern."""

        assert "must be (self, inputs)" in refusal(
            PATTERN, shape=gepass.pattern(staticmethod(one))
        )
        make(PATTERN, shape=staticmethod(gepass.pattern(one)))
        make(PATTERN, shape=classmethod(gepass.pattern(one)))
