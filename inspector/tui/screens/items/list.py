"""List of tools, resources or prompts: loading, searching, badges of findings, and the lines above the rows.

It reports the chosen item once the cursor rests, and at once on Enter. Only visible rows are drawn, so ten thousand
items are as fast as ten. A refreshed list keeps cursor, scroll position and search; the chosen item stays chosen
even if the list no longer has it.
"""

import operator
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.checks.findings import Finding
from inspector.present.changes.lists import ListNews, RememberedServer, head_lines, marks_of, marks_since, news_lines
from inspector.present.gc_control import freeze_young
from inspector.present.items import SearchedRows
from inspector.present.spans import Span
from inspector.protocol.changes import THINGS
from inspector.protocol.listed_items import LISTS, ListedItem
from inspector.protocol.tracking.catalogue import Listing
from inspector.text import clock, visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.input_queue import FIRST_LOAD, forget_postponed, postpone, settling
from inspector.tui.screens.items.model import findings_about, own_findings, shared_lines
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.search_bar import SearchBar
from inspector.tui.widgets.virtual_list import LogList

MANY = 2000
"""Lists with more items than this are loaded and searched on a thread."""
_GROWTH = 1.25
"""Growth factor of a long list before it is read again while more pages arrive."""
_NARROW = 36
"""Line width in an empty list; at 80 columns the list is slightly wider."""
_REST_S = 0.1
"""Seconds that the cursor must rest on an item to choose it, while it moves from item to item."""
_FIRST_REST_S = 0.02
"""The same after a single step: enough to paint the cursor before the form."""


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A kind of item: its lists, the method that requests an item, and the names to display."""

    kinds: tuple[str, ...]
    """Lists of the catalogue that are shown as one."""
    one: str
    many: str
    search: str
    """Placeholder of the search bar."""
    read: Callable[[Sequence[Listing]], Sequence[Any]]
    """Converts the lists, in the order of `kinds`, to the rows' input. Callable on any thread."""
    summary: Callable[[Sequence[Any]], tuple[str, str]]
    """Returns the count and an additional remark as texts. Callable on any thread."""
    method: str
    """Method that requests an item."""
    made: Callable[[ListedItem, str], bool]
    """Returns whether a recorded request with this target was for the item."""


# Loading and searching


class LoadedList(NamedTuple):
    """A list that is ready to be shown."""

    listings: tuple[Listing, ...] = ()
    items: Sequence[Any] = ()
    """Input of the rows."""
    summary: tuple[str, str] = ("", "")
    keys: frozenset[tuple[type[ListedItem], str]] = frozenset()
    memory: RememberedServer | None = None
    """Comparison with the server's baseline when the list was loaded."""


def keys_of(items: Sequence[Any]) -> frozenset[tuple[type[ListedItem], str]]:
    """Return type and key of each item; the list holds items or offers that wrap one."""
    return frozenset((type(item), item.key) for item in (getattr(each, "item", each) for each in items))


class ListLoader:
    """Prepares lists to be shown, short ones at once, long ones on a thread. Only the newest list counts."""

    def __init__(self, owner: Widget, kind: ItemKind, show: Callable[[LoadedList], None]) -> None:
        self._owner = owner
        self._kind = kind
        self._show = show
        self._awaited: tuple[Listing, ...] = ()
        """Long list that a thread is reading."""
        self._has_shown = False

    def load(self, listings: tuple[Listing, ...], memory: RememberedServer | None) -> None:
        """Prepare and show a list; a long one is shown once a thread has read it."""
        if sum(len(listing.items) for listing in listings) <= MANY:
            self._awaited = ()
            self._show_loaded(self._read(listings, memory))
        elif not self._awaited or any(map(operator.is_not, listings, self._awaited)):
            self._awaited = listings

            async def load() -> None:
                loaded = await read_on_thread(self._read, listings, memory)
                freeze_young()
                if listings is self._awaited:
                    self._awaited = ()
                    self._show_loaded(loaded)

            if self._has_shown:
                self._owner.run_worker(load, group=FIRST_LOAD, exclusive=True)  # type: ignore[arg-type]
            else:
                settling(self._owner, FIRST_LOAD, load)

    def _show_loaded(self, loaded: LoadedList) -> None:
        self._has_shown = self._has_shown or bool(loaded.items)
        self._show(loaded)

    def stop(self) -> None:
        """Discard the list that a thread is reading."""
        self._awaited = ()

    def _read(self, listings: tuple[Listing, ...], memory: RememberedServer | None) -> LoadedList:
        items = self._kind.read(listings)
        summary = self._kind.summary(items) if items else ("", "")
        return LoadedList(listings, items, summary, keys_of(items), memory)


