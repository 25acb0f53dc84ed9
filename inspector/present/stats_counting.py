"""Incremental counting of a journal into a table of statistics: each pass costs only what is new or changed.

Everything but arguments is read from the columns of exchanges. Changes since the last pass are found by comparing
columns: those of states, and of filter matches.
"""

import heapq
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.messages import messages_at
from inspector.capture.store.columns import KIND_BITS, EntryKind, MessageKind
from inspector.documents import UNENCODABLE
from inspector.filters.engine.findings import FindingSource
from inspector.filters.engine.matching import reach
from inspector.filters.language.fields import Term
from inspector.present.stats import (
    ABSENT,
    HAS_RESPONSE,
    HOUR,
    OTHERS,
    OUTCOME_OF,
    ROUND,
    SECOND,
    TIMED,
    TOPS,
    Repeated,
    StatsGroup,
    StatsTable,
    Top,
)
from inspector.present.traffic.filter import RowFilter
from inspector.protocol import peek
from inspector.protocol.exchange_log import ASKS, FROM_SERVER, NEVER, PROBE, STATE_BITS, UNLISTED
from inspector.protocol.jsonrpc import Request, RequestId
from inspector.protocol.listed_items import KIND_OF_METHOD
from inspector.protocol.revisions.openings import OPENING

CALL = "tools/call"
_OF_PERSON = ("elicitation/create", "sampling/createMessage")
"""Server requests that the user, or a model on the user's behalf, responds to."""

_CHUNK_ENTRIES = 4096
_ENTRIES = 100_000
"""Entries whose kinds are counted at once."""
_NOT_COUNTED = -1
_KIND = bytes(flags & KIND_BITS for flags in range(256))
REPEATED = 3
"""Minimum number of equal calls that are listed, because a model may be in a loop."""
_MOST_CALLS = 50_000


class EntryChoice(Protocol):
    """The entries of a journal that match a filter."""

    @property
    def hits(self) -> bytearray:
        """At n: 1 if entry n matches."""

    @property
    def changes(self) -> int:
        """Incremented whenever other entries match."""


class FilteredEntries:
    """Applies a filter to the entries of a journal as they are added. Implements `EntryChoice`."""

    def __init__(
        self,
        journal: Journal,
        term: Term,
        clock: Callable[[], int],
        *,
        threaded: bool = False,
        findings: FindingSource | None = None,
    ) -> None:
        """Start with no entries. `clock`: the journal's monotonic ns; `threaded`: read messages on another thread."""
        self._journal = journal
        self._filter = RowFilter(journal, clock, threaded=threaded)
        self._filter.findings = findings
        self._taken = journal.count
        self._filter.set(term, self._taken)

    @property
    def hits(self) -> bytearray:
        """At n: 1 if entry n matches."""
        return self._filter.hits

    @property
    def changes(self) -> int:
        """Incremented whenever other entries match."""
        return self._filter.changes

    @property
    def is_filtering(self) -> bool:
        """Whether existing entries are still being filtered."""
        return self._filter.is_filtering

    def take(self, limit: int = 1 << 60) -> bool:
        """Filter at most `limit` new entries; return whether more are left."""
        first, last = self._taken + 1, min(self._journal.count, self._taken + limit)
        if first <= last:
            self._taken = last
            changed = set(self._filter.ended())
            self._filter.take(first, last)
            changed.update(self._journal.store.exchange(n) for n in self._journal.store.of_exchanges(first, last))
            self._filter.again(changed)
        for _ in self._filter.step():
            pass
        return self._taken < self._journal.count or self._filter.is_filtering

    def cancel(self) -> None:
        self._filter.cancel()


class InFlight:
    """Requests that are open at the same time, given in the order in which they were sent."""

    __slots__ = ("_ends", "_open", "most")

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._open: set[int] = set()
        self.most = 0
        """Maximum number of them."""

    def sent(self, number: int, start: int, end: int) -> None:
        """Add a request with its times in nanoseconds; the end is NEVER while it is open."""
        ends, still = self._ends, self._open
        while ends and ends[0] <= start:
            heapq.heappop(ends)
        if end == NEVER:
            still.add(number)
        elif end > start:
            heapq.heappush(ends, end)
        flying = len(ends) + len(still)
        if flying > self.most:
            self.most = flying

    def take_ended(self, ends: Sequence[int]) -> None:
        """Move requests that have ended since; `ends` has the end of each request by its number."""
        for number in [number for number in self._open if ends[number] != NEVER]:
            self._open.discard(number)
            heapq.heappush(self._ends, ends[number])


