"""Standard output holds results alone, whatever user code, terminals or pipes do."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gepass
from tests.command_line import (
    GEPASS,
    MODULES,
    PASSES,
    SKIPPED,
    SPECS,
    durations,
    first_line,
    on_terminal,
    one_pass,
    redirected,
    section,
)
from tests.support import Runs, gepass_command, pass_file, write

ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

# What user code may do with standard output, and what then stands on standard error.
NOISE = {
    "print": ("print('noise')", "noise\n"),
    "unflushed": ("import sys; sys.stdout.write('noise')", "noise"),
    "binary": (
        "import sys; sys.stdout.buffer.write(b'noise\\xff\\n')",
        "noise\N{REPLACEMENT CHARACTER}\n",
    ),
    "the first sys.stdout": ("import sys; sys.__stdout__.write('noise\\n')", "noise\n"),
    "descriptor": ("import os; os.write(1, b'noise\\n')", "noise\n"),
    "file": ("open('/dev/stdout', 'w').write('noise\\n')", "noise\n"),
    "child": (
        "import subprocess; subprocess.run(['echo', 'noise'], check=True)",
        "noise\n",
    ),
    "system": ("import os; os.system('echo noise')", "noise\n"),
    "fork": (
        """
        import os
        if os.fork() == 0:
            os.write(1, b'noise\\n')
            os._exit(0)
        os.wait()
        """,
        "noise\n",
    ),
    "C": (
        """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.printf(b'noise\\n')
        libc.fflush(None)
        """,
        "noise\n",
    ),
    "C, unflushed": (
        "import ctypes; ctypes.CDLL(None).printf(b'noise\\n')",
        "noise\n",
    ),
    "at exit": (
        "import atexit, sys; atexit.register(lambda: sys.stdout.write('noise\\n'))",
        "noise\n",
    ),
    "at exit, descriptor": (
        "import atexit, os; atexit.register(os.write, 1, b'noise\\n')",
        "noise\n",
    ),
    "thread that goes on": (
        """
        import threading, time
        def late():
            time.sleep(0.3)
            print('noise')
        threading.Thread(target=late).start()
        """,
        "noise\n",
    ),
    "a handler": (
        """
        import logging, sys
        logging.basicConfig(stream=sys.stdout, level=0, format='%(message)s')
        logging.getLogger('user').info('noise')
        """,
        "noise\n",
    ),
    "closed stream": ("import sys; sys.stdout.close()", ""),
    "closed descriptor": ("import os; os.close(1)", ""),
    "no stream": ("import sys; sys.stdout = None; print('lost')", ""),
    "another stream": ("import io, sys; sys.stdout = io.StringIO(); print('kept')", ""),
    "other errors": ("import io, sys; sys.stderr = io.StringIO()", ""),
    "no errors": ("import sys; sys.stderr = None", ""),
    "closed errors": ("import os; os.close(2)", ""),
}


def write_noise(d: Path, kind: str) -> tuple[Path, str]:
    """Write a pass file that makes noise, and return what it says."""
    code, noise = NOISE[kind]
    return write(d / "a.py", pass_file("A", before=code)), noise


class TestNoise:
    @pytest.mark.parametrize("kind", NOISE)
    def test_cli_02_a_report_is_one_document_whatever_user_code_prints(
        self, d: Path, runs: Runs, kind: str
    ) -> None:
        """CLI-02: what plugins print, by whatever means, stands on standard error."""
        path, noise = write_noise(d, kind)

        done = redirected("", "load", "--json", "--path", str(path))

        (module,) = json.loads(done.stdout)["modules"]
        assert (module["status"], module["pass_names"]) == ("loaded", ["A"])
        assert done.stderr == noise
        assert done.code == 0
        assert runs.files == ["a.py"]

    @pytest.mark.parametrize("kind", ["print", "descriptor", "C", "at exit", "child"])
    def test_cli_02_neither_document_nor_tables_hold_it(self, d: Path, kind: str) -> None:
        path, noise = write_noise(d, kind)

        exported = redirected("", "export", "--path", str(path))
        shown = redirected("", "load", "--path", str(path))

        assert len(gepass.RegistryDocument.from_json(exported.stdout).passes) == 1
        assert shown.stdout.startswith(b"\nPass path\n")
        assert b"noise" not in shown.stdout
        assert (exported.stderr, shown.stderr) == (noise, noise)

    def test_cli_02_a_forked_copy_of_the_command_writes_no_second_document(
        self, d: Path
    ) -> None:
        code = "import os, sys\nif os.fork() == 0: sys.exit()\nos.wait()\n"
        path = write(d / "a.py", code + one_pass("A"))

        done = redirected("", "load", "--json", "--path", str(path))

        assert json.loads(done.stdout)["modules"][0]["pass_names"] == ["A"]
        assert done.code == 0

    def test_cli_01_logs_and_warnings_are_on_standard_error(self, d: Path) -> None:
        """CLI-01: not even the debug level puts a line in front of the document."""
        warn = "import warnings; warnings.warn('old', UserWarning)\n"
        path = write(d / "a.py", warn + one_pass("A"))

        done = redirected("", "load", "--json", "--log-level", "debug", "--path", str(path))

        assert json.loads(done.stdout)["ok"] is True
        assert f"{path}:1: UserWarning: old\n" in done.stderr
        assert "\ngepass info: module_loaded " in done.stderr
        assert done.code == 0

    @pytest.mark.parametrize("options", [(), ("--log-level", "debug")])
    def test_log_05_a_handler_of_the_root_logger_gets_no_events(
        self, d: Path, options: tuple[str, ...]
    ) -> None:
        """LOG-05: a plugin's ``basicConfig`` puts nothing onto standard output."""
        code = (
            "import logging, sys\n"
            "logging.basicConfig(stream=sys.stdout, level=0, format='root %(message)s')\n"
            "logging.getLogger('gepass').info('own')\n"
        )
        path = write(d / "a.py", code + one_pass("A"))

        done = redirected("", "load", "--json", *options, "--path", str(path))

        assert len(json.loads(done.stdout)["modules"]) == 1
        assert "root module_loaded" not in done.stderr
        assert done.code == 0

    def test_a_child_that_outlives_the_command_does_not_keep_the_pipe_open(
        self, d: Path
    ) -> None:
        code = (
            "import subprocess\n"
            "child = subprocess.Popen(['sleep', '600'], stderr=subprocess.DEVNULL, "
            "stdout=subprocess.DEVNULL)\n"
            f"open({str(d / 'pid')!r}, 'w').write(str(child.pid))\n"
        )
        path = write(d / "a.py", code + one_pass("A"))
        try:
            done = redirected("", "load", "--json", "--path", str(path))
        finally:
            os.kill(int((d / "pid").read_text()), signal.SIGKILL)

        assert json.loads(done.stdout)["modules"][0]["pass_names"] == ["A"]


