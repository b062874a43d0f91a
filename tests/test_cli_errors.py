"""Errors of the command line: exit codes, one readable block, tracebacks when asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gepass
from tests.command_line import one_pass, redirected
from tests.support import Runs, gepass_command, pass_file, write

COMMANDS = ("check", "demo", "export", "load", "schema")
MODES = "'raise', 'isolate'"
LEVELS = "'debug', 'info', 'warning', 'error'"
VARIABLE = "ASCEND_GE_PY_PASS_PATH"


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "usage", "error"),
        [
            (
                ("nonsense",),
                "gepass [OPTIONS] COMMAND [ARGS]...",
                "No such command 'nonsense'.",
            ),
            (
                ("load", "extra"),
                "gepass load [OPTIONS]",
                "Got unexpected extra argument (extra)",
            ),
            (
                ("load", "--on-error", "ignore"),
                "gepass load [OPTIONS]",
                f"Invalid value for '--on-error': 'ignore' is not one of {MODES}.",
            ),
            (
                ("export", "--log-level", "1e99"),
                "gepass export [OPTIONS]",
                f"Invalid value for '--log-level': '1e99' is not one of {LEVELS}.",
            ),
            (
                ("demo", "--log-format", ""),
                "gepass demo [OPTIONS]",
                "Invalid value for '--log-format': '' is not one of 'console', 'json'.",
            ),
        ],
    )
    def test_cli_08_wrong_usage_names_option_and_value_and_ends_with_2(
        self, tmp_path: Path, arguments: tuple[str, ...], usage: str, error: str
    ) -> None:
        """CLI-08: never a traceback and never a silent default."""
        done = gepass_command(*arguments, cwd=tmp_path)

        command = usage.partition(" [")[0]
        # Which of the two help options it recommends depends on the version of click.
        assert done.stderr.replace(" -h'", " --help'") == (
            f"Usage: {usage}\nTry '{command} --help' for help.\n\nError: {error}\n"
        )
        assert (done.stdout, done.returncode) == ("", 2)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("option", ["--paht", "--verbose", "-x"])
    def test_an_unknown_option_ends_with_2(self, option: str) -> None:
        done = gepass_command("load", option)

        assert re.search(rf"\nError: No such option:? '?{option}\b", done.stderr)
        assert (done.stdout, done.returncode) == ("", 2)

    @pytest.mark.parametrize("option", ["--path", "--log-file", "--on-error"])
    def test_an_option_without_its_value_ends_with_2(self, option: str) -> None:
        done = gepass_command("load", option)

        assert done.stderr.endswith(f"Error: Option '{option}' requires an argument.\n")
        assert (done.stdout, done.returncode) == ("", 2)

    def test_no_command_at_all_shows_the_help_and_ends_with_2(self) -> None:
        done = gepass_command()

        assert done.stderr == gepass_command("--help").stdout
        assert (done.stdout, done.returncode) == ("", 2)

    def test_wrong_usage_runs_no_user_code(self, d: Path, runs: Runs) -> None:
        env = {VARIABLE: str(write(d / "a.py", pass_file("A")))}

        for arguments in (("load", "extra"), ("export", "--log-level", "x"), ()):
            assert gepass_command(*arguments, env=env).returncode == 2
        assert runs.files == []


class TestHelp:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_command_has_help_with_an_example(self, command: str) -> None:
        short, long = gepass_command(command, "-h"), gepass_command(command, "--help")

        assert short.stdout == long.stdout
        assert long.stdout.startswith(f"Usage: gepass {command} [OPTIONS]")
        assert re.search(rf"\n  Example: gepass {command} \S", long.stdout)
        assert (long.stderr, long.returncode) == ("", 0)

    def test_the_examples_work(self, d: Path, tmp_path: Path) -> None:
        write(d / "home/passes/a.py", one_pass("A"))
        env = {"HOME": f"{d}/home"}
        for command in ("load", "export", "demo", "schema"):
            text = gepass_command(command, "--help").stdout
            (example,) = re.findall(r"\n  Example: gepass (.*)\n", text)
            arguments = [word.partition(":/opt")[0] for word in example.split()]

            done = gepass_command(*arguments, env=env, cwd=tmp_path)

            assert (done.stderr, done.returncode) == ("", 0)
        written = {path.name for path in tmp_path.iterdir() if path.is_file()}
        assert written == {"registry.json", "demo.json"}

    def test_the_group_lists_all_commands_and_has_an_example(self) -> None:
        done = gepass_command("--help")

        listed = re.findall(r"^  (\w+) +[A-Z]", done.stdout, re.MULTILINE)
        assert [name for name in listed if name in COMMANDS] == list(COMMANDS)
        assert "\n  Example: gepass load --path ~/passes\n" in done.stdout
        assert (done.stderr, done.returncode) == ("", 0)

    def test_the_version_is_the_library_s(self) -> None:
        done = gepass_command("--version")

        assert done.stdout == f"gepass {gepass.__version__}\n"
        assert (done.stderr, done.returncode) == ("", 0)

    def test_no_user_code_runs(self, d: Path, runs: Runs) -> None:
        env = {VARIABLE: str(write(d / "a.py", pass_file("A")))}
        for command in COMMANDS:
            gepass_command(command, "--help", env=env)
        for option in ("--help", "--version"):
            gepass_command(option, env=env)

        assert runs.files == []


class TestSettings:
    @pytest.mark.parametrize(
        ("name", "allowed"),
        [
            ("GEPASS_ON_ERROR", "raise, isolate"),
            ("GEPASS_LOG_LEVEL", "debug, info, warning, error"),
            ("GEPASS_LOG_FORMAT", "console, json"),
        ],
    )
    @pytest.mark.parametrize("value", ["abc", "1e99", "-1", "7", "\x1b[2J\n"])
    def test_cli_08_a_wrong_value_is_an_error_before_anything_runs(
        self, d: Path, name: str, allowed: str, value: str
    ) -> None:
        """CLI-08: a problem like any other, with exit code 1."""
        path = write(d / "a.py", "print('it ran')\n")

        done = gepass_command("load", "--path", str(path), env={name: value})

        shown = value.strip().replace("\x1b", "\\x1b")
        assert done.stderr.replace("\\\\", "\\") == (
            f"gepass: error GP110: {name}='{shown}' is not allowed; use one of: {allowed}\n"
        )
        assert (done.stdout, done.returncode) == ("", 1)

    def test_an_option_does_not_hide_a_wrong_value(self, d: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = gepass_command(
            "load",
            *("--path", str(path), "--log-level", "info"),
            env={"GEPASS_LOG_LEVEL": "trace"},
        )

        assert done.stderr == (
            "gepass: error GP110: GEPASS_LOG_LEVEL='trace' is not allowed; use one of: "
            "debug, info, warning, error\n"
        )
        assert done.returncode == 1


class TestBlock:
    def test_cli_05_an_error_on_purpose_is_file_line_and_sentence(self, d: Path) -> None:
        """CLI-05: no frame of anybody, since the author wrote for the user."""
        path = write(d / "a.py", '\nraise RuntimeError("needs CANN 9.2 or later")\n')

        raised = gepass_command("export", "--path", str(path))
        shown = gepass_command("load", "--path", str(path))

        message = f"'{path}', line 2: RuntimeError: needs CANN 9.2 or later"
        assert raised.stderr == f"gepass: error GP201: {message}\n"
        assert (raised.stdout, raised.returncode) == ("", 1)
        assert f"\nProblems\nGP201  {message}\n\n1 module, 1 failed" in shown.stdout
        assert "Traceback" not in shown.stdout
        assert (shown.stderr, shown.returncode) == ("", 1)

    def test_a_text_of_several_lines_is_indented(self, d: Path) -> None:
        path = write(d / "a.py", 'raise RuntimeError("first\\nsecond\\n  third")\n')

        raised = gepass_command("export", "--path", str(path))
        shown = gepass_command("load", "--path", str(path))

        assert raised.stderr == (
            f"gepass: error GP201: '{path}', line 1: RuntimeError: first\n"
            "  second\n"
            "    third\n"
        )
        assert (
            f"\nGP201  '{path}', line 1: RuntimeError: first\n"
            "       second\n"
            "         third\n"
        ) in shown.stdout

    def test_a_duplicate_names_both_places(self, d: Path) -> None:
        first = write(d / "a.py", one_pass("Same"))
        second = write(d / "b.py", one_pass("Same"))

        done = gepass_command("export", "--path", str(d))

        assert done.stderr == (
            "gepass: error GP303: the pass name 'Same' is registered twice: first by "
            f"class A, {first}:2, then by class A, {second}:2; give one of them another "
            "name\n"
        )
        assert (done.stdout, done.returncode) == ("", 1)

    @pytest.mark.parametrize(
        "code",
        [
            "import io, sys\nsys.stderr = io.StringIO()\n1/0\n",
            "import sys\nsys.stderr = None\n1/0\n",
            "import sys\nsys.stderr.close()\n1/0\n",
        ],
    )
    def test_user_code_cannot_take_the_error_away(self, d: Path, code: str) -> None:
        path = write(d / "a.py", code)

        done = redirected("", "export", "--path", str(path))

        assert done.stderr == (
            f"gepass: error GP201: '{path}', line 3: ZeroDivisionError: division by zero\n"
        )
        assert (done.stdout, done.code) == (b"", 1)


class TestTraceback:
    @pytest.fixture
    def failing(self, d: Path) -> Path:
        """Return a directory with a file whose helper raises, from another error."""
        write(
            d / "_helper.py",
            """\
            def fail():
                try:
                    {}["key"]
                except KeyError as error:
                    raise ValueError("no key") from error
            """,
        )
        write(d / "a.py", "import _helper\n\n_helper.fail()\n")
        return d

    def frames(self, d: Path) -> list[str]:
        """Return the lines of the traceback without markers and source lines."""
        return [
            "Traceback (most recent call last):",
            f'  File "{d}/_helper.py", line 3, in fail',
            "KeyError: 'key'",
            "",
            "The above exception was the direct cause of the following exception:",
            "",
            "Traceback (most recent call last):",
            f'  File "{d}/a.py", line 3, in <module>',
            f'  File "{d}/_helper.py", line 5, in fail',
            "ValueError: no key",
        ]

    def test_is_shown_when_asked_for_with_the_user_s_frames_alone(
        self, d: Path, failing: Path
    ) -> None:
        done = gepass_command("load", "--traceback", "--path", str(failing))

        head = f"\nTraceback of {d}/a.py\n"
        _, _, after = done.stdout.partition(head)
        block, _, last = after.rpartition("\n\n")
        lines = block.split("\n")
        assert all(line.startswith("  ") or not line for line in lines)
        shown = [line[2:] for line in lines if not line.startswith("      ")]
        assert shown == self.frames(d)
        assert last == "1 module, 1 failed, 0 passes, 1 skipped, 0 warnings\n"
        assert "importlib" not in done.stdout
        assert str(Path(gepass.__file__).parent) not in done.stdout
        assert (done.stderr, done.returncode) == ("", 1)

    @pytest.mark.parametrize(
        "command",
        [("export",), ("load", "--on-error", "raise"), ("export", "--on-error", "isolate")],
    )
    def test_is_shown_with_an_error_block_too(
        self, d: Path, failing: Path, command: tuple[str, ...]
    ) -> None:
        done = gepass_command(*command, "--traceback", "--path", str(failing))

        first, *rest = done.stderr.splitlines()
        assert first == (
            f"gepass: error GP201: '{d}/_helper.py', line 5: ValueError: no key "
            f"(imported by '{d}/a.py')"
        )
        found = [line.strip() for line in rest]
        wanted = [line.strip() for line in self.frames(d) if line]
        assert [line for line in found if line in wanted] == wanted
        assert "importlib" not in done.stderr
        assert str(Path(gepass.__file__).parent) not in done.stderr
        assert done.returncode == 1

    def test_is_not_shown_otherwise(self, failing: Path) -> None:
        for command in ("load", "export"):
            done = gepass_command(command, "--path", str(failing))

            assert "Traceback" not in done.stdout + done.stderr
            assert 'File "' not in done.stdout + done.stderr

    def test_of_a_file_that_does_not_compile_shows_the_line(self, d: Path) -> None:
        path = write(d / "a.py", "def broken(:\n    pass\n")

        done = gepass_command("load", "--traceback", "--path", str(path))

        _, _, block = done.stdout.partition(f"\nTraceback of {path}\n")
        assert f'    File "{path}", line 1\n' in block
        assert "def broken(:" in block
        assert "importlib" not in done.stdout
        assert str(Path(gepass.__file__).parent) not in done.stdout
        assert done.returncode == 1


class TestInterrupt:
    @pytest.mark.parametrize("command", ["load", "export"])
    @pytest.mark.parametrize("on_error", ["raise", "isolate"])
    def test_ctrl_c_ends_with_130_and_without_traceback(
        self, d: Path, runs: Runs, command: str, on_error: str
    ) -> None:
        code = """
            import signal, time
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.raise_signal(signal.SIGINT)
            time.sleep(60)
        """
        write(d / "a.py", pass_file("A", before=code))
        write(d / "b.py", pass_file("B"))

        done = gepass_command(command, "--on-error", on_error, "--path", str(d), "--json")

        assert done.stderr.strip() == "gepass: interrupted"
        assert (done.stdout, done.returncode) == ("", 130)
        assert runs.files == ["a.py"]
