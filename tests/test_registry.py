"""What a registry answers, and how loads put passes into it."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gepass
from gepass.errors import Code
from gepass.records import DirectOrigin, RecordSource, RegistrationRecord
from gepass.registry import Registration
from tests.support import Runs, pass_file, write


class Pass(gepass.FusionBasePass):
    def run(self, graph: object, context: object) -> None:
        """Do nothing."""


def registration(
    name: str, *, stage: str = "BeforeInferShape", line: int = 1
) -> Registration:
    record = RegistrationRecord(
        pass_name=name,
        module_name="module",
        class_name="Pass",
        stage=gepass.PassStage(stage),
        kind=gepass.PassKind.FUSION_BASE,
        source=RecordSource(path="/passes/a.py", sha256=None, line=line),
        origin=DirectOrigin(),
    )
    return Registration(record=record, pass_class=Pass)


def registry_of(*names: str) -> gepass.PassRegistry:
    registry = gepass.PassRegistry()
    registry.add_all([registration(name) for name in names])
    return registry


def names(registry: gepass.PassRegistry) -> list[str]:
    return [record.pass_name for record in registry]


class TestQueries:
    def test_records_come_in_registration_order(self) -> None:
        registry = registry_of("b", "a", "C")

        assert names(registry) == ["b", "a", "C"]
        assert registry.records() == tuple(registry)
        assert len(registry) == 3

    def test_an_empty_registry_is_empty(self) -> None:
        registry = gepass.PassRegistry()

        assert (registry.records(), list(registry), len(registry)) == ((), [], 0)

    def test_find_answers_none_where_get_raises(self) -> None:
        registry = registry_of("b", "a")

        assert registry.get("a") is registry.find("a")
        assert registry.get_class("a") is Pass
        assert registry.find("c") is None
        for get in (registry.get, registry.get_class):
            with pytest.raises(gepass.PassNotFoundError) as caught:
                get("c")
            assert str(caught.value) == (
                "no pass called 'c' is registered; registered: a, b"
            )
            assert caught.value.code is Code.PASS_NOT_FOUND

    def test_get_says_when_nothing_is_registered(self) -> None:
        with pytest.raises(gepass.PassNotFoundError) as caught:
            gepass.PassRegistry().get("c\n")
        assert str(caught.value) == (
            "no pass called 'c\\n' is registered; registered: none"
        )

    def test_by_stage_gives_the_running_order(self) -> None:
        registry = gepass.PassRegistry()
        for name in ("pass_2", "a", "pass_10", "Z", "é", "融"):
            registry.add(registration(name, stage="AfterInferShape"))
        registry.add(registration("other"))

        stage = gepass.PassStage.AFTER_INFER_SHAPE
        assert [record.pass_name for record in registry.by_stage(stage)] == [
            "Z",
            "a",
            "pass_10",
            "pass_2",
            "é",
            "融",
        ]
        assert registry.by_stage(gepass.PassStage.AFTER_BUILTIN_FUSION_PASS) == ()

    def test_clear_forgets_and_frees_the_names(self) -> None:
        registry = registry_of("a")
        registry.clear()
        assert registry.records() == ()

        registry.add(registration("a"))
        assert names(registry) == ["a"]

    def test_remove_forgets_these_classes_and_not_others_of_the_name(self) -> None:
        registry = registry_of("a", "b")
        stranger = Registration(
            record=registration("a").record, pass_class=type("Other", (Pass,), {})
        )
        registry.remove([stranger, registration("b"), registration("c")])

        assert names(registry) == ["a"]

    def test_the_default_registry_is_one(self) -> None:
        assert gepass.default_registry() is gepass.default_registry()


class TestDuplicates:
    def test_the_first_stays_and_the_error_names_both_places(self) -> None:
        registry = registry_of("a")
        with pytest.raises(gepass.DuplicatePassError) as caught:
            registry.add(registration("a", line=9))

        assert str(caught.value) == (
            "the pass name 'a' is registered twice: first by class Pass, "
            "/passes/a.py:1, then by class Pass, /passes/a.py:9; give one of them "
            "another name"
        )
        assert caught.value.code is Code.DUPLICATE_PASS
        assert caught.value.name == "a"
        assert caught.value.first == "class Pass, /passes/a.py:1"
        assert caught.value.second == "class Pass, /passes/a.py:9"
        assert registry.get("a").source.line == 1

    def test_add_all_is_all_or_nothing(self) -> None:
        registry = registry_of("a")
        with pytest.raises(gepass.DuplicatePassError):
            registry.add_all([registration("b"), registration("a")])
        with pytest.raises(gepass.DuplicatePassError):
            registry.add_all([registration("c"), registration("c")])

        assert names(registry) == ["a"]

    def test_the_same_registration_again_is_a_duplicate_outside_a_load(self) -> None:
        entry = registration("a")
        registry = gepass.PassRegistry()
        registry.add(entry)
        with pytest.raises(gepass.DuplicatePassError):
            registry.add(entry)

    def test_two_registries_know_nothing_of_each_other(self) -> None:
        assert names(registry_of("a")) == names(registry_of("a"))

    def test_a_file_against_a_registration_of_the_host(self, d: Path, runs: Runs) -> None:
        gepass.register_fusion_pass(name="A", stage="AfterInferShape")(Pass)
        line = sys._getframe().f_lineno - 1
        path = write(d / "a.py", pass_file("A"))
        with pytest.raises(gepass.DuplicatePassError) as caught:
            gepass.load_passes(str(d))

        assert str(caught.value) == (
            f"the pass name 'A' is registered twice: first by class Pass, "
            f"{__file__}:{line}, then by class Pass, {path}:6; give one of them "
            "another name"
        )
        assert runs.files == ["a.py"]
        assert names(gepass.default_registry()) == ["A"]
        assert gepass.default_registry().get_class("A") is Pass


class TestTransactions:
    def test_what_a_load_registers_shows_when_it_is_committed(self) -> None:
        registry = registry_of("a")
        transaction = registry.begin()
        batch = transaction.open_batch(0)
        batch.entries.append(registration("b"))
        with ThreadPoolExecutor(1) as other_thread:
            assert other_thread.submit(names, registry).result() == ["a"]
            assert names(registry) == ["a", "b"]
            transaction.stage(batch)
            assert other_thread.submit(names, registry).result() == ["a"]
            transaction.commit()
            assert other_thread.submit(names, registry).result() == ["a", "b"]

    def test_batches_are_committed_in_scan_order(self) -> None:
        registry = gepass.PassRegistry()
        transaction = registry.begin()
        for order, name in ((2, "c"), (0, "a"), (1, "b")):
            batch = transaction.open_batch(order)
            batch.entries.append(registration(name))
            transaction.stage(batch)
        committed = transaction.commit()

        assert [entry.record.pass_name for entry in committed] == ["a", "b", "c"]
        assert names(registry) == ["a", "b", "c"]

    def test_a_staged_name_is_taken_for_everybody(self) -> None:
        registry = gepass.PassRegistry()
        transaction = registry.begin()
        batch = transaction.open_batch(0)
        batch.entries.append(registration("a"))
        transaction.stage(batch)
        with pytest.raises(gepass.DuplicatePassError):
            registry.add(registration("a"))

        transaction.roll_back()
        registry.add(registration("a"))
        assert names(registry) == ["a"]

    def test_a_dropped_batch_leaves_nothing(self) -> None:
        registry = gepass.PassRegistry()
        transaction = registry.begin()
        kept, dropped = transaction.open_batch(0), transaction.open_batch(1)
        kept.entries.append(registration("a"))
        dropped.entries.append(registration("b"))
        transaction.stage(kept)
        transaction.stage(dropped)
        transaction.drop(dropped)
        transaction.commit()

        assert names(registry) == ["a"]
        registry.add(registration("b"))

    def test_a_duplicate_inside_a_batch_claims_nothing(self) -> None:
        registry = gepass.PassRegistry()
        transaction = registry.begin()
        batch = transaction.open_batch(0)
        other = Registration(
            record=registration("a", line=5).record, pass_class=type("B", (Pass,), {})
        )
        batch.entries += [registration("b"), registration("a"), other]
        with pytest.raises(gepass.DuplicatePassError):
            transaction.stage(batch)

        registry.add_all([registration("a"), registration("b")])
        assert names(registry) == ["a", "b"]

    def test_readers_and_writers_in_many_threads_lose_nothing(self) -> None:
        registry = gepass.PassRegistry()
        stop = threading.Event()

        def read() -> bool:
            consistent = True
            while not stop.is_set():
                seen = names(registry)
                consistent &= len(seen) == len(set(seen))
            return consistent

        def add(thread: int) -> None:
            for number in range(50):
                registry.add(registration(f"{thread}-{number}"))

        with ThreadPoolExecutor(6) as pool:
            readers = [pool.submit(read) for _ in range(2)]
            writers = [pool.submit(add, thread) for thread in range(4)]
            for writer in writers:
                writer.result(timeout=60)
            stop.set()
            assert all(reader.result(timeout=60) for reader in readers)

        assert len(registry) == 200


def test_r15_records_stand_in_scan_order_whoever_imports_first(d: Path) -> None:
    write(d / "a.py", pass_file("A", before="import c\n"))
    write(d / "b.py", pass_file("B1", after=pass_file("B2")))
    write(d / "c.py", pass_file("C"))
    gepass.load_passes(str(d))

    assert names(gepass.default_registry()) == ["A", "B1", "B2", "C"]
