"""Files that are no Python, or cannot be read, never stop a check."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

import gepass
from gepass.errors import Code
from gepass.inspection import CheckReport, check_passes
from gepass.inspection.sources import read_source
from tests.process_state import NOBODY, public_directory
from tests.support import pass_file, python, write
from tests.test_inspection import GOOD

HOSTILE = {
    "no Python": (b"def f(:\n", "SyntaxError: invalid syntax", 1),
    "on a later line": (
        b"x = 1\n\ny = = 2\n",
        "SyntaxError: invalid syntax",
        3,
    ),
    "a bad indent": (
        b"x\n  y\n",
        "IndentationError: unexpected indent",
        2,
    ),
    "an unknown encoding": (
        b"# coding: nope\n",
        "SyntaxError: unknown encoding: nope",
        None,
    ),
    "found by the compiler, not the parser": (
        b"x = 1\nreturn 2\n",
        "SyntaxError: 'return' outside function",
        2,
    ),
}


class TestFilesThatAreNoPython:
    @pytest.mark.parametrize("kind", HOSTILE)
    def test_the_problem_is_that_of_a_load(self, d: Path, kind: str) -> None:
        data, text, line = HOSTILE[kind]
        bad = write(d / "bad.py", data)
        write(d / "good.py", pass_file("Good"))

        report = check_passes(str(d))

        where = f"'{bad}'" if line is None else f"'{bad}', line {line}"
        expected = gepass.Problem(
            code=Code.MODULE_NOT_COMPILED, message=f"{where}: {text}", path=bad, line=line
        )
        loaded = gepass.load_passes(
            str(d), registry=gepass.PassRegistry(), on_error="isolate"
        )
        assert report.problems == (expected,)
        assert report.problems == loaded.problems
        assert not report.ok
        assert report.warnings == ()
        assert [module.sha256 for module in report.modules] == [
            module.sha256 for module in loaded.modules
        ]
        assert [len(module.passes) for module in report.modules] == [0, 1]

    @pytest.mark.parametrize(
        "data",
        [
            b"x = 0\0",
            b"\xff\xfe",
            b"\xef\xbb\xbf# coding: latin-1\n",
            b"(" * 10_000,
            b"x = " + b"-" * 100_000 + b"1",
            b"x = " + b"1 + " * 100_000 + b"1",
            b"x = " + b"lambda:" * 5_000 + b"1",
            b"x = " + b"f(" * 5_000 + b")" * 5_000,
            b"x" + b".y" * 50_000,
            b"x = " + b"[" * 150 + b"]" * 150,
            b"import gepass\n@gepass.register_decompose_pass(name='a', stage='b', op_types="
            + b"(" * 150
            + b"'x'"
            + b",)" * 150
            + b")\nclass P(gepass.DecomposePass): ...",
            b"x = " + b"9" * 10_000,
            b"if a: pass\n" + b"elif a: pass\n" * 300,
            b"class A: pass\n" + b"class A(A): pass\n" * 2_000,
            b"".join(b" " * depth + b"if 1:\n" for depth in range(120)) + b" " * 120 + b"x",
        ],
    )
    def test_hostile_sources_never_stop_a_check(self, d: Path, data: bytes) -> None:
        bad = write(d / "bad.py", data)
        write(d / "good.py", pass_file("Good"))

        report = check_passes(str(d))

        assert [found.pass_name for found in report.modules[1].passes] == ["Good"]
        assert {problem.path for problem in report.problems} <= {bad}
        TypeAdapter(CheckReport).dump_json(report)

    def test_long_chains_of_conditions_are_no_problem(self, d: Path) -> None:
        chain = "if a == 0: pass\n" + "elif a == 1: pass\n" * 300
        path = write(d / "a.py", chain + pass_file("A"))

        report = check_passes(str(path))

        assert report.ok
        assert [found.pass_name for found in report.modules[0].passes] == ["A"]

    def test_long_expressions_are_no_problem(self, d: Path) -> None:
        path = write(d / "a.py", pass_file("A", before=f"x = {'1 + ' * 1_100}1"))

        report = check_passes(str(path))

        gepass.load_passes(str(path), registry=gepass.PassRegistry())
        assert report.problems == ()

    def test_a_warning_of_the_compiler_is_given_once_as_in_a_load(self, d: Path) -> None:
        path = write(d / "a.py", pass_file("A", before='x = "\\d"'))

        with pytest.warns((SyntaxWarning, DeprecationWarning)) as given:
            report = check_passes(str(path))
        with pytest.warns((SyntaxWarning, DeprecationWarning)) as loaded:
            gepass.load_passes(str(path), registry=gepass.PassRegistry())

        assert report.ok
        assert [str(w.message) for w in given] == [str(w.message) for w in loaded]
        assert len(given) == 1

    @pytest.mark.parametrize("piece", ["1 + " * 100_000, "-" * 100_000])
    def test_what_is_nested_deeper_than_the_compiler_goes_is_a_problem_of_its_file(
        self, d: Path, piece: str
    ) -> None:
        path = write(d / "a.py", f"x = {piece}1\n")

        (problem,) = check_passes(str(path)).problems

        report = gepass.load_passes(str(path), on_error="isolate")
        assert [(p.code, p.message, p.path) for p in report.problems] == [
            (Code.MODULE_NOT_COMPILED, problem.message, path)
        ]

    def test_what_the_compiler_takes_is_walked_however_deep(self, d: Path) -> None:
        path = write(d / "a.py", f"x = {'lambda: ' * 1_200}1\n")

        assert check_passes(str(path)).ok
        assert gepass.load_passes(str(path)).ok

    @settings(max_examples=200, deadline=None)
    @given(
        st.binary(max_size=200)
        | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
        | st.text("ab(){}[]:=.,@\n \t\"'\\#0\0", max_size=200).map(str.encode)
    )
    def test_any_bytes_give_ok_or_a_file_that_does_not_compile(self, data: bytes) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = write(Path(directory).resolve() / "any.py", data)

            report = check_passes(str(path))

        assert report.ok or [p.code for p in report.problems] == [Code.MODULE_NOT_COMPILED]
        assert report.modules[0].sha256 is not None
        TypeAdapter(CheckReport).dump_json(report)

    @settings(max_examples=200, deadline=None)
    @given(st.data())
    def test_any_piece_of_a_pass_file_is_read_to_the_end(self, data: st.DataObject) -> None:
        lines = "".join(map(str, GOOD.values())).splitlines(keepends=True)
        chosen = data.draw(st.lists(st.sampled_from(lines), max_size=20))
        text = "import gepass\n" + "".join(line.lstrip() for line in chosen)
        with tempfile.TemporaryDirectory() as directory:
            path = write(Path(directory).resolve() / "any.py", text)

            report = check_passes(str(path))

        TypeAdapter(CheckReport).dump_json(report)


class TestFilesThatCannotBeRead:
    def test_a_file_without_permission_is_a_problem_of_its_own(self) -> None:
        with public_directory() as directory:
            write(directory / "a.py", pass_file("A"))
            write(directory / "_b.py").chmod(0)
            write(directory / "c.py", "import _b")

            done = python(
                f"""
                import os
                from gepass.inspection import check_passes
                check_passes({str(directory)!r})  # all that it needs is imported now
                if os.getuid() == 0:
                    os.setuid({NOBODY})
                report = check_passes({str(directory)!r})
                for problem in report.problems:
                    print(problem.code.value, problem.line, problem.path, problem.message)
                print([(m.name, m.sha256 is None, len(m.passes)) for m in report.modules])
                """
            )

        hidden = directory / "_b.py"
        reason = f"'{hidden}' cannot be read (Permission denied); mend its permissions"
        assert done.stdout.splitlines() == [
            f"GP203 None {hidden} {reason}",
            "[('a', False, 1), ('c', False, 0), ('_b', True, 0)]",
        ]

    def test_a_file_that_vanished_is_a_problem_of_its_own(self, d: Path) -> None:
        path = d / "gone.py"

        problem = read_source(path)

        assert problem == gepass.Problem(
            code=Code.MODULE_NOT_READ,
            message=f"'{path}' disappeared during the check; restore it and check again",
            path=path,
        )
