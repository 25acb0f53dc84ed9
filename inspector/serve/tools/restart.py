"""`restart`: start the server again, and show what has changed."""

import asyncio
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType, field

from inspector.features.lock.changes import compare_definitions
from inspector.features.lock.lock_file import ServerDefinitions, definitions_of
from inspector.present.findings import inspected
from inspector.protocol.changes import ABSENT, JsonChange, differences
from inspector.protocol.flows.list_all import is_safe
from inspector.serve.bounded import bounded
from inspector.serve.facts import changes_facts
from inspector.serve.outcome import outcome_of
from inspector.serve.sessions import AgentSession, LastCall, Sessions
from inspector.serve.tool import Arguments, SessionId, WaitSeconds, tool
from inspector.serve.tools.call import refuse_destructive
from inspector.serve.tools.open import OpenAnswer, opening_of
from inspector.session.options import SessionState
from inspector.text import visible

_MOST_CHANGES = 6


class RestartArguments(Arguments):
    session: SessionId = ""
    repeat: Annotated[
        bool | UnsetType, Meta(description="Repeat the last call; default: if the tool is read-only or idempotent.")
    ] = UNSET
    wait_s: WaitSeconds = 20


class RestartAnswer(OpenAnswer):
    fixed: list[str] = field(default_factory=list)
    """Checks whose findings are gone."""
    new: list[str] = field(default_factory=list)
    """Checks with findings that are new."""
    definitions: list[dict[str, Any]] = field(default_factory=list)
    last_call: dict[str, Any] = field(default_factory=dict)
    """Outcome of the last call now, and its changes."""


@tool(read_only=False, open_world=True)
async def restart(sessions: Sessions, wanted: RestartArguments) -> RestartAnswer:
    """Start the edited server again. Shows fixed and new findings, changed definitions, the last call repeated."""
    old = await sessions.server(wanted.session)
    old.definitions = known = _definitions(old)
    was = await asyncio.to_thread(_checks, old)
    opened = await sessions.restart(old)
    await opened.started(wanted.wait_s)
    opening = await asyncio.to_thread(opening_of, opened)
    answer = RestartAnswer(**{name: getattr(opening, name) for name in OpenAnswer.__struct_fields__})
    now = await asyncio.to_thread(_checks, opened)
    answer.fixed, answer.new = sorted(was - now), sorted(now - was)
    if opened.state is SessionState.OPEN:
        opened.definitions = _definitions(opened)
        if known.is_known:
            answer.definitions = changes_facts(compare_definitions(known, opened.definitions).changes)
        if opened.last_call is not None:
            answer.last_call = await _repeated(sessions, opened, opened.last_call, wanted)
    return answer


def _definitions(opened: AgentSession) -> ServerDefinitions:
    """Return the definitions of a session; those of before if it shows none."""
    found = definitions_of(opened.journal.conversation)
    return found if found.is_known else opened.definitions


def _checks(opened: AgentSession) -> set[str]:
    return {each.id for each in inspected(opened.journal)[0]}


async def _repeated(
    sessions: Sessions, opened: AgentSession, made: LastCall, wanted: RestartArguments
) -> dict[str, Any]:
    """Repeat the last call, if that does no harm or is wanted. Return its outcome and its changes."""
    name = made.params.get("name", "")
    repeats = is_safe(made.method, opened.tool(name)) if isinstance(wanted.repeat, UnsetType) else wanted.repeat
    if not repeats:
        return {"not_repeated": f"{visible(name, limit=80)} is not declared read-only; repeat=true repeats it"}
    if made.method == "tools/call":
        refuse_destructive(sessions, opened, name)
    came = await outcome_of(opened, opened.begin(made.method, made.params), wanted.wait_s)
    found: dict[str, Any] = {"state": came.state, "request": came.request}
    found |= {"pending": came.pending} if came.pending else {}
    if came.state not in ("waiting", "running"):
        changes = differences(made.value, opened.last_call.value if opened.last_call else None)
        found["changes"] = [_sides(each) for each in changes[:_MOST_CHANGES]]
    return found


def _sides(change: JsonChange) -> dict[str, Any]:
    sides = {"before": change.before, "after": change.after}
    members = {name: bounded(value, 60)[0] for name, value in sides.items() if value is not ABSENT}
    return {"path": visible(change.path, limit=120), **members}
