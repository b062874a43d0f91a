"""Which decorators a check takes for registering ones, and which it is certain of."""

from __future__ import annotations

from pathlib import Path

import pytest

from gepass.errors import Code
from gepass.inspection import check_passes
from tests.support import write

RECOGNISED = {
    "from gepass": ("from gepass import register_fusion_pass", "register_fusion_pass"),
    "renamed": ("from gepass import register_fusion_pass as r", "r"),
    "module": ("import gepass", "gepass.register_fusion_pass"),
    "renamed module": ("import gepass as g", "g.register_fusion_pass"),
    "submodule": ("import gepass.decorators", "gepass.decorators.register_fusion_pass"),
    "renamed submodule": ("import gepass.decorators as d", "d.register_fusion_pass"),
    "from submodule": ("from gepass.decorators import register_fusion_pass as r", "r"),
    "star": ("from gepass import *", "register_fusion_pass"),
    "assigned": ("import gepass\nr = s = gepass.register_fusion_pass", "s"),
    "ge": ("from ge.passes import register_fusion_pass", "register_fusion_pass"),
    "ge module": ("import ge.passes", "ge.passes.register_fusion_pass"),
    "ge renamed": ("import ge.passes as gp", "gp.register_fusion_pass"),
    "ge from": ("from ge import passes", "passes.register_fusion_pass"),
    "ge submodule": ("from ge.passes.registry import register_fusion_pass as r", "r"),
    "either": (
        (
            "try:\n    from ge.passes import register_fusion_pass\n"
            "except ImportError:\n    from gepass import register_fusion_pass"
        ),
        "register_fusion_pass",
    ),
}


@pytest.mark.parametrize("way", RECOGNISED)
def test_a_decorator_is_recognised_however_it_was_imported(d: Path, way: str) -> None:
    statement, name = RECOGNISED[way]
    text = f"{statement}\n@{name}(name='A', stage='AfterInferShape')\nclass P(B): ...\n"
    path = write(d / "a.py", text)

    (module,) = check_passes(str(path)).modules
    assert [found.pass_name for found in module.passes] == ["A"]


OTHERS = {
    "not imported": ("", "register_fusion_pass"),
    "of somebody else": ("from other import register_fusion_pass", "register_fusion_pass"),
    "of a sibling": ("from .gepass import register_fusion_pass", "register_fusion_pass"),
    "of another module": ("import other.gepass", "other.gepass.register_fusion_pass"),
    "a namesake": ("import gepassage", "gepassage.register_fusion_pass"),
    "of another ge": ("import ge.graph", "ge.graph.register_fusion_pass"),
    "defined here": ("def register_fusion_pass(**k): ...", "register_fusion_pass"),
    "bound again": ("from gepass import register_fusion_pass as r\nr = 1", "r"),
    "perhaps bound again": (
        "from gepass import register_fusion_pass as r\nif x:\n    from other import r",
        "r",
    ),
    "a loop variable": (
        "from gepass import register_fusion_pass as r\nfor r in x: ...",
        "r",
    ),
    "deleted": ("from gepass import register_fusion_pass as r\ndel r", "r"),
    "an argument": ("import gepass", "(lambda f: f)(gepass.register_fusion_pass)"),
}


@pytest.mark.parametrize("way", OTHERS)
def test_other_decorators_of_that_name_are_not_judged(d: Path, way: str) -> None:
    statement, name = OTHERS[way]
    path = write(d / "a.py", f"{statement}\n@{name}(name='', stage='')\nclass P: ...\n")

    report = check_passes(str(path))

    relative = [Code.MODULE_FAILED] if way == "of a sibling" else []
    assert [problem.code for problem in report.problems] == relative
    unread = [Code.NOT_READ_BY_CHECK] if way == "not imported" else []
    assert [warning.code for warning in report.warnings] == unread
    assert report.modules[0].passes == ()


PERHAPS = {
    "function": "def f():\n{0}",
    "method": "class C:\n    def f(self):\n{0}",
    "if": "if x:\n{0}",
    "else": "if x: ...\nelse:\n{0}",
    "elif": "if x: ...\nelif y:\n{0}",
    "for": "for x in y:\n{0}",
    "while": "while x:\n{0}",
    "with": "with x:\n{0}",
    "try": "try:\n{0}\nfinally: ...",
    "except": "try: ...\nexcept ImportError:\n{0}",
    "match": "match x:\n    case 1:\n{0}",
    "class in a function": "def f():\n    class C:\n{0}",
}


@pytest.mark.parametrize("place", PERHAPS)
def test_a_decorator_that_may_not_run_is_listed_as_not_certain(d: Path, place: str) -> None:
    decorated = (
        "        import gepass\n"
        "        @gepass.register_decompose_pass(name='A', stage='x', op_types=[''])\n"
        "        class P(gepass.DecomposePass):\n"
        "            def run(self): ...\n"
        "        @gepass.register_fusion_pass(name='A', stage='x')\n"
        "        def f(): ...\n"
    )
    path = write(d / "a.py", PERHAPS[place].format(decorated))

    report = check_passes(str(path))

    (found,) = report.modules[0].passes
    assert report.problems == ()
    assert report.warnings == ()
    assert (found.pass_name, found.kind, found.certain) == ("A", "decompose", False)
    assert (found.stage, found.op_types) == (None, None)
