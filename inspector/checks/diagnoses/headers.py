"""Diagnoses of HTTP headers that a server refuses, or that do not reach it as they were sent."""

import re
from collections.abc import Iterator

import msgspec

from inspector.checks.diagnoses.http import (
    BAD_VERSION,
    GUARD,
    NO_SESSION,
    deferred,
    kind_of,
    netloc,
    of_discovery,
    refused,
    responded,
)
from inspector.checks.diagnoses.probes import lacks_header
from inspector.checks.findings import Confidence
from inspector.checks.foreign_text import words_of_body
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.state import SESSION, CheckMoment, HttpExchangeState
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ResultResponse
from inspector.text import cut

error = diagnoses_of("http").error

_TYPE = re.compile(rb"(?i)(invalid|unsupported|bad|wrong).{0,20}(content[- ]type|media type)")
_VERSION_SEEN = re.compile(r"(?i)protocol[ -]?version\W{0,3}(\d{4}-\d\d-\d\d(?:,\s*\d{4}-\d\d-\d\d)*)")
"""The version that a refusal names as the one that was sent."""
_ASSUMED = "2025-03-26"
_ON_THE_WAY = "Configure the proxy or gateway to pass on MCP-Protocol-Version as the client sends it, once."
_NEEDS_SESSION = re.compile(
    rb"(?i)mcp-session-id.{0,40}(?:required|missing|absent)|"
    rb"(?:missing|without|requires?) .{0,20}(?:mcp-session-id|session)|"
    rb"session id (?:is )?(?:required|missing)"
)
_PARAM_HEADER = re.compile(r"(?i)\bmcp-param-[\w-]+")
_NAMES_SESSION = re.compile(r"(?i)(?!mcp-session-id$)(?:[\w-]+[-_])?session(?:[-_]?id)?")
_MISSING = re.compile(
    r"(?i)\b(mcp-[a-z-]{1,40})\b.{0,40}\b(?:missing|absent|required|not (?:found|present|provided|set))\b"
    r"|\b(?:missing|absent|without|requires?|no)\b.{0,30}\b(mcp-[a-z-]{1,40})\b"
)


class _Notes(msgspec.Struct):
    given: str = ""
    """Where the response to `initialize` has a session, if that is not its header; "" for nowhere."""


