"""Asking again for what a cut stream has lost (stateless era).

Nothing of a cut stream is replayed there: the request is lost, and whoever wants its answer sends it anew, with a new
id (2026-07-28, basic/transports/streamable-http). But the server had taken it and may have done it. So only what can
be done twice without harm is asked again unbidden: lists, reads, and tools of which the server itself says that they
change nothing or come to the same when repeated. Everything else waits for the person's word.
"""

from inspector.protocol.flows.steps import Flow, Pause, Refused, Reply, Send, Tell
from inspector.protocol.revisions._shape import Carriage, Revision
from inspector.protocol.things import Tool

PAUSES = (0.25, 1.0, 3.0)
"""Seconds before each further try; there are no more of them."""

_SAFE = {"server/discover", "resources/read", "prompts/get", "completion/complete", "tasks/get"}


def is_safe(method: str, tool: Tool | None = None) -> bool:
    """Whether a request can be made twice without harm; `tool` is the one that is called, None if it is unknown."""
    if method == "tools/call":
        return tool is not None and (tool.read_only or tool.idempotent)
    return method in _SAFE or method.endswith("/list")


def is_repeated(method: str, revision: Revision | None, tool: Tool | None = None) -> bool:
    """Whether a request whose stream was cut is made again unbidden: not where streams are resumed."""
    return revision is not None and revision.carriage is Carriage.STATELESS and is_safe(method, tool)


def was_cut(reply: Reply) -> bool:
    """Whether the server took the request and what it answered with ended before the answer."""
    return isinstance(reply, Refused) and reply.begun


def sent(send: Send, *, again: bool) -> Flow[tuple[Reply, int]]:
    """Send a request, and with `again` send it anew where its stream is cut; what came at last, and of how many."""
    reply: Reply = yield send
    tries = 1
    for pause in PAUSES if again else ():
        if not was_cut(reply):
            break
        yield Tell(f"the stream of {send.method} was cut before its answer; it is asked for again with a new id")
        yield Pause(pause)
        reply = yield send
        tries += 1
    return reply, tries
