"""The tables of ``docs/reference.md``, made from the code.

``python -m tests.reference`` writes the page anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from gepass import environ, events
from gepass.errors import Code

PAGE = Path(__file__).parent.parent / "docs" / "reference.md"


def render() -> str:
    """Return the page as it must be."""
    return "\n".join(
        (
            "# Reference",
            "",
            "Made from the code by `python -m tests.reference`.",
            "",
            "## Codes of errors and warnings",
            "",
            *_table(("code", "meaning"), ((c.value, c.meaning) for c in Code)),
            "",
            "## Events",
            "",
            "All carry `load_id`. A line of the log file also has `timestamp` and `level`.",
            "",
            *_table(("event", "level", "fields"), _events()),
            "",
            "## Settings",
            "",
            "From the environment; they bind every load in the process, and arguments can",
            "only tighten them.",
            "",
            *_table(("variable", "values"), _settings()),
            "",
            "## Exit codes",
            "",
            *_table(
                ("code", "meaning"),
                (
                    ("0", "fine"),
                    ("1", "a problem was found"),
                    ("2", "wrong usage"),
                    ("130", "interrupted by Ctrl-C"),
                ),
            ),
            "",
        )
    )


def _events() -> Iterable[Sequence[str]]:
    union, *_ = get_args(events.AnyLoadEvent)
    for event in get_args(union):
        fields = {field.name: field.default for field in dataclasses.fields(event)}
        name = fields.pop("event")
        del fields["load_id"]
        yield f"`{name}`", event.level, ", ".join(f"`{field}`" for field in fields)


def _settings() -> Iterable[Sequence[str]]:
    yield f"`{environ.PASS_PATH}`", "files and directories, separated by `:`"
    for name, values in environ.SETTINGS.items():
        yield f"`{name}`", ", ".join(f"`{value}`" for value in values)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
