"""Exceptions of pass files that are hard to write down (LOG, SEC)."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
import structlog

import gepass
from gepass.environ import LogFormat
from gepass.logs import configured
from tests.process_state import internal_modules
from tests.support import Runs, pass_file, write
from tests.told import Fields, told

TOKEN = "hunter2-XYZ"  # noqa: S105 - what must not leak


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def failure_of(d: Path, text: str) -> tuple[Fields, str]:
    """Load a failing file between good ones; return its event and the message."""
    write(d / "a.py", pass_file("A"))
    write(d / "bad.py", text)
    write(d / "c.py", pass_file("C"))
    with told() as events_told:
        report = gepass.load_passes(str(d), on_error="isolate")
    assert [outcome.status for outcome in report.modules] == ["loaded", "failed", "loaded"]
    assert [record.pass_name for record in gepass.default_registry()] == ["A", "C"]
    (event,) = [event for event in events_told if event["event"] == "module_failed"]
    json.dumps(event, ensure_ascii=False, allow_nan=False).encode()
    (problem,) = report.problems
    assert event["detail"] == problem.message
    return event, problem.message


@pytest.mark.parametrize(
    "hostile",
    [
        "def __repr__(self): raise RuntimeError('no repr')",
        "def __str__(self): raise RuntimeError('no text')",
        "def __str__(self): return 7",
        "def __repr__(self): raise SystemExit(3)",
        "def __repr__(self): raise RecursionError",
    ],
)
@pytest.mark.parametrize("kind", ["argument", "error"])
def test_log_02_an_exception_without_a_text_is_reported_all_the_same(
    d: Path, runs: Runs, hostile: str, kind: str
) -> None:
    base, raised = {
        "argument": ("object", "ValueError(Hostile())"),
        "error": ("ValueError", "Hostile()"),
    }[kind]
    text = f"""\
        class Hostile({base}):
            {hostile}
            __str__ = locals().get("__str__") or __repr__
        kept = Hostile()
        raise {raised}
    """
    event, message = failure_of(d, text)

    name = {"argument": "ValueError", "error": "Hostile"}[kind]
    assert message == f"'{d}/bad.py', line 5: {name}: <unprintable>"
    assert (event["exception_type"], event["line"]) == (name, 5)
    assert isinstance(event["traceback"], list)
    assert f'  File "{d}/bad.py", line 5, in <module>' in event["traceback"]
    assert runs.files == ["a.py", "c.py"]


def test_log_02_with_on_error_raise_the_caller_sees_the_original(d: Path) -> None:
    write(
        d / "bad.py",
        """\
        class Hostile:
            def __repr__(self): raise RuntimeError("no repr")
        raise ValueError(Hostile())
        """,
    )
    with pytest.raises(gepass.ModuleLoadError) as caught:
        gepass.load_passes(str(d))

    assert str(caught.value) == f"'{d}/bad.py', line 3: ValueError: <unprintable>"
    assert type(caught.value.__cause__) is ValueError
    assert internal_modules() == []


def test_log_08_a_value_that_holds_itself_is_written(d: Path) -> None:
    text = """\
        d = {}
        d["d"] = d
        raise ValueError(d)
    """
    _, message = failure_of(d, text)

    assert message == f"'{d}/bad.py', line 3: ValueError: {{'d': {{...}}}}"


def test_log_08_a_pass_attribute_that_holds_itself_does_not_matter(d: Path) -> None:
    selfish = """
        Pass.loop = loop = []
        loop.append(loop)
        Pass.__eq__ = None
    """
    write(d / "a.py", pass_file("A", after=selfish))
    assert gepass.load_passes(str(d)).ok


@pytest.mark.parametrize(
    "text",
    [
        "error = ValueError('again')\nerror.__cause__ = error\nraise error\n",
        "a, b = OSError(), OSError()\na.__cause__, b.__cause__ = b, a\nraise a\n",
        "def f(): f()\nf()\n",
        "error = ValueError('noted')\nerror.__notes__ = [object, 3]\nraise error\n",
    ],
)
def test_log_08_chains_of_exceptions_that_never_end_are_written(d: Path, text: str) -> None:
    event, message = failure_of(d, text)

    assert isinstance(event["traceback"], list)
    assert len(event["traceback"]) < 100
    assert message.startswith(f"'{d}/bad.py', line ")


def test_a_lone_surrogate_is_written_as_an_escape(d: Path) -> None:
    event, message = failure_of(d, "raise ValueError('\\ud800 \\udcff \\n \\u878d')\n")

    assert message == f"'{d}/bad.py', line 1: ValueError: \\ud800 \\udcff \n 融"
    assert isinstance(event["traceback"], list)
    assert event["traceback"][-2:] == ["ValueError: \\ud800 \\udcff ", " 融"]


def test_a_long_text_is_no_problem(d: Path) -> None:
    event, _ = failure_of(d, "raise ValueError('line\\n' * 100_000)\n")

    assert isinstance(event["traceback"], list)
    assert len(event["traceback"]) < 100


@pytest.mark.parametrize("style", get_args(LogFormat))
def test_sec_05_values_of_variables_are_in_no_log(d: Path, style: LogFormat) -> None:
    write(
        d / "a.py",
        f"""\
        import os
        def connect(token):
            password = token
            raise ConnectionError("refused")
        def outer():
            connect(os.environ["PASSWORD"])
        os.environ["PASSWORD"] = "{TOKEN}"
        try:
            outer()
        except ConnectionError as error:
            secret = os.environ["PASSWORD"]
            raise RuntimeError("no database") from error
        """,
    )
    stream, log_file = io.StringIO(), io.StringIO()
    with (
        configured(level="debug", style=style, stream=stream, log_file=log_file),
        pytest.raises(gepass.ModuleLoadError) as caught,
    ):
        gepass.load_passes(str(d))

    for written in (stream.getvalue(), log_file.getvalue(), repr(caught.value.report)):
        assert "no database" in written
        assert TOKEN not in written


def test_sec_05_nor_does_the_standard_logger_get_them(d: Path) -> None:
    text = f"""\
        def connect(token): raise ConnectionError("refused")
        value = "{TOKEN}"
        connect(value)
    """
    stream = io.StringIO()
    logger, handler = logging.getLogger("gepass"), logging.StreamHandler(stream)
    logger.addHandler(handler)
    try:
        event, _ = failure_of(d, text)
        write(d / "bad.py", text)
        gepass.load_passes(str(d), on_error="isolate")
    finally:
        logger.removeHandler(handler)

    assert "refused" in stream.getvalue()
    assert TOKEN not in stream.getvalue()
    assert TOKEN not in str(event)
