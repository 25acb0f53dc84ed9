"""Changes of a list, as lines: what was added, what was removed, and both sides of what has changed.

Texts are compared word by word: brackets surround the words that differ. Everything else is listed by its path.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from functools import reduce
from typing import Any

import msgspec

from inspector import text
from inspector.present import spans
from inspector.present.changes.sides import both_texts, brief
from inspector.present.spans import Line, Role, span
from inspector.present.words import age_line, text_of
from inspector.protocol.changes import ABSENT, MOST, THINGS, JsonChange, ListChanges, differences, key_of
from inspector.protocol.conversation import Conversation
from inspector.protocol.fingerprints import INSTRUCTIONS, KINDS, Remembered, content_hash, known_of, known_text
from inspector.protocol.freshness import Freshness, together
from inspector.protocol.listed_items import LISTS, ListedItem
from inspector.protocol.tracking.catalogue import Listing

MOST_THINGS = 500
"""Maximum items of each kind that are listed one by one."""
_MAX_VALUE_CHARS = 4_000
_WORDS_OF = ("description", "instructions")

_UNKEPT = "  changed; the old value was too long to store"


class ListNews(msgspec.Struct, frozen=True):
    """One list and how it was fetched."""

    kind: str
    listing: Listing
    changes: ListChanges
    stopped: str = ""
    """Why fetching stopped early; contains foreign text."""
    fetching: bool = False


class SinceSeen(msgspec.Struct, frozen=True):
    """Difference between one list and what is remembered of it."""

    kind: str
    since: int
    """Seconds since 1970."""
    changes: ListChanges
    rewritten: tuple[str, ...] = ()
    """Keys of items that have changed and whose previous text was too long to be kept."""

    @property
    def any(self) -> bool:
        """Whether there is a change to approve."""
        return bool(self.changes.added or self.changes.changed or self.rewritten)

    @property
    def marks(self) -> dict[str, str]:
        """Marks by key: "new" or "changed"."""
        return dict.fromkeys(self.rewritten, "changed") | self.changes.marks()

    @property
    def count_changed(self) -> int:
        """Number of changed items."""
        return len(self.changes.changed) + len(self.rewritten)


def in_short(changes: Iterable[ListChanges]) -> str:
    """Return the number of changes, "2 new, 1 gone, 1 changed"; "" for none."""
    all_ = list(changes)
    counts = {
        "new": sum(len(each.added) for each in all_),
        "gone": sum(len(each.removed) for each in all_),
        "changed": sum(len(each.changed) for each in all_),
    }
    message = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    return message or ("different order" if any(each.reordered for each in all_) else "")


def change_lines(changes: ListChanges) -> list[Line]:
    """Return all changes of one list, under headings; [] for none."""
    found: list[Line] = []
    for title, items in (("added", changes.added), ("removed", changes.removed)):
        if items:
            found += _heading(changes.kind, title, len(items))
            found += [_item_line(changes.kind, raw, title) for raw in items[:MOST_THINGS]]
            found += _rest(len(items) - MOST_THINGS)
    if changes.changed:
        found += _heading(changes.kind, "changed", len(changes.changed))
        for before, after in changes.changed[:MOST_THINGS]:
            found += _changed(changes.kind, before, after)
        found += _rest(len(changes.changed) - MOST_THINGS)
    if changes.reordered:
        found += [(), ((f"{changes.kind.capitalize()}: same items, different order", "text"),)]
    return found[1:] if found and not found[0] else found


def _heading(kind: str, word: str, count: int) -> list[Line]:
    return [(), ((f"{count:,} {LISTS[kind].one if count == 1 else kind} {word}", "title"),)]


def _rest(count: int) -> list[Line]:
    return [((f"  and {count:,} more", "muted"),)] if count > 0 else []


def _item_line(kind: str, raw: Any, word: str) -> Line:
    item = THINGS[kind](raw)
    role: Role = "added" if word == "added" else "removed"
    sign = "+" if word == "added" else "−"
    about = item.title if item.title != item.key else item.description.split("\n")[0]
    return ((f"  {sign} ", role), span(_name(item), role), (f"  {text.visible(about, limit=200)}", "muted"))


def _name(item: ListedItem) -> str:
    return item.key or item.name or "(no name)"


def _changed(kind: str, before: Any, after: Any) -> Iterator[Line]:
    yield ((f"  {spans.EVENT} ", "warning"), span(_name(THINGS[kind](after)), "method"))
    found = differences(before, after)
    for change in found[:MOST]:
        yield from _change(change)
    if len(found) > MOST:
        yield (("      and more", "muted"),)


def _change(change: JsonChange) -> Iterator[Line]:
    path = text.visible(change.path, limit=500) or "(root)"
    last = re.split(r"[.\[]", change.path)[-1]
    if isinstance(change.before, str) and isinstance(change.after, str) and _is_prose(last, change):
        yield ((f"    {path}", "key"),)
        yield from both_texts(change.before, change.after, "      ")
        return
    if change.before is ABSENT:
        yield ((f"    {path}: ", "key"), ("+ ", "added"), (brief(change.after, _MAX_VALUE_CHARS), "added"))
    elif change.after is ABSENT:
        yield ((f"    {path}: ", "key"), ("− ", "removed"), (brief(change.before, _MAX_VALUE_CHARS), "removed"))
    else:
        sides: Line = ((brief(change.before, _MAX_VALUE_CHARS), "removed"), (f" {spans.TO_SERVER} ", "muted"))
        yield ((f"    {path}: ", "key"), *sides, (brief(change.after, _MAX_VALUE_CHARS), "added"))


def _is_prose(member: str, change: JsonChange) -> bool:
    return member in _WORDS_OF or " " in change.before.strip() or " " in change.after.strip()


# What is shown about a list besides its items: changes, pages, age, defects.


def news_lines(
    news: Sequence[ListNews],
    now_ns: int,
    clock: Callable[[int], str],
    *,
    changes_key: str,
    more_key: str,
    refresh_key: str,
) -> list[Line]:
    """Return the lines above the list, for several kinds together.

    They change when a list changes or becomes stale, not with time alone. `now_ns` is the journal's clock; `clock`:
    see `age_line`.
    """
    asked = [each for each in news if each.listing.asked]
    found: list[Line] = []
    if any(each.listing.outdated and not each.fetching for each in asked):
        found.append(((f"{spans.WARNING} changed: {refresh_key} refreshes", "warning"),))
    if changed := in_short(each.changes for each in asked):
        found.append(((changed, "warning"), (f": {changes_key} shows the diff", "accent")))
    more = [each for each in asked if each.listing.next_cursor is not None and not each.fetching]
    found += [
        ((f"{_pages(each, alone=len(news) == 1)}, more: {more_key} fetches the next", "accent"),) for each in more
    ]
    wrong = [message for each in asked for message in (each.stopped, *each.listing.remarks) if message]
    if wrong:
        others = f" (and {len(wrong) - 1} more: {changes_key})" if len(wrong) > 1 else ""
        found.append(((f"{spans.WARNING} {text.visible(wrong[0], limit=300)}{others}", "warning"),))
    ages = [each.listing.freshness for each in asked if each.listing.freshness and each.listing.freshness.given]
    if ages and _needs_attention(age := reduce(together, ages), now_ns):
        found.append(age_line(age, now_ns, clock))
    return found


def _needs_attention(age: Freshness, now_ns: int) -> bool:
    """Whether the list has become stale, or its cache hints are invalid. Everything else is under Info."""
    return bool(age.flaws) or (age.stale_from_ns is not None and age.received_ns < age.stale_from_ns <= now_ns)


def _pages(news: ListNews, *, alone: bool) -> str:
    message = f"page {news.listing.pages}"
    return message if alone else f"{news.kind}: {message}"


def about_lines(news: Sequence[ListNews], now_ns: int) -> list[Line]:
    """Return all details of some lists: how each was fetched, its defects, and its changes."""
    found: list[Line] = []
    for each in news:
        if found:
            found.append(())
        found += _about(each, now_ns)
    return found


def _about(news: ListNews, now_ns: int) -> list[Line]:
    listing = news.listing
    if not listing.asked:
        return [((news.kind.capitalize(), "title"),), (("  never listed", "muted"),)]
    found: list[Line] = [((news.kind.capitalize(), "title"), (f"  {_size(listing)}", "muted"))]
    if listing.freshness is not None:
        found.append((("  ", "text"), *age_line(listing.freshness, now_ns)))
    if listing.outdated:
        found.append(((f"  {spans.WARNING} list_changed received since", "warning"),))
    if listing.next_cursor is not None:
        cursor = text.visible(listing.next_cursor, limit=200)
        found.append(((f"  incomplete: the next page's cursor is {cursor!r}", "muted"),))
    wrong = [message for message in (news.stopped, *listing.remarks) if message]
    found += [((f"  {spans.WARNING} {text.visible(message, limit=1000)}", "warning"),) for message in wrong]
    if listing.was is None:
        return [*found, (("  unchanged since first listed", "muted"),)]
    ago = text_of(now_ns - listing.was.noticed_ns)
    found += [(), ((f"  Changed {ago} ago:", "strong"),), ()]
    return found + [(("  ", "text"), *line) if line else () for line in change_lines(news.changes)]


def _size(listing: Listing) -> str:
    items, pages = len(listing.items), listing.pages
    return f"{text.counted(items, 'item')} on {text.counted(pages, 'page')}"


def marks_of(news: Sequence[ListNews]) -> Mapping[str, str]:
    """Return "new" or "changed" by key."""
    found: dict[str, str] = {}
    for each in news:
        found |= each.changes.marks()
    return found


# Changes of a server's lists since they were first seen, or since the user approved them.


class RememberedServer(msgspec.Struct, frozen=True):
    """Difference between a server and what is remembered of it. Replaced, never modified."""

    lists: tuple[SinceSeen, ...] = ()
    """Lists that were fetched and are remembered."""
    instructions: tuple[int, str, str] | None = None
    """Time of the remembered instructions, their text, and the new text; None if they are equal or were not known."""
    first: Mapping[str, Remembered] = {}
    """What was seen for the first time and is to be remembered."""
    listings: Mapping[str, Listing] = {}
    """The lists that were compared. An approval applies to these, not to what was received later."""
    opened_with: str | None = None
    """The instructions that were compared; None if no conversation was opened."""

    def of(self, kind: str) -> SinceSeen | None:
        """Return the difference of one list if it has a change to approve."""
        return next((each for each in self.lists if each.kind == kind and each.any), None)

    @property
    def alarms(self) -> bool:
        """Whether there is anything to approve."""
        return self.instructions is not None or any(each.any for each in self.lists)


def against(known: Mapping[str, Remembered], conversation: Conversation, now: int) -> RememberedServer:
    """Compare what a conversation shows now with what is remembered. `now` is in seconds since 1970.

    The cost grows with the length of the lists: run it on a thread.
    """
    listings = {kind: conversation.catalogue.listings[kind] for kind in KINDS}
    first: dict[str, Remembered] = {}
    lists = []
    for kind in KINDS:
        if not listings[kind].asked:
            continue
        if kind in known:
            lists.append(_against(kind, known[kind], listings[kind]))
        elif listings[kind].whole:
            first[kind] = known_of(kind, listings[kind].items, now)
    opening = conversation.opening
    changed = None
    if opening is not None and INSTRUCTIONS not in known:
        first[INSTRUCTIONS] = known_text(opening.instructions, now)
    elif opening is not None:
        hash_, before = known[INSTRUCTIONS].items.get("", ("", ""))
        if hash_ != content_hash(opening.instructions):
            changed = known[INSTRUCTIONS].since, before if isinstance(before, str) else "", opening.instructions
    return RememberedServer(tuple(lists), changed, first, listings, None if opening is None else opening.instructions)


def _against(kind: str, known: Remembered, listing: Listing) -> SinceSeen:
    added, changed, rewritten = [], [], []
    seen: set[str] = set()
    for raw in listing.items:
        key = key_of(kind, raw)
        seen.add(key)
        if key not in known.items:
            added.append(raw)
            continue
        hash_, before = known.items[key]
        if hash_ != content_hash(raw):
            if before is None:
                rewritten.append(key)
            else:
                changed.append((before, raw))
    gone = [value for key, (_, value) in known.items.items() if key not in seen and value is not None]
    changes = ListChanges(kind, tuple(added), tuple(gone) if listing.whole else (), tuple(changed))
    return SinceSeen(kind, known.since, changes, tuple(rewritten))


def approved(memory: RememberedServer, kinds: Sequence[str], now: int) -> dict[str, Remembered]:
    """Return what to remember after the user has approved these lists and the instructions, as they were compared."""
    whole = {kind: each for kind, each in memory.listings.items() if kind in kinds and each.whole}
    found = {kind: known_of(kind, each.items, now) for kind, each in whole.items()}
    return found if memory.opened_with is None else found | {INSTRUCTIONS: known_text(memory.opened_with, now)}


def day(seconds: int, zone: tzinfo | None = None) -> str:
    """Return the date of a moment in the user's time zone: 2026-11-02."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone(zone).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return date.min.isoformat()


