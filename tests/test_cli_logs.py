"""Events on standard error and in the log file of a command."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.command_line import ASCII, one_pass, redirected
from tests.support import Runs, gepass_command, pass_file, write

NESTED = """\
def outer():
    token = "hunter2-XYZ"
    return inner(token)

def inner(token):
    secret = token[::-1]
    raise ValueError("needs CANN 9.2 or later")

outer()
"""


def lines(text: str) -> list[dict[str, object]]:
    """Parse JSON Lines."""
    return [json.loads(line) for line in text.splitlines()]


def names(text: str) -> list[object]:
    """Return the names of the events in JSON Lines."""
    return [line["event"] for line in lines(text)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return where the log file goes."""
    return tmp_path / "log.jsonl"


class TestLevels:
    # What a load of one file of each kind tells.
    ALL = (
        ("info", "load_started"),
        ("info", "path_accepted"),
        ("debug", "entry_skipped"),
        ("error", "module_failed"),
        ("info", "module_loaded"),
        ("info", "pass_registered"),
        ("info", "module_loaded"),
        ("warning", "module_registered_nothing"),
        ("info", "load_finished"),
    )
    ORDER = ("debug", "info", "warning", "error")

    @pytest.fixture
    def several(self, d: Path) -> Path:
        """Return a directory that gives an event of each level."""
        write(d / "a.py", "1/0\n")
        write(d / "b.py", one_pass("B"))
        write(d / "c.txt")
        write(d / "e.py")
        return d

    def shown(self, level: str) -> list[str]:
        """Return the events of a level and above."""
        loud = self.ORDER[self.ORDER.index(level) :]
        return [name for its_level, name in self.ALL if its_level in loud]

    @pytest.mark.parametrize("level", ORDER)
    def test_the_level_decides_in_both_formats(self, several: Path, level: str) -> None:
        options = ("--path", str(several), "--log-level", level)
        as_json = gepass_command("load", *options, "--log-format", "json")
        console = gepass_command("load", *options, "--log-format", "console")

        assert names(as_json.stderr) == self.shown(level)
        pattern = r"^gepass (debug|info|warning|error): (\w+) load_id=[0-9a-f]{32} .*$"
        found = [re.match(pattern, line) for line in console.stderr.splitlines()]
        assert [match and match[2] for match in found] == self.shown(level)
        assert [match[1] for match in found if match] == [
            line["level"] for line in lines(as_json.stderr)
        ]
        assert (as_json.returncode, console.returncode) == (1, 1)

    @pytest.mark.parametrize("level", ORDER)
    def test_the_setting_is_the_default_of_the_option(
        self, several: Path, level: str
    ) -> None:
        env = {"GEPASS_LOG_LEVEL": level, "GEPASS_LOG_FORMAT": "json"}

        by_setting = gepass_command("load", "--path", str(several), env=env)
        by_option = gepass_command(
            "load", "--path", str(several), "--log-level", "error", env=env
        )

        assert names(by_setting.stderr) == self.shown(level)
        assert names(by_option.stderr) == self.shown("error")

    def test_without_a_level_nothing_is_shown(self, several: Path) -> None:
        for options in ((), ("--log-format", "json"), ("--log-format", "console")):
            done = gepass_command("load", "--path", str(several), *options)

            assert (done.stderr, done.returncode) == ("", 1)

    def test_the_file_gets_all_events_whatever_the_level(
        self, several: Path, log: Path
    ) -> None:
        options = ("--path", str(several), "--log-file", str(log))

        silent = gepass_command("load", *options)
        loud = gepass_command("load", *options, "--log-level", "error")

        assert names(log.read_text()) == self.shown("debug") * 2
        assert silent.stderr == ""
        assert len(loud.stderr.splitlines()) == 1
        assert loud.stderr.startswith("gepass error: module_failed load_id=")

    def test_the_events_of_a_load_share_its_id(self, several: Path, log: Path) -> None:
        done = gepass_command(
            "load", "--json", "--path", str(several), "--log-file", str(log)
        )

        load_id = json.loads(done.stdout)["load_id"]
        assert {line["load_id"] for line in lines(log.read_text())} == {load_id}


