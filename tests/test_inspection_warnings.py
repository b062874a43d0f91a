"""Duplicates, and what a check warns of, in the words of a load."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code, Problem
from gepass.inspection import check_passes
from tests.support import pass_file, write


def warnings_of_load(value: str) -> tuple[Problem, ...]:
    report = gepass.load_passes(value, registry=gepass.PassRegistry())
    return report.warnings


def messages(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.message for problem in problems]


class TestDuplicates:
    def test_two_files_with_one_name_are_named_both_as_in_a_load(self, d: Path) -> None:
        one, two = write(d / "a.py", pass_file("A")), write(d / "b.py", pass_file("A"))

        report = check_passes(str(d))

        reason = (
            f"the pass name 'A' is registered twice: first by class Pass, {one}:6, then by "
            f"class Pass, {two}:6; give one of them another name"
        )
        with pytest.raises(gepass.DuplicatePassError) as caught:
            gepass.load_passes(str(d), registry=gepass.PassRegistry())
        assert str(caught.value) == reason
        assert report.problems == (
            Problem(
                code=Code.DUPLICATE_PASS, message=f"{two}:6: {reason}", path=two, line=6
            ),
        )

    def test_all_later_ones_are_compared_with_the_first(self, d: Path) -> None:
        text = pass_file("A", after=pass_file("A")).replace("class Pass", "class Other", 1)
        path = write(d / "a.py", text)
        write(d / "p" / "__init__.py", "from . import part")
        part = write(d / "p" / "part.py", pass_file("A"))

        report = check_passes(str(d))

        lines = [problem.line for problem in report.problems]
        assert [problem.path for problem in report.problems] == [path, part]
        assert messages(report.problems) == [
            f"{where}:{line}: the pass name 'A' is registered twice: first by class Other, "
            f"{path}:6, then by class Pass, {where}:{line}; give one of them another name"
            for where, line in zip((path, part), lines, strict=True)
        ]

    def test_one_class_twice_under_one_name_is_one_pass(self, d: Path) -> None:
        decorator = "@gepass.register_fusion_pass(name='A', stage='BeforeInferShape')\n"
        path = write(d / "a.py", pass_file("A").replace("class ", f"{decorator}class "))

        report = check_passes(str(path))

        gepass.load_passes(str(path), registry=gepass.PassRegistry())
        assert report.ok
        assert [found.line for found in report.modules[0].passes] == [7]

    def test_names_of_refused_registrations_count(self, d: Path) -> None:
        write(d / "a.py", pass_file("A", stage="nowhere"))
        write(d / "b.py", pass_file("A"))

        report = check_passes(str(d))

        assert [problem.code for problem in report.problems] == [
            *(Code.REGISTRATION_VALUE, Code.DUPLICATE_PASS)
        ]

    def test_names_that_are_not_known_or_not_certain_do_not(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", pass_file("A").replace("name='A'", "name='A'.strip()"))
        write(d / "c.py", "if x:\n" + textwrap.indent(pass_file("A"), "  "))

        assert check_passes(str(d)).problems == ()

    def test_a_file_that_is_given_twice_is_checked_once(self, d: Path) -> None:
        path = write(d / "a.py", pass_file("A"))

        report = check_passes(f"{d}:{path}")

        assert report.ok
        assert [module.name for module in report.modules] == ["a"]
        assert [(entry.path, entry.reason) for entry in report.skipped] == [
            (path, "the same file as one of ASCEND_GE_PY_PASS_PATH[0], loaded once")
        ]


HELPER = "; start its name with '_' if it is a helper"
NOTHING = {
    "no class": ("x = 1\n", HELPER),
    "a private class": (
        "from gepass import FusionBasePass\nclass _P(FusionBasePass): ...\n",
        HELPER,
    ),
    "a class of another kind": (
        "from gepass import FusionBasePass\nclass P: ...\n",
        HELPER,
    ),
    "a pass class": (
        (
            "from gepass import DecomposePass, register_decompose_pass\n"
            "class P(DecomposePass): ...\n"
        ),
        "; pass class without a decorator: P",
    ),
    "two pass classes": (
        (
            "import gepass\nclass Q(gepass.FusionBasePass): ...\n"
            "if True:\n    class P(Q): ...\nclass _R(P): ...\n"
        ),
        "; pass classes without a decorator: Q, P",
    ),
    "a standard decorator": (
        (
            "import dataclasses, typing\nfrom gepass import FusionBasePass\n"
            "@typing.final\n@dataclasses.dataclass(frozen=True)\n"
            "class P(FusionBasePass): ...\n"
        ),
        "; pass class without a decorator: P",
    ),
}


class TestFilesWithoutEffect:
    @pytest.mark.parametrize("kind", NOTHING)
    def test_they_are_named_as_in_a_load(self, d: Path, kind: str) -> None:
        text, rest = NOTHING[kind]
        path = write(d / "a.py", text)

        report = check_passes(str(d))

        message = f"'{path}' registers no pass and has no effect{rest}"
        warning = Problem(code=Code.REGISTERED_NOTHING, message=message, path=path)
        assert report.ok
        assert report.warnings == (warning,)
        assert report.warnings == warnings_of_load(str(d))

    def test_a_package_has_the_effect_of_what_it_imports(self, d: Path) -> None:
        write(d / "p" / "__init__.py", "from . import part")
        write(d / "p" / "part.py", pass_file("A"))
        write(d / "q" / "__init__.py", "from . import part")
        write(d / "q" / "part.py", "x = 1")

        report = check_passes(str(d))

        assert report.warnings == warnings_of_load(str(d))
        path = d / "q" / "__init__.py"
        assert messages(report.warnings) == [
            f"'{path}' registers no pass and has no effect{HELPER}",
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "import gepass as g\nfor c in (): g.register_fusion_pass(name=c, stage=c)(c)",
            "from gepass import register_fusion_pass as r\nr(name=n, stage=s)(c)",
            "def f():\n    from gepass import register_decompose_pass as r\n    r(c)",
            "import importlib\nimportlib.import_module('.part', __name__)",
            "from importlib import import_module as load\nload('part')",
            "__import__('part')",
            "exec(text)",
            "import gepass, other\n@other.register\nclass P(gepass.FusionBasePass): ...",
            "import _unreadable",
            "if x:\n    import _help",
        ],
    )
    def test_a_file_that_may_register_something_is_not_warned_of(
        self, d: Path, text: str
    ) -> None:
        write(d / "a.py", text)
        write(d / "_help.py", pass_file("A"))
        write(d / "_unreadable.py", "syntax error")

        report = check_passes(str(d / "a.py"))

        assert Code.REGISTERED_NOTHING not in {problem.code for problem in report.warnings}


class TestWhatGeWouldDoDifferently:
    def test_sibling_imports_are_warned_of_as_in_a_load(self, d: Path) -> None:
        text = "import _help\ndef f():\n    import _help\n    import p\n"
        write(d / "a.py", pass_file("A", before=text))
        write(d / "_help.py", pass_file("H", before="def g(): import _more"))
        write(d / "_more.py", "")
        write(d / "p" / "__init__.py", pass_file("P"))

        report = check_passes(str(d))

        reason = (
            "stands in a function; GE finds files of the directory only while it loads, so "
            "import it at the top of the file"
        )
        loaded = warnings_of_load(str(d))
        assert {p.message for p in report.warnings} == {p.message for p in loaded}
        assert set(report.warnings) == set(loaded)
        assert messages(report.warnings) == [
            f"ge_differs: 'import _help' {reason}",
            f"ge_differs: 'import _more' {reason}",
        ]

    def test_sibling_imports_of_a_file_by_itself_too(self, d: Path) -> None:
        path = write(d / "a.py", pass_file("A", before="import _help"))
        write(d / "_help.py", "")

        report = check_passes(str(path))

        assert report.warnings == warnings_of_load(str(path))
        reason = (
            "finds a file beside this one, which GE does not for a file that is listed by "
            "itself; list the directory"
        )
        assert messages(report.warnings) == [f"ge_differs: 'import _help' {reason}"]

    def test_names_are_warned_of_as_in_a_load(self, d: Path) -> None:
        write(d / "one" / "json.py", pass_file("A"))
        write(d / "one" / "v1.2" / "__init__.py", pass_file("B"))
        write(d / "one" / "json" / "__init__.py", pass_file("C"))
        write(d / "one" / "same" / "__init__.py", pass_file("D"))
        write(d / "two" / "same" / "__init__.py", pass_file("E"))

        report = check_passes(f"{d}/one:{d}/two")

        assert report.ok
        assert report.warnings == warnings_of_load(f"{d}/one:{d}/two")
        assert [problem.code for problem in report.warnings] == [
            *(Code.NOT_IMPORTABLE, Code.GE_DIFFERS),
            *(Code.NOT_IMPORTABLE, Code.NOT_IMPORTABLE, Code.GE_DIFFERS, Code.GE_DIFFERS),
        ]


class TestTheScan:
    def test_skips_and_empty_places_are_reported_as_in_a_load(self, d: Path) -> None:
        write(d / "one" / "notes.txt")
        write(d / "one" / "_hidden.py")
        write(d / "one" / "plain" / "a.py")
        write(d / "two" / "a.py", pass_file("A"))
        value = f":{d}/one: :{d}/two"

        report = check_passes(value)

        loaded = gepass.load_passes(value, registry=gepass.PassRegistry())
        assert report.specs == loaded.specs
        assert report.skipped == loaded.skipped
        assert report.warnings == loaded.warnings
        plain = "a directory with .py files but no __init__.py"
        nothing = "holds no pass file and no package at its first level"
        assert messages(report.warnings) == [
            "ASCEND_GE_PY_PASS_PATH[0] is empty and was dropped",
            "ASCEND_GE_PY_PASS_PATH[2] is empty and was dropped",
            f"'{d}/one/plain' is not loaded: {plain}",
            f"ASCEND_GE_PY_PASS_PATH[1]: '{d}/one' {nothing}",
        ]
