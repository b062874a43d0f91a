"""Who finds what when code of a pass directory imports a plain name (R14)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import load_failure
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write


def loaded(value: str | Path) -> list[ModuleType]:
    """Load a value and return its modules in scan order."""
    outcomes = gepass.load_passes(str(value)).modules
    return [sys.modules[outcome.module_name] for outcome in outcomes]


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
            f"'import helper' in '{d}' means the file there and hides the installed "
            f"'{other}'; rename it if that is not meant",
        )
    ]


def test_r14_hiding_a_module_of_an_import_hook_is_reported(
    d: Path, tmp_path: Path
) -> None:
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
        f"'import helper' in '{d}' means the file there and hides the installed "
        f"'{other}'; rename it if that is not meant"
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


def test_r14_nobody_outside_finds_them(d: Path, tmp_path: Path, installed: Path) -> None:
    write(installed / "library.py", "def find(): import only_here")
    write(d / "only_here.py")
    write(d / "pk" / "__init__.py")
    write(d / "pk" / "sub.py")
    write(
        d / "a.py",
        """
        import only_here, pk.sub, library
        try:
            library.find()
        except ModuleNotFoundError as error:
            assert error.name == "only_here"
        else:
            assert False
        """,
    )
    write(tmp_path / "e" / "b.py", "def find(): import only_here")

    *_, b = loaded(f"{d}:{tmp_path}/e")

    for name in ("only_here", "pk", "pk.sub", "a"):
        assert name not in sys.modules
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)
    with pytest.raises(ModuleNotFoundError) as caught:
        b.find()
    assert str(caught.value) == "No module named 'only_here'"
    del sys.modules["library"]


@pytest.mark.parametrize("as_files", [False, True])
def test_r14_equal_names_in_two_directories_serve_their_own(
    as_files: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
    runs: Runs,
) -> None:
    for which in "xyz":
        body = f"import helper, pk.sub\nassert helper.W == pk.sub.W == {which!r}"
        late = """
            def late():
                import importlib, _late
                from pk import _deferred
                return _late.W, _deferred.W, importlib.import_module("helper").W
        """
        write(tmp_path / which / "a.py", pass_file(which, before=body, after=late))
        for part in ("helper", "pk/__init__", "pk/sub", "_late", "pk/_deferred"):
            write(tmp_path / which / f"{part}.py", f"W = {which!r}")
    files = "/a.py" if as_files else ""

    modules = loaded(":".join(f"{tmp_path}/{which}{files}" for which in "xyz"))

    users = [module for module in modules if hasattr(module, "late")]
    assert runs.files == ["a.py", "a.py", "a.py"]
    assert [u.late() for u in users] == [(w, w, w) for w in "xyz"]


def test_r14_it_holds_in_threads_that_import_late_and_at_once(tmp_path: Path) -> None:
    runs = tmp_path / "executed"
    note = (
        "import time\n"
        f"with open({str(runs)!r}, 'a') as file: file.write('x')\n"
        "time.sleep(0.01)\n"
    )
    late = (
        "def late():\n import helper; from pk import sub\n return helper.W + sub.W\n"
    )
    for which in "xyz":
        write(tmp_path / which / "a.py", late)
        write(tmp_path / which / "_h.py")
        for part in ("helper", "pk/__init__", "pk/sub"):
            write(tmp_path / which / f"{part}.py", f"{note}W = {which!r}")
    modules = loaded(":".join(f"{tmp_path}/{which}/a.py" for which in "xyz"))
    barrier = threading.Barrier(12)

    def late_in_thread(number: int) -> str:
        barrier.wait(30)
        return str(modules[number % 3].late())

    with ThreadPoolExecutor(12) as pool:
        results = list(pool.map(late_in_thread, range(12)))

    assert results == ["xx", "yy", "zz"] * 4
    assert len(runs.read_text(encoding="utf-8")) == 9


def test_r14_it_holds_in_a_thread_that_a_pass_file_starts_while_it_loads(
    d: Path,
) -> None:
    write(d / "_helper.py", "W = 'own'")
    write(
        d / "a.py",
        """
        import threading
        found = []
        def work():
            import _helper
            found.append(_helper.W)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(30)
        """,
    )

    (module,) = loaded(d)

    assert module.found == ["own"]


def test_r14_a_file_given_alone_finds_what_lies_beside_its_canonical_place(
    d: Path, tmp_path: Path
) -> None:
    write(d / "helper.py", "W = 'real'")
    write(d / "a.py", "import helper")
    write(tmp_path / "links" / "helper.py", "W = 'link'")
    link = tmp_path / "links" / "b.py"
    link.symlink_to(d / "a.py")

    report = gepass.load_passes(str(link))

    (outcome,) = report.modules
    assert sys.modules[outcome.module_name].helper.W == "real"
    assert [(w.code, w.path, w.line, w.message) for w in report.warnings][:1] == [
        (
            Code.GE_DIFFERS,
            d / "a.py",
            1,
            "ge_differs: 'import helper' finds a file beside this one, which GE does "
            "not for a file that is listed by itself; list the directory",
        )
    ]


def test_r14_a_cycle_of_siblings_works_as_python_s_own_does(
    d: Path, runs: Runs
) -> None:
    write(d / "a.py", pass_file("A", before="import b", after="assert b.a is b.A_THEN"))
    write(d / "b.py", pass_file("B", before="import a; A_THEN = a"))

    gepass.load_passes(str(d))

    assert runs.files == ["a.py", "b.py"]


def test_r14_a_helper_that_is_written_while_loading_is_found(d: Path) -> None:
    write(
        d / "a.py",
        f"""
        import importlib, os, pathlib
        found = []
        for number in range(50):
            path = pathlib.Path({str(d)!r}, f"_helper_{{number}}.py")
            stamp = path.parent.stat().st_mtime_ns
            path.write_text(f"W = {{number}}")
            os.utime(path.parent, ns=(stamp, stamp))  # a clock that ticks slowly
            importlib.invalidate_caches()
            found.append(importlib.import_module(path.stem).W)
        """,
    )

    (module,) = loaded(d)

    assert module.found == list(range(50))


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("import nosuch", "ModuleNotFoundError: No module named 'nosuch'"),
        ("import pk.nosuch", "ModuleNotFoundError: No module named 'pk.nosuch'"),
        (
            "import pk.sub.nosuch",
            "ModuleNotFoundError: No module named 'pk.sub.nosuch'; 'pk.sub' is not a "
            "package",
        ),
        (
            "from pk import nosuch",
            "ImportError: cannot import name 'nosuch' from 'pk' ({d}/pk/__init__.py)",
        ),
        (
            "from pk.sub import nosuch",
            "ImportError: cannot import name 'nosuch' from 'pk.sub' ({d}/pk/sub.py)",
        ),
        (
            "import importlib; importlib.import_module('pk.nosuch')",
            "ModuleNotFoundError: No module named 'pk.nosuch'",
        ),
        (
            "import pk; pk.sub.nosuch",
            "AttributeError: module 'pk.sub' has no attribute 'nosuch'",
        ),
    ],
)
def test_r14_messages_show_the_names_that_authors_know(
    code: str, text: str, d: Path
) -> None:
    write(d / "pk" / "__init__.py", "from . import sub")
    write(d / "pk" / "sub.py")
    path = write(d / "a.py", code)

    error = load_failure(d)

    assert str(error) == f"'{path}', line 1: {text.format(d=d)}"


def test_r14_a_fresh_process_that_never_loads_finds_nothing(d: Path, runs: Runs) -> None:
    write(d / "helper.py")
    write(d / "a.py", pass_file("A", before="import helper"))

    done = python(
        f"""
        import sys, gepass
        gepass.load_passes({str(d)!r})
        gepass.unload()
        assert not [name for name in sys.modules if "helper" in name]
        import helper
        """,
        env={RUNS_VARIABLE: str(runs.log)},
    )

    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: No module named 'helper'"
    )
