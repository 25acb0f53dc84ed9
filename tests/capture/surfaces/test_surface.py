"""A surface is what a conversation shows of a server at its end, and nothing of the moment."""

from typing import Any

from inspector.capture.load import load
from inspector.capture.surfaces.surface import name_of, surface_of, things_of
from tests.captures.record import sample


def test_the_surface_of_a_recorded_day() -> None:
    journal = load(sample("lighthouse"))
    try:
        surface = surface_of(journal.conversation)
        count = len(journal.conversation.catalogue.tools)
    finally:
        journal.close()
    assert surface.is_known
    assert name_of(surface)
    names = [tool["name"] for tool in surface.lists["tools"]]
    assert (len(names), names) == (count, sorted(names))
    assert surface.partial == ()


def test_things_stand_in_the_order_of_their_keys_without_what_tells_of_now() -> None:
    one: dict[str, Any] = {"uri": "b", "name": "n", "size": 7, "annotations": {"lastModified": "today"}}
    other: dict[str, Any] = {"uri": "a", "name": "n", "annotations": {"lastModified": "today", "priority": 1.0}}
    kept = ({"annotations": {"priority": 1}, "name": "n", "uri": "a"}, {"name": "n", "uri": "b"})
    assert things_of("resources", [one, other]) == things_of("resources", [other, one]) == kept
    assert things_of("tools", ["odd", {"name": "x", "size": 7}]) == ("odd", {"name": "x", "size": 7})
