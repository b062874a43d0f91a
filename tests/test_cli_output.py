"""Standard output holds results alone, whatever user code, terminals or pipes do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gepass
from tests.command_line import (
    GEPASS,
    first_line,
    one_pass,
    redirected,
)
from tests.support import Runs, gepass_command, pass_file, write

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
        code = "import os; os.write(1, b'noise\\n')"
        path = write(d / "a.py", pass_file("A", before=code))
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


def test_the_development_mode_of_python_has_nothing_to_say(d: Path, tmp_path: Path) -> None:
    env = {
        "ASCEND_GE_PY_PASS_PATH": str(write(d / "a.py", one_pass("A"))),
        "PYTHONDEVMODE": "1",
    }
    for command in ("load", "export", "schema", "demo"):
        done = gepass_command(command, env=env, cwd=tmp_path)

        assert "Warning" not in done.stderr
        assert done.returncode == 0
