"""Rules for authorization: challenges and metadata documents.

Only challenges and public metadata are examined, never tokens or codes. Logins precede the negotiation of a protocol
version; where versions differ, the mildest applies then.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Violation, declare, row_of_date, rules_of
from inspector.checks.state import CheckMoment, ConnectionState, MetadataDocument, is_loopback, value_of
from inspector.protocol import peek, url_hosts
from inspector.protocol.facts import HttpEvent
from inspector.protocol.url_hosts import host_of
from inspector.text import cut

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_TOPIC = "basic/authorization"
error, warning, _ = rules_of(_TOPIC)
_PROTECTED = "/.well-known/oauth-protected-resource"
_OAUTH, _OPENID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
_PARAM = re.compile(r'(?<![\w-])([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_BY_HEADER_ONLY = row_of_date("2025-06-18")
"""The revision in which a challenge must name the metadata; later versions accept a well-known URL as well."""


def _params(challenge: str | None) -> dict[str, str]:
    """Return the parameters of a challenge, with names in lower case."""
    return {name.lower(): quoted or plain for name, quoted, plain in _PARAM.findall((challenge or "")[:16_384])}


@error("401 challenge does not name the metadata correctly", "end", since="2025-06-18", early=True)
def challenge_without_metadata(case: CheckMoment) -> Iterator[Violation]:
    """Judged by the header of the response; since 2025-11-25 metadata at a well-known URL is sufficient.

    OAuth is optional: a server without any metadata may use a fixed token, which is legal.

    Fix: Send WWW-Authenticate: Bearer resource_metadata="…" with 401. Without OAuth, pass the token with -H.
    """
    login = case.state.login
    refused = next((each for each in login.refusals if each[1] == 401), None)
    if refused is None:
        return
    if named := _all_named(refused[2]):
        if wrong := _wrong_address(named, _dialled(case.state)):
            fix = "Name the metadata once, by the public URL; use X-Forwarded-Proto and X-Forwarded-Host of a proxy."
            yield Violation(f"the challenge of the 401 response {wrong}", frames=(refused[0],), instead=True, fix=fix)
        elif _PROTECTED not in named[0]:
            got = next((each for each in login.tried if each.url == named[0]), None)
            if got is not None and got.value is None:
                came = f"has no JSON object (HTTP {got.status})" if got.status else "could not be fetched"
                sentence = f"the challenge names {cut(named[0], 100)} as the URL of the metadata, which {came}"
                fix = "Name the URL of the metadata document in resource_metadata, not that of the server."
                yield Violation(sentence, frames=(refused[0], got.frame), instead=True, fix=fix)
        return
    looked = [each for each in login.tried if _PROTECTED in each.url]
    if case.row != _BY_HEADER_ONLY and (not looked or any(each.value is not None for each in looked)):
        return
    mild = None if any(each.value is not None for each in login.tried) else _HINT
    more = f", and {len(looked)} well-known URLs have none" if looked else ""
    frames = (refused[0], *(each.frame for each in looked))
    yield Violation(f"the 401 response does not name the metadata{more}", frames=frames, instead=True, severity=mild)


def _all_named(challenge: str | None) -> list[str]:
    """Return the values of `resource_metadata` in a challenge."""
    found = _PARAM.findall((challenge or "")[:16_384])
    return [quoted or plain for name, quoted, plain in found if name.lower() == "resource_metadata"]


def _wrong_address(named: list[str], dialled: str) -> str:
    """Return what is wrong with the URLs of the metadata in a challenge; "" if nothing is."""
    if len(named) > 1:
        return f"has resource_metadata {len(named)} times, and clients use different ones: {cut(named[0], 100)}"
    host = host_of(named[0])
    if not re.match(r"(?i)https?:", named[0]) or not host:
        return f"names metadata at {cut(named[0], 100)!r}, which is not a complete URL"
    if host != host_of(dialled) and url_hosts.is_inside(named[0], dialled):
        return f"names metadata at {cut(named[0], 100)}: it seems to be the address behind a proxy"
    return ""


def _found(case: CheckMoment, *places: str) -> MetadataDocument | None:
    """Return the document that an exchange has just delivered from one of these places; None if there is none."""
    http, fact = case.http, case.fact
    if http is None or http.request is None or fact is None or fact.event is not HttpEvent.END:
        return None
    url = http.request.target
    value = value_of(http, fact) if any(place in url for place in places) else None
    return None if value is None else MetadataDocument(case.n, url, value)


@error("Invalid protected resource metadata", "http end", since="2025-06-18", early=True)
def resource_metadata_invalid(case: CheckMoment) -> Iterator[Violation]:
    """It must name an authorization server and the server's own URL (RFC 9728, section 3.3).

    Fix: Add `resource`, the URL of the server, and `authorization_servers`.
    """
    found = _found(case, _PROTECTED)
    if found is None:
        return
    if not {"resource", "authorization_servers"} & found.value.keys():
        yield Violation("the JSON at the URL of the resource metadata has no resource")
        return
    if not any(isinstance(each, str) for each in peek.items(found.value, "authorization_servers")):
        listed = peek.at(found.value, "authorization_servers")
        kind = "" if listed is None or isinstance(listed, list) else f": it is a {peek.type_name(listed)}, not an array"
        yield Violation(f"the resource metadata has no authorization_servers{kind}")
    resource, dialled = peek.text(found.value, "resource") or "", _dialled(case.state)
    if dialled and not _covers(resource, dialled):
        fix = "Set resource to the URL that clients connect to, or a parent of it."
        sentence = f"the resource of the metadata is {cut(resource, 100)!r}, but the server is {cut(dialled, 100)!r}"
        if not resource:
            sentence = f"the resource metadata has no resource: expected the URL of the server, {cut(dialled, 100)!r}"
        if url_hosts.is_inside(resource, dialled):
            sentence += ": it seems to be the address behind a proxy"
            fix = "Configure the public URL, or use X-Forwarded-Proto and X-Forwarded-Host of the proxy."
        yield Violation(sentence, fix=fix)


def _dialled(state: ConnectionState) -> str:
    return state.connection.url if state.connection is not None else ""


def _covers(resource: str, url: str) -> bool:
    """Whether a resource is a URL, or a parent of it at a segment boundary."""
    try:
        one, other = urlsplit(resource), urlsplit(url)
        same = (one.scheme.lower(), one.hostname, one.port or _port(one.scheme)) == (
            other.scheme.lower(),
            other.hostname,
            other.port or _port(other.scheme),
        )
    except ValueError:
        return False
    path = one.path.rstrip("/")
    return same and (other.path.rstrip("/") == path or other.path.startswith(path + "/"))


def _port(scheme: str) -> int:
    return 443 if scheme.lower() == "https" else 80


@error("Invalid authorization server metadata", "http end", since="2025-11-25", early=True)
def authorization_server_metadata_invalid(case: CheckMoment) -> Iterator[Violation]:
    """The issuer must be the expected one, over https, and S256 supported (RFC 8414, section 3.3; PKCE).

    Fix: Correct the metadata: `issuer` must equal its URL, and S256 must be supported.
    """
    found = _found(case, _OAUTH, _OPENID)
    if found is None:
        return
    if not {"issuer", "authorization_endpoint", "token_endpoint"} & found.value.keys():
        yield Violation("the JSON at the URL of the authorization server metadata has no issuer")
        return
    issuer, expected = peek.text(found.value, "issuer") or "", _expected(case.state, found.url)
    if issuer not in expected:
        is_near = issuer.rstrip("/") in (each.rstrip("/") for each in expected)
        sentence = f"the issuer is {cut(issuer, 100)!r}, but {cut(expected[0], 100)!r} was requested"
        fix = "Use exactly the same text for both; clients reject the document otherwise."
        yield Violation(sentence, id="issuer-final-slash") if is_near else Violation(sentence, fix=fix)
    if issuer.startswith("http://") and not is_loopback(issuer):
        yield Violation(f"the issuer {cut(issuer, 100)!r} is not https")
    if "S256" not in peek.items(found.value, "code_challenge_methods_supported"):
        fix = 'Add "S256" to code_challenge_methods_supported; clients stop otherwise.'
        yield Violation("the authorization server does not declare S256", fix=fix)


declare(
    "issuer-final-slash",
    _WARNING,
    "Issuer differs by a final slash",
    topic=_TOPIC,
    since="2025-11-25",
    early=True,
    fix="Use exactly the same text for both; some clients reject the document otherwise.",
    is_diagnosis=True,
)


def _expected(state: ConnectionState, url: str) -> list[str]:
    """Return the issuers that a document at this URL may have, spelled as in the resource metadata if named there."""
    parts = urlsplit(url)
    path = next(
        (
            parts.path.partition(place)[0] or parts.path.partition(place)[2]
            for place in (_OAUTH, _OPENID)
            if place in parts.path
        ),
        "",
    )
    asked = f"{parts.scheme}://{parts.netloc}{path}".rstrip("/")
    named: list[Any] = [
        each for document in state.login.tried for each in peek.items(document.value, "authorization_servers")
    ]
    spelt = [each for each in named if isinstance(each, str) and each.rstrip("/") == asked]
    return spelt or [asked, f"{asked}/"]


@error(
    "`iss` of the redirect is missing or wrong", "http", since="2026-07-28", early=True, confidence=Confidence.LIKELY
)
def redirect_issuer_missing(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Send the issuer as iss with every redirect (RFC 9207). If only the code was pasted, ignore this."""
    fact = case.fact
    if fact is None or fact.event is not HttpEvent.REQUEST or "?" not in fact.target or fact.headers:
        return  # our own requests have headers; a browser's redirect is recorded without
    server = next((each for each in reversed(case.state.login.tried) if _is_of_server(each)), None)
    given = dict(parse_qsl(fact.target.partition("?")[2], max_num_fields=100)) if fact.target.count("&") < 100 else {}
    if server is None or not given.keys() & {"code", "error"}:
        return
    issuer = peek.text(server.value, "issuer") or ""
    if "iss" in given and given["iss"] != issuer:
        yield Violation(
            (f"the redirect is from {cut(given['iss'], 100)!r}, but {cut(issuer, 100)!r} was asked"),
            frames=(server.frame,),
        )
    elif "iss" not in given and peek.flag(server.value, "authorization_response_iss_parameter_supported"):
        yield Violation("the redirect has no iss, although the metadata promises it", frames=(server.frame,))


