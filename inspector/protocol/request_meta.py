"""Metadata in each request, by revision: none, or version, client and capabilities in `_meta`.

Source: specification 2026-07-28, basic (per-request metadata); utilities/progress in all revisions.
"""

import re
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.capabilities import Advertised, declared
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.revisions._shape import LogLevel, Revision, Stamp
from inspector.protocol.tracking.opening import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION

# The eight log levels, from the least to the most severe, and the request member that selects one.

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
LOG_MESSAGE = "notifications/message"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
"""Member of a request's `_meta` that requests log messages from a level upwards (2026-07-28)."""

TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
"""Pattern of `traceparent`: version, trace, parent and flags (W3C Trace Context)."""


class TraceContext(msgspec.Struct, frozen=True):
    """The distributed trace that a message belongs to."""

    trace: str
    """Trace id, 32 hexadecimal digits."""
    parent: str
    """Id of the span that sent the message, 16 hexadecimal digits."""
    sampled: bool


def rank(level: Any) -> int | None:
    """Return the rank of a log level, from 0; None for an unknown level."""
    return LEVELS.index(level) if isinstance(level, str) and level in LEVELS else None


def trace_context(params: Any) -> TraceContext | None:
    """Return the trace context in `_meta.traceparent` (SEP-414); None if it is missing or invalid."""
    found = peek.text(params, "_meta", "traceparent")
    match = TRACEPARENT.fullmatch(found) if found else None
    return None if match is None else TraceContext(match[1], match[2], bool(int(match[3], 16) & 1))


class ClientIdentity(msgspec.Struct, frozen=True):
    """The client as it identifies itself in requests."""

    info: dict[str, Any]
    offers: frozenset[str] = frozenset()
    """Offered capabilities, by the names of `capabilities`."""
    extensions: Advertised = Advertised()
    exactly: dict[str, Any] | None = None
    """Capabilities to declare literally in any revision; None to declare the offers."""
    sdk: str = ""
    """“typescript”, “typescript-1” or “rust”: the SDK whose form messages have; "" for the usual form.

    TypeScript: the order is method, params, jsonrpc, id, but for probes and `subscriptions/listen`; before version 2
    also in notifications. Rust: each request asks for progress, and `_meta` comes first.
    """
    has_params: bool = False
    """Whether requests without params have empty ones."""

    def capabilities(self, revision: Revision) -> dict[str, Any]:
        """Return the capabilities to declare, in the format of the revision."""
        if self.exactly is not None:
            return self.exactly
        members = declared(self.offers, revision)
        extensions = self.extensions.in_revision(revision)
        return members | {"extensions": peek.mapping(members, "extensions") | extensions} if extensions else members


def stamped(
    revision: Revision | None,
    params: Any,
    client: ClientIdentity,
    *,
    progress_token: RequestId | None = None,
    log_level: str = "",
) -> Any:
    """Add the revision's metadata to params. Existing members of `_meta` are kept, so that any value can be tested.

    `log_level` is the level that requests ask for, in revisions where they can; "" for none. Params that are not an
    object are returned unchanged: they are invalid on purpose.
    """
    if params is not None and not isinstance(params, dict):
        return params
    meta: dict[str, Any] = {}
    if revision is not None and revision.stamp is Stamp.META:
        meta = {
            PROTOCOL_VERSION: revision.date,
            CLIENT_INFO: client.info,
            CLIENT_CAPABILITIES: client.capabilities(revision),
        }
    if log_level and revision is not None and revision.log_level is LogLevel.META:
        meta[LOG_LEVEL] = log_level
    if progress_token is not None:
        meta["progressToken"] = progress_token
    meta |= peek.mapping(params, "_meta")
    if not meta:
        return params
    if client.sdk == "rust":
        return {"_meta": meta} | {name: value for name, value in (params or {}).items() if name != "_meta"}
    return {**(params or {}), "_meta": meta}