class JournalStats:
    """Counts one journal into a table. Single-threaded, but another thread may add to the journal meanwhile.

    A request counts if the filter matches it or its response.
    """

    def __init__(self, journal: Journal, table: StatsTable, selection: EntryChoice | None = None, source: int = 0):
        self.journal, self.table = journal, table
        self._selection = selection
        self._source = source
        self._log = journal.conversation.exchanges
        self._arguments = CallArguments(journal)
        self._seen = bytearray()
        """States at the last pass, from exchange 1 on."""
        self._groups: list[StatsGroup] = []
        self._places: dict[object, int] = {}
        """Index of a group in `_groups`, by the parts of its key."""
        self._counted = array("i")
        """Index of the group of each exchange, or _NOT_COUNTED."""
        self._hits = b""
        self._hits_change = -1
        self._entries = 0
        self._wall = journal.started_wall_ns - journal.started_ns
        self._key: Callable[[int], int] = {
            "tool": self._by_tool,
            "method": self._by_method,
            "server": lambda _: self._place(self.names[0], lambda: self.names[0]),
            "client": lambda _: self._place(self.names[1], lambda: self.names[1]),
            "hour": self._by_hour,
            "args": self._by_argument,
        }[table.by.name]
        self._tools: set[int] = set()
        """Tools that were called, by the numbers of their names."""
        self._special: dict[int, StatsGroup] = {}
        """Groups of requests that open connections or fetch lists, by method number."""
        self._names = 0
        self._calls = self._other = -2
        self._persons: set[int] = set()
        self._flying = InFlight()
        self._flying_by_group: dict[int, InFlight] = {}
        """By index of the group."""
        self._asked: dict[int, int] = {}
        """Time of the last response that required input, by operation."""
        self._named = self.names
        self._others = _NOT_COUNTED
        self._connections = 1
        self._held_ns = 0
        self._edits = 0
        self._first_ns = self._last_ns = 0
        self._listed: object = None

    def take(self, limit: int = 1 << 60) -> bool:
        """Count what is new, about `limit` requests at most; return whether more is left."""
        log, count = self._log, len(self._log)
        if self.names != self._named:
            self._name_again()
        left = self._again(limit)
        while left > 0 and len(self._seen) < count:
            first = len(self._seen) + 1
            last = min(count, first + min(_CHUNK_ENTRIES, left) - 1)
            self._take(first, last)
            left -= last - first + 1
        self._take_entries()
        self._take_rest()
        return len(self._seen) < len(log) or left <= 0

    @property
    def done(self) -> int:
        """Number of exchanges that were examined."""
        return len(self._seen)

    @property
    def is_behind(self) -> bool:
        """Whether there are exchanges that were not examined."""
        return len(self._seen) < len(self._log)

    def is_call(self, number: int) -> bool:
        """Whether an exchange is counted, is a tool call, and is not a further round of one."""
        return (
            self._counted[number - 1] != _NOT_COUNTED
            and self._log.methods[number] == self._calls
            and OUTCOME_OF[self._seen[number - 1]] != ROUND
        )

    # From columns to counts.

    def _learn_names(self) -> None:
        names = self._log.names
        for number in range(self._names, len(names)):
            name = names[number]
            if name == CALL:
                self._calls = number
            elif name in OPENING:
                self._special[number] = self.table.opening
            elif name in KIND_OF_METHOD:
                self._special[number] = self.table.lists
            elif name in _OF_PERSON:
                self._persons.add(number)
        self._names = len(names)

    def _take(self, first: int, last: int) -> None:
        log, part = self._log, slice(first, last + 1)
        states = bytes(log.states[part])
        self._counted.extend([_NOT_COUNTED] * len(states))
        self._seen += states
        self._learn_names()
        for each in (self._flying, *self._flying_by_group.values()):
            each.take_ended(log.ends)
        calls, calls_only, special = self._calls, self.table.by.calls_only, self._special
        selection = self._selection
        rows = zip(range(first, last + 1), states, log.methods[part], log.views[part], strict=True)
        for number, bits, method, view in rows:
            if bits & PROBE or view:
                continue
            self._flying.sent(number, log.starts[number], log.ends[number])
            if method == calls:
                self._tools.add(log.targets[number])
                if self._asked:
                    self._sent_again(number)
            elif method in special:
                self._put(special[method], number, bits, 1)
            self._spend(number, bits, 1)
            if (not calls_only or method == calls) and (selection is None or self._is_chosen(number)):
                self._count(number, bits)
                self._fly(number)
        self.table.in_flight = max(self.table.in_flight, self._flying.most)

    def group_of(self, number: int) -> StatsGroup | None:
        """Return the group that counts an exchange; None if it is not counted."""
        place = self._counted[number - 1] if 0 < number <= len(self._counted) else _NOT_COUNTED
        return None if place == _NOT_COUNTED else self._groups[place]

    def _count(self, number: int, bits: int) -> None:
        place = self._key(number)
        self._counted[number - 1] = place
        self._put(self._groups[place], number, bits, 1)
        self.table.changes += 1

    def _put(self, group: StatsGroup, number: int, bits: int, sign: int) -> None:
        """Count a request in this state; with a sign of -1 remove it."""
        log, store = self._log, self.journal.store
        outcome = OUTCOME_OF[bits]
        group.outcomes[outcome] += sign
        request = log.request_frames[number]
        size = store.size(request) if 0 < request <= store.count else 0
        answer = log.answer_frames[number] if HAS_RESPONSE[bits] else 0
        back = store.size(answer) if 0 < answer <= store.count else 0
        if bits & FROM_SERVER:
            size, back = back, size
        group.bytes_out += sign * size
        group.bytes_in += sign * back
        if outcome == ROUND:
            return
        start = log.starts[number]
        slot = self.table.slot(start + self._wall)
        slots, took = group.slots, group.took
        slots[slot] = slots.get(slot, 0) + sign
        if not TIMED[bits]:
            return
        ns = max(0, log.ends[number] - start)
        group.durations.add(ns, sign)
        took[slot] = took.get(slot, 0) + sign * ns
        if log.methods[number] == self._calls:
            self._top(self.table.slowest, ns, number, sign)
            self._top(self.table.largest, back, number, sign)

    def _top(self, heap: list[Top], value: int, number: int, sign: int) -> None:
        if sign < 0:
            kept = [each for each in heap if (each.number, each.source) != (number, self._source)]
            if len(kept) < len(heap):
                heap[:] = kept
                heapq.heapify(heap)
        elif len(heap) < TOPS or value > heap[0].value:
            top = Top(value, number, self._source, self._log[number - 1].target, self._log.request_frames[number])
            (heapq.heappush if len(heap) < TOPS else heapq.heapreplace)(heap, top)

    def _fly(self, number: int) -> None:
        """Update the maximum number of open requests of a counted request's group."""
        place = self._counted[number - 1]
        flying = self._flying_by_group.get(place)
        if flying is None:
            flying = self._flying_by_group[place] = InFlight()
        flying.sent(number, self._log.starts[number], self._log.ends[number])
        group = self._groups[place]
        if flying.most > group.in_flight:
            group.in_flight = flying.most

    def _spend(self, number: int, bits: int, sign: int) -> None:
        """Add a request's duration to the total of its kind."""
        log, method = self._log, self._log.methods[number]
        if method == self._calls and HAS_RESPONSE[bits]:
            self.table.calls_ns += sign * max(0, log.ends[number] - log.starts[number])
        elif method in self._persons and bits & STATE_BITS and log.ends[number] != NEVER:
            self.table.asked_ns += sign * max(0, log.ends[number] - log.starts[number])
        if bits & ASKS and sign > 0 and (operation := log[number - 1].operation) is not None:
            self._asked[operation] = log.ends[number]

    def _sent_again(self, number: int) -> None:
        since = self._asked.pop(self._log[number - 1].operation or 0, None)
        if since is not None:
            self.table.rounds_ns += max(0, self._log.starts[number] - since)

    # Changes of what was already counted.

    def _again(self, limit: int) -> int:
        """Recount changed requests; return how many more requests may be counted."""
        for number in self._changed():
            limit -= 1
            bits, before = self._log.states[number], self._seen[number - 1]
            self._seen[number - 1] = bits
            place, method = self._counted[number - 1], self._log.methods[number]
            if place != _NOT_COUNTED:
                self._put(self._groups[place], number, before, -1)
                self._put(self._groups[place], number, bits, 1)
                self.table.changes += 1
            if method in self._special and not bits & PROBE:
                self._put(self._special[method], number, before, -1)
                self._put(self._special[method], number, bits, 1)
            if not bits & PROBE:
                self._spend(number, before, -1)
                self._spend(number, bits, 1)
            if limit <= 0:
                return 0
        return self._filtered(limit)

    def _name_again(self) -> None:
        """Recount all requests after the server or the client has reported its name."""
        self._named = self.names
        if self.table.by.name not in ("server", "client"):
            return
        for number, place in enumerate(self._counted, 1):
            if place != _NOT_COUNTED:
                bits = self._seen[number - 1]
                self._put(self._groups[place], number, bits, -1)
                self._count(number, bits)

    def _changed(self) -> Iterator[int]:
        """Yield the requests whose state has changed, found by comparing columns."""
        states, seen = self._log.states, self._seen
        for start in range(0, len(seen), _CHUNK_ENTRIES):
            now = bytes(states[start + 1 : start + 1 + _CHUNK_ENTRIES])[: len(seen) - start]
            if now != seen[start : start + len(now)]:
                yield from [start + at + 1 for at, bits in enumerate(now) if bits != seen[start + at]]

    def _filtered(self, limit: int) -> int:
        selection = self._selection
        if selection is None or selection.changes == self._hits_change:
            return limit
        change, now = selection.changes, bytes(selection.hits)
        before = self._hits.ljust(len(now), b"\0")
        for start in range(0, len(now), _CHUNK_ENTRIES):
            new, old = now[start : start + _CHUNK_ENTRIES], before[start : start + _CHUNK_ENTRIES]
            if new == old:
                continue
            changed = [start + at for at, hit in enumerate(new) if hit != old[at]]
            limit -= self._choose_again(changed)
            if limit <= 0:
                self._hits = now[: start + _CHUNK_ENTRIES] + before[start + _CHUNK_ENTRIES :]
                return 0
        self._hits, self._hits_change = now, change
        return limit

    def _choose_again(self, entries: Iterable[int]) -> int:
        store, tried = self.journal.store, 0
        numbers = {store.exchange(n) for n in entries if 0 < n <= store.count}
        for number in sorted(numbers):
            if not 0 < number <= len(self._seen):
                continue
            tried += 1
            bits, place = self._seen[number - 1], self._counted[number - 1]
            chosen = self._is_chosen(number)
            if chosen and place == _NOT_COUNTED and not bits & PROBE:
                if not self.table.by.calls_only or self._log.methods[number] == self._calls:
                    self._count(number, bits)
            elif not chosen and place != _NOT_COUNTED:
                self._counted[number - 1] = _NOT_COUNTED
                self._put(self._groups[place], number, bits, -1)
                self.table.changes += 1
        return tried

    def _is_chosen(self, number: int) -> bool:
        if self._selection is None:
            return True
        hits = self._selection.hits
        request, answer = self._log.request_frames[number], self._log.answer_frames[number]
        return bool((request < len(hits) and hits[request]) or (answer and answer < len(hits) and hits[answer]))

    # Counts other than requests.

    def _take_entries(self) -> None:
        store, table = self.journal.store, self.table
        count = store.count
        while self._entries < count:
            first, last = self._entries + 1, min(count, self._entries + _ENTRIES)
            columns = store.columns(first, last)
            kinds = columns.flags.translate(_KIND)
            for kind in MessageKind:
                table.messages[kind] += kinds.count(kind)
            table.stderr_lines += columns.kinds.count(EntryKind.STDERR)
            self._entries = last
        if count:
            self._first_ns = self._first_ns or store.time_ns(1)
            now = store.time_ns(count)
            if now > (self._last_ns or self._first_ns):
                table.duration_ns += now - (self._last_ns or self._first_ns)
                self._last_ns = now

    def _take_rest(self) -> None:
        table, names = self.table, self._log.names
        table.called.update(names[number] for number in self._tools if number != UNLISTED)
        listing = self.journal.conversation.catalogue.listings["tools"]
        if listing.items is not self._listed:
            self._listed = listing.items
            table.listed.update(name for each in listing.items if (name := peek.text(each, "name")))
        connections = max(1, self.journal.connection_facts.connections)
        table.reconnects += connections - self._connections
        self._connections = connections
        if len(self.journal.edits) != self._edits:
            self._edits = len(self.journal.edits)
            held = sum(_held_ns(edits) for edits in self.journal.edits.values())
            table.held_ns += held - self._held_ns
            self._held_ns = held

    # Keys: each function returns the index of the group.

    def _place(self, made_of: object, key: Callable[[], str]) -> int:
        place = self._places.get(made_of)
        if place is not None:
            return place
        group = self.table.group(key())
        if group.key == OTHERS:
            if self._others == _NOT_COUNTED:
                self._others = len(self._groups)
                self._groups.append(group)
            return self._others
        place = self._places[made_of] = len(self._groups)
        self._groups.append(group)
        return place

    def _by_tool(self, number: int) -> int:
        target = self._log.targets[number]
        if target == UNLISTED:
            name = self._log[number - 1].target
            return self._place(name, lambda: name)
        place = self._places.get(target)
        return self._place(target, lambda: self._log.names[target]) if place is None else place

    def _by_method(self, number: int) -> int:
        method = self._log.methods[number]
        if method == UNLISTED:
            name = self._log[number - 1].method
            return self._place(name, lambda: name)
        return self._place(method, lambda: self._log.names[method])

    def _by_hour(self, number: int) -> int:
        quarter = (self._log.starts[number] + self._wall) // (900 * SECOND)
        return self._place(quarter, lambda: _hour(quarter * 900))

    def _by_argument(self, number: int) -> int:
        found = reach(self._arguments.of(number), self.table.by.path)
        key = ABSENT if not found else found[0] if isinstance(found[0], str) else _as_json(found[0])
        return self._place(key, lambda: key)

    @property
    def names(self) -> tuple[str, str]:
        """Names that the server and the client report, as far as known."""
        opening = self.journal.conversation.opening
        server = peek.text(opening.server, "name") if opening is not None else None
        client = peek.text(opening.client, "name") if opening is not None else None
        return server or self.journal.name or "(unknown)", client or "(unknown)"


