"""What ``import gepass`` offers: exactly the names of the contract (design section 4)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import BaseModel, TypeAdapter

import gepass

CONTRACT = {
    "DecomposePass",
    "DuplicatePassError",
    "FusionBasePass",
    "GepassError",
    "LoadReport",
    "ModuleLoadError",
    "ModuleOutcome",
    "ModuleSource",
    "PassKind",
    "PassPathNotFoundError",
    "PassPathSpec",
    "PassPathValueError",
    "PassRegistry",
    "PassStage",
    "PatternFusionPass",
    "Problem",
    "RegistrationRecord",
    "RegistrationTypeError",
    "RegistrationValueError",
    "RegistryDocument",
    "ScanResult",
    "SkippedEntry",
    "__version__",
    "default_registry",
    "export_registry",
    "load_from_environment",
    "load_passes",
    "parse_pass_path",
    "pattern",
    "register_decompose_pass",
    "register_fusion_pass",
    "scan",
    "unload",
}
FIELDS = {
    gepass.PassPathSpec: ["position", "raw", "path", "kind"],
    gepass.ScanResult: ["sources", "skipped"],
    gepass.ModuleSource: ["path", "module_name", "kind", "position"],
    gepass.SkippedEntry: ["path", "reason"],
    gepass.LoadReport: [
        "load_id",
        "specs",
        "modules",
        "skipped",
        "problems",
        "warnings",
        "ok",
    ],
    gepass.ModuleOutcome: [
        "path",
        "module_name",
        "status",
        "sha256",
        "duration_ms",
        "pass_names",
        "error",
        "warnings",
    ],
    gepass.Problem: ["code", "message", "position", "path", "line"],
}
METHODS = ["records", "get", "find", "by_stage", "clear", "__len__", "__iter__"]


def field_names(cls: type[object]) -> list[str]:
    if issubclass(cls, BaseModel):
        return list(cls.model_fields)
    assert is_dataclass(cls)
    return [field.name for field in fields(cls)]


def public_members() -> Iterator[tuple[str, object]]:
    """Return what can be called, with its name: functions, classes, methods."""
    for name in gepass.__all__:
        value: object = getattr(gepass, name)
        if isinstance(value, str):
            continue
        yield name, value
        if not isinstance(value, type):
            continue
        for member, method in vars(value).items():
            if isinstance(method, property):
                method = method.fget  # noqa: PLW2901
            if isinstance(method, (classmethod, staticmethod)):
                method = method.__func__  # noqa: PLW2901
            is_own = inspect.isfunction(method) and not method.__name__.startswith("_")
            if is_own and not member.startswith("_"):
                yield f"{name}.{member}", method


class TestNames:
    def test_the_list_is_sorted_and_equals_reality(self) -> None:
        assert gepass.__all__ == sorted(gepass.__all__)
        reality = {
            name
            for name, value in vars(gepass).items()
            if not name.startswith("_") and not isinstance(value, ModuleType)
        }
        assert set(gepass.__all__) == (reality - {"annotations"}) | {"__version__"}

    def test_the_names_of_the_contract_are_there(self) -> None:
        assert set(gepass.__all__) >= CONTRACT

    def test_a_star_import_brings_them(self) -> None:
        namespace: dict[str, object] = {}
        exec("from gepass import *", namespace)  # noqa: S102
        assert set(namespace) - {"__builtins__"} == set(gepass.__all__)

    def test_the_version_is_one(self) -> None:
        assert re.fullmatch(r"\d+\.\d+\.\d+", gepass.__version__)

    def test_types_are_shipped(self) -> None:
        assert Path(gepass.__file__).with_name("py.typed").is_file()


class TestShapes:
    @pytest.mark.parametrize("cls", FIELDS)
    def test_a_type_has_the_fields_of_the_contract(self, cls: type[object]) -> None:
        names = field_names(cls)

        assert [name for name in names if name in FIELDS[cls]] == FIELDS[cls]

    @pytest.mark.parametrize("cls", FIELDS)
    def test_a_type_is_written_with_all_its_fields(self, cls: type[object]) -> None:
        schema = TypeAdapter(cls).json_schema(mode="serialization")

        assert set(schema["properties"]) == set(field_names(cls))

    def test_a_report_is_written_with_its_verdict(self) -> None:
        report = gepass.load_passes("")
        written = TypeAdapter(gepass.LoadReport).dump_python(report, mode="json")

        assert written["ok"] is report.ok is True
        assert list(written) == field_names(gepass.LoadReport)

    @pytest.mark.parametrize("method", METHODS)
    def test_a_registry_has_the_methods_of_the_contract(self, method: str) -> None:
        assert callable(getattr(gepass.PassRegistry, method))

    def test_values_are_frozen(self) -> None:
        (problem, *_) = gepass.load_passes(":").warnings
        with pytest.raises(AttributeError):
            problem.message = "other"  # type: ignore[misc] # on purpose


def test_everything_public_is_documented() -> None:
    for name, value in public_members():
        assert inspect.getdoc(value), name
