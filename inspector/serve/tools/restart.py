"""`restart`: start the server again, and show what has changed."""

import asyncio
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from inspector.errors import UsageError
from inspector.features.lock.changes import compare_definitions
from inspector.features.lock.lock_file import ServerDefinitions, definitions_of
from inspector.present.findings import inspected
from inspector.protocol.changes import ABSENT, JsonChange, differences
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.flows.list_all import is_safe
from inspector.serve.bounded import bounded
from inspector.serve.facts import changes_facts
from inspector.serve.outcome import outcome_of
from inspector.serve.sessions import AgentSession, LastCall, Sessions
from inspector.serve.tool import Arguments, SessionId, WaitSeconds, tool
from inspector.serve.tools.call import refuse_destructive
from inspector.serve.tools.open import OpenAnswer, opening_of, start_of
from inspector.session.options import SessionState
from inspector.text import visible

_MOST_CHANGES = 6
_OPENINGS = ("server/discover", "initialize")
"""Requests of which one opens a session."""
_Operation = tuple[str, str]
"""Method and target of a request."""


class RestartArguments(Arguments):
    session: SessionId = ""
    repeat: Annotated[
        bool | UnsetType, Meta(description="Repeat the last call; default: if the tool is read-only or idempotent.")
    ] = UNSET
    wait_s: WaitSeconds = 20


class RestartAnswer(OpenAnswer):
    fixed: list[str] = field(default_factory=list)
    """Checks whose findings are gone, although their requests were made again."""
    not_seen_again: list[str] = field(default_factory=list)
    """Checks whose requests were not made again: they may be fixed or not."""
    new: list[str] = field(default_factory=list)
    """Checks with findings that are new."""
    definitions: list[dict[str, Any]] = field(default_factory=list)
    last_call: dict[str, Any] = field(default_factory=dict)
    """Outcome of the last call now, and its changes."""


@tool(read_only=False, open_world=True)
async def restart(sessions: Sessions, wanted: RestartArguments) -> RestartAnswer:
    """Start the server again after its code was changed or edited.

    Shows what the fix fixed or broke, changed definitions, the last call again.
    """
    old = await sessions.server(wanted.session)
    old.definitions = known = _definitions(old)
    was = await asyncio.to_thread(_seen, old)
    opened = await sessions.restart(old, start_of(wanted.wait_s))
    await opened.started(wanted.wait_s)
    definitions: list[dict[str, Any]] = []
    last_call: dict[str, Any] = {}
    follow = ""
    if opened.state is SessionState.OPEN and opened.has_started:
        opened.definitions = _definitions(opened)
        if known.is_known:
            definitions = changes_facts(compare_definitions(known, opened.definitions).changes)
        if opened.last_call is not None:
            last_call, follow = await _repeated(sessions, opened, opened.last_call, wanted)
    opening = await asyncio.to_thread(opening_of, opened)  # the call may have ended the server
    answer = RestartAnswer(**{name: getattr(opening, name) for name in OpenAnswer.__struct_fields__})
    answer.definitions, answer.last_call, answer.next = definitions, last_call, follow or answer.next
    now = await asyncio.to_thread(_seen, opened)
    gone = was.checks.keys() - now.checks.keys()
    answer.fixed = sorted(each for each in gone if opened.has_started and now.covers(was, each))
    answer.not_seen_again = sorted(gone - {*answer.fixed})
    answer.new = sorted(now.checks.keys() - was.checks.keys())
    return answer


def _definitions(opened: AgentSession) -> ServerDefinitions:
    """Return the definitions of a session; those of before if it shows none."""
    found = definitions_of(opened.journal.conversation)
    return found if found.is_known else opened.definitions


class _Seen(msgspec.Struct, frozen=True):
    """What a session has shown."""

    checks: dict[str, set[_Operation]]
    """Checks with findings, and the requests that these are about."""
    made: set[_Operation]
    """All requests that have ended."""

    def covers(self, before: "_Seen", check: str) -> bool:
        """Whether the requests that a check's findings were about were made again; all of them, if it names none."""
        return (before.checks[check] or before.made) <= self.made


def _seen(opened: AgentSession) -> _Seen:
    journal = opened.journal
    exchanges = journal.conversation.exchanges
    checks: dict[str, set[_Operation]] = {}
    for each in inspected(journal)[0]:
        numbers = [journal.store.exchange(n) for n in each.frames]
        about = checks.setdefault(each.id, set())
        about |= {(exchanges[n - 1].method, exchanges[n - 1].target) for n in numbers if n}
    made = {(each.method, each.target) for each in exchanges if each.state is not ExchangeState.PENDING}
    if journal.conversation.opening is not None:
        made |= {(each, "") for each in _OPENINGS}
    return _Seen(checks, made)


async def _repeated(
    sessions: Sessions, opened: AgentSession, made: LastCall, wanted: RestartArguments
) -> tuple[dict[str, Any], str]:
    """Repeat the last call, if that does no harm or is wanted. Return its outcome with its changes, and the next call.

    The next call is "" if the outcome needs none.
    """
    name = made.params.get("name", "")
    repeats = is_safe(made.method, opened.tool(name)) if isinstance(wanted.repeat, UnsetType) else wanted.repeat
    if not repeats:
        return {"not_repeated": f"{visible(name, limit=80)} is not declared read-only; repeat=true repeats it"}, ""
    if made.method == "tools/call":
        try:
            refuse_destructive(sessions, opened, name)
        except UsageError as error:
            return {"not_repeated": f"{error}. {error.hint}"}, ""
    came = await outcome_of(opened, opened.begin(made.method, made.params), wanted.wait_s)
    found: dict[str, Any] = {"state": came.state, "request": came.request}
    found |= {"pending": came.pending} if came.pending else {}
    if came.state not in ("waiting", "running"):
        changes = differences(made.value, opened.last_call.value if opened.last_call else None)
        found["changes"] = [_sides(each) for each in changes[:_MOST_CHANGES]]
    return found, "" if came.state == "ok" else came.next


def _sides(change: JsonChange) -> dict[str, Any]:
    sides = {"before": change.before, "after": change.after}
    members = {name: bounded(value, 60)[0] for name, value in sides.items() if value is not ABSENT}
    return {"path": visible(change.path, limit=120), **members}
