"""The records of a capture, one line each: what is written, what is read, and nothing derived.

A record holds what crossed the wire and when. Kind, method, latency and pairing are folded again at each
reading, because a stored conclusion can be wrong while the bytes cannot. A payload is in `raw`, as text,
if it is UTF-8 (then it comes back to the same bytes), else in `b64`.
"""

from functools import cache
from typing import Annotated, assert_never

import msgspec

from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    HttpTiming,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.frames import Channel, Direction, Eol, Frame, SseFacts

FORMAT = "mcpcap"
VERSION = "1.0"
NO_CREDENTIALS = "credentials"
"""The policy by which credentials in HTTP headers and URLs are not written."""

LIMIT = 2**63 - 1
Nanoseconds = Annotated[int, msgspec.Meta(ge=-LIMIT, le=LIMIT)]
"""Bounded, so that a foreign number fits the columns that keep it."""


class RecordingTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """What wrote a capture."""

    name: str = ""
    version: str = ""
    py: str = ""
    os: str = ""


class Redaction(msgspec.Struct, frozen=True):
    """What was taken out before it was written."""

    policy: str = "none"
    """NO_CREDENTIALS for what concerns no frame: those are whole, and their digests hold."""
    on: str = "none"


class Import(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a capture is from that another program recorded."""

    tool: str = ""
    """The format."""
    version: str = ""
    file_sha256: str = ""
    """Of the file that was read."""
    losses: tuple[str, ...] = ()
    """What that format does not hold, each as the end of "it does not tell"."""


class Head(msgspec.Struct, frozen=True, kw_only=True, tag_field="r", tag="head"):
    """The first line: which format, and the pair of clocks that ties monotonic to wall time."""

    format: str
    v: str
    must: tuple[str, ...] = ()
    """What a reader has to know, or it must not read on."""
    id: str = ""
    tw: Nanoseconds = 0
    tm: Nanoseconds = 0
    tz: str = ""
    tool: RecordingTool = RecordingTool()
    mode: str = "client"
    redaction: Redaction = Redaction()
    imported: Import | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="import")
    """On what was imported, else left out."""


class _Dated(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    n: int = 0
    c: str = ""
    tm: Nanoseconds
    tw: Nanoseconds | None = None


class FrameRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="frame"):
    """One frame."""

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
    """What a proxy did with it: "" forwarded, `held`, `dropped`, `replaced`, `failed`."""
    t_out: Nanoseconds | None = None
    """When a proxy had forwarded it whole, on the clock of `tm`."""
    probe: bool = False
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
    """What a connection leads to."""

    argv: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""


class ProxyPeer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The process on the other side of a proxy: the client that started it."""

    pid: int = 0
    exe: str = ""


class ConnectionRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="conn"):
    """The connection opened or ended."""

    ev: ConnectionEvent
    transport: str = ""
    target: Target = Target()
    env_names: tuple[str, ...] = ()
    why: str = ""
    insecure: bool = False
    peer: ProxyPeer | None = None


class ProcessRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="proc"):
    """Something happened to the child process."""

    ev: ProcessEvent
    pid: int = 0
    code: int | None = None
    signal: str = ""


class HttpRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="http"):
    """A step of one HTTP exchange."""

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
    """Where the time went, on a response. Captures of before have none."""
    document: str | None = None
    """The metadata that an exchange of a login brought, on its end."""
    probe: bool = False


class SseRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="sse"):
    """An event or comment that carried no message."""

    ex: int
    event: str | None = None
    id: str | None = None
    retry: int | None = None
    raw: str | None = None
    b64: bytes | None = None


class SumRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="sum"):
    """A digest over all bytes of one channel so far, line ends included."""

    c: str = ""
    dir: Direction
    ch: Channel
    bytes: int
    frames: int
    sha256: str


class EditRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="edit"):
    """What a proxy did with a message. The message itself, as its sender wrote it, stays in its `frame`."""

    of: int
    """The number of that frame among the entries."""
    act: str
    """`hold`, `release`, `modify`, `drop`, `answer`, `delay`, `fault`, `log`."""
    by: str = ""
    """`rule:NAME`, `user`, `deadline`, `lease`, `client`."""
    c: str = ""
    tm: Nanoseconds = 0
    why: str = ""
    raw: str | None = None
    """What was forwarded in its place; null where nothing was."""
    b64: bytes | None = None


class RuleRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="rule"):
    """A rule of a proxy was armed, changed or taken away."""

    name: str
    on: bool
    by: str = ""
    """`file`, or `user` for one that was set from an interface."""
    text: str = ""
    """The rule, as JSON."""
    c: str = ""
    tm: Nanoseconds = 0
    why: str = ""
    """Why it was switched off, if not on request."""


class GapRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="gap"):
    """What was observed and could not be written."""

    c: str = ""
    lost_frames: int = 0
    lost_bytes: int = 0
    why: str = ""
    tm0: Nanoseconds = 0
    tm1: Nanoseconds = 0


class RedactRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="redact"):
    """Something that was replaced in a copy. It follows the record that it was taken from."""

    rule: str
    """By what it was known."""
    n: int = 0
    """The entry; 0 for another record."""
    path: str = ""
    """Where in the record, and then in the message."""
    len: int = 0
    """The class of its length, never the length."""
    kh: str = ""
    """A keyed digest, equal for equal secrets. The key is in no file."""
    kind: str = ""
    """"string" or "number"."""


class EndRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="r", tag="end"):
    """The last line of a capture that was closed: how many records of each type, and the digest of all lines before."""

    counts: dict[str, int] = {}
    sha256: str = ""
    clean: bool = True


Dated = FrameRecord | StderrRecord | ConnectionRecord | ProcessRecord | HttpRecord | SseRecord
"""The records that are entries of the journal."""
Record = Head | Dated | EditRecord | RuleRecord | SumRecord | GapRecord | RedactRecord | EndRecord

KNOWN = frozenset(
    {"head", "frame", "err", "conn", "proc", "http", "sse", "edit", "rule", "sum", "gap", "redact", "end"}
)
MADE_BY_PROXY = frozenset({"rule", "user"})
"""Origins of frames that no party wrote: no digest of the wire counts them."""

_encode = msgspec.json.Encoder().encode


@cache
def decoder() -> "msgspec.json.Decoder[Record]":
    """Made when something is read back: a process that only writes does not wait for it."""
    return msgspec.json.Decoder(Record)


def to_line(record: Record) -> bytes:
    """The record as one line, its end included."""
    try:
        return _encode(record) + b"\n"
    except (UnicodeEncodeError, OverflowError):
        # Names of files and variables may hold bytes that are no UTF-8; Python keeps them as lone surrogates,
        # and JSON can spell those, if only escaped. Numbers have no limit there either.
        import json

        return json.dumps(msgspec.to_builtins(record), separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Record:
    """The record of a line, with or without its end. Unknown fields are ignored.

    Raises: ValueError if the line is not a known record.
    """
    try:
        found = decoder().decode(line)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _from_tolerant(line)
    return found


def _from_tolerant(line: bytes) -> Record:
    """What only the slower reader takes: escaped lone surrogates."""
    import json

    try:
        found: Record = msgspec.convert(json.loads(line), type=Record)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return found


def type_of(line: bytes) -> str | None:
    """The type of a line that is not a known record; None if it is not a JSON object with an `r`."""
    import json

    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    kind = value.get("r") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else None


# Entries of the journal to records of the file and back.


class Entry(msgspec.Struct, frozen=True):
    """A numbered and dated record of the journal: a frame, or a fact beside the frames."""

    n: int
    """From 1, without gaps, in the order of observation."""
    time_ns: int
    """Monotonic clock, nanoseconds."""
    wall_ns: int
    """Wall clock, nanoseconds since 1970."""
    what: Frame | Fact
    """A frame repeats the number and the clocks."""
    missing: bool = False
    """True if the payload can't be read back (the disk failed, the file changed); `what` is then an empty stand-in."""


def numbered(entry: Entry, n: int) -> Entry:
    """The entry under this number."""
    if entry.n == n:
        return entry
    what = entry.what
    return msgspec.structs.replace(
        entry, n=n, what=msgspec.structs.replace(what, n=n) if isinstance(what, Frame) else what
    )


def size_of(what: Frame | Fact) -> int:
    """Payload bytes; 0 for a fact that has none."""
    if isinstance(what, Frame):  # tested first and alone: a union is made again at each call
        return len(what.payload)
    if isinstance(what, Stderr):
        return len(what.payload)
    return len(what.raw) if isinstance(what, SseNote) else 0


def record_of(entry: Entry, *, c: str, origin: str, fwd: str = "", t_out: int | None = None) -> Dated:
    """What is written of an entry. `c` names the connection, `origin` who made a frame."""
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
        probe=frame.probe,
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
                n=n, c=c, tm=tm, tw=tw, ev=fact.event, pid=fact.pid, code=fact.code, signal=fact.signal
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
    )


def entry_of(record: Dated, n: int, wall_ns: int = 0) -> Entry:
    """The entry of a record, with the number `n` instead of that in the file.

    `wall_ns` is used if the record has no wall clock of its own.

    Raises: ValueError if the record lacks its payload.
    """
    tw = record.tw if record.tw is not None else clamped(wall_ns)
    if isinstance(record, FrameRecord):
        return Entry(n, record.tm, tw, _frame(record, n, tw))
    return Entry(n, record.tm, tw, _fact(record))


def clamped(wall_ns: int) -> int:
    """The nearest moment that a column can hold."""
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
        record.probe,
        max(0, record.cut),
    )


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
            )
        case ProcessRecord():
            return ProcessFact(record.ev, record.pid, record.code, record.signal)
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
    )


def split_payload(payload: bytes) -> tuple[str | None, bytes | None]:
    """A payload as text, if that comes back to the same bytes, else as bytes."""
    try:
        return payload.decode("utf-8"), None
    except UnicodeDecodeError:
        return None, payload


def joined_payload(raw: str | None, b64: bytes | None) -> bytes:
    """The bytes of a payload. Raises: ValueError if the record has none."""
    if b64 is not None:
        return b64
    if raw is None:
        raise ValueError("the payload is not in this file")
    return raw.encode("utf-8", "surrogatepass")
