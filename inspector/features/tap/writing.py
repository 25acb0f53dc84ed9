"""What the recording process of the tap does: it writes queued items to a capture in the order of forwarding.

If this fails, traffic is not affected; `tap list` shows what is missing. It outlives a tap that is killed, and writes
everything that the tap has put into the queue.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.capture.format.file import CaptureFile, create
from inspector.capture.format.records import (
    EditRecord,
    Entry,
    GapRecord,
    Head,
    RecordingTool,
    Redaction,
    RuleRecord,
    numbered,
    size_of,
    split_payload,
)
from inspector.capture.format.writer import Recorder
from inspector.capture.store.runs import LONGEST_PAYLOAD, FrameRun, StderrRun
from inspector.errors import InspectError
from inspector.features.tap.options import SMALLEST_PART
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact, ProcessEvent, ProcessFact, Stderr, end_words
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from inspector.transports.inherited import inherited_state
from inspector.transports.lines import CutLine, CuttingSplitter, Line, LineSplitter

if TYPE_CHECKING:
    from inspector.features.tap.options import Options
    from inspector.features.tap.processes import ServerProcess
    from inspector.features.tap.recording import RecordedMessage, RecordingQueue

OPENING = 12
"""Number of entries at the beginning of a session that each part of a capture repeats."""
LIMIT, KEPT = 64 * 1024 * 1024, 1024 * 1024
"""A line longer than LIMIT bytes is recorded only with its first KEPT bytes."""
_STDERR_PIECE = 64 * 1024
_STDERR_PAUSE_S = 0.05
"""Seconds after which an unfinished line of stderr is recorded."""
_OUTCOMES = ("release", "modify", "drop", "answer")
"""Actions that end a hold."""
_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
_CHANNELS = {
    "c2s": (Direction.TO_SERVER, Channel.STDIN, ProcessEvent.STDIN_EOF),
    "s2c": (Direction.FROM_SERVER, Channel.STDOUT, ProcessEvent.STDOUT_EOF),
}


class Encoder:
    """Converts queue items to entries of a capture."""

    def __init__(
        self,
        recorder: Recorder,
        pid: int,
        ring: "Ring | None" = None,
        numbered: Callable[[int, int], object] = lambda key, n: None,
    ) -> None:
        """Create the encoder. `numbered` is called with the key of a held message and its number in the capture."""
        self._recorder = recorder
        self._pid = pid
        self._ring = ring
        self._n = 0
        self._splitters: dict[str, LineSplitter] = {name: CuttingSplitter(LIMIT, KEPT) for name in _CHANNELS}
        self._stderr = LineSplitter(_STDERR_PIECE)
        self._last = (0, 0)
        self._began, self._asked = 0, False
        self.why = ""
        """How the server ended, if it did so by itself: before its client closed stdin or sent a signal."""
        self._numbered = numbered
        self._newest: RecordedMessage | None = None
        """The newest judged message. Only held ones get actions after the next message."""
        self._held: dict[int, RecordedMessage] = {}

    @property
    def has_partial(self) -> bool:
        """Whether a line of stderr is unfinished."""
        return self._stderr.pending > 0

    def fact(self, fact: Fact, tm: int, tw: int) -> None:
        """Record an event that is not a message."""
        self._began = self._began or tm
        self._n += 1
        self._keep(Entry(self._n, tm, tw, fact))

    def item(self, item: tuple[Any, ...]) -> None:
        """Record one item of the queue."""
        kind, _, *rest = item
        getattr(self, f"_{kind}")(*rest)
        if self._ring is not None and self._ring.is_full(self._recorder):
            self._recorder, self._n = self._ring.next_part(self._recorder)

    @property
    def trouble(self) -> str:
        """Why the file is incomplete; "" if it is complete."""
        return self._recorder.file.trouble if self._recorder.file.is_incomplete else ""

    def close(self) -> None:
        """Write the end of the capture."""
        self._recorder.close()

    def leave(self) -> None:
        """Write what has arrived of unfinished lines, and leave the capture without its end."""
        self.flush_stderr()
        now = time.monotonic_ns(), time.time_ns()
        for name, splitter in self._splitters.items():
            if (rest := splitter.rest()) is not None:
                self._lines(name, [rest], *now, None)
        self.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="the tap was killed"), *now)
        self._recorder.close(is_complete=False)

    def flush_stderr(self) -> None:
        """Record an unfinished line of stderr."""
        if (rest := self._stderr.rest()) is not None:
            self.fact(Stderr(rest.payload, partial=True), *self._last)

    def _chunk(self, name: str, data: bytes, tm: int, tw: int, t_out: int) -> None:
        if name in _CHANNELS:
            self._lines(name, self._splitters[name].feed(data), tm, tw, t_out or None)
            return
        self._last = (tm, tw)
        lines = self._stderr.feed(data)
        if lines and all(line.eol is not Eol.NONE for line in lines):
            run = StderrRun(self._n + 1, tm, tw, [line.payload for line in lines])
            self._recorder.keep_run(run)
            self._n += len(lines)
            return
        for line in lines:
            self.fact(Stderr(line.payload, partial=line.eol is Eol.NONE), tm, tw)

    def _lines(self, name: str, lines: list[Line], tm: int, tw: int, t_out: int | None) -> None:
        direction, channel, _ = _CHANNELS[name]
        at = 0
        while at < len(lines):
            end, eol = at, lines[at].eol
            while end < len(lines) and lines[end].eol is eol and _is_short(lines[end]):
                end += 1
            if self._ring is not None and not self._ring.opening.is_complete:
                end = at  # one frame at a time
            if end - at > 1 and eol is not Eol.NONE:
                payloads = [line.payload for line in lines[at:end]]
                self._recorder.keep_run(FrameRun(self._n + 1, tm, tw, direction, channel, payloads, eol, t_out))
                self._n += len(payloads)
                at = end
                continue
            line = lines[at]
            self._n += 1
            cut = line.cut if isinstance(line, CutLine) else 0
            frame = Frame(self._n, tm, tw, direction, channel, line.payload, line.eol, cut=cut)
            self._keep(Entry(self._n, tm, tw, frame), t_out=t_out)
            at += 1

    def _keep(self, entry: Entry, **facts: Any) -> None:
        self._recorder.keep(entry, **facts)
        if self._ring is not None:
            self._ring.opening.take(entry, facts)

    def _message(self, token: "RecordedMessage") -> None:
        direction, channel, _ = _CHANNELS[token.direction]
        payload, eol = token.payload, Eol.NONE
        if payload.endswith(b"\r\n"):
            payload, eol = payload[:-2], Eol.CRLF
        elif payload.endswith(b"\n"):
            payload, eol = payload[:-1], Eol.LF
        self._n += 1
        token.n, token.part = self._n, self._part
        self._newest = token
        if token.fwd == "held":
            self._held[token.key] = token
            self._numbered(token.key, token.n)
        frame = Frame(self._n, token.tm, token.tw, direction, channel, payload, eol)
        entry = Entry(self._n, token.tm, token.tw, frame)
        self._keep(entry, origin=token.origin, fwd=token.fwd, t_out=token.t_out)

    @property
    def _part(self) -> int:
        return self._ring.number if self._ring is not None else 0

    def _edit(self, key: int, act: str, by: str, why: str, payload: bytes | None, tm: int) -> None:
        of = self._held.get(key, self._newest)
        if of is None or of.key != key:
            return  # its message did not fit into the queue
        if of.part != self._part:
            self._message(of)  # its part is complete, and an edit needs its message in the same part
        if act in _OUTCOMES:
            self._held.pop(key, None)
        raw, b64 = split_payload(payload) if payload is not None else (None, None)
        self._recorder.add(EditRecord(of=of.n, act=act, by=by, tm=tm, why=why, raw=raw, b64=b64))

    def _rule(self, name: str, on: bool, by: str, text: str, why: str, tm: int) -> None:
        self._recorder.add(RuleRecord(name=name, on=on, by=by, text=text, tm=tm, why=why))

    def _signal(self, number: int, tm: int, tw: int) -> None:
        self._asked = self._asked or number in _ENDING
        self.fact(ProcessFact(ProcessEvent.SIGNAL, self._pid, signal=signal.Signals(number).name), tm, tw)

    def _eof(self, name: str, tm: int, tw: int) -> None:
        if name not in _CHANNELS:
            self.flush_stderr()
            self.fact(ProcessFact(ProcessEvent.STDERR_EOF, self._pid), tm, tw)
            return
        if (rest := self._splitters[name].rest()) is not None:
            self._lines(name, [rest], tm, tw, None)
        self.fact(ProcessFact(_CHANNELS[name][2], self._pid), tm, tw)

    def _exit(self, status: int, client_left: bool, tm: int, tw: int) -> None:
        number = status & 0x7F
        code, name = (None, signal.Signals(number).name) if number else (status >> 8, "")
        self.fact(ProcessFact(ProcessEvent.EXIT, self._pid, code, name), tm, tw)
        self.why = "" if self._asked or client_left else end_words(code, name, (tm - self._began) / 1e9)

    def _gap(self, lost: list[int], tm: int, tw: int) -> None:
        del tm, tw
        frames, size, tm0, tm1 = lost
        for splitter in self._splitters.values():
            splitter.rest()
        why = "messages came faster than they could be written"
        self._recorder.add(GapRecord(lost_frames=frames, lost_bytes=size, why=why, tm0=tm0, tm1=tm1))


def _is_short(line: Line) -> bool:
    return len(line.payload) <= LONGEST_PAYLOAD and not isinstance(line, CutLine)


class SessionOpening:
    """The first entries of a session, which each part of a capture repeats, and what the newest part leaves out."""

    def __init__(self) -> None:
        self.entries: list[tuple[Entry, dict[str, Any]]] = []
        """Entries with the facts that `Recorder.keep` gets with them."""
        self.is_complete = False
        """Whether no entry is added any more."""
        self._left_out = [0, 0]
        """Frames and bytes."""

    def take(self, entry: Entry, facts: dict[str, Any]) -> None:
        """Add an entry, if it is one of the first and is not long."""
        if not self.is_complete and size_of(entry.what) < SMALLEST_PART // OPENING:
            self.entries.append((entry, facts))
            self.is_complete = len(self.entries) == OPENING

    def gap(self, frames: int, size: int, following: Recorder, last_ns: int) -> GapRecord:
        """Return what the part after a complete one says is missing, once it has the opening.

        `frames`, `size` in bytes, and `last_ns`, the time of its last entry, are those of the complete part.
        """
        self.is_complete = True
        self._left_out[0] += max(0, frames - following.frames)
        self._left_out[1] += max(0, size - following.file.size)
        begun = self.entries[-1][0].time_ns if self.entries else last_ns
        why = "the option --keep leaves out older messages"
        return GapRecord(lost_frames=self._left_out[0], lost_bytes=self._left_out[1], why=why, tm0=begun, tm1=last_ns)


class Ring:
    """Splits a capture into parts and keeps the two newest. Each part begins with the opening of the session."""

    def __init__(self, size: int, make: Callable[[], Recorder]) -> None:
        """Create the ring. `size`: bytes of both parts; `make` creates the next file."""
        self._size = size
        self._make = make
        self.number = 0
        self.opening = SessionOpening()

    def is_full(self, recorder: Recorder) -> bool:
        """Return whether the next part is due."""
        return recorder.file.size >= self._size // 2

    def next_part(self, recorder: Recorder) -> tuple[Recorder, int]:
        """Close a part and begin the next one. Return its recorder, and the number of its last entry."""
        path = recorder.file.path
        assert path is not None, "the tap records in a file with a name"
        frames, size, last_ns = recorder.frames, recorder.file.size, time.monotonic_ns()
        recorder.close()
        os.replace(path, earlier_part(path))
        following = self._make()
        for number, (entry, facts) in enumerate(self.opening.entries, 1):
            following.keep(numbered(entry, number), **facts)
        following.add(self.opening.gap(frames, size, following, last_ns))
        self.number += 1
        return following, len(self.opening.entries)


def earlier_part(path: Path) -> Path:
    """Return the path of the part before the newest one with `--keep`."""
    return path.with_name(f"{path.stem}.1{path.suffix}")


def record(options: "Options", recording: "RecordingQueue", server: "ServerProcess") -> None:
    """Write until the recording is closed, or its producer has gone. Errors of the capture are reported."""
    started = server.tm, server.tw
    encoder, is_troubled = None, False
    try:
        recorder = _recorder(options, started)
        path, size = recorder.file.path, options.keep
        assert path is not None, "the tap records in a file with a name"
        ring = Ring(size, lambda: _recorder_at(path, (time.monotonic_ns(), time.time_ns()))) if size else None
        encoder = Encoder(recorder, server.pid, ring, lambda key, n: recording.report("number", key, n))
        recording.report("path", str(path))
        encoder.fact(_connection(options, server), *started)
        encoder.fact(ProcessFact(ProcessEvent.SPAWN, server.pid), *started)
    except (InspectError, OSError) as error:
        recording.report("trouble", str(error))
    while True:
        item = recording.take(_STDERR_PAUSE_S if encoder is not None and encoder.has_partial else None)
        if item is not None and item[0] in ("close", "gone"):
            break
        if encoder is None:
            continue
        if item is None:
            encoder.flush_stderr()
            continue
        try:
            encoder.item(item)
            if bool(encoder.trouble) != is_troubled:
                is_troubled = not is_troubled
                recording.report("trouble", encoder.trouble)
        except (InspectError, OSError) as error:  # the next part can't be created
            recording.report("trouble", str(error))
            encoder = None
    if encoder is not None and item[0] == "gone":
        encoder.leave()
    elif encoder is not None:
        closed = ConnectionFact(ConnectionEvent.CLOSE, "stdio", why=encoder.why)
        encoder.fact(closed, time.monotonic_ns(), time.time_ns())
        encoder.close()
        if encoder.trouble:
            recording.report("trouble", encoder.trouble)
    recording.report("closed")


def _recorder(options: "Options", started: tuple[int, int]) -> Recorder:
    path = Path(os.path.abspath(options.capture))
    if not options.capture or path.is_dir():
        path = _fresh(options.label, options.command, started[1], path if options.capture else None)
    return _recorder_at(path, started)


def _recorder_at(path: Path, started: tuple[int, int]) -> Recorder:
    import sys

    from inspector import __version__

    fd = create(path)
    python = ".".join(map(str, sys.version_info[:3]))
    zone = time.strftime("%z", time.localtime(started[1] // 1_000_000_000))
    head = Head(
        format="mcpcap",
        v="1.0",
        id=_uuid(),
        tw=started[1],
        tm=started[0],
        tz=zone,
        tool=RecordingTool("mcp-inspect", __version__, python, os.uname().sysname),
        mode="stdio-proxy",
        redaction=Redaction("credentials", "write"),
    )
    return Recorder(CaptureFile(fd, path), head)


def _uuid() -> str:
    """Return a random UUID (RFC 9562, version 4). The module `uuid` would take a megabyte."""
    number = bytearray(os.urandom(16))
    number[6] = number[6] & 0x0F | 0x40
    number[8] = number[8] & 0x3F | 0x80
    text = number.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _fresh(label: str, command: list[str], wall_ns: int, directory: Path | None) -> Path:
    import re

    from inspector.config.paths import places, short_name

    if directory is None:
        directory = places().captures
        if (places().config / "config.toml").exists():  # the module that reads it takes megabytes
            from inspector.config.settings import captures_directory

            directory = captures_directory()
    when = time.strftime("%Y%m%d-%H%M%S", time.localtime(wall_ns // 1_000_000_000))
    name = re.sub(r"[^A-Za-z0-9._]+", "-", label).strip("-.")[:40] if label else short_name(command)
    return directory / f"{when}-{name or 'tap'}-{os.urandom(2).hex()}.mcpcap"


def _connection(options: "Options", server: "ServerProcess") -> ConnectionFact:
    from inspector.features.tap.registry import program_of

    names = tuple(sorted(os.fsdecode(name) for name in os.environb))
    return ConnectionFact(
        ConnectionEvent.OPEN,
        "stdio",
        tuple(options.command),
        os.getcwd(),
        env_names=names,
        peer_pid=server.client,
        peer_exe=program_of(server.client),
        inherited=inherited_state(*options.inherited),
    )
