"""The records of a capture, one line each: what is written, what is read, and nothing derived.

A record holds what crossed the wire and when. Kind, method, latency and pairing are folded again at each
reading, because a stored conclusion can be wrong while the bytes cannot. A payload stands in `raw`, as text,
if it is UTF-8 (then it comes back to the same bytes), else in `b64`.
"""

from functools import cache
from typing import Annotated

import msgspec

from inspector.protocol.facts import ConnectionEvent, HttpEvent, HttpTiming, ProcessEvent
from inspector.protocol.frames import Channel, Direction, Eol, SseFacts

FORMAT = "mcpcap"
VERSION = "1.0"
NO_CREDENTIALS = "credentials"
"""The policy by which credentials in HTTP headers and URLs are not written."""

LIMIT = 2**63 - 1
Nanoseconds = Annotated[int, msgspec.Meta(ge=-LIMIT, le=LIMIT)]
"""Bounded, so that a foreign number fits the columns that keep it."""


class Tool(msgspec.Struct, frozen=True, omit_defaults=True):
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
    tool: Tool = Tool()
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


class ConnectionRecord(_Dated, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="conn"):
    """The connection opened or ended."""

    ev: ConnectionEvent
    transport: str = ""
    target: Target = Target()
    env_names: tuple[str, ...] = ()
    why: str = ""
    insecure: bool = False


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


class GapRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="gap"):
    """What was observed and could not be written."""

    c: str = ""
    lost_frames: int = 0
    lost_bytes: int = 0
    why: str = ""
    tm0: Nanoseconds = 0
    tm1: Nanoseconds = 0


class RedactRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="r", tag="redact"):
    """Something that a copy does not have: it stands behind the record that it was taken out of."""

    rule: str
    """By what it was known."""
    n: int = 0
    """The entry; 0 for what is none."""
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
Record = Head | Dated | SumRecord | GapRecord | RedactRecord | EndRecord

KNOWN = frozenset({"head", "frame", "err", "conn", "proc", "http", "sse", "sum", "gap", "redact", "end"})

_encode = msgspec.json.Encoder().encode


@cache
def decoder() -> "msgspec.json.Decoder[Record]":
    """Made when something is read back: whoever only writes does not wait for it."""
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

    Raises: ValueError if the line is no record that this program knows.
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
    """What a line that is no known record calls itself; None if it is no JSON object with an `r`."""
    import json

    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    kind = value.get("r") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else None
