"""What a glance at a frame tells, before anything is judged: most are plain, some are nothing of the protocol's."""

import re

from inspector.checks.registry import Flaw
from inspector.checks.scene import Asked, Case, HttpLife, Scene
from inspector.protocol import peek
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Message, NotJsonRpc
from inspector.protocol.probes import CURSOR
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.tracking.opening import declared_revision

_UNCLAIMED = '"jsonrpc" is missing'
_LARGE = re.compile(rb"[:\[,]\s*-?\d{16}")


def is_odd(frame: Frame, messages: tuple[Message, ...]) -> bool:
    """Whether a frame needs a closer look: false for one plain message in plain bytes."""
    first, payload = messages[0], frame.payload
    return (
        len(messages) != 1
        or type(first) is NotJsonRpc
        or bool(first.defects)
        or frame.eol is Eol.CRLF
        or (frame.eol is Eol.NONE and frame.channel is Channel.STDOUT)
        or frame.sse is not None
        or payload[:1] != b"{"
        or len(payload) > 1 << 20
        or b"\x1b" in payload
        or b"NaN" in payload
        or b"Infinity" in payload
        or _LARGE.search(payload) is not None
        or not (payload.isascii() or _is_utf8(payload))
    )


def is_for_a_probe(scene: Scene, life: HttpLife, n: int) -> bool:
    """Whether this is the body of an exchange made on purpose: its head tells all, and its requests are over."""
    if life.request is None or not life.request.probe:
        return False
    for asked in life.asked:
        asked.answered = n
        scene.remember(asked)
    return True


def is_undeclared(asked: Asked) -> bool:
    """Whether it is doctor's request that does not say by which revision it is meant, though all others do."""
    is_modern = asked.row > 0 and ROWS[asked.row - 1].era is Era.MODERN
    return is_modern and asked.method == "tools/list" and declared_revision(asked.params) is None


def is_our_doing(case: Case, id_: str, *, again: bool) -> bool:
    """Whether what a check finds in the answer to a probe comes of our asking: `again` if it was found before.

    A list that is asked for twice has its faults twice; a page that was never there, and a call of no tool, are judged
    as the probes that they are.
    """
    asked = case.asked
    if asked is None or not asked.probe:
        return False
    if is_undeclared(asked):
        return id_ != "L18"
    if peek.text(asked.params, "cursor") == CURSOR:
        return again or id_ != "A03"
    return again or (asked.method == "tools/call" and not peek.has(asked.params, "name") and id_ in ("L-19", "K11"))


def is_told_of_this_task(case: Case, id_: str, flaw: Flaw) -> bool:
    """Whether an earlier word about the same task showed this fault: one fact is one finding, however many polls."""
    if not case.method.startswith(("tasks/", "notifications/tasks")):
        return False
    asked = case.asked.params if case.asked is not None else None
    task = peek.text(case.value, "taskId") or peek.text(asked, "taskId")
    return task is not None and case.scene.says_again("task", id_, flaw.pointer, flaw.sentence, task)


def has_meta(case: Case) -> bool:
    """Whether what came has `_meta`, of whatever kind."""
    return type(case.value) is dict and "_meta" in case.value


def is_plain_refusal(life: HttpLife, messages: tuple[Message, ...]) -> bool:
    """Whether this is the body of an HTTP error that does not claim to be JSON-RPC: an OAuth error, a proxy's page."""
    if life.response is None or life.response.status < 400:
        return False
    return any(type(each) is NotJsonRpc or any(_UNCLAIMED in defect for defect in each.defects) for each in messages)


def _is_utf8(payload: bytes) -> bool:
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def request_of(scene: Scene, case: Case, message: Answer | ErrorAnswer) -> Asked | None:
    """The open request that is answered: by its id, or, without a usable one, by the HTTP exchange."""
    if message.id is not None:
        found = scene.asked.get((Direction.TO_SERVER, message.id))
        if found is not None or isinstance(message, Answer):
            return found
    there = [each for each in case.life.asked if each.answered is None] if case.life else []
    return there[0] if len(there) == 1 and isinstance(message, ErrorAnswer) else None
