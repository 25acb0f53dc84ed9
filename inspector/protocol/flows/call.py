"""How a request that may need more than one round is made: a call, a read, a prompt.

Two errors of the stateless revision name their own cure, and each cure is tried once: another version that the
server takes (-32022), and the tool's schema anew where the mirrored headers did not match it (-32020).
"""

from collections.abc import Callable
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.steps import Flow, Replied, Reply, Send
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.openings import HEADER_MISMATCH, UNSUPPORTED_VERSION, modern_code
from inspector.protocol.revisions.table import mutual, resolve


class Called(msgspec.Struct, frozen=True):
    """What came of a call."""

    reply: Reply
    """The last one."""
    rounds: int
    """How many requests it took, retries included."""


def call(
    method: str,
    params: Any,
    *,
    revision: Revision,
    schema_of: Callable[[str], Any] = lambda name: None,
) -> Flow[Called]:
    """Make a request and repeat it where the error itself says how.

    `schema_of` looks a tool's input schema up by name: None if it was never listed.
    """
    name = peek.text(params, "name") or ""
    reply: Reply = yield Send(method, params, revision=revision, input_schema=schema_of(name), progress=True)
    error = _modern_error(revision, reply)
    if error is None:
        return Called(reply, 1)
    if error == UNSUPPORTED_VERSION and (other := _another_version(revision, reply)):
        reply = yield Send(method, params, revision=other, input_schema=schema_of(name), progress=True)
        return Called(reply, 2)
    if error == HEADER_MISMATCH and method == "tools/call":
        yield Send("tools/list", revision=revision)
        reply = yield Send(method, params, revision=revision, input_schema=schema_of(name), progress=True)
        return Called(reply, 2)
    return Called(reply, 1)


def _modern_error(revision: Revision, reply: Reply) -> int | None:
    if revision.era is not Era.MODERN or not isinstance(reply, Replied) or isinstance(reply.message, Answer):
        return None
    return modern_code(reply.message.error)


def _another_version(revision: Revision, reply: Reply) -> Revision | None:
    error = reply.message.error if isinstance(reply, Replied) and isinstance(reply.message, ErrorAnswer) else None
    named = [item for item in peek.items(error, "data", "supported") if isinstance(item, str)]
    date = mutual([item for item in named if item != revision.date], Era.MODERN)
    return resolve(date, Era.MODERN)[0] if date else None
