"""Export to HAR 1.2, curl commands and JSON-RPC lines.

HTTP exchanges are written exactly: method, URL, headers in order, bodies, times. The messages of an event stream
form a stream in the body again; `_mcp.frames` has their entry numbers in the capture. A message over stdio or memory
becomes an entry with the method STDIO or MEMORY and a URL such as `stdio:tools/call`. Its request is what one side
sent, its response is the answer, and `_mcp` states the sender and the line numbers. Members whose names begin with
an underscore are reserved for applications by http://www.softwareishard.com/blog/har-12-spec/.
"""

import base64
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import msgspec

from inspector import __version__, text
from inspector.features.export.selection import SelectedExchange, Selection, is_message, noted
from inspector.present.http import as_curl
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import Headers, HttpFact, HttpTiming, SseNote, header
from inspector.protocol.frames import Channel, Frame
from inspector.protocol.jsonrpc import Notification, Request, encode, read

_NOWHERE = {Channel.STDIN: "stdio", Channel.STDOUT: "stdio", Channel.MEMORY: "memory"}
_JSON = "application/json"

_HEAD = """\
#!/bin/sh
# HTTP requests of a capture, in their order. Each is made as you run it: remove what you don't want to repeat.
# What gives access is a variable: set it first, as in MCP_SECRET_AUTHORIZATION=... sh THIS_FILE
"""

_SESSION = "mcp-session-id"

_TAKES_SESSION = """\
{name}=$(sed -n 's/^[Mm][Cc][Pp]-[Ss][Ee][Ss][Ss][Ii][Oo][Nn]-[Ii][Dd]:[[:space:]]*//p' "$MCP_HEADERS" | tr -d '\\r')
rm -f "$MCP_HEADERS"
"""

_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")


def document(selection: Selection) -> Iterator[bytes]:
    """Yield the document, one entry at a time."""
    creator = encode({"name": "mcp-inspect", "version": __version__})
    yield b'{"log":{"version":"1.2","creator":' + creator + b',"entries":['
    comma = b"\n"
    for entry in _entries(selection):
        yield comma + encode(entry)
        comma = b",\n"
    remark = selection.notes.remark
    yield b"\n]" + (b',"comment":' + encode(remark) if remark else b"") + b"}}\n"


def _entries(selection: Selection) -> Iterator[dict[str, Any]]:
    for each in selection.carried():
        yield _http_entry(selection, each)
    answered: set[int] = set()
    chosen = set(selection.chosen) if len(selection.chosen) < selection.journal.count else None
    for frame in selection.frames():
        if frame.http is not None:
            continue
        if frame.n in answered:
            answered.discard(frame.n)
            continue
        exchange = _asked(selection, frame)
        answer = exchange.answer_frame if exchange is not None else None
        if answer is not None and answer > frame.n and (chosen is None or answer in chosen) and answer not in answered:
            answered.add(answer)
        else:
            answer = None
        yield _line_entry(selection, frame, answer)


def _asked(selection: Selection, frame: Frame) -> Exchange | None:
    """Return the exchange that a frame opens; None if the frame is not a single request."""
    number = selection.journal.store.exchange(frame.n)
    exchange = selection.journal.conversation.exchanges[number - 1] if number else None
    return exchange if exchange is not None and exchange.request_frame == frame.n else None


# HTTP exchanges


def _http_entry(selection: Selection, each: SelectedExchange) -> dict[str, Any]:
    request, response, end = (selection.http_fact(n) for n in (each.request, each.response, each.end))
    store = selection.journal.store
    first = each.request or next(each.entries)
    timings = _timings(selection, each, response.timing if response is not None else None)
    entry = {
        "startedDateTime": _date(store.wall_ns(first)),
        "time": round(sum(ms for name, ms in timings.items() if ms > 0 and name != "ssl"), 3),
        "request": _request(request, _body(selection, each.sent)),
        "response": _response(response, end, *_came(selection, each.received, response)),
        "cache": {},
        "timings": timings,
        "_mcp": {"exchange": each.http, "frames": [*each.sent, *each.received]},
    }
    if end is not None and end.why:
        entry["_error"] = end.why
    return entry | _comment(selection, each.entries)


def _comment(selection: Selection, entries: Iterable[int]) -> dict[str, str]:
    message = noted(selection.marks(entries))
    return {"comment": message} if message else {}


def _request(fact: HttpFact | None, body: bytes) -> dict[str, Any]:
    headers = fact.headers if fact is not None else ()
    url = fact.target if fact is not None else ""
    found: dict[str, Any] = {
        "method": (fact.method if fact is not None else "") or "GET",
        "url": url,
        "httpVersion": _version(fact),
        "cookies": [],
        "headers": _pairs(headers),
        "queryString": [{"name": name, "value": value} for name, value in _query(url)],
        "headersSize": -1,
        "bodySize": len(body),
    }
    if body:
        found["postData"] = _post_data(body, header(headers, "content-type") or _JSON)
    return found


