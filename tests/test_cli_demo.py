"""``gepass demo``: the main job of the package, in one command without arguments."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import gepass
from tests.command_line import (
    MODULES,
    PASSES,
    SKIPPED,
    SPECS,
    durations,
    redirected,
    section,
)
from tests.support import Runs, gepass_command, pass_file, write

EXAMPLES = Path(gepass.__file__).parent / "examples"
BASIC = EXAMPLES / "basic"
ADVANCED = EXAMPLES / "advanced"
VARIABLE = "ASCEND_GE_PY_PASS_PATH"

# Stage, name, kind, op types, file, line: as GE runs them.
EXAMPLE_PASSES = (
    ("BeforeInferShape", "RemoveIdentity", "fusion_base", "", "remove_identity.py", 9),
    ("AfterInferShape", "AddZero", "pattern_fusion", "", "add_zero.py", 10),
    ("AfterBuiltinFusionPass", "FuseSoftmax", "fusion_base", "", "softmax.py", 9),
    (
        "AfterBuiltinFusionPass",
        "SplitGroupedConv",
        "decompose",
        "Conv2D",
        "split_grouped_conv.py",
        8,
    ),
    ("AfterOriginGraphOptimize", "TuneSoftmax", "fusion_base", "", "softmax.py", 17),
)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """Return an empty working directory."""
    path = tmp_path / "empty"
    path.mkdir()
    return path


def source(file: str) -> Path:
    """Return the one example file of a name."""
    (path,) = EXAMPLES.rglob(file)
    return path


def files(directory: Path) -> list[str]:
    """Return the names in a directory, in the order of a scan."""
    return sorted(path.name for path in directory.iterdir())


def skipped() -> list[tuple[str, str]]:
    """Return what a scan leaves out; an installer may have made ``__pycache__``."""
    return [
        (
            f"{directory}/{name}",
            "the name starts with an underscore" if name[0] == "_" else "not a .py file",
        )
        for directory in (BASIC, ADVANCED)
        for name in files(directory)
        if name[0] == "_" or name == "notes.txt"
    ]


def test_shows_each_link_of_the_chain_and_writes_the_document(empty: Path) -> None:
    done = gepass_command("demo", cwd=empty)

    ms = durations(done.stdout)
    left_out = skipped()
    assert len(ms) == 4
    assert [path for path, _ in left_out if path.endswith(("_tolerance.py", "notes.txt"))]
    assert done.stdout == (
        f"export {VARIABLE}={BASIC}:{ADVANCED}\n"
        + section(
            "Pass path",
            SPECS,
            ("0", "directory", str(BASIC)),
            ("1", "directory", str(ADVANCED)),
        )
        + section(
            "Modules",
            MODULES,
            ("loaded", ms[0], "AddZero", f"{BASIC}/add_zero.py"),
            ("loaded", ms[1], "RemoveIdentity", f"{BASIC}/remove_identity.py"),
            (
                "loaded",
                ms[2],
                "FuseSoftmax, TuneSoftmax",
                f"{ADVANCED}/attention/__init__.py",
            ),
            ("loaded", ms[3], "SplitGroupedConv", f"{ADVANCED}/split_grouped_conv.py"),
        )
        + section("Skipped", SKIPPED, *left_out)
        + section(
            "Passes in running order",
            PASSES,
            *(
                (stage, name, kind, op_types, name, f"{source(file)}:{line}")
                for stage, name, kind, op_types, file, line in EXAMPLE_PASSES
            ),
        )
        + f"\n4 modules, 0 failed, 5 passes, {len(left_out)} skipped, 0 warnings\n"
        "The registry document is in gepass-demo.json.\n"
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert files(empty) == ["gepass-demo.json"]


def test_the_document_holds_the_examples_in_running_order(empty: Path) -> None:
    gepass_command("demo", cwd=empty)

    document = gepass.RegistryDocument.from_json((empty / "gepass-demo.json").read_bytes())
    assert [
        (
            record.stage.value,
            record.pass_name,
            record.kind.value,
            ", ".join(record.op_types),
            Path(record.source.path or "").name,
            record.source.line,
        )
        for record in document.passes
    ] == list(EXAMPLE_PASSES)
    for record in document.passes:
        path = Path(record.source.path or "")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert record.source.sha256 == digest
    assert document.generator.version == gepass.__version__


def test_all_kinds_and_stages_are_shown() -> None:
    assert {kind for _, _, kind, *_ in EXAMPLE_PASSES} == {
        one.value for one in gepass.PassKind
    }
    assert {stage for stage, *_ in EXAMPLE_PASSES} == {
        one.value for one in gepass.PassStage
    }


def test_is_the_same_as_an_export_of_the_variable_it_names(empty: Path) -> None:
    shown = gepass_command("demo", cwd=empty).stdout.splitlines()[0]
    value = shown.removeprefix(f"export {VARIABLE}=")

    exported = redirected("", "export", env={VARIABLE: value})

    assert exported.stdout == (empty / "gepass-demo.json").read_bytes()


def test_the_user_s_variable_plays_no_part(empty: Path, d: Path, runs: Runs) -> None:
    path = write(d / "a.py", pass_file("A"))

    done = gepass_command("demo", "--json", cwd=empty, env={VARIABLE: str(path)})

    report = json.loads(done.stdout)
    assert [spec["path"] for spec in report["specs"]] == [str(BASIC), str(ADVANCED)]
    assert (done.stderr, done.returncode) == ("", 0)
    assert runs.files == []


def test_the_path_option_is_not_offered_since_the_examples_are_loaded(empty: Path) -> None:
    done = gepass_command("demo", "--path", str(empty), cwd=empty)

    assert done.returncode == 2
    assert files(empty) == []


def test_the_document_goes_where_the_option_says(empty: Path, tmp_path: Path) -> None:
    file = tmp_path / "demo.json"

    done = gepass_command("demo", "-o", str(file), cwd=empty)

    assert done.stdout.endswith(f"\nThe registry document is in {file}.\n")
    assert (done.stderr, done.returncode) == ("", 0)
    assert len(gepass.RegistryDocument.from_json(file.read_bytes()).passes) == 5
    assert files(empty) == []


def test_a_missing_directory_is_an_error(empty: Path) -> None:
    done = gepass_command("demo", "-o", "missing/demo.json", cwd=empty)

    assert done.stderr in {
        f"gepass: error GP403: cannot write '{path}missing/demo.json': No such file or "
        "directory\n"
        for path in ("", f"{empty}/")
    }
    assert done.returncode == 1
    assert files(empty) == []
