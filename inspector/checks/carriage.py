"""What HTTP teaches the scene: heads, streams, sessions, and where a login looked. No verdicts here.

A check is asked before what it was asked about is learned from, as with messages.
"""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from inspector.checks.scene import Asked, Case, Document, HttpLife, Scene, trim
from inspector.protocol import hosts
from inspector.protocol.facts import HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Notification, Request

SESSION = "mcp-session-id"
_MOST = 100
"""Refusals and documents of a login that are remembered."""
_DISTINCT = ("notifications/progress",)
"""Notifications that never come twice with the same words."""


def learned_head(scene: Scene, case: Case, fact: HttpFact) -> None:
    """A request, a response or the end of an exchange was judged."""
    life = case.life
    assert life is not None
    if fact.event is HttpEvent.RESPONSE:
        if fact.status in (401, 403) and len(scene.login.refusals) < _MOST and _is_of_the_server(scene, life):
            scene.login.refusals.append((case.n, fact.status, life.header("www-authenticate")))
        given = life.header(SESSION)
        if given is not None and 200 <= fact.status < 300:
            scene.mcp_session_id = given
    elif fact.event in (HttpEvent.END, HttpEvent.ERROR):
        for asked in life.asked:
            scene.listens.pop(asked.id, None)
        if life.request is not None and "/.well-known/" in life.request.target and len(scene.login.tried) < _MOST:
            scene.login.tried.append(Document(case.n, life.request.target, value_of(life, fact)))


def _is_of_the_server(scene: Scene, life: HttpLife) -> bool:
    """Whether an exchange is with the MCP server: it carried a message, or went to its URL. Others are of a login."""
    if life.asked or life.told:
        return True
    url = scene.connection.url if scene.connection is not None else ""
    return life.request is not None and bool(url) and life.request.target.partition("?")[0] == url.partition("?")[0]


def value_of(life: HttpLife, fact: HttpFact) -> Any:
    """The metadata document of an exchange of a login: a JSON object with status 200; None for anything else.

    Discovery tries several places, so an error with a JSON body is an ordinary "not here" (RFC 9728, section 3.2; RFC
    8414, section 3.2).
    """
    if life.response is None or life.response.status != 200:
        return None
    try:
        value = msgspec.json.decode(fact.document) if fact.document else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def learned_note(case: Case, note: SseNote) -> None:
    """An event without a message was judged."""
    life = case.life
    if life is not None:
        if note.id:
            life.has_ids = True
            life.was_primed = life.was_primed or not life.events
        life.retry = life.retry if note.retry is None else note.retry


def learned_event(life: HttpLife, frame: Frame) -> None:
    """A message came on a stream."""
    life.events += 1
    if frame.sse is not None:
        life.has_ids = life.has_ids or bool(frame.sse.id)
        life.retry = life.retry if frame.sse.retry is None else frame.sse.retry


def learned_answer(scene: Scene, asked: Asked, time_ns: int) -> None:
    """A request was answered, wherever the answer came."""
    life = scene.http.get(asked.http) if asked.http is not None else None
    if life is not None and all(each.answered is not None for each in life.asked):
        life.answered_ns = time_ns


def learned_distinct(scene: Scene, case: Case) -> None:
    """Remember where a message came that can't come twice."""
    if is_distinct(case) and case.frame is not None and case.frame.http is not None:
        scene.streamed.setdefault(hash(case.frame.payload), case.frame.http)
        trim(scene.streamed)


def is_distinct(case: Case) -> bool:
    """Whether it came on a stream, is short, and would not be sent twice by a server that sends it once."""
    frame, message = case.frame, case.message
    if frame is None or frame.sse is None or len(frame.payload) > 4096:
        return False
    return isinstance(message, Request) or (isinstance(message, Notification) and message.method in _DISTINCT)


def host_of(url: str) -> str:
    """The host of an address, in small letters; "" if it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    return hosts.is_loopback(host_of(url))
