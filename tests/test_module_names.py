"""The internal name of a module (R8)."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import gepass
from tests.process_state import internal_modules, names
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write


def digest(path: Path) -> str:
    """Return the last part of an internal name."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def test_r8_the_name_is_made_of_the_canonical_path(d: Path, tmp_path: Path) -> None:
    path = write(d / "my file-1.py")
    (tmp_path / "link.py").symlink_to(path)

    (outcome,) = gepass.load_passes(f"{tmp_path}/link.py").modules

    assert outcome.path == path
    assert outcome.module_name == f"_ge_py_pass_my_file_1_{digest(path)}"


def test_r8_a_package_has_its_directory_s_name_and_its_init_s_hash(
    d: Path, tmp_path: Path
) -> None:
    init = write(tmp_path / "real" / "__init__.py", "from . import sub\nfrom .in_ import x")
    write(init.parent / "sub.py")
    write(init.parent / "in_" / "__init__.py")
    write(init.parent / "in_" / "x.py")
    (d / "alias").symlink_to(init.parent)

    gepass.load_passes(str(d))

    name = f"_ge_py_pass_real_{digest(init)}"
    parts = ["", ".in_", ".in_.x", ".sub"]
    assert sorted(internal_modules()) == [f"{name}{part}" for part in parts]


def test_r8_it_is_dunder_name_record_and_only_key_and_stays(d: Path) -> None:
    write(d / "_helper.py", "import sys; ME = sys.modules[__name__]")
    write(d / "a.py", pass_file("A", before="import _helper; NAME = __name__"))

    (outcome,) = gepass.load_passes(str(d)).modules

    module = sys.modules[outcome.module_name]
    (record,) = gepass.default_registry()
    cls = gepass.default_registry().get_class("A")
    assert module.__name__ == module.NAME == outcome.module_name
    assert record.module_name == cls.__module__ == outcome.module_name
    assert record.descriptor_key == f"{outcome.module_name}:Pass:A"
    for one in (module, module._helper):
        keys = [key for key, value in sys.modules.items() if value is one]
        assert keys == [one.__name__]
    gepass.default_registry().clear()
    assert sys.modules[outcome.module_name] is module


def test_r8_the_name_is_the_same_in_every_process(d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A"))
    write(d / "pk" / "__init__.py", pass_file("P"))
    code = f"""
        import json, gepass
        modules = gepass.load_passes({str(d)!r}).modules
        print(json.dumps([outcome.module_name for outcome in modules]))
    """

    outputs = [
        python(code, env={RUNS_VARIABLE: str(runs.log), "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    ]

    here = [outcome.module_name for outcome in gepass.load_passes(str(d)).modules]
    assert [json.loads(output) for output in outputs] == [here, here]


@dataclass(frozen=True)
class Spelling:
    """A stem, and the readable part of the internal name that it gives."""

    stem: str
    readable: str


@pytest.mark.parametrize(
    "spelling",
    [
        Spelling("a-b", "a_b"),
        Spelling("a.b", "a_b"),
        Spelling("1", "1"),
        Spelling("class", "class"),
        Spelling("é", "é"),
        Spelling("矩阵", "矩阵"),
        Spelling("a\nb", "a_b"),
        Spelling("\udcff", "_"),
        Spelling("😀", "_"),
    ],
    ids=lambda spelling: ascii(spelling.stem),
)
def test_r8_every_name_is_an_identifier(spelling: Spelling, d: Path) -> None:
    path = write(d / f"{spelling.stem}.py", pass_file("A"))

    (outcome,) = gepass.load_passes(str(d)).modules

    assert outcome.module_name == f"_ge_py_pass_{spelling.readable}_{digest(path)}"
    assert outcome.module_name.isidentifier()


def test_r8_names_that_read_alike_do_not_collide(d: Path) -> None:
    for number, stem in enumerate(["a-b", "a.b", "a b", "a_b", "a+b"]):
        write(d / f"{stem}.py", pass_file(f"P{number}"))

    report = gepass.load_passes(str(d))

    assert len({m.module_name for m in report.modules}) == 5
    assert len(names()) == 5
