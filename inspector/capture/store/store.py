"""All entries of a journal: columns in memory, payloads in the capture file. A million entries take only megabytes.

One thread adds, any thread reads. `count` is updated last, so everything up to it can be read without a lock.
"""

import threading
from array import array
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import compress, repeat
from typing import Protocol, assert_never

from inspector.capture.format.file import LOST
from inspector.capture.format.records import Dated, Entry, FrameRecord, entry_of, from_line, size_of
from inspector.capture.store.columns import (
    BITS_OF_DIRECTION,
    BYTES_BIT,
    DIRECTION_BITS,
    DIRECTION_OF_BITS,
    ENTRY_KINDS,
    FROM_SERVER_BIT,
    MESSAGE_KINDS,
    NOWHERE,
    PROBE_BIT,
    UNLISTED,
    Columns,
    CompactColumns,
    EntryKind,
    Meaning,
    MessageKind,
)
from inspector.capture.store.runs import METHOD, FrameRun, StderrRun
from inspector.protocol.compact_arrays import DeltaArray, ShortArray
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.frames import Cause, Channel, Direction, Frame
from inspector.protocol.jsonrpc import Notification, Request, read

MAX_RECENT_BYTES = 8 * 1024 * 1024
"""Payload bytes of the cached entries."""
_CACHED_FROM_BYTES = 1024 * 1024
"""Payload bytes from which a new entry is cached, so that it can be shown without reading it back."""
_MAX_HELD = 2000
"""Maximum number of entries kept unredacted whose lines in the file are without credentials."""
_MAX_METHODS = 60_000
"""Maximum number of methods with a number. A server may invent more; those are read from the file."""
_MAX_METHOD_CHARS = 200
"""Maximum length in characters of a method with a number."""
_LARGEST_UINT32 = 0xFFFF_FFFF
"""Largest value of a 32-bit column."""
_KIND_OF_FACT: dict[type, EntryKind] = {
    Frame: EntryKind.FRAME,
    Stderr: EntryKind.STDERR,
    ConnectionFact: EntryKind.CONNECTION,
    ProcessFact: EntryKind.PROCESS,
    HttpFact: EntryKind.HTTP,
    SseNote: EntryKind.SSE,
}
_PLAIN = frozenset((EntryKind.FRAME, EntryKind.STDERR))
"""Kinds that the file contains completely. Of other facts, memory may contain more than the file."""
_LONG_LINE_BYTES = 1 << 20
"""Line length in bytes from which a cached entry is used: reading it back takes three times its length in memory."""
LARGE_BYTES = 512 * 1024
"""Payload bytes from which only the beginning is read."""
_BEGINNING_BYTES = 128 * 1024
_MAX_CUT_BYTES = 16
"""Maximum number of bytes to cut off at the end: a character or an escape that was cut takes at most 12."""


class RecentEntries:
    """Cache of the entries used last: the newest one, and as many others as fit into `MAX_RECENT_BYTES`. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[int, tuple[Entry, int]] = OrderedDict()
        self._bytes = 0

    @property
    def size(self) -> tuple[int, int]:
        """Number of cached entries, and their bytes."""
        return len(self._entries), self._bytes

    def get(self, n: int) -> Entry | None:
        """Return the entry of this number, if it is cached."""
        with self._lock:
            found = self._entries.get(n)
            if found is None:
                return None
            self._entries.move_to_end(n)
            return found[0]

    def put(self, entry: Entry, size: int) -> None:
        """Cache an entry with a payload of `size` bytes. The least recently used entries are evicted."""
        if entry.missing:
            return  # it may be cached the next time
        cost = size + 500
        with self._lock:
            if entry.n in self._entries:
                return
            self._entries[entry.n] = (entry, cost)
            self._bytes += cost
            while self._bytes > MAX_RECENT_BYTES and len(self._entries) > 1:
                _, (_, freed) = self._entries.popitem(last=False)
                self._bytes -= freed


Row = tuple[int, int, int, int, int, int, int, int]
"""Columns of a frame: place, length, time, wall clock, size, flags, number of the method, exchange."""


class LineStorage(Protocol):
    """Source of the entries' lines."""

    def read(self, place: int, length: int) -> bytes:
        """Return the bytes of a line; fewer or none if they are not available. Any thread; never raises."""

    def close(self) -> None:
        """Close the source: nothing can be read afterwards. A second call does nothing."""