def alarm(memory: RememberedServer) -> str:
    """Return all changes in a sentence: "3 tools changed, 1 new since 2026-11-02"; "" for none."""
    lines = [f"{changes_in_short(each)} since {day(each.since)}" for each in memory.lists if each.any]
    if memory.instructions is not None:
        lines.append(f"the instructions changed since {day(memory.instructions[0])}")
    return "; ".join(lines)


def changes_in_short(seen: SinceSeen) -> str:
    """Return the number of changes in one list: "3 tools changed, 1 new"."""
    one, changed, new = LISTS[seen.kind].one, seen.count_changed, len(seen.changes.added)
    message = f"{text.counted(changed, one)} changed" if changed else ""
    if new:
        message += f", {new:,} new" if message else f"{new:,} new {one}{'' if new == 1 else 's'}"
    return message


def remember_first(memory: RememberedServer) -> str:
    """Return what was seen for the first time: "13 tools, 4 prompts"; "" if nothing of it has a name."""
    counts = {kind: len(memory.first[kind].items) for kind in KINDS if kind in memory.first}
    return ", ".join(text.counted(count, LISTS[kind].one) for kind, count in counts.items() if count)


def marks_since(memory: RememberedServer, kinds: Sequence[str]) -> dict[str, Any]:
    """Return "new" or "changed" by key, for these lists."""
    found: dict[str, Any] = {}
    for each in memory.lists:
        if each.kind in kinds:
            found |= each.marks
    return found


