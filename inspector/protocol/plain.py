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
from inspector.protocol.jsonrpc import Envelope, RequestId, envelope_of
from inspector.protocol.questions import INPUT_REQUIRED
from inspector.protocol.tracking.subscriptions import TELLING_OF_CHANGES
from inspector.protocol.tracking.tasks import TELLING
from inspector.protocol.visits import COMPLETE

REQUEST, NOTIFICATION, ANSWER = 1, 2, 3
_PROGRESS, _CALL = "notifications/progress", "tools/call"
_TELLING = frozenset({_PROGRESS, "notifications/cancelled", COMPLETE, *TELLING, *TELLING_OF_CHANGES})
"""Notifications that the fold takes note of."""
_OTHER = {Direction.TO_SERVER: Direction.FROM_SERVER, Direction.FROM_SERVER: Direction.TO_SERVER}
_TO_SERVER = Direction.TO_SERVER
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


class _Call(msgspec.Struct, gc=False):
    """The params of a call, with what makes it unusual."""

    name: str
    meta: _Meta | msgspec.UnsetType = msgspec.field(default=_UNSET, name="_meta")
    task: _Absent = _UNSET
    inputResponses: _Absent = _UNSET  # noqa: N815
    requestState: _Absent = _UNSET  # noqa: N815


class _Head(msgspec.Struct, gc=False):
    """The beginning of a result."""

    isError: bool = False  # noqa: N815
    resultType: str = ""  # noqa: N815


_decode_call = msgspec.json.Decoder(_Call).decode
_decode_head = msgspec.json.Decoder(_Head).decode


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

    def take(
        self, payload: str | bytes, n: int, time_ns: int, direction: Direction, *, http: bool = False
    ) -> Taken | None:
        """Take in a frame that is one plain message; None for any other, of which nothing was taken in.

        `http` is for one that belongs to an HTTP exchange, or to a probe: of those only notifications are plain.
        """
        envelope = envelope_of(payload)
        if envelope is None:
            return None
        if envelope.id is _UNSET:
            return self._notified(envelope, n, time_ns, direction)
        if http:
            return None
        if direction is _TO_SERVER:
            return self._called(envelope, envelope.id, n, time_ns)
        return self._answered(envelope, envelope.id, n, time_ns)

    def _notified(self, envelope: Envelope, n: int, time_ns: int, direction: Direction) -> Taken | None:
        method = envelope.method
        if not isinstance(method, str) or envelope.result is not _UNSET or envelope.error is not _UNSET:
            return None
        if method != _PROGRESS:
            return None if method in _TELLING else Taken(NOTIFICATION, method)
        params = envelope.params
        if not isinstance(params, msgspec.Raw):
            return None
        exchange = self._progress.notified_plainly(_OTHER[direction], params, n, time_ns)
        if exchange is None:
            return None
        if exchange.state is not ExchangeState.PENDING:
            self._exchanges.keep(exchange)
        return Taken(NOTIFICATION, method, exchange.number)

    def _called(self, envelope: Envelope, id_: RequestId, n: int, time_ns: int) -> Taken | None:
        if envelope.method != _CALL or envelope.result is not _UNSET or envelope.error is not _UNSET:
            return None
        opening, call = self._conversation.opening, _call_in(envelope)
        if call is None:
            return None
        number = len(self._exchanges) + 1
        revision = None if opening is None else opening.revision.date
        exchange = Exchange(number, _TO_SERVER, id_, _CALL, call.name, n, time_ns, revision)
        self._pairs.begin(exchange)
        meta = call.meta
        if isinstance(meta, _Meta) and not isinstance(meta.progressToken, msgspec.UnsetType):
            self._progress.given(exchange, meta.progressToken)
        self._operations.begin(exchange)
        self._calls.add(number)
        return Taken(REQUEST, _CALL, number)

    def _answered(self, envelope: Envelope, id_: RequestId, n: int, time_ns: int) -> Taken | None:
        result = envelope.result
        if not isinstance(result, msgspec.Raw) or envelope.method is not _UNSET or envelope.error is not _UNSET:
            return None
        exchange = self._pairs.find_open(_TO_SERVER, id_)
        if exchange is None or exchange.number not in self._calls or self._conversation.opening is None:
            return None
        try:
            head = _decode_head(result)
        except _UNUSUAL:
            return None
        if head.resultType == INPUT_REQUIRED or b'"task' in bytes(result):
            return None
        self._calls.discard(exchange.number)
        self._pairs.answered(exchange, n, time_ns)
        exchange.tool_error = head.isError
        self._exchanges.keep(exchange)
        return Taken(ANSWER, "", exchange.number)


def _call_in(envelope: Envelope) -> _Call | None:
    """The params of a plain call; None if it is none."""
    params = envelope.params
    if not isinstance(params, msgspec.Raw):
        return None
    try:
        call = _decode_call(params)
    except _UNUSUAL:
        return None
    odd = call.task is not _UNSET or call.inputResponses is not _UNSET or call.requestState is not _UNSET
    declares = isinstance(call.meta, _Meta) and call.meta.revision is not _UNSET
    return None if odd or declares or not call.name else call
