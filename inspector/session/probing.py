"""Probes for `doctor`: requests that a server should reject or handle idempotently.

Every frame and every HTTP exchange is flagged as a probe. Nothing is judged here: the checks do that, from the
traffic. No existing tool is called. A server that does not respond costs a few seconds per probe; the probes end if
the connection is lost.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

from inspector.errors import InspectError
from inspector.protocol import jsonrpc, peek
from inspector.protocol.facts import Headers
from inspector.protocol.flows.steps import Flow, Replied, Reply, Send, Silent
from inspector.protocol.frames import Cause
from inspector.protocol.headers import headers_for
from inspector.protocol.probes import (
    CHARSET,
    CHUNKED,
    HOST,
    IN_TWO,
    ORIGIN,
    SESSION,
    VERSION,
    Probe,
    first_requests,
    later_lists,
    requests,
)
from inspector.protocol.request_meta import stamped
from inspector.protocol.revisions._shape import Carriage, Era, Revision
from inspector.protocol.revisions.table import newest_of
from inspector.protocol.tracking.subscriptions import StreamFilter
from inspector.session.options import SessionState
from inspector.session.session import Session
from inspector.transports.http.authorizing import Heard

_SILENCE_S, _PING_S, _PROBE_S, _BESIDE_S = 3.0, 2.0, 1.5, 0.7
"""Seconds to wait for a response: to an ordinary request, a ping, a probe, and probes that are sent side by side."""
_LATER_S = 2.0
"""Seconds after the first lists at which one that is empty or announced as changed is requested again."""
_FRAMING_S = 2.0
_PAUSE_S = 0.1
"""Seconds between head and body of a request, so that they arrive apart."""
_NOT_HERE, _MOVED = {404, 405}, {301, 302, 307, 308}
_USUAL_PATHS = ("/mcp", "/mcp/", "/", "/api/mcp", "/sse")
_ACCEPTS = {"Accept": "application/json, text/event-stream"}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_QUIET_S = 0.5
"""Seconds after the first lists in which a server that announces changes may begin to do so without end."""
Tell = Callable[[str], None]
"""Called with a short description before each probe."""


class _Http(Protocol):
    """What probes need of an HTTP transport."""

    url: str
    carriage: Carriage
    mcp_session_id: str | None

    async def probe(
        self, method: str, headers: Headers, body: bytes | None, url: str = "", *, pause_s: float = 0.0
    ) -> Heard: ...


class PlannedProbe(msgspec.Struct, frozen=True):
    """An HTTP exchange to make."""

    what: str
    method: str
    headers: Headers
    body: bytes | None = None
    url: str = ""
    """URL other than the server's; "" for the server's."""
    pause_s: float = 0.0
    """Seconds between its head and its body."""


async def probe(session: Session, tell: Tell) -> None:
    """Run all probes that apply to an open session."""
    assert session.opening is not None, "a session is probed after it was opened"
    capabilities = session.opening.capabilities
    lists = dict(session.journal.conversation.catalogue.listings)
    await _send_each(session, requests(_revision(session), capabilities, lists, silence_s=_PROBE_S), tell)
    if _revision(session).era is Era.MODERN:
        await _undeclared(session, tell)
    if session.transport.kind == "http":
        await _knock(session, tell, knocks(session))
    elif _revision(session).era is Era.MODERN and session.state is SessionState.OPEN:
        await _shake_hands(session, tell)


async def make_first_requests(session: Session, tell: Tell) -> None:
    """Make the requests without side effects that clients make first, apart from the lists, which were requested."""
    assert session.opening is not None, "requests follow the opening"
    capabilities = session.opening.capabilities
    lists = dict(session.journal.conversation.catalogue.listings)
    is_alone = session.transport.kind == "stdio" or (
        session.transport.kind == "http" and _http(session).mcp_session_id is not None
    )
    planned = first_requests(
        _revision(session), capabilities, lists, silence_s=_SILENCE_S, ping_s=_PING_S, is_alone=is_alone
    )
    listed_s = time.monotonic()
    await _send_each(session, planned, tell)
    await _listen_once(session, tell)
    if any(peek.flag(each, "listChanged") for each in capabilities.values()):
        await asyncio.sleep(max(0.0, listed_s + _QUIET_S - time.monotonic()))
    if later := later_lists(capabilities, session.journal.conversation.catalogue.listings, silence_s=_SILENCE_S):
        await asyncio.sleep(max(0.0, listed_s + _LATER_S - time.monotonic()))
        await _send_each(session, later, tell)


async def _listen_once(session: Session, tell: Tell) -> None:
    """Subscribe to the lists that may change, as clients of the stateless era do, and end that at once."""
    watching, wanted = session.watching, session.watching.offered()
    if not watching.by_stream or not wanted or _is_silent(session) or session.state is not SessionState.OPEN:
        return
    tell("subscriptions/listen")
    watching.cause, usual = Cause.CHECK, watching.cause
    try:
        await watching.listen(wanted)
        await watching.listen(StreamFilter())
    finally:
        watching.cause = usual


async def _send_each(session: Session, planned: Iterable[Probe], tell: Tell) -> None:
    """Send requests in sequence. After one without a response, the others are sent side by side."""
    is_silent, left = _is_silent(session), list(planned)
    while left and not is_silent and session.state is SessionState.OPEN:
        is_silent = await _is_unanswered(session, left.pop(0), tell)
    if session.state is SessionState.OPEN:
        await asyncio.gather(*(_is_unanswered(session, _impatient(each), tell) for each in left))


async def _is_unanswered(session: Session, planned: Probe, tell: Tell) -> bool:
    tell(planned.what)
    return isinstance(await session.perform(lambda revision: _one(planned.send)), Silent)


def _impatient(planned: Probe) -> Probe:
    """Return a probe with a shorter wait; other requests keep theirs."""
    if planned.send.cause is not Cause.PROBE:
        return planned
    return msgspec.structs.replace(planned, send=msgspec.structs.replace(planned.send, silence_s=_BESIDE_S))


def _is_silent(session: Session) -> bool:
    """Whether a ping, a list or a probe was not answered, so that further ones may not be; not the probe of the era."""
    unanswered = [each for each in session.journal.conversation.exchanges if each.answer_frame is None]
    return any(
        each.method.endswith(("ping", "/list")) or (each.probe and each.method != "server/discover")
        for each in unanswered
    )


async def probe_unopened(session: Session, tell: Tell) -> None:
    """Probe why a session did not open, while its transport still exists."""
    if session.transport.kind == "stdio" and session.journal.ended is None and session.journal.connection is not None:
        if any(each.answer_frame is not None for each in session.journal.conversation.exchanges):
            return  # it exchanges lines: other framing explains nothing, and may end it
        tell("messages with headers, as language servers send them")
        body = jsonrpc.write_request(session.raw.next_id(), "initialize", {})
        framed = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        await session.raw.send(framed, headers={}, wait_s=_FRAMING_S, cause=Cause.PROBE)
    elif session.transport.kind in ("http", "sse"):
        await _knock(session, tell, addresses(_http(session).url))
        await _knock(session, tell, _paths(session))


async def look_around(session: Session) -> None:
    """Try both loopback addresses of a local server that gave no response at all, and other paths if none is here."""
    if session.transport.kind in ("http", "sse"):
        is_reached = any(each.response is not None for each in session.journal.http_exchanges.values())
        places = _paths(session) if is_reached else addresses(_http(session).url)
        await _knock(session, lambda what: None, places)


def _revision(session: Session) -> Revision:
    assert session.revision is not None, "a session is probed after it was opened"
    return session.revision


def _http(session: Session) -> _Http:
    return session.transport  # type: ignore[return-value]


async def call_once(session: Session, tool: str, arguments: Any, schema: Any, *, silence_s: float) -> Reply:
    """Call a tool once: no retry, no answers to input requests in the result, no task.

    Waits up to `silence_s` for a response, then cancels the call. Nothing that the server causes is raised.
    """
    params = {"name": tool, "arguments": arguments}
    send = Send("tools/call", params, cause=Cause.PROBE, silence_s=silence_s, input_schema=schema)
    reply = await session.perform(lambda revision: _one(send))
    if isinstance(reply, Silent) and reply.exchange is not None:
        await session.cancel(reply.exchange, f"no response within {silence_s:g} s")
    return reply


async def call_without_meta(session: Session, tool: str, arguments: Any) -> None:
    """Repeat a call that was rejected, without the `_meta` that clients add: some servers reject any other member.

    In the stateless era `_meta` is required.
    """
    if _revision(session).era is Era.LEGACY and session.state is SessionState.OPEN:
        await call_once(session, tool, arguments, None, silence_s=_SILENCE_S)


async def show_what_waits(session: Session, called: Reply) -> None:
    """Request a list if a call has no response, over HTTP: it shows whether the call blocks all others."""
    if isinstance(called, Silent) and session.transport.kind == "http" and session.state is SessionState.OPEN:
        reply = await session.perform(lambda revision: _one(Send("tools/list", cause=Cause.PROBE, silence_s=_PING_S)))
        if isinstance(reply, Silent) and reply.exchange is not None:
            await session.cancel(reply.exchange, f"no response within {_PING_S:g} s")


async def responds(session: Session, *, silence_s: float) -> bool:
    """Return whether the server still responds to a request, here `tools/list`, within `silence_s`."""
    send = Send("tools/list", cause=Cause.PROBE, silence_s=silence_s)
    return isinstance(await session.perform(lambda revision: _one(send)), Replied)


def _one(send: Send) -> Flow[Reply]:
    reply: Reply = yield send
    return reply


async def _undeclared(session: Session, tell: Tell) -> None:
    """Send a request that does not declare its revision."""
    tell("a request without _meta")
    payload = jsonrpc.write_request(session.raw.next_id(), "tools/list")
    headers = headers_for(_revision(session), "tools/list", {}) if session.transport.kind == "http" else {}
    await session.raw.send(payload, headers=headers, wait_s=_SILENCE_S, cause=Cause.PROBE)


async def _shake_hands(session: Session, tell: Tell) -> None:
    """Send a handshake. This is the last probe: a server of both eras may stay in the handshake era."""
    tell("a handshake, as older clients begin")
    newest = newest_of(Era.LEGACY)
    client = session.options.connect.client
    params = {"protocolVersion": newest.date, "capabilities": client.capabilities(newest), "clientInfo": client.info}
    payload = jsonrpc.write_request(session.raw.next_id(), "initialize", params)
    await session.raw.send(payload, headers={}, wait_s=_SILENCE_S, cause=Cause.PROBE)


async def _knock(session: Session, tell: Tell, found: Iterator[PlannedProbe]) -> None:
    """Make HTTP exchanges in sequence, or side by side with a server that does not respond to everything."""

    async def make(knock: PlannedProbe) -> None:
        tell(knock.what)
        with suppress(InspectError, TimeoutError):  # a missing response is visible in the traffic
            async with asyncio.timeout(_BESIDE_S if is_silent else _SILENCE_S):
                await _http(session).probe(knock.method, knock.headers, knock.body, knock.url, pause_s=knock.pause_s)

    is_silent = _is_silent(session)
    if is_silent:
        await asyncio.gather(*map(make, found))
        return
    for each in found:
        await make(each)


def knocks(session: Session) -> Iterator[PlannedProbe]:
    """Yield the probes over HTTP. Each differs from the session's own requests in one thing."""
    http, revision = _http(session), _revision(session)
    plain = _plain(session)
    later = _post(session, "a body in a second packet", plain | {IN_TWO: "in a second packet"})
    yield msgspec.structs.replace(later, pause_s=_PAUSE_S)
    yield _post(
        session, "a Content-Type with a charset", plain | {"Content-Type": f"{plain['Content-Type']}; {CHARSET}"}
    )
    yield _post(session, "a body in chunks", plain | {"Transfer-Encoding": CHUNKED})
    if revision.version_header:
        yield _post(session, "an unknown protocol version", plain | {"MCP-Protocol-Version": VERSION})
    if http.mcp_session_id is not None:
        yield _post(session, "an unknown session ID", plain | {"Mcp-Session-Id": SESSION})
    if http.carriage is Carriage.STATELESS:
        version = {name: value for name, value in plain.items() if name == "MCP-Protocol-Version"}
        headers = {"Accept": "text/event-stream"} | version
        yield PlannedProbe("GET instead of POST", "GET", tuple(headers.items()))
    if urlsplit(http.url).hostname in _LOOPBACK:
        yield _post(session, "a foreign Origin header", plain | {"Origin": ORIGIN})
        yield _post(session, "an unknown Host header", plain | {"Host": HOST})
    yield PlannedProbe("a CORS preflight request", "OPTIONS", _preflight())
    yield from addresses(http.url)