def _hour(seconds: int) -> str:
    """Return the local hour of a moment, in seconds since 1970."""
    try:
        return time.strftime(HOUR, time.localtime(seconds))
    except (OverflowError, OSError, ValueError):  # a file can hold any number
        return "(unknown)"


class CallArguments:
    """Arguments of the calls of a journal. The frame that was read last is kept: a batch may hold thousands."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._frame = 0
        self._requests: dict[tuple[type, RequestId], Request] = {}
        """Requests of that frame by id; 1 is not "1"."""

    def of(self, number: int) -> Any:
        """Return the arguments of an exchange's request; None if it has none."""
        exchange = self._journal.conversation.exchanges[number - 1]
        if exchange.request_frame != self._frame:
            self._frame, self._requests = exchange.request_frame, {}
            for message in messages_at(self._journal, self._frame):
                if isinstance(message, Request):
                    self._requests.setdefault((type(message.id), message.id), message)
        request = self._requests.get((type(exchange.id), exchange.id))
        return None if request is None else peek.at(request.params, "arguments")


def _as_json(value: Any) -> str:
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except UNENCODABLE:
        return repr(value)[:200]


def _held_ns(edits: Iterable[Any]) -> int:
    """Return how long a message was held: from each `hold` to the edit that ended it."""
    total, since = 0, None
    for each in edits:
        if each.act == "hold":
            since = each.tm
        elif since is not None:
            total, since = total + max(0, each.tm - since), None
    return total


