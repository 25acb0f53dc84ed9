"""Export to one offline HTML page: a searchable list, each message as a tree.

Its Content-Security-Policy allows only our style and our script, identified by their digests, and nothing else: no
request, image, frame or form. Data is embedded as JSON without any `<`, and is rendered only as text.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.capture.format.records import Entry
from inspector.features.export.selection import Selection, is_message, noted
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import ConnectionFact, HttpFact, ProcessFact, SseNote, Stderr
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Notification, Request, encode, read
from inspector.text import cut

# Style and script of the page. Data is embedded as JSON and rendered only as text.

_RANGES = (
    *((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160)),
    *((0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800)),
    *((0x3164, 0x3164), (0xD800, 0xDFFF), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB)),
    *((0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Characters that act on a text or of which nothing is seen: controls but newline and tab, marks of direction, joiners,
fillers, selectors, tags, halves of surrogate pairs (Unicode: Cc, Cf, Cs, Zl, Zp, Default_Ignorable_Code_Point)."""
_INVISIBLE = re.compile("[" + "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in _RANGES) + "]")
_WELL = (ExchangeState.ANSWERED, ExchangeState.PENDING)


def shown(text: str) -> str:
    """Replace invisible characters in a text by their numbers, `‹U+202E›`; the page's script does the same."""
    return _INVISIBLE.sub(lambda found: f"\u2039U+{ord(found[0]):04X}\u203a", text)


def _beside(name: str) -> str:
    return "\n" + Path(__file__).with_name(name).read_text("utf-8")


STYLE = _beside("page.css")

SCRIPT = _beside("page.js").replace(
    "INVISIBLE", "".join(f"\\u{{{first:x}}}-\\u{{{last:x}}}" for first, last in _RANGES)
)


def page(selection: Selection) -> Iterator[bytes]:
    """Yield the page, one entry at a time."""
    yield _head(selection).encode("utf-8", "replace")
    yield b'<script type="application/json" id="data">{"entries":['
    comma = b""
    for entry in selection.all():
        yield comma + _inert(encode(_row(selection, entry)))
        comma = b",\n"
    yield f"]}}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n".encode()


def _head(selection: Selection) -> str:
    policy = (
        f"default-src 'none'; script-src '{_digest(SCRIPT)}'; style-src '{_digest(STYLE)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = _escaped(_title(selection))
    kinds = ("request", "answer", "notification", "other", "http", "stderr", "event")
    options = "".join(f"<option>{kind}</option>" for kind in kinds)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<header><h1>{title}</h1>
<input id="find" type="search" placeholder="words to find" aria-label="Find" autofocus>
<select id="kind" aria-label="Kind"><option value="">all</option><option value="error">what went wrong</option>
{options}</select>
<span id="count" class="soft"></span>{_remark(selection)}</header>
<main><div id="list"></div><div id="detail"></div></main>
"""


def _title(selection: Selection) -> str:
    opening = selection.journal.conversation.opening
    name = peek.text(opening.server, "name") if opening is not None else None
    return f"MCP session with {cut(name, 100)}" if name else "MCP session"


def _remark(selection: Selection) -> str:
    message = "\n".join(map(_escaped, selection.notes.remark.splitlines()))
    return f'\n<p id="remark">{message}</p>' if message else ""


def _escaped(text: str) -> str:
    return shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _inert(document: bytes) -> bytes:
    """Return equivalent JSON in which no tag can begin or end."""
    return document.replace(b"<", b"\\u003c")


def _row(selection: Selection, entry: Entry) -> dict[str, Any]:
    """Return an entry in the form that the page's script expects."""
    n = entry.n
    after = (entry.time_ns - selection.journal.store.time_ns(1)) / 1e9
    kind, sign, title, raw = _cells_of(entry.what)
    facts, bad = _facts(selection, n, entry.what)
    if kind == "answer" and (number := selection.journal.store.exchange(n)):
        exchange = selection.journal.conversation.exchanges[number - 1]
        title = f"answer to {exchange.method} {exchange.target}".rstrip()
    if message := noted(selection.marks((n,))):
        facts.append(f"note: {message}")
    return {
        "n": n,
        "note": message,
        "at": f"{after:.3f}",
        "kind": kind,
        "sign": sign,
        "title": title[:300],
        "raw": raw.decode("utf-8", "replace"),
        "facts": facts,
        "bad": bad,
    }


def _cells_of(what: object) -> tuple[str, str, str, bytes]:
    match what:
        case Frame():
            kind, title = _message(what)
            return kind, "\u2192" if what.direction.is_towards_server else "\u2190", title, what.payload
        case Stderr():
            return "stderr", "!", what.payload.decode("utf-8", "replace"), what.payload
        case HttpFact():
            texts = (f"http {what.http} {what.event}", what.method, what.target, str(what.status or ""), what.why)
            headers = "\n".join(f"{name}: {value}" for name, value in what.headers)
            return "http", "\u00b7", " ".join(filter(None, texts)), headers.encode("utf-8", "replace")
        case ConnectionFact():
            gist = (f"{what.transport} {what.event}", what.url or " ".join(what.argv), what.why)
            return "event", "\u25c6", " ".join(filter(None, gist)), b""
        case ProcessFact():
            code = "" if what.code is None else f"code {what.code}"
            return "event", "\u25c6", " ".join(filter(None, (f"process {what.event}", code, what.signal))), b""
        case SseNote():
            return "http", "\u00b7", f"http {what.http} stream note", what.raw
    return "other", "", "", b""


def _message(frame: Frame) -> tuple[str, str]:
    first = read(frame.payload)[0]
    if isinstance(first, Request | Notification):
        named = peek.text(first.params, "name") or peek.text(first.params, "uri") or ""
        kind = "request" if isinstance(first, Request) else "notification"
        return kind, f"{first.method} {named}".rstrip()
    if is_message(frame):
        return "answer", "answer"
    return "other", f"no JSON-RPC: {frame.payload[:200].decode('utf-8', 'replace')}"


def _facts(selection: Selection, n: int, what: object) -> tuple[list[str], bool]:
    """Return the known facts of a frame besides its bytes, and whether something is wrong with it."""
    if not isinstance(what, Frame):
        return [], False
    found = [f"{len(what.payload):,} bytes over {what.channel}" + (f", HTTP exchange {what.http}" if what.http else "")]
    bad = not is_message(what)
    if number := selection.journal.store.exchange(n):
        exchange = selection.journal.conversation.exchanges[number - 1]
        bad = bad or exchange.state not in _WELL or exchange.tool_error
        state = "tool error" if exchange.tool_error else str(exchange.state)
        took = "" if exchange.duration_ns is None else f" after {exchange.duration_ns / 1e6:,.3f} ms"
        found.append(f"{exchange.method}, entry {exchange.request_frame}: {state}{took}")
        if exchange.answer_frame is not None and exchange.answer_frame != n:
            found.append(f"answered by entry {exchange.answer_frame}")
        if exchange.why:
            found.append(exchange.why)
    return found, bad
