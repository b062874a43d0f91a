"""The documents that are made from the code are in step with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import gepass
from gepass.json_schemas import SchemaName, make_schema, schema_names
from tests import reference

ROOT = Path(__file__).parent.parent


def test_the_reference_page_is_what_the_code_gives() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.render()


@pytest.mark.parametrize("name", schema_names())
def test_the_schemas_in_the_repository_are_what_the_models_give(name: SchemaName) -> None:
    """SCH-01: the published schema is that of the output."""
    written = ROOT / "schemas" / f"{name}.schema.json"

    assert written.read_text(encoding="utf-8") == make_schema(name)


def test_the_schemas_folder_holds_nothing_else() -> None:
    names = {f"{name}.schema.json" for name in schema_names()}

    assert {path.name for path in (ROOT / "schemas").iterdir()} == names


def test_the_schemas_are_in_the_installed_package() -> None:
    package = Path(gepass.__file__).parent

    for name in schema_names():
        text = (package / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
        assert text == make_schema(name)
