"""Diagnoses of authorization: challenges, metadata, tokens and redirects.

A login is judged by headers, challenges and public metadata only. Captures contain neither the traffic between
browser and authorization server nor the bodies with tokens.
"""

import re
import shlex
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from inspector.checks.diagnoses.http import kind_of, responded
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import STATUS_ONLY, words_of_body
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.sayings import explained
from inspector.checks.state import (
    CheckMoment,
    ConnectionState,
    HttpExchangeState,
    MetadataDocument,
    is_loopback,
    value_of,
)
from inspector.protocol import peek
from inspector.protocol.credentials import MASK, is_credential, without_credentials
from inspector.protocol.facts import HttpEvent
from inspector.text import cut

_WARNING = Severity.WARNING
_TOPIC = "basic/authorization"
error, warning, hint = diagnoses_of(_TOPIC)
_WELL_KNOWN, _PROTECTED = "/.well-known/", "/.well-known/oauth-protected-resource"
_SERVER = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
_SAID = re.compile(r'(error(?:_description)?|scope)="([^"]{1,200})"')
_UNQUOTED = re.compile(r"(?<![\w-])resource_metadata=https?:[^\s,]*")
_SKEW_S = 120
_SAYS_WHOSE = "authorization_response_iss_parameter_supported"
_PLACES = re.compile(r"(_endpoint|_uri|_url|^issuer|^jwks_uri|^service_documentation)$")
_BEARER = re.compile(r"(?i)\b(?:bearer|dpop)\b")
_KEY_HEADER = re.compile(r'(?i)name="([\w-]{1,80})",\s*type="header"')
_SCHEME = re.compile(r"\s*([A-Za-z][\w-]*)(?=\s|$)")


class _Notes(msgspec.Struct):
    required: tuple[int, str] | None = None
    """Entry and sentence about a request that requires credentials, while none with credentials has succeeded."""
    body: str = ""
    """What the body of the newest 401 to credentials states."""


def _requested_metadata(state: ConnectionState) -> list[MetadataDocument]:
    """Return the places where metadata of the resource was requested."""
    return [each for each in state.login.tried if _PROTECTED in each.url]


@error("HTTP 401 without `WWW-Authenticate`", "end")
def missing_www_authenticate(case: CheckMoment) -> Iterator[Violation]:
    """Without a challenge, clients must guess where to log in; a warning if a guess succeeds.

    Fix: Send WWW-Authenticate: Bearer resource_metadata="https://…" with 401.
    """
    login = case.state.login
    bare = [n for n, status, challenge in login.refusals if status == 401 and not challenge]
    if bare:
        mild = _WARNING if any(each.value is not None for each in _requested_metadata(case.state)) else None
        sentence, fix = "HTTP 401 without WWW-Authenticate does not say where or how to log in", ""
        if login.page is not None:
            whose = f" of {login.page}" if login.page else ""
            sentence = f"HTTP 401 with an HTML page{whose} for browsers: something in front of the server is protected"
            fix = "Exempt the path of the server from that protection, or pass what it accepts with -H."
        means, advice = explained(
            f"HTTP 401 of {urlsplit(case.state.connection.url if case.state.connection else '').path}"
        )
        sentence = f"authentication required: {sentence}{_says(login.words)}{f' ({means})' if means else ''}"
        fix = fix or advice
        yield Violation(sentence, frames=(bare[0],), instead=True, severity=mild, fix=fix)


@hint("Authentication required", "http end", "end")
def authentication_required(case: CheckMoment) -> Iterator[Violation]:
    """A request without credentials was answered with 401 and a challenge, and nothing with credentials succeeded.

    This is not a defect. See `missing-www-authenticate` for 401 without a challenge, and `credentials-rejected`.

    Fix: Log in with mcp-inspect auth login URL, or pass a token with -H 'Authorization: Bearer …'.
    """
    notes, heads = case.state.notes(_Notes), case.heads
    if case.fact is None:
        if notes.required is not None:
            n, stated = notes.required
            stated += _says(case.state.login.words) if "with HTTP 403" in stated else ""
            yield Violation(stated, frames=(n,), instead=True)
    elif heads is not None and _is_for_messages(case, heads.http):
        http, status, challenge = heads.http, heads.response.status, heads.http.header("www-authenticate")
        if http.sent("authorization") is not None:
            if status < 400:
                notes.required = None
        elif status in (401, 403) and challenge and notes.required is None and not heads.request.probe:
            what = http.asked[0].named if http.asked else "GET, for the stream of HTTP+SSE,"
            answered = f"{what} was answered with HTTP {status} ({challenge[:500]})"
            stated = f"authentication required: {answered}"
            notes.required = http.frame, stated