class ListSearch:
    """Searches the items of a list, a short one at once, a long one on a thread. Only the newest search counts."""

    def __init__(self, owner: Widget, rows: SearchedRows, show: Callable[[Callable[[], None]], None]) -> None:
        """`show` gets a function that puts the matches into `rows`."""
        self._owner = owner
        self._rows = rows
        self._show = show
        self._things: Sequence[Any] = ()
        self._running: tuple[Sequence[Any], str] | None = None
        """Items and text of the search that runs on a thread."""

    @property
    def is_running(self) -> bool:
        """Whether a search is running on a thread."""
        return self._running is not None

    def search(self, items: Sequence[Any], wanted: str) -> None:
        """Show the items that match."""
        self._things = items
        if not wanted.strip() or len(items) <= MANY:
            self._running = None
            self._show(lambda: self._rows.replace(items, wanted))
        else:
            self._running = meant = (items, wanted)

            async def search() -> None:
                rows = await read_on_thread(self._rows.matching, *meant, lambda: self._running is meant)
                if self._running is meant and meant[0] is self._things:
                    self._running = None
                    self._show(lambda: self._rows.show(rows))

            settling(self._owner, "search", search)


# The lines above the rows: changes, pages, age and problems of the list


def news_of(conversation: OpenConversation, kinds: tuple[str, ...]) -> list[ListNews]:
    """Return the state and changes of the lists. The cost grows with the length of the lists."""
    listings = conversation.journal.conversation.catalogue.listings
    return [
        ListNews(
            kind, listings[kind], listings[kind].changes(kind), conversation.stopped(kind), conversation.listing == kind
        )
        for kind in kinds
    ]


