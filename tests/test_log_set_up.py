"""The logging of the command line: every format, nothing forged, nothing kept."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import gepass
from gepass.environ import LogFormat, LogLevel
from gepass.logs import configured
from tests.support import gepass_command, pass_file, write

FORGED = '\n{"event": "pass_registered"}\n\x1b[2Jgepass info: load_finished \x9b1A\u2028x'


def logged(
    d: Path, *, style: LogFormat, level: LogLevel | None = "debug"
) -> tuple[list[str], list[dict[str, object]]]:
    """Load under ``configured``; return the lines of the stream, and those of the file."""
    stream, log_file = io.StringIO(), io.StringIO()
    with configured(level=level, style=style, stream=stream, log_file=log_file):
        gepass.load_passes(f":{d}", on_error="isolate")
    lines = stream.getvalue().removesuffix("\n").split("\n")
    file_lines = log_file.getvalue().removesuffix("\n").split("\n")
    return lines, [json.loads(line) for line in file_lines]


class TestFormats:
    @pytest.mark.parametrize("style", get_args(LogFormat))
    def test_log_06_a_failing_file_is_rendered_in_every_format(
        self, d: Path, style: LogFormat
    ) -> None:
        path = write(d / "a.py", "def f():\n    1 / 0\nf()\n")
        lines, in_file = logged(d, style=style)

        (line,) = [line for line in lines if "module_failed" in line]
        assert f"'{path}', line 2: ZeroDivisionError: division by zero" in line
        assert len(lines) == len(in_file) == 5

    def test_log_07_json_has_type_message_and_frames(self, d: Path) -> None:
        path = write(d / "a.py", "def f():\n    1 / 0\nf()\n")
        lines, in_file = logged(d, style="json")

        assert [json.loads(line) for line in lines] == in_file
        (failed,) = [e for e in in_file if e["event"] == "module_failed"]
        assert failed["exception_type"] == "ZeroDivisionError"
        assert failed["line"] == 2
        assert isinstance(failed["traceback"], list)
        assert f'  File "{path}", line 3, in <module>' in failed["traceback"]
        assert f'  File "{path}", line 2, in f' in failed["traceback"]
        assert failed["traceback"][-1] == "ZeroDivisionError: division by zero"

    def test_every_line_has_level_and_time(self, d: Path) -> None:
        _, in_file = logged(d, style="console")

        for event in in_file:
            assert event["level"] in get_args(LogLevel)
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", str(event["timestamp"]))

    def test_the_console_shows_a_line_for_people(self, d: Path) -> None:
        write(d / "融.py", pass_file("融合"))
        lines, _ = logged(d, style="console")

        (line,) = [line for line in lines if "pass_registered" in line]
        assert line.startswith("gepass info: pass_registered load_id=")
        assert "pass_name=融合 stage=BeforeInferShape kind=fusion_base" in line
        assert f"path={d}/融.py line=6" in line

    @pytest.mark.parametrize("level", get_args(LogLevel))
    def test_the_level_binds_the_stream_and_not_the_file(
        self, d: Path, level: LogLevel
    ) -> None:
        write(d / "a.py", "1 / 0")
        write(d / "b.py")
        write(d / "_skipped.py")
        lines, in_file = logged(d, style="json", level=level)

        order = get_args(LogLevel)
        shown = [json.loads(line) for line in lines]
        assert len({str(event["level"]) for event in in_file}) == 4
        assert shown == [
            event
            for event in in_file
            if order.index(str(event["level"])) >= order.index(level)
        ]

    def test_without_a_level_only_the_file_gets_events(self, d: Path) -> None:
        write(d / "a.py", "1 / 0")
        lines, in_file = logged(d, style="json", level=None)

        assert lines == [""]
        assert len(in_file) == 5

    def test_log_03_a_closed_stream_does_not_matter(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        stream = io.StringIO()
        stream.close()
        for closed in (stream, None):
            with configured(level="debug", style="console", stream=closed, log_file=None):
                assert gepass.load_passes(str(d)).ok


class TestForgery:
    @pytest.fixture
    def forging(self, d: Path) -> Path:
        """Return a directory whose names and messages try to write lines of their own."""
        write(d / f"{FORGED[:60].replace('/', '')}.py", f"raise ValueError({FORGED!r})\n")
        write(d / f"_{FORGED}.py")
        write(d / "b.py", "import gepass\nclass A(gepass.FusionBasePass): pass\n")
        write(d / f"x\n{FORGED[:20]}" / "__init__.py", pass_file("P"))
        return d

    def test_sec_06_the_console_shows_what_is_no_text_as_escapes(
        self, forging: Path
    ) -> None:
        lines, in_file = logged(forging, style="console")

        assert len(lines) == len(in_file)
        for line in lines:
            assert re.match(r"gepass (debug|info|warning|error): [a-z_]+ load_id=", line)
            assert "\x1b" not in line
            assert "\x9b" not in line
            assert len(line.splitlines()) == 1

    def test_sec_06_json_lines_are_one_event_each(self, forging: Path) -> None:
        lines, in_file = logged(forging, style="json")

        assert [json.loads(line) for line in lines] == in_file
        assert not [line for line in lines if "\x1b" in line]
        assert {event["load_id"] for event in in_file} == {in_file[0]["load_id"]}


class TestCommand:
    def test_log_05_a_handler_of_a_pass_file_stays_off_standard_output(
        self, d: Path
    ) -> None:
        noisy = """
            import logging, sys
            logging.basicConfig(stream=sys.stdout, level="DEBUG")
            logging.warning("noise of the plugin")
            sys.stdout.write("more noise")
        """
        write(d / "a.py", pass_file("A", before=noisy))
        for more in (
            [],
            ["--log-level", "debug"],
            ["--log-level=debug", "--log-format=json"],
        ):
            done = gepass_command("load", "--path", str(d), "--json", *more)

            assert done.returncode == 0
            assert json.loads(done.stdout)["problems"] == []
            assert "noise of the plugin" in done.stderr

    @pytest.mark.parametrize("style", get_args(LogFormat))
    def test_log_06_a_failing_file_is_told_by_the_command_in_every_format(
        self, d: Path, style: str
    ) -> None:
        path = write(d / "a.py", "1 / 0")
        done = gepass_command(
            "load", "--path", str(d), "--log-level", "error", "--log-format", style
        )

        assert done.returncode == 1
        assert f"'{path}', line 1: ZeroDivisionError: division by zero" in done.stderr
        assert "Traceback" not in done.stderr or style == "json"

    def test_log_03_a_reader_that_has_seen_enough_is_no_error(self, d: Path) -> None:
        for number in range(400):
            write(d / f"pass_{number}.py", pass_file(f"pass-{number}-{'x' * 200}"))
        with subprocess.Popen(
            [sys.executable, "-m", "gepass", "load", "--path", str(d)],
            env=os.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            stderr = process.stderr.read()
            process.wait(timeout=120)

        assert stderr == b""

    def test_log_10_a_command_leaves_no_logging_behind(
        self, d: Path, tmp_path: Path
    ) -> None:
        """Commands may run in a process that loads on its own afterwards."""
        write(d / "a.py", pass_file("A"))
        code = f"""
            import logging, sys
            from gepass.cli import main
            import gepass
            logging.basicConfig(level="DEBUG", format="LATER %(message)s")
            main(["schema", "registry-document"])
            main(["check", "--path", {str(d)!r}, *sys.argv[1:]])
            report = gepass.load_passes({str(d)!r})
            assert not report.warnings, report.warnings
        """
        for more in ([], ["--log-file", str(tmp_path / "log")], ["--log-level", "debug"]):
            done = subprocess.run(
                [sys.executable, "-c", _dedent(code), *more],
                env=os.environ,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            later = [line for line in done.stderr.splitlines() if "LATER" in line]
            assert [line.split()[1] for line in later][-5:] == [
                "load_started",
                "path_accepted",
                "module_loaded",
                "pass_registered",
                "load_finished",
            ]


def _dedent(code: str) -> str:
    return "\n".join(line[12:] for line in code.splitlines())
