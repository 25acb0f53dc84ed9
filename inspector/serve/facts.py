"""Facts about a session in the words of answers: findings with their evidence, entries, stderr, server requests."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from inspector.capture.journal import Journal
from inspector.checks.findings import Confidence, Finding
from inspector.documents import UNDECODABLE
from inspector.features.cases.running import value_at
from inspector.features.lock.schemas import DefinitionChange
from inspector.present.failure_report import as_data, has_failure
from inspector.present.spans import plain
from inspector.present.waiting import Programs, WaitView, child_pid, wait_of
from inspector.protocol.changes import ABSENT
from inspector.protocol.frames import Frame
from inspector.protocol.server_requests import RequestKind
from inspector.serve.bounded import bounded, cut_text
from inspector.session.inbox import Ticket
from inspector.text import decode, visible

_SENTENCE, _FIX, _EVIDENCE = 300, 240, 400
"""Longest texts in characters."""
_STDERR_LINES = 8
_MOST_CHANGES = 6


def finding_facts(finding: Finding) -> dict[str, Any]:
    """Return one finding with the entry and the place of its evidence."""
    found: dict[str, Any] = {
        "id": finding.id,
        "severity": finding.severity,
        "sentence": visible(finding.sentence, limit=_SENTENCE),
        "entry": finding.frames[0] if finding.frames else None,
        "pointer": visible(finding.pointer, limit=120),
        "count": finding.count if finding.count > 1 else None,
        "confidence": "" if finding.confidence is Confidence.CERTAIN else str(finding.confidence),
        "fix": visible(finding.fix, limit=_FIX),
    }
    return {name: value for name, value in found.items() if value not in (None, "")}


def cause_facts(journal: Journal, finding: Finding) -> dict[str, Any]:
    """Return a finding with the text of its evidence."""
    found = finding_facts(finding)
    if finding.frames and (evidence := _evidence(finding, payload_of(journal, finding.frames[0]))):
        found["evidence"] = evidence
    return found


def _evidence(finding: Finding, payload: bytes) -> Any:
    """Return the part of a message that a finding is about; the beginning of the message if it is about all of it."""
    if finding.span is not None:
        return cut_text(visible(decode(payload[slice(*finding.span)])), _EVIDENCE)
    if finding.pointer and (part := value_at(json_of(payload), finding.pointer)) is not ABSENT:
        return bounded(part, _EVIDENCE // 4)[0]
    return cut_text(visible(decode(payload)), _EVIDENCE)


def brief(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings in short, those of one check together, worst first."""
    groups: dict[str, list[Finding]] = {}
    for each in sorted(findings, key=lambda each: each.severity.rank):
        groups.setdefault(each.id, []).append(each)
    return [
        {"id": id_, "severity": group[0].severity, "count": sum(each.count for each in group)}
        | ({"entry": group[0].frames[0]} if group[0].frames else {})
        for id_, group in groups.items()
    ]


def payload_of(journal: Journal, n: int) -> bytes:
    """Return the bytes of a message or of a line of stderr; b"" for another entry."""
    if not 0 < n <= journal.count:
        return b""
    what = journal.store.entry(n).what
    return what.payload if isinstance(what, Frame) else getattr(what, "payload", b"")


def json_of(payload: bytes) -> Any:
    """Return the value of a payload that is JSON, otherwise its text."""
    try:
        return msgspec.json.decode(payload)
    except UNDECODABLE:
        return visible(decode(payload), newlines=True)


def changes_facts(changes: Sequence[DefinitionChange]) -> list[dict[str, Any]]:
    """Return changed definitions, the worst first; the last row counts those that are left out."""
    worst = sorted(changes, key=lambda each: each.rating.rank)[:_MOST_CHANGES]
    found: list[dict[str, Any]] = [
        {"rating": each.rating, "kind": each.kind, "name": visible(each.name, limit=80), "path": each.path}
        | {"sentence": visible(each.sentence, limit=160)}
        for each in worst
    ]
    return found if len(changes) <= len(worst) else [*found, {"more": len(changes) - len(worst)}]


def end_of(journal: Journal, why: str) -> dict[str, Any]:
    """Return how a server was started and ended, with the end of its stderr; {} if it still runs."""
    if not has_failure(journal) and not why:
        return {}
    found = as_data(journal, why)
    members = {name: found[name] for name in ("argv", "url", "exit_code", "signal", "why") if found[name]}
    if found["exit_code"] == 0:
        members["exit_code"] = 0
    if stderr := found["stderr"][-_STDERR_LINES:]:
        members["stderr"] = [cut_text(visible(line), _SENTENCE) for line in stderr]
    return members


def wait_words(journal: Journal) -> str:
    """Return which request has waited for seconds, and what is known of the server meanwhile; "" if none has."""
    waits = wait_of(journal, WaitView(time.monotonic_ns(), False, (), *Programs().of(child_pid(journal))))
    if waits is None:
        return ""
    return "; ".join(filter(None, (plain(waits.chain), plain(waits.known), waits.advice)))


def request_facts(ticket: Ticket) -> dict[str, Any]:
    """Return a request of the server that waits for an answer, with how to answer it."""
    asked = ticket.server_request
    found: dict[str, Any] = {"request": ticket.number, "kind": str(asked.kind), "entry": asked.frame}
    if asked.kind is RequestKind.ELICITATION:
        found |= {"message": visible(asked.message, limit=_SENTENCE)}
        found |= (
            {"url": visible(asked.url, limit=_SENTENCE)} if asked.url else {"schema": bounded(asked.schema, 300)[0]}
        )
    else:
        found["params"] = bounded(asked.params, 300)[0]
    return found


def requests_facts(tickets: Sequence[Ticket]) -> list[dict[str, Any]]:
    """Return the requests of the server that wait for answers."""
    return [request_facts(each) for each in tickets[:3]]


def answer_call(session: str, ticket: Ticket) -> str:
    """Return the call that answers a request of the server."""
    if ticket.server_request.kind is RequestKind.ELICITATION:
        what = 'action="accept"' if ticket.server_request.url else 'action="accept", content={…}'
    else:
        what = 'content={"type": "text", "text": "…"}'
    return f'answer(session="{session}", request={ticket.number}, {what})'
