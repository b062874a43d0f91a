"""Which registry documents can be read (design section 6)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest

import gepass
from gepass.errors import Code
from tests.record_samples import Json, document, record


def changed(change: Callable[[dict[str, Json]], object]) -> str:
    """Return a document with one record after a change, its digest made to fit."""
    loaded = json.loads(document(record()).to_json())
    change(loaded)
    canonical = json.dumps(
        loaded["passes"], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return json.dumps(loaded | {"digest": f"sha256:{digest}"})


def first_pass(loaded: dict[str, Json]) -> dict[str, Json]:
    passes = loaded["passes"]
    assert isinstance(passes, list)
    assert isinstance(passes[0], dict)
    return passes[0]


def refusal(text: str | bytes) -> gepass.DocumentError:
    with pytest.raises(gepass.DocumentError) as caught:
        gepass.RegistryDocument.from_json(text)
    return caught.value


def test_sch_03_a_newer_minor_version_is_read_and_its_keys_ignored() -> None:
    def extend(loaded: dict[str, Json]) -> None:
        loaded |= {"schema_version": "1.99", "x_new": 1}
        first_pass(loaded)["x_new"] = {"deep": [1]}

    read = gepass.RegistryDocument.from_json(changed(extend))

    assert read.passes == (record(),)
    assert read.schema_version == "1.99"


@pytest.mark.parametrize("version", ["2.0", "0.9", "10.0"])
def test_sch_03_another_major_version_is_refused_with_both(version: str) -> None:
    error = refusal(changed(lambda loaded: loaded.update(schema_version=version)))

    assert error.code is Code.DOCUMENT_VERSION
    assert str(error) == (
        f"the document has schema_version {version}, this gepass reads 1.x (it "
        "writes 1.0); export it again or use a gepass of that version"
    )


def test_sec_06_a_version_cannot_forge_a_line() -> None:
    version = '2.0\n{"event":"load_finished"}\x1b[2J'
    error = refusal(changed(lambda loaded: loaded.update(schema_version=version)))

    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON (Expecting value: line 1 column 1 (char 0))"),
        ("[]", "it has no schema_version"),
        ("null", "it has no schema_version"),
        ("{}", "it has no schema_version"),
        ('{"schema_version": 1.0}', "it has no schema_version"),
        ('{"schema_version": "1.0"}', "generator: Field required"),
    ],
)
def test_something_else_is_refused(text: str, reason: str) -> None:
    error = refusal(text)

    assert error.code is Code.DOCUMENT_INVALID
    assert str(error) == f"not a registry document: {reason}"


def test_a_wrong_field_is_named() -> None:
    error = refusal(changed(lambda loaded: first_pass(loaded).pop("stage")))

    assert str(error) == "not a registry document: passes.0.stage: Field required"


@pytest.mark.parametrize("key", ["pass_name", "class_name", "x_new"])
def test_a_document_that_was_changed_is_refused(key: str) -> None:
    loaded = json.loads(document(record()).to_json())
    given = loaded["digest"]
    first_pass(loaded)[key] = "Other"
    found = json.loads(changed(lambda other: first_pass(other).update({key: "Other"})))

    assert str(refusal(json.dumps(loaded))) == (
        f"the digest is {given!r} but the passes give {found['digest']!r}; the "
        "document was changed after it was written, export it again"
    )


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_05_a_deep_document_is_refused(opening: str) -> None:
    error = refusal(opening * 100_000)

    assert str(error).startswith("not a registry document: not JSON (maximum rec")


@pytest.mark.parametrize("depth", [300, 900, 100_000])
def test_json_05_a_deep_unknown_key_is_refused(depth: int) -> None:
    text = document(record()).to_json().decode()
    deep = "[" * depth + "]" * depth
    for key in ("class_name", "generator"):
        error = refusal(text.replace(f'"{key}"', f'"x_new":{deep},"{key}"'))
        assert error.code is Code.DOCUMENT_INVALID


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("key", ["class_name", "generator"])
def test_json_02_what_is_no_json_is_refused(number: str, key: str) -> None:
    text = document(record()).to_json().decode()
    error = refusal(text.replace(f'"{key}"', f'"x_new":{number},"{key}"'))

    assert error.code is Code.DOCUMENT_INVALID


def test_json_02_a_number_beyond_all_numbers_is_refused() -> None:
    text = document(record()).to_json().decode()
    error = refusal(text.replace('"class_name"', '"x_new":1e400,"class_name"'))

    assert error.code is Code.DOCUMENT_INVALID


def test_json_04_a_number_of_thousands_of_digits_is_refused() -> None:
    text = document(record()).to_json().decode()
    error = refusal(text.replace('"line":', '"x_new":' + "9" * 5000 + ',"line":'))

    assert str(error).startswith("not a registry document: not JSON (Exceeds the")


@pytest.mark.parametrize("data", [b"\xff{}", b'{"schema_version":"1.0\xc3"}'])
def test_bytes_that_are_not_utf_8_are_refused(data: bytes) -> None:
    assert refusal(data).code is Code.DOCUMENT_INVALID
