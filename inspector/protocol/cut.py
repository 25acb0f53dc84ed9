"""Frames that had more bytes than the limit: of those only the beginning is there. What is known of them all the same.

The beginning of a message is no message, even where it reads like one. It may tell which request was answered, for
most servers write the id before the result; whoever waits for that answer need not wait for a clock.
"""

import re

import msgspec

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Message, NotJsonRpc, RequestId, read
from inspector.protocol.tracking.pairs import Pairs

KEPT = 64 * 1024
"""Bytes that are kept of the beginning."""
_OTHER = {Direction.TO_SERVER: Direction.FROM_SERVER, Direction.FROM_SERVER: Direction.TO_SERVER}
_ANSWER = (
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,1000}")\s*,'
    rb'\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"'
)


def messages_of(frame: Frame) -> tuple[Message, ...]:
    """The messages of a frame; of one that was cut, that it is none."""
    return (NotJsonRpc(reason(frame)),) if frame.cut else read(frame.payload)


def reason(frame: Frame) -> str:
    """What is wrong with a frame that was cut, as half a sentence."""
    return f"a message of {len(frame.payload) + frame.cut:,} bytes, which is over the limit; its beginning is kept"


def lose_answered(frame: Frame, pairs: Pairs) -> Exchange | None:
    """The request whose answer was cut is lost; None if the beginning names no open one."""
    id_ = _answered(frame.payload)
    exchange = None if id_ is None else pairs.find_open(_OTHER[frame.direction], id_)
    if exchange is not None:
        whole = len(frame.payload) + frame.cut
        why = f"its answer has {whole:,} bytes, which is over the limit; --max message=SIZE raises it"
        pairs.end_from_server(exchange, frame.time_ns, why)
    return exchange


def _answered(payload: bytes) -> RequestId | None:
    found = re.match(_ANSWER, payload)
    if found is None:
        return None
    try:
        return msgspec.json.decode(found.group(1), type=int | str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
