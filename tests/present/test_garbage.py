"""Garbage collection skips what lives long."""

import gc

import pytest

from inspector.present.gc_control import MANY, freeze_young, no_collection


@pytest.fixture(autouse=True)
def _young(freezes: None) -> None:
    """Nothing waits for a collection at first."""
    gc.collect()


def test_many_objects_made_without_a_collection_are_never_looked_at() -> None:
    with no_collection():
        made: list[list[int]] = [[] for _ in range(MANY + 1)]
    assert gc.get_freeze_count() > MANY
    assert gc.get_count()[0] < MANY
    assert (gc.isenabled(), len(made)) == (True, MANY + 1)


def test_few_objects_stay_with_the_collector() -> None:
    frozen = gc.get_freeze_count()
    with no_collection():
        made: list[list[int]] = [[] for _ in range(100)]
        assert not gc.isenabled()
    assert (gc.get_freeze_count(), len(made)) == (frozen, 100)


def test_freeze_young_freezes_long_lived_objects() -> None:
    held: list[list[int]] = [[] for _ in range(1000)]
    gc.collect()
    freeze_young()
    assert gc.get_freeze_count() > len(held)
