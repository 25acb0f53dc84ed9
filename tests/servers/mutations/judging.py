"""Whether the first finding is about what was mutated."""

import re
from enum import StrEnum

from inspector.checks.findings import Finding
from tests.servers.mutations.legality import is_legal
from tests.servers.mutations.mutants import Mutation
from tests.servers.mutations.running import Heard, Setting, accuses


class Judgement(StrEnum):
    """What a run shows about the checks."""

    NAMED = "named"
    SILENT = "rightly silent"
    UNNAMED = "unnamed"
    ACCUSED = "falsely named"
    CRASHED = "crashed"

    @property
    def is_right(self) -> bool:
        """Whether it is as it has to be."""
        return self in (Judgement.NAMED, Judgement.SILENT)


_CLAUSES = {
    "id": "id-type-changed response-id-mismatch unexpected-response server-silent error-without-id",
    "jsonrpc": "json-rpc-envelope-missing",
    "method": "subscription-not-acknowledged",
    "result": "result-and-error json-rpc-envelope-missing",
    "error": "result-and-error error-object-invalid",
    "$ref": "unresolved-reference schema-expansion-limit",
}
"""Ids of findings that are about a member of the envelope, or a reference, without its name."""
_NO_RESPONSE = (
    "server-silent unknown-method-unanswered request-unanswered silent-after-handshake call-timed-out "
    "probe-unanswered stream-ended-early empty-body"
)
_OF_OPERATORS = {
    ("line", "drop"): _NO_RESPONSE + " subscription-not-acknowledged",
    ("line", "duplicate"): "duplicate-response response-id-mismatch progress-not-increasing",
    ("line", "truncate"): "malformed-json last-message-truncated stdout-not-json",
    ("line", "reorder"): _NO_RESPONSE + " message-before-handshake unrequested-progress",
    ("line", "split"): "multiline-message",
    ("line", "join"): "newline-missing stdout-not-json",
    ("line", "no newline"): "newline-missing last-message-truncated",
    ("line", "text before"): "stdout-not-json",
    ("line", "text after"): "stdout-not-json malformed-json newline-missing",
    ("line", "byte order mark"): "byte-order-mark",
    ("line", "invalid UTF-8"): "stdout-encoding",
    ("line", "NUL byte"): "stdout-encoding stdout-not-json malformed-json newline-missing",
    ("line", "Content-Length"): "lsp-framing",
    ("line", "batch"): "batch-unsupported batch-not-specified",
    ("line", "string"): "malformed-json",
    ("line", "terminal code"): "terminal-codes-on-stdout",
    ("body", "drop"): "empty-body",
    ("body", "truncate"): "body-truncated malformed-json invalid-json-rpc",
    ("body", "duplicate"): "invalid-json-rpc malformed-json newline-missing",
    ("body", "HTML"): "html-response content-type-mismatch invalid-json-rpc",
    ("body", "text"): "content-type-mismatch invalid-json-rpc malformed-json",
    ("body", "byte order mark"): "byte-order-mark",
    ("body", "invalid UTF-8"): "stdout-encoding",
    ("body", "batch"): "batch-unsupported batch-not-specified",
    ("event", "drop"): _NO_RESPONSE + " acknowledgment-not-first",
    ("event", "duplicate"): "duplicate-response response-id-mismatch progress-not-increasing",
    ("event", "truncate"): "malformed-json invalid-json-rpc",
    ("event", "rename event"): "unknown-event-name",
    ("event", "retype event"): "unknown-event-name",
    ("event", "rename data"): "event-field-unknown acknowledgment-not-first " + _NO_RESPONSE,
    ("event", "hang up"): "stream-ended-early unterminated-event",
}
"""By the kind of a place and the operator: findings that are about it."""
_PROGRESS, _LOST = "notifications/progress", ("drop", "reorder", "rename data")
_TOLERATED = {
    **{(kind, _PROGRESS): _LOST for kind in ("member", "line", "event")},  # its loss harms nothing
    ("line", "notifications/subscriptions/acknowledged"): ("reorder",),  # a response may precede it
}
"""Operators that are legal for a message."""


def judge(setting: Setting, mutation: Mutation, heard: Heard, message: object) -> Judgement:
    """Return what a run shows; `message` is what the server meant to send."""
    if heard.crash:
        return Judgement.CRASHED
    first = heard.primary
    legal = is_legal(message, mutation, setting.revision) or _may_be_missing(mutation)
    if first is None or (legal and not accuses(first)):
        return Judgement.SILENT if legal else Judgement.UNNAMED
    return Judgement.NAMED if _is_about(first, mutation, heard) else Judgement.ACCUSED


def _may_be_missing(mutation: Mutation) -> bool:
    return mutation.operator in _TOLERATED.get((mutation.kind, mutation.method), ())


def _is_about(finding: Finding, mutation: Mutation, heard: Heard) -> bool:
    if mutation.kind == "member":
        return _is_about_member(finding, mutation)
    if finding.id in _OF_OPERATORS.get((mutation.kind, mutation.operator), "").split():
        return True
    if mutation.kind == "header":
        return mutation.place.lower() in f"{finding.sentence} {finding.fix}".lower() or (
            mutation.place == "Mcp-Session-Id" and "session" in finding.id
        )
    return mutation.place in finding.sentence if mutation.kind == "status" else False


def _is_about_member(finding: Finding, mutation: Mutation) -> bool:
    tokens = [token.rpartition("~1")[2] for token in mutation.place.split("/")]
    names = [token for token in tokens if token and not token.isdigit()]
    leaf, above = names[-1], names[-2] if len(names) > 2 else names[-1]
    if finding.id in _CLAUSES.get(leaf, "").split() and (len(names) == 1 or leaf == "$ref"):
        return True
    words = f"{finding.sentence} {finding.pointer}"
    is_named = any(_has(words, each) for each in (leaf, leaf + "X", above))
    return is_named or finding.pointer.startswith(mutation.place)


def _has(text: str, word: str) -> bool:
    return re.search(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", text) is not None
