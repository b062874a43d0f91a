"""Own names of directories stay apart, in threads and from outside (R14)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import load_failure, loaded
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory on ``sys.path``."""
    directory = tmp_path / "installed"
    directory.mkdir()
    monkeypatch.syspath_prepend(directory)
    return directory


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
    tmp_path: Path,
    runs: Runs,
    *,
    as_files: bool,
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
    late = "def late():\n import helper; from pk import sub\n return helper.W + sub.W\n"
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
            (
                "ge_differs: 'import helper' finds a file beside this one, which GE does "
                "not for a file that is listed by itself; list the directory"
            ),
        )
    ]


def test_r14_a_cycle_of_siblings_works_as_python_s_own_does(d: Path, runs: Runs) -> None:
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
            (
                "ModuleNotFoundError: No module named 'pk.sub.nosuch'; 'pk.sub' is not a "
                "package"
            ),
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

    assert done.stderr.splitlines()[-1] == ("ModuleNotFoundError: No module named 'helper'")
