"""The checks of a growing journal: a worker runs them in slices, and their findings are kept.

They process the journal from its first entry. Traffic never waits for them, so they may lag behind; `checked` is
their progress. The checks themselves are loaded by the first slice.
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
from inspector.checks.verdict import merged, same_fault
from inspector.config.remembered import Mute
from inspector.giving_way import rest
from inspector.present.gc_control import no_collection
from inspector.present.words import GRADES
from inspector.protocol import peek
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Message, read_around
from inspector.protocol.listed_items import LISTS
from inspector.protocol.tracking.catalogue import Listing
from inspector.protocol.unreadable import messages_of

_SHARED = 3
"""Minimum number of listed items with the same finding that count as one cause."""
_ITEM = re.compile(r"/result/(tools|prompts|resources|resourceTemplates)/(\d{1,7})")
_CALLS = {"tools/call": "tools", "prompts/get": "prompts", "resources/read": "resources"}
_KEYS = {"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}
_KINDS = {listed.member: kind for kind, listed in LISTS.items()}
LONGEST = 16 << 20
"""Bytes of the longest response that is read: a longer one would block all threads longer than a key press may wait."""
LONG = 1 << 20
"""A longer message is read alone, with the garbage collector disabled: its objects are many and all in use."""
_REST_S = 0.0001
"""Long enough for a waiting thread to take its turn; otherwise each turn waits for Python's five milliseconds."""
_BATCH = 25
"""Entries between two checks of the clock: a quarter of a millisecond."""
_BLOCK, _LOOKED_AT, _ENOUGH = 500, 10, 2000
"""Size of a block in a flood of log messages, how many of each block are examined, and after how many this begins."""
_PASSED_OVER = frozenset(("tools/call", "resources/read", "prompts/get", "sampling/createMessage"))
"""Messages that may be long and do not affect the checks of later ones."""
MANY = 250_000
"""From this many entries on, a recording is checked only on request: a million take half a minute of CPU."""


class ItemFinding(msgspec.Struct, frozen=True):
    """A finding about a listed item."""

    finding: Finding
    item: Any = None
    """The item as it was listed; None if the finding is about a use of it."""


class SharedCause(msgspec.Struct, frozen=True):
    """A finding that concerns most items of a list: one cause, shown in one line."""

    id: str
    severity: str
    count: int
    """Number of items that it concerns."""
    of: int
    """Number of items in the list."""


class Faulty:
    """The listed items with errors. Each finding is examined only once, however often the number is requested."""

    def __init__(self, listing: Listing, muted: frozenset[Mute], items: dict[str, Any]) -> None:
        self.listing, self.muted, self.items = listing, muted, items
        self.looked_at = 0
        """Number of suspects that were examined."""
        self.keys: set[str] = set()


