"""Entries of the journal to records of the file and back.

A payload is written as text if it is UTF-8, for then it comes back to the same bytes; else as base64. The text
is JSON's to escape, never ours to tidy: a byte-order mark, a NUL and U+2028 come back as they came.
"""

from typing import assert_never

import msgspec

from inspector.capture.records import (
    LIMIT,
    ConnectionRecord,
    Dated,
    FrameRecord,
    HttpRecord,
    ProcessRecord,
    SseRecord,
    StderrRecord,
    Target,
)
from inspector.protocol.facts import ConnectionFact, Fact, HttpFact, ProcessFact, SseNote, Stderr
from inspector.protocol.frames import Frame


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


def record_of(entry: Entry, *, c: str, origin: str) -> Dated:
    """What is written of an entry. `c` names the connection, `origin` who made a frame."""
    what = entry.what
    if isinstance(what, Frame):
        return _frame_record(what, c, origin)
    return _fact_record(what, entry, c)


def _frame_record(frame: Frame, c: str, origin: str) -> FrameRecord:
    raw, b64 = _split(frame.payload)
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
            raw, b64 = _split(fact.payload)
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
            raw, b64 = _split(fact.raw)
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
    """The entry that a record tells of, numbered `n` whatever the file says.

    `wall_ns` stands in where the record has no wall clock of its own.

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
        _join(record.raw, record.b64),
        record.eol,
        record.ex,
        record.sse,
        record.probe,
        max(0, record.cut),
    )


def _fact(record: StderrRecord | ConnectionRecord | ProcessRecord | HttpRecord | SseRecord) -> Fact:
    match record:
        case StderrRecord():
            return Stderr(_join(record.raw, record.b64), record.partial)
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
            )
        case ProcessRecord():
            return ProcessFact(record.ev, record.pid, record.code, record.signal)
        case HttpRecord():
            return _http_fact(record)
        case SseRecord():
            return SseNote(record.ex, _join(record.raw, record.b64), record.event, record.id, record.retry)
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


def _split(payload: bytes) -> tuple[str | None, bytes | None]:
    """A payload as text, if that comes back to the same bytes, else as bytes."""
    try:
        return payload.decode("utf-8"), None
    except UnicodeDecodeError:
        return None, payload


def _join(raw: str | None, b64: bytes | None) -> bytes:
    if b64 is not None:
        return b64
    if raw is None:
        raise ValueError("the payload is not in this file")
    return raw.encode("utf-8", "surrogatepass")
