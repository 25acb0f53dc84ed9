"""Pinging: one round trip, in words. It knows no widget; what came of all of them stands on the server's screen."""

from inspector.errors import InspectError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Replied, Silent
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.tui.subject import Subject, why_silent
from inspector.viewmodels.pings import PING, method_of
from inspector.viewmodels.text import human_duration, visible


async def ping(subject: Subject) -> tuple[str, bool]:
    """Send a ping, or what comes nearest to one, and wait: what came of it, and whether that is well."""
    opening = subject.opening
    if (why := why_silent(subject)) or opening is None:
        return why or "Nothing is sent before the server has said what it speaks.", False
    method = method_of(opening.revision)
    if not method:
        return f"{opening.revision.named} has no ping, and nothing in its place.", False
    sent: list[Exchange] = []
    try:
        called = await subject.call(method, {}, sent.append)
    except InspectError as error:
        return f"{method} failed: {visible(str(error), limit=300)}", False
    instead = "" if method == PING else f" ({method}: this revision has no ping)"
    reply, took = called.reply, sent[-1].duration_ns if sent else None
    if not isinstance(reply, Replied) or took is None:
        waited = f"nothing came for {reply.seconds:g} s" if isinstance(reply, Silent) else "no answer came"
        return f"Ping: {waited}{instead}", False
    if isinstance(reply.message, ErrorAnswer):
        said = visible(reply.message.message, limit=200)
        return f"Ping: {human_duration(took)}, answered with error {reply.message.code}: {said}", False
    return f"Ping: {human_duration(took)}{instead}", True
