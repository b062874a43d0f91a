"""The error tree: parents, codes, and travel to other processes (design section 5)."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

import gepass
from gepass import errors
from gepass.errors import Code
from tests.support import Runs, pass_file, write

ARGUMENTS: dict[str, dict[str, object]] = {
    "ModuleLoadError": {"path": Path("/d/a.py"), "line": 3},
    "DuplicatePassError": {"name": "A", "first": "here", "second": "there"},
    "PassPathError": {
        "problems": (errors.Problem(code=Code.PATH_NOT_FOUND, message="m", position=1),)
    },
}


CLASSES: list[type[gepass.GepassError]] = [
    cls
    for name in errors.__all__
    if isinstance(cls := getattr(errors, name), type)
    and issubclass(cls, gepass.GepassError)
]


def make(cls: type[gepass.GepassError]) -> gepass.GepassError:
    arguments: dict[str, object] = {}
    for base in cls.__mro__:
        arguments |= ARGUMENTS.get(base.__name__, {})
    constructor = cast("Callable[..., gepass.GepassError]", cls)
    return constructor("the text", **arguments)


PARENTS = {
    "DocumentError": ValueError,
    "DocumentWriteError": OSError,
    "DuplicatePassError": ValueError,
    "GepassError": Exception,
    "InternalError": RuntimeError,
    "LoadInProgressError": RuntimeError,
    "ModuleLoadError": ImportError,
    "PassClassError": TypeError,
    "PassNotFoundError": LookupError,
    "PassNotLoadedError": LookupError,
    "PassPathError": Exception,
    "PassPathNotFoundError": FileNotFoundError,
    "PassPathPermissionError": PermissionError,
    "PassPathValueError": ValueError,
    "RegistrationError": Exception,
    "RegistrationTypeError": TypeError,
    "RegistrationValueError": ValueError,
    "SettingError": ValueError,
    "SourceReadError": ImportError,
}


class TestTree:
    def test_every_error_has_the_promised_built_in_parent(self) -> None:
        assert {cls.__name__ for cls in CLASSES} == set(PARENTS)
        for cls in CLASSES:
            assert issubclass(cls, PARENTS[cls.__name__])

    @pytest.mark.parametrize("cls", CLASSES)
    def test_every_error_has_a_code_and_its_text(
        self, cls: type[gepass.GepassError]
    ) -> None:
        error = make(cls)

        assert isinstance(error.code, Code)
        assert (str(error), error.message, error.args) == (
            "the text",
            "the text",
            ("the text",),
        )
        assert error.report is None

    def test_a_code_may_be_more_precise_than_that_of_the_class(self) -> None:
        error = gepass.PassPathValueError("the text", code=Code.PATH_NOT_PYTHON)

        assert error.code is Code.PATH_NOT_PYTHON
        assert gepass.PassPathValueError("other").code is Code.PATH_UNUSABLE


class TestCodes:
    def test_codes_are_stable_text_with_a_meaning(self) -> None:
        for code in Code:
            assert re.fullmatch(r"GP[1-9]\d\d", code.value)
            assert code == code.value
            assert code.meaning

    def test_no_code_and_no_meaning_occurs_twice(self) -> None:
        assert len({code.value for code in Code}) == len(Code.__members__)
        assert len({code.meaning for code in Code}) == len(Code.__members__)

    def test_codes_survive_pickling_and_copying(self) -> None:
        for code in Code:
            assert pickle.loads(pickle.dumps(code)) is code  # noqa: S301
            assert copy.deepcopy(code) is code


class TestTravel:
    @pytest.mark.parametrize("cls", CLASSES)
    def test_every_error_survives_pickling_and_copying(
        self, cls: type[gepass.GepassError]
    ) -> None:
        """Else a pool of workers hangs or hides what happened."""
        error = make(cls)
        for again in (
            pickle.loads(pickle.dumps(error)),  # noqa: S301 - made right here
            copy.copy(error),
        ):
            assert type(again) is type(error)
            assert str(again) == "the text"
            assert again.code is error.code
            assert vars(again) == vars(error)

    def test_the_error_of_a_load_survives_with_its_report(
        self, d: Path, runs: Runs
    ) -> None:
        write(d / "a.py", pass_file("A", after="1 / 0"))
        with pytest.raises(gepass.ModuleLoadError) as caught:
            gepass.load_passes(str(d))
        again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301

        assert str(again) == str(caught.value)
        assert again.report == caught.value.report
        assert again.report is not None
        assert (again.file, again.line) == (d / "a.py", 10)
        assert runs.files == ["a.py"]
        assert not [name for name in sys.modules if name.startswith("_ge_py_pass_")]

    def test_a_report_survives(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "_skipped.py")
        report = gepass.load_passes(f":{d}")

        assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301
        assert copy.deepcopy(report) == report
