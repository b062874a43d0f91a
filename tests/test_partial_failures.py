"""Loads of which a part fails (PART)."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

import gepass
from gepass.environ import OnError
from tests.process_state import load_failure, messages, names
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write

DIVISION = "ZeroDivisionError: division by zero"


def statuses(report: gepass.LoadReport) -> dict[str, str]:
    """Return what became of each module by its file name."""
    return {outcome.path.name: outcome.status for outcome in report.modules}


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_part_01_a_registration_goes_with_its_file_and_the_mended_one_registers(
    on_error: OnError, d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", pass_file("A", after="raise RuntimeError('late')"))
    write(d / "b.py", pass_file("B"))

    if on_error == "raise":
        assert str(load_failure(d)) == f"'{a}', line 10: RuntimeError: late"
    else:
        gepass.load_passes(str(d), on_error=on_error)
        assert names() == ["B"]
    write(a, pass_file("A"))
    gepass.load_passes(str(d), on_error=on_error)

    assert sorted(names()) == ["A", "B"]
    assert runs.files.count("b.py") == 1


def test_part_03_an_import_error_is_an_error_not_a_subset(
    d: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(d / "ok.py", pass_file("OK"))
    broken = write(d / "broken.py", "import nosuch")
    message = f"'{broken}', line 1: ModuleNotFoundError: No module named 'nosuch'"

    assert str(load_failure(d)) == message
    caplog.clear()
    report = gepass.load_passes(str(d), on_error="isolate")

    assert messages(report) == [message]
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.getMessage().partition(" ")[0] for record in errors] == ["module_failed"]


def test_part_04_the_reason_is_told_once_and_kept_as_the_cause(
    d: Path, caplog: pytest.LogCaptureFixture
) -> None:
    a = write(d / "a.py", "b'\\xff'.decode('utf-8')")

    error = load_failure(d)

    text = "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"
    assert str(error) == f"'{a}', line 1: UnicodeDecodeError: {text}"
    assert isinstance(error.__cause__, UnicodeDecodeError)
    (record,) = [r for r in caplog.records if r.levelno == logging.ERROR]
    name, _, fields = record.getMessage().partition(" ")
    event = json.loads(fields)
    assert (name, event["path"], event["line"]) == ("module_failed", str(a), 1)
    assert (event["exception_type"], event["detail"]) == (
        "UnicodeDecodeError",
        str(error),
    )
    assert event["traceback"][-1] == f"UnicodeDecodeError: {text}"
    assert event["traceback"][1] == f'  File "{a}", line 1, in <module>'


def test_part_05_after_any_failure_the_corrected_load_works_and_the_process_ends(
    d: Path, runs: Runs
) -> None:
    for name in ("ok", "ok2"):
        write(d / f"{name}.py", pass_file(name))
    write(d / "dup" / "x.py", pass_file("Dup"))
    write(d / "dup" / "y.py", pass_file("Dup"))

    done = python(
        f"""
        import sys, gepass
        def state():
            names = [name for name in sys.modules if name.startswith("_ge_py_pass_")]
            return list(sys.path), list(sys.meta_path), names

        def refused(value):
            before = state()
            try:
                gepass.load_passes(value)
            except gepass.GepassError as error:
                print(type(error).__name__)
            assert state() == before
            assert len(gepass.default_registry()) == 0

        refused("{d}/ok.py:/nope:{d}/ok2.py")
        refused("{d}/dup")
        refused("{d}/ok.py:{d}/dup/x.py:{d}/dup/y.py")
        gepass.load_passes("{d}/ok.py:{d}/ok2.py:{d}/dup/y.py")
        print([record.pass_name for record in gepass.default_registry()])
        """,
        env={RUNS_VARIABLE: str(runs.log)},
    )

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "PassPathNotFoundError",
        "DuplicatePassError",
        "DuplicatePassError",
        "['ok', 'ok2', 'Dup']",
    ]


def test_part_06_a_duplicate_does_not_end_the_load_of_the_others(
    d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", pass_file("Dup"))
    b = write(d / "b.py", pass_file("Dup", after=pass_file("OfB").replace("Pass(", "B(")))
    write(d / "c.py", pass_file("C"))

    report = gepass.load_passes(str(d), on_error="isolate")

    assert names() == ["Dup", "C"]
    assert statuses(report) == {"a.py": "loaded", "b.py": "failed", "c.py": "loaded"}
    assert messages(report) == [
        (
            f"'{b}': DuplicatePassError: the pass name 'Dup' is registered twice: first by "
            f"class Pass, {a}:6, then by class Pass, {b}:6; give one of them another name"
        )
    ]
    assert runs.files[:1] + runs.files[-1:] == ["a.py", "c.py"]


@pytest.mark.parametrize("code", ["sys.exit(0)", "sys.exit('bye')", "exit()", "quit(3)"])
def test_part_07_an_exit_of_a_pass_file_is_a_failure_of_that_file(
    code: str, d: Path, runs: Runs
) -> None:
    a = write(d / "a.py", f"import sys\n{code}")
    write(d / "b.py", pass_file("B"))

    done = python(
        f"""
        import gepass
        try:
            gepass.load_passes({str(d)!r})
        except gepass.GepassError as error:
            assert isinstance(error.__cause__, SystemExit)
            print(error)
        gepass.load_passes({str(d)!r}, on_error="isolate")
        print([record.pass_name for record in gepass.default_registry()])
        """,
        env={RUNS_VARIABLE: str(runs.log)},
    )

    argument = {"sys.exit(0)": ": 0", "sys.exit('bye')": ": bye", "quit(3)": ": 3"}
    failure = f"'{a}', line 2: SystemExit{argument.get(code, ': None')}"
    assert (done.returncode, done.stdout.splitlines()) == (0, [failure, "['B']"])
    assert runs.files == ["b.py"]


HOSTILE = """
    class Hostile(type):
        def __bool__(cls): return False
        def __len__(cls): return 0
        def __eq__(cls, other): raise AssertionError("compared")
        def __hash__(cls): raise AssertionError("hashed")
    @gepass.register_fusion_pass(name="Odd", stage="BeforeInferShape")
    class Odd(gepass.FusionBasePass, metaclass=Hostile):
        def run(self, graph, context): ...
