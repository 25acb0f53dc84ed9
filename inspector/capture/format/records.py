"""Records of a capture, one line each. They contain only what was observed, nothing derived.

A record holds what crossed the wire and when. Kind, method, latency and pairing are derived again at each reading,
because a stored conclusion can be wrong while the bytes cannot. A payload is in `raw`, as text, if it is valid UTF-8
(which restores the same bytes), otherwise in `b64`.
"""

import threading
from functools import cache
from typing import Annotated, assert_never

import msgspec

from inspector.documents import UNDECODABLE, UNENCODABLE
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    HttpTiming,
    InheritedState,
    ProcessActivity,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.frames import Cause, Channel, Direction, Eol, Frame, SseFacts

FORMAT = "mcpcap"
VERSION = "1.0"
_CAUSES = {each.value: each for each in Cause}
NO_CREDENTIALS = "credentials"
"""Redaction policy: credentials in HTTP headers and URLs are not written."""

LIMIT = 2**63 - 1
Nanoseconds = Annotated[int, msgspec.Meta(ge=-LIMIT, le=LIMIT)]
"""Bounded, so that an untrusted number fits the columns that store it."""

KNOWN = frozenset(
    {"head", "frame", "err", "conn", "proc", "http", "sse", "edit", "rule", "sum", "gap", "redact", "end"}
)

MADE_BY_PROXY = frozenset({"rule", "user"})
"""Origins of frames that neither party wrote. They are in no wire digest."""


class RecordingTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """Program that wrote a capture."""

    name: str = ""
    version: str = ""
    py: str = ""
    os: str = ""


class Redaction(msgspec.Struct, frozen=True):
    """What was removed before writing."""

    policy: str = "none"
    """Redaction policy. NO_CREDENTIALS does not affect frames: they are complete, and their digests are valid."""
    on: str = "none"


class Import(msgspec.Struct, frozen=True, omit_defaults=True):
    """Origin of a capture that another program recorded."""

    tool: str = ""
    """Name of the format."""
    version: str = ""
    file_sha256: str = ""
    """SHA-256 of the source file."""
    losses: tuple[str, ...] = ()
    """What that format does not record, each as the end of "it does not tell"."""


class Head(msgspec.Struct, frozen=True, kw_only=True, tag_field="r", tag="head"):
    """First line: the format, and the pair of clocks that relates monotonic time to wall time."""

    format: str
    v: str
    must: tuple[str, ...] = ()
    """Features that a reader must know in order to read on."""
    id: str = ""
    tw: Nanoseconds = 0
    tm: Nanoseconds = 0
    tz: str = ""
    tool: RecordingTool = RecordingTool()
    mode: str = "client"
    redaction: Redaction = Redaction()
    imported: Import | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="import")
    """Set only for imported captures."""


class _Dated(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    n: int = 0
    c: str = ""
    tm: Nanoseconds
    tw: Nanoseconds | None = None


class FrameRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="frame"):
    """A line of a pipe, an HTTP body or an event of a stream, as it was transferred."""

    n: int = 0
    c: str = ""
    dir: Direction
    ch: Channel
    tm: Nanoseconds
    tw: Nanoseconds | None = None
    len: int | None = None
    eol: Eol = Eol.NONE
    ex: int | None = None
    origin: str = ""
    fwd: str = ""
    """What a proxy did with it: "" (forwarded), `held`, `dropped`, `replaced`, `failed`."""
    t_out: Nanoseconds | None = None
    """When a proxy had forwarded the frame completely, on the clock of `tm`."""
    cause: str = ""
    """A value of `Cause`, or one that a newer version knows. Older captures have none."""
    probe: bool = False
    """Whether the cause is a probe, for readers that know no causes."""
    sse: SseFacts | None = None
    raw: str | None = None
    b64: bytes | None = None
    cut: int = 0


class StderrRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="err"):
    """A line of the child's stderr."""

    partial: bool = False
    raw: str | None = None
    b64: bytes | None = None


class Target(msgspec.Struct, frozen=True, omit_defaults=True):
    """Endpoint of a connection."""

    argv: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""


class ProxyPeer(msgspec.Struct, frozen=True, omit_defaults=True):
    """Process on the other side of a proxy: the client that started it."""

    pid: int = 0
    exe: str = ""


class ConnectionRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="conn"):
    """A connection was opened or ended."""

    ev: ConnectionEvent
    transport: str = ""
    target: Target = Target()
    env_names: tuple[str, ...] = ()
    why: str = ""
    insecure: bool = False
    peer: ProxyPeer | None = None
    inherited: InheritedState | None = None
    """What the server inherited. Older captures have none."""
    hint: str = ""
    flaws: tuple[str, ...] = ()


class ProcessRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="proc"):
    """An event of the child process."""

    ev: ProcessEvent
    pid: int = 0
    code: int | None = None
    signal: str = ""
    state: ProcessActivity | None = None


class HttpRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="http"):
    """One step of an HTTP exchange."""

    ex: int
    ev: HttpEvent
    method: str = ""
    target: str = ""
    ver: str = ""
    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body_len: int | None = None
    why: str = ""
    timing: HttpTiming | None = None
    """Timing breakdown, on a response. Older captures have none."""
    document: str | None = None
    """Metadata fetched by an exchange of a login, on its end."""
    probe: bool = False
    connection: int = 0
    """Of a proxy: number of the client's TCP connection, on a request. Older captures have none."""


class SseRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="sse"):
    """An SSE event or comment without a message."""

    ex: int
    event: str | None = None
    id: str | None = None
    retry: int | None = None
    raw: str | None = None
    b64: bytes | None = None


class SumRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="sum"):
    """Digest over all bytes of one channel so far, line ends included."""

    c: str = ""
    dir: Direction
    ch: Channel
    bytes: int
    frames: int
    sha256: str


class EditRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="edit"):
    """What a proxy did with a message. The message as its sender wrote it remains in its `frame`."""

    of: int
    """Entry number of the frame."""
    act: str
    """`hold`, `release`, `modify`, `drop`, `answer`, `delay`, `fault`, `log`."""
    by: str = ""
    """`rule:NAME`, `user`, `deadline`, `lease`, `client`."""
    c: str = ""
    tm: Nanoseconds = 0
    why: str = ""
    raw: str | None = None
    """What was forwarded instead; null if nothing was."""
    b64: bytes | None = None


class RuleRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="rule"):
    """A proxy rule was added, changed or removed."""

    name: str
    on: bool
    by: str = ""
    """`file`, or `user` for a rule set in the user interface."""
    text: str = ""
    """Rule as JSON."""
    c: str = ""
    tm: Nanoseconds = 0
    why: str = ""
    """Why the rule was switched off, if not by the user."""


class GapRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="gap"):
    """What was observed and could not be written."""

    c: str = ""
    lost_frames: int = 0
    lost_bytes: int = 0
    why: str = ""
    tm0: Nanoseconds = 0
    tm1: Nanoseconds = 0


class RedactRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="redact"):
    """A value that was replaced in a redacted copy. It follows the record that contained the value."""

    rule: str
    """Detection rule that matched."""
    n: int = 0
    """Entry number; 0 for another record."""
    path: str = ""
    """Path in the record, then in the message."""
    len: int = 0
    """Length class, never the exact length."""
    kh: str = ""
    """Keyed digest, equal for equal secrets. The key is in no file."""
    kind: str = ""
    """"string" or "number"."""


class EndRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="r", tag="end"):
    """Last line of a closed capture: the number of records of each type, and the digest of all lines before it."""

    counts: dict[str, int] = {}
    sha256: str = ""
    clean: bool = True


Dated = FrameRecord | StderrRecord | ConnectionRecord | ProcessRecord | HttpRecord | SseRecord
"""Records that are entries of the journal."""
Record = Head | Dated | EditRecord | RuleRecord | SumRecord | GapRecord | RedactRecord | EndRecord

_encode = msgspec.json.Encoder().encode

_preparing = threading.Lock()


class Entry(msgspec.Struct, frozen=True):
    """A numbered and timestamped item of the journal: a frame, or a fact beside the frames."""

    n: int
    """Number from 1, without gaps, in the order of observation."""
    time_ns: int
    """Monotonic clock, nanoseconds."""
    wall_ns: int
    """Wall clock, nanoseconds since 1970."""
    what: Frame | Fact
    """Content. A frame repeats the number and the timestamps."""
    missing: bool = False
    """Whether the payload can't be read back (the disk failed, the file changed). `what` is then an empty stand-in."""