class TestClosed:
    @pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-"])
    def test_log_03_a_closed_descriptor_hinders_nothing(
        self, d: Path, runs: Runs, closed: str, tmp_path: Path
    ) -> None:
        """LOG-03: the load succeeds, and each thing goes where it belongs or nowhere."""
        path = write(d / "a.py", pass_file("A", before="print('noise')"))
        out, log = tmp_path / "r.json", tmp_path / "log"

        done = [
            redirected(closed, *arguments, "--path", str(path))
            for arguments in (
                ("load",),
                ("load", "--log-file", str(log)),
                ("export", "-o", str(out)),
            )
        ]

        shown = [one.stdout.startswith(b"\nPass path\n") for one in done]
        assert [one.code for one in done] == [0, 0, 0]
        assert shown == [">&-" not in closed.split()] * 2 + [False]
        assert {one.stderr for one in done} == {"" if "2>&-" in closed else "noise\n"}
        assert len(gepass.RegistryDocument.from_json(out.read_bytes()).passes) == 1
        events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
        assert events == [
            "load_started",
            "path_accepted",
            "module_loaded",
            "pass_registered",
            "load_finished",
        ]
        assert runs.files == ["a.py"] * 3

    def test_an_error_with_nowhere_to_go_is_still_the_exit_code(self, d: Path) -> None:
        path = write(d / "a.py", "1/0\n")

        done = redirected(">&- 2>&-", "export", "--path", str(path))

        assert (done.code, done.stdout, done.stderr) == (1, b"", "")

    @pytest.mark.parametrize(
        "arguments",
        [
            ("load",),
            ("load", "--json"),
            ("export",),
            ("schema",),
            ("schema", "load-report"),
            ("--help",),
            ("--version",),
        ],
    )
    def test_a_full_disk_is_an_error_block(
        self, d: Path, arguments: tuple[str, ...]
    ) -> None:
        path = write(d / "a.py", one_pass("A"))
        env = {"ASCEND_GE_PY_PASS_PATH": str(path)}

        done = redirected(">/dev/full", *arguments, env=env)

        assert done.stderr == (
            "gepass: error GP403: cannot write to standard output: No space left on "
            "device\n"
        )
        assert done.code == 1


