"""`probe`: call tools with valid and invalid arguments, and judge the responses."""

import asyncio
from typing import Annotated, Any

from msgspec import Meta, field

from inspector.checks.findings import Finding
from inspector.config.targets import secrets_of
from inspector.errors import UsageError
from inspector.features.probe.running import ProbeOptions, ProbePlan, plan_calls, run_probe, tools_of
from inspector.serve.facts import finding_facts
from inspector.serve.sessions import AgentSession, Sessions
from inspector.serve.tool import Answer, Arguments, SessionId, WaitSeconds, tool
from inspector.session.open import open_session
from inspector.session.session import Session
from inspector.text import visible

_TIMEOUT_S = 5.0
_MAX_FINDINGS = 6


class ProbeArguments(Arguments):
    session: SessionId = ""
    tool: Annotated[str, Meta(description="Only this tool.")] = ""
    writes: Annotated[bool, Meta(description="Also tools without readOnlyHint.")] = False
    wait_s: WaitSeconds = 50


class ProbeAnswer(Answer):
    session: str
    calls: int
    findings: list[dict[str, Any]]
    more: int = 0
    not_probed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@tool(read_only=False, open_world=True)
async def probe(sessions: Sessions, wanted: ProbeArguments) -> ProbeAnswer:
    """Fuzz read-only tools with valid, wrong, missing and unusual arguments, and report crashes, hangs, bad answers."""
    opened = await sessions.server(wanted.session)
    if wanted.writes and not sessions.options.allows_destructive:
        raise UsageError(
            "the user does not allow calls of tools without readOnlyHint",
            hint="Ask the user to start mcp-inspect serve with --allow-destructive.",
        )
    opened.demand_open()
    notes: list[str] = []
    exchanges = opened.journal.conversation.exchanges
    before = len(exchanges)
    with opened.awaited():
        work = opened.live.run(lambda session: _probed(session, opened, wanted, notes))
        planned, found = await asyncio.wrap_future(work)
    opened.probe_findings = tuple(found)
    worst = sorted(found, key=lambda each: each.severity.rank)
    return ProbeAnswer(
        session=opened.id,
        calls=sum(each.method == "tools/call" for each in exchanges[before:]),
        findings=[finding_facts(each) for each in worst[:_MAX_FINDINGS]],
        more=max(0, len(worst) - _MAX_FINDINGS),
        not_probed=[visible(name, limit=60) for name in planned.left_out[:10]],
        notes=[visible(note, limit=200) for note in notes[:5]],
        next=f'check(session="{opened.id}", id="{worst[0].id}")' if worst else f'traffic(session="{opened.id}")',
    )


async def _probed(
    session: Session, opened: AgentSession, wanted: ProbeArguments, notes: list[str]
) -> tuple[ProbePlan, list[Finding]]:
    """Probe on the engine's loop. What is not probed is noted."""
    tools = [each for each in tools_of(session) if wanted.tool in ("", each.name)]
    if not tools:
        names = ", ".join(visible(each.name, limit=60) for each in tools_of(session)[:10])
        raise UsageError(f"no tool {wanted.tool!r}", hint=f"There are {names}." if names else "It has no tools.")
    options = ProbeOptions(True, False, wanted.writes, 0, 0, _TIMEOUT_S, wanted.wait_s)
    planned = plan_calls(tools, options)
    allowed = opened.allowed
    found = await run_probe(
        session,
        planned,
        options,
        reopen=lambda: open_session(allowed.target, opened.journal, allowed.settings),
        secrets=secrets_of(allowed.target),
        warn=notes.append,
        gaps={},
    )
    return planned, found
