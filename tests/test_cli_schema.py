"""``gepass schema``: the schemas of everything that gepass writes, printed or as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gepass.json_schemas import SchemaName, make_schema, schema_names
from tests.command_line import redirected
from tests.support import Runs, gepass_command, pass_file, write

NAMES = (
    "check-report",
    "load-event",
    "load-report",
    "registration-record",
    "registry-document",
)


def test_without_a_name_the_names_are_listed() -> None:
    done = gepass_command("schema")

    assert done.stdout == "".join(f"{name}\n" for name in NAMES)
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_printed_as_the_library_makes_it(name: SchemaName) -> None:
    done = redirected("", "schema", name)

    assert done.stdout.decode() == make_schema(name)
    assert json.loads(done.stdout)["$id"] == f"urn:gepass:{name}"
    assert (done.stderr, done.code) == ("", 0)


def test_all_schemas_are_written_into_a_directory(tmp_path: Path) -> None:
    write(tmp_path / "load-event.schema.json", "old")

    done = gepass_command("schema", "--write", str(tmp_path))

    assert done.stdout == "".join(f"{tmp_path}/{name}.schema.json\n" for name in NAMES)
    assert (done.stderr, done.returncode) == ("", 0)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        f"{name}.schema.json": make_schema(name) for name in schema_names()
    }


def test_a_missing_directory_is_made(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "schemas"

    done = gepass_command("schema", "--write", str(directory))

    assert done.stdout == "".join(f"{directory}/{name}.schema.json\n" for name in NAMES)
    assert (done.stderr, done.returncode) == ("", 0)
    assert len(list(directory.iterdir())) == len(NAMES)


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    file = write(tmp_path / "file")

    done = gepass_command("schema", "--write", f"{file}/schemas")

    prefix = "gepass: error GP403: cannot write "
    assert done.stderr.startswith(prefix)
    assert done.stderr.endswith(": Not a directory\n")
    assert done.stderr.count("\n") == 1
    assert (done.stdout, done.returncode) == ("", 1)


def test_an_unknown_name_is_wrong_usage() -> None:
    done = gepass_command("schema", "registry")

    listed = ", ".join(f"'{name}'" for name in NAMES)
    error = done.stderr.splitlines()[-1]
    assert error.startswith("Error: Invalid value for '[")
    assert error.endswith(f"]': 'registry' is not one of {listed}.")
    assert (done.stdout, done.returncode) == ("", 2)


def test_no_user_code_runs(d: Path, runs: Runs, tmp_path: Path) -> None:
    path = write(d / "a.py", pass_file("A"))
    env = {"ASCEND_GE_PY_PASS_PATH": str(path), "GEPASS_ON_ERROR": "nonsense"}

    codes = [
        gepass_command("schema", *arguments, env=env).returncode
        for arguments in ((), ("load-report",), ("--write", str(tmp_path)))
    ]

    assert codes == [0, 0, 0]
    assert runs.files == []
