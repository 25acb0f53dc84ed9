"""What the server offers, as far as it has been asked: the newest pages of the four lists.

A page requested without a cursor starts a new list; one with the cursor of the previous page continues it.
What the list was before it last changed is kept. Listings are replaced, never changed, so that another thread can
read one while the next is made. The cost of a page depends on its size only, not on the number of earlier pages.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, overload

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.freshness import Freshness, read_freshness, together
from inspector.protocol.json_diff import ListChanges, key_of, list_changes
from inspector.protocol.things import KIND_OF_METHOD, LISTS, Prompt, Resource, Template, Tool


class Items(msgspec.Struct, frozen=True, eq=False):
    """The first items of a list that may grow behind them: the pages of one fetch share it."""

    grown: list[Any] = []
    """The list, which is only ever appended to."""
    places: dict[int, tuple[int, int] | None] = {}
    """By the frame of a page, where it begins and ends; None if unknown."""
    count: int = 0
    """How many are these."""

    def __post_init__(self) -> None:
        """Raises: ValueError if there are not so many."""
        if not 0 <= self.count <= len(self.grown):
            raise ValueError("a list has fewer items than it says")

    def and_page(self, found: Sequence[Any], frame: int) -> "Items":
        """These, and a page behind them. Only to be called for the newest of a list."""
        assert len(self.grown) == self.count
        end = self.count + len(found)
        # A batch may hold two pages of one list: a pointer into it is ambiguous then.
        self.places[frame] = None if frame in self.places else (self.count, end)
        self.grown.extend(found)
        return Items(self.grown, self.places, end)

    def of_frame(self, frame: int) -> tuple[Any, ...] | None:
        """The page that a frame brought; None if it brought none of these."""
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
    """A list as it was before it changed."""

    items: Items
    whole: bool
    """Whether it had been fetched to its end."""
    noticed_ns: int
    """When an answer first showed that it had changed."""


class Listing(msgspec.Struct, frozen=True):
    """One list as it is now."""

    items: Items = msgspec.field(default_factory=Items)
    """Raw items in the server's order, all pages together."""
    pages: int = 0
    next_cursor: str | None = None
    """What the next page must be asked with; None at the end."""
    outdated: bool = False
    """The server has said since that it changed."""
    asked: bool = False
    """False until a first page came: empty is then not known."""
    was: Was | None = None
    """What it was before it last changed; None if it has not since it was first fetched."""
    freshness: Freshness | None = None
    """What the pages say of their age, all together; None until one came."""
    remarks: tuple[str, ...] = ()
    """What is odd about the pages, a sentence each; foreign text is in them."""

    @property
    def whole(self) -> bool:
        """Whether it was fetched to its end."""
        return self.asked and self.next_cursor is None

    def changes(self, kind: str) -> ListChanges:
        """What has changed when it last did. Not kept: as costly as the list is long."""
        if self.was is None:
            return ListChanges(kind)
        return list_changes(kind, self.was.items, self.items, before_whole=self.was.whole, after_whole=self.whole)


class ListFetch(msgspec.Struct):
    """One fetching of a list, page after page."""

    standing: Listing
    """What is compared with: the list as it stood before, whole if it ever was."""
    differs: bool = False
    """Whether a page so far was another one than then."""
    cursors: set[str] = msgspec.field(default_factory=set)
    keys: set[str] = msgspec.field(default_factory=set)
    repeated: dict[str, None] = msgspec.field(default_factory=dict)
    """Keys that came more than once."""
    remarks: list[str] = msgspec.field(default_factory=list)


class Catalogue:
    """The four lists by kind: "tools", "resources", "templates", "prompts"."""

    def __init__(self) -> None:
        self.listings: dict[str, Listing] = {kind: Listing() for kind in LISTS}
        self._fetches = {kind: ListFetch(Listing()) for kind in LISTS}

    def answered(self, exchange: Exchange, params: Any, result: Any) -> str | None:
        """A result came: the kind of the list it was a page of, or None."""
        kind = KIND_OF_METHOD.get(exchange.method)
        if kind is None:
            return None
        cursor, before = peek.text(params, "cursor"), self.listings[kind]
        goes_on = cursor is not None and before.next_cursor == cursor
        if not goes_on:
            self._fetches[kind] = ListFetch(_standing(self._fetches[kind].standing, before))
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
        """A request for a page got an error: the kind of the list that has ended by it, or None.

        A server that rejects the cursor `""` it sent has meant the end by it.
        """
        kind = KIND_OF_METHOD.get(exchange.method)
        if kind is None or peek.text(params, "cursor") != "" or self.listings[kind].next_cursor != "":
            return None
        self._fetches[kind].remarks.append('the server rejects the cursor "" that it sent: the list ends there')
        listing = msgspec.structs.replace(self.listings[kind], next_cursor=None, remarks=_remarks(self._fetches[kind]))
        self.listings[kind] = _compared(listing, self._fetches[kind], exchange.ended_ns or 0)
        return kind

    def changed(self, method: str) -> list[str]:
        """A list_changed notification came: the kinds it speaks of."""
        kinds = [kind for kind, listed in LISTS.items() if listed.changed == method]
        for kind in kinds:
            self.listings[kind] = msgspec.structs.replace(self.listings[kind], outdated=True)
        return kinds

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools so far, bad ones included."""
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


def _standing(standing: Listing, before: Listing) -> Listing:
    """What the next fetching is compared with: never half a list where a whole one is known."""
    return before if before.whole or not standing.whole else standing


def _compare(fetch: ListFetch, found: Sequence[Any], start: int) -> None:
    """Note whether a page is another one than what stood in its place, from index `start` on."""
    if fetch.standing.asked and not fetch.differs:
        fetch.differs = list(fetch.standing.items[start : start + len(found)]) != found


def _compared(listing: Listing, fetch: ListFetch, now_ns: int) -> Listing:
    """The listing, with the previous one if it changed. While it is the same, the last change remains."""
    standing = fetch.standing
    if not standing.asked or not (fetch.differs or (listing.whole and len(listing.items) != len(standing.items))):
        return listing
    if listing.was is not None and listing.was.items is standing.items:
        return listing  # an earlier page has shown it
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
        fetch.remarks.append(f"page {page} gave the cursor {cursor[:80]!r} a second time")
    if cursor is not None:
        fetch.cursors.add(cursor)
    for raw in found:
        if key := key_of(kind, raw):
            if key in fetch.keys:
                fetch.repeated[key] = None
            fetch.keys.add(key)


def _remarks(fetch: ListFetch) -> tuple[str, ...]:
    """All of them; of many empty pages only how many."""
    said = fetch.remarks if len(fetch.remarks) <= 5 else [*fetch.remarks[:4], f"{len(fetch.remarks) - 4} remarks more"]
    if not fetch.repeated:
        return tuple(said)
    names = ", ".join(islice(fetch.repeated, 3)) + (" …" if len(fetch.repeated) > 3 else "")
    count = len(fetch.repeated)
    return (*said, f"{count} {'item comes' if count == 1 else 'items come'} more than once: {names}")