def _is_of_server(document: MetadataDocument) -> bool:
    return document.value is not None and (_OAUTH in document.url or _OPENID in document.url)


@warning("OAuth scopes are not announced correctly", "http", "http end", since="2025-11-25", early=True)
def scopes_not_announced(case: CheckMoment) -> Iterator[Violation]:
    """A response about a missing scope must name it; offline_access is up to the client.

    Fix: Name the missing scope in WWW-Authenticate; leave offline_access to clients.
    """
    fact, http = case.fact, case.http
    if fact is not None and fact.event is HttpEvent.RESPONSE and fact.status in (401, 403) and http is not None:
        members = _params(http.header("www-authenticate"))
        if fact.status == 403 and members.get("error") == "insufficient_scope":
            for name in ("scope", "resource_metadata"):
                if name not in members:
                    sentence = f"the 403 response has insufficient_scope without {name}"
                    yield Violation(sentence, fix=f"Add {name} to WWW-Authenticate.")
        if "offline_access" in members.get("scope", "").split():
            sentence = "the challenge requests offline_access"
            yield Violation(sentence, fix="Remove offline_access: clients decide whether to refresh tokens.")
    found = _found(case, _PROTECTED)
    if found is not None and "offline_access" in peek.items(found.value, "scopes_supported"):
        yield Violation(
            "the resource metadata lists offline_access", fix="List it in the authorization server metadata only."
        )
