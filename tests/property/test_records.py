"""Properties of records and documents, whatever the names."""

from __future__ import annotations

import json
import random
import unicodedata
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gepass
from gepass.records import (
    DirectOrigin,
    EntryPointOrigin,
    EnvironmentOrigin,
    Generator,
    RecordSource,
    running_order,
)

FORBIDDEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
NAMES = st.text(
    st.characters(exclude_categories=FORBIDDEN), min_size=1, max_size=12
).filter(lambda text: text == text.strip())
ANY_NAMES = st.text(st.characters(exclude_categories=()), max_size=12)
ORIGINS = st.one_of(
    st.builds(EnvironmentOrigin, position=st.integers(0, 2**31 - 1)),
    st.builds(EntryPointOrigin, distribution=TEXT, entry_point=TEXT),
    st.just(DirectOrigin()),
)
SOURCES = st.builds(
    RecordSource,
    path=st.none() | TEXT,
    sha256=st.none() | st.text("0123456789abcdef", min_size=64, max_size=64),
    line=st.integers(1, 2**31 - 1),
)
STAGES = list(gepass.PassStage)


@st.composite
def records(draw: st.DrawFn) -> gepass.RegistrationRecord:
    """Draw a record that a registration can make."""
    kind = draw(st.sampled_from(gepass.PassKind))
    op_types = draw(st.lists(NAMES, min_size=1, max_size=3).map(tuple))
    return gepass.RegistrationRecord(
        pass_name=draw(NAMES),
        module_name=draw(TEXT),
        class_name=draw(TEXT),
        stage=draw(st.sampled_from(STAGES)),
        kind=kind,
        op_types=op_types if kind is gepass.PassKind.DECOMPOSE else (),
        source=draw(SOURCES),
        origin=draw(ORIGINS),
    )


LISTS = st.lists(records(), max_size=6, unique_by=lambda record: record.pass_name)


def document(made: list[gepass.RegistrationRecord]) -> gepass.RegistryDocument:
    generator = Generator(name="gepass", version="1.0.0")
    return gepass.RegistryDocument.from_records(made, generator)


@given(records())
def test_a_record_survives_the_round_trip(record: gepass.RegistrationRecord) -> None:
    text = record.model_dump_json()

    assert gepass.RegistrationRecord.model_validate_json(text) == record
    assert json.loads(text)["descriptor_key"] == record.descriptor_key


@given(LISTS)
def test_a_document_survives_the_round_trip(made: list[gepass.RegistrationRecord]) -> None:
    data = document(made).to_json()
    read = gepass.RegistryDocument.from_json(data)

    assert read == document(made)
    assert read.to_json() == data
    assert len(data.splitlines()) >= 4
    json.loads(data.decode())


@given(LISTS, st.randoms(use_true_random=False))
def test_bytes_and_digest_do_not_depend_on_the_order_of_registration(
    made: list[gepass.RegistrationRecord], shuffler: random.Random
) -> None:
    shuffled = list(made)
    shuffler.shuffle(shuffled)

    assert document(shuffled).to_json() == document(made).to_json()
    assert document(shuffled).digest == document(made).digest


@given(LISTS)
def test_every_change_of_a_record_changes_the_digest(
    made: list[gepass.RegistrationRecord],
) -> None:
    whole = document(made).digest
    for index in range(len(made)):
        assert document(made[:index] + made[index + 1 :]).digest != whole


@given(LISTS)
def test_running_order_is_by_stage_and_then_by_the_bytes_of_the_name(
    made: list[gepass.RegistrationRecord],
) -> None:
    expected = sorted(
        made, key=lambda r: (STAGES.index(r.stage), r.pass_name.encode("utf-8"))
    )

    assert list(running_order(made)) == expected


@given(ANY_NAMES)
def test_a_name_is_refused_if_and_only_if_it_cannot_be_read_alike(name: str) -> None:
    class Pass(gepass.FusionBasePass):
        def run(self, graph: object, context: object) -> None:
            """Do nothing."""

    categories = {unicodedata.category(character) for character in name}
    is_good = bool(name) and name == name.strip() and categories.isdisjoint(FORBIDDEN)
    registry = gepass.default_registry()
    register = gepass.register_fusion_pass(name=name, stage="AfterInferShape")
    if is_good:
        register(Pass)
        assert [record.pass_name for record in registry] == [name]
        registry.clear()
        return
    with pytest.raises(gepass.RegistrationValueError) as caught:
        register(Pass)
    assert len(str(caught.value).splitlines()) == 1
    str(caught.value).encode("utf-8")
    assert len(registry) == 0
