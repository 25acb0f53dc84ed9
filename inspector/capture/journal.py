"""The journal: numbers, timestamps, folds, stores and publishes everything that happens.

Transports report to it at the moment of each write or read; all other parts read from it. It never raises into the
traffic: a failing disk or listener becomes a notice, and the traffic continues.
"""

import logging
import os
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector import __version__
from inspector.capture.connection_facts import ConnectionFacts
from inspector.capture.format.file import LOST, CaptureFile, create, create_anonymous
from inspector.capture.format.notes import Mark
from inspector.capture.format.records import (
    FORMAT,
    NO_CREDENTIALS,
    VERSION,
    EditRecord,
    Entry,
    Head,
    RecordingTool,
    Redaction,
    RuleRecord,
    numbered,
)
from inspector.capture.format.writer import Recorder
from inspector.capture.store.columns import NOTHING, meaning_of
from inspector.capture.store.runs import SHORTEST, FrameRun, StderrRun, belongs
from inspector.capture.store.store import LineStorage, Store
from inspector.errors import CaptureIncomplete
from inspector.protocol.conversation import Conversation
from inspector.protocol.events import Event
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact, HttpEvent, HttpFact, SseNote, Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Eol, Frame, SseFacts
from inspector.protocol.tracking.exchanges import HttpEnd

if TYPE_CHECKING:
    from inspector.capture.store.points import Points


# Listeners are called for each new entry of a journal, on the reporting thread.

Listener = Callable[[Entry, Sequence[Event]], None]
"""Called with each entry once it is in the store, and the events that the fold derived from it (none for a fact)."""

logger = logging.getLogger(__name__)
_PYTHON = ".".join(map(str, sys.version_info[:3]))
_LONG, MANY_ENTRIES = 1024 * 1024, 50_000
"""Size in bytes of a message, and number of entries, from which on large blocks of memory are needed."""


