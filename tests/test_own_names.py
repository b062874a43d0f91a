"""What code of a pass directory finds when it imports a plain name (R14)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import loaded
from tests.support import Runs, pass_file, write


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory on ``sys.path``."""
    directory = tmp_path / "installed"
    directory.mkdir()
    monkeypatch.syspath_prepend(directory)
    return directory


FORMS = [
    "import pk.sub\nFOUND = pk.sub",
    "import pk.sub as FOUND",
    "from pk import sub as FOUND",
    "from pk import *\nFOUND = sub",
    "from pk.sub import ME as FOUND",
    "FOUND = __import__('pk.sub').sub",
    "FOUND = __import__('pk.sub', fromlist=['x'])",
    "FOUND = __import__('pk', globals(), locals(), ['sub'], 0).sub",
    "import importlib\nFOUND = importlib.import_module('pk.sub')",
    "import importlib\nFOUND = importlib.import_module('pk').sub",
    "import importlib\nFOUND = importlib.import_module('.sub', 'pk')",
    "import importlib\nFOUND = importlib.import_module(package='pk', name='.sub')",
    "import importlib.util\nFOUND = importlib.import_module('pk.sub')",
    "import importlib as i, importlib.util as u\nFOUND = i.import_module('pk.sub')",
    "from importlib import import_module\nFOUND = import_module('pk.sub')",
    "from importlib import import_module as load\nFOUND = load('pk.sub')",
    "from importlib import *\nFOUND = import_module('pk.sub')",
    "exec('import pk.sub as FOUND')",
    "FOUND = eval('__import__(\"pk.sub\").sub')",
    "space = {}\nexec('import pk.sub as FOUND', space)\nFOUND = space['FOUND']",
    "import importlib\n[FOUND] = map(importlib.import_module, ['pk.sub'])",
]


def indented(code: str) -> str:
    """Return code as the body of a block."""
    return code.replace("\n", "\n    ")


@pytest.mark.parametrize("form", FORMS)
def test_r14_every_form_of_import_finds_the_directory_s_own_package(
    form: str, d: Path
) -> None:
    write(d / "_package" / "__init__.py")
    write(d / "pk" / "__init__.py", "__all__ = ['sub']\nfrom . import sub")
    sub = write(d / "pk" / "sub.py", "import sys\nME = sys.modules[__name__]")
    write(d / "a.py", form)

    first, _ = loaded(d)

    assert first.FOUND.__file__ == str(sub)


@pytest.mark.parametrize(
    "form", [form for form in FORMS if "*" not in form and "exec('import" not in form]
)
def test_r14_every_form_of_import_finds_it_later_inside_a_function(
    form: str, d: Path
) -> None:
    write(d / "_pk" / "__init__.py", "from . import sub")
    sub = write(d / "_pk" / "sub.py", "import sys\nME = sys.modules[__name__]")
    code = indented(form.replace("pk", "_pk"))
    write(d / "a.py", f"def find():\n    {code}\n    return FOUND")

    (module,) = loaded(d)

    assert module.find().__file__ == str(sub)
    assert module.find() is module.find()


@pytest.mark.parametrize(
    "code",
    [
        "import pk.inner.deep as found",
        "from pk.inner import deep as found",
        "from pk import deep as found",
        "import pk; found = pk.deep",
    ],
)
def test_r14_packages_import_themselves_relatively_and_absolutely(
    code: str, d: Path, runs: Runs
) -> None:
    write(d / "pk" / "__init__.py", pass_file("P", before="from .inner import deep"))
    write(d / "pk" / "inner" / "__init__.py", "from ..base import Base")
    write(
        d / "pk" / "inner" / "deep.py",
        pass_file("Deep", before="from .. import base\nfrom ..base import Base"),
    )
    write(
        d / "pk" / "base.py",
        "import pk.other\nfrom pk import other\nclass Base: value = pk.other.V",
    )
    write(d / "pk" / "other.py", "V = 1")
    write(d / "z.py", pass_file("Z", before=f"{code}\nassert found.Base.value == 1"))

    gepass.load_passes(str(d))

    assert runs.files == ["__init__.py", "deep.py", "z.py"]


