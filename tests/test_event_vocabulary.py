"""The closed vocabulary of events (design section 7)."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from pydantic import TypeAdapter

import gepass
from gepass import events
from gepass.json_schemas import make_schema
from tests.support import pass_file, write
from tests.told import Fields, names_of, told

VOCABULARY = {
    "load_started",
    "path_accepted",
    "path_segment_dropped",
    "path_rejected",
    "entry_skipped",
    "module_loaded",
    "module_already_loaded",
    "module_failed",
    "module_registered_nothing",
    "pass_registered",
    "pass_rejected",
    "warning_raised",
    "load_finished",
}
LEVELS = {
    "entry_skipped": "debug",
    "path_rejected": "error",
    "module_failed": "error",
    "pass_rejected": "error",
    "module_registered_nothing": "warning",
    "warning_raised": "warning",
}
"""All others are told as information."""


def everything(d: Path) -> list[Fields]:
    """Make loads that tell every event of the vocabulary."""
    write(d / "_skipped.py")
    write(d / "a.py", pass_file("A"))
    write(d / "broken.py", "def f():\n    1 / 0\nf()\n")
    write(d / "nothing.py")
    write(d / "refused.py", pass_file(" "))
    write(d / "same.py", pass_file("A"))
    with told() as events_told:
        gepass.load_passes(f":{d}", on_error="isolate")
        write(d / "a.py", pass_file("Changed"))
        gepass.load_passes(str(d / "a.py"))
        with pytest.raises(gepass.PassPathNotFoundError):
            gepass.load_passes(f"{d}/missing:{d}")
    return events_told


class TestVocabulary:
    def test_is_closed(self) -> None:
        schema = TypeAdapter(events.AnyLoadEvent).json_schema(mode="serialization")

        assert set(schema["discriminator"]["mapping"]) == VOCABULARY
        classes = {
            cls
            for name in events.__all__
            if isinstance(cls := getattr(events, name), type)
            and issubclass(cls, events.LoadEvent)
        }
        assert len(classes - {events.LoadEvent}) == len(VOCABULARY)

    def test_every_event_occurs_and_carries_the_id_of_its_load(self, d: Path) -> None:
        events_told = everything(d)

        assert set(names_of(events_told)) == VOCABULARY
        load_id: object = None
        for event in events_told:
            if event["event"] == "load_started":
                load_id = event["load_id"]
            assert event["load_id"] == load_id
        assert len({event["load_id"] for event in events_told}) == 3

    def test_levels_tell_how_bad_it_is(self, d: Path) -> None:
        for event in everything(d):
            name = event["event"]
            assert event["level"] == LEVELS.get(str(name), "info")

    def test_json_02_every_event_is_strict_json_and_fits_its_schema(self, d: Path) -> None:
        """JSON-02: durations are the only floats, and finite."""
        validator = jsonschema.Draft202012Validator(json.loads(make_schema("load-event")))
        for event in everything(d):
            text = json.dumps(event, allow_nan=False)
            validator.validate(json.loads(text) | {"timestamp": "2026-01-01T00:00:00Z"})

    def test_events_are_values(self) -> None:
        event = events.PathSegmentDropped(load_id="1", position=0)

        assert event == events.PathSegmentDropped(load_id="1", position=0)
        with pytest.raises(AttributeError):
            event.position = 2  # type: ignore[misc] # on purpose
        assert len({event, events.PathSegmentDropped(load_id="1", position=0)}) == 1
