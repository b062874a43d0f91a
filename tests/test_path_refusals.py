"""Segments that cannot be used, and how that is told (R3, R4, PATH)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

import gepass
from gepass.environ import OnError
from gepass.errors import Code
from tests.process_state import nothing_stays, public_directory, python_as_nobody
from tests.support import Runs, pass_file, write

VARIABLE = "ASCEND_GE_PY_PASS_PATH"
ADVICE = "give an existing directory or .py file"


def refusal(value: str) -> gepass.PassPathError:
    """Return the error for a value that must be refused."""
    with nothing_stays(), pytest.raises(gepass.PassPathError) as caught:
        gepass.load_passes(value)
    return caught.value


def test_path_03_the_format_is_a_colon_list_and_nothing_else(tmp_path: Path) -> None:
    d1, d2 = tmp_path / "d1", tmp_path / "d2"
    d1.mkdir()
    d2.mkdir()
    json_list = f'["{d1}","{d2}"]'

    assert [s.path for s in gepass.parse_pass_path(f"{d1}:{d2}")] == [d1, d2]
    error = refusal(json_list)
    assert isinstance(error, FileNotFoundError)
    assert str(error) == f"{VARIABLE}[0]: '{json_list}' does not exist; {ADVICE}"


def test_path_05_a_home_that_nobody_has_is_named(d: Path) -> None:
    error = refusal(f"{d}:~no_such_user/p.py")

    assert isinstance(error, FileNotFoundError)
    assert str(error) == (
        f"{VARIABLE}[1]: '~no_such_user/p.py' starts with ~ but no such home is known "
        f"(a segment of '{d}:~no_such_user/p.py'); {ADVICE}"
    )


def test_path_06_a_split_directory_name_is_shown_with_position_and_value(
    d: Path,
) -> None:
    write(d / "v1:beta" / "a.py", pass_file("A"))
    value = f"{d}/v1:beta"

    error = refusal(value)

    assert isinstance(error, FileNotFoundError)
    assert [problem.position for problem in error.problems] == [0, 1]
    context = f"(a segment of '{value}'); {ADVICE}"
    assert str(error) == (
        f"{VARIABLE}[0]: '{d}/v1' does not exist {context}\n"
        f"{VARIABLE}[1]: 'beta' does not exist {context}"
    )


@pytest.mark.parametrize(
    "name", ["libfoo.so", "a.pyc", "a.txt", "a.PY", "a.py.bak", "a", ".py"]
)
def test_path_10_a_file_without_py_is_refused_before_anything_runs(
    name: str, d: Path, runs: Runs
) -> None:
    good = write(d / "good.py", pass_file("Good"))
    path = write(d / name, b"\x7fELF")
    value = f"{good}:{path}"

    error = refusal(value)

    assert isinstance(error, ValueError)
    assert error.code == Code.PATH_NOT_PYTHON
    assert str(error) == (
        f"{VARIABLE}[1]: '{path}' is a file that does not end in .py "
        f"(a segment of '{value}'); {ADVICE}"
    )
    assert runs.files == []


def _fifo(d: Path) -> str:
    os.mkfifo(d / "pipe.py")
    return f"{d}/pipe.py"


def _socket(d: Path) -> str:
    os.mknod(d / "socket.py", stat.S_IFSOCK | 0o600)
    return f"{d}/socket.py"


def _loop(d: Path) -> str:
    (d / "x.py").symlink_to(d / "y.py")
    (d / "y.py").symlink_to(d / "x.py")
    return f"{d}/x.py"


def _dangling(d: Path) -> str:
    (d / "x.py").symlink_to(d / "nowhere.py")
    return f"{d}/x.py"


def _through_file(d: Path) -> str:
    return f"{write(d / 'a.py')}/b.py"


def _missing(d: Path) -> str:
    return f"{d}/a.py"


def _device(_: Path) -> str:
    return os.devnull


def _long_name(d: Path) -> str:
    return f"{d}/{'x' * 300}.py"


def _long_path(d: Path) -> str:
    return f"{d}{'/x' * 3000}.py"


THROUGH_FILE = "does not exist (it goes through a file)"
NOT_REGULAR = "is not a regular file and no directory"


@pytest.mark.parametrize(
    ("make", "parent", "code", "reason"),
    [
        (_missing, FileNotFoundError, "GP101", "does not exist"),
        (_dangling, FileNotFoundError, "GP101", "does not exist"),
        (_through_file, FileNotFoundError, "GP101", THROUGH_FILE),
        (_fifo, ValueError, "GP103", NOT_REGULAR),
        (_socket, ValueError, "GP103", NOT_REGULAR),
        (_device, ValueError, "GP103", NOT_REGULAR),
        (_loop, ValueError, "GP104", "is a loop of links"),
        (_long_name, ValueError, "GP104", "is too long for a path"),
        (_long_path, ValueError, "GP104", "is too long for a path"),
    ],
)
def test_r3_what_cannot_be_loaded_is_refused_with_its_reason(
    make: Callable[[Path], str], parent: type, code: str, reason: str, d: Path
) -> None:
    segment = make(d)

    error = refusal(segment)

    assert isinstance(error, parent)
    assert str(error) == f"{VARIABLE}[0]: '{segment}' {reason}; {ADVICE}"
    (problem,) = error.problems
    assert (error.code, problem.code) == (code, code)
    assert (problem.position, problem.path) == (0, Path(segment))
    assert problem.message == str(error)


def test_r3_a_nul_byte_is_refused(d: Path) -> None:
    with pytest.raises(ValueError, match="embedded null") as lookup:
        os.path.realpath("a\0.py", strict=True)

    error = refusal(f"{d}/a\0.py")

    assert isinstance(error, ValueError)
    assert str(error) == (
        f"{VARIABLE}[0]: '{d}/a\\x00.py' cannot be a path ({lookup.value}); {ADVICE}"
    )
    assert (error.code, error.problems[0].path) == (Code.PATH_UNUSABLE, None)


def test_r3_what_may_not_be_read_is_refused() -> None:
    with public_directory() as directory:
        write(directory / "secret.py", pass_file("S")).chmod(0)
        write(directory / "locked" / "a.py", pass_file("A"))
        for name in ("locked", "no_list", "no_enter"):
            (directory / name).mkdir(exist_ok=True)
        (directory / "no_list").chmod(0o711)
        (directory / "no_enter").chmod(0o744)
        (directory / "locked").chmod(0)
        done = python_as_nobody(
            directory,
            """
            names = ["secret.py", "locked/a.py", "locked", "no_list", "no_enter"]
            for name in names:
                try:
                    gepass.load_passes(f"{directory}/{name}")
                except PermissionError as error:
                    assert isinstance(error, gepass.PassPathPermissionError)
                    print(error.code.value, error)
            """,
        )

    def message(name: str, reason: str) -> str:
        where = f"{VARIABLE}[0]: '{directory}/{name}'"
        return f"GP105 {where} {reason} (permission denied); {ADVICE}"

    assert done.stdout.splitlines() == [
        message("secret.py", "may not be read"),
        message("locked/a.py", "cannot be reached"),
        message("locked", "may not be read"),
        message("no_list", "may not be read"),
        message("no_enter", "may not be read"),
    ]


@pytest.mark.parametrize("value", [Path("/"), None, b"/", 1])
def test_r3_a_value_that_is_no_text_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError) as caught:
        gepass.parse_pass_path(value)  # type: ignore[arg-type] # that is the fact

    kind = type(value).__name__
    assert str(caught.value) == (f"the pass path is a string, not {kind}; use str(path)")


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_r4_all_segments_are_checked_before_any_code_runs(
    on_error: OnError, d: Path, runs: Runs
) -> None:
    good = write(d / "good.py", pass_file("Good"))
    text = write(d / "a.txt")
    value = f"{good}:{text}:/nope:{d}"

    with nothing_stays(), pytest.raises(gepass.PassPathValueError) as caught:
        gepass.load_passes(value, on_error=on_error)

    error = caught.value
    context = f"(a segment of '{value}'); {ADVICE}"
    assert [problem.message for problem in error.problems] == [
        f"{VARIABLE}[1]: '{text}' is a file that does not end in .py {context}",
        f"{VARIABLE}[2]: '/nope' does not exist {context}",
    ]
    assert str(error) == "\n".join(problem.message for problem in error.problems)
    assert error.report is not None
    assert error.report.problems == error.problems
    assert (error.report.ok, error.report.modules) == (False, ())
    assert runs.files == []


def test_r4_the_exception_is_the_first_problem_s(d: Path) -> None:
    text = write(d / "a.txt")

    assert isinstance(refusal(f"/nope:{text}"), FileNotFoundError)
    assert isinstance(refusal(f"{text}:/nope"), ValueError)
