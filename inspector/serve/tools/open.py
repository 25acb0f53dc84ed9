"""`open`: start a server, or read a capture."""

import asyncio
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from inspector.checks.findings import Finding
from inspector.checks.verdict import primary_of
from inspector.present.failure_report import of_findings
from inspector.present.findings import inspected
from inspector.protocol import peek
from inspector.serve.bounded import bounded
from inspector.serve.facts import answer_call, cause_facts, end_of, requests_facts, wait_words
from inspector.serve.sessions import AgentSession, Sessions, WantedTarget
from inspector.serve.tool import Answer, Arguments, WaitSeconds, tool
from inspector.session.options import SessionState

_OPENING = 0.75
"""Part of the time to wait after which a server that has not opened has failed: the rest is for its end."""
State = Literal["open", "connecting", "failed", "capture"]


class OpenArguments(Arguments):
    server: Annotated[str, Meta(description="Allowed server; default: the first.")] = ""
    command: Annotated[list[str], Meta(description="Program and arguments, if the user allows any.")] = field(
        default_factory=list
    )
    url: Annotated[str, Meta(description="URL, if the user allows any.")] = ""
    client: Annotated[str, Meta(description="Behave like claude-code, codex, cursor, …")] = ""
    protocol: Annotated[str, Meta(description="Use only this protocol version.")] = ""
    capture: Annotated[str, Meta(description="Read this capture instead.")] = ""
    wait_s: WaitSeconds = 20


class OpenAnswer(Answer):
    session: str
    state: State
    entries: int
    capture: str = ""
    protocol: str = ""
    cause: dict[str, Any] = field(default_factory=dict)
    """The finding that explains why it failed."""
    findings: dict[str, int] = field(default_factory=dict)
    """Number of findings by severity."""
    pending: list[dict[str, Any]] = field(default_factory=list)
    """Requests of the server that wait for `answer`."""
    waiting: str = ""
    """A request without a response, if the opening has not ended."""
    ended: dict[str, Any] = field(default_factory=dict)
    from_server: Any = None


@tool(read_only=False, open_world=True)
async def open_(sessions: Sessions, wanted: OpenArguments) -> OpenAnswer:
    """Start an MCP server and connect to it, first of all.

    If it does not start, times out or closes the connection: cause, evidence, fix.
    """
    if wanted.capture:
        capture = await sessions.open_capture(wanted.capture)
        follow = f'traffic(session="{capture.id}", filter="failed")'
        return OpenAnswer(session=capture.id, state="capture", entries=capture.journal.count, next=follow)
    target = WantedTarget(wanted.server, tuple(wanted.command), wanted.url, wanted.client, wanted.protocol)
    opened = await sessions.open_server(target, start_of(wanted.wait_s))
    await opened.started(wanted.wait_s)
    return await asyncio.to_thread(opening_of, opened)


def start_of(wait_s: float) -> float:
    """Return the timeout of an opening, from the time that the agent waits."""
    return max(1.0, wait_s * _OPENING)


def opening_of(opened: AgentSession) -> OpenAnswer:
    """Return what is known of a session after its opening. Reads from disk; runs the checks if it failed."""
    journal, state = opened.journal, _state(opened)
    answer = OpenAnswer(
        session=opened.id,
        state=state,
        entries=journal.count,
        capture=journal.capture_path.stem if journal.capture_path else "",
        next=f'check(session="{opened.id}")' if state == "open" else f'restart(session="{opened.id}") after a fix',
    )
    if not opened.has_started:
        answer.waiting = wait_words(journal)
    if opened.waiting:
        answer.pending, answer.next = requests_facts(opened.waiting), answer_call(opened.id, opened.waiting[0])
    if state == "open":
        _describe(opened, answer)
        return answer
    found, _ = inspected(journal)
    answer.findings = counts_of(found)
    diagnosis = of_findings(found)
    cause = diagnosis.reason if diagnosis is not None else primary_of(found)
    if cause is not None:
        answer.cause = cause_facts(journal, cause)
    answer.ended = end_of(journal, opened.why)
    if state == "connecting":
        answer.next = answer.next if answer.pending else "sessions() shows when it is open"
    elif opened.has_timed_out:
        answer.next += f', or restart(session="{opened.id}", wait_s=120) to wait longer'
    return answer


def counts_of(findings: list[Finding]) -> dict[str, int]:
    """Return the number of findings by severity, without zeros."""
    found: dict[str, int] = {}
    for each in sorted(findings, key=lambda each: each.severity.rank):
        found[each.severity] = found.get(each.severity, 0) + each.count
    return found


def _state(opened: AgentSession) -> State:
    match opened.state:
        case SessionState.OPEN:
            return "open"
        case SessionState.CONNECTING:
            return "connecting"
        case SessionState.CLOSED:
            return "failed"


def _describe(opened: AgentSession, answer: OpenAnswer) -> None:
    conversation = opened.journal.conversation
    opening = conversation.opening
    if opening is None:
        return
    answer.protocol = opening.revision.date
    about: dict[str, Any] = {name: peek.text(opening.server, name) or "" for name in ("name", "version")}
    about["capabilities"] = list(opening.capabilities)
    if opening.instructions:
        about["instructions"] = opening.instructions
    for kind, listing in conversation.catalogue.listings.items():
        names = [peek.text(each, "uri" if kind == "resources" else "name") or "" for each in listing.items]
        if names:
            about[kind] = names
    answer.from_server = bounded(about, 450)[0]
