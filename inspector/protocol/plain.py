"""The fold of plain traffic, leaner: what it does is what `Conversation.observe` does, without telling what it meant.

Whoever reads a long recording needs no events, only what became of the conversation and one line of columns. Plain are
notifications, calls of tools and their results with which nothing is unusual; of a call's arguments and of a result's
content no objects are made. All else is not taken here: whoever asks gives it to the conversation as a frame.
"""

from typing import NamedTuple

import msgspec

from inspector.protocol.conversation import Conversation
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.tracking.subscriptions import TELLING_OF_CHANGES
from inspector.protocol.tracking.tasks import TELLING
from inspector.protocol.visits import COMPLETE

REQUEST, NOTIFICATION, ANSWER = 1, 2, 3
_PROGRESS, _CALL = "notifications/progress", "tools/call"
_TELLING = frozenset({_PROGRESS, "notifications/cancelled", COMPLETE, *TELLING, *TELLING_OF_CHANGES})
"""Notifications that the fold takes note of."""
_TO_SERVER, _FROM_SERVER = Direction.TO_SERVER, Direction.FROM_SERVER
_PENDING = ExchangeState.PENDING
_UNUSUAL = (msgspec.DecodeError, UnicodeError, RecursionError)
_UNSET = msgspec.UNSET
_Absent = msgspec.Raw | msgspec.UnsetType


class Taken(NamedTuple):
    """What was taken in."""

    kind: int
    """REQUEST, NOTIFICATION or ANSWER."""
    method: str = ""
    exchange: int = 0
    """The number of the exchange that it belongs to; 0 for none."""


class _Meta(msgspec.Struct, gc=False):
    progressToken: int | str | msgspec.UnsetType = _UNSET  # noqa: N815, the name on the wire
    revision: _Absent = msgspec.field(default=_UNSET, name="io.modelcontextprotocol/protocolVersion")


class _Params(msgspec.Struct, gc=False):
    """Of a call what the fold must know and what makes it unusual; of progress all. Of other methods' nothing."""

    progressToken: int | str | msgspec.UnsetType = _UNSET  # noqa: N815
    progress: int | float | msgspec.UnsetType = _UNSET
    total: int | float | None = None
    message: str = ""
    name: str = ""
    meta: _Meta | msgspec.UnsetType = msgspec.field(default=_UNSET, name="_meta")
    task: _Absent = _UNSET
    inputResponses: _Absent = _UNSET  # noqa: N815
    requestState: _Absent = _UNSET  # noqa: N815


class _Head(msgspec.Struct, gc=False):
    """The beginning of a result."""

    isError: bool = False  # noqa: N815
    resultType: str = ""  # noqa: N815


class _Message(msgspec.Struct, gc=False):
    """A message in one look: what is not as it is named here is unusual."""

    jsonrpc: str
    id: int | str | msgspec.UnsetType = _UNSET
    method: str | msgspec.UnsetType = _UNSET
    params: _Params | msgspec.UnsetType = _UNSET
    result: _Head | msgspec.UnsetType = _UNSET
    error: _Absent = _UNSET


_decode = msgspec.json.Decoder(_Message).decode


class PlainFold:
    """A conversation, told of plain messages."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._exchanges = conversation.exchanges
        self._pairs = conversation.pairs
        self._progress = conversation.progress
        self._operations = conversation.operations
        self._calls: set[int] = set()
        """Numbers of calls that were taken here and not answered since."""

    def take(self, payload: str, n: int, time_ns: int, direction: Direction, *, http: bool = False) -> Taken | None:
        """Take in a frame that is one plain message; None for any other, of which nothing was taken in.

        `http` is for one that belongs to an HTTP exchange, or to a probe: of those only notifications are plain.
        """
        try:
            message = _decode(payload)
        except _UNUSUAL:
            return None
        if message.jsonrpc != "2.0" or message.error is not _UNSET:
            return None
        id_, method = message.id, message.method
        if id_ is _UNSET:
            if message.result is not _UNSET:
                return None
            if method == _PROGRESS:
                return self._progressed(message.params, n, time_ns, direction)
            return None if method is _UNSET or method in _TELLING else Taken(NOTIFICATION, method)
        if http:
            return None
        if direction is _TO_SERVER:
            return self._called(message, id_, n, time_ns)
        return self._answered(message, id_, n, time_ns, payload)

    def _progressed(
        self, params: "_Params | msgspec.UnsetType", n: int, time_ns: int, direction: Direction
    ) -> Taken | None:
        if params is _UNSET or params.progress is _UNSET or params.progressToken is _UNSET:
            return None
        asker = _FROM_SERVER if direction is _TO_SERVER else _TO_SERVER
        exchange = self._progress.told_plainly(
            asker, params.progressToken, params.progress, params.total, params.message, n, time_ns
        )
        if exchange is None:
            return None
        if exchange.state is not _PENDING:
            self._exchanges.keep(exchange, shown=False)
        return Taken(NOTIFICATION, _PROGRESS, exchange.number)

    def _called(self, message: _Message, id_: RequestId, n: int, time_ns: int) -> Taken | None:
        if message.method != _CALL or message.result is not _UNSET:
            return None
        call, opening = message.params, self._conversation.opening
        if call is _UNSET or not call.name or not _is_plain(call):
            return None
        number = len(self._exchanges) + 1
        revision = None if opening is None else opening.revision.date
        exchange = Exchange(number, _TO_SERVER, id_, _CALL, call.name, n, time_ns, revision)
        self._pairs.begin(exchange)
        if call.meta is not _UNSET and call.meta.progressToken is not _UNSET:
            self._progress.given(exchange, call.meta.progressToken)
        self._operations.begin(exchange)
        self._calls.add(number)
        return Taken(REQUEST, _CALL, number)

    def _answered(self, message: _Message, id_: RequestId, n: int, time_ns: int, payload: str) -> Taken | None:
        head = message.result
        if head is _UNSET or message.method is not _UNSET:
            return None
        exchange = self._pairs.find_open(_TO_SERVER, id_)
        if exchange is None or exchange.number not in self._calls or self._conversation.opening is None:
            return None
        if head.resultType not in ("", "complete") or '"task' in payload:
            return None
        self._calls.discard(exchange.number)
        self._pairs.answered(exchange, n, time_ns)
        exchange.tool_error = head.isError
        self._exchanges.keep(exchange, shown=False)
        return Taken(ANSWER, "", exchange.number)


def _is_plain(call: _Params) -> bool:
    """Whether nothing about a call is unusual."""
    odd = call.task is not _UNSET or call.inputResponses is not _UNSET or call.requestState is not _UNSET
    return not odd and (call.meta is _UNSET or call.meta.revision is _UNSET)
