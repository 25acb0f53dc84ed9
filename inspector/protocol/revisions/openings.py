"""Which response settles the revision, and what the response to a probe proves about the server's era.

The modern era is proved by a `server/discover` result, by one of the three error codes of the stateless revision in
their own shape, or by -32601 that names a stateless version. -32601 and -32602 alone prove nothing, because
handshake servers use both for unknown requests before `initialize`. 401, 403, 5xx and timeouts prove nothing either.

Source: specification 2026-07-28, basic/versioning and basic/transports (backward compatibility).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.table import dates, find, mutual, resolve

OPENING = ("initialize", "server/discover")
"""Requests that open a connection, of both eras."""
SERVER_INFO = "io.modelcontextprotocol/serverInfo"

HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION = -32020, -32021, -32022
METHOD_NOT_FOUND = -32601
_CANDIDATE_CODES = {-32001: HEADER_MISMATCH, -32003: MISSING_CAPABILITY, -32004: UNSUPPORTED_VERSION}
"""The release candidate of 2026-07-28 used other codes under the same version string."""


class Opening(msgspec.Struct, frozen=True):
    """What is known after a conversation was opened."""

    revision: Revision
    server: dict[str, Any] = msgspec.field(default_factory=dict)
    """The server's description of itself (name, version, title, …)."""
    capabilities: dict[str, Any] = msgspec.field(default_factory=dict)
    """Capabilities declared by the server."""
    client_capabilities: dict[str, Any] = msgspec.field(default_factory=dict)
    """Capabilities declared by the client."""
    client: dict[str, Any] = msgspec.field(default_factory=dict)
    instructions: str = ""
    supported: tuple[str, ...] = ()
    """All versions that the server named, if any."""
    offered: str = ""
    """Version that the client offered in `initialize`; "" in the modern era."""
    warnings: tuple[str, ...] = ()

    @property
    def era(self) -> Era:
        """How the conversation was opened."""
        return self.revision.era


class ProbeVerdict(StrEnum):
    """What the response to the probe proves."""

    MODERN = "modern"
    """Continue in the stateless era with `Judgement.date`."""
    AGAIN = "again"
    """Modern, but in another version: repeat the probe with `Judgement.date`."""
    UNDISCOVERED = "undiscovered"
    """Modern, because it names such versions (one is `Judgement.date`), although it does not know `server/discover`."""
    LEGACY = "legacy"
    """Open with `initialize`."""
    INCOMPATIBLE = "incompatible"
    """The server names its versions, and we support none of them."""


class Judgement(msgspec.Struct, frozen=True):
    """A verdict with its reason, for the user."""

    verdict: ProbeVerdict
    why: str
    date: str = ""
    supported: tuple[str, ...] = ()


def from_initialize(params: Any, result: Any) -> Opening | str:
    """Return the opening settled by an `initialize` result; if there is none, a sentence why."""
    date = peek.text(result, "protocolVersion")
    if date is None:
        return "the result of initialize has no protocolVersion"
    revision, warning = resolve(date, Era.LEGACY)
    return Opening(
        revision=revision,
        server=peek.mapping(result, "serverInfo"),
        capabilities=peek.mapping(result, "capabilities"),
        client_capabilities=peek.mapping(params, "capabilities"),
        client=peek.mapping(params, "clientInfo"),
        instructions=peek.text(result, "instructions") or "",
        offered=peek.text(params, "protocolVersion") or "",
        warnings=(warning,) if warning else (),
    )


def from_discover(date: str, result: Any) -> Opening | str:
    """Return the opening settled by a `server/discover` result for version `date`; if there is none, a sentence why."""
    supported = supported_versions(result)
    if not supported and not peek.has(result, "capabilities"):
        return "the result of server/discover has neither supportedVersions nor capabilities"
    revision, warning = resolve(date, Era.MODERN)
    named = peek.mapping(result, "_meta", SERVER_INFO) or peek.mapping(result, "serverInfo")
    return Opening(
        revision=revision,
        server=named,
        capabilities=peek.mapping(result, "capabilities"),
        instructions=peek.text(result, "instructions") or "",
        supported=supported,
        warnings=(warning,) if warning else (),
    )


