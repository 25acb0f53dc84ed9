"""A list of things with its search line. It tells which one is meant once the cursor rests, and at once on Enter.

Rows are drawn only where they are in sight, so ten thousand things are listed as fast as ten. A list that is fetched
anew leaves cursor, place and search alone, and the thing that is meant stays meant when it has gone from the list.
"""

import asyncio
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from textual import work
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from inspector.present.gc_control import freeze_young
from inspector.present.list_changes import marks_of
from inspector.present.rows import RowSource
from inspector.present.spans import Span
from inspector.protocol.json_diff import THINGS
from inspector.protocol.things import LISTS, ListedItem
from inspector.protocol.tracking.catalogue import Listing
from inspector.text import visible
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.screens.items.steps import JudgedList, ListHead, StepList
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.search_bar import SearchBar
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.present.list_changes import RememberedServer


# --- Taking over a list that has changed: what a panel needs of it, made at once or, of a long list, on a thread.

MANY = 2000
"""Things from which on a list is taken over on a thread."""


class LoadedList(NamedTuple):
    """A list as a panel shows it."""

    listings: tuple[Listing, ...] = ()
    things: Sequence[Any] = ()
    """What its rows take."""
    summary: tuple[str, str] = ("", "")
    keys: frozenset[tuple[type[ListedItem], str]] = frozenset()


def is_long(listings: Sequence[Listing]) -> bool:
    """Whether it takes so long that it is done on a thread."""
    return sum(len(listing.items) for listing in listings) > MANY


def keys_of(things: Sequence[Any]) -> frozenset[tuple[type[ListedItem], str]]:
    """By what things are known, which stand in a list alone or each in an offer."""
    found = (getattr(each, "thing", each) for each in things)
    return frozenset((type(thing), thing.key) for thing in found)


class AsyncListLoader(Widget):
    """The part of a list of things that takes over what is listed."""

    _subject: OpenConversation
    _stage: tuple[ConversationStage, bool] | None
    _memory: "RememberedServer | None" = None
    _awaited: tuple[Listing, ...] = ()
    """A long list that a thread reads now."""

    def read(self, listings: Sequence[Listing]) -> Sequence[Any]:
        """What the rows take, made of the lists; of our kinds, in their order. Any thread."""
        raise NotImplementedError

    def summary(self, things: Sequence[Any]) -> tuple[str, str]:
        """How many there are, and what else is worth a word. Any thread."""
        raise NotImplementedError

    def take(self, taken: LoadedList) -> None:
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
        freeze_young()
        if listings is self._awaited:
            self._memory, self._awaited, self._stage = memory, (), None
            self.take(taken)

    def _read(self, listings: tuple[Listing, ...]) -> LoadedList:
        things = self.read(listings)
        return LoadedList(listings, things, self.summary(things) if things else ("", ""), keys_of(things))


# --- Searching a list of things: a short one at once, a long one on a thread. Only the newest search counts.


class ListSearch(Widget):
    """The part of a list of things that is searched."""

    _rows: "ThingRows"
    _things: Sequence[Any]
    _sought: tuple[Sequence[Any], str] | None = None
    """What a thread searches, and for what."""

    def show_found(self, *, taken: bool) -> None:
        """Show the rows, which are other ones. `taken`: because the things are."""
        raise NotImplementedError

    def seek(self, wanted: str, *, taken: bool) -> None:
        """Show what matches, of a long list as soon as a thread has searched it."""
        if not wanted.strip() or len(self._things) <= MANY:
            self._sought = None
            self._rows.replace(self._things, wanted)
            self.show_found(taken=taken)
        else:
            self._sought = self._things, wanted
            self._seek_beside(taken=taken)

    @work(exclusive=True, group="seeking")
    async def _seek_beside(self, *, taken: bool) -> None:
        meant = self._sought
        if meant is None:
            return
        rows = await asyncio.to_thread(self._rows.sought, *meant, lambda: self._sought is meant)
        if self._sought is meant and meant[0] is self._things:
            self._sought = None
            self._rows.show(rows)
            self.show_found(taken=taken)


_NARROW = 36
"""Cells of a line in an empty list: at 80 columns the list has a few more."""
_REST = 0.1
"""Seconds that the cursor rests on a thing before it is meant."""


class ThingRows(RowSource, Protocol):
    """Rows that know their things."""

    marks: Mapping[str, str]
    """By key, "new" or "changed"; set before `replace`."""

    found: "Callable[[Any], Sequence[Finding]]"
    """What checks have found about a thing."""

    def judged(self) -> None:
        """Rows may look otherwise: checks have found something."""

    def replace(self, things: Sequence[Any], wanted: str = "") -> None:
        """Show other things, or the same after another search."""

    def sought(self, things: Sequence[Any], wanted: str, goes_on: Callable[[], bool] = ...) -> Sequence[Any]:
        """The rows that a search finds; of no meaning once it does not go on. Any thread."""

    def show(self, rows: Any) -> None:
        """Show what a search has found."""

    def thing(self, index: int) -> ListedItem:
        """The thing in a row."""