def _post_data(body: bytes, kind: str) -> dict[str, Any]:
    try:
        return {"mimeType": kind, "text": body.decode()}
    except UnicodeDecodeError:  # HAR has no encoding for request bodies
        return {"mimeType": kind, "text": base64.b64encode(body).decode(), "_encoding": "base64"}


def _response(fact: HttpFact | None, end: HttpFact | None, body: bytes, is_stream: bool) -> dict[str, Any]:
    headers = fact.headers if fact is not None else ()
    kind = header(headers, "content-type") or ("text/event-stream" if is_stream else "x-unknown")
    content: dict[str, Any] = {"size": len(body), "mimeType": kind} | _text(body)
    if is_stream:
        content["comment"] = "made again from the events of the stream"
    return {
        "status": fact.status if fact is not None else 0,
        "statusText": fact.reason if fact is not None else "",
        "httpVersion": _version(fact),
        "cookies": [],
        "headers": _pairs(headers),
        "content": content,
        "redirectURL": header(headers, "location") or "",
        "headersSize": -1,
        "bodySize": end.body_bytes if end is not None and end.body_bytes is not None else -1,
    }


def _text(body: bytes) -> dict[str, Any]:
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode(), "encoding": "base64"}


def _body(selection: Selection, entries: list[int]) -> bytes:
    frames = (selection.journal.store.entry(n).what for n in entries)
    return b"".join(frame.payload for frame in frames if isinstance(frame, Frame))


def _came(selection: Selection, entries: list[int], response: HttpFact | None) -> tuple[bytes, bool]:
    """Return the received body, and whether it was an event stream."""
    found = [selection.journal.store.entry(n).what for n in entries]
    if not any(isinstance(each, SseNote) or _is_event(each) for each in found):
        return b"".join(each.payload for each in found if isinstance(each, Frame)), False
    return b"".join(_event(each) for each in found), True


def _is_event(what: object) -> bool:
    return isinstance(what, Frame) and what.channel in (Channel.SSE, Channel.GET)


def _event(what: object) -> bytes:
    if isinstance(what, SseNote):
        return what.raw + b"\n\n"
    if not isinstance(what, Frame):
        return b""
    facts, lines = what.sse, []
    if facts is not None:
        count = (("event", facts.event), ("id", facts.id), ("retry", facts.retry))
        lines = [f"{name}: {value}".encode("utf-8", "surrogatepass") for name, value in count if value is not None]
    lines += [b"data: " + line for line in what.payload.split(b"\n")]
    return b"\n".join(lines) + b"\n\n"


def _timings(selection: Selection, each: SelectedExchange, timing: HttpTiming | None) -> dict[str, float]:
    """Return timings in milliseconds, -1 if not applicable or unknown. `connect` includes `ssl`, as HAR requires."""
    time_ns = selection.journal.store.time_ns
    began, headed = time_ns(each.request) if each.request else None, time_ns(each.response) if each.response else None
    last = time_ns(each.end or max(each.entries))
    known = timing or HttpTiming()
    connect = (known.connect or 0) + (known.tls or 0) if known.connect is not None or known.tls is not None else None
    wait = known.wait if known.wait is not None else (headed - began if headed and began else None)
    return {
        "blocked": -1,
        "dns": _ms(known.lookup),
        "connect": _ms(connect),
        "ssl": _ms(known.tls),
        "send": max(0.0, _ms(known.send)),
        "wait": max(0.0, _ms(wait)),
        "receive": max(0.0, _ms(last - headed if headed else None)),
    }


# Other transports


def _line_entry(selection: Selection, frame: Frame, answer: int | None) -> dict[str, Any]:
    store = selection.journal.store
    what = store.entry(answer).what if answer is not None else None
    reply = what if isinstance(what, Frame) else None
    waited = max(0.0, _ms(reply.time_ns - frame.time_ns)) if reply is not None else 0.0
    carrier = _NOWHERE.get(frame.channel, str(frame.channel))
    content: dict[str, Any] = {"size": 0, "mimeType": "x-unknown"}
    if reply is not None:
        content = {"size": len(reply.payload), "mimeType": _JSON} | _text(reply.payload)
    return {
        "startedDateTime": _date(frame.wall_ns),
        "time": waited,
        "request": _bare_request(frame, carrier),
        "response": {
            "status": 200 if reply is not None else 0,
            "statusText": "answered" if reply is not None else "",
            "httpVersion": carrier,
            "cookies": [],
            "headers": [],
            "content": content,
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": len(reply.payload) if reply is not None else -1,
        },
        "cache": {},
        "timings": {"send": 0, "wait": waited, "receive": 0},
        "_mcp": {
            "transport": carrier,
            "direction": str(frame.direction),
            "frames": [frame.n] if reply is None else [frame.n, reply.n],
        },
    } | _comment(selection, (frame.n, reply.n if reply is not None else 0))


