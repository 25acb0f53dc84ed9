"""Taking over a list that has changed: what a panel needs of it, made at once or, of a long list, on a thread.

A hundred thousand tools are weighed and named in a second of a processor, which no key should wait for.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from inspector.protocol.things import Thing
from inspector.protocol.tracking.catalogue import Listing

MANY = 2000
"""Things from which on a list is taken over on a thread."""


class Taken(NamedTuple):
    """A list as a panel shows it."""

    listings: tuple[Listing, ...] = ()
    things: Sequence[Any] = ()
    """What its rows take."""
    summary: tuple[str, str] = ("", "")
    keys: frozenset[tuple[type[Thing], str]] = frozenset()


def is_long(listings: Sequence[Listing]) -> bool:
    """Whether it takes so long that it is done on a thread."""
    return sum(len(listing.items) for listing in listings) > MANY


def keys_of(things: Sequence[Any]) -> frozenset[tuple[type[Thing], str]]:
    """By what things are known, which stand in a list alone or each in an offer."""
    found = (getattr(each, "thing", each) for each in things)
    return frozenset((type(thing), thing.key) for thing in found)