def supported_versions(result: Any) -> tuple[str, ...]:
    """Return the versions that a DiscoverResult names."""
    return tuple(item for item in peek.items(result, "supportedVersions") if isinstance(item, str))


def modern_code(error: Any) -> int | None:
    """Return which of the stateless revision's three codes an error has; None if none. Maps the candidate's codes.

    The candidate's codes have other meanings elsewhere, so they count only with matching data or message.
    """
    code = peek.integer(error, "code")
    if code in (HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION):
        return code
    final = _CANDIDATE_CODES.get(code or 0)
    has_versions = peek.has(error, "data", "supported") and peek.has(error, "data", "requested")
    words = (peek.text(error, "message") or "").lower()
    if final == UNSUPPORTED_VERSION and has_versions:
        return final
    if final == MISSING_CAPABILITY and isinstance(peek.at(error, "data", "requiredCapabilities"), dict):
        return final
    return final if final == HEADER_MISMATCH and words.startswith("header mismatch") else None


def judge_result(date: str, result: Any, *, pinned: bool = False) -> Judgement:
    """Judge a result of `server/discover`, for a request that declared version `date`."""
    supported = supported_versions(result)
    if not supported and not peek.has(result, "capabilities"):
        return Judgement(ProbeVerdict.LEGACY, "it answered server/discover with something else")
    if not supported or date in supported or pinned:
        return Judgement(ProbeVerdict.MODERN, "it answered server/discover", date, supported)
    return _choose(supported, "it answered server/discover")


def judge_error(date: str, error: Any) -> Judgement:
    """Judge an error from `server/discover`."""
    code = modern_code(error)
    versions = named_versions(error)
    if code is None and (modern := names_stateless(error)):
        why = f"it does not know server/discover, and names {modern}"
        return Judgement(ProbeVerdict.UNDISCOVERED, why, modern, versions)
    if code == UNSUPPORTED_VERSION:
        return _choose(versions, f"it does not take {date}") if versions else _unnamed(date)
    if code is not None:
        return Judgement(ProbeVerdict.MODERN, "its error is one of the stateless revision", date)
    return Judgement(ProbeVerdict.LEGACY, f"it answered server/discover with error {peek.at(error, 'code')}")


def named_versions(error: Any) -> tuple[str, ...]:
    """Return the versions that an error names as supported, in its data."""
    for member in ("supported", "supportedVersions"):
        if named := tuple(item for item in peek.items(error, "data", member) if isinstance(item, str)):
            return named
    return ()


def names_stateless(error: Any) -> str:
    """Return the newest common version if the error -32601 names stateless versions; "" if there is none."""
    if peek.integer(error, "code") != METHOD_NOT_FOUND:
        return ""
    return mutual(list(named_versions(error)), Era.MODERN) or ""


def names_handshake(versions: Iterable[str]) -> bool:
    """Whether any of these versions begins with `initialize`: a server that names one serves both eras."""
    return any((found := find(each)) is not None and found.era is Era.LEGACY for each in versions)


def _unnamed(date: str) -> Judgement:
    return Judgement(ProbeVerdict.INCOMPATIBLE, f"it does not take {date} and names no version that it takes")


def _choose(supported: tuple[str, ...], why: str) -> Judgement:
    modern = mutual(list(supported), Era.MODERN)
    if modern:
        return Judgement(ProbeVerdict.AGAIN, f"{why} and names {modern}", modern, supported)
    if mutual(list(supported), Era.LEGACY):
        return Judgement(ProbeVerdict.LEGACY, f"{why} and names handshake revisions only", "", supported)
    named, ours = ", ".join(supported), ", ".join(dates())
    return Judgement(ProbeVerdict.INCOMPATIBLE, f"it supports {named}; mcp-inspect supports {ours}", "", supported)
