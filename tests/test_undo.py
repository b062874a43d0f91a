"""What a failing module changed is undone, and only that (R12)."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import pytest

import gepass
from tests.process_state import (
    internal_modules,
    load_failure,
    loaded,
    names,
    nothing_stays,
)
from tests.support import Runs, pass_file, write


def modules_by_file() -> list[str]:
    """Return the file names of all loaded modules of pass files."""
    return sorted(
        str(sys.modules[name].__file__).rpartition("/")[2] for name in internal_modules()
    )


def test_r12_helpers_of_a_failing_module_go_and_those_of_others_stay(d: Path) -> None:
    for helper in ("_good.py", "_bad.py", "_both.py"):
        write(d / helper)
    write(d / "a_good.py", pass_file("G", before="import _good, _both"))
    write(d / "b_bad.py", pass_file("B", before="import _bad, _both", after="1/0"))
    write(d / "c_good.py", pass_file("C"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert [m.status for m in report.modules] == ["loaded", "failed", "loaded"]
    assert names() == ["G", "C"]
    assert modules_by_file() == ["_both.py", "_good.py", "a_good.py", "c_good.py"]


def test_r12_a_helper_that_went_runs_again_for_the_next_one(d: Path, runs: Runs) -> None:
    write(d / "_helper.py", pass_file("H"))
    write(d / "a_bad.py", "import _helper; 1/0")
    write(d / "b_good.py", pass_file("B", before="import _helper"))

    gepass.load_passes(str(d), on_error="isolate")

    assert runs.files == ["_helper.py", "b_good.py", "_helper.py"]
    assert names() == ["H", "B"]
    assert modules_by_file() == ["_helper.py", "b_good.py"]


def test_r12_registrations_go_wherever_they_were_made(d: Path) -> None:
    write(d / "_helper.py", pass_file("H", after="def make():\n    " + "import _deep"))
    write(d / "_deep.py", pass_file("Deep"))
    thread = """
        import threading, _helper
        thread = threading.Thread(target=_helper.make)
        thread.start()
        thread.join(30)
        raise LookupError("late")
    """
    path = write(d / "a.py", pass_file("A", after=thread))

    error = load_failure(d)

    assert str(error) == f"'{path}', line 15: LookupError: late"
    assert error.report is not None
    assert error.report.modules[0].pass_names == ()


def test_r12_a_function_of_a_failed_module_registers_nothing_in_that_load(
    d: Path,
) -> None:
    register = pass_file("Later").replace("\n", "\n    ")
    write(
        d / "a.py",
        f"import sys\ndef register():\n    {register}\nsys.of_test = register\n1/0",
    )
    b = write(d / "b.py", "import sys\nsys.of_test()")

    report = gepass.load_passes(str(d), on_error="isolate")

    del vars(sys)["of_test"]
    assert names() == []
    assert report.problems[1].path == d / "a.py"
    # Python 3.10 tells the line of the class, not that of its decorator.
    line = 8 if sys.version_info >= (3, 11) else 9
    assert report.problems[1].message == (
        f"'{d}/a.py', line {line}: RegistrationValueError: the module that registers "
        f"'Later' failed; nothing of it stays (imported by '{b}')"
    )


@pytest.mark.parametrize(
    "change",
    [
        "import sys; sys.path.insert(0, '/new')",
        "import sys; sys.path.append('/new')",
        "import sys; sys.path[1:1] = ['/new', '/newer']",
        "import sys; sys.path += sys.path",
        "import sys; sys.path.insert(0, sys.path[-1])",
        "import sys; sys.path.append(sys.path[0])",
        "import sys, pathlib; sys.path.append(pathlib.Path('/new'))",
        "import sys; sys.path = ['/new', *sys.path]",
        "import site; site.addsitedir('/new')",
        "import sys; sys.meta_path.insert(0, type('F', (), {})())",
        "import sys; sys.meta_path.append(sys.meta_path[-1])",
        "import sys; sys.meta_path.insert(0, sys.meta_path[-1])",
        "import warnings; warnings.simplefilter('ignore')",
        "import warnings; warnings.simplefilter('ignore', FutureWarning, append=True)",
        "import warnings; warnings.filterwarnings('ignore', 'text', module='m')",
        "import warnings; warnings.simplefilter('error')",
        "import warnings; warnings.filters.insert(0, warnings.filters[-1])",
    ],
)
@pytest.mark.parametrize("where", ["the file", "a helper", "a package"])
def test_r12_entries_that_were_added_are_removed_and_no_others(
    where: str, change: str, d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", ["", "/host", *sys.path, "/host"])
    warnings.simplefilter("default", FutureWarning)
    if where == "a helper":
        write(d / "_helper.py", change)
        write(d / "a.py", "import _helper; 1/0")
    else:
        write(d / ("a.py" if where == "the file" else "pk/__init__.py"), f"{change}; 1/0")

    load_failure(d)
    with nothing_stays():
        report = gepass.load_passes(str(d), on_error="isolate")

    assert [p.message.partition(": ")[2] for p in report.problems] == [
        "ZeroDivisionError: division by zero"
    ]


def test_r12_what_a_good_module_added_stays(d: Path) -> None:
    write(d / "a.py", "import sys; sys.path.append('/a')")
    write(d / "b.py", "import sys; sys.path.append('/b'); 1/0")
    write(d / "c.py", "import sys; sys.path.insert(0, '/c')")
    before = list(sys.path)

    gepass.load_passes(str(d), on_error="isolate")

    assert sys.path == ["/c", *before, "/a"]


def test_r12_raise_removes_what_the_good_modules_before_it_added(d: Path) -> None:
    write(d / "a.py", pass_file("A", after="import sys; sys.path.append('/a')"))
    write(d / "b.py", "1/0")

    load_failure(d)


def test_r12_a_filter_that_is_gone_has_no_effect(d: Path) -> None:
    write(d / "a.py", "import warnings; warnings.simplefilter('ignore'); 1/0")

    def warn() -> None:
        warnings.warn("text", UserWarning, stacklevel=1)

    with pytest.raises(UserWarning):
        warn()
    load_failure(d)
    with pytest.raises(UserWarning):
        warn()


def test_r12_the_attribute_on_the_parent_package_goes(d: Path) -> None:
    write(d / "a_pk" / "__init__.py")
    write(d / "a_pk" / "extra.py")
    write(d / "a_pk" / "broken.py", "import _only_broken; 1/0")
    write(d / "_only_broken.py")
    write(d / "b.py", "import a_pk.extra; 1/0")
    write(d / "c.py", "try: import a_pk.broken\nexcept ZeroDivisionError: pass")

    report = gepass.load_passes(str(d), on_error="isolate")

    package = sys.modules[report.modules[0].module_name]
    assert [m.status for m in report.modules] == ["loaded", "failed", "loaded"]
    assert modules_by_file() == ["__init__.py", "c.py"]
    assert not hasattr(package, "extra")
    assert not hasattr(package, "broken")


def test_r12_a_failed_submodule_leaves_nothing_in_a_package_that_goes_on(
    d: Path, runs: Runs
) -> None:
    write(
        d / "pk" / "__init__.py",
        pass_file("P", before="try: from . import broken\nexcept ZeroDivisionError: pass"),
    )
    write(d / "pk" / "helper.py", "import sys; sys.path.append('/helper')")
    write(d / "pk" / "broken.py", pass_file("Broken", before="from . import helper; 1/0"))

    path = list(sys.path)

    report = gepass.load_passes(str(d))

    package = sys.modules[report.modules[0].module_name]
    assert (report.ok, names()) == (True, ["P"])
    assert internal_modules() == [package.__name__]
    assert not hasattr(package, "broken")
    assert not hasattr(package, "helper")
    assert runs.files == ["__init__.py", "broken.py"]
    assert sys.path == path


def test_r12_a_late_import_that_fails_is_undone_and_tried_again(
    d: Path, runs: Runs
) -> None:
    write(d / "a.py", "def late(): import _broken")
    change = "import sys, _helper; sys.path.append('/new')"
    write(d / "_broken.py", pass_file("Broken", before=change, after="1/0"))
    write(d / "_helper.py", pass_file("Helper"))
    (module,) = loaded(d)

    for _ in range(2):
        with nothing_stays(), pytest.raises(ZeroDivisionError):
            module.late()

    assert runs.files == ["_broken.py", "_helper.py"] * 2


def test_r12_a_late_import_that_registers_a_name_twice_is_undone(d: Path) -> None:
    write(d / "a.py", pass_file("A", after="def late(): import _late"))
    late = write(d / "_late.py", pass_file("New", after=pass_file("A")))
    (module,) = loaded(d)

    with nothing_stays(), pytest.raises(gepass.DuplicatePassError) as caught:
        module.late()

    assert str(caught.value) == (
        f"the pass name 'A' is registered twice: first by class Pass, {d}/a.py:6, then "
        f"by class Pass, {late}:15; give one of them another name"
    )


def test_r12_modules_are_told_apart_by_identity(d: Path) -> None:
    write(d / "_helper.py")
    write(d / "_stay.py")
    write(d / "a_good.py", "import _stay")
    path = write(
        d / "b.py",
        """
        import sys, types, _helper, _stay
        replaced = types.ModuleType("replaced")
        sys.modules[_helper.__name__] = replaced
        1/0
        """,
    )

    report = gepass.load_passes(str(d), on_error="isolate")

    (name,) = [key for key, value in sys.modules.items() if value.__name__ == "replaced"]
    del sys.modules[name]
    assert report.problems[0].path == path
    assert modules_by_file() == ["_stay.py", "a_good.py"]


def test_r12_standard_and_installed_modules_stay(
    d: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "installed" / "library_of_test.py")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    sys.modules.pop("colorsys", None)
    write(d / "a.py", "import colorsys, library_of_test; 1/0")

    load_failure(d)

    assert "colorsys" in sys.modules
    assert sys.modules.pop("library_of_test").__file__


def test_r12_environment_and_working_directory_are_not_undone(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(d)
    monkeypatch.setenv("OF_TEST", "before")
    write(d / "a.py", "import os; os.chdir('/'); os.environ['OF_TEST'] = 'after'; 1/0")

    load_failure(d)

    assert (str(Path.cwd()), os.environ["OF_TEST"]) == ("/", "after")
