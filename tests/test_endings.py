"""Every way in which a module can end its run (R12, PART-08)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gepass
from gepass.environ import OnError
from gepass.errors import Code
from tests.process_state import load_failure, names, nothing_stays
from tests.support import RUNS_VARIABLE, Runs, pass_file, python, write

ENDINGS = [
    ("raise SystemExit(0)", SystemExit, ": 0"),
    ("import sys; sys.exit()", SystemExit, ""),
    ("raise GeneratorExit", GeneratorExit, ""),
    ("import asyncio; raise asyncio.CancelledError", asyncio.CancelledError, ""),
    ("raise RecursionError('deep')", RecursionError, ": deep"),
    (
        "def f(): f()\nf()",
        RecursionError,
        ": maximum recursion depth exceeded",
    ),
    ("raise MemoryError", MemoryError, ""),
    ("raise BaseException('x')", BaseException, ": x"),
]


@pytest.mark.parametrize(("code", "kind", "text"), ENDINGS)
@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_r12_every_way_to_end_is_a_failure(
    on_error: OnError, code: str, kind: type[BaseException], text: str, d: Path
) -> None:
    path = write(d / "a.py", f"import gepass\n{code}\n")
    write(d / "b.py", pass_file("B"))
    line = 2

    if on_error == "raise":
        error = load_failure(d)
        assert type(error.__cause__) is kind
        assert error.report is not None
        (problem,) = error.report.problems
        assert str(error) == problem.message
    else:
        (problem,) = gepass.load_passes(str(d), on_error=on_error).problems
        assert names() == ["B"]

    assert (problem.code, problem.path, problem.line) == (Code.MODULE_FAILED, path, line)
    assert problem.message == f"'{path}', line {line}: {kind.__name__}{text}"


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "-" * 200_000 + "1",
        "x = " + "(" * 1_000 + ")" * 1_000,
        "x = a" + ".b" * 200_000,
        "x = " + "+".join("1" * 100_000),
        "x = a" + "()" * 100_000,
        "[" * 100_000,
        "#" * 5_000_000,
    ],
    ids=["minus", "parentheses", "dots", "sum", "calls", "brackets", "comment"],
)
def test_r12_a_source_that_the_compiler_cannot_take_fails_alone(
    source: str, d: Path, runs: Runs
) -> None:
    write(d / "a.py", source)
    write(d / "b.py", pass_file("B"))

    done = python(
        f"""
        import gepass
        gepass.load_passes({str(d)!r}, on_error="isolate")
        assert [record.pass_name for record in gepass.default_registry()] == ["B"]
        """,
        env={RUNS_VARIABLE: str(runs.log)},
    )

    assert (done.returncode, done.stdout) == (0, "")
    assert 'Traceback (most recent call last):\n  File "<string>"' not in done.stderr


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
@pytest.mark.parametrize("where", ["file", "helper", "sibling", "package"])
def test_r12_part_08_a_keyboard_interrupt_passes_through_after_the_clean_up(
    where: str, on_error: OnError, d: Path, runs: Runs
) -> None:
    end = "import sys; sys.path.append('/new'); raise KeyboardInterrupt"
    write(d / "a.py", pass_file("A"))
    write(d / "_helper.py", end if where == "helper" else "")
    write(d / "pk" / "__init__.py", end if where == "package" else pass_file("P"))
    write(d / "z.py", end if where == "sibling" else pass_file("Z"))
    imports = "import _helper, z\n"
    write(d / "b.py", pass_file("B", before=imports, after=end if where == "file" else ""))

    with nothing_stays(), pytest.raises(KeyboardInterrupt):
        gepass.load_passes(str(d), on_error=on_error)

    write(d / "_helper.py")
    for name, file in (("B", "b.py"), ("P", "pk/__init__.py"), ("Z", "z.py")):
        write(d / file, pass_file(name))
    gepass.load_passes(str(d))
    assert names() == ["A", "B", "P", "Z"]
    assert runs.files[-4:] == ["a.py", "b.py", "__init__.py", "z.py"]


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_part_08_ctrl_c_ends_a_load_at_once(on_error: OnError, d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A"))
    slow = "import sys, time; sys.path.append('/new'); print(flush=True); time.sleep(300)"
    write(d / "slow.py", pass_file("S", after=slow))
    code = f"""
import sys, gepass
path = list(sys.path)
try:
    gepass.load_passes({str(d)!r}, on_error={on_error!r})
except KeyboardInterrupt:
    assert sys.path == path
    assert not [name for name in sys.modules if name.startswith("_ge_py_pass_")]
    print(len(gepass.default_registry()))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, RUNS_VARIABLE: str(runs.log)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)

    assert (process.returncode, output) == (0, "0\n")
    assert runs.files == ["a.py", "slow.py"]
