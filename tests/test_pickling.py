"""Passes that travel to other processes (FORK-05)."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code, PassNotLoadedError
from tests.support import pass_file, python, write

RUN = "    def run(self, graph, context): return None\n"
REGISTER = '@gepass.register_fusion_pass(name="{}", stage="BeforeInferShape")\n'
PASSES = (
    "import gepass\n"
    "from dataclasses import dataclass\n"
    "class Helper: pass\n"
    + REGISTER.format("Plain")
    + "class Plain(gepass.FusionBasePass):\n"
    + "    def __init__(self, n=1): self.n = n; self.helper = Helper()\n"
    + RUN
    + REGISTER.format("Slots")
    + "@dataclass(slots=True)\n"
    + "class Slots(gepass.FusionBasePass):\n"
    + "    n: int = 1\n"
    + RUN
    + REGISTER.format("New")
    + "class New(gepass.FusionBasePass):\n"
    + "    def __new__(cls, *, n=0):\n"
    + "        made = super().__new__(cls); made.n = n; return made\n"
    + "    def __getnewargs_ex__(self): return (), {'n': self.n}\n"
    + RUN
    + REGISTER.format("State")
    + "class State(gepass.FusionBasePass):\n"
    + "    n = 0\n"
    + "    def __getstate__(self): return {'kept': self.n}\n"
    + "    def __setstate__(self, state): self.n = state['kept']\n"
    + RUN
    + "class Outer:\n"
    + "".join(
        f"    {line}\n"
        for line in (
            REGISTER.format("Nested") + "class Nested(gepass.FusionBasePass):\n" + RUN
        ).splitlines()
    )
)
NAMES = ["Plain", "Slots", "New", "State", "Nested"]
LOCAL = (
    "import gepass\n"
    "def make():\n"
    '    @gepass.register_fusion_pass(name="Local", stage="BeforeInferShape")\n'
    "    class Local(gepass.FusionBasePass):\n"
    "        def run(self, graph, context): return None\n"
    "make()\n"
)
REDEFINED = (
    "import gepass\n"
    + REGISTER.format("First")
    + "class Twice(gepass.FusionBasePass):\n"
    + RUN
    + REGISTER.format("Second")
    + "class Twice(gepass.FusionBasePass):\n"
    + RUN
)
UNPICKLE = """
    import os, pickle, gepass
    if os.environ["LOAD"]:
        gepass.load_passes(os.environ["LOAD"])
    with open(os.environ["PICKLE"], "rb") as file:
        instance = pickle.load(file)
    print(type(instance).__qualname__, getattr(instance, "n", None))
