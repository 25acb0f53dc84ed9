"""Journals to be exported: samples, and an HTTP exchange with secrets in it."""

import json
from collections.abc import Callable, Iterator

from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.features.export.selection import Selection
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, HttpTiming, SseNote
from inspector.protocol.frames import Channel, Direction, SseFacts
from tests.captures.record import sample
from tests.present.tape import Tape

PLANTED = ("ghp_headersecret", "urlsecret", "sess-7", "cookiesecret")
REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it\'s $(rm -rf)"}}'
PROGRESS = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"\xc3\xa9"}}'
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'


def all_of(journal: Journal, *, keep_secrets: bool = False) -> Selection:
    return Selection(journal, range(1, journal.count + 1), keep_secrets=keep_secrets)


def written(write: Callable[[Selection], Iterator[bytes]], name: str) -> bytes:
    """A sample, exported."""
    journal = load(sample(name))
    try:
        return b"".join(write(all_of(journal)))
    finally:
        journal.close()


def secretive() -> Journal:
    """One call over HTTP, answered by a stream."""
    tape = Tape(http=True)
    journal = tape.journal
    url = f"https://u:{PLANTED[1]}@example.com/mcp?api_key={PLANTED[1]}&q=1"
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=url))
    headers = (
        ("Authorization", f"Bearer {PLANTED[0]}"),
        ("Mcp-Session-Id", PLANTED[2]),
        ("Content-Type", "application/json"),
        ("X-Plain", "it's"),
    )
    journal.fact(HttpFact(HttpEvent.REQUEST, 1, method="POST", target=url, headers=headers))
    journal.frame(Direction.TO_SERVER, Channel.POST, REQUEST, http=1)
    tape.wait(20)
    came = (("Content-Type", "text/event-stream"), ("Set-Cookie", f"a={PLANTED[3]}"), ("Set-Cookie", "b=2"))
    timing = HttpTiming(connect=2_000_000, tls=3_000_000, send=1_000_000, wait=20_000_000)
    journal.fact(HttpFact(HttpEvent.RESPONSE, 1, status=200, version="HTTP/1.1", headers=came, timing=timing))
    journal.fact(SseNote(1, b": hello"))
    journal.frame(Direction.FROM_SERVER, Channel.SSE, PROGRESS, http=1, sse=SseFacts("message", "7"))
    journal.frame(Direction.FROM_SERVER, Channel.SSE, ANSWER, http=1)
    tape.wait(5)
    journal.fact(HttpFact(HttpEvent.END, 1, body_bytes=300))
    return journal


def names_of(data: bytes) -> list[str]:
    """The planted secrets that can be found in it."""
    return [each for each in PLANTED if each.encode() in data]


def parsed(data: bytes) -> list[object]:
    return [json.loads(line) for line in data.splitlines()]