def _bare_request(frame: Frame, carrier: str) -> dict[str, Any]:
    return {
        "method": carrier.upper(),
        "url": f"{carrier}:{quote(_what(frame), safe='/')}",
        "httpVersion": carrier,
        "cookies": [],
        "headers": [],
        "queryString": [],
        "headersSize": -1,
        "bodySize": len(frame.payload),
        "postData": _post_data(frame.payload, _JSON),
    }


def _what(frame: Frame) -> str:
    first = read(frame.payload)[0]
    if isinstance(first, Request | Notification):
        return first.method.encode("utf-8", "replace").decode()[:200] or "unnamed"
    return type(first).__name__.lower()


# Helpers


def _date(wall_ns: int) -> str:
    try:
        return datetime.fromtimestamp(wall_ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return "1970-01-01T00:00:00.000Z"


def _ms(nanoseconds: int | None) -> float:
    return -1 if nanoseconds is None else round(nanoseconds / 1e6, 3)


def _pairs(headers: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:
        return []


def _version(fact: HttpFact | None) -> str:
    return (fact.version if fact is not None else "") or "unknown"


# curl commands


def commands(selection: Selection) -> Iterator[bytes]:
    """Yield the shell script; nothing if the capture has no HTTP requests."""
    is_first = True
    sessions: dict[str, str] = {}
    for each in selection.carried():
        command = _command(selection, each, sessions)
        if not command:
            selection.left_out += 1
            continue
        if is_first:
            yield _HEAD.encode()
            is_first = False
        yield command.encode("utf-8", "surrogateescape")


def _command(selection: Selection, each: SelectedExchange, sessions: dict[str, str]) -> str:
    """Return a command with its comment; "" if it can't be made.

    `sessions`: shell variables by recorded session id. A response that begins a session sets one, and later requests
    of that session use it, because the server begins another session when the script runs.
    """
    entry = selection.journal.store.entry(each.request) if each.request else None
    fact = selection.http_fact(each.request)
    if entry is None or fact is None or not fact.target or "\0" in fact.target:
        return ""
    frames = [what for what in (selection.journal.store.entry(n).what for n in each.sent) if isinstance(what, Frame)]
    body = b"".join(frame.payload for frame in frames)
    response = selection.http_fact(each.response)
    status = f" -> {response.status}" if response is not None else ""
    title = text.visible(f"entry {each.request}: {fact.method} {_methods(frames)}".rstrip(), limit=200)
    note = _body_note(body, each)
    session = sessions.get(header(fact.headers, _SESSION) or "", "")
    if session:
        others = tuple(pair for pair in fact.headers if pair[0].lower() != _SESSION)
        fact = msgspec.structs.replace(fact, headers=others)
    curl = as_curl(fact, body, reveal=selection.keep_secrets)
    if session:
        curl += f' \\\n  -H "Mcp-Session-Id: ${session}"'
    begun = header(response.headers, _SESSION) if response is not None else None
    if not begun or (session and begun in sessions):
        return f"\n# {title}{status}\n{note}{curl}\n"
    sessions[begun] = name = f"MCP_SESSION_ID{f'_{len(sessions) + 1}' if sessions else ''}"
    takes = _TAKES_SESSION.format(name=name)
    return f'\n# {title}{status}\n{note}MCP_HEADERS=$(mktemp)\n{curl} \\\n  -D "$MCP_HEADERS"\n{takes}'


def _methods(frames: list[Frame]) -> str:
    messages = (message for frame in frames for message in read(frame.payload))
    return ", ".join(each.method for each in messages if isinstance(each, Request | Notification))


def _body_note(body: bytes, each: SelectedExchange) -> str:
    try:
        is_text = "\0" not in body.decode()
    except UnicodeDecodeError:
        is_text = False
    numbers = ", ".join(map(str, each.sent))
    return "" if is_text else f"# its body is binary: write the bytes of entry {numbers} to body.bin first\n"


# JSON-RPC lines


def lines(selection: Selection) -> Iterator[bytes]:
    """Yield the chosen messages as lines. Other frames are skipped and counted."""
    for frame in selection.frames():
        if is_message(frame):
            yield frame.payload.translate(_LINE_ENDS) + b"\n"
        else:
            selection.left_out += 1