"""


def instance_of(name: str) -> object:
    instance: object = gepass.default_registry().get_class(name)()
    if hasattr(instance, "n"):
        instance.n = 7
    return instance


class TestPasses:
    @pytest.mark.parametrize("name", NAMES)
    def test_fork_05_another_process_restores_a_pass_after_a_load(
        self, d: Path, tmp_path: Path, name: str
    ) -> None:
        write(d / "a.py", PASSES)
        gepass.load_passes(str(d))
        stored = tmp_path / "pass.pickle"
        stored.write_bytes(pickle.dumps(instance_of(name)))
        done = python(UNPICKLE, env={"LOAD": str(d), "PICKLE": str(stored)})

        expected = {"Nested": "Outer.Nested None"}.get(name, f"{name} 7")
        assert (done.stdout, done.stderr) == (f"{expected}\n", "")

    @pytest.mark.parametrize("name", NAMES)
    def test_fork_05_without_a_load_the_error_names_pass_and_remedy(
        self, d: Path, tmp_path: Path, name: str
    ) -> None:
        path = write(d / "a.py", PASSES)
        gepass.load_passes(str(d))
        stored = tmp_path / "pass.pickle"
        stored.write_bytes(pickle.dumps(instance_of(name)))
        done = python(UNPICKLE, env={"LOAD": "", "PICKLE": str(stored)})

        qualified = {"Nested": "Outer.Nested"}.get(name, name)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == (
            f"gepass.errors.PassNotLoadedError: the pass class {qualified} of {path} is "
            "not loaded in this process; call gepass.load_from_environment() or "
            "gepass.load_passes() before unpickling it"
        )

    def test_fork_05_a_pass_is_refused_after_unload(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        gepass.load_passes(str(d))
        stored = pickle.dumps(gepass.default_registry().get_class("A")())
        gepass.unload()

        with pytest.raises(PassNotLoadedError) as caught:
            pickle.loads(stored)  # noqa: S301 - made right here
        assert caught.value.code is Code.PASS_NOT_LOADED

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_every_protocol_restores_the_class_and_the_state(
        self, d: Path, name: str, protocol: int
    ) -> None:
        write(d / "a.py", PASSES)
        gepass.load_passes(str(d))
        instance = instance_of(name)
        restored: object = pickle.loads(pickle.dumps(instance, protocol))  # noqa: S301

        assert type(restored) is type(instance)
        assert getattr(restored, "n", None) == getattr(instance, "n", None)

    @pytest.mark.parametrize("name", NAMES)
    def test_copies_have_the_same_class(self, d: Path, name: str) -> None:
        write(d / "a.py", PASSES)
        gepass.load_passes(str(d))
        instance = instance_of(name)
        for copied in (copy.copy(instance), copy.deepcopy(instance)):
            assert type(copied) is type(instance)
            assert getattr(copied, "n", None) == getattr(instance, "n", None)

    def test_an_instance_of_a_class_in_a_function_can_be_copied(self, d: Path) -> None:
        write(d / "a.py", LOCAL)
        gepass.load_passes(str(d))
        instance = gepass.default_registry().get_class("Local")()

        assert type(copy.copy(instance)) is type(instance)
        assert type(copy.deepcopy(instance)) is type(instance)

    @pytest.mark.parametrize(("text", "name"), [(LOCAL, "Local"), (REDEFINED, "First")])
    def test_what_could_not_be_restored_is_not_pickled(
        self, d: Path, text: str, name: str
    ) -> None:
        """A class that its module does not hold under its name is refused at once."""
        write(d / "a.py", text)
        gepass.load_passes(str(d))
        instance = gepass.default_registry().get_class(name)()

        with pytest.raises((pickle.PicklingError, AttributeError)):
            pickle.dumps(instance)

    def test_an_instance_of_a_redefined_class_keeps_its_class_in_copies(
        self, d: Path
    ) -> None:
        write(d / "a.py", REDEFINED)
        gepass.load_passes(str(d))
        for name in ("First", "Second"):
            instance = gepass.default_registry().get_class(name)()
            assert type(copy.copy(instance)) is type(instance)

    def test_a_pass_outside_pass_files_is_pickled_as_ever(self) -> None:
        restored: object = pickle.loads(pickle.dumps(Importable()))  # noqa: S301

        assert type(restored) is Importable
        assert b"restore_pass" not in pickle.dumps(Importable())

    def test_fork_05_a_spawned_worker_is_told_to_load(
        self, d: Path, tmp_path: Path
    ) -> None:
        write(d / "a.py", PASSES)
        script = write(
            tmp_path / "host.py",
            """\
            import multiprocessing, os, gepass
            def name_of(instance):
                return type(instance).__name__
            def loaded():
                gepass.load_passes(os.environ["D"])
            if __name__ == "__main__":
                gepass.load_passes(os.environ["D"])
                instance = gepass.default_registry().get_class("Plain")()
                context = multiprocessing.get_context("spawn")
                with context.Pool(1, initializer=loaded) as pool:
                    print(pool.apply(name_of, (instance,)))
            """,
        )
        code = f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
        done = python(code, env={"D": str(d)})
        assert (done.stdout, done.stderr) == ("Plain\n", "")


class Importable(gepass.FusionBasePass):
    """A pass that any process can import."""