"""


def test_part_09_a_falsy_or_hostile_class_goes_with_its_file(d: Path) -> None:
    a = write(d / "a.py", pass_file("A", before=HOSTILE, after="1/0"))

    assert str(load_failure(d)).endswith(DIVISION)
    write(a, pass_file("A", before=HOSTILE))
    report = gepass.load_passes(str(d))

    assert names() == ["Odd", "A"]
    assert gepass.default_registry().get_class("Odd").__name__ == "Odd"
    again = gepass.load_passes(str(d))
    assert [m.status for m in (*report.modules, *again.modules)] == [
        "loaded",
        "already_loaded",
    ]
    assert names() == ["Odd", "A"]


@pytest.mark.parametrize(
    ("thing", "kind"),
    [("None", "NoneType"), ("lambda: 1", "function"), ("object()", "object")],
)
@pytest.mark.parametrize(
    ("decorator", "arguments"),
    [
        ("register_fusion_pass", ""),
        ("register_decompose_pass", ", op_types=['Add']"),
    ],
)
def test_part_09_what_is_no_class_is_a_type_error_that_names_the_decorator(
    decorator: str, arguments: str, thing: str, kind: str, d: Path
) -> None:
    call = f"gepass.{decorator}(name='X', stage='BeforeInferShape'{arguments})"
    a = write(d / "a.py", f"import gepass\n{call}({thing})")

    error = load_failure(d)

    assert isinstance(error.__cause__, TypeError)
    assert str(error) == (
        f"'{a}', line 2: RegistrationTypeError: {a}:2: @{decorator} decorates a class, "
        f"not an object of type {kind}"
    )