def _is_for_messages(case: CheckMoment, http: HttpExchangeState) -> bool:
    """Whether an exchange has a request, or asks for the stream of the older transport."""
    url = case.state.connection.url if case.state.connection is not None else ""
    asks = http.request is not None and http.request.method == "GET" and http.request.target == url
    return bool(http.asked) or (asks and case.state.opening is None)


@error("Protected resource metadata not found", "end")
def resource_metadata_missing(case: CheckMoment) -> Iterator[Violation]:
    """The server uses OAuth, but none of the well-known URLs has its metadata.

    OAuth is known from the challenge or the authorization server's metadata. Other servers accept a fixed token.

    Fix: Serve JSON at /.well-known/oauth-protected-resource followed by the path of the server.
    """
    login, looked = case.state.login, _requested_metadata(case.state)
    named = any("resource_metadata" in (challenge or "") for _, _, challenge in login.refusals)
    speaks_oauth = named or any(each.value is not None for each in login.tried)
    if looked and login.refusals and speaks_oauth and all(each.value is None for each in looked):
        places = ", ".join(f"{cut(each.url, 80)} ({each.status or 'no response'})" for each in looked[:3])
        bare = next(filter(None, (_UNQUOTED.search(challenge or "") for _, _, challenge in login.refusals)), None)
        sentence, fix = f"no metadata at {places}", ""
        if bare is not None:
            sentence = f"the challenge gives {cut(bare[0], 100)} without quotes, so that it is not read; {sentence}"
            fix = 'Write it between quotes: resource_metadata="https://…".'
        yield Violation(sentence, frames=tuple(each.frame for each in looked), instead=True, fix=fix)


@error("HTML page instead of OAuth metadata", "http")
def metadata_is_html(case: CheckMoment) -> Iterator[Violation]:
    """Found if a web application returns 200 for every path.

    Fix: Return 404 for well-known URLs that do not exist, before the catch-all page.
    """
    heads = responded(case)
    if heads is None or _WELL_KNOWN not in heads.request.target:
        return
    if heads.response.status == 200 and kind_of(heads.http) == "text/html":
        yield Violation(f"{cut(heads.request.target, 100)} returns an HTML page")


def _brought(case: CheckMoment, *places: str) -> Any:
    """Return the metadata that an exchange has just delivered from one of these places; None at any other moment."""
    fact, http = case.fact, case.http
    if fact is None or fact.event is not HttpEvent.END or http is None or http.request is None:
        return None
    return value_of(http, fact) if any(place in http.request.target for place in places) else None


@warning("No way for clients to register", "http end")
def client_registration_unavailable(case: CheckMoment) -> Iterator[Violation]:
    """The authorization server supports neither dynamic registration nor client ID metadata documents.

    Fix: Register a client manually, and pass --client-id.
    """
    found = _brought(case, *_SERVER)
    if found is None or "issuer" not in found or peek.text(found, "registration_endpoint"):
        return
    if peek.at(found, "client_id_metadata_document_supported") is not True and case.state.is_first(
        "client-registration-unavailable"
    ):
        yield Violation(
            "the authorization server has no registration_endpoint and does not support client ID metadata documents"
        )


@error("Credentials were rejected", "http", "refusal", "http end")
def credentials_rejected(case: CheckMoment) -> Iterator[Violation]:
    """401 to a request with a token, with the reason in the challenge or body; 403 if the token is not sufficient.

    Fix: Check expiry, audience and scope of the token (auth status shows stored ones), or pass another one with -H.
    """
    state, heads, notes = case.state, case.heads, case.state.notes(_Notes)
    if heads is None or heads.request.probe:
        return
    http, request, response = heads
    if case.frame is not None:
        if _credential_of(http):
            body = case.frame.payload[:4000]
            notes.body = cut(words_of_body(body), 120) if response.status == 401 else ""
        return
    members = dict(_SAID.findall(http.header("www-authenticate") or ""))
    if case.fact is not None and case.fact.event is HttpEvent.END:
        stated, notes.body = notes.body, ""
        words = members.get("error_description") or stated or members.get("error") or ""
        sent = _credential_of(http) if response.status == 401 else ""
        if sent and _WELL_KNOWN not in request.target and case.state.is_first("credentials-rejected 401"):
            fix = "Check its expiry and audience (aud), or pass another one with -H 'Authorization: Bearer …'."
            more = f": {cut(words, 120)}" if words else ""
            if _lacks_scheme(http.sent("authorization") or ""):
                more += "; the Authorization header was sent without a scheme word such as Bearer"
                fix = "Send the word too: -H 'Authorization: Bearer …'."
            sentence = f"the server rejects the credentials{more}"
            if sent.lower() != "authorization":
                sentence = f"the server wants other credentials than those in {sent}{more}"
                fix = f"Pass what it asks for, in {sent} or as -H 'Authorization: Bearer …'."
            yield Violation(sentence, frames=(http.frame,), instead=True, fix=fix)
    elif case.new_heads is not None and http.sent("authorization") is not None and response.status == 403:
        if members.get("error") == "invalid_token" and state.is_first("credentials-rejected 401"):
            words = cut(members.get("error_description", ""), 120)
            sentence = (
                f"the server rejects the token (invalid_token{words and f': {words}'}) with HTTP 403 instead of 401"
            )
            fix = "Pass another token. The server must return 401: clients log in again for that alone."
            yield Violation(sentence, fix=fix)
        if "insufficient_scope" in members.get("error", "") and state.is_first("credentials-rejected 403"):
            wanted = members.get("scope", "")
            stated = wanted or members.get("error_description", "")
            url = shlex.quote(without_credentials(request.target))
            every = dict.fromkeys(name for header in (*_earlier(case), wanted) for name in header.split())
            asked = f" --scope {shlex.quote(cut(' '.join(every), 200))}" if wanted else ""
            fix = f"Log in with all required scopes: mcp-inspect auth login{asked} {url}"
            yield Violation(f"the token lacks a scope{': ' + cut(stated, 80) if stated else ''}", fix=fix)


