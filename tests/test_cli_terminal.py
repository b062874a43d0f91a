"""How tables look off a terminal, and on one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_line import (
    MODULES,
    PASSES,
    SPECS,
    durations,
    on_terminal,
    one_pass,
    redirected,
    section,
)
from tests.support import gepass_command, write


class TestOffTerminal:
    @pytest.mark.parametrize(
        "env",
        [
            {"TERM": "xterm-256color"},
            {"COLUMNS": "20", "LINES": "5"},
            {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"},
            {"FORCE_COLOR": "1", "TERM": "dumb"},
            {"TTY_COMPATIBLE": "1", "TTY_INTERACTIVE": "1"},
            {"JUPYTER_COLUMNS": "20"},
        ],
    )
    def test_nothing_is_wrapped_or_coloured(
        self, d: Path, tmp_path: Path, env: dict[str, str]
    ) -> None:
        path = write(d.joinpath(*["x" * 200] * 8, "a.py"), one_pass("A"))
        broken = write(tmp_path / ("y" * 200) / "b.py", "1/0\n")

        done = gepass_command("load", "--path", f"{path}:{broken}", env=env)

        assert "\x1b" not in done.stdout
        assert done.stdout == (
            section(
                "Pass path",
                SPECS,
                ("0", "file", str(path)),
                ("1", "file", str(broken)),
            )
            + section(
                "Modules",
                MODULES,
                ("loaded", durations(done.stdout)[0], "A", str(path)),
                ("failed", durations(done.stdout)[1], "-", str(broken)),
            )
            + section(
                "Passes in running order",
                PASSES,
                ("BeforeInferShape", "A", "fusion_base", "", "A", f"{path}:2"),
            )
            + f"\nProblems\nGP201  '{broken}', line 1: ZeroDivisionError: division by zero"
            "\n\n2 modules, 1 failed, 1 pass, 0 skipped, 0 warnings\n"
        )

    def test_a_row_of_any_length_stays_a_line(self, d: Path) -> None:
        name = "N" * 150_000
        source = one_pass(name)
        path = write(d / "a.py", source)

        done = gepass_command("load", "--path", str(path))

        (module,) = re.findall(r"^loaded .*$", done.stdout, re.MULTILINE)
        (record,) = re.findall(r"^BeforeInferShape .*$", done.stdout, re.MULTILINE)
        assert f"   {name}   " in module
        assert module.endswith(str(path))
        assert f"   {name}   " in record
        assert record.endswith(f"{path}:2")
        assert done.returncode == 0

    def test_no_line_ends_in_a_blank(self, d: Path) -> None:
        path = write(d / "a.py", 'raise RuntimeError("one \\n\\n  \\ntwo")\n')

        shown = gepass_command("load", "--traceback", "--path", str(path))
        raised = gepass_command("export", "--path", str(path))

        lines = [*shown.stdout.splitlines(), *raised.stderr.splitlines()]
        assert [line for line in lines if line != line.rstrip()] == []


class TestTerminal:
    @pytest.mark.parametrize("columns", [60, 79, 130])
    @pytest.mark.parametrize("term", ["xterm", "dumb"])
    def test_tables_fit_the_window(self, d: Path, columns: int, term: str) -> None:
        long = d / ("x" * 100) / ("y" * 100)
        write(long / "a.py", one_pass("融合" * 20))
        write(long / "b.txt")

        done = on_terminal("load", "--path", str(long), columns=columns, env={"TERM": term})

        lines = [_plain(line) for line in done.stdout.decode().splitlines()]
        assert max(_columns(line) for line in lines) <= columns
        assert "".join("".join(lines).split()).count("x") >= 300
        assert (done.code, done.stderr) == (0, "")

    def test_a_document_is_the_same_on_a_terminal(self, d: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = on_terminal("export", "--path", str(path), columns=40)

        assert done.stdout == redirected("", "export", "--path", str(path)).stdout
        assert (done.code, done.stderr) == (0, "")

    @pytest.mark.parametrize("junk", ["abc", "", "1e99", "-1", " 7 ", "0", "9" * 30, "²"])
    def test_cli_08_junk_for_the_width_is_no_traceback(self, d: Path, junk: str) -> None:
        """CLI-08: the one number that the tables know comes from the terminal."""
        path = write(d / "a.py", one_pass("A"))

        done = on_terminal("load", "--path", str(path), columns=100, env={"COLUMNS": junk})

        assert (done.code, done.stderr) == (0, "")
        assert "1 module, 0 failed, 1 pass" in done.stdout.decode()


def _plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def _columns(line: str) -> int:
    return sum(2 if "\u2e80" <= character <= "\u9fff" else 1 for character in line)