@cache
def decoder() -> "msgspec.json.Decoder[Record]":
    """Return the decoder.

    It is created on first use: a process that only writes does not need it.
    """
    with _preparing:  # see `prepared_type`
        return msgspec.json.Decoder(Record)


def to_line(record: Record) -> bytes:
    """Return the record as one line, line end included."""
    try:
        return _encode(record) + b"\n"
    except UNENCODABLE:
        # File names and environment variables may contain bytes that are not UTF-8. Python keeps them as lone
        # surrogates, which JSON can only represent escaped. Python's json has no limit on numbers either.
        import json

        return json.dumps(msgspec.to_builtins(record), separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Record:
    """Parse the record of a line, with or without its line end. Unknown fields are ignored.

    Raises: ValueError if the line is not a known record.
    """
    try:
        found = decoder().decode(line)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    except UNDECODABLE:
        return _from_tolerant(line)
    return found


def _from_tolerant(line: bytes) -> Record:
    """Parse with the slower decoder, which accepts escaped lone surrogates."""
    import json

    try:
        found: Record = msgspec.convert(json.loads(line), type=Record)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return found


def type_of(line: bytes) -> str | None:
    """Return the type of a line that is not a known record; None if it is not a JSON object with an `r`."""
    import json

    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    kind = value.get("r") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else None


# Conversion between journal entries and file records.


def numbered(entry: Entry, n: int) -> Entry:
    if entry.n == n:
        return entry
    what = entry.what
    return msgspec.structs.replace(
        entry, n=n, what=msgspec.structs.replace(what, n=n) if isinstance(what, Frame) else what
    )


def size_of(what: Frame | Fact) -> int:
    """Return the payload size in bytes; 0 for a fact without a payload."""
    if isinstance(what, Frame):  # checked first: the union would be rebuilt at each call
        return len(what.payload)
    if isinstance(what, Stderr):
        return len(what.payload)
    return len(what.raw) if isinstance(what, SseNote) else 0


def record_of(entry: Entry, *, c: str, origin: str, fwd: str = "", t_out: int | None = None) -> Dated:
    """Return the record of an entry. `c` is the connection, `origin` the author of a frame."""
    what = entry.what
    if isinstance(what, Frame):
        return _frame_record(what, c, origin, fwd, t_out)
    return _fact_record(what, entry, c)


def _frame_record(frame: Frame, c: str, origin: str, fwd: str, t_out: int | None) -> FrameRecord:
    raw, b64 = split_payload(frame.payload)
    return FrameRecord(
        n=frame.n,
        c=c,
        dir=frame.direction,
        ch=frame.channel,
        tm=frame.time_ns,
        tw=frame.wall_ns,
        len=len(frame.payload),
        eol=frame.eol,
        ex=frame.http,
        origin=origin,
        fwd=fwd,
        t_out=t_out,
        cause=frame.cause.value,
        probe=frame.cause is Cause.PROBE,
        sse=frame.sse,
        raw=raw,
        b64=b64,
        cut=frame.cut,
    )


def _fact_record(fact: Fact, entry: Entry, c: str) -> Dated:
    n, tm, tw = entry.n, entry.time_ns, entry.wall_ns
    match fact:
        case Stderr():
            raw, b64 = split_payload(fact.payload)
            return StderrRecord(n=n, c=c, tm=tm, tw=tw, partial=fact.partial, raw=raw, b64=b64)
        case ConnectionFact():
            return _connection_record(fact, entry, c)
        case ProcessFact():
            return ProcessRecord(
                n=n,
                c=c,
                tm=tm,
                tw=tw,
                ev=fact.event,
                pid=fact.pid,
                code=fact.code,
                signal=fact.signal,
                state=fact.state,
            )
        case HttpFact():
            return _http_record(fact, entry, c)
        case SseNote():
            raw, b64 = split_payload(fact.raw)
            return SseRecord(
                n=n, c=c, tm=tm, tw=tw, ex=fact.http, event=fact.event, id=fact.id, retry=fact.retry, raw=raw, b64=b64
            )
        case _:
            assert_never(fact)


def _connection_record(fact: ConnectionFact, entry: Entry, c: str) -> ConnectionRecord:
    return ConnectionRecord(
        n=entry.n,
        c=c,
        tm=entry.time_ns,
        tw=entry.wall_ns,
        ev=fact.event,
        transport=fact.transport,
        target=Target(fact.argv, fact.cwd, fact.url),
        env_names=fact.env_names,
        why=fact.why,
        insecure=fact.insecure,
        peer=ProxyPeer(fact.peer_pid, fact.peer_exe) if fact.peer_pid else None,
        inherited=fact.inherited,
        hint=fact.hint,
        flaws=fact.flaws,
    )


def _http_record(fact: HttpFact, entry: Entry, c: str) -> HttpRecord:
    return HttpRecord(
        n=entry.n,
        c=c,
        tm=entry.time_ns,
        tw=entry.wall_ns,
        ex=fact.http,
        ev=fact.event,
        method=fact.method,
        target=fact.target,
        ver=fact.version,
        status=fact.status,
        reason=fact.reason,
        headers=fact.headers,
        body_len=fact.body_bytes,
        why=fact.why,
        timing=fact.timing,
        document=None if fact.document is None else fact.document.decode("utf-8", "replace"),
        probe=fact.probe,
        connection=fact.connection,
    )


def entry_of(record: Dated, n: int, wall_ns: int = 0) -> Entry:
    """Return the entry of a record, with the number `n` instead of the one in the file.

    `wall_ns` is used if the record has no wall clock time.

    Raises: ValueError if the record lacks its payload.
    """
    tw = record.tw if record.tw is not None else clamped(wall_ns)
    if isinstance(record, FrameRecord):
        return Entry(n, record.tm, tw, _frame(record, n, tw))
    return Entry(n, record.tm, tw, _fact(record))


def clamped(wall_ns: int) -> int:
    """Return the nearest time that a column can hold."""
    return max(-LIMIT, min(wall_ns, LIMIT))


def _frame(record: FrameRecord, n: int, wall_ns: int) -> Frame:
    return Frame(
        n,
        record.tm,
        wall_ns,
        record.dir,
        record.ch,
        joined_payload(record.raw, record.b64),
        record.eol,
        record.ex,
        record.sse,
        _cause(record),
        max(0, record.cut),
    )


def _cause(record: FrameRecord) -> Cause:
    if record.origin in MADE_BY_PROXY and record.dir is Direction.FROM_SERVER:
        return Cause.IN_PLACE
    return Cause.PROBE if record.probe else _CAUSES.get(record.cause, Cause.UNKNOWN)


def _fact(record: StderrRecord | ConnectionRecord | ProcessRecord | HttpRecord | SseRecord) -> Fact:
    match record:
        case StderrRecord():
            return Stderr(joined_payload(record.raw, record.b64), record.partial)
        case ConnectionRecord():
            target = record.target
            return ConnectionFact(
                record.ev,
                record.transport,
                target.argv,
                target.cwd,
                target.url,
                record.env_names,
                record.why,
                record.insecure,
                record.peer.pid if record.peer else 0,
                record.peer.exe if record.peer else "",
                record.inherited,
                record.hint,
                record.flaws,
            )
        case ProcessRecord():
            return ProcessFact(record.ev, record.pid, record.code, record.signal, record.state)
        case HttpRecord():
            return _http_fact(record)
        case SseRecord():
            return SseNote(record.ex, joined_payload(record.raw, record.b64), record.event, record.id, record.retry)
        case _:
            assert_never(record)


def _http_fact(record: HttpRecord) -> HttpFact:
    return HttpFact(
        record.ev,
        record.ex,
        record.method,
        record.target,
        record.status,
        record.reason,
        record.ver,
        record.headers,
        record.why,
        record.body_len,
        record.timing,
        None if record.document is None else record.document.encode("utf-8", "surrogatepass"),
        record.probe,
        record.connection,
    )


def split_payload(payload: bytes) -> tuple[str | None, bytes | None]:
    """Return a payload as text if that restores the same bytes, otherwise as bytes."""
    try:
        return payload.decode("utf-8"), None
    except UnicodeDecodeError:
        return None, payload


def joined_payload(raw: str | None, b64: bytes | None) -> bytes:
    """Return the bytes of a payload. Raises: ValueError if the record has none."""
    if b64 is not None:
        return b64
    if raw is None:
        raise ValueError("the payload is not in this file")
    return raw.encode("utf-8", "surrogatepass")