@dataclass(frozen=True, slots=True)
class ListWords:
    """How things of one kind are spoken of."""

    one: str
    many: str
    search: str
    """What is searched."""


class ThingSide(JudgedList, AsyncListLoader, ListSearch, StepList):
    """Things of one kind that a server offers, to choose one."""

    DEFAULT_CSS = """
    ThingSide { layout: vertical; }
    ThingSide SearchBar { display: none; }
    ThingSide.-searching SearchBar { display: block; }
    """

    class Chosen(Message):
        """Another thing is meant; `opened` if the reader wants to work with it."""

        def __init__(self, thing: ListedItem | None, *, opened: bool) -> None:
            super().__init__()
            self.thing = thing
            self.opened = opened

    def __init__(self, subject: OpenConversation, rows: ThingRows, words: ListWords) -> None:
        super().__init__()
        self._subject = subject
        self._rows = rows
        self._rows.found = self.own_findings
        self._words = words
        self._listings: tuple[Listing, ...] = ()
        self._things: Sequence[Any] = ()
        self._summary = ("", "")
        self._searched = ""
        self._told: ListedItem | None = None
        self._gone_at: int | None = None
        """Where the cursor was put when the thing that is meant went away; None while it is there."""
        self._keys: frozenset[tuple[type[ListedItem], str]] = frozenset()
        self._timer: Timer | None = None
        self._opens = False
        """Whether the first that is found is to be worked with."""
        self._stage: tuple[ConversationStage, bool] | None = None
        self._line = StatusLine()
        self.head = ListHead()
        """What the lists have to say beside their items."""
        self._bar = SearchBar("search", placeholder=words.search)
        self._list = LogList(self._rows)

    def compose(self) -> ComposeResult:
        """What there is, the search, the list."""
        yield self._line
        yield self.head
        yield self._bar
        yield self._list

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        return self._list.is_mounted and self._bar.is_mounted

    def sync(self) -> None:
        """Take over a list that has changed. Nearly free while none has."""
        known = self._subject.journal.conversation.catalogue.listings
        listings = tuple(known[kind] for kind in self.kinds)
        self.head.sync(self._subject, self.kinds)
        self.sync_badges()
        stage = (self._subject.stage, self._subject.listing in self.kinds)
        is_remembered_anew = self._subject.memory is not self._memory
        if (
            is_remembered_anew
            or len(listings) != len(self._listings)
            or any(map(operator.is_not, listings, self._listings))
        ):
            if self._subject.listing in self.kinds and _is_half(listings, self._listings):
                return
            self.bring(listings)
        elif stage == self._stage:
            return
        self._stage = stage
        rows = self._list
        rows.empty = _empty(self._subject, self.kinds, self._words, listings, hidden=bool(self._things))
        rows.refresh()
        self._say()

    def rebind(self, subject: OpenConversation) -> None:
        """Show the things of another conversation; until they come, those of the one before stay.

        Of a recording it is another moment, and what was not listed then does not stay.
        """
        self._subject = subject
        self._stage = None
        self.await_nothing()
        if not subject.can_act:
            self._listings, self._things, self._summary = (), (), ("", "")

    def has_lost(self, thing: ListedItem | None) -> bool:
        """Whether a thing was listed once and is no more. Known only of a list that was fetched to its end."""
        if thing is None or not self._listings or not all(each.next_cursor is None for each in self._listings):
            return False
        known = self._subject.journal.conversation.catalogue.listings
        asked = all(known[kind].asked for kind in self.kinds if THINGS[kind] is type(thing))
        return asked and (type(thing), thing.key) not in self._keys

    def take(self, taken: LoadedList) -> None:
        if self._things and not any(listing.asked for listing in taken.listings):
            return
        self._listings, self._things, self._summary, self._keys = taken
        self._rows.marks = {**marks_of(self.head.known), **_marks_since(self._memory, self.kinds)}
        self._search(taken=True)
        self.refresh_bindings()

    def _search(self, *, taken: bool = False) -> None:
        """Show what matches. `taken`: the things are other ones, and the reader has done nothing."""
        self._searched = self._bar.text
        self.seek(self._searched, taken=taken)

    def show_found(self, *, taken: bool) -> None:
        wanted, told, rows = self._searched, self._told, self._list
        was_at, offset = rows.view.cursor, rows.view.cursor - rows.view.top
        rows.sync()
        count, at = self._rows.count, _place_of(told, self._rows, self._keys)
        lost = taken and told is not None and at is None
        rows.go_to(at if at is not None else min(max(was_at, 0), count - 1) if lost else 0)
        if taken and was_at >= 0:
            rows.view.scroll_to(rows.view.cursor - offset)
        self._gone_at = rows.view.cursor if lost else None
        self._bar.say_count(count if wanted else None, of=len(self._things))
        opened, self._opens = self._opens, False
        self._mean(opened=opened)

    def _say(self) -> None:
        count, rest = self._summary
        every: list[Span] = [(count or self._words.many.capitalize(), "title"), (rest, "faint")]
        self._line.show(every)

    @property
    def chosen(self) -> ListedItem | None:
        """The thing under the cursor."""
        cursor = self._list.view.cursor
        return self._rows.thing(cursor) if 0 <= cursor < self._rows.count else None

    def _mean(self, *, opened: bool = False) -> None:
        """Tell which thing is meant, if that is another one."""
        if self._gone_at is not None and not opened and self._list.view.cursor == self._gone_at:
            return
        self._gone_at = None
        thing = self.chosen
        if opened or thing != self._told:
            self._told = thing
            self.post_message(self.Chosen(thing, opened=opened))

    def settle(self) -> Chosen | None:
        """Mean what the cursor is on without waiting any longer; what is to be done then, None if nothing is."""
        if self._timer is not None:
            self._timer.stop()
        if self.chosen == self._told or (self._gone_at is not None and self._list.view.cursor == self._gone_at):
            return None
        self._gone_at, self._told = None, self.chosen
        return self.Chosen(self._told, opened=False)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Wait until the cursor rests."""
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_REST, self._mean)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Work with it, or with what is found where that is still sought."""
        event.stop()
        self._opens = self._sought is not None
        if not self._opens:
            self._mean(opened=True)

    def search(self) -> None:
        """Let keys go to the search line."""
        self.add_class("-searching")
        self._bar.focus()
        self._bar.select_all()

    def end_search(self) -> bool:
        """Show all again; whether some were hidden."""
        bar = self._bar
        if not self.has_class("-searching") and not bar.text:
            return False
        bar.text = ""
        self.remove_class("-searching")
        self._list.focus()
        return True

    def focus_list(self) -> None:
        """Focus the list."""
        self._list.focus()

    def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        """Search."""
        event.stop()
        if event.text != self._searched:
            self._search()

    def on_search_bar_done(self, event: SearchBar.Done) -> None:
        """Go to what was found."""
        event.stop()
        if not event.control.text:
            self.remove_class("-searching")
        self._list.focus()


