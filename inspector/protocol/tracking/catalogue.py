"""The fetched lists of tools, resources, templates and prompts.

A page requested without a cursor starts a new list; one with the cursor of the previous page continues it. The list
before its last change is kept. Listings are replaced, never modified, so that another thread can read one while the
next is created. The cost of a page depends only on its size, not on the number of earlier pages.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, overload

import msgspec

from inspector.protocol import peek
from inspector.protocol.changes import ListChanges, key_of, list_changes
from inspector.protocol.exchanges import Exchange
from inspector.protocol.freshness import Freshness, read_freshness, together
from inspector.protocol.listed_items import KIND_OF_METHOD, LISTS, Prompt, Resource, Template, Tool
from inspector.text import cut


class Items(msgspec.Struct, frozen=True, eq=False):
    """The first `count` items of a list that only grows. The pages of one fetch share the list."""

    grown: list[Any] = []
    """The shared list; append-only."""
    places: dict[int, tuple[int, int] | None] = {}
    """Start and end of each page, by frame; None if ambiguous."""
    count: int = 0
    """Number of items."""

    def __post_init__(self) -> None:
        """Raises: ValueError if the list has fewer items."""
        if not 0 <= self.count <= len(self.grown):
            raise ValueError("a list has fewer items than it says")

    def and_page(self, found: Sequence[Any], frame: int) -> "Items":
        """Return the items with a page appended. Only the newest value of a list may be extended."""
        assert len(self.grown) == self.count
        end = self.count + len(found)
        # A batch may have two pages of one list: then the frame does not identify a page.
        self.places[frame] = None if frame in self.places else (self.count, end)
        self.grown.extend(found)
        return Items(self.grown, self.places, end)

    def of_frame(self, frame: int) -> tuple[Any, ...] | None:
        """Return the page in a frame; None if the frame has none of these items."""
        start, end = self.places.get(frame) or (0, -1)
        return tuple(self.grown[start:end]) if 0 <= start <= end <= self.count else None

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Any]:
        return islice(self.grown, self.count)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return tuple(self.grown[at] for at in range(*index.indices(self.count)))
        return self.grown[range(self.count)[index]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Items | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one is two or one == two for one, two in zip(self, other, strict=True))


class Was(msgspec.Struct, frozen=True):
    """A list before its last change."""

    items: Items
    whole: bool
    """Whether it was complete."""
    noticed_ns: int
    """When a response first showed the change."""


class Listing(msgspec.Struct, frozen=True):
    items: Items = msgspec.field(default_factory=Items)
    """Raw items in the server's order, all pages together."""
    pages: int = 0
    next_cursor: str | None = None
    """Cursor of the next page; None at the end."""
    outdated: bool = False
    """Whether the server has since reported a change."""
    asked: bool = False
    """Whether a page has arrived. If not, an empty list means unknown."""
    was: Was | None = None
    """The list before its last change; None if it has not changed since the first fetch."""
    freshness: Freshness | None = None
    """Combined cache hints of the pages; None without a page."""
    remarks: tuple[str, ...] = ()
    """Anomalies of the pages, one sentence each; may contain server text."""

    @property
    def whole(self) -> bool:
        return self.asked and self.next_cursor is None

    def changes(self, kind: str) -> ListChanges:
        """Return the last change. Not cached: the cost is proportional to the list's length."""
        if self.was is None:
            return ListChanges(kind)
        return list_changes(kind, self.was.items, self.items, before_whole=self.was.whole, after_whole=self.whole)


class ListFetch(msgspec.Struct):
    standing: Listing
    """The previous list, for comparison; complete if it ever was."""
    differs: bool = False
    """Whether a page so far differs from that list."""
    cursors: set[str] = msgspec.field(default_factory=set)
    keys: set[str] = msgspec.field(default_factory=set)
    repeated: dict[str, None] = msgspec.field(default_factory=dict)
    """Keys that occurred more than once."""
    remarks: list[str] = msgspec.field(default_factory=list)


