"""Links, pipes, and files that vanish or may not be read (FS)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import (
    load_failure,
    names,
    public_directory,
    python_as_nobody,
)
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write

UNDERSCORE = "the name starts with an underscore"
NOWHERE = "a link that leads nowhere"


def skips(report: gepass.LoadReport) -> dict[str, str]:
    """Return the reason of each skipped entry by its name."""
    return {entry.path.name: entry.reason for entry in report.skipped}


@pytest.mark.parametrize("target", [".", "..", "../.."])
def test_fs_01_a_link_to_the_scanned_directory_or_above_is_skipped(
    target: str, d: Path, runs: Runs
) -> None:
    write(d / "__init__.py", pass_file("Root"))
    write(d.parent / "__init__.py", pass_file("Above"))
    write(d / "m.py", pass_file("M"))
    (d / "selfloop").symlink_to(target)

    report = gepass.load_passes(str(d))

    assert names() == ["M"]
    assert runs.files == ["m.py"]
    assert skips(report) == {
        "__init__.py": UNDERSCORE,
        "selfloop": "a link to the scanned directory or to one above it",
    }


def test_fs_02_links_that_lead_nowhere_are_skipped(d: Path) -> None:
    write(d / "ok.py", pass_file("OK"))
    (d / ".#ok.py").symlink_to("me@host.1:123")
    (d / "dang.py").symlink_to("/nonexistent")
    (d / "loop.py").symlink_to("loop.py")

    report = gepass.load_passes(str(d))

    assert (report.ok, names()) == (True, ["OK"])
    assert skips(report) == {
        ".#ok.py": NOWHERE,
        "dang.py": NOWHERE,
        "loop.py": NOWHERE,
    }


def test_fs_04_a_named_pipe_or_socket_is_not_opened(d: Path, runs: Runs) -> None:
    write(d / "ok.py", pass_file("OK"))
    os.mkfifo(d / "pipe.py")
    os.mknod(d / "socket.py", stat.S_IFSOCK | 0o600)
    (d / "link.py").symlink_to("pipe.py")
    (d / "null.py").symlink_to(os.devnull)

    done = python(
        f"""
        import gepass
        for entry in gepass.load_passes({str(d)!r}).skipped:
            print(entry.path.name, entry.reason, sep=": ")
        """,
        env={RUNS_VARIABLE: str(runs.log)},
        timeout=20,
    )

    assert done.stdout.splitlines() == [
        "link.py: not a regular file",
        "null.py: not a regular file",
        "pipe.py: not a regular file",
        "socket.py: not a regular file",
    ]
    assert runs.files == ["ok.py"]


def test_fs_04_a_sibling_that_imports_a_pipe_does_not_open_it(d: Path, runs: Runs) -> None:
    os.mkfifo(d / "pipe.py")
    path = write(d / "a.py", "import pipe")

    done = python(
        f"""
        import gepass
        for problem in gepass.load_passes({str(d)!r}, on_error="isolate").problems:
            print(problem.message)
        """,
        env={RUNS_VARIABLE: str(runs.log)},
        timeout=20,
    )

    assert done.stdout.splitlines() == [
        f"'{path}', line 1: ModuleNotFoundError: No module named 'pipe'"
    ]


def test_fs_05_a_file_that_vanishes_before_its_turn_fails_as_such(
    d: Path, runs: Runs
) -> None:
    b = d / "b.py"
    write(d / "a.py", pass_file("A", before=f"import os; os.unlink({str(b)!r})"))
    write(b, pass_file("B"))
    write(d / "c.py", pass_file("C"))

    error = load_failure(d)

    assert error.code == Code.MODULE_NOT_READ
    assert str(error) == (f"'{b}' disappeared during the load; restore it and load again")
    assert FileNotFoundError not in type(error).__mro__
    assert runs.files == ["a.py"]


def test_fs_05_isolated_the_others_load(d: Path) -> None:
    b = d / "b.py"
    write(d / "a.py", pass_file("A", before=f"import os; os.unlink({str(b)!r})"))
    write(b, pass_file("B"))
    write(d / "c.py", pass_file("C"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert names() == ["A", "C"]
    assert [(p.code, p.path) for p in report.problems] == [(Code.MODULE_NOT_READ, b)]


def test_fs_10_an_unreadable_entry_is_a_failure_of_that_entry() -> None:
    with public_directory() as directory:
        d = directory / "d"
        write(d / "ok.py", pass_file("OK"))
        write(d / "secret.py", pass_file("Secret")).chmod(0)
        write(d / "locked" / "__init__.py", pass_file("Locked"))
        write(directory / "far" / "away.py", pass_file("Away"))
        (d / "link.py").symlink_to(directory / "far" / "away.py")
        (directory / "far").chmod(0)
        (d / "locked").chmod(0)
        done = python_as_nobody(
            directory,
            """
            path = str(directory / "d")
            try:
                gepass.load_passes(path)
            except gepass.ModuleLoadError as error:
                print(error)
            print(len(gepass.default_registry()))
            report = gepass.load_passes(path, on_error="isolate")
            for problem in report.problems:
                print(problem.code.value, problem.message)
            print([record.pass_name for record in gepass.default_registry()])
            """,
        )

    def message(name: str) -> str:
        return f"'{d}/{name}' cannot be read (Permission denied); mend its permissions"

    assert done.stdout.splitlines() == [
        message("link.py"),
        "0",
        "GP203 " + message("link.py"),
        "GP203 " + message("locked/__init__.py"),
        "GP203 " + message("secret.py"),
        "['OK']",
    ]


@pytest.mark.parametrize("alias", ["alias_pkg", "zz_alias_pkg"])
def test_fs_11_two_names_for_one_package_are_one_package(
    alias: str, d: Path, runs: Runs
) -> None:
    init = write(d / "real_pkg" / "__init__.py", pass_file("RP"))
    (d / alias).symlink_to("real_pkg")
    write(
        d / "z_user.py",
        pass_file(
            "Z",
            before=f"""
                import real_pkg, {alias}
                assert real_pkg is {alias}
            """,
        ),
    )

    report = gepass.load_passes(str(d))

    assert sorted(names()) == ["RP", "Z"]
    assert runs.files == ["__init__.py", "z_user.py"]
    assert [m.path for m in report.modules] == [init, d / "z_user.py"]


def test_fs_13_an_init_file_given_by_itself_is_a_file_of_its_own(
    d: Path, runs: Runs
) -> None:
    init = write(d / "pkg" / "__init__.py", pass_file("P"))

    report = gepass.load_passes(str(init))

    assert (names(), runs.files) == (["P"], ["__init__.py"])
    assert [(m.path, m.status) for m in report.modules] == [(init, "loaded")]


def test_fs_13_its_relative_import_fails_and_says_what_to_give(d: Path) -> None:
    write(d / "pkg" / "sub.py")
    init = write(d / "pkg" / "__init__.py", "from . import sub")

    error = load_failure(init)

    assert str(error) == (
        f"'{init}', line 1: ImportError: relative import in '{init}': files of a pass "
        "directory are independent modules; give its directory's parent instead of the "
        "file, and it is imported as a package"
    )