class Store:
    """Entries 1 to `count`. Any other number raises IndexError."""

    def __init__(self, source: LineStorage) -> None:
        self._source = source
        self.count = 0
        """Number of entries that can be read. It only grows, and only after everything else of an entry is in place."""
        self._places = DeltaArray()
        self._lengths = ShortArray()
        self._times = DeltaArray()
        self._walls = DeltaArray()
        self._sizes = ShortArray()
        self._kinds = bytearray()
        self._flags = bytearray()
        self._methods = array("H")
        self._exchanges = array("I")
        self._numbers: dict[str, int] = {"": 0}
        self.method_names = [""]
        """Method names by number in the column of methods. It only grows."""
        self._recent = RecentEntries()
        self.beginnings = RecentEntries()
        """Beginnings of large entries, see `beginning`."""
        self._held: dict[int, Entry] = {}
        """Original entries, with credentials, whose lines in the source are redacted."""

    def add(self, entry: Entry, meaning: Meaning, place: int, length: int) -> None:
        """Add entry number `count` + 1, whose line is at `place` (LOST: not stored). One thread only."""
        what = entry.what
        size = size_of(what)
        self._put(place, min(length, _LARGEST_UINT32), entry.time_ns, entry.wall_ns, min(size, _LARGEST_UINT32))
        self._kinds.append(_KIND_OF_FACT[type(what)])
        self._flags.append(_flags(what) | meaning.kind | (PROBE_BIT if meaning.probe else 0))
        self._methods.append(self._numbers.get(meaning.method) or self._number(meaning.method))
        self._exchanges.append(meaning.exchange)
        if size >= _CACHED_FROM_BYTES:
            self._recent.put(entry, size)
        self.count = entry.n

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Add consecutive frames. One thread only."""
        if not rows:
            return
        places, lengths, times, walls, sizes, flags, methods, exchanges = zip(*rows, strict=True)
        self._put_many(places, lengths, times, walls, sizes)
        self._flags.extend(flags)
        self._kinds.extend(bytes((EntryKind.FRAME,)) * len(rows))
        self._methods.extend(methods)
        self._exchanges.extend(exchanges)
        self.count += len(rows)

    def number_for(self, method: str) -> int:
        """Return the number of a method for a row. One thread only."""
        return self._numbers.get(method) or self._number(method)

    def hold(self, entry: Entry) -> None:
        """Keep an unredacted entry in memory, because its line is redacted. Old ones are dropped. One thread only."""
        self._held[entry.n] = entry
        if len(self._held) > _MAX_HELD:
            del self._held[next(iter(self._held))]

    def add_run(self, run: FrameRun | StderrRun, places: list[int], lengths: list[int]) -> None:
        """Add the entries of a run, whose lines are at those places. One thread only."""
        count = len(run.payloads)
        self._put_many(places, lengths, [run.time_ns] * count, [run.wall_ns] * count, run.sizes)
        self._exchanges.extend(repeat(0, count))
        if isinstance(run, StderrRun):
            self._kinds.extend(bytes((EntryKind.STDERR,)) * count)
            self._flags.extend(bytes(count))
            self._methods.extend(repeat(0, count))
        else:
            self._add_log_messages(run)
        self.count = run.first + count - 1

    def _add_log_messages(self, run: FrameRun) -> None:
        count = len(run.payloads)
        direction = BITS_OF_DIRECTION[run.direction]
        self._kinds.extend(bytes((EntryKind.FRAME,)) * count)
        flags = direction | MessageKind.NOTIFICATION
        if all(map(bytes.isascii, run.payloads)):
            self._flags.extend(bytes((flags,)) * count)
        else:
            self._flags.extend(flags | _form(payload) for payload in run.payloads)
        self._methods.extend(repeat(self._numbers.get(METHOD) or self._number(METHOD), count))

    def is_run(self, first: int, last: int) -> bool:
        """Return whether the entries `first` to `last` are log messages of the server, each a frame of its own."""
        part, count = slice(first - 1, last), last - first + 1
        number = self._numbers.get(METHOD)
        return (
            number is not None
            and self._flags[part].count(FROM_SERVER_BIT | MessageKind.NOTIFICATION) == count
            and self._methods[part].count(number) == count
        )

    def kind(self, n: int) -> EntryKind:
        return ENTRY_KINDS[self._kinds[self._at(n)]]

    def message_kind(self, n: int) -> MessageKind:
        """Return the kind of message in a frame; NONE for a fact."""
        return MESSAGE_KINDS[self._flags[self._at(n)] & 0x07]

    def is_stderr(self, first: int, last: int) -> bool:
        """Return whether all of the entries `first` to `last` are lines of stderr."""
        return self._kinds.count(EntryKind.STDERR, first - 1, last) == last - first + 1

    def time_ns(self, n: int) -> int:
        """Return the monotonic time of an entry."""
        return self._times[self._at(n)]

    def wall_ns(self, n: int) -> int:
        """Return the wall clock time of an entry, nanoseconds since 1970."""
        return self._walls[self._at(n)]

    def size(self, n: int) -> int:
        """Return the payload size in bytes; 0 for a fact without a payload."""
        return self._sizes[self._at(n)]

    def direction(self, n: int) -> Direction | None:
        """Return the direction of a frame; None for a fact."""
        return DIRECTION_OF_BITS.get(self._flags[self._at(n)] & DIRECTION_BITS)

    def exchange(self, n: int) -> int:
        """Return the number of the exchange of a frame (of a batch: of its first message); 0 for none."""
        return self._exchanges[self._at(n)]

    def of_exchanges(self, first: int, last: int) -> Iterator[int]:
        """Yield the entries from `first` to `last` that belong to an exchange."""
        return compress(range(first, last + 1), self._exchanges[first - 1 : last])

    def of_exchange(self, number: int, first: int, last: int) -> Iterator[int]:
        """Yield the entries from `first` to `last` that belong to the exchange `number`."""
        with suppress(ValueError):
            while True:
                first = self._exchanges.index(number, first - 1, last) + 2
                yield first - 1

    def of_any_exchange(self, numbers: Collection[int], first: int, last: int) -> Iterator[int]:
        """Yield the entries from `first` to `last` that belong to one of these exchanges. `numbers` is a set."""
        column = self._exchanges[first - 1 : last]
        return compress(range(first, last + 1), map(numbers.__contains__, column))

    def probe(self, n: int) -> bool:
        """Return whether the frame is a probe of the server's era, or the response to one."""
        return bool(self._flags[self._at(n)] & PROBE_BIT)

    def columns(self, first: int, last: int) -> Columns:
        """Return the columns of the entries `first` to `last`. Any thread."""
        self._at(last)
        part = slice(self._at(first), last)
        return Columns(
            first,
            bytes(self._kinds[part]),
            bytes(self._flags[part]),
            self._methods[part],
            self._exchanges[part],
            CompactColumns(self._times, self._walls, self._places, self._sizes, self._lengths),
        )

    def place(self, n: int) -> int:
        """Return the offset of the entry's line in the source; LOST if it is not stored."""
        place = self._places[self._at(n)]
        return place if place >= 0 else LOST

    def line(self, n: int) -> tuple[int, int]:
        """Return the offset of the entry's line, and its length."""
        return self.place(n), self._lengths[n - 1]

    def backwards(self, kind: EntryKind) -> Iterator[int]:
        """Yield the entries of a kind, newest first."""
        at = self.count
        while (at := self._kinds.rfind(bytes((kind,)), 0, at)) >= 0:
            yield at + 1

    def method(self, n: int) -> str:
        """Return the method of a request or a notification, otherwise ""."""
        number = self._methods[self._at(n)]
        return self.method_names[number] if number != UNLISTED else self._read_method(n)

    def of_method(self, method: str) -> list[int]:
        """Return the entries that are requests or notifications of a method, in order."""
        number, found, at = self._numbers.get(method, 0), [], 0
        with suppress(ValueError):
            while number:
                at = self._methods.index(number, at, self.count) + 1
                found.append(at)
        return found

    def method_number(self, method: str) -> int:
        """Return the number of a method in the column of methods; -1 if no message has it yet."""
        return self._numbers.get(method, -1)

    @property
    def at_hand(self) -> tuple[int, int, int]:
        """Number of cached entries, their bytes, and the limit of bytes."""
        return (*self._recent.size, MAX_RECENT_BYTES)

    def kept(self, n: int) -> Entry | None:
        """Return the entry if it is cached: nothing is read from the file. Any thread."""
        return self._held.get(n) or self._recent.get(n)

    def read(self, place: int, length: int) -> bytes:
        """Return `length` bytes of the source at an offset; fewer or none if they are not available. Any thread."""
        return self._source.read(place, length)

    def entry(self, n: int) -> Entry:
        """Return the entry with its payload, read back from the file. Any thread.

        If the payload is not available, `missing` is set and the payload is empty. Never raises for 1 to `count`.
        """
        at = self._at(n)
        found = self.kept(n)
        if found is None:
            found = self._read(n, at) or self._stand_in(n, at)
            self._recent.put(found, self._sizes[at])
        return found

    def _read(self, n: int, at: int) -> Entry | None:
        place, length = self.line(n)
        if place == LOST:
            return None
        return _entry_in(self._source.read(place, length), n, self._walls[at])

    def _stand_in(self, n: int, at: int) -> Entry:
        time_ns, wall_ns = self._times[at], self._walls[at]
        what = _empty(self.kind(n), self.direction(n), n, time_ns, wall_ns)
        return Entry(n, time_ns, wall_ns, what, missing=True)

    def _put(self, place: int, length: int, time_ns: int, wall_ns: int, size: int) -> None:
        """Append the values of one entry to the narrow columns."""
        self._places.append(place if place != LOST else NOWHERE)
        self._lengths.append(length)
        self._times.append(time_ns)
        self._walls.append(wall_ns)
        self._sizes.append(size)

    def _put_many(
        self,
        places: Sequence[int],
        lengths: Sequence[int],
        times: Sequence[int],
        walls: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        """Append the values of several entries to the narrow columns."""
        if LOST in places:
            places = [place if place != LOST else NOWHERE for place in places]
        self._places.extend(places)
        self._lengths.extend(lengths)
        self._times.extend(times)
        self._walls.extend(walls)
        self._sizes.extend(sizes)

    def _at(self, n: int) -> int:
        if not 1 <= n <= self.count:
            raise IndexError(n)
        return n - 1

    def _number(self, method: str) -> int:
        if not method:
            return 0
        number = len(self.method_names)
        if number >= _MAX_METHODS or len(method) > _MAX_METHOD_CHARS:
            return UNLISTED
        self.method_names.append(method)
        self._numbers[method] = number
        return number

    def _read_method(self, n: int) -> str:
        what = self.entry(n).what
        return _first_method(what.payload) if isinstance(what, Frame) else ""


def _flags(what: Frame | Fact) -> int:
    """Return the flags of a frame; 0 for a fact.

    Three bits for the kind of message, three for the direction, one for a probe, one for a binary payload.
    """
    if not isinstance(what, Frame):
        return 0
    return BITS_OF_DIRECTION[what.direction] | (PROBE_BIT if what.cause is Cause.PROBE else 0) | _form(what.payload)


def _form(payload: bytes) -> int:
    """Return BYTES_BIT if the payload is not valid UTF-8."""
    if payload.isascii():
        return 0
    try:
        payload.decode()
    except UnicodeDecodeError:
        return BYTES_BIT
    return 0


def _first_method(payload: bytes) -> str:
    for message in read(payload):
        if isinstance(message, Request | Notification):
            return message.method
    return ""


def _empty(kind: EntryKind, direction: Direction | None, n: int, time_ns: int, wall_ns: int) -> Frame | Fact:
    """Return a stand-in for an entry that can't be read back."""
    match kind:
        case EntryKind.FRAME:
            return Frame(n, time_ns, wall_ns, direction or Direction.FROM_SERVER, Channel.MEMORY, b"")
        case EntryKind.STDERR:
            return Stderr(b"")
        case EntryKind.CONNECTION:
            return ConnectionFact(ConnectionEvent.ABORT, "")
        case EntryKind.PROCESS:
            return ProcessFact(ProcessEvent.SIGNAL, 0)
        case EntryKind.HTTP:
            return HttpFact(HttpEvent.END, 0)
        case EntryKind.SSE:
            return SseNote(0, b"")
        case _:
            assert_never(kind)


# Reading entries back one after another, to iterate over a whole journal.


def entries(store: Store, first: int, last: int) -> Iterator[Entry]:
    """Yield the entries `first` to `last` with their payloads; none if `last` is before `first`. Any thread.

    `missing` is set for entries that can't be read back.
    """
    if last < first:
        return
    columns = store.columns(first, last)
    rows = zip(columns.kinds, columns.places, columns.lengths, columns.walls, strict=True)
    for n, (kind, place, length, wall_ns) in enumerate(rows, first):
        found = None
        if length >= _LONG_LINE_BYTES:
            found = store.kept(n)
        if found is None and kind in _PLAIN and place != LOST:
            found = _entry_in(store.read(place, length), n, wall_ns)
        yield found if found is not None else store.entry(n)


def _entry_in(line: bytes, n: int, wall_ns: int) -> Entry | None:
    """Return the entry of a line; None if it can't be read, because the file was changed."""
    try:
        record = from_line(line)
        return entry_of(record, n, wall_ns) if isinstance(record, Dated) else None
    except ValueError:
        return None


# The beginning of an entry that is too large to be read for one row of a list.


def beginning(store: Store, n: int) -> Entry:
    """Return entry n; of a large frame only its beginning. Any thread; never raises for 1 to `count`."""
    if store.size(n) < LARGE_BYTES or store.place(n) == LOST:
        return store.entry(n)
    return store.beginnings.get(n) or _beginnings_read(store, n)


def _beginnings_read(store: Store, n: int) -> Entry:
    line = store.read(store.place(n), _BEGINNING_BYTES)
    for cut in range(_MAX_CUT_BYTES):
        try:
            record = from_line(line[: len(line) - cut] + b'"}')
        except ValueError:
            continue
        if isinstance(record, FrameRecord):
            entry = entry_of(record, n, store.wall_ns(n))
            store.beginnings.put(entry, _BEGINNING_BYTES)
            return entry
        break
    return store.entry(n)