class ListHead(Static):
    """Lines above the rows: changes and state of the lists, with shared findings."""

    DEFAULT_CSS = """
    ListHead { height: auto; max-height: 6; padding: 0 1; display: none; }
    ListHead.-said { display: block; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._seen: tuple[object, ...] = ()
        self.known: list[ListNews] = []
        """State and changes, by kind of list."""
        self._shown: object = None

    @property
    def has_more(self) -> bool:
        """Whether there is another page to fetch."""
        return any(each.listing.next_cursor is not None for each in self.known)

    def sync(self, conversation: OpenConversation, kinds: tuple[str, ...]) -> None:
        """Update the lines. Cheap while nothing has changed."""
        listings = conversation.journal.conversation.catalogue.listings
        shown = tuple(id(listings[kind]) for kind in kinds)
        stopped = tuple(conversation.stopped(kind) for kind in kinds)
        seen = (shown, stopped, conversation.listing in kinds, conversation.memory.comparison)
        if seen != self._seen:
            self._seen = seen
            self.known = news_of(conversation, kinds)
        now_ns, checks = conversation.now_ns, conversation.checks_so_far
        known = (each.listing.freshness for each in self.known)
        ends = (each.stale_from_ns if each is not None else None for each in known)
        stale = tuple(end is not None and end <= now_ns for end in ends)
        state = (seen, stale, checks.changes if checks is not None else 0)
        if state != self._shown:
            self._shown = state
            self._show(conversation, kinds)

    def _show(self, conversation: OpenConversation, kinds: tuple[str, ...]) -> None:
        changes_key, head = keys.key_name(keys.action("offered.changes").keys[0]), conversation.journal.head
        found = news_lines(
            self.known,
            conversation.now_ns,
            lambda ns: clock(ns + head.tw - head.tm)[:8],
            changes_key=changes_key,
            refresh_key=keys.key_name(keys.action("refresh").keys[0]),
            more_key=keys.key_name(keys.action("offered.more").keys[0]),
        )
        if conversation.memory.comparison is not None and conversation.memory.comparison.alarms:
            found = [*head_lines(conversation.memory.comparison, kinds, changes_key=changes_key), *found]
        checks = conversation.checks_so_far
        if checks is not None and checks.has_items:
            evidence_key = keys.key_name(keys.action("screen.findings").keys[0])
            found = [*found, *map(tuple, shared_lines(checks, kinds, evidence_key))]
        self.set_class(bool(found), "-said")
        dark = self.app.current_theme.dark
        text = Text("\n").join(spans_to_text(list(line), dark=dark) for line in found)
        text.no_wrap, text.overflow = False, "fold"
        self.update(text)


class ItemList(Widget):
    """Selectable list of a server's items of one kind."""

    DEFAULT_CSS = """
    ItemList { layout: vertical; }
    ItemList SearchBar { display: none; }
    ItemList.-searching SearchBar { display: block; }
    """

    class Chosen(Message):
        """Another item was chosen; `opened` if the user wants to work with it."""

        def __init__(self, item: ListedItem | None, *, opened: bool) -> None:
            super().__init__()
            self.item = item
            self.opened = opened

    def __init__(
        self, conversation: OpenConversation, rows: SearchedRows, kind: ItemKind, below: Widget | None = None
    ) -> None:
        """`below` is a widget to show below the rows."""
        super().__init__()
        self._conversation = conversation
        self._rows = rows
        self._rows.found = self.own_findings
        self.kind = kind
        self._below = below
        self._loader = ListLoader(self, kind, self._take)
        self._search = ListSearch(self, rows, self._show_found)
        self._loaded = LoadedList()
        self._arriving: tuple[Listing, ...] = ()
        """Lists at the last update."""
        self._searched = ""
        self._shown_for = ""
        """Search text of the shown rows."""
        self._reported: ListedItem | None = None
        self._moved_s = 0.0
        self._is_moving = False
        """Whether the cursor has moved and not rested since."""
        self._wanted: ListedItem | None = None
        """Item to open as soon as it is listed."""
        self._gone_at: int | None = None
        """Cursor row since the chosen item was removed; None while the item is listed."""
        self._opens = False
        """Whether to open the first match once the search is done."""
        self._stage: tuple[ConversationStage, bool] | None = None
        self._check_changes = 0
        self.title = StatusLine()
        self.head = ListHead()
        """Lines above the rows."""
        self._bar = SearchBar("search", placeholder=kind.search)
        self.list = LogList(self._rows)

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.head
        yield self._bar
        yield self.list
        if self._below is not None:
            yield self._below

    @property
    def is_ready(self) -> bool:
        return self.list.is_mounted and self._bar.is_mounted

    def sync(self) -> None:
        """Load the lists if they have changed. Cheap while nothing has changed."""
        conversation, kinds, loaded = self._conversation, self.kind.kinds, self._loaded
        known = conversation.journal.conversation.catalogue.listings
        listings = tuple(known[kind] for kind in kinds)
        self.head.sync(conversation, kinds)
        self._sync_badges()
        stage = (conversation.stage, conversation.listing in kinds)
        if (
            conversation.memory.comparison is not loaded.memory
            or len(listings) != len(loaded.listings)
            or any(map(operator.is_not, listings, loaded.listings))
        ):
            if conversation.listing in kinds and _is_half(listings, loaded.listings):
                return
            if _grows_slowly(listings, self._arriving, loaded.listings):
                self._arriving = listings
                return
            self._arriving = listings
            self._loader.load(listings, conversation.memory.comparison)
        elif stage == self._stage:
            return
        self._stage = stage
        self.list.empty = _empty(conversation, self.kind, listings, hidden=bool(self._loaded.items))
        self.list.refresh()
        count, rest = self._loaded.summary
        self.title.show([(count or self.kind.many.capitalize(), "title"), (rest, "faint")])

    def _sync_badges(self) -> None:
        """Redraw the rows if there are new findings. Cheap otherwise."""
        checks = self._conversation.checks_so_far
        changes = checks.changes if checks is not None else 0
        if changes != self._check_changes:
            self._check_changes = changes
            self._rows.touch()
            self.list.sync()

    def findings(self, item: ListedItem | None) -> Sequence[Finding]:
        """Return the findings about an item, worst first."""
        return () if item is None else findings_about(self._conversation.checks_so_far, item)

    def own_findings(self, item: ListedItem | None) -> Sequence[Finding]:
        """Return the findings about an item, without those that most items of the list share."""
        return () if item is None else own_findings(self._conversation.checks_so_far, item)

    def rebind(self, conversation: OpenConversation) -> None:
        """Show the items of another conversation; the old items stay visible until the new ones arrive.

        For a recording, items that were not listed at its replay position disappear.
        """
        self._conversation = conversation
        self._stage = None
        self._loader.stop()
        if not conversation.can_act:
            self._loaded = self._loaded._replace(listings=(), items=(), summary=("", ""))

    def has_lost(self, item: ListedItem | None) -> bool:
        """Return whether an item is no longer listed. Known only for a completely fetched list."""
        listings = self._loaded.listings
        if item is None or not listings or not all(each.next_cursor is None for each in listings):
            return False
        known = self._conversation.journal.conversation.catalogue.listings
        asked = all(known[kind].asked for kind in self.kind.kinds if THINGS[kind] is type(item))
        return asked and (type(item), item.key) not in self._loaded.keys

    def _take(self, loaded: LoadedList) -> None:
        self._stage = None
        if self._loaded.items and not any(listing.asked for listing in loaded.listings):
            self._loaded = self._loaded._replace(memory=loaded.memory)
            return
        self._loaded = loaded
        self._rows.marks = {**marks_of(self.head.known), **_marks_since(loaded.memory, self.kind.kinds)}
        self._find(self._bar.text)
        self.refresh_bindings()

    def _find(self, text: str) -> None:
        self._searched = text
        self._search.search(self._loaded.items, self._searched)

    def named(self, target: str) -> ListedItem | None:
        """Return the listed item that a request with this name or URI is for; None if there is none."""
        items = (getattr(each, "item", each) for each in self._loaded.items)
        return next((item for item in items if self.kind.made(item, target)), None)

    def like(self, item: ListedItem) -> ListedItem | None:
        """Return the listed item of the same kind and name; None if there is none."""
        items = (getattr(each, "item", each) for each in self._loaded.items)
        return next((each for each in items if type(each) is type(item) and each.key == item.key), None)

    def select(self, item: ListedItem) -> None:
        """Move the cursor to an item if it is visible, without opening it."""
        if (at := _place_of(item, self._rows, self._loaded.keys)) is not None:
            self._reported = item
            self.list.go_to(at)

    def open(self, item: ListedItem) -> None:
        """Select and open an item as soon as it is listed. Clears a search that hides it."""
        self._wanted = item
        if not self._open_wanted():
            self._bar.text = ""

    def _open_wanted(self) -> bool:
        at = None if self._wanted is None else _place_of(self._wanted, self._rows, self._loaded.keys)
        if at is None:
            return False
        self._wanted = None
        self.list.go_to(at)
        self._report(opened=True)
        return True

    def _show_found(self, fill: Callable[[], None]) -> None:
        # Keys may have moved the cursor away from the chosen item, while the list was read.
        kept = self._reported if self._is_gone or self.chosen is None else self.chosen
        fill()
        # The same search text means that the items have changed without any input of the user.
        taken, self._shown_for = self._searched == self._shown_for, self._searched
        rows = self.list
        was_at, offset = rows.view.cursor, rows.view.cursor - rows.view.top
        rows.sync()
        keeps = taken or not self._searched  # another text selects the best match, however slowly it is typed
        count, at = self._rows.count, _place_of(kept, self._rows, self._loaded.keys) if keeps else None
        lost = taken and kept is not None and at is None
        rows.go_to(at if at is not None else min(max(was_at, 0), count - 1) if lost else 0)
        if taken and was_at >= 0:
            rows.view.scroll_to(rows.view.cursor - offset)
        self._gone_at = rows.view.cursor if lost and kept == self._reported else None
        self._bar.show_count(count if self._searched else None, of=len(self._loaded.items))
        self._open_wanted()
        opened, self._opens = self._opens, False
        if opened or not (taken and (self._is_moving or kept != self._reported)):  # the cursor has yet to rest
            self._report(opened=opened)

    @property
    def chosen(self) -> ListedItem | None:
        """Item under the cursor."""
        cursor = self.list.view.cursor
        return self._rows.item(cursor) if 0 <= cursor < self._rows.count else None

    @property
    def _is_gone(self) -> bool:
        """Whether the chosen item was removed, and the cursor is still where it was."""
        return self._gone_at is not None and self.list.view.cursor == self._gone_at

    def _report(self, *, opened: bool = False) -> None:
        """Report the chosen item if it has changed or is opened."""
        self._is_moving = False
        if self._is_gone and not opened:
            return
        self._gone_at = None
        item = self.chosen
        if opened or item != self._reported:
            self._reported = item
            self.post_message(self.Chosen(item, opened=opened))

    def settle(self) -> Chosen | None:
        """Choose the item under the cursor without waiting; return the message to handle, None if nothing changed."""
        forget_postponed(self)
        self._is_moving = False
        if self.chosen == self._reported or self._is_gone:
            return None
        self._gone_at, self._reported = None, self.chosen
        return self.Chosen(self._reported, opened=False)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Choose the item once the cursor rests."""
        event.stop()
        before, self._moved_s = self._moved_s, time.monotonic()
        if self.chosen == self._reported:
            forget_postponed(self)
            self._is_moving = False
            return
        self._is_moving = True
        is_single = self._moved_s - before > 2 * _REST_S
        postpone(self, min(_FIRST_REST_S, _REST_S) if is_single else _REST_S, self._report)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Open the item; while a thread still searches, open its first match instead."""
        event.stop()
        self._opens = self._search.is_running
        if not self._opens:
            self._report(opened=True)

    def on_log_list_title_pressed(self, event: LogList.TitlePressed) -> None:
        """Sort by the clicked title; the cursor stays on its item."""
        event.stop()
        item = self.chosen
        if self._rows.press_title(event.x, self.list.line_width):
            self.list.sync()
            if item is not None:
                self.select(item)

    def search(self) -> None:
        """Focus the search bar."""
        self.add_class("-searching")
        self._bar.focus()
        self._bar.select_all()

    def end_search(self) -> bool:
        """Show all items again; return whether a search was open."""
        bar = self._bar
        if not self.has_class("-searching") and not bar.text:
            return False
        bar.text = ""
        self.remove_class("-searching")
        self.list.focus()
        return True

    def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        event.stop()
        if event.text != self._searched:
            self._find(event.text)

    def on_search_bar_done(self, event: SearchBar.Done) -> None:
        event.stop()
        if not event.control.text:
            self.remove_class("-searching")
        self.list.focus()


