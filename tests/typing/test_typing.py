"""What type checkers say of user code, and of gepass's own signatures."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import gepass

HERE = Path(__file__).parent


def mypy(file: Path, cache: Path) -> list[str]:
    """Check a file as a user's strict project does, and return the lines of the answer."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            "--no-error-summary",
            f"--cache-dir={cache}",
            file.name,
        ],
        cwd=file.parent,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_user_code_passes_strict_type_checks(tmp_path: Path) -> None:
    assert mypy(HERE / "user_pass.py", tmp_path) == []


def test_mistakes_are_reported_each_on_its_line(tmp_path: Path) -> None:
    file = HERE / "wrong_use.py"
    expected: Counter[tuple[int, str]] = Counter()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        _, _, codes = line.partition("# error: ")
        expected.update((number, code) for code in codes.split(", ") if code)
    found: Counter[tuple[int, str]] = Counter()
    for line in mypy(file, tmp_path):
        match = re.fullmatch(rf"{file.name}:(\d+): error: .* \[([a-z-]+)\]", line)
        if match is not None:
            found[int(match[1]), match[2]] += 1

    assert found == expected
    assert len(expected) > 20


def test_no_public_signature_holds_any(tmp_path: Path) -> None:
    """Hooks of passes are the exception: they may be written in several forms."""
    lines = ["import gepass"]
    for name in gepass.__all__:
        lines.append(f"reveal_type(gepass.{name})")
        value: object = getattr(gepass, name)
        if isinstance(value, type):
            lines.append(f"def of_{name}(one: gepass.{name}) -> None:")
            members = {**vars(value), **inspect.get_annotations(value)}
            lines += [
                f"    reveal_type(one.{member})"
                for member in members
                if not member.startswith(("_", "model_"))
            ]
            lines.append("    return")
    file = tmp_path / "revealed.py"
    file.write_text("\n".join(lines) + "\n")
    answers = mypy(file, tmp_path / "cache")

    revealed = [line for line in answers if "Revealed type" in line]
    assert len(revealed) == sum("reveal_type" in line for line in lines)
    open_hooks = "(*Any, **Any)"
    assert [line for line in revealed if "Any" in line.replace(open_hooks, "")] == []
    assert len(answers) == len(revealed)
