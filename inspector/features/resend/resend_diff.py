"""Resends one request and compares the new response with the old one."""

from collections.abc import Collection
from typing import Any

import msgspec

from inspector.capture.compare.differences import essence
from inspector.capture.compare.normal import Normal
from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Silent
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.json_diff import MOST, differences
from inspector.protocol.jsonrpc import ErrorResponse, Message, Request, ResultResponse, encode, read
from inspector.protocol.listed_items import Tool

_OPENINGS = {"initialize", "server/discover"}
_PATHS = 3
"""Maximum number of places in a toast."""


class RecordedRequest(msgspec.Struct, frozen=True):
    method: str
    target: str
    params: Any
    """Recorded params without members that a session adds itself."""
    before: Any
    """Recorded result or error; None if there was no response."""

    @property
    def quoted(self) -> str:
        """The params as JSON. Untrusted text."""
        return "" if self.params is None else encode(self.params).decode("utf-8", "replace")


def again(journal: Journal, n: int) -> RecordedRequest | str:
    """Return the request that entry n belongs to, or a sentence that explains why it can't be resent."""
    number = journal.store.exchange(n) if 0 < n <= journal.count else 0
    if not number:
        return "This line belongs to no request."
    exchange = journal.conversation.exchanges[number - 1]
    if exchange.sender is not Direction.TO_SERVER:
        return "This is a server request. Only client requests can be sent again."
    if exchange.method in _OPENINGS:
        return f"{exchange.method} opens a session, and this one is open: ^r opens a new one."
    request = next((each for each in _messages(journal, exchange.request_frame) if _is(each, exchange)), None)
    if not isinstance(request, Request):
        return "The message can't be read back."
    params = essence(exchange.method, request.params)
    return RecordedRequest(exchange.method, exchange.target, params, _answer(journal, exchange))


def may_destroy(asked: RecordedRequest, tools: Collection[Tool]) -> bool:
    """Return whether a tool is called that does not declare itself non-destructive."""
    tool = next((each for each in tools if each.name == peek.text(asked.params, "name")), None)
    if asked.method != "tools/call" or (tool is not None and tool.read_only):
        return False
    return tool is None or peek.flag(tool.raw, "annotations", "destructiveHint") is not False


def outcome(asked: RecordedRequest, called: Called) -> str:
    """Compare the current response with the recorded one in one sentence, which may quote the server."""
    reply = called.reply
    match reply:
        case Replied():
            return _beside(asked, _value(reply.message))
        case Silent():
            return f"No answer came within {reply.seconds:g} s."
        case Refused():
            return f"It was refused: HTTP {reply.status}." if reply.status else f"No answer came: {reply.why}."
        case Broken():
            return f"No answer came: {reply.why}."
        case GivenUp():
            return "It was given up."


def _beside(asked: RecordedRequest, after: Any) -> str:
    if asked.before is None:
        return "An answer came; there was none before."
    normal = Normal()
    found = differences(normal(asked.before), normal(after))
    if not found:
        return "Identical response."
    paths = ", ".join(each.path or "(root)" for each in found[:_PATHS])
    many = f"{MOST}+" if len(found) > MOST else str(len(found))
    more = f" and {len(found) - _PATHS} more" if _PATHS < len(found) <= MOST else ""
    return f"{many} {'place differs' if len(found) == 1 else 'places differ'} from before: {paths}{more}."


def _messages(journal: Journal, n: int) -> tuple[Message, ...]:
    what = journal.store.entry(n).what
    return read(what.payload) if isinstance(what, Frame) else ()


def _is(message: Message, exchange: Exchange) -> bool:
    return isinstance(message, Request | ResultResponse | ErrorResponse) and message.id == exchange.id


def _answer(journal: Journal, exchange: Exchange) -> Any:
    if exchange.answer_frame is None:
        return None
    found = next((each for each in _messages(journal, exchange.answer_frame) if _is(each, exchange)), None)
    return _value(found) if isinstance(found, ResultResponse | ErrorResponse) else None


def _value(message: ResultResponse | ErrorResponse) -> Any:
    return {"result": message.result} if isinstance(message, ResultResponse) else {"error": message.error}