def _paths(session: Session) -> Iterator[PlannedProbe]:
    """Yield a request to each usual path, and to those near that of the session, if nothing is there."""
    pairs = ((each.request, each.response) for each in session.journal.http_exchanges.values())
    statuses = {b.status for a, b in pairs if a and b and a.method == "POST" and not a.probe}
    if not statuses & _NOT_HERE or statuses - _NOT_HERE - _MOVED:
        return
    parts = urlsplit(_http(session).url)
    own = parts.path.rstrip("/")
    near = (f"{own}/", own, f"{own}/mcp", f"{own}/sse", own.rpartition("/")[0])
    headers = (*_ACCEPTS.items(), ("Content-Type", "application/json"))
    for path in dict.fromkeys((*near, *_USUAL_PATHS)):
        if path and path != parts.path:
            url, is_older = parts._replace(path=path, query="").geturl(), path.endswith("/sse")
            body = None if is_older else jsonrpc.write_request(session.raw.next_id(), "ping")
            yield PlannedProbe(f"the path {path}", "GET" if is_older else "POST", headers, body, url)


def addresses(url: str) -> Iterator[PlannedProbe]:
    """Yield a probe of each numeric loopback address, for a local server."""
    parts = urlsplit(url)
    if parts.hostname not in _LOOPBACK or parts.scheme != "http":
        return
    for host in ("127.0.0.1", "[::1]"):
        there = parts._replace(netloc=f"{host}:{parts.port or 80}").geturl()
        yield PlannedProbe(f"the address {host}", "OPTIONS", (), url=there)


def _plain(session: Session) -> dict[str, str]:
    """Return the headers of the session's own requests."""
    http, method = _http(session), _harmless(_revision(session))
    headers = _ACCEPTS | {"Content-Type": "application/json"}
    headers |= headers_for(_revision(session), method, {})
    return headers if http.mcp_session_id is None else headers | {"Mcp-Session-Id": http.mcp_session_id}


def _harmless(revision: Revision) -> str:
    return "ping" if "ping" in revision.client_requests else "server/discover"


def _post(session: Session, what: str, headers: Mapping[str, str]) -> PlannedProbe:
    revision = _revision(session)
    params = stamped(revision, None, session.options.connect.client)
    body = jsonrpc.write_request(session.raw.next_id(), _harmless(revision), params)
    return PlannedProbe(what, "POST", tuple(headers.items()), body)


def _preflight() -> Headers:
    wanted = "content-type, authorization, mcp-session-id, mcp-protocol-version"
    return (("Origin", ORIGIN), ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", wanted))
