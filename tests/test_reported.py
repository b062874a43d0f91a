"""Faults that a first user met: one test for each, with the right outcome."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from gepass.inspection import check_passes
from tests.process_state import nothing_stays
from tests.support import gepass_command, pass_file, write

PASS = pass_file("A")


def names(registry: gepass.PassRegistry | None = None) -> list[str]:
    """Return the names of the passes of a registry."""
    return [r.pass_name for r in registry or gepass.default_registry()]


class TestReload:
    """R9: a pass file runs once; only helpers can be reloaded."""

    def test_r9_a_sibling_cannot_run_a_pass_file_again(self, d: Path) -> None:
        a = write(d / "a.py", PASS)
        write(d / "b.py", "import a, importlib\nimportlib.reload(a)\n")

        report = gepass.load_passes(str(d), on_error="isolate")

        assert [m.status for m in report.modules] == ["loaded", "failed"]
        assert f"'{a}' has run and is not run again in a process" in str(report.problems)
        assert names() == ["A"]
        gepass.unload()
        assert names() == []

    def test_r9_the_host_cannot_either_and_nothing_changes(self, d: Path) -> None:
        write(d / "a.py", PASS)
        registry = gepass.PassRegistry()
        (outcome,) = gepass.load_passes(str(d), registry=registry).modules
        module = sys.modules[outcome.module_name]

        with pytest.raises(ImportError, match="is not run again in a process"):
            importlib.reload(module)

        assert sys.modules[outcome.module_name] is module
        assert (names(registry), names()) == (["A"], [])


class TestForeignGlobals:
    """R12: what a module makes run with globals of its own is undone with it."""

    @pytest.mark.parametrize(
        "run",
        [
            "import runpy; runpy.run_path({0!r})",
            "with open({0!r}) as f: exec(f.read(), {{'__file__': {0!r}}})",
        ],
    )
    def test_r12_the_load_keeps_and_undoes_it(self, d: Path, run: str) -> None:
        source = str(write(d / "_h.py", PASS))
        write(d / "a.py", run.format(source) + "\n1 / 0\n")
        registry = gepass.PassRegistry()
        for _ in range(2):
            with (
                nothing_stays(),
                pytest.raises(gepass.ModuleLoadError, match="ZeroDivisionError"),
            ):
                gepass.load_passes(str(d), registry=registry)
        write(d / "a.py", run.format(source))

        (outcome,) = gepass.load_passes(str(d), registry=registry).modules

        assert outcome.pass_names == ("A",)
        assert (names(registry), names()) == (["A"], [])


def test_a_repeated_registration_is_counted_once(d: Path) -> None:
    register = "@gepass.register_fusion_pass(name={0!r}, stage='AfterInferShape')\n"
    body = "class P(gepass.FusionBasePass):\n    def run(self, graph, context): ...\n"
    stacked = "".join(register.format(name) for name in "ABA")
    write(d / "a.py", f"import gepass\n{stacked}{body}")

    (outcome,) = gepass.load_passes(str(d)).modules

    assert outcome.pass_names == ("A", "B")


@pytest.mark.parametrize(
    "run", ["run = None", "run = 5", "def run(self): ...", "def run(self, a, b, c): ..."]
)
def test_a_run_that_cannot_be_called_is_refused(d: Path, run: str) -> None:
    register = "@gepass.register_fusion_pass(name='A', stage='AfterInferShape')\n"
    write(
        d / "a.py", f"import gepass\n{register}class P(gepass.FusionBasePass):\n    {run}\n"
    )

    with pytest.raises(gepass.ModuleLoadError, match="P has run that"):
        gepass.load_passes(str(d))

    if "def" in run:
        (problem,) = check_passes(str(d)).problems
        assert "P has run that cannot be called as run(self, graph, context)" in (
            problem.message
        )


@pytest.mark.parametrize(
    ("file", "statement"),
    [("a.py", "from . import b"), ("pk/__init__.py", "from .. import x")],
)
def test_imp_05_a_check_and_a_load_say_the_same_of_relative_imports(
    d: Path, file: str, statement: str
) -> None:
    write(d / file, statement + "\n")

    (problem,) = check_passes(str(d)).problems

    report = gepass.load_passes(str(d), on_error="isolate")
    assert [(p.code, p.message, p.line) for p in report.problems] == [
        (problem.code, problem.message, problem.line)
    ]


def test_r14_a_check_tells_hidden_modules_too(d: Path) -> None:
    write(d / "click.py", "x = 1\n")
    write(d / "z.py", "import click\n")

    checked = [w.message for w in check_passes(str(d)).warnings if w.code == "GP210"]

    loaded = [w.message for w in gepass.load_passes(str(d)).warnings if w.code == "GP210"]
    assert checked == loaded != []


def test_a_check_tells_what_it_cannot_read(d: Path) -> None:
    path = write(d / "a.py", "from gepass import *\nR = register_fusion_pass\n")

    (warning,) = check_passes(str(path)).warnings

    assert (warning.code, warning.line) == (Code.NOT_READ_BY_CHECK, 2)


def test_a_check_logs_and_tells_unknown_settings(d: Path, tmp_path: Path) -> None:
    write(d / "a.py", PASS)
    write(d / "_h.py")
    log = tmp_path / "log"
    environment = {"GEPASS_ONERROR": "raise"}

    done = gepass_command(
        *("check", "--path", str(d), "--log-file", str(log)), env=environment
    )

    assert done.returncode == 0
    assert "GP111  GEPASS_ONERROR is not a setting" in done.stdout
    assert [
        line.split('"event": "')[1].split('"')[0] for line in log.read_text().splitlines()
    ] == [
        "entry_skipped",
        "warning_raised",
    ]


@pytest.mark.parametrize("patch", ["time.perf_counter = lambda: 'x'", "time.time = None"])
def test_r13_a_file_that_patches_the_clock_does_not_hinder_the_others(
    d: Path, patch: str
) -> None:
    write(d / "a.py", f"import time\n{patch}\n{PASS}")
    write(d / "b.py", pass_file("B"))

    done = gepass_command("load", "--path", str(d))

    assert (done.returncode, done.stderr) == (0, "")
    assert "2 modules, 0 failed, 2 passes" in done.stdout


def test_what_breaks_gepass_itself_is_no_traceback_of_python(d: Path) -> None:
    write(d / "a.py", "from gepass.loading import Load\nLoad._finish = None\n")

    done = gepass_command("load", "--path", str(d))

    assert done.returncode == 1
    assert re.match(r"gepass: error GP900: gepass itself failed with ", done.stderr)


def test_a_schema_name_and_write_exclude_each_other(tmp_path: Path) -> None:
    done = gepass_command("schema", "load-report", "--write", str(tmp_path))

    assert done.returncode == 2
    assert "--write writes all schemas; leave NAME out" in done.stderr


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("gepass.load_passes(None)", "the pass path is a string, not NoneType"),
        (
            "gepass.load_passes('', registry=5)",
            "registry is a PassRegistry or None, not int",
        ),
        ("gepass.load_passes('', on_error=[])", "on_error=[] is not allowed"),
        ("gepass.scan('/tmp')", "scan() takes a PassPathSpec, not str"),
    ],
)
def test_wrong_types_are_refused_in_words(call: str, message: str) -> None:
    with pytest.raises((TypeError, gepass.SettingError), match=re.escape(message)):
        eval(call)  # noqa: S307 - wrong on purpose, which a type checker would refuse


def test_r9_a_cleared_registry_is_filled_again(
    d: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(d / "a.py", PASS)
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(d))
    gepass.load_from_environment()
    gepass.default_registry().clear()

    (outcome,) = gepass.load_from_environment().modules

    assert (outcome.status, names()) == ("already_loaded", ["A"])
    gepass.unload()
