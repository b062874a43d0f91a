"""From a registry to its file: equal bytes everywhere, and never half a file."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code, DocumentWriteError
from gepass.export import write_atomically
from tests.process_state import public_directory, python_as_nobody
from tests.support import Runs, pass_file, python, write

STAGES = [stage.value for stage in gepass.PassStage]
EXPORT = """
    import os, sys, gepass
    gepass.load_passes(os.environ["D"])
    document = gepass.export_registry(gepass.default_registry())
    sys.stdout.write(document.to_json().decode())
"""


class TestDocument:
    def test_passes_stand_in_running_order(self, d: Path) -> None:
        for file, name, stage in [
            ("a", "z", STAGES[0]),
            ("b", "B", STAGES[1]),
            ("c", "a", STAGES[0]),
            ("e", "A", STAGES[3]),
            ("f", "Z", STAGES[0]),
        ]:
            write(d / f"{file}.py", pass_file(name, stage=stage))
        gepass.load_passes(str(d))
        exported = gepass.export_registry(gepass.default_registry())

        assert [record.pass_name for record in exported.passes] == [
            "Z",
            "a",
            "z",
            "B",
            "A",
        ]
        registered = [record.pass_name for record in gepass.default_registry()]
        assert registered == ["z", "B", "a", "A", "Z"]

    def test_names_its_generator(self) -> None:
        exported = gepass.export_registry(gepass.PassRegistry())

        assert exported.generator.name == "gepass"
        assert exported.generator.version == gepass.__version__

    def test_survives_the_round_trip(self, d: Path) -> None:
        write(d / os.fsdecode(b"\xff \\ \xc3.py"), pass_file("A"))
        gepass.load_passes(str(d))
        exported = gepass.export_registry(gepass.default_registry())
        read = gepass.RegistryDocument.from_json(exported.to_json())

        assert read == exported
        assert read.passes[0].source.path == f"{d}/\\xff \\\\ \\xc3.py"

    def test_fork_03_json_08_equal_bytes_in_every_process(
        self, d: Path, runs: Runs
    ) -> None:
        """FORK-03 and JSON-08: nothing depends on the hash seed or on the process."""
        write(d / "a.py", pass_file("A"))
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
        write(d / "pack/__init__.py", pass_file("P", before="from . import part\n"))
        write(d / "pack/part.py", pass_file("Q"))

        outputs = {
            python(EXPORT, env={"D": str(d), "PYTHONHASHSEED": seed}).stdout
            for seed in ("1", "2", "3")
        }
        gepass.load_passes(str(d))
        here = gepass.export_registry(gepass.default_registry()).to_json()

        assert outputs == {here.decode()}
        names = [record.pass_name for record in gepass.default_registry()]
        assert names == ["A", "B", "Q", "P"]
        assert sorted(runs.files) == sorted(["a.py", "__init__.py", "part.py"] * 4)

    def test_equal_registrations_in_another_order_give_equal_bytes(self, d: Path) -> None:
        first, second = gepass.PassRegistry(), gepass.PassRegistry()
        a = write(d / "a.py", pass_file("A"))
        b = write(d / "b.py", pass_file("B"))
        gepass.load_passes(f"{a}:{b}", registry=first)
        text = gepass.export_registry(first).to_json().decode()
        gepass.load_passes(f"{b}:{a}", registry=second)
        swapped = gepass.export_registry(second).to_json().decode()

        assert [record.pass_name for record in first] == ["A", "B"]
        assert [record.pass_name for record in second] == ["B", "A"]
        # Only the segments differ.
        text = text.replace('"position":0', '"position":-')
        text = text.replace('"position":1', '"position":0').replace(":-", ":1")
        assert _without_digest(swapped) == _without_digest(text)


def _without_digest(text: str) -> object:
    loaded = json.loads(text)
    del loaded["digest"]
    return loaded


class TestWriting:
    def test_makes_a_new_file_with_the_mode_of_the_umask(self, tmp_path: Path) -> None:
        before = os.umask(0o027)
        try:
            write_atomically(tmp_path / "out.json", b"new")
        finally:
            os.umask(before)

        assert _content(tmp_path) == {"out.json": b"new"}
        assert _mode(tmp_path / "out.json") == 0o640

    def test_replaces_a_file_and_keeps_its_permissions(self, tmp_path: Path) -> None:
        path = write(tmp_path / "out.json", "old")
        path.chmod(0o604)
        write_atomically(path, b"new")

        assert _content(tmp_path) == {"out.json": b"new"}
        assert _mode(path) == 0o604

    def test_follows_a_link(self, tmp_path: Path) -> None:
        target = write(tmp_path / "target.json", "old")
        link, broken = tmp_path / "link.json", tmp_path / "broken.json"
        link.symlink_to("target.json")
        broken.symlink_to("made.json")
        write_atomically(link, b"new")
        write_atomically(broken, b"made")

        assert target.read_bytes() == b"new"
        assert (tmp_path / "made.json").read_bytes() == b"made"
        assert link.is_symlink()
        assert broken.is_symlink()
        assert len(list(tmp_path.iterdir())) == 4

    def test_takes_a_relative_path_and_any_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("out", "x" * 255, "\udcff \n"):
            write_atomically(Path(name), b"new")

        assert set(_content(tmp_path)) == {"out", "x" * 255, "\udcff \n"}

    def test_a_pipe_is_written_to_and_stays(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        received: list[bytes] = []
        reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
        reader.start()
        write_atomically(pipe, b"new")
        reader.join(timeout=60)

        assert received == [b"new"]
        assert stat.S_ISFIFO(pipe.stat().st_mode)

    def test_standard_output_is_written_to_where_it_is_a_pipe(self) -> None:
        code = """
            import pathlib
            from gepass.export import write_atomically
            write_atomically(pathlib.Path("/dev/stdout"), b"new")
        """
        done = python(code)

        assert (done.stdout, done.stderr) == ("new", "")

    def test_a_missing_directory_is_an_error(self, tmp_path: Path) -> None:
        path = tmp_path / "missing\n" / "out.json"
        with pytest.raises(DocumentWriteError) as caught:
            write_atomically(path, b"new")

        assert str(caught.value) == (
            f"cannot write '{tmp_path}/missing\\n/out.json': No such file or directory"
        )
        assert caught.value.code is Code.DOCUMENT_NOT_WRITTEN
        assert isinstance(caught.value, OSError)
        assert _content(tmp_path) == {}

    def test_a_directory_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(DocumentWriteError) as caught:
            write_atomically(tmp_path, b"new")

        assert str(caught.value) == f"cannot write '{tmp_path}': Is a directory"
        assert _content(tmp_path) == {}

    def test_a_link_loop_is_an_error(self, tmp_path: Path) -> None:
        loop = tmp_path / "loop"
        loop.symlink_to("loop")
        with pytest.raises(DocumentWriteError) as caught:
            write_atomically(loop, b"new")

        assert str(caught.value) == (
            f"cannot write '{loop}': Too many levels of symbolic links"
        )
        assert loop.is_symlink()

    def test_a_nul_in_the_path_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(DocumentWriteError) as caught:
            write_atomically(tmp_path / "a\0b", b"new")

        expected = f"cannot write '{tmp_path}/a\\x00b': "
        assert str(caught.value).startswith(expected)

    def test_a_failure_leaves_the_old_file_and_nothing_else(self) -> None:
        with public_directory() as directory:
            path = write(directory / "closed" / "out.json", "old")
            path.chmod(0o666)
            path.parent.chmod(0o755)
            code = """
                from gepass.export import write_atomically
                from gepass.errors import DocumentWriteError
                try:
                    write_atomically(directory / "closed" / "out.json", b"new")
                except DocumentWriteError as error:
                    print(error)
            """
            done = python_as_nobody(directory, code)

            assert done.stdout == f"cannot write '{path}': Permission denied\n"
            assert _content(path.parent) == {"out.json": b"old"}

    def test_a_full_disk_leaves_the_old_file_and_nothing_else(self, tmp_path: Path) -> None:
        path = write(tmp_path / "out.json", "old")
        code = """
            import os, pathlib, resource, signal
            from gepass.export import write_atomically
            from gepass.errors import DocumentWriteError
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            try:
                write_atomically(pathlib.Path(os.environ["OUT"]), b"x" * 5000)
            except DocumentWriteError as error:
                print(error)
        """
        done = python(code, env={"OUT": str(path)})

        assert done.stdout == f"cannot write '{path}': File too large\n"
        assert _content(tmp_path) == {"out.json": b"old"}

    def test_readers_see_the_old_bytes_or_the_new_ones(self, tmp_path: Path) -> None:
        path = write(tmp_path / "out.json", b"0" * 100_000)
        stop = threading.Event()
        seen: set[tuple[int, bytes]] = set()

        def read() -> None:
            while not stop.is_set():
                data = path.read_bytes()
                seen.add((len(data), bytes(set(data))))

        reader = threading.Thread(target=read)
        reader.start()
        for digit in b"123456789" * 10:
            write_atomically(path, bytes([digit]) * 100_000)
        stop.set()
        reader.join(timeout=60)

        assert {size for size, _ in seen} == {100_000}
        assert all(len(digits) == 1 for _, digits in seen)


def _content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