class TestBrokenPipe:
    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            (("load",), b"\n"),
            (("load", "--json"), b"{\n"),
            (("export",), None),
        ],
    )
    def test_log_03_a_reader_that_has_seen_enough_causes_no_traceback(
        self, d: Path, arguments: tuple[str, ...], line: bytes | None
    ) -> None:
        """LOG-03: ``gepass load | head -1`` with 5000 passes ends in silence."""
        many = """\
            import gepass
            for i in range(5000):
                cls = type(f"Pass{i}", (gepass.FusionBasePass,),
                           {"run": lambda self, graph, context: None})
                gepass.register_fusion_pass(name=f"Pass{i}", stage="BeforeInferShape")(cls)
            """
        path = write(d / "many.py", many)

        done = first_line(*arguments, "--path", str(path))

        assert done.stderr == ""
        assert done.code in {0, 1}
        if line is None:
            assert done.stdout.startswith(b'{"digest":"sha256:')
        else:
            assert done.stdout == line

    @pytest.mark.parametrize(
        "arguments",
        [("load",), ("schema",), ("schema", "load-event"), ("--help",), ("--version",)],
    )
    def test_log_03_a_reader_that_is_gone_from_the_start_causes_no_traceback(
        self, arguments: tuple[str, ...]
    ) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        try:
            done = subprocess.run(
                [*GEPASS, *arguments],
                stdout=writing,
                stderr=subprocess.PIPE,
                timeout=60,
                check=False,
            )
        finally:
            os.close(writing)

        assert done.stderr == b""
        assert done.returncode in {0, 1}


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


