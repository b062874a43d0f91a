"""Imports go one way, and what only one module may touch is touched by it alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import gepass

ROOT = Path(gepass.__file__).parent
LAYERS = """
    version fork_lock stages path_text errors environ
    path_spec scanning outcomes events logs
    graph.graph graph
    passes.context passes.hooks passes.pickling passes.base passes
    collecting records registry export
    class_checks first_use registration_rules decorators
    ge_differs load_gate collector relative_imports
    importing importing.deadlock importing.undo importing.units importing.lookup
    importing.table importing.failures importing.directories source_warnings
    importing.finder importing.importer importing.classes importing.session
    outcome_events loading process
    gepass
    inspection.report inspection.following inspection.sources inspection.names
    inspection.mirror inspection.registrations inspection.reading inspection.inspected
    inspection.checking inspection
    json_schemas
    cli.output cli.report cli.options cli.schema cli.check cli.export cli.load cli.demo
    cli __main__
"""
"""From the bottom to the top; a module imports only what stands before it."""
ORDER = LAYERS.split()


def modules() -> dict[str, Path]:
    """Return the files of all modules by name without ``gepass.``, examples left out."""
    found: dict[str, Path] = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] != "examples":
            found[".".join(parts).removesuffix("__init__").rstrip(".") or "gepass"] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Return what a module imports when it is imported, type checking left out."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name == "gepass" or name.startswith("gepass."):
                yield _module_of(name.removeprefix("gepass").lstrip("."), known)


def _module_of(name: str, known: dict[str, Path]) -> str:
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name or "gepass"


def attributes(path: Path) -> set[str]:
    """Return the dotted names that a module uses, such as ``os.environ``."""
    return {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def test_every_module_has_its_place() -> None:
    assert sorted(ORDER) == sorted(modules())


def test_imports_go_one_way() -> None:
    known = modules()
    place = {name: index for index, name in enumerate(ORDER)}
    upward = [
        f"{name} imports {other}"
        for name, path in known.items()
        for other in imported(path, known)
        if other != name and place[other] >= place[name]
    ]

    assert upward == []


def test_the_environment_is_read_in_one_place() -> None:
    readers = {
        name
        for name, path in modules().items()
        if attributes(path) & {"os.environ", "os.getenv", "os.environb", "os.putenv"}
    }

    assert readers == {"environ"}


def test_structlog_is_imported_in_one_place() -> None:
    users = {
        name
        for name, path in modules().items()
        if "import structlog" in path.read_text(encoding="utf-8")
    }

    assert users == {"logs"}
