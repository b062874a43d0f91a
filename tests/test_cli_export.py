"""``gepass export``: the registry document, as a whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gepass
from tests.command_line import ASCII, one_pass, redirected
from tests.support import Runs, gepass_command, pass_file, write

ZERO = "ZeroDivisionError: division by zero"


def names(document: bytes) -> list[str]:
    """Return the names of the passes in a document."""
    return [one["pass_name"] for one in json.loads(document)["passes"]]


def content(directory: Path) -> dict[str, bytes]:
    """Return the files of a directory, hidden ones included."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return a directory for documents."""
    path = tmp_path / "out"
    path.mkdir()
    return path


class TestDocument:
    def test_standard_output_and_the_file_are_what_the_library_exports(
        self, d: Path, out: Path
    ) -> None:
        write(d / "a.py", one_pass("A"))
        write(d / "融合.py", one_pass("Fuse"))
        gepass.load_passes(str(d))
        expected = gepass.export_registry(gepass.default_registry()).to_json()

        plain = redirected("", "export", "--path", str(d))
        as_json = redirected("", "export", "--json", "--path", str(d))
        to_file = redirected("", "export", "--path", str(d), "-o", f"{out}/r.json")

        assert (plain.code, plain.stdout, plain.stderr) == (0, expected, "")
        assert (as_json.code, as_json.stdout, as_json.stderr) == (0, expected, "")
        assert (to_file.code, to_file.stdout, to_file.stderr) == (0, b"", "")
        assert content(out) == {"r.json": expected}

    def test_nothing_to_load_is_a_document_without_passes(self) -> None:
        done = redirected("", "export")

        document = gepass.RegistryDocument.from_json(done.stdout)
        assert document.passes == ()
        assert (done.code, done.stderr) == (0, "")

    @pytest.mark.parametrize("option", ["-o", "--out"])
    def test_the_option_has_two_spellings(self, d: Path, out: Path, option: str) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = gepass_command("export", "--path", str(path), option, f"{out}/r.json")

        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
        assert names((out / "r.json").read_bytes()) == ["A"]


class TestSameBytes:
    def test_fork_03_the_hash_seed_decides_nothing(self, d: Path, out: Path) -> None:
        """FORK-03 and JSON-08: names, keys and sets are the same in every process."""
        write(d / "a.py", one_pass("A"))
        write(
            d / "b.py",
            """\
            import gepass
            @gepass.register_decompose_pass(
                name="B", stage="AfterInferShape",
                op_types={"Conv2D", "MatMul", "Add", "Relu"})
            class B(gepass.DecomposePass):
                def replacement(self, node): return None
            """,
        )
        write(d / "pack/__init__.py", one_pass("P"))

        documents = set()
        for seed in ("1", "2", "3"):
            env = {"PYTHONHASHSEED": seed}
            done = redirected("", "export", "--path", str(d), env=env)
            redirected("", "export", "--path", str(d), "-o", f"{out}/{seed}", env=env)
            documents |= {done.stdout, (out / seed).read_bytes()}

        (document,) = documents
        op_types = [one["op_types"] for one in json.loads(document)["passes"]]
        assert op_types == [[], [], ["Add", "Conv2D", "MatMul", "Relu"]]

    def test_fork_03_the_locale_decides_nothing(self, d: Path) -> None:
        """FORK-03: the stem in a module name comes from the bytes of the path (R8)."""
        write(d / "融合/矩阵.py", one_pass("A"))
        write(d / "融合/é/__init__.py", one_pass("B"))

        here = redirected("", "export", "--path", f"{d}/融合", env={"PYTHONUTF8": "1"})
        there = redirected("", "export", "--path", f"{d}/融合", env=ASCII)

        assert (there.code, there.stderr) == (0, "")
        assert there.stdout == here.stdout


