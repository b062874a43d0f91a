"""The pass classes that a check refuses, with the words of a load."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from gepass.inspection import check_passes
from tests.checked import Finding, findings_of_check, first_finding_of_load
from tests.support import write

VALUE_HOOK = "it must be {0}(self, {1}) or {0}(self, {1}, context)"
MEET = VALUE_HOOK.format("meet_requirements", "match_result")
LEGACY = VALUE_HOOK.format("replacement", "match_result")
NODE = VALUE_HOOK.format("replacement", "node")
EXPRESSION = "it must be replacement(self, inputs[, match_result][, context])"
NEVER_RUN = "overrides run(), which GE never calls on this kind of pass; implement "

BODIES = [
    (
        "PatternFusionPass",
        "def run(self, graph, context): ...",
        f"{NEVER_RUN}patterns and replacement, or derive from FusionBasePass",
    ),
    (
        "PatternFusionPass",
        "run = print",
        f"{NEVER_RUN}patterns and replacement, or derive from FusionBasePass",
    ),
    (
        "DecomposePass",
        "async def run(self): ...",
        f"{NEVER_RUN}replacement, or derive from FusionBasePass",
    ),
    (
        "PatternFusionPass",
        "@pattern\ndef one(self, inputs): ...\ndef patterns(self): ...",
        "cannot combine @pattern methods with patterns(); keep one of the two",
    ),
    (
        "PatternFusionPass",
        "patterns = list\n@gepass.pattern\n@staticmethod\ndef one(self, inputs): ...",
        "cannot combine @pattern methods with patterns(); keep one of the two",
    ),
    (
        "PatternFusionPass",
        "@pattern\ndef one(self): ...",
        "has the @pattern method one, which must be (self, inputs)",
    ),
    (
        "PatternFusionPass",
        "@pattern\ndef one(self, inputs, /, *, more): ...",
        "has the @pattern method one, which must be (self, inputs)",
    ),
    (
        "PatternFusionPass",
        "def meet_requirements(self): ...",
        f"has meet_requirements with 1 positional parameter; {MEET}",
    ),
    (
        "PatternFusionPass",
        "def meet_requirements(self, a, /, b, c=1): ...",
        f"has meet_requirements with 4 positional parameters; {MEET}",
    ),
    (
        "PatternFusionPass",
        "def meet_requirements(self, match_result, *, depth): ...",
        f"has meet_requirements with 2 positional parameters; {MEET}",
    ),
    (
        "PatternFusionPass",
        "def meet_requirements(*values, **options): ...",
        f"has meet_requirements with 0 positional parameters; {MEET}",
    ),
    (
        "PatternFusionPass",
        "def replacement(self): ...",
        f"has replacement with 1 positional parameter; {LEGACY}",
    ),
    (
        "PatternFusionPass",
        "def replacement(self, match_result, a, b): ...",
        f"has replacement with 4 positional parameters; {LEGACY}",
    ),
    (
        "PatternFusionPass",
        "def replacement(self, inputs, a, b, c): ...",
        f"has replacement with more than four arguments; {EXPRESSION}",
    ),
    (
        "PatternFusionPass",
        "def replacement(self, inputs, match_result, ctx): ...",
        (
            "has replacement with four arguments of which the last is 'ctx'; it must be "
            "called context: replacement(self, inputs[, match_result][, context])"
        ),
    ),
    (
        "PatternFusionPass",
        "replacement = None",
        f"has replacement that is no plain method; {EXPRESSION}",
    ),
    (
        "PatternFusionPass",
        "@classmethod\ndef replacement(cls, match_result): ...",
        f"has replacement that is no plain method; {EXPRESSION}",
    ),
    (
        "DecomposePass",
        "@property\ndef replacement(self): ...",
        f"has replacement that is no plain method; {NODE}",
    ),
    (
        "DecomposePass",
        "@staticmethod\ndef replacement(node): ...",
        f"has replacement with 1 positional parameter; {NODE}",
    ),
    (
        "DecomposePass",
        "def replacement(self, inputs, match_result, context): ...",
        f"has replacement with 4 positional parameters; {NODE}",
    ),
]
HEAD = "import gepass\nfrom gepass import pattern, PatternFusionPass, DecomposePass\n"


def body_text(base: str, body: str) -> str:
    return f"{HEAD}class P({base}):\n{textwrap.indent(body, '    ')}\n"


@pytest.mark.parametrize(("base", "body", "reason"), BODIES)
def test_a_body_that_breaks_a_rule_is_refused_as_in_a_load(
    d: Path, base: str, body: str, reason: str
) -> None:
    path = write(d / "a.py", body_text(base, body))

    expected = Finding(Code.PASS_CLASS, 3, f"a.P {reason}")

    assert findings_of_check(path) == [expected]
    assert first_finding_of_load(path) == expected


def test_a_class_under_a_decorator_is_named_by_its_own_line(d: Path) -> None:
    text = """
        import gepass
        class Outer:
            @gepass.register_decompose_pass(
                name="A", stage="AfterInferShape", op_types=["A"])
            class Inner(gepass.DecomposePass):
                run = 1
    """
    path = write(d / "a.py", text)

    reason = f"a.Outer.Inner {NEVER_RUN}replacement, or derive from FusionBasePass"
    expected = Finding(Code.PASS_CLASS, 6, reason)
    assert findings_of_check(path) == [expected]
    assert first_finding_of_load(path) == expected


FUSE = "@gepass.register_fusion_pass(name='A', stage='AfterInferShape')\n"
DECOMPOSE = (
    "@gepass.register_decompose_pass(name='A', stage='AfterInferShape', op_types=['A'])\n"
)
ARGUMENT = (
    "GE makes P without arguments, but its constructor has a required one (missing a "
    "required argument: {0}); give it a default"
)
CLASSES = [
    (
        f"{FUSE}class P: ...",
        "@register_fusion_pass decorates a subclass of FusionBasePass, P is none",
    ),
    (
        f"class B: ...\n{DECOMPOSE}class P(B, object): ...",
        "@register_decompose_pass decorates a subclass of DecomposePass, P is none",
    ),
    (
        f"{DECOMPOSE}class P(gepass.FusionBasePass):\n    def run(self, graph, c): ...",
        "@register_decompose_pass decorates a subclass of DecomposePass, P is none",
    ),
    (
        f"{FUSE}class P(gepass.DecomposePass):\n    def replacement(self, node): ...",
        "P is a DecomposePass; use register_decompose_pass",
    ),
    (f"{FUSE}class P(gepass.FusionBasePass): ...", "P does not implement run()"),
    (f"{FUSE}class P(gepass.FusionBasePass[int]): ...", "P does not implement run()"),
    (
        (
            f"{FUSE}class P(gepass.PatternFusionPass):\n"
            "    def replacement(self, match_result): ..."
        ),
        "P does not implement patterns()",
    ),
    (
        f"{FUSE}class P(gepass.PatternFusionPass):\n    def patterns(self): ...",
        "P does not implement replacement()",
    ),
    (
        (
            f"class B(gepass.PatternFusionPass):\n    @gepass.pattern\n"
            f"    def one(self, inputs): ...\n{FUSE}class P(B): ..."
        ),
        "P does not implement replacement()",
    ),
    (
        f"class B(gepass.DecomposePass): ...\n{DECOMPOSE}class P(B):\n    depth = 1",
        "P does not implement replacement()",
    ),
    (
        (
            f"{FUSE}class P(gepass.FusionBasePass):\n    def run(self, g, c): ...\n"
            "    def __init__(self, depth, width=1): ..."
        ),
        ARGUMENT.format("'depth'"),
    ),
    (
        (
            f"{FUSE}class P(gepass.FusionBasePass):\n    def run(self, g, c): ...\n"
            "    def __new__(cls, depth): ..."
        ),
        ARGUMENT.format("'depth'"),
    ),
    (
        (
            f"class M:\n    def __init__(self, depth): ...\n"
            f"{FUSE}class P(M, gepass.FusionBasePass):\n    def run(self, g, c): ..."
        ),
        ARGUMENT.format("'depth'"),
    ),
    (
        (
            "import abc\nclass B(gepass.FusionBasePass, abc.ABC):\n"
            "    @abc.abstractmethod\n    def step(self): ...\n"
            f"    def run(self, g, c): ...\n{FUSE}class P(B): ..."
        ),
        "P is abstract; implement step",
    ),
]


@pytest.mark.parametrize(("text", "reason"), CLASSES)
def test_a_class_that_cannot_do_what_its_kind_calls_is_refused_as_in_a_load(
    d: Path, text: str, reason: str
) -> None:
    text = f"import gepass\n{text}\n"
    path = write(d / "a.py", text)
    line = text[: text.index("@gepass.register")].count("\n") + 1

    expected = Finding(Code.REGISTRATION_TYPE, line, reason)
    assert findings_of_check(path) == [expected]
    assert first_finding_of_load(path) == expected


ACCEPTED = [
    "class P(gepass.PatternFusionPass):\n    @gepass.pattern\n    def one(self, i): ...",
    "class P(gepass.PatternFusionPass):\n    def replacement(self, inputs, context): ...",
    "class P(gepass.PatternFusionPass):\n    def replacement(self, i, context=None): ...",
    "class P(gepass.DecomposePass):\n    def meet_requirements(self, a, *b, c=1, **d): ...",
    "class M:\n    def run(self): ...\nclass P(M, gepass.PatternFusionPass): ...",
    "class P(gepass.DecomposePass):\n    replacement: object",
    "class P(gepass.DecomposePass):\n    replacement = staticmethod(lambda a, b: a)",
    (
        "class P(gepass.DecomposePass):\n    def replacement(self): ...\n"
        "    replacement = lambda self, node: node"
    ),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_body_that_a_load_takes_is_no_problem(d: Path, text: str) -> None:
    path = write(d / "a.py", f"import gepass\n{text}\n")

    gepass.load_passes(str(path), registry=gepass.PassRegistry())

    assert findings_of_check(path) == []


NOT_KNOWN = {
    "a base of somebody else": "class P(other.Base): ...",
    "a mix-in beside a known base": "class P(other.Mixin, gepass.FusionBasePass): ...",
    "a mix-in that may have patterns": (
        "class P(other.Mixin, gepass.PatternFusionPass): ..."
    ),
    "a base behind a known class": "class B(other.Base): ...\n{0}class P(B): ...",
    "bases that are computed": "class P(*other.bases(), gepass.FusionBasePass): ...",
    "a base that was bound twice": (
        "if x: B = gepass.FusionBasePass\nelse: B = gepass.PatternFusionPass\n{0}"
        "class P(B): ..."
    ),
    "bases that do not go together": (
        "class P(gepass.FusionBasePass, gepass.PatternFusionPass): ..."
    ),
    "a metaclass": (
        "class P(gepass.FusionBasePass, metaclass=other.Meta):\n"
        "    def __init__(self, depth): ..."
    ),
    "an abstract method that a mix-in may have": (
        "import abc\nclass B(gepass.FusionBasePass, abc.ABC):\n    @abc.abstractmethod\n"
        "    def run(self): ...\n{0}class P(other.Mixin, B): ..."
    ),
    "a hook under a condition": (
        "class P(gepass.FusionBasePass):\n    if x:\n        def run(self): ..."
    ),
    "a constructor under a condition": (
        "class B(gepass.FusionBasePass):\n    def run(self, g, c): ...\n"
        "    def __init__(self, a): ...\n"
        "{0}class P(B):\n    try: __init__ = other.make()\n    except ValueError: ..."
    ),
    "a hook under another decorator": (
        "class P(gepass.PatternFusionPass):\n    def patterns(self): ...\n"
        "    @other.cached\n    def replacement(self): ...\n"
        "    @other.cached\n    def meet_requirements(self): ..."
    ),
    "a pattern method under another decorator": (
        "class P(gepass.PatternFusionPass):\n    @other.pattern\n    def one(self): ...\n"
        "    def replacement(self, inputs): ..."
    ),
    "a method under decorators that do not go together": (
        "class P(gepass.PatternFusionPass):\n    @gepass.pattern\n    @property\n"
        "    def one(self): ...\n    def replacement(self, inputs): ..."
    ),
    "a pattern method from elsewhere": (
        "class P(gepass.PatternFusionPass):\n    one = other.one\n"
        "    def replacement(self, inputs): ..."
    ),
    "a hook from elsewhere": "class P(gepass.FusionBasePass):\n    run = other.run",
    "a hook that is imported": "class P(gepass.FusionBasePass):\n    from other import run",
    "two decorators below": (
        "@dataclasses.dataclass\n@other.decorate\nclass P(gepass.FusionBasePass): ..."
    ),
    "another decorator below": "@other.decorate\nclass P: ...",
    "another decorator below a good class": (
        "@other.decorate\nclass P(gepass.FusionBasePass): ..."
    ),
}


@pytest.mark.parametrize("what", NOT_KNOWN)
def test_what_the_text_does_not_tell_is_no_problem(d: Path, what: str) -> None:
    text = NOT_KNOWN[what]
    text = text.format(FUSE) if "{0}" in text else FUSE + text
    path = write(d / "a.py", f"import dataclasses, gepass, other\n{text}\n")

    report = check_passes(str(path))

    assert report.problems == ()
    assert report.warnings == ()
    assert [found.pass_name for found in report.modules[0].passes] == ["A"]


def test_a_known_base_is_enough_for_rules_about_the_body(d: Path) -> None:
    text = """
        import gepass, other
        class P(other.Mixin, gepass.DecomposePass):
            def run(self): ...
    """
    path = write(d / "a.py", text)

    reason = f"a.P {NEVER_RUN}replacement, or derive from FusionBasePass"
    assert findings_of_check(path) == [Finding(Code.PASS_CLASS, 3, reason)]


def test_faults_of_class_and_decorator_are_found_at_once_in_the_order_of_lines(
    d: Path,
) -> None:
    text = """
        import gepass
        @gepass.register_decompose_pass(name="", stage="AfterInferShape", op_types=["A"])
        class P(gepass.DecomposePass):
            run = 1
        @gepass.register_decompose_pass(name="", stage="AfterInferShape", op_types=["A"])
        class Q(gepass.DecomposePass): ...
    """
    path = write(d / "a.py", text)

    name = "the pass name '' is empty; choose another one"
    body = f"a.P {NEVER_RUN}replacement, or derive from FusionBasePass"
    assert findings_of_check(path) == [
        Finding(Code.REGISTRATION_VALUE, 3, name),
        Finding(Code.PASS_CLASS, 4, body),
        Finding(Code.REGISTRATION_TYPE, 6, "Q does not implement replacement()"),
        Finding(Code.REGISTRATION_VALUE, 6, name),
    ]
