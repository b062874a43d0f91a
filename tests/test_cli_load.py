"""``gepass load``: what it shows, what it writes, and the code it ends with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import MODULES, PASSES, SKIPPED, SPECS, durations, one_pass, section
from tests.support import Runs, gepass_command, pass_file, write

VARIABLE = "ASCEND_GE_PY_PASS_PATH"
NOTHING = "Nothing to load: the pass path is unset or empty.\n"

TWO_KINDS = """\
import gepass

@gepass.register_decompose_pass(
    name="Split", stage="AfterInferShape", op_types=["Conv2D", "MatMul"])
class SplitIt(gepass.DecomposePass):
    def replacement(self, node):
        return node

@gepass.register_fusion_pass(name="Fuse", stage="BeforeInferShape")
class FuseIt(gepass.FusionBasePass):
    def run(self, graph, context):
        return None
"""


def loaded_names(stdout: str) -> list[list[str]]:
    """Return the passes of each module in a report."""
    return [module["pass_names"] for module in json.loads(stdout)["modules"]]


class TestTables:
    def test_the_whole_chain_is_shown_link_by_link(self, d: Path, tmp_path: Path) -> None:
        alone = write(tmp_path / "alone.py", one_pass("Alone"))
        write(d / "_helper.py")
        write(d / "broken.py", 'raise RuntimeError("needs CANN 9.2 or later")\n')
        write(d / "kinds.py", TWO_KINDS)
        write(d / "notes.txt")
        write(d / "pack/__init__.py", one_pass("Packed"))

        done = gepass_command("load", "--path", f"{d}::{alone}")

        ms = durations(done.stdout)
        assert len(ms) == 4
        assert done.stdout == (
            section(
                "Pass path",
                SPECS,
                ("0", "directory", str(d)),
                ("2", "file", str(alone)),
            )
            + section(
                "Modules",
                MODULES,
                ("failed", ms[0], "-", f"{d}/broken.py"),
                ("loaded", ms[1], "Split, Fuse", f"{d}/kinds.py"),
                ("loaded", ms[2], "Packed", f"{d}/pack/__init__.py"),
                ("loaded", ms[3], "Alone", str(alone)),
            )
            + section(
                "Skipped",
                SKIPPED,
                (f"{d}/_helper.py", "the name starts with an underscore"),
                (f"{d}/notes.txt", "not a .py file"),
            )
            + section(
                "Passes in running order",
                PASSES,
                ("BeforeInferShape", "Alone", "fusion_base", "", "A", f"{alone}:2"),
                (
                    "BeforeInferShape",
                    "Fuse",
                    "fusion_base",
                    "",
                    "FuseIt",
                    f"{d}/kinds.py:9",
                ),
                (
                    "BeforeInferShape",
                    "Packed",
                    "fusion_base",
                    "",
                    "A",
                    f"{d}/pack/__init__.py:2",
                ),
                (
                    "AfterInferShape",
                    "Split",
                    "decompose",
                    "Conv2D, MatMul",
                    "SplitIt",
                    f"{d}/kinds.py:3",
                ),
            )
            + "\nWarnings\nGP106  ASCEND_GE_PY_PASS_PATH[1] is empty and was dropped\n"
            f"\nProblems\nGP201  '{d}/broken.py', line 1: RuntimeError: needs CANN 9.2 or "
            "later\n"
            "\n4 modules, 1 failed, 4 passes, 2 skipped, 1 warning\n"
        )
        assert done.stderr == ""
        assert done.returncode == 1

    def test_a_clean_load_shows_no_empty_sections(self, d: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = gepass_command("load", "--path", str(path))

        assert done.stdout == (
            section("Pass path", SPECS, ("0", "file", str(path)))
            + section(
                "Modules", MODULES, ("loaded", *durations(done.stdout), "A", str(path))
            )
            + section(
                "Passes in running order",
                PASSES,
                ("BeforeInferShape", "A", "fusion_base", "", "A", f"{path}:2"),
            )
            + "\n1 module, 0 failed, 1 pass, 0 skipped, 0 warnings\n"
        )
        assert (done.stderr, done.returncode) == ("", 0)

    def test_a_directory_without_passes_is_a_warning(self, d: Path) -> None:
        done = gepass_command("load", "--path", str(d))

        assert done.stdout == (
            section("Pass path", SPECS, ("0", "directory", str(d)))
            + f"\nWarnings\nGP208  {VARIABLE}[0]: '{d}' holds no pass file and no package "
            "at its first level\n"
            "\n0 modules, 0 failed, 0 passes, 0 skipped, 1 warning\n"
        )
        assert (done.stderr, done.returncode) == ("", 0)

    def test_cli_06_a_failing_file_is_one_line_among_the_others(self, d: Path) -> None:
        """CLI-06: two passes and one line that says what failed, the same every time."""
        write(d / "a.py", one_pass("A"))
        write(d / "b.py", "import nosuchdep\n")
        write(d / "c.py", one_pass("C"))

        for seed in ("1", "2", "3"):
            done = gepass_command("load", "--path", str(d), env={"PYTHONHASHSEED": seed})

            ms = durations(done.stdout)
            modules = section(
                "Modules",
                MODULES,
                ("loaded", ms[0], "A", f"{d}/a.py"),
                ("failed", ms[1], "-", f"{d}/b.py"),
                ("loaded", ms[2], "C", f"{d}/c.py"),
            )
            problems = (
                f"\nProblems\nGP201  '{d}/b.py', line 1: ModuleNotFoundError: No module "
                "named 'nosuchdep'\n"
                "\n3 modules, 1 failed, 2 passes, 0 skipped, 0 warnings\n"
            )
            assert modules in done.stdout
            assert done.stdout.endswith(problems)
            assert (done.stderr, done.returncode) == ("", 1)


class TestValue:
    @pytest.mark.parametrize("value", [None, "", " ", "\n"])
    def test_path_04_an_unset_or_blank_variable_loads_nothing(
        self, value: str | None
    ) -> None:
        """PATH-04: a variable that is set but empty is like one that is not set."""
        env = {} if value is None else {VARIABLE: value}
        done = gepass_command("load", env=env)

        assert done.stdout == (
            f"{NOTHING}\n0 modules, 0 failed, 0 passes, 0 skipped, 0 warnings\n"
        )
        assert (done.stderr, done.returncode) == ("", 0)

    def test_path_04_nothing_but_separators_loads_nothing_and_says_so(self) -> None:
        done = gepass_command("load", env={VARIABLE: ":"})

        assert done.stdout == (
            f"{NOTHING}\nWarnings\n"
            f"GP106  {VARIABLE}[0] is empty and was dropped\n"
            f"GP106  {VARIABLE}[1] is empty and was dropped\n"
            "\n0 modules, 0 failed, 0 passes, 0 skipped, 2 warnings\n"
        )
        assert (done.stderr, done.returncode) == ("", 0)

    def test_r1_nothing_to_load_is_a_report_like_any_other(self) -> None:
        done = gepass_command("load", "--json")

        report = json.loads(done.stdout)
        assert len(report.pop("load_id")) == 32
        assert report == {
            "specs": [],
            "modules": [],
            "skipped": [],
            "problems": [],
            "warnings": [],
            "ok": True,
        }
        assert (done.stderr, done.returncode) == ("", 0)

    def test_the_variable_is_used_without_an_option(self, d: Path, runs: Runs) -> None:
        path = write(d / "a.py", pass_file("A"))

        done = gepass_command("load", "--json", env={VARIABLE: str(path)})

        assert loaded_names(done.stdout) == [["A"]]
        assert runs.files == ["a.py"]

    def test_the_option_takes_the_place_of_the_variable(self, d: Path, runs: Runs) -> None:
        other = write(d / "other.py", pass_file("Other"))
        path = write(d / "a.py", pass_file("A"))

        done = gepass_command(
            "load", "--json", "--path", str(path), env={VARIABLE: str(other)}
        )

        assert loaded_names(done.stdout) == [["A"]]
        assert runs.files == ["a.py"]

    def test_an_empty_option_takes_the_place_of_the_variable_too(
        self, d: Path, runs: Runs
    ) -> None:
        other = write(d / "other.py", pass_file("Other"))

        done = gepass_command("load", "--path", "", env={VARIABLE: str(other)})

        assert done.stdout.startswith(NOTHING)
        assert done.returncode == 0
        assert runs.files == []

    def test_r5_relative_segments_start_at_the_working_directory(self, d: Path) -> None:
        write(d / "sub/a.py", one_pass("A"))
        write(d / "home/b.py", one_pass("B"))

        done = gepass_command(
            "load", "--json", "--path", "sub:~/b.py", cwd=d, env={"HOME": f"{d}/home"}
        )

        report = json.loads(done.stdout)
        assert [(spec["raw"], spec["path"]) for spec in report["specs"]] == [
            ("sub", f"{d}/sub"),
            ("~/b.py", f"{d}/home/b.py"),
        ]
        assert loaded_names(done.stdout) == [["A"], ["B"]]


class TestFailures:
    @pytest.mark.parametrize(
        ("statement", "cause"),
        [
            ("import sys; sys.exit(0)", "SystemExit: 0"),
            ("import sys; sys.exit()", "SystemExit"),
            ("raise SystemExit('done')", "SystemExit: done"),
            ("exit(3)", "SystemExit: 3"),
            ("import click; raise click.exceptions.Exit(0)", "Exit: 0"),
            ("import click; raise click.Abort", "Abort"),
            ("raise EOFError('no input')", "EOFError: no input"),
            ("raise BrokenPipeError", "BrokenPipeError"),
            ("class Odd(BaseException): pass\nraise Odd", "Odd"),
        ],
    )
    def test_part_07_leaving_is_a_failure_of_that_file_alone(
        self, d: Path, runs: Runs, statement: str, cause: str
    ) -> None:
        """PART-07: ``sys.exit`` in a plugin ends neither the load nor the command."""
        write(d / "a.py", f"{statement}\n")
        write(d / "b.py", pass_file("B"))

        done = gepass_command("load", "--json", "--path", str(d))

        report = json.loads(done.stdout)
        line = statement.count("\n") + 1
        assert [problem["message"] for problem in report["problems"]] == [
            f"'{d}/a.py', line {line}: {cause}"
        ]
        assert loaded_names(done.stdout) == [[], ["B"]]
        assert runs.files == ["b.py"]
        assert (done.stderr, done.returncode) == ("", 1)

    def test_cli_03_the_code_tells_what_was_found(self, d: Path, tmp_path: Path) -> None:
        """CLI-03: a file that fails to import is never exit code 0."""
        good = write(d / "good.py", one_pass("Good"))
        broken = write(tmp_path / "broken.py", "1/0\n")
        codes = {
            command: [
                gepass_command(command, "--path", str(path)).returncode
                for path in (good, broken, tmp_path / "missing")
            ]
            for command in ("load", "export")
        }

        assert codes == {"load": [0, 1, 1], "export": [0, 1, 1]}
        assert gepass_command("load", "--paht", str(good)).returncode == 2

    def test_r13_isolate_is_the_default_and_raise_can_be_asked_for(
        self, d: Path, runs: Runs
    ) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", "1/0\n")
        write(d / "c.py", pass_file("C"))

        isolating = gepass_command("load", "--json", "--path", str(d))
        raising = gepass_command("load", "--json", "--on-error", "raise", "--path", str(d))

        assert loaded_names(isolating.stdout) == [["A"], [], ["C"]]
        assert (isolating.stderr, isolating.returncode) == ("", 1)
        assert loaded_names(raising.stdout) == [["A"], []]
        assert raising.stderr == (
            f"gepass: error GP201: '{d}/b.py', line 1: ZeroDivisionError: division by "
            "zero\n"
        )
        assert raising.returncode == 1
        assert runs.files == ["a.py", "c.py", "a.py"]

    def test_r4_a_path_error_still_gives_a_report(self, d: Path, runs: Runs) -> None:
        write(d / "a.py", pass_file("A"))
        text = write(d / "b.txt")
        value = f"{d}:{d}/missing:{text}"

        done = gepass_command("load", "--json", "--path", value)

        whole = f"(a segment of '{value}'); give an existing directory or .py file"
        messages = (
            f"{VARIABLE}[1]: '{d}/missing' does not exist {whole}",
            f"{VARIABLE}[2]: '{text}' is a file that does not end in .py {whole}",
        )
        report = json.loads(done.stdout)
        assert report["problems"] == [
            {
                "code": "GP101",
                "message": messages[0],
                "position": 1,
                "path": f"{d}/missing",
                "line": None,
            },
            {
                "code": "GP102",
                "message": messages[1],
                "position": 2,
                "path": str(text),
                "line": None,
            },
        ]
        assert report["ok"] is False
        assert (report["modules"], report["skipped"]) == ([], [])
        assert done.stderr == f"gepass: error GP101: {messages[0]}\n  {messages[1]}\n"
        assert done.returncode == 1
        assert runs.files == []

    def test_r4_a_path_error_shows_no_tables(self, d: Path) -> None:
        done = gepass_command("load", "--path", f"{d}/missing")

        assert done.stdout == ""
        assert done.stderr == (
            f"gepass: error GP101: {VARIABLE}[0]: '{d}/missing' does not exist; give an "
            "existing directory or .py file\n"
        )
        assert done.returncode == 1


class TestSettings:
    def test_r17_the_operator_binds_the_option(self, d: Path, runs: Runs) -> None:
        write(d / "a.py", "1/0\n")
        write(d / "b.py", pass_file("B"))

        done = gepass_command(
            "load",
            "--json",
            "--on-error",
            "isolate",
            "--path",
            str(d),
            env={"GEPASS_ON_ERROR": "raise"},
        )

        report = json.loads(done.stdout)
        assert loaded_names(done.stdout) == [[]]
        assert [warning["message"] for warning in report["warnings"]] == [
            "GEPASS_ON_ERROR=raise binds; on_error='isolate' has no effect"
        ]
        assert done.stderr == (
            f"gepass: error GP201: '{d}/a.py', line 1: ZeroDivisionError: division by "
            "zero\n"
        )
        assert done.returncode == 1
        assert runs.files == []

    @pytest.mark.parametrize(
        ("setting", "option", "expected"),
        [
            ("raise", (), [[]]),
            ("isolate", (), [[], ["B"]]),
            ("isolate", ("--on-error", "raise"), [[]]),
            ("", (), [[], ["B"]]),
        ],
    )
    def test_r17_the_setting_decides_where_no_option_tightens_it(
        self, d: Path, setting: str, option: tuple[str, ...], expected: list[list[str]]
    ) -> None:
        write(d / "a.py", "1/0\n")
        write(d / "b.py", one_pass("B"))

        done = gepass_command(
            "load", "--json", "--path", str(d), *option, env={"GEPASS_ON_ERROR": setting}
        )

        assert loaded_names(done.stdout) == expected
        assert json.loads(done.stdout)["warnings"] == []
        assert done.returncode == 1

    def test_an_unknown_setting_is_a_warning(self, d: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = gepass_command(
            "load",
            "--path",
            str(path),
            env={"GEPASS_ON_EROR": "raise", "GEPASS_CACHE_DIRECTORY": "1"},
        )

        unknown = "is not a setting of this version and has no effect"
        assert done.stdout.endswith(
            "\nWarnings\n"
            f"GP111  GEPASS_CACHE_DIRECTORY {unknown}\n"
            f"GP111  GEPASS_ON_EROR {unknown}; did you mean GEPASS_ON_ERROR?\n"
            "\n1 module, 0 failed, 1 pass, 0 skipped, 2 warnings\n"
        )
        assert (done.stderr, done.returncode) == ("", 0)
