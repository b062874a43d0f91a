"""Pass files as Python modules: what they, and tools, may expect of them (IMP)."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import internal_modules, load_failure, names
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write


def relative_import_message(path: Path, line: int) -> str:
    """Return the text for a relative import in a file that stands alone."""
    return (
        f"'{path}', line {line}: ImportError: relative import in '{path}': files of a "
        "pass directory are independent modules; import the other file by its plain "
        "name, or put both into a package"
    )


def test_imp_02_a_module_is_in_sys_modules_while_it_runs(d: Path) -> None:
    before = """
        from __future__ import annotations
        import sys
        from dataclasses import KW_ONLY, dataclass
        from typing import ClassVar, NamedTuple

        assert vars(sys.modules[__name__]) is globals()

        @dataclass
        class Data:
            shared: ClassVar[int] = 1
            value: int = 2
            _: KW_ONLY = None
            last: int = 3

        assert Data(5, last=4) == Data(value=5, last=4)

        class Pair(NamedTuple):
            left: int
    """
    text = pass_file("Dc", before=before)
    future = "from __future__ import annotations\n"
    write(d / "dc.py", future + text.replace(future, ""))

    gepass.load_passes(str(d))

    assert names() == ["Dc"]


def test_imp_02_a_package_and_its_submodules_are_in_sys_modules_while_they_run(
    d: Path,
) -> None:
    check = "import sys; assert vars(sys.modules[__name__]) is globals()\n"
    write(d / "pk" / "__init__.py", pass_file("P", before=check + "from . import sub"))
    write(d / "pk" / "sub.py", check + "import pk; assert pk.__file__")

    gepass.load_passes(str(d))

    assert names() == ["P"]


def test_imp_03_a_half_built_module_is_gone_and_the_mended_file_runs(
    d: Path, runs: Runs
) -> None:
    bad = write(d / "bad.py", "X = 1\nraise RuntimeError\n")

    error = load_failure(d)

    assert str(error) == f"'{bad}', line 2: RuntimeError"
    assert internal_modules() == []
    write(bad, pass_file("Good"))
    gepass.load_passes(str(d))
    assert (names(), runs.files) == (["Good"], ["bad.py"])


@pytest.mark.parametrize(
    "code",
    [
        "import pk; pk.sub.Pass",
        "import pk.sub; pk.sub.Pass",
        "import pk.sub as s; s.Pass",
        "from pk import sub; sub.Pass",
        "from pk.sub import Pass as P",
        "import importlib; importlib.import_module('pk').sub.Pass",
        "import importlib; importlib.import_module('pk.sub').Pass",
    ],
)
@pytest.mark.parametrize("name", ["a.py", "z.py"])
def test_imp_04_a_submodule_is_an_attribute_of_its_package(
    code: str, name: str, d: Path, runs: Runs
) -> None:
    write(d / "pk" / "__init__.py", "from . import sub")
    write(d / "pk" / "sub.py", pass_file("Sub"))
    write(d / name, pass_file("User", before=code))

    report = gepass.load_passes(str(d))

    assert report.ok
    assert sorted(names()) == ["Sub", "User"]
    assert sorted(runs.files) == sorted(["sub.py", name])


@pytest.mark.parametrize(
    "code", ["from . import helper", "from .helper import x", "from .. import helper"]
)
def test_imp_05_a_relative_import_in_a_file_of_its_own_is_explained(
    code: str, d: Path
) -> None:
    plain = write(d / "plain.py", f"\n{code}")
    write(d / "helper.py", "x = 1")

    error = load_failure(d)

    assert str(error) == relative_import_message(plain, 2)
    assert isinstance(error.__cause__, ImportError)


def test_imp_06_a_dot_in_a_file_name_does_not_reach_the_module_name(d: Path) -> None:
    write(d / "my.pass.py", pass_file("Dot"))

    gepass.load_passes(str(d))

    cls = gepass.default_registry().get_class("Dot")
    assert cls.__module__.startswith("_ge_py_pass_my_pass_")
    assert cls.__module__.isidentifier()
    assert pickle.loads(pickle.dumps(cls)) is cls  # noqa: S301 - made here


def test_imp_06_a_relative_import_in_a_file_with_a_dot_is_explained(d: Path) -> None:
    path = write(d / "my.pass.py", "from . import x")

    error = load_failure(d)

    assert str(error) == relative_import_message(path, 1)


def test_imp_06_a_file_with_a_blank_or_hyphen_is_loaded_and_unremarkable(
    d: Path,
) -> None:
    write(d / "my pass-1.py", pass_file("Blank"))

    report = gepass.load_passes(str(d))

    assert (names(), report.warnings) == (["Blank"], ())


@pytest.mark.parametrize("name", ["v1.2", "my-pkg", "my pkg", "class", "1"])
def test_imp_06_a_package_that_siblings_cannot_name_is_loaded_with_a_warning(
    name: str, d: Path
) -> None:
    init = write(d / name / "__init__.py", pass_file("V", before="from . import sub"))
    write(d / name / "sub.py", "from . import __name__ as parent")

    report = gepass.load_passes(str(d))

    assert names() == ["V"]
    assert [(w.code, w.path, w.message) for w in report.warnings] == [
        (
            Code.NOT_IMPORTABLE,
            init,
            (
                f"'{d / name}': {name!r} is no name that code beside it can import; "
                "the package itself is loaded"
            ),
        ),
        (
            Code.GE_DIFFERS,
            init,
            f"ge_differs: GE cannot import a package called {name!r}",
        ),
    ]


@pytest.mark.parametrize("body", [pass_file("A"), "import sys; sys.nosuch"])
@pytest.mark.parametrize("given", ["directory", "file", "package"])
@pytest.mark.parametrize("is_there", [False, True])
def test_imp_07_sys_path_is_as_before(
    body: str,
    given: str,
    d: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_there: bool,
) -> None:
    file = write(d / ("pk/__init__.py" if given == "package" else "a.py"), body)
    if is_there:
        monkeypatch.setattr(sys, "path", ["", str(d), *sys.path, str(d), ""])
    path, entries = sys.path, list(sys.path)

    gepass.load_passes(str(file if given == "file" else d), on_error="isolate")

    assert sys.path is path
    assert sys.path == entries


def test_imp_07_a_pass_file_sees_the_sys_path_of_the_host(d: Path) -> None:
    write(d / "a.py", "import sys; seen = list(sys.path)")

    (outcome,) = gepass.load_passes(str(d)).modules

    assert sys.modules[outcome.module_name].seen == sys.path


def test_imp_11_nothing_takes_over_a_standard_name(d: Path, runs: Runs) -> None:
    path = write(d / "statistics.py", "mean = 'evil'")
    write(
        d / "z.py",
        pass_file("Z", before="import statistics; assert statistics.mean([1, 3]) == 2"),
    )

    done = python(
        f"""
        import sys, gepass
        assert "statistics" not in sys.modules
        report = gepass.load_passes({str(d)!r})
        import statistics
        assert statistics.mean([1]) == 1
        print(*[w.message for w in report.warnings], sep="\\n")
        """,
        env={RUNS_VARIABLE: str(runs.log)},
    )

    assert done.stdout.splitlines() == [
        (
            f"'{path}' is called like a module of the standard library or of the tools; "
            "code beside it that imports 'statistics' gets that one"
        ),
        (
            f"'{path}' registers no pass and has no effect; "
            "start its name with '_' if it is a helper"
        ),
    ]
    assert runs.files == ["z.py"]