class JournalFindings:
    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.all: list[Finding] = []
        """In order of discovery, including muted ones. Grows only."""
        self.changes = 0
        """Incremented whenever a finding is added, muted or unmuted."""
        self.muted: frozenset[Mute] = frozenset()
        self.counts = dict.fromkeys(GRADES, 0)
        """Number of faults by severity, without muted ones: a fault in several messages is one."""
        self.hidden: set[tuple[object, ...]] = set()
        """Faults with a muted finding."""
        self._counted: set[tuple[object, ...]] = set()
        self._marks = bytearray(1)
        self._by_entry: dict[int, list[Finding]] = {}
        self._things: dict[tuple[str, str], list[ItemFinding]] = {}
        self._with: dict[tuple[str, str, str], set[str]] = {}
        """Keys of the items that were found faulty, by kind, check and severity."""
        self._faulty: dict[str, Faulty] = {}
        """Items with errors by kind, as far as requested."""
        self._suspects: dict[str, list[str]] = {}
        """Keys of items with errors by kind, in order of discovery, one per error. Grows only."""
        self._page: tuple[int, str, Sequence[Any]] = (0, "", ())
        """The page that was last read to resolve names: its frame, its member, its items."""
        self._lock = threading.Lock()

    def of(self, n: int) -> Sequence[Finding]:
        """Return the findings whose evidence is entry n, worst first."""
        found = [each for each in self._by_entry.get(n, ()) if not self.is_muted(each)]
        return sorted(found, key=lambda each: each.severity.rank) if len(found) > 1 else found

    def worst(self, first: int, last: int) -> bytes:
        """Return the worst finding of each of the entries `first` to `last`: 1 hint, 2 warning, 3 error, 0 none."""
        found = bytes(self._marks[first : last + 1])
        return found + bytes(last + 1 - first - len(found))

    def worst_of(self, first: int, last: int) -> int:
        """Return the worst grade of all these entries. As cheap for a hundred thousand as for one."""
        return next((mark for mark in (3, 2, 1) if self._marks.find(mark, first, last + 1) >= 0), 0)

    def marked(self, first: int, last: int) -> Iterator[int]:
        """Yield the entries with a mark among `first` to `last`."""
        return (first + at for at, mark in enumerate(self._marks[first : last + 1]) if mark)

    def mark(self, n: int) -> int:
        """Return the worst grade of entry n."""
        return self._marks[n] if n < len(self._marks) else 0

    def of_item(self, kind: str, key: str, item: Any) -> list[Finding]:
        """Return the findings about a listed item in its current form, and about its uses.

        `kind` is "tools", "prompts", "resources" or "resourceTemplates"; `key` is "" for an item without one.
        """
        about = self._things.get((kind, key), ())
        found = (each.finding for each in about if each.item is None or each.item == item)
        return merged(each for each in found if not self.is_muted(each))

    def shared(self, kind: str) -> list[SharedCause]:
        """Return the findings that concern most items of a list, and at least three; worst first."""
        listing = self.journal.conversation.catalogue.listings.get(kind)
        there = len(listing.items) if listing is not None else 0
        found = [
            SharedCause(check, severity, min(len(keys), there), there)
            for (of, check, severity), keys in list(self._with.items())
            if of == kind and len(keys) >= _SHARED and 2 * len(keys) > there and Mute(check) not in self.muted
        ]
        return sorted(found, key=lambda each: -GRADES.index(each.severity))

    def affected(self, check: str, severity: str) -> list[str]:
        """Return the names or URIs of the listed items with findings of a check, sorted; foreign text."""
        found = (keys for (_, of, worst), keys in list(self._with.items()) if (of, worst) == (check, severity))
        return sorted(key for keys in found for key in keys if key)

    def times(self, check: str) -> int:
        return sum(each.id == check for each in self.all)

    @property
    def has_items(self) -> bool:
        """Whether there is any finding about a listed item."""
        return bool(self._things)

    def faulty(self, kind: str) -> int:
        """Return the number of items of a kind, in their current form, with errors."""
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
        return key in items and any(each.severity.rank == 0 for each in self.of_item(kind, key, items[key]))

    def is_muted(self, finding: Finding) -> bool:
        if not self.muted:
            return False
        return Mute(finding.id) in self.muted or mute_of(finding) in self.muted

    def add(self, findings: Iterable[Finding]) -> None:
        """Add findings. Call it on one thread only."""
        with self._lock:
            for each in findings:
                self._add(each)
                self._count(each)
                self.changes += 1

    def mute(self, muted: Iterable[Mute]) -> None:
        """Mute exactly these findings and checks from now on."""
        with self._lock:
            self.muted = frozenset(muted)
            self._marks = bytearray(len(self._marks))
            self.counts = dict.fromkeys(GRADES, 0)
            self._counted.clear()
            self.hidden.clear()
            for each in self.all:
                self._count(each)
            self.changes += 1

    def forget_page(self) -> None:
        """Release the page that was last read: it may be long, and nothing else needs it."""
        self._page = 0, "", ()

    def _add(self, finding: Finding) -> None:
        n = finding.frames[0] if finding.frames else 0
        self._by_entry.setdefault(n, []).append(finding)
        about = self._thing(n, finding.pointer) if n else None
        if about is not None:
            (kind, key), item = about
            self._things.setdefault((kind, key), []).append(ItemFinding(finding, item))
            self._with.setdefault((kind, finding.id, finding.severity), set()).add(key)
            if finding.severity.rank == 0:
                self._suspects.setdefault(kind, []).append(key)
        self.all.append(finding)

    def _count(self, finding: Finding) -> None:
        fault = same_fault(finding)
        if self.is_muted(finding):
            self.hidden.add(fault)
            return
        grade = GRADES.index(finding.severity) + 1
        self.counts[finding.severity] += fault not in self._counted
        self._counted.add(fault)
        n = finding.frames[0] if finding.frames else 0
        if n >= len(self._marks):
            self._marks.extend(bytes(n + 1 - len(self._marks)))
        if n and self._marks[n] < grade:
            self._marks[n] = grade

    def _thing(self, n: int, pointer: str) -> tuple[tuple[str, str], Any] | None:
        """Return the kind, the key and, for a definition, the item of a finding. Caches the page for many findings."""
        listed = _ITEM.match(pointer)
        if listed is None:
            return self._used(n)
        kind, at = listed.group(1), int(listed.group(2))
        items = self._items(n, kind)
        item = items[at] if at < len(items) else None
        return None if item is None else ((kind, peek.text(item, _KEYS[kind]) or ""), item)

    def _items(self, n: int, member: str) -> Sequence[Any]:
        """Return the items of a page: those of the catalogue if it has the page, else parsed again."""
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
    return Mute(finding.id, finding.frames[0] if finding.frames else -1, finding.pointer)


