"""One HTML page of a capture, to open in a browser without a network: a list with a search, and each message as a tree.

Its Content-Security-Policy allows the one style and the one script that we wrote, by their digests, and nothing else:
no request, no picture, no frame, no form. Data stand in it as JSON in which no `<` is left, and become text only.
"""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

from inspector.capture.export.page import SCRIPT, STYLE, shown
from inspector.capture.export.selection import Selection, is_message, noted
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import ConnectionFact, HttpFact, ProcessFact, SseNote, Stderr
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Notification, Request, encode, read

_WELL = (ExchangeState.ANSWERED, ExchangeState.PENDING)


def page(selection: Selection) -> Iterator[bytes]:
    """The page, an entry at a time."""
    yield _head(selection).encode("utf-8", "replace")
    yield b'<script type="application/json" id="data">{"entries":['
    comma = b""
    for n in selection.chosen:
        yield comma + _inert(encode(_row(selection, n)))
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
    return f"MCP session with {name[:100]}" if name else "MCP session"


def _remark(selection: Selection) -> str:
    said = "\n".join(map(_escaped, selection.notes.remark.splitlines()))
    return f'\n<p id="remark">{said}</p>' if said else ""


def _escaped(text: str) -> str:
    return shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _inert(document: bytes) -> bytes:
    """JSON in which no tag can begin or end; it means the same."""
    return document.replace(b"<", b"\\u003c")


def _row(selection: Selection, n: int) -> dict[str, Any]:
    """An entry as the script of the page takes it."""
    entry = selection.entry(n)
    after = (entry.time_ns - selection.journal.store.time_ns(1)) / 1e9
    kind, sign, title, raw = _told(entry.what)
    facts, bad = _facts(selection, n, entry.what)
    if kind == "answer" and (number := selection.journal.store.exchange(n)):
        exchange = selection.journal.conversation.exchanges[number - 1]
        title = f"answer to {exchange.method} {exchange.target}".rstrip()
    if said := noted(selection.marks((n,))):
        facts.append(f"note: {said}")
    return {
        "n": n,
        "note": said,
        "at": f"{after:.3f}",
        "kind": kind,
        "sign": sign,
        "title": title[:300],
        "raw": raw.decode("utf-8", "replace"),
        "facts": facts,
        "bad": bad,
    }


def _told(what: object) -> tuple[str, str, str, bytes]:
    match what:
        case Frame():
            kind, title = _message(what)
            return kind, "\u2192" if what.direction is Direction.TO_SERVER else "\u2190", title, what.payload
        case Stderr():
            return "stderr", "!", what.payload.decode("utf-8", "replace"), what.payload
        case HttpFact():
            said = (f"http {what.http} {what.event}", what.method, what.target, str(what.status or ""), what.why)
            headers = "\n".join(f"{name}: {value}" for name, value in what.headers)
            return "http", "\u00b7", " ".join(filter(None, said)), headers.encode("utf-8", "replace")
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
    """What is known of a frame beside its bytes, and whether something is wrong with it."""
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
