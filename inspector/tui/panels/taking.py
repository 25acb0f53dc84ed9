"""Taking over a list that has changed: what a panel needs of it, made at once or, of a long list, on a thread.

A hundred thousand tools are weighed and named in a second of a processor, which no key should wait for.
"""

import asyncio
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from textual import work
from textual.widget import Widget

from inspector.protocol.things import Thing
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.subject import Stage, Subject
from inspector.viewmodels.garbage import set_apart

if TYPE_CHECKING:
    from inspector.viewmodels.since_seen import Memory

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


class Taking(Widget):
    """The part of a list of things that takes over what is listed."""

    _subject: Subject
    _stage: tuple[Stage, bool] | None
    _memory: "Memory | None" = None
    _awaited: tuple[Listing, ...] = ()
    """A long list that a thread reads now."""

    def read(self, listings: Sequence[Listing]) -> Sequence[Any]:
        """What the rows take, made of the lists; of our kinds, in their order. Any thread."""
        raise NotImplementedError

    def summary(self, things: Sequence[Any]) -> tuple[str, str]:
        """How many there are, and what else is worth a word. Any thread."""
        raise NotImplementedError

    def take(self, taken: Taken) -> None:
        """Show it."""
        raise NotImplementedError

    def bring(self, listings: tuple[Listing, ...]) -> None:
        """Take over a list, a long one as soon as a thread has read it."""
        if not is_long(listings):
            self._memory, self._awaited = self._subject.memory, ()
            self.take(self._read(listings))
        elif not self._awaited or any(map(operator.is_not, listings, self._awaited)):
            self._awaited = listings
            self._take_beside(listings)

    def await_nothing(self) -> None:
        """What a thread reads now is not wanted any more."""
        self._awaited = ()

    @work(exclusive=True, group="taking")
    async def _take_beside(self, listings: tuple[Listing, ...]) -> None:
        memory, taken = self._subject.memory, await asyncio.to_thread(self._read, listings)
        set_apart()
        if listings is self._awaited:
            self._memory, self._awaited, self._stage = memory, (), None
            self.take(taken)

    def _read(self, listings: tuple[Listing, ...]) -> Taken:
        things = self.read(listings)
        return Taken(listings, things, self.summary(things) if things else ("", ""), keys_of(things))