class Catalogue:
    """The four lists by kind: "tools", "resources", "templates", "prompts"."""

    def __init__(self) -> None:
        self.listings: dict[str, Listing] = {kind: Listing() for kind in LISTS}
        self._fetches = {kind: ListFetch(Listing()) for kind in LISTS}

    def answered(self, exchange: Exchange, params: Any, result: Any) -> str | None:
        """Process a result. Return the kind of the list if it was a page of one; else None."""
        kind = KIND_OF_METHOD.get(exchange.method)
        if kind is None:
            return None
        cursor, before = peek.text(params, "cursor"), self.listings[kind]
        goes_on = cursor is not None and before.next_cursor == cursor
        if not goes_on:
            standing = self._fetches[kind].standing  # compared with a complete list, if any is known
            self._fetches[kind] = ListFetch(before if before.whole or not standing.whole else standing)
        fetch = self._fetches[kind]
        found = peek.items(result, LISTS[kind].member)
        fresh = read_freshness(result, exchange.ended_ns or 0)
        kept, pages = (before.items, before.pages + 1) if goes_on else (Items(), 1)
        _compare(fetch, found, len(kept))
        _remark(fetch, kind, pages, found, result)
        listing = Listing(
            items=kept.and_page(found, exchange.answer_frame or 0),
            pages=pages,
            next_cursor=peek.text(result, "nextCursor"),
            asked=True,
            was=before.was,
            freshness=together(before.freshness, fresh) if goes_on and before.freshness else fresh,
            remarks=_remarks(fetch),
        )
        self.listings[kind] = _compared(listing, fetch, exchange.ended_ns or 0)
        return kind

    def refused(self, exchange: Exchange, params: Any) -> str | None:
        """Process an error for a page. Return the kind of the list if that ended it; else None.

        A server that rejects the cursor `""` that it sent meant the end of the list.
        """
        kind = KIND_OF_METHOD.get(exchange.method)
        if kind is None or peek.text(params, "cursor") != "" or self.listings[kind].next_cursor != "":
            return None
        self._fetches[kind].remarks.append('the server rejects the cursor "" that it sent: the list ends there')
        listing = msgspec.structs.replace(self.listings[kind], next_cursor=None, remarks=_remarks(self._fetches[kind]))
        self.listings[kind] = _compared(listing, self._fetches[kind], exchange.ended_ns or 0)
        return kind

    def changed(self, method: str) -> list[str]:
        """Process a list_changed notification. Return the kinds of the affected lists."""
        kinds = [kind for kind, listed in LISTS.items() if listed.changed == method]
        for kind in kinds:
            self.listings[kind] = msgspec.structs.replace(self.listings[kind], outdated=True)
        return kinds

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools so far, including invalid ones."""
        return tuple(map(Tool, self.listings["tools"].items))

    @property
    def resources(self) -> tuple[Resource, ...]:
        """All resources so far."""
        return tuple(map(Resource, self.listings["resources"].items))

    @property
    def templates(self) -> tuple[Template, ...]:
        """All resource templates so far."""
        return tuple(map(Template, self.listings["templates"].items))

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All prompts so far."""
        return tuple(map(Prompt, self.listings["prompts"].items))


def _compare(fetch: ListFetch, found: Sequence[Any], start: int) -> None:
    """Record whether a page differs from the items at index `start` of the previous list."""
    if fetch.standing.asked and not fetch.differs:
        fetch.differs = list(fetch.standing.items[start : start + len(found)]) != found


def _compared(listing: Listing, fetch: ListFetch, now_ns: int) -> Listing:
    """Return the listing, with the previous one in `was` if it has changed; otherwise the last change is kept."""
    standing = fetch.standing
    if not standing.asked or not (fetch.differs or (listing.whole and len(listing.items) != len(standing.items))):
        return listing
    if listing.was is not None and listing.was.items is standing.items:
        return listing  # an earlier page has shown the change
    return msgspec.structs.replace(listing, was=Was(standing.items, standing.whole, now_ns))


def _remark(fetch: ListFetch, kind: str, page: int, found: Sequence[Any], result: Any) -> None:
    member = LISTS[kind].member
    cursor, given = peek.text(result, "nextCursor"), peek.at(result, "nextCursor")
    if not isinstance(peek.at(result, member), list):
        fetch.remarks.append(f"page {page} has no array {member!r}")
    elif not found and (page > 1 or cursor is not None):
        fetch.remarks.append(f"page {page} is empty")
    if cursor is None and given is not None:
        fetch.remarks.append(f"nextCursor is a {peek.type_name(given)}, not a string")
    if cursor is not None and cursor in fetch.cursors:
        fetch.remarks.append(f"page {page} gave the cursor {cut(cursor, 80)!r} a second time")
    if cursor is not None:
        fetch.cursors.add(cursor)
    for raw in found:
        if key := key_of(kind, raw):
            if key in fetch.keys:
                fetch.repeated[key] = None
            fetch.keys.add(key)


def _remarks(fetch: ListFetch) -> tuple[str, ...]:
    """Return all anomalies; of many empty pages only the number."""
    lines = fetch.remarks if len(fetch.remarks) <= 5 else [*fetch.remarks[:4], f"{len(fetch.remarks) - 4} remarks more"]
    if not fetch.repeated:
        return tuple(lines)
    names = ", ".join(islice(fetch.repeated, 3)) + (" …" if len(fetch.repeated) > 3 else "")
    count = len(fetch.repeated)
    return (*lines, f"{count} {'item comes' if count == 1 else 'items come'} more than once: {names}")
