"""Properties of segments, file names and module names, whatever the bytes."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

import gepass
from gepass.path_spec import split_pass_path
from gepass.path_text import decode_path, encode_path, quote
from gepass.process import forget_everything
from gepass.scanning import module_name
from tests.support import write

BLANKS = st.text(" \t\n\r\f\v\u00a0\u3000", max_size=3)
SEGMENTS = st.text(max_size=8).filter(lambda text: ":" not in text)
ANY_SEGMENTS = st.text(st.characters(exclude_categories=()), max_size=20).filter(
    lambda text: ":" not in text
)
"""Any text, lone surrogates included."""
FILE_NAMES = st.binary(min_size=1, max_size=60).filter(
    lambda name: not {0, ord("/")} & set(name) and name not in {b".", b".."}
)
PATHS = FILE_NAMES.map(lambda name: Path(os.fsdecode(b"/" + name)))
SOURCE = """
import gepass
@gepass.register_fusion_pass(name="P", stage="BeforeInferShape")
class P(gepass.FusionBasePass):
    def run(self, graph, context): ...
"""


@given(st.lists(st.tuples(BLANKS, SEGMENTS, BLANKS), min_size=1, max_size=8))
def test_r2_positions_count_every_segment(pieces: list[tuple[str, str, str]]) -> None:
    segments = split_pass_path(":".join("".join(piece) for piece in pieces))

    assert [segment.position for segment in segments] == list(range(len(pieces)))
    assert [segment.text for segment in segments] == [text.strip() for _, text, _ in pieces]


@given(st.lists(BLANKS, max_size=8))
def test_r1_blanks_and_separators_are_nothing(pieces: list[str]) -> None:
    assert gepass.parse_pass_path(":".join(pieces)) == ()


@settings(deadline=None)
@given(st.lists(st.tuples(BLANKS, st.booleans(), BLANKS), min_size=1, max_size=8))
def test_r2_specs_keep_the_positions_of_segments_that_are_not_empty(
    pieces: list[tuple[str, bool, str]],
) -> None:
    value = ":".join(f"{left}{'/' * full}{right}" for left, full, right in pieces)

    specs = gepass.parse_pass_path(value)

    assert [spec.position for spec in specs] == [
        position for position, (_, full, _) in enumerate(pieces) if full
    ]
    assert {spec.path for spec in specs} <= {Path("/")}


@settings(deadline=None)
@given(st.lists(ANY_SEGMENTS, min_size=1, max_size=4))
def test_r4_each_unusable_segment_is_one_line_whatever_it_holds(
    pieces: list[str],
) -> None:
    value = ":".join(f"/no_such_directory/{piece}" for piece in pieces)

    with pytest.raises(gepass.PassPathError) as caught:
        gepass.parse_pass_path(value)

    problems = caught.value.problems
    assert [problem.position for problem in problems] == list(range(len(pieces)))
    lines = str(caught.value).encode("utf-8").decode("utf-8").splitlines()
    assert lines == [problem.message for problem in problems]


@given(PATHS)
def test_enc_07_a_path_survives_its_text(path: Path) -> None:
    text = encode_path(path)

    assert decode_path(text) == path
    assert json.loads(json.dumps(text).encode("utf-8")) == text


@given(PATHS, PATHS)
def test_enc_07_two_paths_have_two_texts(one: Path, other: Path) -> None:
    assert (encode_path(one) == encode_path(other)) == (one == other)


@given(PATHS)
def test_enc_07_a_quoted_path_is_one_printable_line(path: Path) -> None:
    text = quote(path)

    assert text.encode("utf-8")
    assert len(text.splitlines()) == 1
    assert "\x1b" not in text


@given(PATHS)
def test_r8_a_module_name_is_an_identifier(path: Path) -> None:
    assert module_name(path).isidentifier()
    assert module_name(path).startswith("_ge_py_pass_")


@given(st.sets(PATHS, min_size=2, max_size=20))
def test_r8_module_names_are_unique(paths: set[Path]) -> None:
    assert len({module_name(path) for path in paths}) == len(paths)


@settings(deadline=None)
@given(FILE_NAMES)
def test_enc_07_a_pass_file_of_any_name_is_loaded_and_reported(name: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = write(Path(directory, os.fsdecode(name + b".py")), SOURCE)
        try:
            report = gepass.load_passes(directory)
            document = gepass.export_registry(gepass.default_registry()).to_json()
        finally:
            forget_everything()

    is_skipped = name.startswith((b"_", b"._"))
    assert report.ok
    assert [m.path for m in report.modules] == ([] if is_skipped else [path])
    assert all(m.module_name.isidentifier() for m in report.modules)
    written = TypeAdapter(gepass.LoadReport).dump_json(report)
    modules = json.loads(written.decode("utf-8"))["modules"]
    assert [decode_path(m["path"]) for m in modules] == [m.path for m in report.modules]
    passes = json.loads(document.decode("utf-8"))["passes"]
    assert [decode_path(p["source"]["path"]) for p in passes] == [
        m.path for m in report.modules
    ]


@settings(deadline=None)
@given(FILE_NAMES)
def test_enc_07_a_failing_file_of_any_name_is_reported(name: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        write(Path(directory, os.fsdecode(b"x" + name + b".py")), "1/0")
        report = gepass.load_passes(directory, on_error="isolate")

    (problem,) = report.problems
    assert problem.message.endswith(", line 1: ZeroDivisionError: division by zero")
    assert len(problem.message.splitlines()) == 1
    assert TypeAdapter(gepass.LoadReport).dump_json(report).decode("utf-8")
