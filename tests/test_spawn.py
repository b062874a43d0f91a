"""Processes that begin afresh: spawned ones, and names that hold in all (FORK)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from tests.support import Runs, pass_file, python, write

SPAWN = """\
import json, multiprocessing, os, sys
import gepass

def keys(_):
    return [record.descriptor_key for record in gepass.default_registry().records()]

def load_and_tell(_):
    gepass.load_passes(os.environ["D"])
    return keys(None)

if __name__ == "__main__":
    gepass.load_passes(os.environ["D"])
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        answers = [pool.apply(each, (None,)) for each in (keys, keys, load_and_tell)]
    print(json.dumps([keys(None), answers]))
"""


def answer_of(code: str, d: Path, **env: str) -> object:
    """Run code in a process of its own, and return what it printed as JSON."""
    done = python(
        "import json, os, sys, gepass\nD = os.environ['D']\n" + dedent(code),
        env={"D": str(d), **env},
    )
    assert done.stderr == ""
    answer: object = json.loads(done.stdout)
    return answer


def test_fork_02_a_spawned_process_has_no_passes_until_it_loads(
    d: Path, tmp_path: Path, runs: Runs
) -> None:
    write(d / "a.py", pass_file("A"))
    write(d / "pack/__init__.py", pass_file("P"))
    script = write(tmp_path / "host.py", SPAWN)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "D": str(d)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    parent, (first, second, loaded) = json.loads(done.stdout)

    assert len(parent) == 2
    assert (first, second) == ([], [])
    assert loaded == parent
    assert runs.files == ["a.py", "__init__.py"] * 2
    (hint,) = done.stderr.splitlines()
    name, _, fields = hint.partition(" ")
    assert name == "warning_raised"
    assert json.loads(fields) == {
        "load_id": "none",
        "code": "GP212",
        "detail": "no passes: nothing was loaded in this process; call "
        "gepass.load_from_environment() here as well",
        "path": None,
        "line": None,
    }


def test_fork_02_no_hint_where_something_was_loaded_or_registered(d: Path) -> None:
    code = """
        gepass.load_passes("")
        first = gepass.default_registry().records()
        gepass.PassRegistry().records()
        print(json.dumps([first, gepass.default_registry().records()]))
    """
    assert answer_of(code, d) == [[], []]

    code = """
        class Host(gepass.FusionBasePass):
            def run(self, graph, context): return None
        gepass.register_fusion_pass(name="Host", stage="AfterInferShape")(Host)
        first = [record.pass_name for record in gepass.default_registry()]
        gepass.default_registry().clear()
        print(json.dumps([first, gepass.PassRegistry().records()]))
    """
    assert answer_of(code, d) == [["Host"], []]


def test_fork_03_names_are_equal_in_every_process(d: Path) -> None:
    write(d / "a.py", pass_file("A"))
    write(d / "pack/__init__.py", pass_file("P"))
    code = """
        gepass.load_passes(D)
        internal = [name for name in sys.modules if name.startswith("_ge_py_pass_")]
        keys = [record.descriptor_key for record in gepass.default_registry()]
        print(json.dumps([internal, keys]))
    """
    answers = [answer_of(code, d, PYTHONHASHSEED=seed) for seed in ("1", "2", "random")]
    assert answers[0] == answers[1] == answers[2]
    assert isinstance(answers[0], list)
    assert len(answers[0][0]) == 2