class TestFailures:
    def test_r13_a_failing_module_gives_no_document(
        self, d: Path, runs: Runs, out: Path
    ) -> None:
        write(d / "a.py", pass_file("A"))
        write(d / "b.py", "1/0\n")
        write(d / "c.py", pass_file("C"))
        old = write(out / "r.json", "old")

        plain = redirected("", "export", "--path", str(d))
        to_file = redirected("", "export", "--path", str(d), "-o", str(old))

        message = f"gepass: error GP201: '{d}/b.py', line 1: {ZERO}\n"
        assert (plain.code, plain.stdout, plain.stderr) == (1, b"", message)
        assert (to_file.code, to_file.stdout, to_file.stderr) == (1, b"", message)
        assert content(out) == {"r.json": b"old"}
        assert runs.files == ["a.py", "a.py"]

    def test_part_07_leaving_gives_no_document(self, d: Path, out: Path) -> None:
        """PART-07: ``sys.exit(0)`` in a plugin does not make the export fine."""
        path = write(d / "a.py", "import sys; sys.exit(0)\n")
        old = write(out / "r.json", "old")

        done = gepass_command("export", "--path", str(path), "-o", str(old))

        assert done.stderr == f"gepass: error GP201: '{path}', line 1: SystemExit: 0\n"
        assert (done.stdout, done.returncode) == ("", 1)
        assert content(out) == {"r.json": b"old"}

    def test_r13_isolate_writes_what_loads_and_still_ends_with_1(
        self, d: Path, out: Path
    ) -> None:
        write(d / "a.py", one_pass("A"))
        write(d / "b.py", "1/0\n")
        write(d / "c.py", 'raise RuntimeError("first\\n\\nlast")\n')
        write(d / "e.py", one_pass("E"))

        done = gepass_command(
            "export", "--on-error", "isolate", "--path", str(d), "-o", f"{out}/r.json"
        )

        assert names((out / "r.json").read_bytes()) == ["A", "E"]
        assert done.stderr == (
            f"gepass: error GP201: '{d}/b.py', line 1: {ZERO}\n"
            f"gepass: error GP201: '{d}/c.py', line 1: RuntimeError: first\n"
            "\n"
            "  last\n"
        )
        assert (done.stdout, done.returncode) == ("", 1)

    def test_r17_the_setting_isolates_or_raises_here_too(self, d: Path) -> None:
        write(d / "a.py", one_pass("A"))
        write(d / "b.py", "1/0\n")
        isolating = redirected(
            "", "export", "--path", str(d), env={"GEPASS_ON_ERROR": "isolate"}
        )
        raising = redirected(
            "",
            "export",
            "--path",
            str(d),
            "--on-error",
            "isolate",
            env={"GEPASS_ON_ERROR": "raise"},
        )

        assert (isolating.code, names(isolating.stdout)) == (1, ["A"])
        assert (raising.code, raising.stdout) == (1, b"")

    def test_a_path_error_writes_nothing(self, d: Path, out: Path) -> None:
        done = gepass_command("export", "--path", f"{d}/missing", "-o", f"{out}/r.json")

        assert done.stderr == (
            f"gepass: error GP101: ASCEND_GE_PY_PASS_PATH[0]: '{d}/missing' does not "
            "exist; give an existing directory or .py file\n"
        )
        assert (done.stdout, done.returncode) == ("", 1)
        assert content(out) == {}

    def test_an_interrupt_keeps_the_old_file(self, d: Path, out: Path) -> None:
        path = write(d / "a.py", "raise KeyboardInterrupt\n")
        old = write(out / "r.json", "old")

        done = gepass_command("export", "--path", str(path), "-o", str(old))

        assert (done.stdout, done.returncode) == ("", 130)
        assert done.stderr.strip() == "gepass: interrupted"
        assert content(out) == {"r.json": b"old"}


class TestFile:
    def test_a_missing_directory_is_an_error(self, d: Path, out: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = gepass_command("export", "--path", str(path), "-o", f"{out}/missing/r.json")

        assert done.stderr == (
            f"gepass: error GP403: cannot write '{out}/missing/r.json': No such file or "
            "directory\n"
        )
        assert (done.stdout, done.returncode) == ("", 1)
        assert content(out) == {}

    def test_a_directory_is_an_error(self, d: Path, out: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = gepass_command("export", "--path", str(path), "-o", str(out))

        assert done.stderr == (
            f"gepass: error GP403: cannot write '{out}': Is a directory\n"
        )
        assert (done.stdout, done.returncode) == ("", 1)
        assert content(out) == {}

    def test_user_code_cannot_move_the_file(self, d: Path, out: Path) -> None:
        """A relative file is meant from where the command was started, as in R5."""
        elsewhere = d / "elsewhere"
        elsewhere.mkdir()
        source = f"import os\nos.chdir({str(elsewhere)!r})\n"
        path = write(d / "a.py", source + one_pass("A"))

        done = gepass_command("export", "--path", str(path), "-o", "r.json", cwd=out)

        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
        assert list(content(out)) == ["r.json"]
        assert content(elsewhere) == {}

    def test_user_code_sees_the_old_file(self, d: Path, out: Path) -> None:
        old = write(out / "r.json", "old")
        check = f"assert open({str(old)!r}).read() == 'old'\n"
        path = write(d / "a.py", check + one_pass("A"))

        done = gepass_command("export", "--path", str(path), "-o", str(old))

        assert (done.stderr, done.returncode) == ("", 0)
        assert list(content(out)) == ["r.json"]
        assert names(old.read_bytes()) == ["A"]

    def test_the_name_of_standard_output_means_it(self, d: Path) -> None:
        path = write(d / "a.py", one_pass("A"))

        done = redirected("", "export", "--path", str(path), "-o", "/dev/stdout")

        assert (done.code, done.stderr) == (0, "")
        assert names(done.stdout) == ["A"]