def head_lines(memory: RememberedServer | None, kinds: Sequence[str], *, changes_key: str) -> list[Line]:
    """Return the line above lists with unapproved changes."""
    found = [] if memory is None else [each for kind in kinds if (each := memory.of(kind)) is not None]
    return [
        (
            (f"{spans.WARNING} {changes_in_short(each)} since {day(each.since)}", "warning"),
            (f": {changes_key} shows the diff", "accent"),
        )
        for each in found
    ]


def since_lines(memory: RememberedServer | None, kinds: Sequence[str]) -> list[Line]:
    """Return all changes to approve in some lists and in the instructions, with both sides; [] for none."""
    if memory is None:
        return []
    found: list[Line] = []
    for each in memory.lists:
        if each.kind in kinds and each.any:
            found += [_title(f"{changes_in_short(each)} since {day(each.since)}"), ()]
            found += [(("  ", "text"), *line) if line else () for line in change_lines(each.changes)]
            found += [
                ((f"  {spans.EVENT} ", "warning"), span(key, "method"), (_UNKEPT, "muted")) for key in each.rewritten
            ]
            found.append(())
    if memory.instructions is not None:
        since, before, after = memory.instructions
        found += [_title(f"the instructions changed since {day(since)}"), (), *both_texts(before, after, "    "), ()]
    return found


def can_approve(memory: RememberedServer | None, kinds: Sequence[str]) -> bool:
    """Whether there is anything to approve in these lists or in the instructions."""
    return memory is not None and (memory.instructions is not None or any(memory.of(kind) for kind in kinds))


def _title(message: str) -> Line:
    return ((f"{spans.WARNING} {message}", "warning"),)
