"""The checks over one journal while it grows: a worker gives them time, in bites, and what they find is kept.

They go through the journal from its first entry on, as fast as they are let and no faster: traffic never waits for
them, so they may lag behind, and how far they have come is known. The checks themselves are loaded at the first bite.
"""

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

import msgspec

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind, MessageKind
from inspector.capture.store.store import entries
from inspector.checks.findings import Finding
from inspector.checks.registry import CHECKS
from inspector.checks.runner import DisabledCheck, Inspection
from inspector.config.remembered import Mute
from inspector.present.gc_control import no_collection
from inspector.present.words import GRADES
from inspector.protocol import peek
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Message, read_around
from inspector.protocol.things import LISTS
from inspector.protocol.tracking.catalogue import Listing
from inspector.protocol.unreadable import messages_of

# What checks have found in one journal, by entry: a mark for each row, the findings of a message, of a tool.

_SHARED = 3
"""Things of a list from which on what was found about most of them is one cause."""
_ITEM = re.compile(r"/result/(tools|prompts|resources|resourceTemplates)/(\d{1,7})")
_CALLS = {"tools/call": "tools", "prompts/get": "prompts", "resources/read": "resources"}
_KEYS = {"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}
_KINDS = {listed.member: kind for kind, listed in LISTS.items()}


class AboutThing(msgspec.Struct, frozen=True):
    """A finding about something that is listed."""

    finding: Finding
    item: Any = None
    """The item as it was listed; None if the finding is about a use of it."""


class SharedCause(msgspec.Struct, frozen=True):
    """What a check found about most things of a list: one cause, and one line for all of them."""

    id: str
    severity: str
    count: int
    """About how many of them."""
    of: int
    """How many there are."""


class Faulty:
    """Of which things of a list errors were found. Each finding is looked at once, however often it is asked."""

    def __init__(self, listing: Listing, muted: frozenset[Mute], items: dict[str, Any]) -> None:
        self.listing, self.muted, self.items = listing, muted, items
        self.looked_at = 0
        """So many of the suspects."""
        self.keys: set[str] = set()


class JournalFindings:
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

    # reading

    def of(self, n: int) -> Sequence[Finding]:
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

    def of_thing(self, kind: str, key: str, item: Any) -> list[Finding]:
        """The findings about a listed thing as it is listed now, and about its uses.

        `kind` is "tools", "prompts", "resources" or "resourceTemplates"; `key` is "" for a thing without one.
        """
        about = self._things.get((kind, key), ())
        found = [each.finding for each in about if each.item is None or each.item == item]
        return [each for each in found if not self.is_muted(each)]

    def shared(self, kind: str) -> list[SharedCause]:
        """What was found about most things of a list, and at least of three; the worst first."""
        listing = self.journal.conversation.catalogue.listings.get(kind)
        there = len(listing.items) if listing is not None else 0
        found = [
            SharedCause(check, severity, min(len(keys), there), there)
            for (of, check, severity), keys in list(self._with.items())
            if of == kind and len(keys) >= _SHARED and 2 * len(keys) > there and Mute(check) not in self.muted
        ]
        return sorted(found, key=lambda each: -GRADES.index(each.severity))

    def affected(self, check: str, severity: str) -> list[str]:
        """The names or URIs of the listed things that a check has found something about, sorted; foreign text."""
        found = (keys for (_, of, worst), keys in list(self._with.items()) if (of, worst) == (check, severity))
        return sorted(key for keys in found for key in keys if key)

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

    def is_muted(self, finding: Finding) -> bool:
        """Whether it or its check is muted."""
        if not self.muted:
            return False
        return Mute(finding.id) in self.muted or mute_of(finding) in self.muted

    # changing

    def add(self, findings: Iterable[Finding]) -> None:
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

    def _add(self, finding: Finding) -> None:
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

    def _count(self, finding: Finding) -> None:
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

    def _items(self, n: int, member: str) -> Sequence[Any]:
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


def mute_of(finding: Finding) -> Mute:
    """What mutes this one finding."""
    return Mute(finding.id, finding.frames[0] if finding.frames else -1, finding.pointer)


def _items_of(kind: str, listing: Listing) -> dict[str, Any]:
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


LONGEST = 16 << 20
"""Bytes of an answer that is read: a longer one would hold all threads up for longer than a key may wait."""
LONG = 1 << 20
"""From here on a message is read alone, with the collector of garbage at rest: its objects are many, and all in use."""
_REST_S = 0.0001
"""Long enough for a waiting thread to take its turn: without it, each turn comes after Python's five milliseconds."""
_BATCH = 25
"""Entries between two looks at the clock: a quarter of a millisecond."""
_BLOCK, _LOOKED_AT, _ENOUGH = 500, 10, 2000
"""In a flood of log messages: so many at once, of which so many are looked at, once so many were."""
_PASSED_OVER = frozenset(("tools/call", "resources/read", "prompts/get", "sampling/createMessage"))
"""Messages that may be long and do not affect the checks of later ones."""


MANY = 250_000
"""Entries of a recording from which on checking waits to be asked for: half a minute of a processor for a million."""


class LiveChecks(JournalFindings):
    """The checks of one journal."""

    def __init__(self, journal: Journal, over: Callable[[], bool] = lambda: False) -> None:
        """`over`: whether nothing more will come in a journal whose connection has not ended."""
        super().__init__(journal)
        self.checked = 0
        """Entries that the checks have taken in."""
        self.passed_over = 0
        """Messages that were too long to be read."""
        self.skimmed = 0
        """Log messages of a flood that were not looked at."""
        self._in_floods = 0
        self.paused = False
        """Whether they are paused until the user resumes them."""
        self.considered = False
        """Whether it was settled that a recording of this length is checked without being asked."""
        self._over = over
        self._inspection: Inspection | None = None
        self._is_finished = False

    @property
    def total(self) -> int:
        """Entries that there are."""
        return self.journal.count

    @property
    def is_done(self) -> bool:
        """Whether all that has come was checked."""
        is_finished = self._is_finished or not self._over()
        return self.checked >= self.journal.count and not self.asks_further and is_finished

    @property
    def later(self) -> int:
        """How many findings came to light after the moment that these checks are about."""
        return 0

    @property
    def unasked(self) -> int:
        """Results that were not validated against their schemas for lack of room."""
        return self._inspection.unasked if self._inspection is not None else 0

    @property
    def disabled_checks(self) -> Sequence[DisabledCheck]:
        """What has failed by a mistake of ours; the other checks have gone on."""
        return tuple(self._inspection.disabled_checks.values()) if self._inspection is not None else ()

    @property
    def coverage(self) -> tuple[int, int]:
        """How many checks passed, and how many of the protocol version had nothing to examine."""
        if self._inspection is None:
            return 0, 0
        observed, row = self._inspection.observed, self._inspection.state.row
        applying = {each.id for each in CHECKS.values() if each.hooks and each.applies_to(row)}
        return len((observed & applying) - {each.id for each in self.all}), len(applying - observed)

    def times(self, check: str) -> int:
        """How often a check has found something, also what was not kept one by one."""
        return self._inspection.counts[check] if self._inspection is not None else 0

    def pause(self, paused: bool) -> None:
        """Pause or resume them."""
        self.paused = paused

    @property
    def asks_further(self) -> bool:
        """Whether expensive questions about what was checked wait."""
        return bool(self._inspection is not None and self._inspection.waiting)

    def consider(self) -> None:
        """Of a recording that was read: wait to be asked where there is much to check."""
        if not self.considered:
            self.considered = True
            self.paused = self.paused or self.journal.count >= MANY

    def step(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> bool:
        """Work for about so long, or until all is done; whether there was something to do. One thread only."""
        if self.is_done:
            return False
        inspection, end = self._begun(), clock() + seconds
        while (first := self.checked + 1) <= self.journal.count:
            if not self._skim(inspection, first):
                self._take(inspection, first, min(first + _BATCH - 1, self.journal.count))
            if clock() >= end:
                return True
        self._linger(inspection, end, clock)
        return True

    def catch_up(self) -> None:
        """Check all there is. It takes as long as it takes."""
        while self.step(1.0):
            pass

    def _begun(self) -> Inspection:
        if self._inspection is None:
            self._inspection = Inspection(rest=_rest, read=self._messages)
        return self._inspection

    def _messages(self, frame: Frame) -> tuple[Message, ...]:
        """The messages of a frame. A long page is made objects once, by the fold, and judged as such."""
        if len(frame.payload) > LONG and not frame.cut:
            for kind, listing in self.journal.conversation.catalogue.listings.items():
                if (items := listing.items.of_frame(frame.n)) is not None:
                    return read_around(frame.payload, LISTS[kind].member, items) or messages_of(frame)
        return messages_of(frame)

    def _linger(self, inspection: Inspection, end: float, clock: Callable[[], float]) -> None:
        """The expensive questions, and then what only the end can tell."""
        while inspection.waiting:
            self.add(inspection.judge_pending(1))
            if clock() >= end:
                return
        if self._over() and self.checked >= self.journal.count:
            self._is_finished = True
            self.add(inspection.finish())
        self.forget_page()

    def _skim(self, inspection: Inspection, first: int) -> bool:
        """Look at the beginning of a block of log messages alone, once many were looked at; False if it is not one."""
        last, store = first + _BLOCK - 1, self.journal.store
        if last > self.journal.count or not store.is_run(first, last):
            return False
        if self._in_floods < _ENOUGH:
            self._in_floods += _BATCH
            return False
        self._take(inspection, first, first + _LOOKED_AT - 1)
        inspection.skip_logs(_BLOCK - _LOOKED_AT, store.time_ns(last))
        self.skimmed += _BLOCK - _LOOKED_AT
        self.checked = last
        return True

    def _take(self, inspection: Inspection, first: int, last: int) -> None:
        sizes = self.journal.store.columns(first, last).sizes
        if max(sizes) > LONG:
            for n in range(first, last + 1):
                self._take_one(inspection, n)
            return
        self.add(inspection.take(self._readable(first, last)))
        self.checked = last

    def _readable(self, first: int, last: int) -> Iterator[Entry]:
        """Entries as they crossed; what can't be read back is left out, for it would be judged as it is not."""
        return (entry for entry in entries(self.journal.store, first, last) if not entry.missing)

    def _take_one(self, inspection: Inspection, n: int) -> None:
        store, exchanges = self.journal.store, self.journal.conversation.exchanges
        number, kind = store.exchange(n), store.message_kind(n)
        exchange = exchanges[number - 1] if 0 < number <= len(exchanges) else None
        is_long = store.size(n) > LONGEST and store.kind(n) is EntryKind.FRAME
        theirs = store.direction(n) is Direction.FROM_SERVER
        if is_long and theirs and exchange is not None and exchange.method in _PASSED_OVER:
            self.passed_over += 1
            method = exchange.method if kind is MessageKind.REQUEST else ""
            self.add(inspection.take_unread(n, store.time_ns(n), store.size(n), exchange.id, method))
        elif store.size(n) <= LONG:
            self.add(inspection.take(self._readable(n, n)))
        else:
            with no_collection():
                self.add(inspection.take(self._readable(n, n)))
                self.add(inspection.judge_pending(inspection.waiting))
        self.checked = n


def _rest() -> None:
    time.sleep(_REST_S)


# What checks could say of a recording when only its first entries had come: findings that came to light by
# then.


class PastChecks(JournalFindings):
    """The findings of a moment, in place of `LiveChecks`. Call `now` before looking."""

    def __init__(self, journal: Journal, whole: "AnyChecks") -> None:
        """`journal` is the past one, `whole` the checks of the recording that it is of."""
        super().__init__(journal)
        self.checked = self.passed_over = self.skimmed = 0
        """As in `LiveChecks`."""
        self.paused = False
        self.whole = whole
        self._turn = threading.Lock()
        """Filters look from threads of their own."""
        self._taken = 0
        """How many findings of the whole were looked at."""
        self._later: list[tuple[int, int, Finding]] = []
        """Those that come to light later: a heap by the entry, then by their order."""
        self.now()

    def now(self) -> "PastChecks":
        """Take in what has come to light since the last look. Nearly free if nothing has."""
        with self._turn:
            whole, count = self.whole, self.journal.count
            if whole.muted is not self.muted:
                super().mute(whole.muted)
            for each in whole.all[self._taken :]:
                self._taken += 1
                heappush(self._later, (each.known_at, self._taken, each))
            known: list[tuple[int, Finding]] = []
            while self._later and self._later[0][0] <= count:
                known.append(heappop(self._later)[1:])
            if known:
                self.add(finding for _, finding in sorted(known, key=lambda each: each[0]))
            self.checked, self.paused = min(whole.checked, count), whole.paused
            self.passed_over, self.skimmed = whole.passed_over, whole.skimmed
        return self

    @property
    def total(self) -> int:
        """Entries that there were."""
        return self.journal.count

    @property
    def is_done(self) -> bool:
        """Whether all that had come by then was checked."""
        return self.checked >= self.journal.count and (self.whole.is_done or not self.whole.asks_further)

    @property
    def asks_further(self) -> bool:
        """Whether expensive questions about the whole recording wait."""
        return self.whole.asks_further

    @property
    def later(self) -> int:
        """How many findings came to light later."""
        return len(self._later)

    @property
    def coverage(self) -> tuple[int, int]:
        """That of the whole recording."""
        return self.whole.coverage

    @property
    def unasked(self) -> int:
        """Results of all of the recording for which there was no room."""
        return self.whole.unasked

    @property
    def disabled_checks(self) -> Sequence[DisabledCheck]:
        """What has failed by then, by a mistake of ours."""
        return tuple(each for each in self.whole.disabled_checks if each.n <= self.journal.count)

    def step(self, seconds: float) -> bool:
        """Nothing is checked here."""
        return False

    def consider(self) -> None:
        """Nothing is checked here, so there is nothing to ask."""

    def catch_up(self) -> None:
        """Nothing is checked here."""

    def pause(self, paused: bool) -> None:
        """Pause or resume the checks of the whole recording."""
        self.whole.pause(paused)
        self.now()

    def mute(self, muted: Iterable[Mute]) -> None:
        """Mute these in the whole recording."""
        self.whole.mute(muted)
        self.now()


AnyChecks = LiveChecks | PastChecks
"""The checks of a conversation: of one that is live or was read, or of a moment of one."""