class Listeners:
    """Listeners of one journal. `note` adds a notice when one of them is removed after an error."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._all: list[Listener] = []
        self._not_in_runs: list[Listener] = []

    @property
    def hear_runs(self) -> bool:
        """Whether a listener needs log messages and stderr lines, which arrive in floods, one by one."""
        return len(self._not_in_runs) < len(self._all)

    @property
    def exist(self) -> bool:
        """Whether there are any."""
        return bool(self._all)

    def add(self, listener: Listener, *, in_runs: bool) -> Callable[[], None]:
        """Add a listener, called from the next entry on; return a function that removes it."""
        self._all.append(listener)
        if not in_runs:
            self._not_in_runs.append(listener)
        return lambda: self._forget(listener)

    def tell(self, entry: Entry, events: Sequence[Event]) -> None:
        """Call all listeners."""
        for listener in tuple(self._all):
            try:
                listener(entry, events)
            except Exception:  # boundary: no listener may stop the traffic
                logger.exception("a listener failed at entry %d", entry.n)
                self._forget(listener)
                self._note(f"A part of the program failed at entry {entry.n} and no longer follows what happens.")

    def _forget(self, listener: Listener) -> None:
        for each in (self._all, self._not_in_runs):
            if listener in each:
                each.remove(listener)


class Journal:
    """All entries of a session. One thread reports; any may read.

    `head` holds the clocks at the start, `source` reads the lines. With a `recorder`, entries are written to its
    file; without one, the journal is read from a capture.
    """

    def __init__(
        self,
        source: LineStorage,
        head: Head,
        *,
        recorder: Recorder | None = None,
        path: Path | None = None,
        keep_secrets: bool = True,
        clock: Callable[[], int] = time.monotonic_ns,
        wall: Callable[[], int] = time.time_ns,
    ) -> None:
        self._source = source
        self.store = Store(source)
        self.conversation = Conversation()
        self.head = head
        self.started_ns = head.tm
        self.started_wall_ns = head.tw
        self.capture_path = path
        """Path of the capture file; None if it has no name."""
        self.name = ""
        """Name among several journals; "" for a single one."""
        self.connection_facts = ConnectionFacts(self.store)
        self.stderr_tail = self.connection_facts.stderr_tail
        """Last 200 lines of stderr, up to 4 KiB each."""
        self.http_exchanges = self.connection_facts.http_exchanges
        """HTTP exchanges by number within the connection. Of two with the same number, the newer."""
        self.marks: dict[int, Mark] = {}
        """Marks by entry, filled by the reader of the notes."""
        self.edits: dict[int, list[EditRecord]] = {}
        """Proxy actions on messages, by entry, in order; filled while a capture is read."""
        self.points: Points | None = None
        """Checkpoints, from which earlier states are computed quickly; None if none are made."""
        self.recorder = recorder
        """Writes the capture; None for a journal that was loaded from one."""
        self.loaded = recorder is None
        """Whether this was loaded from a capture, completely or up to some entry."""
        self.is_left = False
        """Whether no reader is left for what is still added. What an end means for open requests is not computed then:
        that takes a second for a hundred thousand of them."""
        self.grows = False
        """Whether the capture that this was loaded from was still being recorded at the last check."""
        self.keeps_secrets = keep_secrets
        """Whether credentials in headers are written as they are."""
        self._masked: Callable[[bytes], bytes] | None = None
        self._clock = clock
        self._wall = wall
        self._listeners = Listeners(self.note)
        self._notices: list[str] = []
        self._before_close: list[Callable[[], None]] = []

    @property
    def count(self) -> int:
        """Number of entries. They are numbered from 1."""
        return self.store.count

    @property
    def live(self) -> bool:
        """Whether entries may still be added; False for a loaded capture."""
        return self.recorder is not None

    @property
    def recording(self) -> bool:
        """Whether new entries are written to a file that persists."""
        return self.recorder is not None and self.capture_path is not None and self.recorder.file.healthy

    @property
    def is_followed(self) -> bool:
        """Whether a listener is called with new entries."""
        return self._listeners.exist

    @property
    def backpressure(self) -> bool:
        """Whether the traffic has to wait for the disk."""
        return self.recorder is not None and self.recorder.file.backpressure

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices about this journal for the user, shown as banners; may quote file names."""
        trouble = self.recorder.file.trouble if self.recorder is not None else ""
        return (*self._notices, trouble) if trouble else tuple(self._notices)

    @property
    def connection(self) -> ConnectionFact | None:
        """Connection that was opened last."""
        return self.connection_facts.connection

    @property
    def ended(self) -> ConnectionFact | None:
        """How the last connection ended; None while it is open."""
        return self.connection_facts.ended

    @property
    def processes(self) -> tuple[Entry, ...]:
        """Events of the child process, oldest first."""
        return self.connection_facts.processes

    def frame(
        self,
        direction: Direction,
        channel: Channel,
        payload: bytes,
        *,
        eol: Eol = Eol.NONE,
        http: int | None = None,
        sse: SseFacts | None = None,
        cause: Cause = Cause.UNKNOWN,
        cut: int = 0,
        origin: str = "",
    ) -> None:
        """Record a frame that has just crossed the wire.

        Of a frame over the size limit, `payload` is the beginning and `cut` the number of bytes removed. `origin` is
        its author, if that is not the party at that end.
        """
        if self._masked is not None:
            payload = self._masked(payload)
        if len(payload) >= _LONG:
            _expect_large_blocks()
        n, now, wall = self.store.count + 1, self._clock(), self._wall()
        frame = Frame(n, now, wall, direction, channel, payload, eol, http, sse, cause, cut)
        self._record(Entry(n, now, wall, frame), origin)

    def burst(self, direction: Direction, channel: Channel, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Record frames that have just crossed the wire together. Those that make a run are stored as one."""
        if (masked := self._masked) is not None:
            lines = [(masked(payload), eol) for payload, eol in lines]
        together = not self._listeners.hear_runs
        for end, part in groupby(lines, lambda line: line[1] if together and belongs(line[0]) else None):
            several = list(part)
            if end is not None and len(several) >= SHORTEST:
                payloads = [payload for payload, _ in several]
                self._run(
                    FrameRun(self.store.count + 1, self._clock(), self._wall(), direction, channel, payloads, end)
                )
                continue
            for payload, eol in several:
                self.frame(direction, channel, payload, eol=eol)

    def stderr_lines(self, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Record lines of stderr that have just been read together. Those that make a run are stored as one."""
        if (masked := self._masked) is not None:
            lines = [(masked(payload), eol) for payload, eol in lines]
        together = not self._listeners.hear_runs
        for is_partial, part in groupby(lines, lambda line: line[1] is Eol.NONE):
            payloads = [payload for payload, _ in part]
            if together and not is_partial and len(payloads) >= SHORTEST:
                self._run(StderrRun(self.store.count + 1, self._clock(), self._wall(), payloads))
                continue
            for payload in payloads:
                self.fact(Stderr(payload, is_partial))

    def fact(self, fact: Fact) -> None:
        """Record a fact that has just happened."""
        self._record(Entry(self.store.count + 1, self._clock(), self._wall(), fact))

    def edited(self, record: EditRecord) -> None:
        """Record a proxy's action on a message. `record.of` is the number of its entry; `tm` 0 stands for now."""
        record = replace(record, tm=record.tm or self._clock())
        self.edits.setdefault(record.of, []).append(record)
        if self.recorder is not None:
            self.recorder.add(record)

    def ruled(self, record: RuleRecord) -> None:
        """Record that a proxy rule was added, changed or removed; `tm` 0 stands for now."""
        if self.recorder is not None:
            self.recorder.add(replace(record, tm=record.tm or self._clock()))

    def write(self, entry: Entry, *, origin: str = "") -> None:
        """Write a recorded entry, with its number, to the capture only: for what records for days and reads nothing.

        `count` and all that is computed from entries do not include it, and listeners do not get it.
        """
        self._keep(entry, origin)

    def append(self, entry: Entry, *, origin: str = "") -> None:
        """Append a recorded entry with its own timestamps. It gets the next number. `origin`: see `frame`."""
        self._record(numbered(entry, self.store.count + 1), origin)

    def take(self, entry: Entry, place: int, length: int) -> None:
        """Add an entry whose line is already in the source: fold it, store it, notify the listeners."""
        what = entry.what
        events: Sequence[Event] = ()
        if isinstance(what, Frame):
            events = self.conversation.observe(what)
            self.store.add(entry, meaning_of(events), place, length)
        else:
            self.store.add(entry, NOTHING, place, length)
            self.connection_facts.take(entry, what)
            if not self.is_left:
                end_what_is_over(self.conversation, self.connection_facts, entry.time_ns, what)
        self._listeners.tell(entry, events)

    def listen(self, listener: Listener, *, in_runs: bool = True) -> Callable[[], None]:
        """Add a listener, called on the reporting thread from the next entry on; return a function that removes it.

        With `in_runs` False the listener is not called for runs of log messages and stderr lines, which is much
        faster. A listener that raises is removed, with a notice.
        """
        return self._listeners.add(listener, in_runs=in_runs)

    def mask_with(self, masked: Callable[[bytes], bytes]) -> None:
        """Mask secrets: from now on record messages and stderr lines as this function returns them.

        A capture that keeps credentials keeps these too. What crosses the wire is not changed.
        """
        if not self.keeps_secrets:
            self._masked = masked

    def note(self, notice: str) -> None:
        """Add a notice, shown as a banner."""
        self._notices.append(notice)

    def before_close(self, act: Callable[[], None]) -> None:
        """Register `act` to be called at the beginning of `close`, while payloads can still be read."""
        self._before_close.append(act)

    def demand_complete(self) -> None:
        """Check that the capture has all entries, after `close`. Raises: CaptureIncomplete."""
        if self.capture_path is not None and self.recorder is not None and self.recorder.file.is_incomplete:
            raise CaptureIncomplete(self.notices[-1], hint="Make room on the disk, or name another file.")

    def close(self) -> None:
        """Write what is queued and the end record, then close the file. Payloads can't be read afterwards.

        A second call does nothing.
        """
        while self._before_close:
            self._before_close.pop()()
        if self.recorder is not None:
            self.recorder.close()
        self._source.close()

    def _run(self, run: FrameRun | StderrRun) -> None:
        nowhere = [LOST] * len(run.payloads), [0] * len(run.payloads)
        places, lengths = self.recorder.keep_run(run) if self.recorder is not None else nowhere
        self.store.add_run(run, places, lengths)
        if self.store.count >= MANY_ENTRIES:
            _expect_large_blocks()
        if isinstance(run, StderrRun):
            self.connection_facts.take_stderr(run.payloads)

    def _record(self, entry: Entry, origin: str = "") -> None:
        written, place, length = self._keep(entry, origin)
        if written is not entry:
            self.store.hold(entry)
        self.take(entry, place, length)

    def _keep(self, entry: Entry, origin: str) -> tuple[Entry, int, int]:
        written = entry if self.keeps_secrets or isinstance(entry.what, Frame) else _without_secrets(entry)
        place, length = self.recorder.keep(written, origin=origin) if self.recorder is not None else (LOST, 0)
        return written, place, length


def _expect_large_blocks() -> None:
    from inspector.capture.allocator import return_large_blocks  # rarely needed

    return_large_blocks()


def end_what_is_over(conversation: Conversation, around: ConnectionFacts, time_ns: int, fact: Fact) -> None:
    """Mark exchanges as lost that can't be answered any more after this fact."""
    if isinstance(fact, HttpFact | SseNote):
        conversation.pairs.sessions.take(fact)
    match fact:
        case ConnectionFact(event=ConnectionEvent.CLOSE | ConnectionEvent.ABORT):
            conversation.end(time_ns, fact.why or "the connection was closed")
        case ConnectionFact(event=ConnectionEvent.RENEW, transport="stdio"):
            conversation.end(time_ns, fact.why)
        case HttpFact(event=HttpEvent.ERROR):
            conversation.http_ended(time_ns, HttpEnd(fact.http, fact.why or "the HTTP exchange failed"))
        case HttpFact(event=HttpEvent.END) if conversation.waits_on(fact.http):
            conversation.http_ended(time_ns, around.http_end(fact))
        case _:
            pass


def _without_secrets(entry: Entry) -> Entry:
    """Return the entry as it is written, without credentials; the same object if it has none."""
    if not isinstance(entry.what, HttpFact) and not (isinstance(entry.what, ConnectionFact) and entry.what.url):
        return entry
    from inspector.capture.format.redact import redacted  # not needed to start a server

    what = redacted(entry.what)
    return entry if what is entry.what else replace(entry, what=what)


def start_capture(
    path: Path | None,
    *,
    mode: str = "client",
    overwrite: bool = False,
    keep_secrets: bool = False,
    clock: Callable[[], int] = time.monotonic_ns,
    wall: Callable[[], int] = time.time_ns,
) -> Journal:
    """Return a journal that records to a new file; with None to an anonymous one, which ends with the journal.

    `mode` is the observed role: "client", "stdio-proxy", "http-proxy", "mock", "replay". An existing file is an
    error unless `overwrite` is set. Credentials in headers are masked in the file unless `keep_secrets` is set; in
    memory, the newest entries keep them. The caller closes the journal.

    Raises: UsageError if the file can't be created.
    """
    fd = create_anonymous() if path is None else create(path, overwrite=overwrite)
    head = new_head(mode, clock(), wall())
    if not keep_secrets:
        head = replace(head, redaction=Redaction(NO_CREDENTIALS, "write"))
    file, secrets = CaptureFile(fd, path), keep_secrets
    recorder = Recorder(file, head)
    return Journal(file, head, recorder=recorder, path=path, keep_secrets=secrets, clock=clock, wall=wall)


def new_head(mode: str, time_ns: int, wall_ns: int) -> Head:
    """Return the first record of a capture that starts now."""
    tool = RecordingTool("mcp-inspect", __version__, _PYTHON, os.uname().sysname)
    zone = time.strftime("%z", time.localtime(wall_ns // 1_000_000_000))
    return Head(format=FORMAT, v=VERSION, id=str(uuid.uuid4()), tw=wall_ns, tm=time_ns, tz=zone, tool=tool, mode=mode)
