"""One entry in full, with the exchange it belongs to: what it says, its exact bytes, its HTTP headers.

Bytes are handed on as they are; who lays them out (a tree, raw text, hexadecimal) makes them safe. All other text
here is safe already.
"""

from dataclasses import dataclass
from typing import assert_never

from inspector.capture.journal import Journal
from inspector.capture.store import Entry
from inspector.protocol.cut import messages_of
from inspector.protocol.cut import reason as reason_of
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import ConnectionFact, Fact, HttpFact, ProcessFact, SseNote, Stderr
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Message, NotJsonRpc, read
from inspector.viewmodels import lines, signs, text, words
from inspector.viewmodels.http_facts import header_facts, http_sections
from inspector.viewmodels.lines import Line, Section
from inspector.viewmodels.secrets import masked_url


@dataclass(frozen=True, slots=True)
class Side:
    """A payload that can be looked at."""

    name: str
    """"request", "answer", or what else it is: "notification", "stderr", "bytes"."""
    n: int
    """The entry it is from."""
    payload: bytes
    missing: bool = False
    """True if the bytes can't be read back; `payload` is then empty."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One entry in full."""

    n: int
    title: Line
    facts: tuple[lines.Fact, ...]
    sides: tuple[Side, ...]
    """The request before its answer; one for anything else; none for a fact without bytes."""
    shown: int
    """Which of the sides is the entry's own."""
    headers: tuple[Section, ...] = ()
    """What crossed with it over HTTP; empty elsewhere."""

    @property
    def side(self) -> Side | None:
        """The entry's own bytes."""
        return self.sides[self.shown] if self.sides else None


def detail_of(journal: Journal, n: int, *, reveal: bool = False, now_ns: int | None = None) -> Detail:
    """Entry n in full; an answer comes with its request and the other way round.

    `reveal` shows header values that are secret. `now_ns` times what is pending; None leaves its time out.
    """
    entry = journal.store.entry(n)
    if isinstance(entry.what, Frame):
        return _of_frame(journal, entry, entry.what, reveal, now_ns)
    return _of_fact(journal, entry, entry.what, reveal)


def _of_frame(journal: Journal, entry: Entry, frame: Frame, reveal: bool, now_ns: int | None) -> Detail:
    exchange = _exchange(journal, entry.n)
    sides = _sides(journal, entry, frame, exchange)
    http = frame.http if frame.http is not None else exchange.http if exchange is not None else None
    return Detail(
        entry.n,
        _title(journal, entry.n, frame, exchange),
        (*_frame_facts(entry, frame), *_exchange_facts(journal, exchange, now_ns)),
        sides,
        next(at for at, side in enumerate(sides) if side.n == entry.n),
        http_sections(journal, http, reveal=reveal),
    )


def _exchange(journal: Journal, n: int) -> Exchange | None:
    number, exchanges = journal.store.exchange(n), journal.conversation.exchanges
    return exchanges[number - 1] if 0 < number <= len(exchanges) else None


def _sides(journal: Journal, entry: Entry, frame: Frame, exchange: Exchange | None) -> tuple[Side, ...]:
    """The request first; a notification about an exchange stands alone."""
    own = Side(_name(journal, entry.n), entry.n, frame.payload, entry.missing)
    if exchange is None or own.name not in ("request", "answer"):
        return (own,)
    other = exchange.answer_frame if exchange.request_frame == entry.n else exchange.request_frame
    if other is None or other == entry.n or not 0 < other <= journal.count:
        return (own,)
    partner = journal.store.entry(other)
    if not isinstance(partner.what, Frame):
        return (own,)
    name = "answer" if own.name == "request" else "request"
    found = Side(name, other, partner.what.payload, partner.missing)
    return (own, found) if own.name == "request" else (found, own)


_NAMES = ("bytes", "request", "notification", "answer", "answer", "bytes", "batch")
"""By the kind of message."""


def _name(journal: Journal, n: int) -> str:
    return _NAMES[journal.store.message_kind(n)]


def _title(journal: Journal, n: int, frame: Frame, exchange: Exchange | None) -> Line:
    to_server = frame.direction is Direction.TO_SERVER
    way: Line = ((f"{signs.TO_SERVER} ", "to_server") if to_server else (f"{signs.FROM_SERVER} ", "from_server"),)
    name = _name(journal, n)
    method = journal.store.method(n) or (exchange.method if exchange is not None else "")
    if not method:
        reason = reason_of(frame) if frame.cut else getattr(read(frame.payload[:100_000])[0], "reason", "")
        return (*way, (name if not reason else f"not JSON-RPC: {reason}", "warning" if reason else "method"))
    said: Line = (*way, lines.span(method, "method", limit=200))
    if name != "request" and name != "notification":
        said = (*way, (f"{name} to ", "muted"), lines.span(method, "method", limit=200))
    if exchange is not None and exchange.target and name != "notification":
        said = (*said, (" ", "text"), lines.span(exchange.target, "target", limit=200))
    return said


