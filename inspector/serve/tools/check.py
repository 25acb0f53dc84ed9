"""`check`: find faults of a server or in a capture."""

import asyncio
from contextlib import suppress
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from inspector.checks.compat.matrix import as_serious
from inspector.checks.findings import Severity
from inspector.checks.registry import CHECKS
from inspector.checks.verdict import primary_of
from inspector.errors import InspectError, UsageError
from inspector.present.findings import failure_in, inspected
from inspector.serve.bounded import fits
from inspector.serve.facts import brief, cause_facts, finding_facts, wait_words
from inspector.serve.sessions import AgentSession, Opened, Sessions
from inspector.serve.tool import Answer, Arguments, SessionId, tool
from inspector.session.options import SessionState
from inspector.session.probing import make_first_requests
from inspector.session.session import Session

_TOKENS = 260


class CheckArguments(Arguments):
    session: SessionId = ""
    severity: Annotated[Literal["error", "warning", "hint"], Meta(description="Least severity in full.")] = "warning"
    id: Annotated[str, Meta(description="Only findings of this check, all in full.")] = ""


class CheckAnswer(Answer):
    session: str
    counts: dict[str, int]
    failure: str = ""
    primary: dict[str, Any] = field(default_factory=dict)
    """What to fix first, with its evidence."""
    findings: list[dict[str, Any]] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    """In short."""
    waiting: str = ""
    """A request without a response, and what is known of the server meanwhile."""


@tool(open_world=True)
async def check(sessions: Sessions, wanted: CheckArguments) -> CheckAnswer:
    """Find bugs in a session: protocol violations, tool definitions that clients reject, causes. Fix primary first."""
    opened = await sessions.get(wanted.session)
    if isinstance(opened, AgentSession) and opened.state is SessionState.OPEN:
        await asyncio.wrap_future(opened.live.run(_first_requests))
    return await asyncio.to_thread(_answer, opened, wanted)


def _without_findings(opened: Opened, answer: CheckAnswer) -> str:
    """Return the next call if there are no findings."""
    if answer.failure or answer.waiting or not isinstance(opened, AgentSession):
        return f'traffic(session="{opened.id}", filter="failed or pending")'
    if opened.state is not SessionState.OPEN:
        return f'logs(session="{opened.id}")'
    return f'call(session="{opened.id}", name=…): results are checked, too'


async def _first_requests(session: Session) -> None:
    with suppress(InspectError):  # the findings show it
        await make_first_requests(session, lambda what: None)


def _answer(opened: Opened, wanted: CheckArguments) -> CheckAnswer:
    id_, journal = opened.id, opened.journal
    more, waiting = (opened.probe_findings, wait_words(journal)) if isinstance(opened, AgentSession) else ((), "")
    found = as_serious([*inspected(journal)[0], *more])
    counts = {str(severity): 0 for severity in Severity}
    for each in found:
        counts[each.severity] += each.count
    answer = CheckAnswer(session=id_, counts=counts, failure=failure_in(journal), waiting=waiting, next="")
    if wanted.id:
        if wanted.id not in CHECKS:
            near = get_close_matches(wanted.id, CHECKS, 3)
            hint = f"Similar: {', '.join(near)}." if near else f'check(session="{id_}") names those with findings.'
            raise UsageError(f"no check {wanted.id!r}", hint=hint)
        answer.findings = [finding_facts(each) for each in found if each.id == wanted.id][:10]
        entry = next((each["entry"] for each in answer.findings if "entry" in each), None)
        answer.next = (
            f'message(session="{id_}", entry={entry})' if entry else f'check(session="{id_}") names all checks'
        )
        return answer
    primary = primary_of(found)
    if primary is None:
        answer.next = _without_findings(opened, answer)
        return answer
    answer.primary = cause_facts(journal, primary)
    least = Severity(wanted.severity).rank
    rest = sorted((each for each in found if each is not primary), key=lambda each: each.severity.rank)
    in_full = [each for each in rest if each.severity.rank <= least]
    while in_full and not fits([finding_facts(each) for each in in_full], _TOKENS):
        in_full.pop()
    answer.findings = [finding_facts(each) for each in in_full]
    answer.others = brief(each for each in rest if each not in in_full)
    entry = answer.primary.get("entry")
    answer.next = f'message(session="{id_}", entry={entry})' if entry else f'logs(session="{id_}")'
    if answer.others:
        answer.next += f', or check(session="{id_}", id="{answer.others[0]["id"]}")'
    return answer