def test_r14_the_standard_library_comes_before_own_names(d: Path) -> None:
    write(d / "json" / "__init__.py", pass_file("J", before="import json; json.dumps"))
    write(d / "statistics.py", "import statistics; assert statistics.mean([1, 3]) == 2")
    write(d / "_ast.py", "1/0")
    write(d / "sys.py", "import sys; assert sys.path")
    write(d / "a.py", "import json, statistics, _ast, sys, importlib\nassert _ast.Add")
    write(d / "b.py", "from importlib import import_module as f\nf('json').dumps")

    report = gepass.load_passes(str(d))

    assert report.ok
    assert len(report.modules) == 5


def test_r14_gepass_ge_and_main_always_mean_themselves(d: Path) -> None:
    for name in ("gepass", "ge", "__main__"):
        write(d / f"{name}.py", "NOT_ME = True")
        write(d / f"_{name}" / "__init__.py")
    write(
        d / "a.py",
        """
        import gepass, __main__
        assert not hasattr(gepass, "NOT_ME") and not hasattr(__main__, "NOT_ME")
        assert gepass.load_passes
        try:
            import ge
        except ModuleNotFoundError as error:
            assert error.name == "ge"
        else:
            assert not hasattr(ge, "NOT_ME")
        """,
    )

    report = gepass.load_passes(str(d))

    assert [w.message for w in report.warnings if w.code is Code.NOT_IMPORTABLE] == [
        f"'{d}/{name}.py' is called like a module of the standard library or of the "
        f"tools; code beside it that imports {name!r} gets that one"
        for name in ("ge", "gepass")
    ]


def test_r14_own_names_come_before_installed_ones_and_that_is_reported(
    d: Path, installed: Path
) -> None:
    other = write(installed / "helper.py", "WHO = 'installed'")
    write(d / "_helper.py")
    write(d / "helper.py", "WHO = 'own'")
    write(d / "a.py", pass_file("A", before="import helper; assert helper.WHO == 'own'"))

    report = gepass.load_passes(str(d))

    assert importlib.import_module("helper").WHO == "installed"
    del sys.modules["helper"]
    assert [(w.path, w.message) for w in report.warnings if w.code == "GP210"] == [
        (
            d,
            (
                f"'import helper' in '{d}' means the file there and hides the installed "
                f"'{other}'; rename it if that is not meant"
            ),
        )
    ]


def test_r14_hiding_a_module_of_an_import_hook_is_reported(d: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "far" / "helper.py")

    class Hook(MetaPathFinder):
        def find_spec(
            self, fullname: str, *_: object
        ) -> importlib.machinery.ModuleSpec | None:
            if fullname != "helper":
                return None
            return importlib.util.spec_from_file_location(fullname, other)

    hook = Hook()
    write(d / "helper.py")
    write(d / "a.py", "import helper")

    sys.meta_path.append(hook)
    try:
        report = gepass.load_passes(str(d))
    finally:
        sys.meta_path.remove(hook)

    assert [w.message for w in report.warnings if w.code == "GP210"] == [
        (
            f"'import helper' in '{d}' means the file there and hides the installed "
            f"'{other}'; rename it if that is not meant"
        )
    ]


@pytest.mark.parametrize("name", ["own_only", "json"])
def test_r14_a_name_that_hides_nothing_installed_is_not_reported(
    name: str, d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(d)
    write(d / f"{name}.py")
    write(d / "a.py", f"import {name}")

    report = gepass.load_passes(str(d))

    assert [w.message for w in report.warnings if w.code == "GP210"] == []


def test_r14_what_is_not_in_the_directory_is_what_is_installed(
    d: Path, installed: Path
) -> None:
    write(installed / "fancy_library" / "__init__.py", "WHO = 'installed'")
    write(d / "a.py", "import fancy_library as f; from fancy_library import WHO")

    (module,) = loaded(d)

    assert sys.modules.pop("fancy_library") is module.f
