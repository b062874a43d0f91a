"""What a failing module means for the others: raise and isolate (R13)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from tests.process_state import internal_modules, load_failure, messages, names
from tests.support import Runs, pass_file, write

DIVISION = "ZeroDivisionError: division by zero"


def statuses(report: gepass.LoadReport) -> dict[str, str]:
    """Return what became of each module by its file name."""
    return {outcome.path.name: outcome.status for outcome in report.modules}


def report_of(error: gepass.GepassError) -> gepass.LoadReport:
    """Return the report that an error carries."""
    assert error.report is not None
    return error.report


def test_r13_raise_is_the_default_and_nothing_of_the_load_stays(
    d: Path, runs: Runs
) -> None:
    write(d / "_helper.py")
    write(d / "a.py", pass_file("A", before="import _helper"))
    b = write(d / "b.py", pass_file("B", after="1/0"))
    write(d / "c.py", pass_file("C"))

    error = load_failure(d)

    assert str(error) == f"'{b}', line 10: {DIVISION}"
    assert (error.file, error.line, error.code) == (b, 10, Code.MODULE_FAILED)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert isinstance(error, ImportError)
    assert statuses(report_of(error)) == {"a.py": "loaded", "b.py": "failed"}
    assert messages(report_of(error)) == [str(error)]
    assert not report_of(error).ok
    assert runs.files == ["a.py", "b.py"]


def test_r13_isolate_leaves_the_failing_ones_out_and_says_so(d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A"))
    b = write(d / "b.py", pass_file("B", after="1/0"))
    init = write(d / "c_pk" / "__init__.py", pass_file("P", before="from . import sub"))
    sub = write(d / "c_pk" / "sub.py", "\n1/0")
    write(d / "d.py", pass_file("D"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert names() == ["A", "D"]
    assert [m.status for m in report.modules] == ["loaded", "failed", "failed", "loaded"]
    assert messages(report) == [
        f"'{b}', line 10: {DIVISION}",
        f"'{sub}', line 2: {DIVISION} (imported by '{init}')",
    ]
    assert [(p.path, p.line) for p in report.problems] == [(b, 10), (sub, 2)]
    assert not report.ok
    assert len(internal_modules()) == 2
    assert runs.files == ["a.py", "b.py", "__init__.py", "d.py"]


def test_r13_a_failed_outcome_carries_type_text_place_and_traceback(d: Path) -> None:
    a = write(d / "a.py", "def f():\n    secret = 'of test'\n    raise OSError('x')\nf()")

    (outcome,) = gepass.load_passes(str(d), on_error="isolate").modules

    failure = outcome.error
    assert failure is not None
    assert (failure.code, failure.exception_type) == (Code.MODULE_FAILED, "OSError")
    assert (failure.path, failure.line) == (a, 3)
    assert failure.message == f"'{a}', line 3: OSError: x"
    # Newer Pythons also underline.
    lines = [line for line in failure.traceback if set(line) - set(" ~^")]
    assert lines == [
        "Traceback (most recent call last):",
        f'  File "{a}", line 4, in <module>',
        "    f()",
        f'  File "{a}", line 3, in f',
        "    raise OSError('x')",
        "OSError: x",
    ]


def test_r13_a_sibling_that_fails_takes_its_importer_along_and_runs_once(
    d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", pass_file("A", before="import b"))
    b = write(d / "b.py", pass_file("B", after="1/0"))
    c = write(d / "c.py", pass_file("C"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert statuses(report) == {"a.py": "failed", "b.py": "failed", "c.py": "loaded"}
    assert sorted(messages(report)) == [
        f"'{b}', line 10: {DIVISION}",
        f"'{b}', line 10: {DIVISION} (imported by '{a}')",
    ]
    assert names() == ["C"]
    assert [sys.modules[name].__file__ for name in internal_modules()] == [str(c)]
    assert runs.files == ["a.py", "b.py", "c.py"]


def test_r13_a_sibling_outlives_an_importer_that_fails_after_it(
    d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", pass_file("A", before="import b", after="1/0"))
    write(d / "b.py", pass_file("B", before="import _helper"))
    write(d / "_helper.py")

    report = gepass.load_passes(str(d), on_error="isolate")

    assert statuses(report) == {"a.py": "failed", "b.py": "loaded"}
    assert messages(report) == [f"'{a}', line 10: {DIVISION}"]
    assert names() == ["B"]
    assert len(internal_modules()) == 2
    assert runs.files == ["a.py", "b.py", "b.py"]


@pytest.mark.parametrize("caught", ["ZeroDivisionError", "BaseException"])
def test_r13_an_importer_may_live_without_the_sibling_that_failed(
    caught: str, d: Path, runs: Runs
) -> None:
    attempt = f"try:\n    import b\nexcept {caught}:\n    b = None"
    write(d / "a.py", pass_file("A", before=attempt))
    b = write(d / "b.py", pass_file("B", after="1/0"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert statuses(report) == {"a.py": "loaded", "b.py": "failed"}
    assert messages(report) == [f"'{b}', line 10: {DIVISION}"]
    assert names() == ["A"]
    assert runs.files == ["a.py", "b.py"]


def test_r13_raise_ends_the_load_even_where_an_importer_caught_the_failure(
    d: Path, runs: Runs
) -> None:
    attempt = "try:\n    import b\nexcept ZeroDivisionError:\n    b = None"
    write(d / "a.py", pass_file("A", before=attempt))
    b = write(d / "b.py", pass_file("B", after="1/0"))

    error = load_failure(d)

    assert str(error) == f"'{b}', line 10: {DIVISION}"
    assert runs.files == ["a.py", "b.py"]


@pytest.mark.parametrize("code", ["import a", "from a import Pass", "__import__('a')"])
def test_r13_a_file_that_failed_is_not_run_for_a_later_importer(
    code: str, d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", pass_file("A", after="1/0"))
    c = write(d / "c.py", f"\n{code}")
    e = write(d / "e.py", code)

    report = gepass.load_passes(str(d), on_error="isolate")

    reason = f"ImportError: '{a}' failed earlier in this load: {DIVISION}"
    assert messages(report) == [
        f"'{a}', line 10: {DIVISION}",
        f"'{c}', line 2: {reason}",
        f"'{e}', line 1: {reason}",
    ]
    assert runs.files == ["a.py"]
    assert internal_modules() == []


def test_r13_a_failed_file_runs_again_in_the_next_load(d: Path, runs: Runs) -> None:
    a = write(d / "a.py", pass_file("A", after="1/0"))
    write(d / "b.py", pass_file("B"))
    gepass.load_passes(str(d), on_error="isolate")
    write(a, pass_file("A"))

    report = gepass.load_passes(str(d))

    assert statuses(report) == {"a.py": "loaded", "b.py": "already_loaded"}
    assert names() == ["B", "A"]
    assert runs.files == ["a.py", "b.py", "a.py"]


def test_r13_other_threads_never_see_half_a_load(d: Path) -> None:
    look = """
        import threading
        seen = []
        def look(): seen.append([r.pass_name for r in gepass.default_registry()])
        thread = threading.Thread(target=look)
        thread.start()
        thread.join(30)
        look()
        assert seen == [[], ["A", "B"]]
    """
    write(d / "a.py", pass_file("A"))
    write(d / "b.py", pass_file("B", after=look))

    gepass.load_passes(str(d))

    assert names() == ["A", "B"]
