"""What gepass writes fits the schemas that it publishes, to the last key."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

import gepass
from gepass.events import AnyLoadEvent
from gepass.json_schemas import SchemaName, make_schema, schema_names
from gepass.records import DirectOrigin, EntryPointOrigin, EnvironmentOrigin, RecordOrigin
from tests import golden, record_samples
from tests.command_line import one_pass, redirected
from tests.record_samples import Json
from tests.support import python, write

VARIABLE = "ASCEND_GE_PY_PASS_PATH"


def schema(name: SchemaName) -> dict[str, Json]:
    """Return a published schema."""
    content: dict[str, Json] = json.loads(make_schema(name))
    return content


def closed(content: Json) -> Json:
    """Return a schema that forbids every key which it does not name."""
    if isinstance(content, list):
        return [closed(item) for item in content]
    if not isinstance(content, dict):
        return content
    items = {key: closed(value) for key, value in content.items()}
    if "properties" in content and "type" in content:
        items["additionalProperties"] = False
    return items


def faults(name: SchemaName, document: Json) -> list[str]:
    """Return how a document breaks its schema, with unknown keys forbidden."""
    strict = closed(schema(name))
    assert isinstance(strict, dict)
    return [
        f"{fault.json_path}: {fault.message}"
        for content in (schema(name), strict)
        for fault in Draft202012Validator(content).iter_errors(document)
    ]


def objects(content: Json) -> list[dict[str, Json]]:
    """Return the parts of a schema that describe an object with known keys."""
    if isinstance(content, list):
        return [found for item in content for found in objects(item)]
    if not isinstance(content, dict):
        return []
    inner = [found for item in content.values() for found in objects(item)]
    return [content, *inner] if "properties" in content and "type" in content else inner


@pytest.fixture
def various(d: Path) -> Path:
    """Return a directory whose load tells of as many things as possible."""
    write(d / "_skipped.py")
    write(d / "broken.py", 'raise RuntimeError("first\\nsecond")\n')
    write(d / "compiled.py", "def broken(:\n")
    write(d / "duplicate.py", one_pass("Good"))
    write(d / "good.py", one_pass("Good"))
    write(d / "json.py", one_pass("Hides"))
    write(d / "nothing.py", "import gepass\nclass Lost(gepass.FusionBasePass): pass\n")
    write(d / "pack/__init__.py", "from . import part\n" + one_pass("Pack"))
    write(d / "pack/part.py", one_pass("Part"))
    write(d / "plain/a.py", one_pass("Unseen"))
    write(d / "refused.py", one_pass("Refused").replace("BeforeInferShape", "Never"))
    write(d / "v1.2/__init__.py", one_pass("Versioned"))
    write(d / os.fsdecode(b"bytes \xff \\ \n.py"), one_pass("融合"))
    return d


class TestSchemas:
    @pytest.mark.parametrize("name", schema_names())
    def test_are_valid_and_say_what_they_are(self, name: SchemaName) -> None:
        content = schema(name)

        Draft202012Validator.check_schema(content)
        assert content["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert content["$id"] == f"urn:gepass:{name}"

    @pytest.mark.parametrize("name", schema_names())
    def test_sch_02_require_every_key_since_every_key_is_written(
        self, name: SchemaName
    ) -> None:
        """SCH-02: they are serialization schemas."""
        found = objects(schema(name))

        assert found
        for one in found:
            properties, required = one["properties"], one["required"]
            assert isinstance(properties, dict)
            assert isinstance(required, list)
            assert sorted(map(str, required)) == sorted(properties)

    @pytest.mark.parametrize("name", schema_names())
    def test_say_nothing_against_keys_of_a_later_version(self, name: SchemaName) -> None:
        """SCH-01: readers ignore what they do not know, so schemas allow it."""
        assert "additionalProperties" not in make_schema(name)

    def test_bite(self) -> None:
        record = json.loads(record_samples.record().model_dump_json())

        assert faults("registration-record", record) == []
        for key in record:
            rest = {k: v for k, v in record.items() if k != key}
            message = f"$: {key!r} is a required property"
            assert faults("registration-record", rest) == [message, message]
        (fault,) = faults("registration-record", {**record, "myKey": 1})
        assert fault.startswith("$: Additional properties are not allowed ('myKey' was")
        assert faults("registration-record", {**record, "stage": "Never"})


class TestRegistry:
    def test_sch_01_an_export_fits_the_document_and_the_record(self, various: Path) -> None:
        """SCH-01: a real export, with extra keys forbidden."""
        done = redirected("", "export", "--on-error", "isolate", "--path", f"{various}:")

        document = json.loads(done.stdout)
        assert faults("registry-document", document) == []
        assert len(document["passes"]) == 6
        for record in document["passes"]:
            assert faults("registration-record", record) == []

    def test_sch_02_the_keys_are_those_of_the_output(self, d: Path) -> None:
        """SCH-02: computed keys, and no name that the output does not have."""
        path = write(d / "a.py", one_pass("A"))
        document = json.loads(redirected("", "export", "--path", str(path)).stdout)
        (record,) = document["passes"]

        def keys(name: SchemaName) -> list[str]:
            properties = schema(name)["properties"]
            assert isinstance(properties, dict)
            return sorted(properties)

        assert keys("registry-document") == sorted(document)
        assert keys("registration-record") == sorted(record)
        assert {"descriptor_key", "source", "origin"} <= set(record)
        assert "digest" in document

    def test_sch_01_a_document_without_passes_fits(self) -> None:
        document = json.loads(redirected("", "export").stdout)

        assert document["passes"] == []
        assert faults("registry-document", document) == []

    @pytest.mark.parametrize(
        "origin",
        [
            DirectOrigin(),
            EnvironmentOrigin(position=3),
            EntryPointOrigin(distribution="dist", entry_point="name"),
        ],
    )
    def test_sch_01_every_origin_and_kind_fits(self, origin: RecordOrigin) -> None:
        document = record_samples.document(
            record_samples.record("A", origin=origin),
            record_samples.record("B", op_types=("Conv2D",), origin=origin),
        )

        assert faults("registry-document", json.loads(document.to_json())) == []

    def test_sch_01_a_pass_registered_outside_any_file_fits(self) -> None:
        code = """
            import gepass, sys
            class A(gepass.FusionBasePass):
                def run(self, graph, context): return None
            gepass.register_fusion_pass(name="A", stage="BeforeInferShape")(A)
            document = gepass.export_registry(gepass.default_registry())
            sys.stdout.buffer.write(document.to_json())
        """
        document = json.loads(python(code).stdout)

        assert document["passes"][0]["origin"] == {"type": "direct"}
        assert faults("registry-document", document) == []


class TestReport:
    def test_sch_01_a_report_of_many_things_fits(self, various: Path) -> None:
        """SCH-01: modules of every status, skips, problems and warnings."""
        done = redirected(
            "",
            "load",
            *("--json", "--path", f":{various}"),
            env={"GEPASS_UNKNOWN": "1"},
        )

        report = json.loads(done.stdout)
        assert faults("load-report", report) == []
        assert [module["status"] for module in report["modules"]].count("failed") == 4
        assert [problem["code"] for problem in report["problems"]] == [
            "GP201",
            "GP202",
            "GP303",
            "GP302",
        ]
        codes = {warning["code"] for warning in report["warnings"]}
        assert {"GP106", "GP111", "GP205", "GP209", "GP211", "GP215"} <= codes
        assert len(report["skipped"]) == 2
        assert (done.stderr, done.code) == ("", 1)

    def test_sch_01_a_report_of_a_load_that_was_given_up_fits(self, various: Path) -> None:
        for arguments in (
            ("--on-error", "raise", "--path", str(various)),
            ("--path", f"{various}:{various}/missing:{various}/_skipped.py:{various}/b"),
            ("--path", f"{various}/missing"),
        ):
            done = redirected("", "load", "--json", *arguments)

            report = json.loads(done.stdout)
            assert faults("load-report", report) == []
            assert report["problems"]
            assert done.code == 1

    def test_sch_01_an_empty_report_fits(self) -> None:
        assert (
            faults("load-report", json.loads(redirected("", "load", "--json").stdout)) == []
        )

    def test_sch_02_the_keys_are_those_of_the_library_s_report(self) -> None:
        properties = schema("load-report")["properties"]

        assert isinstance(properties, dict)
        assert sorted(properties) == sorted(
            [
                "load_id",
                "specs",
                "modules",
                "skipped",
                "problems",
                "warnings",
                "ok",
            ]
        )


class TestEvents:
    def test_sch_01_every_line_of_every_event_fits(
        self, various: Path, tmp_path: Path
    ) -> None:
        """SCH-01: the whole vocabulary, each line with time and level."""
        log = tmp_path / "log"
        options = ("--log-file", str(log))
        redirected("", "load", *options, "--path", f":{various}")
        redirected("", "load", *options, "--path", f"{various}/missing")
        again = f"""
            from gepass.cli import main
            path = {str(various / "pack" / "part.py")!r}
            for _ in range(2):
                assert main(["load", "--path", path, "--log-file", {str(log)!r}]) == 0
        """
        assert python(again).returncode == 0

        events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        assert [faults("load-event", event) for event in events] == [[]] * len(events)
        union, *_ = get_args(AnyLoadEvent)
        assert {event["event"] for event in events} == {
            field.default
            for kind in get_args(union)
            for field in dataclasses.fields(kind)
            if field.name == "event"
        }

    def test_bite(self) -> None:
        event: dict[str, Json] = {
            "event": "path_segment_dropped",
            "load_id": "0",
            "position": 1,
            "level": "info",
            "timestamp": "2026-01-01T00:00:00Z",
        }

        assert faults("load-event", event) == []
        for changed in (
            {**event, "event": "no_such_event"},
            {**event, "position": "1"},
            {**event, "level": "loud"},
            {**event, "path": "/d"},
            {key: value for key, value in event.items() if key != "timestamp"},
        ):
            assert faults("load-event", changed)


class TestGolden:
    def test_the_documents_are_what_the_plugins_give(self, tmp_path: Path) -> None:
        made = golden.make(tmp_path)

        for name, document in made.items():
            assert document.decode() == (golden.FOLDER / name).read_text(encoding="utf-8")
        written = {path.name for path in golden.FOLDER.glob("*.json")}
        assert written == set(made)

    def test_the_registry_document_can_be_read_and_fits(self) -> None:
        data = (golden.FOLDER / "registry-document.json").read_bytes()

        document = gepass.RegistryDocument.from_json(data)
        assert document.to_json() == data
        assert [record.pass_name for record in document.passes] == [
            "RemoveIdentity",
            "FuseSoftmax",
            "Same",
            "拆分",
            "TuneSoftmax",
        ]
        assert faults("registry-document", json.loads(data)) == []

    def test_the_load_report_fits(self) -> None:
        report = json.loads((golden.FOLDER / "load-report.json").read_bytes())

        assert faults("load-report", report) == []
        assert "a value that no output may hold" not in str(report)
