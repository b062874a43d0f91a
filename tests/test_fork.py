"""Forks: what a child has, and that it can always load (FORK)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Runs, pass_file, python, write

CHILD = """
    import json, os, sys, threading, time, warnings
    import gepass
    # Python warns of a fork beside threads; what then happens is the point here.
    warnings.simplefilter("ignore", DeprecationWarning)
    D = os.environ["D"]

    def in_child(function):
        '''Run a function in a forked child and return what it returns.'''
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                answer = function()
            except BaseException as error:
                answer = f"{type(error).__name__}: {error}"
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as file:
            text = file.read()
        os.waitpid(child, 0)
        return json.loads(text or '"no answer"')

    def names():
        return [record.pass_name for record in gepass.default_registry().records()]
"""


def run(code: str, d: Path, **env: str) -> object:
    """Run code after the helpers of ``CHILD``, and return what it printed as JSON."""
    head = "\n".join(line[4:] for line in CHILD.splitlines())
    lines = code.splitlines()
    indent = len(lines[1]) - len(lines[1].lstrip())
    body = "\n".join(line[indent:] for line in lines)
    done = python(head + "\n" + body, env={"D": str(d), **env}, timeout=120)
    assert done.stderr == ""
    answer: object = json.loads(done.stdout)
    return answer


def test_fork_01_a_child_has_what_its_parent_loaded(d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A"))
    code = """
        os.environ["ASCEND_GE_PY_PASS_PATH"] = D
        report = gepass.load_from_environment()
        def child():
            again = gepass.load_from_environment()
            return [again is report, names(), gepass.load_passes(D).modules[0].status]
        print(json.dumps(in_child(child)))
    """
    assert run(code, d) == [True, ["A"], "already_loaded"]
    assert runs.files == ["a.py"]


def test_fork_01_events_of_a_child_carry_its_own_process_id(d: Path) -> None:
    write(d / "a.py", pass_file("A"))
    code = """
        import logging
        told = []
        class Sink(logging.Handler):
            def emit(self, record):
                told.append([record.args[0], record.gepass_event])
        logger = logging.getLogger("gepass")
        logger.addHandler(Sink())
        logger.setLevel("DEBUG")
        logger.propagate = False
        gepass.load_passes(D)
        def child():
            told.clear()
            gepass.load_passes(D)
            return [told[0][0], told[0][1]["pid"] == os.getpid()]
        print(json.dumps([told[0][1]["pid"] == os.getpid(), in_child(child)]))
    """
    assert run(code, d) == [True, ["load_started", True]]


def test_fork_01_a_child_can_forget_and_load_afresh(d: Path, runs: Runs) -> None:
    write(d / "a.py", pass_file("A"))
    code = """
        gepass.load_passes(D)
        def child():
            gepass.unload()
            before = names()
            return [before, gepass.load_passes(D).modules[0].status, names()]
        print(json.dumps([in_child(child), names()]))
    """
    assert run(code, d) == [[[], "loaded", ["A"]], ["A"]]
    assert runs.files == ["a.py", "a.py"]


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("where", ["a.py", "_helper.py"])
def test_fork_01_a_child_of_another_thread_s_load_can_load(
    d: Path, tmp_path: Path, where: str
) -> None:
    """The fork comes while another thread is in the middle of a file."""
    flag = tmp_path / "go_on"
    waiting = (
        f"import os, time\nwhile not os.path.exists({str(flag)!r}): time.sleep(0.01)\n"
    )
    write(d / "a.py", pass_file("A", before="import _helper\n"))
    write(d / "_helper.py", pass_file("H"))
    write(d / "b.py", pass_file("B"))
    write(d / where, (d / where).read_text() + waiting)
    code = """
        FLAG, LOG = os.environ["FLAG"], os.environ["TEST_RUNS"]
        first = "a.py" if os.environ["WHERE"] == "a.py" else "_helper.py"
        thread = threading.Thread(target=gepass.load_passes, args=(D,))
        thread.start()
        def started():
            if not os.path.exists(LOG):
                return False
            with open(LOG) as file:
                return first in file.read()
        while not started():
            time.sleep(0.001)
        def child():
            open(FLAG, "w").close()
            before = names()
            report = gepass.load_passes(D)
            return [before, report.ok, [m.status for m in report.modules], names()]
        answer = in_child(child)
        thread.join()
        print(json.dumps([answer, names()]))
    """
    everything = ["H", "A", "B"]
    answer = run(code, d, FLAG=str(flag), WHERE=where)
    assert answer == [[[], True, ["loaded", "loaded"], everything], everything]


def test_fork_01_many_forks_beside_loads_never_hang(d: Path) -> None:
    for name in "abcdefgh":
        write(d / f"{name}.py", pass_file(name))
    write(d / "pack/__init__.py", pass_file("P", before="from . import part\n"))
    write(d / "pack/part.py", pass_file("Q"))
    code = """
        stop = threading.Event()
        def load_again_and_again():
            while not stop.is_set():
                gepass.load_passes(D, registry=gepass.PassRegistry())
                gepass.unload()
        thread = threading.Thread(target=load_again_and_again)
        thread.start()
        def child():
            registry = gepass.PassRegistry()
            gepass.load_passes(D, registry=registry)
            return len(registry)
        answers = [in_child(child) for _ in range(60)]
        stop.set()
        thread.join()
        print(json.dumps(sorted(set(map(str, answers)))))
    """
    assert run(code, d) == ["10"]


def test_fork_01_a_fork_inside_a_pass_file(d: Path, runs: Runs) -> None:
    """The child goes on with the load of its thread, and may not begin another."""
    forks = """
        import os
        reader, writer = os.pipe()
        if os.fork() == 0:
            try: gepass.load_passes("")
            except gepass.LoadInProgressError: os.write(writer, b"refused")
            os._exit(0)
        os.close(writer)
        os.wait()
        ANSWER = os.read(reader, 100)
        os.close(reader)
    """
    write(d / "a.py", pass_file("A", before=forks))
    write(d / "b.py", pass_file("B"))
    code = """
        gepass.load_passes(D)
        cls = gepass.default_registry().get_class("A")
        print(json.dumps([names(), sys.modules[cls.__module__].ANSWER.decode()]))
    """
    assert run(code, d) == [["A", "B"], "refused"]
    assert runs.files == ["a.py", "b.py"]


def test_fork_01_a_child_of_a_pass_file_that_lives_on_has_the_whole_load(
    d: Path, runs: Runs
) -> None:
    forks = """
        import os
        FORKED = os.fork()
    """
    write(d / "a.py", pass_file("A", before=forks))
    write(d / "b.py", pass_file("B"))
    code = """
        reader, writer = os.pipe()
        report = gepass.load_passes(D)
        cls = gepass.default_registry().get_class("A")
        if sys.modules[cls.__module__].FORKED == 0:
            os.write(writer, json.dumps([report.ok, names()]).encode())
            os._exit(0)
        os.wait()
        print(json.dumps([names(), json.loads(os.read(reader, 1000))]))
    """
    assert run(code, d) == [["A", "B"], [True, ["A", "B"]]]
    assert sorted(runs.files) == ["a.py", "b.py", "b.py"]


def test_fork_01_a_registry_that_another_thread_uses_is_free_in_the_child(d: Path) -> None:
    code = """
        gepass.load_passes("")
        stop = threading.Event()
        def use():
            while not stop.is_set():
                gepass.default_registry().clear()
        threads = [threading.Thread(target=use) for _ in range(3)]
        for thread in threads: thread.start()
        answers = [in_child(names) for _ in range(100)]
        stop.set()
        print(json.dumps(answers == [[]] * 100))
    """
    assert run(code, d) is True


@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("importlib._bootstrap", "_load_unlocked"),
        ("pydantic._internal._model_construction", None),
    ],
)
def test_fork_01_a_child_can_load_wherever_the_first_load_of_its_parent_was(
    d: Path, module: str, function: str | None
) -> None:
    """The fork comes while the load imports for itself, or while it builds a model."""
    write(d / "a.py", pass_file("A"))
    write(d / "b.py", "1 / 0\n")
    code = f"""
        import logging, signal
        logging.getLogger("gepass").addHandler(logging.NullHandler())
        logging.getLogger("gepass").setLevel("DEBUG")
        MODULE, FUNCTION = {module!r}, {function!r}
        point, forked = threading.Event(), threading.Event()
        def watch(frame, event, _):
            if event != "call" or point.is_set():
                return
            if frame.f_globals.get("__name__") != MODULE:
                return
            spec = frame.f_locals.get("spec")
            if getattr(spec, "name", "").startswith("_ge_py_pass_"):
                return
            if FUNCTION in {{None, frame.f_code.co_name}}:
                point.set()
                forked.wait(1)
        def load():
            sys.setprofile(watch)
            gepass.load_passes(D, on_error="isolate")
            sys.setprofile(None)
            point.set()
        thread = threading.Thread(target=load)
        thread.start()
        point.wait()
        def child():
            signal.alarm(30)
            registry = gepass.PassRegistry()
            gepass.load_passes(D, registry=registry, on_error="isolate")
            return [record.pass_name for record in registry]
        answer = in_child(child)
        forked.set()
        thread.join()
        print(json.dumps([answer, names()]))
    """
    assert run(code, d) == [["A"], ["A"]]
