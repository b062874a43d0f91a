"""Names of any bytes and characters, on consoles that may not know them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import gepass
from tests.command_line import (
    ASCII,
    MODULES,
    PASSES,
    SKIPPED,
    SPECS,
    durations,
    one_pass,
    redirected,
    section,
)
from tests.support import write


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