@error("`Accept` header is rejected", "http", "end")
def accept_header_rejected(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 406, although both types were accepted, or because a header of the user removed one.

    Fix: Accept both application/json and text/event-stream, in any order; and see whether a proxy changes the header.
    """
    heads = responded(case)
    is_refused = heads is not None and heads.request.method == "POST" and heads.response.status == 406
    if heads is not None and is_refused and kind_of(heads.http) != "text/html":  # a page is of something in front
        http = heads.http
        sent = http.sent("accept") or ""
        whole = "application/json" in sent and "text/event-stream" in sent
        fix = "" if whole or http.sent("accept") is None else "Remove the custom Accept header."
        more = ", which names both types: the server misreads it, or a proxy changes it" if whole else ""
        violation = Violation(f"the server returned HTTP 406 for Accept: {cut(sent, 80)}{more}", fix=fix)
        yield from deferred(case, http, "accept-header-rejected", violation)
    yield from of_discovery(case, "accept-header-rejected")


@error("`Content-Type` is rejected", "http", "refusal", "end")
def content_type_rejected(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 415, or an error message to that effect.

    Fix: Accept application/json, and see whether a proxy changes the header.
    """
    heads, refusal = responded(case), refused(case)
    if heads is not None and heads.response.status == 415:
        sent = cut(heads.http.sent("content-type") or "", 60)
        kind = kind_of(heads.http)
        sent += (
            f"; its response is of another protocol ({cut(kind, 40)})" if kind.startswith("application/grpc") else ""
        )
        violation = Violation(f"the server returned HTTP 415 for Content-Type: {sent}")
        yield from deferred(case, heads.http, "content-type-rejected", violation)
    elif refusal is not None and (words := _TYPE.search(refusal[1])):
        violation = Violation("the server rejected the content type of a body", span=words.span())
        yield from deferred(case, refusal[0].http, "content-type-rejected", violation)
    yield from of_discovery(case, "content-type-rejected")


@error("`Host` or `Origin` is rejected", "http", "refusal")
def host_rejected(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 421, or an error about Host or Origin: right for foreign pages, wrong for the server's own name.

    Fix: Allow the host in the server, or have the proxy send a Host that the server allows.
    """
    heads, body = refused(case) or (responded(case), b"")
    found = GUARD.search(body)
    if heads is None or (heads.response.status != 421 and not (found and heads.response.status in (400, 403))):
        return
    if not case.state.is_first("host-rejected"):
        return
    http, request, response = heads
    if found and not http.sent("origin") and b"origin" in found[0].lower() and b"host" not in found[0].lower():
        words = cut(words_of_body(body), 120)
        sentence = f"the server rejects requests without Origin with HTTP {response.status}: {words}"
        fix = "Accept requests without Origin: only browsers send it. Connect with -H 'Origin: …' meanwhile."
        yield Violation(sentence, fix=fix)
        return
    host = http.sent("host") or netloc(request.target)
    origin = f", Origin {http.sent('origin')}" if http.sent("origin") else ""
    words = f": {cut(found[0].decode('utf-8', 'replace'), 60)}" if found else ""
    fix = (
        f"Allow the host ({cut(host.partition(':')[0], 60)}:*) in the server, or have the proxy send a Host that "
        "the server allows."
    )
    yield Violation(f"the server rejected Host {cut(host, 60)}{origin} with HTTP {response.status}{words}", fix=fix)


@error("Session id required but not issued", "refusal", "answer initialize")
def session_id_not_issued(case: CheckMoment) -> Iterator[Violation]:
    """The response to initialize had no session id, or one that a browser may not read.

    Fix: Send Mcp-Session-Id with the response to initialize.
    """
    notes = case.state.notes(_Notes)
    if isinstance(case.message, ResultResponse):
        named = [
            f"the member {cut(name, 40)} of its result"
            for name in peek.mapping(case.value)
            if "session" in name.lower()
        ]
        headers = case.http.response.headers if case.http is not None and case.http.response is not None else ()
        named += [f"the header {cut(name, 40)}" for name, _ in headers if _NAMES_SESSION.fullmatch(name)]
        notes.given = next(iter(named), "")
        return
    heads, body = refused(case) or (None, b"")
    if heads is None or case.state.opening is None or case.is_modern or heads.http.sent(SESSION) is not None:
        return
    if heads.request.method != "POST":
        return  # a stream without a session may be refused
    if words := NO_SESSION.search(body):
        fix = "Send Mcp-Session-Id with the response to initialize, and Access-Control-Expose-Headers for web clients."
        sentence = "the server requires a session id, but its response to initialize had none"
        if notes.given:
            sentence = f"the server requires the header Mcp-Session-Id, and gave the session in {notes.given} instead"
        yield Violation(sentence, span=words.span(), fix=fix)


@error("Headers do not match the body", "error")
def header_body_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """Error -32020: a proxy has changed one of them, or the server parses them incorrectly.

    Not judged for initialize, which has none of these headers.

    Fix: Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with the body, before and after the proxy.
    """
    if case.method == "initialize":
        return
    if peek.integer(case.value, "code") == -32020 and not lacks_header(case):
        if case.asked is not None and (name := _encoded_header(case)) is not None:
            sentence = f"the server compares {name} with the body without decoding it: the value is encoded as"
            sentence = f"{sentence} =?base64?…?=, because headers hold visible ASCII only"
            fix = f"Decode =?base64?…?= in {name}, then compare it with the body."
            yield Violation(sentence, "/error", (case.asked.frame,), fix=fix)
            return
        sentence = cut(peek.text(case.value, "message") or "", 120)
        frames = (case.asked.frame,) if case.asked is not None else ()
        if lost := _unnamed_header(case, sentence) or missing_header(case.http, sentence):
            yield Violation(f"{cut(case.method, 40)} was rejected: {sentence}{lost[0]}", "/error", frames, fix=lost[1])
            return
        sentence = f"the server reports that headers and body of {cut(case.method, 40)} differ: {sentence}"
        sent = case.http.sent("mcp-name") if case.http is not None and "mcp-name" in sentence.lower() else None
        params = case.asked.params if case.asked is not None else None
        if sent is not None and sent in (peek.text(params, "name"), peek.text(params, "uri")):
            sentence += f"; both were sent as {cut(sent, 60)!r}: the server or a gateway misreads or changes the body"
        yield Violation(sentence, "/error", frames)


def _unnamed_header(case: CheckMoment, words: str) -> tuple[str, str] | None:
    """Return what to add to words about a missing Mcp-Param header that the tool's schema does not name; else None."""
    found, asked = _PARAM_HEADER.search(words), case.asked
    known = case.listed_as("tools", peek.text(asked.params, "name")) if asked is not None else None
    if found is None or known is None or "x-mcp-header" in repr(peek.at(known.item, "inputSchema")):
        return None
    return f"; inputSchema has no x-mcp-header for {found[0]}, so that clients send none", (
        "Annotate the argument with x-mcp-header in inputSchema, or take it from the body."
    )


def missing_header(http: HttpExchangeState | None, words: str) -> tuple[str, str] | None:
    """Return what to add to words about a missing header, and a fix; None if they are about no such header."""
    found = _MISSING.search(words)
    if http is None or found is None:
        return None
    name = next(group for group in found.groups() if group)
    if http.sent(name.lower()) is not None:
        return f"; {name} was sent, so a proxy or gateway removes it", f"Configure it to forward {name}."
    if name.lower() in ("mcp-method", "mcp-name"):
        more = f"; {name} is a header of 2026-07-28, and this request is of an earlier version"
        return more, f"Demand {name} only in requests whose MCP-Protocol-Version is 2026-07-28."
    return None


def _encoded_header(case: CheckMoment) -> str | None:
    """Return the header that the error names and whose value is encoded; the only encoded one if it names none."""
    headers = case.http.request.headers if case.http is not None and case.http.request is not None else ()
    encoded = [name for name, value in headers if value.startswith("=?base64?") and value.endswith("?=")]
    message = (peek.text(case.value, "message") or "").lower()
    named = [name for name in encoded if name.lower() in message]
    return named[0] if named else encoded[0] if len(encoded) == 1 and "mcp-" not in message else None


@error("Negotiated `MCP-Protocol-Version` is rejected", "refusal", since="2025-06-18", until="2025-11-25")
def version_header_rejected(case: CheckMoment) -> Iterator[Violation]:
    """MCP-Protocol-Version has the version that initialize negotiated, but the server rejects it.

    Fix: Accept the version of the initialize result.
    """
    (heads, body), revision = refused(case) or (None, b""), case.state.revision
    if heads is None or revision is None or heads.http.sent("mcp-protocol-version") != revision.in_header:
        return
    if (words := BAD_VERSION.search(body)) and case.state.is_first("version-header-rejected"):
        sentence = f"the server rejects MCP-Protocol-Version: {revision.in_header}, which initialize negotiated"
        lost = missing_header(heads.http, body.decode("utf-8", "replace"))
        seen, fix = _seen_version(body), "Accept the version of the initialize result, and requests without it."
        if seen and seen != revision.in_header:
            sentence, fix = (
                f"{sentence}, and names {cut(seen, 60)}{_why_not_sent(seen, revision.in_header)}",
                _ON_THE_WAY,
            )
        elif lost is not None:
            sentence, fix = f"the server misses MCP-Protocol-Version{lost[0]}", lost[1]
        yield Violation(sentence, span=words.span(), fix=fix)


def _seen_version(body: bytes) -> str:
    """Return the version that a refusal says was sent; "" if it does not say."""
    found = _VERSION_SEEN.search(body.decode("utf-8", "replace"))
    return found[1] if found else ""


def _why_not_sent(seen: str, sent: str) -> str:
    """Return how a header may have become another one on its way."""
    if set(re.split(r",\s*", seen)) == {sent}:
        return ": a proxy adds the header again"
    if seen == _ASSUMED:
        return ", which servers assume without the header: a proxy or gateway removes it"
    return ", which was not sent with the request: a proxy or gateway sends another version"


@error("`Mcp-Session-Id` does not reach the server", "refusal")
def session_id_not_forwarded(case: CheckMoment) -> Iterator[Violation]:
    """The request had Mcp-Session-Id, but the server says that it is missing.

    Fix: Configure the proxy or gateway to forward the request header Mcp-Session-Id.
    """
    heads, body = refused(case) or (None, b"")
    if heads is None or case.state.opening is None or heads.http.sent(SESSION) is None:
        return
    if words := _NEEDS_SESSION.search(body):
        sentence = "the server reports a missing Mcp-Session-Id, which was sent: a proxy or gateway removes it"
        yield Violation(sentence, span=words.span(), confidence=Confidence.LIKELY)