class TestFile:
    def test_a_second_command_appends(self, d: Path, log: Path) -> None:
        path = write(d / "a.py", one_pass("A"))
        write(log, '{"event": "before"}\n')
        for command in ("load", "export"):
            gepass_command(command, "--path", str(path), "--log-file", str(log))

        one_load = [
            "load_started",
            "path_accepted",
            "module_loaded",
            "pass_registered",
            "load_finished",
        ]
        assert names(log.read_text()) == ["before", *one_load, *one_load]
        ids = [line.get("load_id") for line in lines(log.read_text())]
        assert len(set(ids)) == 3

    @pytest.mark.parametrize("command", ["load", "export", "demo"])
    def test_every_command_that_loads_has_one(
        self, d: Path, log: Path, tmp_path: Path, command: str
    ) -> None:
        env = {"ASCEND_GE_PY_PASS_PATH": str(write(d / "a.py", one_pass("A")))}

        done = gepass_command(command, "--log-file", str(log), env=env, cwd=tmp_path)

        events = names(log.read_text())
        assert (events[0], events[-1]) == ("load_started", "load_finished")
        assert (done.stderr, done.returncode) == ("", 0)

    def test_the_time_is_given_in_utc(self, d: Path, log: Path) -> None:
        path = write(d / "a.py", one_pass("A"))
        gepass_command(
            "load", "--path", str(path), "--log-file", str(log), env={"TZ": "Asia/Tokyo"}
        )

        stamps = [str(line["timestamp"]) for line in lines(log.read_text())]
        assert stamps == sorted(stamps)
        for stamp in stamps:
            assert stamp.endswith("Z")
            told = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
            assert abs(datetime.now(timezone.utc) - told) < timedelta(hours=1)

    @pytest.mark.parametrize("env", [{}, ASCII, {"PYTHONIOENCODING": "gbk"}])
    def test_enc_07_it_is_utf_8_in_any_locale(
        self, d: Path, log: Path, env: dict[str, str]
    ) -> None:
        """ENC-07: Chinese names come back exactly."""
        path = write(d / "矩阵.py", one_pass("矩阵融合😀"))
        env = {**env, "LC_ALL": env.get("LC_ALL", "C")}

        done = redirected("", "load", "--path", str(path), "--log-file", str(log), env=env)

        registered = lines(log.read_bytes().decode("utf-8"))[3]
        told = (registered["pass_name"], registered["path"])
        assert told == ("矩阵融合😀", str(path))
        assert "矩阵融合😀" in log.read_text(encoding="utf-8")
        assert (done.stderr, done.code) == ("", 0)

    def test_a_directory_that_is_missing_is_an_error_before_anything_runs(
        self, d: Path, runs: Runs, tmp_path: Path
    ) -> None:
        path = write(d / "a.py", pass_file("A"))
        log = tmp_path / "missing" / "log"

        done = gepass_command("load", "--path", str(path), "--log-file", str(log))

        assert done.stderr == (
            f"gepass: error GP403: cannot write '{log}': No such file or directory\n"
        )
        assert (done.stdout, done.returncode) == ("", 1)
        assert runs.files == []

    def test_a_directory_is_wrong_usage(self, tmp_path: Path) -> None:
        done = gepass_command("load", "--log-file", str(tmp_path))

        usage, _, error = done.stderr.partition("\n\n")
        assert usage.startswith("Usage: gepass load [OPTIONS]\nTry 'gepass load ")
        assert error == (
            f"Error: Invalid value for '--log-file': File '{tmp_path}' is a directory.\n"
        )
        assert (done.stdout, done.returncode) == ("", 2)

    def test_a_full_disk_does_not_hinder_the_load(self, d: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = gepass_command("load", "--path", str(path), "--log-file", "/dev/full")

        assert done.stdout.endswith(
            "\nWarnings\nGP214  5 events could not be written to the log\n"
            "\n1 module, 0 failed, 1 pass, 0 skipped, 1 warning\n"
        )
        assert (done.stderr, done.returncode) == ("", 0)


class TestFailures:
    @pytest.mark.parametrize("style", ["console", "json"])
    def test_log_06_a_failing_plugin_is_rendered_in_each_format(
        self, d: Path, log: Path, style: str
    ) -> None:
        """LOG-06: the error path has no error of its own."""
        path = write(d / "a.py", NESTED)

        done = gepass_command(
            "load",
            *("--path", str(path), "--log-level", "error", "--log-format", style),
            *("--log-file", str(log)),
        )

        message = f"'{path}', line 7: ValueError: needs CANN 9.2 or later"
        (line,) = done.stderr.splitlines()
        if style == "json":
            assert json.loads(line)["detail"] == message
        else:
            assert line.startswith("gepass error: module_failed load_id=")
            assert f" detail={message} " in line
        assert names(log.read_text()) == [
            "load_started",
            "path_accepted",
            "module_failed",
            "load_finished",
        ]
        assert done.returncode == 1

    def test_log_07_json_holds_type_message_and_frames(self, d: Path, log: Path) -> None:
        """LOG-07: the frames down to the file, each with its line."""
        path = write(d / "a.py", NESTED)

        done = gepass_command(
            "load",
            *("--path", str(path), "--log-level", "error", "--log-format", "json"),
            *("--log-file", str(log)),
        )

        (shown,) = lines(done.stderr)
        (written,) = (x for x in lines(log.read_text()) if x["level"] == "error")
        assert shown == written
        assert (shown["exception_type"], shown["line"]) == ("ValueError", 7)
        frames = shown["traceback"]
        assert isinstance(frames, list)
        assert [line for line in frames if line.startswith("  File ")] == [
            f'  File "{path}", line 9, in <module>',
            f'  File "{path}", line 3, in outer',
            f'  File "{path}", line 7, in inner',
        ]
        assert frames[0] == "Traceback (most recent call last):"
        assert frames[-1] == "ValueError: needs CANN 9.2 or later"

    def test_sec_05_values_of_variables_are_nowhere(self, d: Path, log: Path) -> None:
        """SEC-05: a local of a failing plugin is in no log, report or output."""
        hidden = NESTED.replace('"hunter2-XYZ"', '"-".join(("hunter2", "XYZ"))')
        path = write(d / "a.py", hidden)
        for style in ("console", "json"):
            for options in (("--traceback",), ("--json",)):
                done = gepass_command(
                    "load",
                    *("--path", str(path), "--log-level", "debug", "--log-format", style),
                    *("--log-file", str(log), *options),
                )

                assert "needs CANN" in done.stdout
                assert "hunter2-XYZ" not in done.stdout + done.stderr
                assert "ZYX-2retnuh" not in done.stdout + done.stderr
        assert "hunter2-XYZ" not in log.read_text()
        assert "ZYX-2retnuh" not in log.read_text()

    def test_an_unusable_path_is_an_event(self, d: Path, log: Path) -> None:
        done = gepass_command(
            "load",
            *("--path", f"{d}/missing", "--log-file", str(log)),
            *("--log-level", "error", "--log-format", "json"),
        )

        assert names(log.read_text()) == ["load_started", "path_rejected", "load_finished"]
        event, error = done.stderr.splitlines()
        message = json.loads(event)["detail"]
        assert error == f"gepass: error GP101: {message}"


class TestLines:
    HOSTILE = (
        "line\nend",
        'A\n{"event": "pass_registered"}',
        "clear\x1b[2J",
        "carriage\rreturn",
        "\u2028separator\x85",
        "not \udcff utf-8",
    )

    @pytest.mark.parametrize("style", ["console", "json"])
    @pytest.mark.parametrize("name", HOSTILE, ids=ascii)
    def test_sec_06_an_event_is_one_line_whatever_the_names(
        self, d: Path, log: Path, name: str, style: str
    ) -> None:
        """SEC-06: names of files and texts of errors cannot forge a second event."""
        write(d / f"{name}.py", one_pass("A"))
        write(d / f"{name}_broken.py", f"raise ValueError({name!r})\n")
        write(d / f"_{name}.py")

        done = redirected(
            "",
            "load",
            *("--path", str(d), "--log-level", "debug", "--log-format", style),
            *("--log-file", str(log)),
        )

        expected = sorted(
            [
                "load_started",
                "path_accepted",
                "entry_skipped",
                "module_loaded",
                "pass_registered",
                "module_failed",
                "load_finished",
            ]
        )
        written = log.read_bytes().decode("utf-8")
        assert sorted(str(json.loads(x)["event"]) for x in written.split("\n")[:-1]) == (
            expected
        )
        shown = done.stderr.split("\n")[:-1]
        if style == "json":
            assert sorted(json.loads(line)["event"] for line in shown) == expected
        else:
            assert sorted(line.split()[2] for line in shown) == expected
        assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f]", done.stderr + written) == []
        assert done.code == 1

    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
    def test_json_on_standard_error_is_json_in_any_encoding(
        self, d: Path, encoding: str
    ) -> None:
        path = write(d / "é.py", one_pass("融é😀"))

        done = gepass_command(
            "load",
            *("--path", str(path), "--log-level", "info", "--log-format", "json"),
            env={"PYTHONIOENCODING": encoding},
        )

        registered = lines(done.stderr)[3]
        told = (registered["pass_name"], registered["path"])
        assert told == ("融é😀", str(path))

    def test_a_plugin_that_uses_structlog_is_not_hindered(
        self, d: Path, log: Path, runs: Runs
    ) -> None:
        code = """
            import structlog
            user_log = structlog.get_logger()
            user_log.info("user event", value=object())
            user_log.critical("user event")
            user_log.exception("user event")
        """
        path = write(d / "a.py", pass_file("A", before=code))

        done = gepass_command("load", "--path", str(path), "--log-file", str(log))

        assert done.returncode == 0
        assert runs.files == ["a.py"]
        assert names(log.read_text()) == [
            "load_started",
            "path_accepted",
            "module_loaded",
            "pass_registered",
            "load_finished",
        ]