# Calls that were repeated with the same arguments.


class Repeats:
    """Counts equal calls. Requests are read from the file, so this works in slices."""

    def __init__(self, stats: JournalStats) -> None:
        self._stats = stats
        self._arguments = CallArguments(stats.journal)
        self.done = 0
        """Number of exchanges that were examined."""
        self._found: dict[tuple[str, int], list[int]] = {}
        """By tool and hash of the arguments: the count and the exchange of the first call."""

    def take(self, limit: int, until: Callable[[], bool] = lambda: False) -> bool:
        """Examine up to `limit` more requests, fewer if `until` returns True; return whether more are left."""
        stats, log = self._stats, self._stats.journal.conversation.exchanges
        last = min(stats.done, self.done + limit)
        for number in range(self.done + 1, last + 1):
            self.done = number
            if not stats.is_call(number):
                continue
            key = log[number - 1].target, hash(_as_json(self._arguments.of(number)))
            found = self._found.setdefault(key, [0, number])
            found[0] += 1
            if len(self._found) > _MOST_CALLS:
                self._found = {key: found for key, found in self._found.items() if found[0] > 1}
            if until():
                break
        return self.done < stats.done

    def top(self, most: int = TOPS, source: int = 0) -> list[Repeated]:
        """Return the most frequent calls, each made at least `REPEATED` times."""
        often = [(count, number, tool) for (tool, _), (count, number) in self._found.items() if count >= REPEATED]
        frames = self._stats.journal.conversation.exchanges.request_frames
        return [
            Repeated(tool, _as_json(self._arguments.of(number)).encode(), count, frames[number], source)
            for count, number, tool in heapq.nsmallest(most, often, key=lambda each: (-each[0], each[1]))
        ]