def _marks_since(memory: "RememberedServer | None", kinds: tuple[str, ...]) -> Mapping[str, str]:
    """What is to be approved, by key."""
    if memory is None or not memory.alarms:
        return {}
    from inspector.present.list_changes import marks_since

    return marks_since(memory, kinds)


def _is_half(listings: Sequence[Listing], before: Sequence[Listing]) -> bool:
    """Whether more pages are about to come: until then, what was listed before stays in sight."""
    pairs = zip(listings, before, strict=False)
    return any(new.next_cursor is not None and len(new.items) < len(old.items) for new, old in pairs)


def _empty(
    subject: OpenConversation, kinds: tuple[str, ...], words: ListWords, listings: Sequence[Listing], *, hidden: bool
) -> list[list[Span]]:
    """What stands in an empty list: why, and what can be done. `hidden`: a search hides what there is."""
    one, many = words.one, words.many
    if hidden:
        return [[(f"No {one} matches", "muted")], [("Esc shows all again", "faint")]]
    if subject.stage is ConversationStage.CONNECTING or subject.listing in kinds:
        return [[(f"Fetching the {many}", "muted")]]
    if any(listing.asked for listing in listings):
        return [[(f"The server has no {many}", "muted")]]
    opening = subject.opening
    if opening and not any(LISTS[kind].capability in opening.capabilities for kind in kinds):
        return [[(f"The server declares no {many}", "muted")]]
    if why := next(filter(None, map(subject.stopped, kinds)), ""):
        said: list[list[Span]] = [[(line, "text")] for line in wrap(visible(why, limit=300), _NARROW)]
        return [[(f"{glyphs().error} The {many} can't be listed", "error")], *said]
    if subject.journal.live and not subject.can_act:
        return [[(f"The {many} have not been listed yet", "muted")]]
    return [[(f"The {many} were never listed", "muted")]]


def _place_of(thing: ListedItem | None, rows: ThingRows, keys: frozenset[tuple[type[ListedItem], str]]) -> int | None:
    """In which row it is. Another one with its key is sought only where there is one: that is slow."""
    places = range(rows.count)
    here = next((at for at in places if rows.thing(at) is thing), None)
    if here is not None or thing is None or (type(thing), thing.key) not in keys:
        return here
    return next((at for at in places if _same(rows.thing(at), thing)), None)


def _same(one: ListedItem, other: ListedItem) -> bool:
    return type(one) is type(other) and one.key == other.key
