"""Files that changed after they ran, or that the host imported itself (IMP)."""

from __future__ import annotations

import copy
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import internal_modules, names, nothing_stays
from tests.support import Runs, pass_file, write


def changed_message(path: Path, what: str = "changed") -> str:
    """Return the text for a file that differs from what ran."""
    return (
        f"'{path}' {what} after it was loaded; changes are not seen until "
        "gepass.unload() and a new load"
    )


def changed(report: gepass.LoadReport) -> list[str]:
    """Return what a report says about changed files."""
    return [w.message for w in report.warnings if w.code is Code.CHANGED_SINCE_LOADED]


@pytest.mark.parametrize(
    "edited", [["__init__.py", "helper.py"], ["helper.py"], ["__init__.py"]]
)
def test_imp_12_a_second_load_tells_which_files_it_does_not_see_and_unload_mends_it(
    edited: list[str], d: Path, runs: Runs
) -> None:
    old = "from .helper import version; assert version == 'old'"
    init = write(d / "pk" / "__init__.py", pass_file("P", before=old))
    helper = write(d / "pk" / "helper.py", "version = 'old'")
    gepass.load_passes(str(d))
    if "__init__.py" in edited:
        write(init, pass_file("P", before="from .helper import version", after="# new"))
    if "helper.py" in edited:
        write(helper, "version = 'new'\n")

    report = gepass.load_passes(str(d))

    assert [m.status for m in report.modules] == ["already_loaded"]
    assert changed(report) == [changed_message(d / "pk" / name) for name in edited]
    assert runs.files == ["__init__.py"]

    write(init, pass_file("P", before="from .helper import version"))
    write(helper, "version = 'newer'")
    gepass.unload()
    report = gepass.load_passes(str(d))
    package = sys.modules[report.modules[0].module_name]
    assert (package.version, package.helper.version) == ("newer", "newer")
    assert changed(report) == []


def test_imp_12_a_file_that_is_written_again_with_the_same_bytes_has_not_changed(
    d: Path,
) -> None:
    path = write(d / "a.py", pass_file("A"))
    gepass.load_passes(str(d))
    path.unlink()
    write(path, pass_file("A"))

    assert changed(gepass.load_passes(str(d))) == []


def import_as_host(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a file under its plain name, as code outside pass directories does."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    return module


def test_imp_13_a_file_that_the_host_imported_is_named_with_both_modules(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(d / "my_pass.py", pass_file("MP"))
    module = import_as_host(path, monkeypatch)

    with nothing_stays(), pytest.raises(gepass.DuplicatePassError) as caught:
        gepass.load_passes(str(path))

    (record,) = gepass.default_registry().records()
    assert (record.module_name, sys.modules["my_pass"]) == ("my_pass", module)
    assert str(caught.value) == (
        f"the pass name 'MP' is registered twice: first by class Pass, {path}:6, then by "
        f"class Pass, {path}:6; the file is imported as 'my_pass' and as "
        f"{internal_name(path)!r}, import it in one way only"
    )


def test_imp_13_isolated_the_pass_of_the_host_stays(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(d / "my_pass.py", pass_file("MP"))
    import_as_host(path, monkeypatch)
    write(d / "z.py", pass_file("Z"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert names() == ["MP", "Z"]
    assert [(p.code, p.path) for p in report.problems] == [(Code.DUPLICATE_PASS, path)]
    assert internal_modules() == [internal_name(d / "z.py")]


def internal_name(path: Path) -> str:
    """Return the internal module name of a file."""
    (spec,) = gepass.parse_pass_path(str(path))
    return gepass.scan(spec).sources[0].module_name


def test_imp_13_a_copy_of_a_module_is_the_module(d: Path) -> None:
    write(d / "a.py", pass_file("A", after="VALUE = Pass()"))

    (outcome,) = gepass.load_passes(str(d)).modules

    module = sys.modules[outcome.module_name]
    assert type(copy.deepcopy(module.VALUE)) is module.Pass