def _frame_facts(entry: Entry, frame: Frame) -> list[lines.Fact]:
    where = "to the server" if frame.direction is Direction.TO_SERVER else "from the server"
    facts = [
        lines.Fact("entry", f"#{entry.n} at {text.clock(entry.wall_ns)}"),
        lines.Fact("crossed", f"{where} on {frame.channel.value}{', as a probe' if frame.probe else ''}"),
        lines.Fact("size", _size(len(frame.payload))),
    ]
    if frame.cut:
        whole = f"it had {_size(len(frame.payload) + frame.cut)}, over the limit: this is its beginning"
        facts.append(lines.Fact("cut", f"{whole}; --max message=SIZE raises it", "warning"))
    elif frame.channel is Channel.STDOUT and any(isinstance(m, NotJsonRpc) for m in _messages(frame)):
        facts.append(lines.Fact("advice", "stdout is for messages alone: logs and banners belong on stderr", "warning"))
    if entry.missing:
        facts.append(lines.Fact("problem", "its bytes can't be read back from the capture", "error"))
    if frame.eol.value == "crlf":
        facts.append(lines.Fact("line end", "CR LF"))
    if frame.http is not None:
        facts.append(lines.Fact("HTTP exchange", str(frame.http)))
    if frame.sse is not None:
        parts = {"event": frame.sse.event, "id": frame.sse.id, "retry": frame.sse.retry}
        told = ", ".join(f"{key} {value}" for key, value in parts.items() if value is not None)
        facts.append(lines.fact("SSE event", told or "data alone"))
    defects = [defect for message in _messages(frame) for defect in message.defects]
    facts += [lines.fact("defect", defect, "warning") for defect in dict.fromkeys(defects)]
    return facts


def _messages(frame: Frame) -> tuple[Message, ...]:
    """What the frame holds; nothing of a large one, which would take its time."""
    return messages_of(frame) if len(frame.payload) <= 1_000_000 else ()


def _size(size: int) -> str:
    return f"{size} bytes" if size < 1000 else f"{size} bytes ({text.human_size(size)})"


def _exchange_facts(journal: Journal, exchange: Exchange | None, now_ns: int | None) -> list[lines.Fact]:
    if exchange is None:
        return []
    state, role = words.status(exchange, live=journal.live)
    took = exchange.duration_ns
    if took is None and now_ns is not None and journal.live:
        took = now_ns - exchange.started_ns
    after = "" if took is None else f" after {text.human_duration(max(0, took))}"
    facts = [
        lines.fact("exchange", f"{exchange.number}, id {exchange.id!r}"),
        lines.Fact("state", state + after, role),
    ]
    if exchange.why:
        facts.append(lines.fact("why", exchange.why, "warning"))
    if exchange.progress is not None:
        facts.append(lines.fact("progress", f"{words.progress_words(exchange.progress)} ({exchange.progress.count} ×)"))
    if exchange.revision:
        facts.append(lines.fact("revision", exchange.revision))
    return facts


def _of_fact(journal: Journal, entry: Entry, fact: Fact, reveal: bool) -> Detail:
    said, role = words.sentence(fact)
    facts = (lines.Fact("entry", f"#{entry.n} at {text.clock(entry.wall_ns)}"), *_fact_facts(fact))
    sides: tuple[Side, ...] = ()
    headers: tuple[Section, ...] = ()
    match fact:
        case Stderr():
            sides = (Side("stderr", entry.n, fact.payload, entry.missing),)
        case SseNote():
            sides = (Side("event", entry.n, fact.raw, entry.missing),)
            headers = http_sections(journal, fact.http, reveal=reveal)
        case HttpFact():
            headers = http_sections(journal, fact.http, reveal=reveal) or (
                Section("Headers", header_facts(fact, reveal=reveal)),
            )
        case ConnectionFact() | ProcessFact():
            pass
        case _:
            assert_never(fact)
    return Detail(entry.n, ((f"{signs.EVENT} ", role), (said or "(an empty line)", role)), facts, sides, 0, headers)


def _fact_facts(fact: Fact) -> list[lines.Fact]:
    match fact:
        case Stderr():
            size = lines.Fact("size", _size(len(fact.payload)))
            return [size, lines.Fact("line end", "none came (yet)", "warning")] if fact.partial else [size]
        case ConnectionFact():
            told = {
                "transport": words.TRANSPORTS.get(fact.transport, fact.transport),
                "command": words.command_line(fact.argv),
                "directory": fact.cwd,
                "url": masked_url(fact.url),
                "variables": ", ".join(fact.env_names),
                "why": fact.why,
            }
        case ProcessFact():
            code = "" if fact.code is None else str(fact.code)
            told = {"process": str(fact.pid), "exit code": code, "signal": fact.signal}
        case HttpFact():
            told = {"HTTP exchange": str(fact.http), "why": fact.why}
        case SseNote():
            retry = "" if fact.retry is None else f"{fact.retry} ms"
            told = {"HTTP exchange": str(fact.http), "event": fact.event or "", "id": fact.id or "", "retry": retry}
        case _:
            assert_never(fact)
    return [lines.fact(key, value) for key, value in told.items() if value]