def _items_of(kind: str, listing: Listing) -> dict[str, Any]:
    """Return the items by key. It makes no calls per item, because a list may be long and key presses wait."""
    member = _KEYS[kind]
    found: dict[str, Any] = {}
    for item in listing.items:
        key = item.get(member) if isinstance(item, dict) else None
        found[key if isinstance(key, str) else ""] = item
    return found


def _read(journal: Journal, n: int) -> Any:
    what = journal.store.entry(n).what if n <= journal.store.count else None
    return peek.decoded(getattr(what, "payload", b""))


class LiveChecks(JournalFindings):
    def __init__(self, journal: Journal, over: Callable[[], bool] = lambda: False) -> None:
        """Start with nothing checked. `over`: whether a journal whose connection has not ended gets no more entries."""
        super().__init__(journal)
        self.checked = 0
        """Number of entries that were checked."""
        self.passed_over = 0
        """Number of messages that were too long to be read."""
        self.skimmed = 0
        """Number of log messages of a flood that were not examined."""
        self._in_floods = 0
        self.paused = False
        """Whether the checks are paused until the user resumes them."""
        self.considered = False
        """Whether `consider` was called."""
        self._over = over
        self._inspection: Inspection | None = None
        self._is_finished = False

    @property
    def total(self) -> int:
        """Number of entries in the journal."""
        return self.journal.count

    @property
    def is_done(self) -> bool:
        """Whether all received entries were checked."""
        is_finished = self._is_finished or not self._over()
        return self.checked >= self.journal.count and not self.has_pending_checks and is_finished

    @property
    def later(self) -> int:
        """Number of findings that were discovered after the moment that these checks are about."""
        return 0

    @property
    def unvalidated(self) -> int:
        """Number of results that were not validated against their schemas for lack of room."""
        return self._inspection.unvalidated if self._inspection is not None else 0

    @property
    def disabled_checks(self) -> Sequence[DisabledCheck]:
        """Checks that failed by an error of ours; the others continued."""
        return tuple(self._inspection.disabled_checks.values()) if self._inspection is not None else ()

    @property
    def coverage(self) -> tuple[int, int]:
        """Number of checks that passed, and number of checks of the protocol version that had nothing to examine."""
        if self._inspection is None:
            return 0, 0
        observed, row = self._inspection.observed, self._inspection.state.row
        applying = {each.id for each in CHECKS.values() if each.hooks and each.applies_to(row)}
        return len((observed & applying) - {each.id for each in self.all}), len(applying - observed)

    def times(self, check: str) -> int:
        """Return the number of findings of a check, including those that were not kept individually."""
        return self._inspection.counts[check] if self._inspection is not None else 0

    def pause(self, paused: bool) -> None:
        """Pause or resume the checks."""
        self.paused = paused

    @property
    def has_pending_checks(self) -> bool:
        """Whether expensive checks of examined messages are pending."""
        return bool(self._inspection is not None and self._inspection.waiting)

    def consider(self) -> None:
        """Pause before the first check of a long recording, until the user requests it."""
        if not self.considered:
            self.considered = True
            self.paused = self.paused or self.journal.count >= MANY

    def step(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> bool:
        """Work for about `seconds` or until all is done; return whether there was work. Call it on one thread only."""
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
        """Check everything, without a time limit."""
        while self.step(1.0):
            pass

    def _begun(self) -> Inspection:
        if self._inspection is None:
            self._inspection = Inspection(rest=_rest, read=self._messages)
        return self._inspection

    def _messages(self, frame: Frame) -> tuple[Message, ...]:
        """Return the messages of a frame. A long page uses the objects that the catalogue has already parsed."""
        if len(frame.payload) > LONG and not frame.cut:
            for kind, listing in self.journal.conversation.catalogue.listings.items():
                if (items := listing.items.of_frame(frame.n)) is not None:
                    return read_around(frame.payload, LISTS[kind].member, items) or messages_of(frame)
        return messages_of(frame)

    def _linger(self, inspection: Inspection, end: float, clock: Callable[[], float]) -> None:
        """Run the expensive checks, and then those that need the end of the journal."""
        while inspection.waiting:
            self.add(inspection.judge_pending(1))
            if clock() >= end:
                return
        if self._over() and self.checked >= self.journal.count:
            self._is_finished = True
            self.add(inspection.finish())
        self.forget_page()

    def _skim(self, inspection: Inspection, first: int) -> bool:
        """Check only the beginning of a block of log messages, once many were checked; False for any other block."""
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
        """Yield entries as they crossed; unreadable ones are left out, because a check would misjudge them."""
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
    rest(_REST_S)


# What checks could find in a recording when only its first entries existed: findings discovered by then.


class PastChecks(JournalFindings):
    """The findings at an earlier moment, in place of `LiveChecks`. Call `now` before reading."""

    def __init__(self, journal: Journal, whole: "AnyChecks") -> None:
        """Start with the findings known by then; `journal` is the past one, `whole` the checks of its recording."""
        super().__init__(journal)
        self.checked = self.passed_over = self.skimmed = 0
        """As in `LiveChecks`."""
        self.paused = False
        self.whole = whole
        self._turn = threading.Lock()
        """Filters read from threads of their own."""
        self._taken = 0
        """Number of findings of the whole recording that were examined."""
        self._later: list[tuple[int, int, Finding]] = []
        """Findings that are discovered later: a heap by entry, then by order of discovery."""
        self.now()

    def now(self) -> "PastChecks":
        """Add what was discovered since the last call. Nearly free if nothing was."""
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
        """Number of entries at that moment."""
        return self.journal.count

    @property
    def is_done(self) -> bool:
        """Whether all entries of that moment were checked."""
        return self.checked >= self.journal.count and (self.whole.is_done or not self.whole.has_pending_checks)

    @property
    def has_pending_checks(self) -> bool:
        """Whether expensive checks of the whole recording are pending."""
        return self.whole.has_pending_checks

    @property
    def later(self) -> int:
        """Number of findings that were discovered later."""
        return len(self._later)

    @property
    def coverage(self) -> tuple[int, int]:
        """Coverage of the whole recording."""
        return self.whole.coverage

    @property
    def unvalidated(self) -> int:
        """Number of results in the whole recording that were not validated for lack of room."""
        return self.whole.unvalidated

    @property
    def disabled_checks(self) -> Sequence[DisabledCheck]:
        """Checks that had failed by then by an error of ours."""
        return tuple(each for each in self.whole.disabled_checks if each.n <= self.journal.count)

    def step(self, seconds: float) -> bool:
        """Do nothing: the checks run on the whole recording."""
        return False

    def consider(self) -> None:
        """Do nothing: there is nothing to pause."""

    def catch_up(self) -> None:
        """Do nothing: the checks run on the whole recording."""

    def pause(self, paused: bool) -> None:
        """Pause or resume the checks of the whole recording."""
        self.whole.pause(paused)
        self.now()

    def mute(self, muted: Iterable[Mute]) -> None:
        """Mute these in the whole recording."""
        self.whole.mute(muted)
        self.now()


AnyChecks = LiveChecks | PastChecks
"""The checks of a conversation that is live or was read, or of an earlier moment of one."""
