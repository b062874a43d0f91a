"""Which files a check inspects besides the scanned ones: those that they import."""

from __future__ import annotations

from pathlib import Path

import pytest

import gepass
from gepass.errors import Code, Problem
from gepass.inspection import CheckedModule, check_passes
from tests.support import pass_file, write


def pass_text(name: str, before: str = "") -> str:
    return (
        f"{before}\nimport gepass\n"
        f"@gepass.register_fusion_pass(name={name!r}, stage='AfterInferShape')\n"
        "class P(gepass.FusionBasePass):\n    def run(self, graph, context): ...\n"
    )


def names_of(modules: tuple[CheckedModule, ...]) -> list[str]:
    return [module.name for module in modules]


def certain_passes(modules: tuple[CheckedModule, ...]) -> list[str | None]:
    return [
        found.pass_name for module in modules for found in module.passes if found.certain
    ]


class TestFollowing:
    def test_submodules_and_helpers_that_are_imported_are_inspected_once(
        self, d: Path
    ) -> None:
        init = write(d / "p" / "__init__.py", "from . import a\nfrom .sub import b as c\n")
        a = write(d / "p" / "a.py", pass_text("A", "import _help, p.d, json, gepass"))
        sub = write(d / "p" / "sub" / "__init__.py", "from ..d import x\n")
        b = write(d / "p" / "sub" / "b.py", pass_text("B", "from .. import a"))
        dd = write(d / "p" / "d.py", "from . import a\n")
        write(d / "p" / "unused.py", pass_text("Unused"))
        helper = write(d / "_help.py", pass_text("Help", "import json, p\n"))
        write(d / "_unused.py", "syntax error")

        report = check_passes(str(d))

        assert report.problems == ()
        assert [(m.name, m.path, m.kind, m.imported_by) for m in report.modules] == [
            ("p", init, "package", None),
            ("p.a", a, "file", init),
            ("_help", helper, "file", a),
            ("p.d", dd, "file", a),
            ("p.sub", sub, "package", init),
            ("p.sub.b", b, "file", init),
        ]
        assert certain_passes(report.modules) == ["A", "Help", "B"]

    @pytest.mark.parametrize(
        "statement",
        [
            "import help.part",
            "import os, help.part as x",
            "from help import part",
            "from help import nothing, part as x",
            "from help.part import *",
            "from help.part import anything",
        ],
    )
    @pytest.mark.parametrize("init", ["__init__.py", "other.txt"])
    def test_plain_names_are_found_in_packages_and_in_directories_without_init(
        self, d: Path, statement: str, init: str
    ) -> None:
        write(d / "a.py", statement)
        write(d / "help" / "part.py", pass_text("Part"))
        write(d / "help" / init)

        report = check_passes(str(d / "a.py"))

        package = ["help"] if init == "__init__.py" else []
        assert names_of(report.modules) == ["a", *package, "help.part"]
        assert certain_passes(report.modules) == ["Part"]

    @pytest.mark.parametrize(
        "statement",
        [
            "import json",
            "import gepass",
            "import other",
            "from . import help",
            "from .help import x",
            "from .. import help",
            "from help import *",
            "import help.part.deeper",
        ],
    )
    def test_what_is_not_of_the_directory_is_not_followed(
        self, d: Path, statement: str
    ) -> None:
        write(d / "a.py", statement)
        write(d / "json.py", pass_text("Json"))
        write(d / "gepass.py", pass_text("Gepass"))
        write(d / "help" / "other.py", pass_text("Other"))
        write(d / "help" / "part" / "more.py", pass_text("More"))

        report = check_passes(str(d / "a.py"))

        assert names_of(report.modules) == ["a"]

    def test_a_relative_import_stays_inside_the_package(self, d: Path) -> None:
        write(d / "p" / "__init__.py", "from .. import _help\nfrom ...d import x\n")
        write(d / "_help.py", pass_text("Help"))

        assert names_of(check_passes(str(d)).modules) == ["p"]

    def test_each_directory_has_its_own_names(self, d: Path) -> None:
        for side in ("left", "right"):
            write(d / side / "a.py", "import _help")
            write(d / side / "_help.py", pass_text(side))

        report = check_passes(f"{d}/left:{d}/right")

        assert [m.path.relative_to(d).as_posix() for m in report.modules] == [
            *("left/a.py", "left/_help.py", "right/a.py", "right/_help.py")
        ]
        assert certain_passes(report.modules) == ["left", "right"]

    def test_a_scanned_file_keeps_its_own_place(self, d: Path) -> None:
        # b runs when a imports it, and is then the first to import _c.
        write(d / "a.py", "import b, _c")
        write(d / "b.py", "import _c")
        write(d / "_c.py", "import a")

        report = check_passes(str(d))

        assert [(m.name, m.imported_by) for m in report.modules] == [
            *(("a", None), ("b", None), ("_c", d / "b.py"))
        ]

    def test_a_file_behind_a_link_is_inspected_once(self, d: Path) -> None:
        write(d / "a.py", "import _link, _help")
        write(d / "_help.py", pass_text("Help"))
        (d / "_link.py").symlink_to(d / "_help.py")

        report = check_passes(str(d))

        assert [module.path.name for module in report.modules] == ["a.py", "_help.py"]

    def test_a_long_chain_of_imports_is_followed_to_its_end(self, d: Path) -> None:
        for number in range(1500):
            write(d / f"_m{number}.py", f"import _m{number + 1}")
        write(d / "_m1500.py", pass_text("Last"))
        write(d / "a.py", "import _m0")

        report = check_passes(str(d / "a.py"))

        assert len(report.modules) == 1502
        assert certain_passes(report.modules) == ["Last"]

    def test_an_extension_module_is_not_inspected(self, d: Path) -> None:
        write(d / "a.py", "import _fast")
        write(d / "_fast.abi3.so", b"\x7fELF")

        report = check_passes(str(d))

        assert names_of(report.modules) == ["a"]
        assert report.ok