def _marks_since(memory: RememberedServer | None, kinds: tuple[str, ...]) -> Mapping[str, str]:
    """Return the marks of changes to approve, by item key."""
    return marks_since(memory, kinds) if memory is not None and memory.alarms else {}


def _is_half(listings: Sequence[Listing], before: Sequence[Listing]) -> bool:
    """Return whether a refresh is incomplete; until its last page arrives, the previous list stays visible."""
    pairs = zip(listings, before, strict=False)
    return any(new.next_cursor is not None and len(new.items) < len(old.items) for new, old in pairs)


def _grows_slowly(now: Sequence[Listing], last: Sequence[Listing], shown: Sequence[Listing]) -> bool:
    """Return whether a long list is growing in small steps. Reading it for each page would take quadratic time."""
    count, before = (sum(len(each.items) for each in listings) for listings in (now, shown))
    if not MANY < before <= count < before * _GROWTH or len(now) != len(last):
        return False
    return any(map(operator.is_not, now, last))


def _empty(
    conversation: OpenConversation, kind: ItemKind, listings: Sequence[Listing], *, hidden: bool
) -> list[list[Span]]:
    """Return the text of an empty list: why it is empty and what to do. `hidden`: a search hides all items."""
    kinds, one, many = kind.kinds, kind.one, kind.many
    if hidden:
        return [[(f"No {one} matches", "muted")], [(f"{keys.shown_key('back')} clears the filter", "faint")]]
    if conversation.stage is ConversationStage.CONNECTING or conversation.listing in kinds:
        return [[(f"Fetching the {many}", "muted")]]
    if any(listing.asked for listing in listings):
        return [[(f"No {many}", "muted")]]
    opening = conversation.opening
    if opening and not any(LISTS[kind].capability in opening.capabilities for kind in kinds):
        return [[(f"The server does not declare {many}", "muted")]]
    if why := next(filter(None, map(conversation.stopped, kinds)), ""):
        lines: list[list[Span]] = [[(line, "text")] for line in wrap(visible(why, limit=300), _NARROW)]
        return [[(f"{glyphs().error} Cannot list {many}", "error")], *lines]
    if conversation.journal.live and not conversation.can_act:
        return [[(f"{many.capitalize()} not listed yet", "muted")]]
    return [[(f"{many.capitalize()} were not listed", "muted")]]


def _place_of(item: ListedItem | None, rows: SearchedRows, keys: frozenset[tuple[type[ListedItem], str]]) -> int | None:
    """Return the row of an item; None if it is not visible.

    An item that merely has the same key is searched for only if `keys` has it, because that is slow.
    """
    places = range(rows.count)
    here = next((at for at in places if rows.item(at) is item), None)
    if here is not None or item is None or (type(item), item.key) not in keys:
        return here
    return next((at for at in places if _same(rows.item(at), item)), None)


def _same(one: ListedItem, other: ListedItem) -> bool:
    return type(one) is type(other) and one.key == other.key
