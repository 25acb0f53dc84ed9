"""What the sandbox page of an app reports: blocked parts, errors of scripts, refusals. Not of the specification."""

from typing import Any

from inspector.protocol import peek
from inspector.protocol.apps import SANDBOX
from inspector.text import visible

REPORT = f"{SANDBOX}report"
"""The notification of a report."""


def is_probe(params: Any) -> bool:
    """Return whether a report is of blocked `eval`, which libraries try in order to know whether they may."""
    return peek.text(params, "kind") == "csp" and peek.text(params, "blocked") == "eval"


def report_sentence(params: Any) -> str:
    """Return what the sandbox page reports as a sentence, safe to show."""
    kind, line = peek.text(params, "kind"), peek.integer(params, "line")
    where = f" (line {line} of the HTML)" if line else ""
    if is_probe(params):
        return f"a script evaluates text as code, which no host allows; some libraries only probe for it{where}"
    if kind == "csp":
        directive = visible(peek.text(params, "directive") or "?", limit=60)
        blocked = visible(peek.text(params, "blocked") or "?", limit=200)
        return f"the browser blocked {blocked}: {directive} does not allow it{where}"
    if kind == "refused":
        return f"{visible(peek.text(params, 'what') or '?', limit=80)}: the browser refuses it to an app in its sandbox"
    if kind == "flood":
        return f"{peek.integer(params, 'dropped') or 0:,} messages were dropped: the app sends too many at once"
    if kind == "reserved":
        return f"the app sent {visible(peek.text(params, 'method') or '?', limit=80)}, which only the sandbox may send"
    if kind == "unserializable":
        return "the app sent a value that is not JSON"
    if kind == "navigated":
        return "the app navigated away from its document; its frame was removed"
    return f"error in the app: {visible(peek.text(params, 'message') or '?', limit=300)}{where}"