PERHAPS = [
    "def f():\n    import _help",
    "if x:\n    import _help",
    "try:\n    import _help\nexcept ImportError: ...",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from _help import P",
    "class C:\n    def f(self): from _help import P",
]


class TestImportsThatMayNotHappen:
    @pytest.mark.parametrize("statement", PERHAPS)
    def test_what_they_lead_to_is_not_certain(self, d: Path, statement: str) -> None:
        write(d / "a.py", pass_text("A", statement))
        write(d / "_help.py", "import _more\n" + pass_text("A").replace("After", ""))
        write(d / "_more.py", pass_text("A"))

        report = check_passes(str(d))

        assert report.ok
        assert names_of(report.modules) == ["a", "_help", "_more"]
        assert [m.passes[0].certain for m in report.modules] == [True, False, False]

    def test_a_file_that_does_not_compile_is_a_warning(self, d: Path) -> None:
        write(d / "a.py", pass_text("A", "if x:\n    import _help"))
        bad = write(d / "_help.py", "def f(:")

        report = check_passes(str(d))

        message = f"'{bad}', line 1: SyntaxError: invalid syntax"
        assert report.ok
        assert report.warnings == (
            Problem(code=Code.MODULE_NOT_COMPILED, message=message, path=bad, line=1),
        )

    def test_another_import_of_the_file_makes_it_certain(self, d: Path) -> None:
        write(d / "a.py", "def f():\n    import _help")
        write(d / "b.py", "import _help")
        write(d / "_help.py", pass_text("Help"))

        report = check_passes(str(d))

        assert names_of(report.modules) == ["a", "b", "_help"]
        assert certain_passes(report.modules) == ["Help"]

    def test_a_class_body_runs_with_its_module(self, d: Path) -> None:
        write(d / "a.py", "class C:\n    import _help")
        write(d / "_help.py", pass_text("Help"))

        assert certain_passes(check_passes(str(d)).modules) == ["Help"]


class TestProblemsOfImportedFiles:
    def test_they_are_problems_of_the_check(self, d: Path) -> None:
        write(d / "p" / "__init__.py", "from . import bad, worse")
        bad = write(d / "p" / "bad.py", "x = = 1")
        worse = write(d / "p" / "worse.py", pass_text(" "))

        report = check_passes(str(d))

        name = "the pass name ' ' is empty; choose another one"
        syntax = f"'{bad}', line 1: SyntaxError: invalid syntax"
        assert [(p.code, p.message, p.path, p.line) for p in report.problems] == [
            (Code.MODULE_NOT_COMPILED, syntax, bad, 1),
            (Code.REGISTRATION_VALUE, f"{worse}:3: {name}", worse, 3),
        ]

    def test_classes_are_called_by_the_plain_name_of_their_module(self, d: Path) -> None:
        write(d / "p" / "__init__.py", "from . import bad")
        text = "import gepass\nclass P(gepass.DecomposePass): run = 1"
        bad = write(d / "p" / "bad.py", text)

        (problem,) = check_passes(str(d)).problems

        assert problem.message == (
            f"{bad}:2: p.bad.P overrides run(), which GE never calls on this kind of pass; "
            "implement replacement, or derive from FusionBasePass"
        )


def test_a_submodule_that_a_sibling_imports_first_is_its_package_s(d: Path) -> None:
    """As in a load: the package runs before its submodule, and imports it itself."""
    write(d / "a.py", pass_file("A", before="import pk.sub"))
    write(d / "pk" / "__init__.py", "from . import sub")
    write(d / "pk" / "sub.py", pass_file("S"))

    report = check_passes(str(d))

    assert report.warnings == ()
    assert gepass.load_passes(str(d)).warnings == ()
