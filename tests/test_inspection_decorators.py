"""The arguments of decorators that a check refuses, with the words of a load."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gepass.errors import Code
from gepass.inspection import CheckedPass, check_passes
from tests.checked import Finding, findings_of_check, first_finding_of_load
from tests.support import write

STAGES = (
    "BeforeInferShape, AfterInferShape, AfterBuiltinFusionPass, AfterOriginGraphOptimize"
)
FUSION = """
import gepass
from gepass import PassKind, PassStage
@gepass.register_fusion_pass({0})
class P(gepass.FusionBasePass):
    def run(self, graph, context): ...
"""
PATTERN = """
import gepass
from gepass import PassKind
@gepass.register_fusion_pass(name="A", stage="AfterInferShape", {0})
class P(gepass.PatternFusionPass):
    def patterns(self): ...
    def replacement(self, match_result): ...
"""
DECOMPOSE = """
import gepass
@gepass.register_decompose_pass({0})
class P(gepass.DecomposePass):
    def replacement(self, node): ...
"""
OP_TYPES = DECOMPOSE.replace("{0}", 'name="A", stage="AfterInferShape", op_types={0}')
NAME = FUSION.replace("{0}", 'name={0}, stage="AfterInferShape"')
STAGE = FUSION.replace("{0}", 'name="A", stage={0}')
KIND = FUSION.replace("{0}", 'name="A", stage="AfterInferShape", kind={0}')

REFUSED = [
    (NAME, "''", Code.REGISTRATION_VALUE, "the pass name '' is empty; choose another one"),
    (
        NAME,
        "'  '",
        Code.REGISTRATION_VALUE,
        "the pass name '  ' is empty; choose another one",
    ),
    (
        NAME,
        "' A'",
        Code.REGISTRATION_VALUE,
        "the pass name ' A' begins or ends with a blank; choose another one",
    ),
    (
        NAME,
        "'A' '\\n'",
        Code.REGISTRATION_VALUE,
        r"the pass name 'A\n' begins or ends with a blank; choose another one",
    ),
    (
        NAME,
        r"'A\x07B'",
        Code.REGISTRATION_VALUE,
        (
            r"the pass name 'A\x07B' holds a control character or a lone surrogate; choose "
            "another one"
        ),
    ),
    (
        NAME,
        r"'\ud800'",
        Code.REGISTRATION_VALUE,
        (
            r"the pass name '\ud800' holds a control character or a lone surrogate; choose "
            "another one"
        ),
    ),
    (NAME, "5", Code.REGISTRATION_TYPE, "name is a string, not int"),
    (NAME, "-5", Code.REGISTRATION_TYPE, "name is a string, not int"),
    (NAME, "None", Code.REGISTRATION_TYPE, "name is a string, not NoneType"),
    (NAME, "b'A'", Code.REGISTRATION_TYPE, "name is a string, not bytes"),
    (NAME, "['A']", Code.REGISTRATION_TYPE, "name is a string, not list"),
    (
        STAGE,
        "'beforeInferShape'",
        Code.REGISTRATION_VALUE,
        f"stage 'beforeInferShape' does not exist; use one of: {STAGES}",
    ),
    (
        STAGE,
        "'BEFORE_INFER_SHAPE'",
        Code.REGISTRATION_VALUE,
        f"stage 'BEFORE_INFER_SHAPE' does not exist; use one of: {STAGES}",
    ),
    (
        STAGE,
        r"'\ud800'",
        Code.REGISTRATION_VALUE,
        rf"stage '\ud800' does not exist; use one of: {STAGES}",
    ),
    (
        STAGE,
        "'AfterAssignLogicStream'",
        Code.REGISTRATION_VALUE,
        (
            "stage 'AfterAssignLogicStream' never runs a custom pass: GE runs only its own "
            f"stream passes there; use one of: {STAGES}"
        ),
    ),
    (
        STAGE,
        "'CompatibleInherited'",
        Code.REGISTRATION_VALUE,
        (
            "stage 'CompatibleInherited' never runs a custom pass: GE runs only its own "
            f"built-in passes there; use one of: {STAGES}"
        ),
    ),
    (
        STAGE,
        "PassKind.DECOMPOSE",
        Code.REGISTRATION_VALUE,
        f"stage 'decompose' does not exist; use one of: {STAGES}",
    ),
    (
        STAGE,
        "1",
        Code.REGISTRATION_TYPE,
        f"stage is a PassStage or its value, not int; use one of: {STAGES}",
    ),
    (
        STAGE,
        "None",
        Code.REGISTRATION_TYPE,
        f"stage is a PassStage or its value, not NoneType; use one of: {STAGES}",
    ),
    (
        KIND,
        "'pattern_fusion'",
        Code.REGISTRATION_VALUE,
        (
            "kind 'pattern_fusion' does not fit P, which is of kind 'fusion_base'; leave "
            "kind out"
        ),
    ),
    (
        KIND,
        "PassKind.DECOMPOSE",
        Code.REGISTRATION_VALUE,
        (
            "kind 'PassKind.DECOMPOSE' does not fit P, which is of kind 'fusion_base'; "
            "leave kind out"
        ),
    ),
    (
        KIND,
        "'other'",
        Code.REGISTRATION_VALUE,
        "kind 'other' does not fit P, which is of kind 'fusion_base'; leave kind out",
    ),
    (KIND, "3", Code.REGISTRATION_TYPE, "kind is a PassKind or its value, not int"),
    (
        PATTERN,
        "kind='fusion_base'",
        Code.REGISTRATION_VALUE,
        (
            "kind 'fusion_base' does not fit P, which is of kind 'pattern_fusion'; leave "
            "kind out"
        ),
    ),
    (
        OP_TYPES,
        "'Conv2D'",
        Code.REGISTRATION_TYPE,
        'op_types is an iterable of strings, not str; write op_types=["Conv2D"]',
    ),
    (
        OP_TYPES,
        "b'Conv2D'",
        Code.REGISTRATION_TYPE,
        'op_types is an iterable of strings, not bytes; write op_types=["Conv2D"]',
    ),
    (
        OP_TYPES,
        "None",
        Code.REGISTRATION_TYPE,
        'op_types is an iterable of strings, not NoneType; write op_types=["Conv2D"]',
    ),
    (
        OP_TYPES,
        "[]",
        Code.REGISTRATION_VALUE,
        "op_types is empty; name at least one op type",
    ),
    (
        OP_TYPES,
        "{}",
        Code.REGISTRATION_VALUE,
        "op_types is empty; name at least one op type",
    ),
    (
        OP_TYPES,
        "['A', '']",
        Code.REGISTRATION_TYPE,
        "op_types is an iterable of strings that are not empty, it holds ''",
    ),
    (
        OP_TYPES,
        "('A', 3)",
        Code.REGISTRATION_TYPE,
        "op_types is an iterable of strings that are not empty, it holds 3",
    ),
    (
        OP_TYPES,
        "['A', str(1), b'']",
        Code.REGISTRATION_TYPE,
        "op_types is an iterable of strings that are not empty, it holds b''",
    ),
    (
        OP_TYPES,
        "[' A']",
        Code.REGISTRATION_VALUE,
        "op_types holds ' A', which begins or ends with a blank",
    ),
    (
        FUSION,
        "'A', stage='AfterInferShape'",
        Code.MODULE_FAILED,
        (
            "TypeError: register_fusion_pass() takes 0 positional arguments but 1 "
            "positional argument (and 1 keyword-only argument) were given"
        ),
    ),
    (
        FUSION,
        "'A', PassStage.AFTER_INFER_SHAPE",
        Code.MODULE_FAILED,
        "TypeError: register_fusion_pass() takes 0 positional arguments but 2 were given",
    ),
    (
        FUSION,
        "name='A'",
        Code.MODULE_FAILED,
        (
            "TypeError: register_fusion_pass() missing 1 required keyword-only argument: "
            "'stage'"
        ),
    ),
    (
        FUSION,
        "",
        Code.MODULE_FAILED,
        (
            "TypeError: register_fusion_pass() missing 2 required keyword-only arguments: "
            "'name' and 'stage'"
        ),
    ),
    (
        FUSION,
        "name='A', stage='AfterInferShape', priority=3",
        Code.MODULE_FAILED,
        "TypeError: register_fusion_pass() got an unexpected keyword argument 'priority'",
    ),
    (
        FUSION,
        "name='A', stage='AfterInferShape', op_types=['B']",
        Code.MODULE_FAILED,
        "TypeError: register_fusion_pass() got an unexpected keyword argument 'op_types'",
    ),
    (
        DECOMPOSE,
        "name='A', stage='AfterInferShape'",
        Code.MODULE_FAILED,
        (
            "TypeError: register_decompose_pass() missing 1 required keyword-only "
            "argument: 'op_types'"
        ),
    ),
    (
        DECOMPOSE,
        "name='A', stage='AfterInferShape', op_types=['B'], kind='decompose'",
        Code.MODULE_FAILED,
        "TypeError: register_decompose_pass() got an unexpected keyword argument 'kind'",
    ),
]


@pytest.mark.parametrize(("form", "argument", "code", "reason"), REFUSED)
def test_a_check_refuses_an_argument_as_a_load_does(
    d: Path, form: str, argument: str, code: Code, reason: str
) -> None:
    text = form.format(argument)
    path = write(d / "a.py", text)
    line = text[: text.index("@")].count("\n") + 1

    expected = Finding(code, line, reason)

    assert findings_of_check(path) == [expected]
    assert first_finding_of_load(path) == expected


UNKNOWN = [
    NAME.format("'A' + 'B'"),
    NAME.format("f'A{1}'"),
    NAME.format("str()"),
    NAME.format("[*PassStage]"),
    STAGE.format("'A'.upper()"),
    STAGE.format("PassStage('AfterInferShape')"),
    STAGE.format("PassStage.AFTER_INFER_SHAPE.name"),
    STAGE.format("gepass.OTHER"),
    KIND.format("PassKind('decompose')"),
    OP_TYPES.format("list()"),
    OP_TYPES.format("sorted('')"),
    OP_TYPES.format("[str()]"),
    OP_TYPES.format("[*'']"),
    FUSION.format("**dict(colour=1)"),
    FUSION.format("*(1, 2), **{}"),
    DECOMPOSE.format("name='A', **{}"),
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_an_argument_that_is_no_literal_is_not_known_and_no_problem(
    d: Path, text: str
) -> None:
    path = write(d / "a.py", text)

    assert findings_of_check(path) == []


def passes_of(path: Path) -> tuple[CheckedPass, ...]:
    (module,) = check_passes(str(path)).modules
    return module.passes


def test_what_is_not_known_is_none(d: Path) -> None:
    text = """
        import gepass, where
        NAME = "A"
        @gepass.register_decompose_pass(name=NAME, stage=where.STAGE, op_types=["A", NAME])
        class P(where.Base): ...
        @gepass.register_fusion_pass(name=NAME, stage=where.STAGE)
        class Q(where.Base): ...
        @gepass.register_fusion_pass(name="R", stage="AfterInferShape", kind=where.KIND)
        class R(where.Base, gepass.FusionBasePass): ...
        @gepass.register_fusion_pass(name="S", stage="AfterInferShape", kind="fusion_base")
        class S(where.Base, gepass.FusionBasePass): ...
        @gepass.register_fusion_pass(name="T", stage="AfterInferShape")
        class T(where.Base, gepass.PatternFusionPass): ...
    """
    path = write(d / "a.py", text)

    found = passes_of(path)

    stage = "AfterInferShape"
    assert [(p.pass_name, p.stage, p.kind, p.op_types) for p in found] == [
        (None, None, "decompose", None),
        (None, None, None, ()),
        ("R", stage, None, ()),
        ("S", stage, "fusion_base", ()),
        ("T", stage, "pattern_fusion", ()),
    ]
    assert [(p.class_name, p.line, p.certain) for p in found] == [
        *(("P", 4, True), ("Q", 6, True), ("R", 8, True), ("S", 10, True), ("T", 12, True))
    ]
    assert findings_of_check(path) == []


def test_what_is_refused_is_none_too(d: Path) -> None:
    path = write(d / "a.py", OP_TYPES.format("[]").replace('"A"', "' A'"))

    (found,) = passes_of(path)

    assert (found.pass_name, found.stage, found.kind, found.op_types) == (
        *(None, "AfterInferShape", "decompose", None),
    )


def test_every_fault_of_a_decorator_is_found_at_once(d: Path) -> None:
    path = write(d / "a.py", OP_TYPES.format("''").replace('"A"', "5").replace("After", ""))

    assert findings_of_check(path) == [
        Finding(
            Code.REGISTRATION_TYPE,
            3,
            'op_types is an iterable of strings, not str; write op_types=["Conv2D"]',
        ),
        Finding(
            Code.REGISTRATION_VALUE,
            3,
            f"stage 'InferShape' does not exist; use one of: {STAGES}",
        ),
        Finding(Code.REGISTRATION_TYPE, 3, "name is a string, not int"),
    ]


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        (
            "stage=PassStage.AFTER",
            (
                "AttributeError: PassStage has no member AFTER; use one of: "
                "BEFORE_INFER_SHAPE, AFTER_INFER_SHAPE, AFTER_BUILTIN_FUSION_PASS, "
                "AFTER_ORIGIN_GRAPH_OPTIMIZE"
            ),
        ),
        (
            "stage='AfterInferShape', kind=PassKind.FUSION",
            (
                "AttributeError: PassKind has no member FUSION; use one of: FUSION_BASE, "
                "PATTERN_FUSION, DECOMPOSE"
            ),
        ),
    ],
)
def test_a_member_that_an_enum_lacks_is_an_attribute_error_as_in_a_load(
    d: Path, argument: str, reason: str
) -> None:
    path = write(d / "a.py", FUSION.format(f"name='A', {argument}"))

    loaded = first_finding_of_load(path)

    assert findings_of_check(path) == [Finding(Code.MODULE_FAILED, 4, reason)]
    assert loaded is not None
    assert (loaded.code, loaded.line) == (Code.MODULE_FAILED, 4)
    assert loaded.reason.startswith("AttributeError: ")


def test_a_decorator_without_a_call_fails_as_in_a_load(d: Path) -> None:
    path = write(d / "a.py", FUSION.replace("({0})", ""))

    expected = Finding(
        Code.MODULE_FAILED,
        4,
        "TypeError: register_fusion_pass() takes 0 positional arguments but 1 was given",
    )
    loaded = first_finding_of_load(path)
    assert findings_of_check(path) == [expected]
    assert loaded is not None
    # Python 3.10 applies decorators in the line of the class.
    assert replace(loaded, line=4) == expected
    assert loaded.line in {4, 5}


@pytest.mark.parametrize("word", ["def", "async def"])
def test_a_function_cannot_be_decorated(d: Path, word: str) -> None:
    text = f"""
        import gepass
        @gepass.register_fusion_pass(name="A", stage="AfterInferShape")
        {word} run(graph, context): ...
    """
    path = write(d / "a.py", text)

    expected = Finding(
        Code.REGISTRATION_TYPE,
        3,
        "@register_fusion_pass decorates a class, not an object of type function",
    )
    assert findings_of_check(path) == [expected]
    assert first_finding_of_load(path) == expected


def test_the_line_is_that_of_the_decorator_as_in_a_load(d: Path) -> None:
    text = STAGE.format("'x'").replace("(name", "(\n\n  name")
    path = write(d / "a.py", text)

    loaded = first_finding_of_load(path)

    assert [found.line for found in passes_of(path)] == [4]
    assert loaded is not None
    assert findings_of_check(path) == [loaded]
