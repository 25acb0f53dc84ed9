"""Responses that are too large or nested too deeply to be read, and the requests that they answer.

They are not parsed as messages, even if their beginning looks like one. Most have a readable id near the start or
the end, so a caller that waits for such a response gets an error instead of a timeout. Only a member of the message
itself counts, never one inside its result.
"""

import re

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Channel, Frame
from inspector.protocol.jsonrpc import Message, Notification, NotJsonRpc, Request, RequestId, read
from inspector.protocol.tracking.exchanges import Pairs
from inspector.text import lazy_pattern

_ECHO = "a request or notification, where only a response can be"
KEPT = 64 * 1024
"""Bytes kept from the beginning of a message over the limit."""
_LOOKED_AT = 64 * 1024
"""Bytes at either end of a response that are searched for its id."""
_WEIGHED = 64 * 1024 * 1024
"""Maximum size in bytes for checking that the last brace closes the message."""
_STRING = rb'"(?:[^"\\\x00-\x1f]|\\.)*"'
_SCALAR = _STRING + rb"|-?\d[\d.eE+-]{0,40}|true|false|null"
_MEMBER = lazy_pattern(rb"\s*(" + _STRING + rb")\s*:\s*")
_SIMPLE = lazy_pattern(_SCALAR)
_WHOLE_STRING = rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
"""A string, also one that does not end. So no text is read again from a later quote in it."""
_WHOLE_STRINGS = lazy_pattern(_WHOLE_STRING, re.DOTALL)
_BRACKETS = lazy_pattern(_WHOLE_STRING + rb"|[{}\[\]]", re.DOTALL)
_LAST = lazy_pattern(
    rb',\s*"id"\s*:\s*(' + _SCALAR + rb")\s*(?:,\s*" + _STRING + rb"\s*:\s*(?:" + _SCALAR + rb")\s*){0,3}\}\s*$"
)


def messages_of(frame: Frame) -> tuple[Message, ...]:
    """Return the messages of a frame; an invalid one if it was cut, or is a request in the HTTP body of a response."""
    found = (NotJsonRpc(reason(frame)),) if frame.cut else read(frame.payload)
    if frame.channel is Channel.REPLY:
        return tuple(NotJsonRpc(_ECHO) if isinstance(each, Request | Notification) else each for each in found)
    return found


def reason(frame: Frame) -> str:
    """Return what is wrong with a frame that was cut, as a phrase."""
    return f"a message of {len(frame.payload) + frame.cut:,} bytes, which is over the limit; its beginning is kept"


def is_unreadable(frame: Frame, messages: tuple[Message, ...]) -> bool:
    """Return whether a frame may be a response that is too long or too deep to be read."""
    return bool(frame.cut) or (type(messages[0]) is NotJsonRpc and messages[0].unread)


def lose_answered(frame: Frame, message: Message, pairs: Pairs) -> Exchange | None:
    """Mark the request of an unreadable response as lost, and return it; None if the frame names no open one."""
    id_ = answered_id(frame)
    exchange = None if id_ is None else pairs.find_open(frame.direction.opposite, id_, frame.http)
    if exchange is not None:
        pairs.end_from_server(exchange, frame.time_ns, _why(frame, message))
    return exchange


def answered_id(frame: Frame) -> RequestId | None:
    """Return the id in an unreadable response, if found at its beginning or its end."""
    payload = frame.payload
    id_, kind = _beginning(payload[:_LOOKED_AT])
    if kind not in ("result", "error"):
        return None
    if id_ is None and not frame.cut:
        found = _LAST.search(payload, max(0, len(payload) - _LOOKED_AT))
        id_ = _read(found.group(1)) if found is not None and _is_closed(payload) else None
    return peek.request_id(id_)


def _why(frame: Frame, message: Message) -> str:
    if frame.cut:
        whole = len(frame.payload) + frame.cut
        return f"its answer has {whole:,} bytes, which is over the limit; --max message=SIZE raises it"
    text = message.reason if isinstance(message, NotJsonRpc) else ""
    return f"its response can't be read: {text}"


def _beginning(payload: bytes) -> tuple[int | float | str | None, str]:
    """Return the id, if it precedes the payload, and the payload's member: "result", "error" or "method"; "" if none.

    Other members are skipped, including objects and arrays that end within the searched part.
    """
    begin = re.match(rb"(?:\xef\xbb\xbf)?\s*\{", payload)
    at, id_ = begin.end() if begin is not None else len(payload), None
    while (member := _MEMBER.match(payload, at)) is not None:
        name, at = _read(member.group(1)), member.end()
        if name in ("result", "error", "method"):
            return id_, str(name)
        simple = _SIMPLE.match(payload, at)
        if name == "id":
            id_ = _read(simple.group()) if simple is not None else None
        at = simple.end() if simple is not None else _behind(payload, at)
        comma = re.compile(rb"\s*,").match(payload, at)
        at = comma.end() if comma is not None else len(payload)
    return id_, ""


def _behind(payload: bytes, at: int) -> int:
    """Return the end of the object or array that begins here; the end of the payload if it is not closed."""
    depth = 0
    for found in _BRACKETS.finditer(payload, at):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(found.group(), 0)
        if not depth:
            return found.end()
    return len(payload)


def _is_closed(payload: bytes) -> bool:
    """Return whether all brackets are closed. Then the last brace is that of the message."""
    if len(payload) > _WEIGHED:
        return False
    bare = _WHOLE_STRINGS.sub(b"", payload)
    return bare.count(b"{") == bare.count(b"}") and bare.count(b"[") == bare.count(b"]")


def _read(token: bytes) -> int | float | str | None:
    found = peek.decoded(token)
    return found if type(found) in (int, float, str) else None
