"""Captures as resources: their list, an overview of each, and its messages."""

import time
from pathlib import Path
from typing import Any

from inspector.capture.automatic import captures
from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.present.failure_report import of_findings
from inspector.present.findings import inspected
from inspector.protocol import peek
from inspector.serve.bounded import bounded
from inspector.serve.facts import brief, cause_facts, json_of, payload_of
from inspector.serve.sessions import Sessions

SCHEME = "mcpcap://"
LIST = f"{SCHEME}list"
TEMPLATES = (
    (f"{SCHEME}{{capture}}", "capture", "Overview of a capture: server, findings, requests."),
    (f"{SCHEME}{{capture}}/{{entry}}", "entry", "One recorded message of a capture."),
)
_MOST_LISTED, _MOST_REQUESTS = 50, 30
_TOKENS = 1900


def listed(sessions: Sessions) -> list[dict[str, Any]]:
    """Return the resources: the list of captures, and the captures of open sessions."""
    found = [{"uri": LIST, "name": "captures", "description": "Recent captures.", "mimeType": "application/json"}]
    for opened in sessions.all:
        if (path := opened.journal.capture_path) is not None:
            about = f"Recording of session {opened.id}."
            found.append({"uri": f"{SCHEME}{path.stem}", "name": path.stem, "description": about})
    return found


def read(sessions: Sessions, uri: str) -> Any:
    """Return the content of a resource, bounded and not cleaned yet. Blocks. Raises: UsageError, CaptureError."""
    if uri == LIST:
        now = time.time()
        return [_row(path, now) for path in captures(sessions.options.captures)[:_MOST_LISTED]]
    name, _, entry = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or (entry and not entry.isdecimal()):
        raise UsageError(f"no resource {uri!r}", hint=f"{LIST} names the captures.")
    journal = load(sessions.capture_path(name))
    try:
        return bounded(_message(journal, int(entry)) if entry else _overview(journal), _TOKENS)[0]
    finally:
        journal.close()


def _row(path: Path, now: float) -> dict[str, Any]:
    stat = path.stat()
    return {"uri": f"{SCHEME}{path.stem}", "bytes": stat.st_size, "age_s": round(now - stat.st_mtime)}


def _message(journal: Journal, n: int) -> Any:
    if not 0 < n <= journal.count:
        raise UsageError(f"no entry {n}: the capture has {journal.count:,}")
    return json_of(payload_of(journal, n))


def _overview(journal: Journal) -> dict[str, Any]:
    found, _ = inspected(journal)
    opening = journal.conversation.opening
    diagnosis = of_findings(found)
    return {
        "entries": journal.count,
        "server": {name: peek.text(opening.server, name) for name in ("name", "version")} if opening else None,
        "protocol": opening.revision.date if opening else None,
        "cause": cause_facts(journal, diagnosis.reason) if diagnosis is not None else None,
        "findings": brief(found),
        "requests": [
            {"entry": each.request_frame, "method": each.method, "target": each.target, "state": str(each.state)}
            for each in [*journal.conversation.exchanges][-_MOST_REQUESTS:]
        ],
    }