class TestEncodings:
    @pytest.mark.parametrize(
        "env",
        [
            {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
            {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "C"},
            ASCII,
        ],
    )
    def test_enc_06_names_are_escaped_on_an_ascii_console(
        self, d: Path, env: dict[str, str]
    ) -> None:
        """ENC-06: output cannot crash the command; tables stay in line."""
        path = write(d / "矩阵.py", one_pass("融合é😀"))

        done = redirected("", "load", "--path", str(path), env=env)

        name, shown = r"\u878d\u5408\xe9\U0001f600", rf"{d}/\u77e9\u9635.py"
        text = done.stdout.decode("ascii")
        assert text == (
            section("Pass path", SPECS, ("0", "file", shown), ascii_only=True)
            + section(
                "Modules",
                MODULES,
                ("loaded", *durations(text), name, shown),
                ascii_only=True,
            )
            + section(
                "Passes in running order",
                PASSES,
                ("BeforeInferShape", name, "fusion_base", "", "A", f"{shown}:2"),
                ascii_only=True,
            )
            + "\n1 module, 0 failed, 1 pass, 0 skipped, 0 warnings\n"
        )
        assert (done.stderr, done.code) == ("", 0)

    def test_enc_06_errors_and_paths_are_escaped_too(self, d: Path) -> None:
        path = write(d / "矩阵.py", 'raise ValueError("坏é😀")\n')

        done = redirected("", "export", "--path", str(path), env=ASCII)

        assert done.stderr == (
            rf"gepass: error GP201: '{d}/\u77e9\u9635.py', line 1: ValueError: "
            "\\u574f\\xe9\\U0001f600\n"
        )
        assert (done.stdout, done.code) == (b"", 1)

    def test_enc_06_a_document_is_utf_8_on_any_console(self, d: Path) -> None:
        path = write(d / "矩阵.py", one_pass("融合é😀"))

        exported = redirected("", "export", "--path", str(path), env=ASCII)
        report = redirected("", "load", "--json", "--path", str(path), env=ASCII)

        (record,) = gepass.RegistryDocument.from_json(exported.stdout).passes
        (module,) = json.loads(report.stdout.decode("utf-8"))["modules"]
        assert (record.pass_name, record.source.path) == ("融合é😀", str(path))
        assert (module["pass_names"], module["path"]) == (["融合é😀"], str(path))
        assert (exported.stderr, report.stderr) == ("", "")

    def test_enc_04_everything_is_read_and_written_in_an_ascii_locale(
        self, d: Path, tmp_path: Path
    ) -> None:
        """ENC-04: a source with Chinese text, the document, and the log."""
        source = '"""中文说明"""\n# 注释\n' + one_pass("融合")
        path = write(d / "zh.py", source)
        out, log = tmp_path / "出.json", tmp_path / "日志"

        done = redirected(
            "",
            "export",
            *("--path", str(path), "-o", str(out), "--log-file", str(log)),
            env=ASCII,
        )

        assert (done.stdout, done.stderr, done.code) == (b"", "", 0)
        (record,) = gepass.RegistryDocument.from_json(out.read_bytes()).passes
        assert record.descriptor_key.endswith(":A:融合")
        lines = log.read_text(encoding="utf-8").splitlines()
        names = [json.loads(line).get("pass_name") for line in lines]
        assert names == [None, None, None, "融合", None]

    def test_enc_04_paths_and_options_may_be_chinese(self, d: Path, tmp_path: Path) -> None:
        write(d / "目录/a.py", one_pass("A"))

        done = redirected(
            "", "load", "--json", "--path", f"{d}/目录", cwd=tmp_path, env=ASCII
        )

        (spec,) = json.loads(done.stdout)["specs"]
        assert (spec["raw"], spec["path"]) == (f"{d}/目录", f"{d}/目录")
        assert (done.stderr, done.code) == ("", 0)


class TestNames:
    NAMES = (
        "line\nend.py",
        'A\n{"event": "module_loaded"}.py',
        "clear\x1b[2J.py",
        "\x1b]0;title\x07.py",
        os.fsdecode(b"not \xff utf-8.py"),
        "back\\slash.py",
        "tab\tand\rreturn.py",
        "\u2028separator\x85.py",
        "[bold]markup[red] :smile:.py",
    )

    @pytest.mark.parametrize("name", NAMES, ids=ascii)
    def test_sec_06_a_file_name_cannot_forge_or_break_a_line(
        self, d: Path, name: str
    ) -> None:
        """SEC-06: names of files are shown with their control characters escaped."""
        write(d / name, one_pass("A"))
        write(d / f"_{name}")

        done = redirected("", "load", "--path", str(d))

        text = done.stdout.decode()
        shown = _shown(f"{d}/{name}")
        assert text == (
            section("Pass path", SPECS, ("0", "directory", str(d)))
            + section(
                "Modules",
                MODULES,
                ("loaded", *durations(text), "A", shown),
            )
            + section(
                "Skipped",
                SKIPPED,
                (_shown(f"{d}/_{name}"), "the name starts with an underscore"),
            )
            + section(
                "Passes in running order",
                PASSES,
                ("BeforeInferShape", "A", "fusion_base", "", "A", f"{shown}:2"),
            )
            + "\n1 module, 0 failed, 1 pass, 1 skipped, 0 warnings\n"
        )
        assert (done.stderr, done.code) == ("", 0)

    @pytest.mark.parametrize("name", NAMES, ids=ascii)
    def test_sec_06_nor_in_an_error_or_a_traceback(self, d: Path, name: str) -> None:
        path = write(d / name, 'raise RuntimeError("\\x1b[2J \\x07")\n')

        raised = redirected("", "export", "--path", str(d))
        shown = redirected("", "load", "--traceback", "--path", str(d))

        message = rf"'{_shown(str(path))}', line 1: RuntimeError: \x1b[2J \x07"
        assert raised.stderr == f"gepass: error GP201: {message}\n"
        text = shown.stdout.decode()
        assert f"\nProblems\nGP201  {message}\n" in text
        assert f"\nTraceback of {_shown(str(path))}\n" in text
        assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text) == []
        assert (raised.code, shown.code) == (1, 1)

    def test_sec_06_a_pass_name_with_control_characters_is_refused(self, d: Path) -> None:
        forged = 'A\\n{\\"event\\":\\"pass_loaded\\",\\"name\\":\\"Fake\\"}'
        for name in (forged, "A\\x1b[2J", "A\\u2028B", "A\\x9bm"):
            path = write(d / "a.py", one_pass(name))

            done = redirected("", "load", "--path", str(path))

            text = done.stdout.decode()
            assert "\nGP302  " in text
            assert "pass_loaded\n" not in text
            assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text) == []
            assert (done.stderr, done.code) == ("", 1)

    def test_sec_06_a_class_name_is_shown_escaped(self, d: Path) -> None:
        source = """\
            import gepass
            cls = type("A\\n\\x1b[2J", (gepass.FusionBasePass,), {
                "run": lambda self, graph, context: None})
            gepass.register_fusion_pass(name="A", stage="BeforeInferShape")(cls)
            """
        path = write(d / "a.py", source)

        done = redirected("", "load", "--path", str(path))

        assert "\x1b" not in done.stdout.decode()
        assert rf"   A\n\x1b[2J   {path}:4" in done.stdout.decode()
        assert (done.stderr, done.code) == ("", 0)


def _shown(path: str) -> str:
    """Write a path as documents do, then its control characters as escapes."""
    text = os.fsencode(path).replace(b"\\", rb"\\").decode("utf-8", "backslashreplace")
    return re.sub(
        r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda match: ascii(match[0])[1:-1], text
    )


def test_the_console_script_is_the_same_command(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "gepass"

    done = subprocess.run(
        [script, "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stdout == f"gepass {gepass.__version__}\n"
    assert (done.stderr, done.returncode) == ("", 0)
