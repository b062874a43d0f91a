"""Bytes of sources and of names: loaded, shown and written whatever they are (ENC)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gepass
from gepass.environ import OnError
from gepass.errors import Code
from gepass.path_text import decode_path, encode_path
from tests.process_state import load_failure, names, nothing_stays
from tests.support import RUNS_VARIABLE, Runs, pass_file, write

POSIX_LOCALE = {
    "LC_ALL": "POSIX",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONIOENCODING": "",
}


def test_enc_01_a_byte_order_mark_is_no_part_of_the_code(d: Path) -> None:
    write(d / "bom.py", b"\xef\xbb\xbf" + pass_file("Bom").encode())

    gepass.load_passes(str(d))

    assert names() == ["Bom"]


@pytest.mark.parametrize(
    ("line", "encoding"),
    [
        ("# -*- coding: latin-1 -*-", "latin-1"),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :", "cp1252"),
        ("# coding: utf-8", "utf-8"),
        ("# coding: gbk", "gbk"),
    ],
)
def test_enc_02_a_coding_line_is_obeyed(line: str, encoding: str, d: Path) -> None:
    text = "矩" if encoding == "gbk" else "é"
    body = pass_file("L1", before=f"assert {text!r} == chr({ord(text)})")
    write(d / "l1.py", f"{line}\n{body}".encode(encoding))

    gepass.load_passes(str(d))

    assert names() == ["L1"]


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_enc_02_bytes_that_are_no_utf_8_fail_with_file_and_line(
    on_error: OnError, d: Path
) -> None:
    gbk = write(d / "gbk.py", b"x = 1\n\ny = '\xb2\xe2'\n")
    write(d / "ok.py", pass_file("OK"))

    if on_error == "raise":
        (problem,) = _report_of(load_failure(d)).problems
    else:
        (problem,) = gepass.load_passes(str(d), on_error=on_error).problems
        assert names() == ["OK"]

    assert problem.code == Code.MODULE_NOT_COMPILED
    assert problem.path == gbk
    assert problem.line == 3
    assert problem.message == (
        f"'{gbk}', line 3: SyntaxError: (unicode error) 'utf-8' codec can't decode byte "
        "0xb2 in position 0: invalid start byte"
    )


def _report_of(error: gepass.ModuleLoadError) -> gepass.LoadReport:
    assert error.report is not None
    return error.report


def test_enc_02_an_unknown_coding_fails_with_the_file(d: Path) -> None:
    path = write(d / "a.py", "# coding: klingon\n")

    error = load_failure(d)

    assert error.code == Code.MODULE_NOT_COMPILED
    assert (error.file, error.line) == (path, None)
    assert str(error) == (f"'{path}': SyntaxError: unknown encoding: klingon")


def test_enc_03_apple_double_files_are_skipped(d: Path, runs: Runs) -> None:
    junk = bytes.fromhex("0005160700020000") + b"Mac OS X" + bytes(40)
    write(d / "._ok.py", junk)
    write(d / "._pkg" / "__init__.py", junk)
    write(d / "ok.py", pass_file("OK"))

    report = gepass.load_passes(str(d))

    assert (report.ok, names(), runs.files) == (True, ["OK"], ["ok.py"])
    assert [(e.path.name, e.reason) for e in report.skipped] == [
        ("._ok.py", "an AppleDouble file"),
        ("._pkg", "an AppleDouble file"),
    ]


def test_enc_03_nul_bytes_fail_with_the_file_once(d: Path) -> None:
    path = write(d / "nul.py", b"x = 1\0\n")
    write(d / "ok.py", pass_file("OK"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert names() == ["OK"]
    (problem,) = report.problems
    assert (problem.code, problem.path) == (Code.MODULE_NOT_COMPILED, path)
    assert problem.message == (
        f"'{path}': SyntaxError: source code string cannot contain null bytes"
    )


def test_enc_04_sources_load_and_export_under_an_ascii_locale(d: Path, runs: Runs) -> None:
    text = "# 中文注释\n" + pass_file("Zh", after="'''中文'''")
    write(d / "zh.py", text)
    log = d.parent / "log.txt"

    done = _python_under_ascii(
        """
        import logging, sys, gepass
        logging.basicConfig(level="DEBUG", filename=sys.argv[2], encoding="utf-8")
        gepass.load_passes(sys.argv[1])
        document = gepass.export_registry(gepass.default_registry())
        sys.stdout.buffer.write(document.to_json())
        """,
        str(d),
        str(log),
        env={RUNS_VARIABLE: str(runs.log)},
    )

    assert (done.returncode, done.stderr) == (0, b"")
    document = gepass.RegistryDocument.from_json(done.stdout)
    assert [record.pass_name for record in document.passes] == ["Zh"]
    assert "module_loaded" in log.read_text(encoding="utf-8")


def test_enc_06_messages_print_on_an_ascii_console(d: Path, runs: Runs) -> None:
    write(d / "融合.py", "raise ValueError('融合')")

    done = _python_under_ascii(
        """
        import logging, sys, gepass
        logging.basicConfig(level="DEBUG", stream=sys.stdout)
        report = gepass.load_passes(sys.argv[1], on_error="isolate")
        assert len(report.problems) == 1
        """,
        str(d),
        env={RUNS_VARIABLE: str(runs.log), "PYTHONIOENCODING": "ascii:backslashreplace"},
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u878d\u5408.py" in done.stdout


def test_enc_07_names_survive_document_event_and_report(
    d: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(d / "矩阵.py", pass_file("矩阵融合"))
    caplog.set_level("INFO", logger="gepass")

    report = gepass.load_passes(str(d))
    document = gepass.export_registry(gepass.default_registry()).to_json()

    read = json.loads(document.decode("utf-8"))["passes"][0]
    assert (read["pass_name"], read["source"]["path"]) == ("矩阵融合", str(path))
    (record,) = gepass.RegistryDocument.from_json(document).passes
    assert [record.pass_name] == ["矩阵融合"]
    assert report.modules[0].module_name.startswith("_ge_py_pass_矩阵_")
    (event,) = [r for r in caplog.messages if r.startswith("pass_registered ")]
    fields = json.loads(event.partition(" ")[2])
    assert (fields["pass_name"], fields["path"]) == ("矩阵融合", str(path))


ODD_NAMES = [
    b"\xff\xfe.py",
    b"l\xe9.py",
    b"back\\slash.py",
    b"\\xff.py",
    b"new\nline.py",
    b"tab\t.py",
    b"\x1b[31mred.py",
    b"quote'\".py",
    "é.py".encode(),
    "e\u0301.py".encode(),
    "\u202eright.py".encode(),
    b" blank .py",
    b"-rf.py",
    b"class.py",
    b"1.py",
    b"%s{x}$HOME.py",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_enc_07_a_file_name_is_any_bytes(name: bytes, d: Path, runs: Runs) -> None:
    path = write(Path(os.fsdecode(os.fsencode(d) + b"/" + name)), pass_file("A"))

    report = gepass.load_passes(str(d))
    document = gepass.export_registry(gepass.default_registry()).to_json()

    assert report.ok
    assert report.modules[0].path == path
    assert report.modules[0].module_name.isidentifier()
    source = json.loads(document)["passes"][0]["source"]
    assert decode_path(source["path"]) == path
    if b"\n" not in name:
        assert runs.files == [os.fsdecode(name)]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_enc_07_a_message_shows_any_name_on_one_line_and_as_utf_8(
    name: bytes, d: Path
) -> None:
    path = write(Path(os.fsdecode(os.fsencode(d) + b"/" + name)), "1/0")

    error = load_failure(d)

    message = str(error)
    assert message.encode("utf-8")
    assert "\n" not in message
    assert "\x1b" not in message
    assert message.endswith(", line 1: ZeroDivisionError: division by zero")
    assert (error.file, error.line) == (path, 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"a\\b", "a\\\\b"),
        (b"\xff", "\\xff"),
        (b"\\xff", "\\\\xff"),
        (b"\xc3\xa9", "é"),
        (b"\xc3", "\\xc3"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
    ],
)
def test_enc_07_a_path_is_written_as_its_bytes(name: bytes, text: str) -> None:
    path = Path(os.fsdecode(name))

    assert encode_path(path) == text
    assert decode_path(text) == path


def test_enc_07_a_segment_with_bytes_that_are_no_utf_8_is_refused_readably(
    d: Path,
) -> None:
    segment = os.fsdecode(os.fsencode(d) + b"/\xff\\\n.py")

    with nothing_stays(), pytest.raises(gepass.PassPathNotFoundError) as caught:
        gepass.load_passes(segment)

    assert str(caught.value) == (
        f"ASCEND_GE_PY_PASS_PATH[0]: '{d}/\\xff\\\\\\n.py' does not exist; "
        "give an existing directory or .py file"
    )


def test_enc_07_a_lone_surrogate_that_stands_for_no_byte_is_refused_readably() -> None:
    with nothing_stays(), pytest.raises(gepass.PassPathValueError) as caught:
        gepass.load_passes("/\ud800.py")

    with pytest.raises(UnicodeEncodeError) as reason:
        os.fsencode("/\ud800.py")
    assert str(caught.value) == (
        "ASCEND_GE_PY_PASS_PATH[0]: '/\\ud800.py' cannot be a path "
        f"({reason.value}); give an existing directory or .py file"
    )


def _python_under_ascii(
    code: str, *arguments: str, env: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    lines = [line.strip() for line in code.strip().splitlines()]
    return subprocess.run(
        [sys.executable, "-c", "\n".join(lines), *arguments],
        env={**os.environ, **POSIX_LOCALE, **env},
        capture_output=True,
        timeout=60,
        check=False,
    )
