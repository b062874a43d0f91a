"""Tools see the files of a pass directory as Python's own modules (R14)."""

from __future__ import annotations

import importlib.util
import inspect
import linecache
import pickle
import pkgutil
import py_compile
import sys
import traceback
import typing
from pathlib import Path

import pytest

import gepass
from tests.process_state import load_failure, loaded
from tests.support import Runs, pass_file, write


def test_r14_classes_and_instances_are_pickled(d: Path) -> None:
    write(
        d / "_helper.py",
        """
        from dataclasses import dataclass
        from enum import Enum
        class Colour(Enum):
            RED = 1
        @dataclass
        class Data:
            value: int
            class Inner: pass
        def function(): pass
        """,
    )
    write(d / "pk" / "__init__.py", "from . import sub")
    write(d / "pk" / "sub.py", "class InSub:\n    pass")
    write(
        d / "a.py",
        """
        from _helper import Colour, Data, function
        import pk.sub
        THINGS = [Data, Data(1), Colour.RED, Data.Inner, function, pk.sub.InSub]
        """,
    )

    a, _ = loaded(d)

    assert pickle.loads(pickle.dumps(a.THINGS)) == a.THINGS  # noqa: S301 - made here


def test_r14_type_hints_are_resolved(d: Path) -> None:
    write(d / "_helper.py", "class Data: pass")
    write(
        d / "a.py",
        """
        from __future__ import annotations
        import dataclasses
        from _helper import Data
        @dataclasses.dataclass(frozen=True)
        class Holder:
            data: Data
            others: list[Data] | None = None
        def function(holder: Holder) -> Data: ...
        """,
    )

    (a,) = loaded(d)

    data, holder = a.Data, a.Holder
    name = f"{data.__module__}.Data"
    hints = typing.get_type_hints(holder)
    assert (hints["data"], str(hints["others"])) == (data, f"list[{name}] | None")
    assert typing.get_type_hints(a.function) == {"holder": holder, "return": data}


def test_r14_source_is_found(d: Path) -> None:
    code = "def function():\n    return 1\n"
    path = write(d / "_helper.py", code)
    write(d / "pk" / "__init__.py", code)
    write(d / "a.py", "from _helper import function\nimport pk, _helper")

    a, _ = loaded(d)

    assert inspect.getsource(a.function) == code
    assert inspect.getsource(a.pk.function) == code
    assert inspect.getsource(a._helper) == code
    assert inspect.getmodule(a.function) is a._helper
    assert inspect.getsourcefile(a.function) == str(path)
    linecache.clearcache()
    assert linecache.getline(str(path), 2, vars(a._helper)) == "    return 1\n"


def test_r14_loaders_tell_what_tools_ask(d: Path) -> None:
    init = write(d / "pk" / "__init__.py", "import pk.sub")
    sub = write(d / "pk" / "sub.py", "X = 1\n")
    write(d / "pk" / "data.txt", "text")

    (package,) = loaded(d)

    spec = importlib.util.find_spec(package.sub.__name__)
    assert spec is not None
    assert spec.origin == str(sub)
    assert spec.parent == package.__name__ == package.sub.__package__
    assert package.sub.__loader__.get_source(package.sub.__name__) == "X = 1\n"
    assert package.__spec__ is not None
    assert package.__spec__.submodule_search_locations == [str(init.parent)]
    assert package.__path__ == [str(init.parent)]
    assert [m.name for m in pkgutil.iter_modules(package.__path__)] == ["sub"]
    assert pkgutil.get_data(package.__name__, "data.txt") == b"text"


def test_r14_package_data_is_read_through_resources(d: Path) -> None:
    write(d / "pk" / "data.txt", "text")
    write(
        d / "pk" / "__init__.py",
        """
        from importlib import resources
        import importlib.resources
        TEXT = resources.files(__package__).joinpath("data.txt").read_text()
        assert importlib.resources.files(__name__).is_dir()
        """,
    )

    (package,) = loaded(d)

    assert package.TEXT == "text"


@pytest.mark.parametrize("by_host", [False, True])
def test_r14_a_helper_is_reloaded_from_its_file(
    d: Path,
    *,
    by_host: bool,
) -> None:
    helper = write(d / "_helper.py", "import _other\nVALUE = 1")
    write(d / "_other.py")
    write(
        d / "a.py",
        "import importlib, _helper\ndef again(): return importlib.reload(_helper)",
    )
    (a,) = loaded(d)
    write(helper, "import _other\nVALUE = 22")

    module = importlib.reload(a._helper) if by_host else a.again()

    assert module is a._helper
    assert module.VALUE == 22
    assert sys.modules[module.__name__] is module


