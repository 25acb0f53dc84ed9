"""`sessions` and `close`: what is open."""

import asyncio
from typing import Annotated, Any

from msgspec import Meta, field

from inspector.capture.journal import Journal
from inspector.checks.findings import Finding
from inspector.present.findings import inspected
from inspector.serve.facts import answer_call, finding_facts, requests_facts
from inspector.serve.sessions import AgentSession, Sessions
from inspector.serve.tool import Answer, Arguments, tool

_MOST_AT_END = 5


class SessionsArguments(Arguments):
    pass


class SessionsAnswer(Answer):
    sessions: list[dict[str, Any]]
    allowed: list[str]
    """What `open` may start."""


class CloseArguments(Arguments):
    session: Annotated[str, Meta(description="Id of open.")]


class CloseAnswer(Answer):
    session: str
    capture: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    """What the end of the server has shown."""


@tool()
async def sessions(sessions: Sessions, wanted: SessionsArguments) -> SessionsAnswer:
    """List the sessions that are open, their state and pending requests, and the servers that are allowed."""
    rows = []
    for each in sessions.all:
        row: dict[str, Any] = {"session": each.id, "entries": each.journal.count}
        if isinstance(each, AgentSession):
            row |= {"target": each.allowed.name, "state": str(each.state), "running": len(each.calls)}
            row |= {"pending": requests_facts(each.waiting)} if each.waiting else {}
        else:
            row["state"] = "capture"
        rows.append(row)
    options = sessions.options
    allowed = [name or "default" for name in options.allowed] + ["any command or url"] * options.any_command
    waiting = next(
        ((each.id, each.waiting[0]) for each in sessions.all if isinstance(each, AgentSession) and each.waiting), None
    )
    follow = answer_call(*waiting) if waiting else f'traffic(session="{rows[-1]["session"]}")' if rows else "open()"
    return SessionsAnswer(sessions=rows, allowed=allowed, next=follow)


@tool(read_only=False)
async def close(sessions: Sessions, wanted: CloseArguments) -> CloseAnswer:
    """Stop a session and its server process; findings are about how it ended. The recorded capture stays."""
    opened = await sessions.get(wanted.session)
    at_end: list[Finding] = []
    if isinstance(opened, AgentSession):
        known = {each.id for each in await asyncio.to_thread(_found, opened.journal)}
        await opened.end()
        at_end = [each for each in await asyncio.to_thread(_found, opened.journal) if each.id not in known]
    closed = await sessions.close(opened.id)
    path = closed.journal.capture_path
    name = path.stem if path is not None else ""
    return CloseAnswer(
        session=closed.id,
        capture=name,
        findings=[finding_facts(each) for each in sorted(at_end, key=lambda each: each.severity.rank)[:_MOST_AT_END]],
        next=f'open(capture="{name}") reads it again' if name else "open()",
    )


def _found(journal: Journal) -> list[Finding]:
    return inspected(journal)[0]
