"""Compiled modules in pass directories (R12, R14)."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import gepass
from tests.process_state import internal_modules, load_failure, loaded
from tests.support import write

C_SOURCE = """
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *unused) {
    return PyLong_FromLong(ANSWER);
}
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "native", "", 0, methods
};
PyMODINIT_FUNC PyInit_native(void) { return INIT(&definition); }
"""
MULTI_PHASE = "-DINIT(d)=PyModuleDef_Init(d)"
SINGLE_PHASE = "-DINIT(d)=PyModule_Create(d)"


def compile_extension(path: Path, answer: int, initialisation: str) -> Path:
    """Compile a module ``native`` whose function ``answer`` returns that number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = write(path.parent / "native.c", C_SOURCE)
    includes = sysconfig.get_paths()["include"]
    macros = [f"-DANSWER={answer}", initialisation]
    command = ["cc", "-shared", "-fPIC", f"-I{includes}", *macros, "-o", str(path)]
    subprocess.run([*command, str(source)], check=True, timeout=60)
    return path


@pytest.mark.parametrize("initialisation", [MULTI_PHASE, SINGLE_PHASE])
@pytest.mark.parametrize("suffix", [".so", str(sysconfig.get_config_var("EXT_SUFFIX"))])
def test_r14_extension_modules_of_equal_names_serve_their_own_directories(
    suffix: str, initialisation: str, tmp_path: Path
) -> None:
    for number, which in enumerate("xy", start=1):
        write(tmp_path / which / "native.py", "1/0")
        write(tmp_path / which / "a.py", "import native\nW = native.answer()")
        compile_extension(tmp_path / which / f"native{suffix}", number, initialisation)

    x, y = loaded(f"{tmp_path}/x/a.py:{tmp_path}/y/a.py")

    assert (x.W, y.W) == (1, 2)
    assert x.native is not y.native
    assert "native" not in sys.modules


def test_r14_extension_modules_are_reported_with_the_digest_of_their_file(
    d: Path,
) -> None:
    in_package = compile_extension(d / "pk" / "native.so", 1, MULTI_PHASE)
    beside = compile_extension(d / "native.so", 2, MULTI_PHASE)
    write(d / "pk" / "__init__.py", "from . import native as own\nimport native")

    report = gepass.load_passes(str(d))

    executed = {file.path: file.sha256 for file in report.modules[0].executed}
    assert executed == {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (d / "pk" / "__init__.py", in_package, beside)
    }
    package = sys.modules[report.modules[0].module_name]
    assert (package.native.answer(), package.own.answer()) == (2, 1)
    assert package.own.__name__ == f"{package.__name__}.native"
    assert sys.modules[package.native.__name__] is package.native


def test_r12_an_extension_module_is_forgotten_with_the_file_that_failed(
    d: Path,
) -> None:
    compile_extension(d / "native.so", 1, MULTI_PHASE)
    path = write(d / "a.py", "import native\nraise ValueError(native.answer())")

    error = load_failure(d)

    assert str(error) == f"'{path}', line 2: ValueError: 1"
    write(path, "import native\nW = native.answer()")
    (a,) = loaded(d)
    assert a.W == 1
    assert sorted(internal_modules()) == sorted([a.__name__, a.native.__name__])


def test_r14_a_file_that_is_no_extension_module_fails_with_the_reason(d: Path) -> None:
    native = write(d / "native.so", "no library")
    path = write(d / "a.py", "import native")

    error = load_failure(d)

    assert str(error) == f"'{path}', line 1: ImportError: {native}: file too short"
