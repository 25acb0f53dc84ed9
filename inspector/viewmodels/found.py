"""What checks have found in one journal, by entry: a mark for each row, the findings of a message, of a tool.

One thread adds, others read. What somebody has muted is kept and counts for nothing: no mark, no badge, no hit of a
filter.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.capture.journal import Journal
from inspector.config.mutes import Mute
from inspector.protocol import peek
from inspector.protocol.things import LISTS
from inspector.viewmodels.grades import GRADES

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.protocol.tracking.catalogue import Listing

_SHARED = 3
"""Things of a list from which on what was found about most of them is one cause."""
_ITEM = re.compile(r"/result/(tools|prompts|resources|resourceTemplates)/(\d{1,7})")
_CALLS = {"tools/call": "tools", "prompts/get": "prompts", "resources/read": "resources"}
_KEYS = {"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}
_KINDS = {listed.member: kind for kind, listed in LISTS.items()}


class AboutThing(msgspec.Struct, frozen=True):
    """A finding about something that is listed."""

    finding: "Finding"
    item: Any = None
    """The item as it was listed; None if the finding is about a use of it."""


class Shared(msgspec.Struct, frozen=True):
    """What a check found about most things of a list: one cause, and one line for all of them."""

    id: str
    severity: str
    count: int
    """About how many of them."""
    of: int
    """How many there are."""


class Faulty:
    """Of which things of a list errors were found. Each finding is looked at once, however often it is asked."""

    def __init__(self, listing: "Listing", muted: frozenset[Mute], items: dict[str, Any]) -> None:
        self.listing, self.muted, self.items = listing, muted, items
        self.looked_at = 0
        """So many of the suspects."""
        self.keys: set[str] = set()


class Found:
    """The findings of one journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.all: list[Finding] = []
        """In the order in which they were found, the muted ones included. Grows only."""
        self.changes = 0
        """Grows whenever something was found, muted, or is no longer muted."""
        self.muted: frozenset[Mute] = frozenset()
        self.counts = dict.fromkeys(GRADES, 0)
        """How many there are of each severity, the muted ones left out."""
        self._marks = bytearray(1)
        self._by_entry: dict[int, list[Finding]] = {}
        self._things: dict[tuple[str, str], list[AboutThing]] = {}
        self._with: dict[tuple[str, str, str], set[str]] = {}
        """By kind, check and severity the keys of the things that it was found about."""
        self._faulty: dict[str, Faulty] = {}
        """By kind: of which things errors were found, as far as was asked."""
        self._suspects: dict[str, list[str]] = {}
        """By kind the keys of things of which errors were found, in that order, one as often as that. Grows only."""
        self._page: tuple[int, str, Sequence[Any]] = (0, "", ())
        """The page that was looked at last for the names in it: its frame, the member, its items."""
        self._lock = threading.Lock()

    # --- reading

    def of(self, n: int) -> "Sequence[Finding]":
        """The findings whose evidence is entry n, worst first."""
        found = [each for each in self._by_entry.get(n, ()) if not self.is_muted(each)]
        return sorted(found, key=lambda each: each.severity.rank) if len(found) > 1 else found

    def worst(self, first: int, last: int) -> bytes:
        """For each of the entries `first` to `last` the worst finding: 1 a hint, 2 a warning, 3 an error, 0 none."""
        found = bytes(self._marks[first : last + 1])
        return found + bytes(last + 1 - first - len(found))

    def worst_of(self, first: int, last: int) -> int:
        """The worst of them all. As cheap for a hundred thousand as for one."""
        return next((mark for mark in (3, 2, 1) if self._marks.find(mark, first, last + 1) >= 0), 0)

    def marked(self, first: int, last: int) -> Iterator[int]:
        """Which of these entries have a mark."""
        return (first + at for at, mark in enumerate(self._marks[first : last + 1]) if mark)

    def mark(self, n: int) -> int:
        """The same of entry n alone."""
        return self._marks[n] if n < len(self._marks) else 0

    def of_thing(self, kind: str, key: str, item: Any) -> "list[Finding]":
        """The findings about a listed thing as it is listed now, and about its uses.

        `kind` is "tools", "prompts", "resources" or "resourceTemplates"; `key` is "" for a thing without one.
        """
        about = self._things.get((kind, key), ())
        found = [each.finding for each in about if each.item is None or each.item == item]
        return [each for each in found if not self.is_muted(each)]

    def shared(self, kind: str) -> list[Shared]:
        """What was found about most things of a list, and at least of three; the worst first."""
        listing = self.journal.conversation.catalogue.listings.get(kind)
        there = len(listing.items) if listing is not None else 0
        found = [
            Shared(check, severity, min(len(keys), there), there)
            for (of, check, severity), keys in list(self._with.items())
            if of == kind and len(keys) >= _SHARED and 2 * len(keys) > there and Mute(check) not in self.muted
        ]
        return sorted(found, key=lambda each: -GRADES.index(each.severity))

    def times(self, check: str) -> int:
        """How often a check has found something."""
        return sum(each.id == check for each in self.all)

    @property
    def has_things(self) -> bool:
        """Whether there is any finding about a listed thing."""
        return bool(self._things)

    def faulty(self, kind: str) -> int:
        """Of how many things of a kind, as they are listed now, errors were found."""
        listing, suspects = self.journal.conversation.catalogue.listings.get(kind), self._suspects.get(kind, ())
        if listing is None or not suspects:
            return 0
        known = self._faulty.get(kind)
        if known is None or known.listing is not listing or known.muted is not self.muted:
            known = self._faulty[kind] = Faulty(listing, self.muted, _items_of(kind, listing))
        new = suspects[known.looked_at :]
        known.looked_at += len(new)
        fresh = (key for key in dict.fromkeys(new) if key not in known.keys)
        known.keys.update([key for key in fresh if self._is_faulty(kind, key, known.items)])
        return len(known.keys)

    def _is_faulty(self, kind: str, key: str, items: dict[str, Any]) -> bool:
        return key in items and any(each.severity.rank == 0 for each in self.of_thing(kind, key, items[key]))

    def is_muted(self, finding: "Finding") -> bool:
        """Whether somebody has muted it, or its check."""
        if not self.muted:
            return False
        return Mute(finding.id) in self.muted or mute_of(finding) in self.muted

    # --- changing

    def add(self, findings: "Iterable[Finding]") -> None:
        """Take in what was found. One thread only."""
        with self._lock:
            for each in findings:
                self._add(each)
                self._count(each)
                self.changes += 1

    def mute(self, muted: Iterable[Mute]) -> None:
        """Mute exactly these from now on."""
        with self._lock:
            self.muted = frozenset(muted)
            self._marks = bytearray(len(self._marks))
            self.counts = dict.fromkeys(GRADES, 0)
            for each in self.all:
                self._count(each)
            self.changes += 1

    def forget_page(self) -> None:
        """Let go of the page that was looked at last: it may be long, and was read for this alone."""
        self._page = 0, "", ()

    def _add(self, finding: "Finding") -> None:
        n = finding.frames[0] if finding.frames else 0
        self._by_entry.setdefault(n, []).append(finding)
        about = self._thing(n, finding.pointer) if n else None
        if about is not None:
            (kind, key), item = about
            self._things.setdefault((kind, key), []).append(AboutThing(finding, item))
            self._with.setdefault((kind, finding.id, finding.severity), set()).add(key)
            if finding.severity.rank == 0:
                self._suspects.setdefault(kind, []).append(key)
        self.all.append(finding)

    def _count(self, finding: "Finding") -> None:
        if self.is_muted(finding):
            return
        grade = GRADES.index(finding.severity) + 1
        self.counts[finding.severity] += 1
        n = finding.frames[0] if finding.frames else 0
        if n >= len(self._marks):
            self._marks.extend(bytes(n + 1 - len(self._marks)))
        if n and self._marks[n] < grade:
            self._marks[n] = grade

    def _thing(self, n: int, pointer: str) -> tuple[tuple[str, str], Any] | None:
        """What a finding is about: kind and key, and for a definition the item. Reads one answer for many findings."""
        listed = _ITEM.match(pointer)
        if listed is None:
            return self._used(n)
        kind, at = listed.group(1), int(listed.group(2))
        items = self._items(n, kind)
        item = items[at] if at < len(items) else None
        return None if item is None else ((kind, peek.text(item, _KEYS[kind]) or ""), item)

    def _items(self, n: int, member: str) -> "Sequence[Any]":
        """What a page listed: the very items of the catalogue where it is one of its pages, else read again."""
        if self._page[:2] != (n, member):
            listing = self.journal.conversation.catalogue.listings[_KINDS[member]]
            items: Sequence[Any] | None = listing.items.of_frame(n)
            self._page = n, member, peek.items(_read(self.journal, n), "result", member) if items is None else items
        return self._page[2]

    def _used(self, n: int) -> tuple[tuple[str, str], None] | None:
        store, exchanges = self.journal.store, self.journal.conversation.exchanges
        number = store.exchange(n) if n <= store.count else 0
        if not 0 < number <= len(exchanges):
            return None
        exchange = exchanges[number - 1]
        kind = _CALLS.get(exchange.method)
        return ((kind, exchange.target), None) if kind and exchange.target else None


def mute_of(finding: "Finding") -> Mute:
    """What mutes this one finding."""
    return Mute(finding.id, finding.frames[0] if finding.frames else -1, finding.pointer)


def _items_of(kind: str, listing: "Listing") -> dict[str, Any]:
    """By key. Without further calls, because a list may be long and keys wait."""
    member = _KEYS[kind]
    found: dict[str, Any] = {}
    for item in listing.items:
        key = item.get(member) if isinstance(item, dict) else None
        found[key if isinstance(key, str) else ""] = item
    return found


def _read(journal: Journal, n: int) -> Any:
    what = journal.store.entry(n).what if n <= journal.store.count else None
    try:
        return msgspec.json.decode(getattr(what, "payload", b""))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
