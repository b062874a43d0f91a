"""Registration records and registry documents: the JSON that C++ reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from pydantic import ValidationError

import gepass
from gepass.json_schemas import SchemaName, make_schema
from gepass.records import (
    SCHEMA_VERSION,
    DirectOrigin,
    EntryPointOrigin,
    EnvironmentOrigin,
    RecordOrigin,
    RecordSource,
    running_order,
)
from tests.record_samples import Json, document, record
from tests.support import pass_file, write

BRIDGE_KEYS = {
    "descriptor_key",
    "pass_name",
    "module_name",
    "class_name",
    "stage",
    "kind",
    "op_types",
}
ORIGINS: list[RecordOrigin] = [
    EnvironmentOrigin(position=3),
    EntryPointOrigin(distribution="dist", entry_point="plugin"),
    DirectOrigin(),
]


class TestRecord:
    @pytest.mark.parametrize("origin", ORIGINS)
    def test_survives_the_round_trip(self, origin: RecordOrigin) -> None:
        original = record(op_types=("B", "A"), origin=origin)
        text = original.model_dump_json()

        assert gepass.RegistrationRecord.model_validate_json(text) == original

    def test_the_descriptor_key_is_module_class_and_name(self) -> None:
        assert record("Fuse").descriptor_key == "module:Class:Fuse"

    def test_has_the_keys_of_the_bridge_and_two_more(self) -> None:
        dumped = json.loads(record().model_dump_json())

        assert set(dumped) == BRIDGE_KEYS | {"source", "origin"}
        assert set(dumped["source"]) == {"path", "sha256", "line"}

    @pytest.mark.parametrize(
        ("origin", "keys"),
        [
            (ORIGINS[0], {"type", "position"}),
            (ORIGINS[1], {"type", "distribution", "entry_point"}),
            (ORIGINS[2], {"type"}),
        ],
    )
    def test_an_origin_has_the_keys_of_its_type(
        self, origin: RecordOrigin, keys: set[str]
    ) -> None:
        assert set(json.loads(origin.model_dump_json())) == keys

    def test_cannot_be_changed(self) -> None:
        with pytest.raises(ValidationError, match="frozen"):
            record().kind = gepass.PassKind.DECOMPOSE  # type: ignore[misc] # on purpose

    @pytest.mark.parametrize(
        ("kind", "op_types"), [("fusion_base", '["Add"]'), ("decompose", "[]")]
    )
    def test_op_types_go_with_decompose_alone(self, kind: str, op_types: str) -> None:
        text = record().model_dump_json().replace("fusion_base", kind)
        text = text.replace("[]", op_types)
        with pytest.raises(ValidationError, match="op_types go with kind decompose"):
            gepass.RegistrationRecord.model_validate_json(text)

    @pytest.mark.parametrize("name", ["", " a", "a\0b", "a\ud800b", "a\nb"])
    def test_json_01_a_name_that_c_plus_plus_cannot_read_is_refused(
        self, name: str
    ) -> None:
        with pytest.raises(ValidationError):
            record(name)

    def test_producers_are_strict(self) -> None:
        with pytest.raises(ValidationError):
            RecordSource(path="/d/a.py", sha256=None, line="7")  # type: ignore[arg-type] # on purpose
        with pytest.raises(ValidationError):
            RecordSource(path=None, sha256="x", line=0)

    def test_the_place_is_one_line(self) -> None:
        assert record().place == "class Class, /d/a.py:7"


class TestDocument:
    def test_survives_the_round_trip(self) -> None:
        original = document(record("b"), record("a", origin=EnvironmentOrigin(position=0)))
        text = original.to_json()

        assert gepass.RegistryDocument.from_json(text) == original
        assert gepass.RegistryDocument.from_json(text.decode()).to_json() == text

    def test_has_one_record_a_line_and_sorted_keys(self) -> None:
        text = document(record("b"), record("a")).to_json().decode()

        assert text.endswith("}\n")
        lines = text.splitlines()
        assert [json.loads(line.rstrip(","))["pass_name"] for line in lines[3:5]] == [
            "a",
            "b",
        ]
        assert text == text.translate({0x0D: None})
        assert _keys(text) == _sorted_keys(text)

    def test_json_03_no_key_occurs_twice(self) -> None:
        for keys in _keys(document(record("b"), record("a")).to_json().decode()):
            assert len(keys) == len(set(keys))

    def test_an_empty_registry_gives_a_document(self) -> None:
        text = document().to_json()

        digest = hashlib.sha256(b"[]").hexdigest()
        assert json.loads(text) == {
            "digest": f"sha256:{digest}",
            "generator": {"name": "gepass", "version": "1.2.3"},
            "passes": [],
            "schema_version": SCHEMA_VERSION,
        }

    def test_the_digest_is_that_of_the_canonical_passes(self) -> None:
        loaded = json.loads(document(record("融"), record("a")).to_json())
        canonical = json.dumps(
            loaded["passes"], sort_keys=True, ensure_ascii=False, separators=(",", ":")
        )

        digest = hashlib.sha256(canonical.encode()).hexdigest()
        assert loaded["digest"] == f"sha256:{digest}"

    def test_text_is_utf_8_and_readable(self) -> None:
        assert '"pass_name":"融合"'.encode() in document(record("融合")).to_json()

    def test_passes_stand_in_running_order(self) -> None:
        """Stage first, then the bytes of the name (facts 6.2)."""
        late = record("A", stage="AfterOriginGraphOptimize")
        names = ["a", "Z", "pass_2", "pass_10", "\uffee", "\U0001f600", "é"]
        ordered = running_order([late, *map(record, names)])

        assert [entry.pass_name for entry in ordered] == [
            *sorted(names, key=str.encode),
            "A",
        ]
        # As UTF-16 code units the last two would change places.
        assert [entry.pass_name for entry in ordered[-3:-1]] == ["\uffee", "\U0001f600"]

    def test_json_04_digests_are_text_and_numbers_fit_32_bits(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        gepass.load_passes(str(d))
        text = gepass.export_registry(gepass.default_registry()).to_json()

        numbers = [value for value in _values(json.loads(text)) if _is_number(value)]
        assert numbers
        assert all(isinstance(n, int) and 0 <= n < 2**31 for n in numbers)


class TestSchemas:
    """The published schema describes what is written, key for key."""

    @pytest.mark.parametrize("origin", ORIGINS)
    @pytest.mark.parametrize("op_types", [(), ("Add",)])
    def test_sch_01_every_kind_of_record_fits_it(
        self, origin: RecordOrigin, op_types: tuple[str, ...]
    ) -> None:
        made = record(op_types=op_types, origin=origin)

        _check("registration-record", json.loads(made.model_dump_json()))
        _check("registry-document", json.loads(document(made).to_json()))

    def test_sch_01_a_real_export_fits_it(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        gepass.load_passes(str(d))
        exported = gepass.export_registry(gepass.default_registry())

        _check("registry-document", json.loads(exported.to_json()))

    def test_sch_02_computed_keys_are_in_it(self) -> None:
        schema = json.loads(make_schema("registration-record"))
        assert "descriptor_key" in schema["required"]
        assert set(schema["properties"]) == BRIDGE_KEYS | {"source", "origin"}
        assert "digest" in json.loads(make_schema("registry-document"))["required"]


def _check(name: SchemaName, instance: Json) -> None:
    """Validate with unknown keys forbidden and every key required."""
    assert name in {"registration-record", "registry-document"}
    schema = json.loads(
        make_schema("registration-record" if "record" in name else "registry-document")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    for part in [schema, *schema.get("$defs", {}).values()]:
        if "properties" in part:
            part["additionalProperties"] = False
    jsonschema.Draft202012Validator(schema).validate(instance)


def _keys(text: str) -> list[list[str]]:
    keys: list[list[str]] = []

    def note(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        keys.append([key for key, _ in pairs])
        return dict(pairs)

    json.loads(text, object_pairs_hook=note)
    return keys


def _sorted_keys(text: str) -> list[list[str]]:
    return [sorted(keys) for keys in _keys(text)]


def _values(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    else:
        yield value


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