def test_r14_tracebacks_show_file_line_and_source(d: Path) -> None:
    helper = write(d / "_helper.py", "\ndef function():\n    return 1 / 0")
    a_file = write(d / "a.py", "import _helper\ndef run():\n    _helper.function()")
    (a,) = loaded(d)

    with pytest.raises(ZeroDivisionError) as caught:
        a.run()

    frames = traceback.extract_tb(caught.value.__traceback__)[1:]
    assert [(f.filename, f.lineno, f.line) for f in frames] == [
        (str(a_file), 3, "_helper.function()"),
        (str(helper), 3, "return 1 / 0"),
    ]


def test_r14_no_bytecode_is_read_or_written(d: Path, runs: Runs) -> None:
    files = ["a.py", "_helper.py", "pk/__init__.py", "pk/sub.py"]
    for name in files:
        path = write(d / name, "raise SystemExit('poisoned')")
        cached = py_compile.compile(
            str(path), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
        assert cached is not None
        code = "import _helper, pk.sub" if name == "a.py" else ""
        write(path, pass_file(name, before=code))
    caches = {path: path.read_bytes() for path in d.rglob("*.pyc")}
    assert len(caches) == 4

    gepass.load_passes(str(d))

    assert sorted(runs.files) == sorted(Path(name).name for name in files)
    assert {path: path.read_bytes() for path in d.rglob("*.pyc")} == caches


def test_r14_no_cache_directory_appears(d: Path) -> None:
    write(d / "a.py", "import _helper, pk.sub\ndef late(): import _late")
    for name in ("_helper.py", "pk/__init__.py", "pk/sub.py", "_late.py"):
        write(d / name)

    a, *_ = loaded(d)
    a.late()

    assert list(d.rglob("__pycache__")) == []


@pytest.mark.parametrize("code", ["import helper", "def late(): import helper"])
def test_r14_a_pyc_without_source_is_refused(code: str, d: Path) -> None:
    source = write(d / "helper.py", "W = 1")
    compiled = d / "helper.pyc"
    py_compile.compile(str(source), cfile=str(compiled))
    source.unlink()
    path = write(d / "a.py", code)
    reason = (
        f"No module named 'helper'; '{compiled}' has no source, and only source is loaded"
    )

    if code.startswith("import"):
        error = load_failure(d)
        assert str(error) == f"'{path}', line 1: ModuleNotFoundError: {reason}"
    else:
        (a,) = loaded(d)
        with pytest.raises(ModuleNotFoundError) as caught:
            a.late()
        assert str(caught.value) == reason


def test_r14_a_pyc_without_source_in_a_package_is_not_loaded(d: Path) -> None:
    source = write(d / "pk" / "sub.py", "W = 1")
    py_compile.compile(str(source), cfile=str(d / "pk" / "sub.pyc"))
    source.unlink()
    init = write(d / "pk" / "__init__.py", "import pk.sub")

    error = load_failure(d)

    assert str(error).startswith(
        f"'{init}', line 1: ModuleNotFoundError: No module named 'pk.sub'"
    )


@pytest.mark.parametrize(
    "code",
    [
        "import lib.tool\nW = lib.tool.W",
        "from lib import tool\nW = tool.W",
        "from lib.deep.tool import W",
        "import importlib\nW = importlib.import_module('lib.deep.tool').W",
    ],
)
def test_r14_directories_without_init_are_importable(code: str, d: Path) -> None:
    write(d / "lib" / "tool.py", "W = 1")
    write(d / "lib" / "deep" / "tool.py", "from .. import tool\nW = tool.W")
    write(d / "a.py", code)

    (a,) = loaded(d)

    assert a.W == 1


def test_r14_a_name_means_what_python_s_finder_would_take(d: Path) -> None:
    write(d / "both" / "__init__.py", "W = 'package'")
    write(d / "both.py", "W = 'file'")
    write(d / "other" / "inside.py")
    write(d / "other.py", "W = 'file'")
    write(d / "a.py", "import both, other\nW = both.W, other.W")

    a, *_ = loaded(d)

    assert a.W == ("package", "file")


def test_r14_own_code_has_all_of_python_s_builtins(d: Path) -> None:
    write(
        d / "a.py",
        """
        class Base:
            def value(self): return 1
        class Child(Base):
            def value(self): return super().value() + 1
        assert Child().value() == 2 and __build_class__ and __debug__ is True
        assert sorted(print.__name__) and isinstance(__import__, object)
        import builtins
        assert builtins.len is len
        print_ = builtins.__dict__["print"]
        """,
    )

    loaded(d)