def _credential_of(http: HttpExchangeState) -> str:
    """Return the header of a request that has a credential, such as X-API-Key; "" for none."""
    headers = http.request.headers if http.request is not None else ()
    return next((cut(name, 60) for name, _ in headers if is_credential(name) and name.lower() != "cookie"), "")


def _lacks_scheme(value: str) -> bool:
    """Whether a credential, recorded whole or masked, is a token with no scheme before it."""
    return value.startswith(MASK) if MASK in value else bool(value) and " " not in value.strip()


def _earlier(case: CheckMoment) -> list[str]:
    """Return the scopes that earlier challenges of the connection named: a step-up login requests the union."""
    headers = (header or "" for _, _, header in case.state.login.refusals)
    return [scope for header in headers for name, scope in _SAID.findall(header) if name == "scope"]


@error("OAuth client is rejected", "http", confidence=Confidence.LIKELY)
def oauth_client_rejected(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 401 of the token endpoint means invalid_client (RFC 6749, section 5.2).

    Fix: Check --client-id and its secret, and token_endpoint_auth_methods_supported in the metadata.
    """
    heads = responded(case)
    if heads is None or heads.request.method != "POST":
        return
    for document in case.state.login.tried:
        if heads.response.status == 401 and heads.request.target == peek.text(document.value, "token_endpoint"):
            ways = [cut(str(each), 40) for each in peek.items(document.value, "token_endpoint_auth_methods_supported")]
            yield Violation(
                f"the token endpoint returned HTTP 401; it supports {', '.join(ways) or 'unspecified methods'}"
            )
            return


@warning("Clock skew between server and client", "http", topic="")
def clock_skew(case: CheckMoment) -> Iterator[Violation]:
    """Compares the Date header of a response, if authorization is involved.

    Fix: Set the incorrect clock: the validity of tokens depends on it.
    """
    heads, state = responded(case), case.state
    date = heads.http.header("date") if heads else None
    if not heads or date is None or state.wall_offset_ns is None:
        return
    if not _is_about_login(state, heads.http.sent("authorization")):
        return
    try:
        theirs = parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return
    skew = theirs - (case.time_ns + state.wall_offset_ns) / 1e9
    if abs(skew) > _SKEW_S and case.state.is_first("clock-skew"):
        way = "ahead of" if skew > 0 else "behind"
        yield Violation(f"the server's clock is {abs(skew) / 60:.0f} min {way} the local clock")


def _is_about_login(state: ConnectionState, sent: str | None) -> bool:
    return sent is not None or bool(state.login.refusals)


@error("`iss` of the redirect does not match the issuer", "http end", topic="https://www.rfc-editor.org/rfc/rfc9207")
def redirect_issuer_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """RFC 9207, section 2.4: “clients MUST compare” iss with the issuer; also if it is promised and missing.

    Fix: Redirect with `iss`, exactly the issuer of the metadata: clients reject any other.
    """
    back, known = _redirect_params(case), [each for each in case.state.login.tried if _describes_a_server(each)]
    if back is None or not known:
        return
    frames, issuers = tuple(each.frame for each in known), [peek.text(each.value, "issuer") for each in known]
    if "iss" in back and back["iss"] not in issuers:
        sentence = f"the redirect has the issuer {cut(back['iss'], 100)!r}, not {cut(issuers[-1] or '', 100)!r}"
        yield Violation(sentence, frames=frames)
    elif "iss" not in back and all(peek.flag(each.value, _SAYS_WHOSE) is True for each in known):
        fix = "Send iss, as the metadata promises. If only the code was pasted, paste the full URL."
        sentence = "the redirect has no iss, but the metadata promises it"
        yield Violation(sentence, frames=frames, fix=fix, confidence=Confidence.LIKELY)


def _describes_a_server(document: MetadataDocument) -> bool:
    return any(place in document.url for place in _SERVER) and peek.text(document.value, "issuer") is not None


def _redirect_params(case: CheckMoment) -> dict[str, str] | None:
    """Return the parameters of a login's redirect, as far as recorded; None at any other moment.

    The redirect is recorded as a request without a response, because the browser made the exchange.
    """
    http, fact = case.http, case.fact
    if fact is None or fact.event is not HttpEvent.END or http is None or http.request is None or http.response:
        return None
    target = http.request.target[:16_384]
    if http.request.method != "GET" or "state=" not in target or fact.why or fact.body_bytes is not None:
        return None
    found = dict(parse_qsl(target.partition("?")[2], keep_blank_values=True))
    return found if "state" in found and ("code" in found or "error" in found) else None


@error("Unsafe URL in OAuth metadata", "http end")
def unsafe_metadata_url(case: CheckMoment) -> Iterator[Violation]:
    """“Clients MUST reject” URLs that are not https; other schemes have started programs.

    Fix: Use https URLs, or http on this machine. If this is not your server, do not connect to it.
    """
    found = _brought(case, _WELL_KNOWN)
    for name, value in found.items() if type(found) is dict else ():
        for each in value if type(value) is list else [value]:
            named = _PLACES.search(name) or name == "authorization_servers"
            if named and isinstance(each, str) and not _may_be_opened(each):
                yield Violation(f"{cut(name, 60)} is {cut(each, 80)!r}, which is rejected")


def _may_be_opened(url: str) -> bool:
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        return False
    return scheme == "https" or (scheme == "http" and is_loopback(url))


@error("`WWW-Authenticate` is not Bearer", "end")
def non_bearer_challenge(case: CheckMoment) -> Iterator[Violation]:
    """A 401 with another scheme, such as Basic, Digest or Key, mostly from a proxy.

    Fix: Pass the credentials with --header 'Authorization: …'; clients log in by themselves for Bearer only.
    """
    login = case.state.login
    for n, status, challenge in login.refusals:
        scheme = _SCHEME.match(challenge or "")
        if status == 401 and scheme and challenge and not _BEARER.search(challenge):
            sentence = f"401 requests {scheme[1]} credentials, not a Bearer token: MCP clients do not support that"
            sentence += _says(login.words)
            key = _KEY_HEADER.search(challenge)
            fix = f"Pass the key with -H '{key[1]}: …'; no client logs in for it." if key else ""
            sentence += f" (in the header {key[1]})" if key else ""
            yield Violation(sentence, frames=(n,), instead=True, fix=fix)
            return


def _says(words: str) -> str:
    return f"; the server says “{cut(words, 120)}”" if words and not STATUS_ONLY.fullmatch(words) else ""


@error("Authorization server metadata not found", "end")
def authorization_server_metadata_missing(case: CheckMoment) -> Iterator[Violation]:
    """The resource's metadata names the issuer, but none of its well-known URLs has a document.

    Fix: Serve JSON at /.well-known/oauth-authorization-server of the issuer.
    """
    state = case.state
    named = any(peek.items(each.value, "authorization_servers") for each in _requested_metadata(state))
    looked = [each for each in state.login.tried if any(place in each.url for place in _SERVER)]
    if named and looked and all(each.value is None for each in looked):
        places = ", ".join(f"{cut(each.url, 90)} ({each.status or 'no response'})" for each in looked[:2])
        frames = tuple(each.frame for each in looked)
        yield Violation(f"the authorization server has no metadata at {places}", frames=frames, instead=True)


@error("OAuth metadata lacks an endpoint", "http end")
def oauth_endpoint_missing(case: CheckMoment) -> Iterator[Violation]:
    """“token_endpoint” and “authorization_endpoint” (RFC 8414, section 2): without them no login is possible.

    Fix: Add `authorization_endpoint` and `token_endpoint` to the metadata.
    """
    found = _brought(case, *_SERVER)
    missing = [name for name in ("authorization_endpoint", "token_endpoint") if not peek.text(found, name)]
    if found is not None and missing and peek.text(found, "issuer") and case.state.is_first("oauth-endpoint-missing"):
        yield Violation(f"the authorization server's metadata lacks {' and '.join(missing)}")
