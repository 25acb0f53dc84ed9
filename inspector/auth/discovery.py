"""Discovery of protected resource and authorization server metadata (RFC 9728, RFC 8414, OIDC).

The locations are tried in the order of the specification; each attempt is a login step. A document that names what
it has no authority over is not used: a resource other than the server, an issuer other than the requested one.

Source: specification, basic/authorization, "Authorization Server Discovery", all revisions that have it.
"""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from inspector.auth.addresses import canonical, covers, origin, refusal
from inspector.auth.steps import (
    AddStep,
    Flow,
    HttpFetch,
    HttpFetched,
    LoginStep,
    StepVerdict,
    broken,
    described,
    step_from,
)
from inspector.protocol import peek
from inspector.text import cut

RFC_9728 = "RFC 9728, section 3.1 and 3.3"
RFC_8414 = "RFC 8414, section 3"
PRM, AS = "protected resource metadata", "authorization server metadata"
_WELL_KNOWN = "/.well-known/oauth-protected-resource"
_PAGES = "The site returns 200 and a page for every path; unknown paths must return 404."
_DOCUMENT = re.compile(r"/\.well-known/(?:oauth-authorization-server|openid-configuration)")
_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_SCHEME = re.compile(rf"\s*({_TOKEN})(?:\s+|$)")
_PARAM = re.compile(rf'\s*({_TOKEN})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|({_TOKEN}))\s*(?:,|$)')
_TOKEN68 = re.compile(r"\s*[A-Za-z0-9\-._~+/]+=*\s*(?:,|$)")
_MAX_HEADER_CHARS, _MOST_UNREAD = 16_384, 80


class ResourceMetadata(msgspec.Struct, frozen=True):
    """Protected resource metadata of a server."""

    resource: str
    issuers: tuple[str, ...]
    scopes: tuple[str, ...] | None
    """Scopes; None if the document names none."""
    raw: Any


class ServerMetadata(msgspec.Struct, frozen=True):
    """Metadata of an authorization server, or the assumptions made without metadata."""

    issuer: str
    authorization_endpoint: str = ""
    token_endpoint: str = ""
    registration_endpoint: str = ""
    grants: tuple[str, ...] | None = None
    """Grant types; None if it names none, which means authorization_code and implicit."""
    scopes: tuple[str, ...] = ()
    token_methods: tuple[str, ...] | None = None
    """Client authentication methods at the token endpoint; None if it names none, which means client_secret_basic."""
    pkce: tuple[str, ...] | None = None
    takes_metadata_documents: bool = False
    """Whether a client may be identified by the URL of its metadata document."""
    declares_issuer: bool = False
    """Whether its redirects contain `iss` (RFC 9207)."""
    dpop: tuple[str, ...] = ()
    """Algorithms accepted for proofs of possession; () for none."""
    assumed: bool = False
    """True if there was no document, and the URLs are the fallback of the oldest revision."""
    raw: Any = None


class Challenge(msgspec.Struct, frozen=True):
    """One challenge of a `WWW-Authenticate` header."""

    scheme: str
    """Scheme in lower case: "bearer", "dpop"."""
    params: dict[str, str]
    """Parameters, with names in lower case. Of two with the same name, the first counts."""
    unread: str = ""
    """The beginning of what cannot be parsed; "" if all can be."""

    @property
    def scopes(self) -> tuple[str, ...] | None:
        """Requested scopes; None if it names none."""
        scope = self.params.get("scope")
        return None if scope is None else tuple(scope.split())

    @property
    def metadata(self) -> str:
        """URL of the protected resource metadata; "" if it names none."""
        return self.params.get("resource_metadata", "")

    @property
    def error(self) -> str:
        """Error of the token that was sent; "" if it names none."""
        return self.params.get("error", "")


def find_resource(server_url: str, named: str) -> Flow[ResourceMetadata | None]:
    """Read the protected resource metadata of a server; None if there is none.

    `named` is its URL in the challenge, "" if there is none. Raises: LoginFailed if it can't be used.
    """
    for url in _resource_places(server_url, named):
        if why := refusal(url, server_url):
            yield from broken(LoginStep(PRM, StepVerdict.BROKEN, f"the server points to {why}", clause=RFC_9728))
        fetched: HttpFetched = yield HttpFetch(PRM, url, headers=(("Accept", "application/json"),))
        if fetched.status == 200 and isinstance(fetched.value, dict):
            return (yield from _resource(server_url, fetched))
        found, fix, verdict = _absent(fetched)
        if named:
            found, verdict = f"the challenge names {cut(named, 200)}, where there is none: {found}", StepVerdict.ODD
            fix = fix or "Serve the metadata there, or correct resource_metadata in WWW-Authenticate."
        yield AddStep(_step(PRM, fetched, verdict, found, RFC_9728, fix))
    return None


def _resource_places(server_url: str, named: str) -> list[str]:
    if named:
        return [named]
    well_known, path = f"{origin(server_url)}{_WELL_KNOWN}", urlsplit(server_url).path
    return [well_known + path, well_known] if path.strip("/") else [well_known]


def _resource(server_url: str, fetched: HttpFetched) -> Flow[ResourceMetadata]:
    value = fetched.value
    resource = peek.text(value, "resource") or ""
    if not resource or not covers(resource, server_url):
        found = f"it is about {resource or 'no resource'!r}, and we are connected to {canonical(server_url)!r}"
        found += f"; it says {cut(error, 200)!r}" if (error := peek.text(value, "error")) else ""
        fix = "The server's metadata must name the server's own URL, or a parent of it, as `resource`."
        yield from broken(_step(PRM, fetched, StepVerdict.BROKEN, found, "RFC 9728, section 3.3", fix))
    issuers = tuple(_texts(value, "authorization_servers") or ())
    for issuer in issuers[:1]:
        if why := refusal(issuer, server_url):
            yield from broken(_step(PRM, fetched, StepVerdict.BROKEN, f"its authorization server: {why}", RFC_9728))
    listed, named = peek.at(value, "authorization_servers"), "it names no authorization server"
    if issuers:
        named = f"authorization server {issuers[0]}"
    elif listed is not None and not isinstance(listed, list):
        named = f"authorization_servers is a {peek.type_name(listed)}, not an array"
    elif listed == []:
        named = "authorization_servers is empty"
    more = f" (the first of {len(issuers)})" if len(issuers) > 1 else ""
    found, fix = f"resource {resource}, {named}{more}", ""
    verdict = StepVerdict.GOOD if issuers else StepVerdict.ODD
    if canonical(resource) != canonical(server_url) and (expected := _other_resource(fetched.url, resource)):
        verdict, fix = StepVerdict.ODD, f"Set resource to {expected}, the URL of the server."
        found = f"resource {resource} does not match {expected}, which strict clients require; {named}{more}"
    yield AddStep(_step(PRM, fetched, verdict, found, RFC_9728, fix))
    scopes = _texts(value, "scopes_supported")
    return ResourceMetadata(resource, issuers, None if scopes is None else tuple(scopes), value)


def _other_resource(url: str, resource: str) -> str:
    """Return the resource that the metadata at a well-known URL must name, if it names another; "" otherwise.

    RFC 9728, section 3.3: the document is not to be used then. Many clients accept a parent of the server's URL.
    """
    before, place, path = url.partition(_WELL_KNOWN)
    return before + path if place and canonical(resource) != canonical(before + path) else ""


def _issuer_of(url: str) -> str:
    """Return the issuer whose metadata are at a well-known URL; "" for any other URL."""
    found = _DOCUMENT.search(url)
    return url[: found.start()] + url[found.end() :] if found else ""


def find_server(issuer: str, server_url: str, *, may_assume: bool, of: int = 1) -> Flow[ServerMetadata]:
    """Read the metadata of an authorization server, the first `of` those that the resource names.

    `may_assume`: the issuer is only the server's own origin. The oldest revision with logins then falls back to the
    paths `/authorize`, `/token` and `/register`. Raises: LoginFailed if it can't be used.
    """
    for url in _server_places(issuer):
        fetched: HttpFetched = yield HttpFetch(AS, url, headers=(("Accept", "application/json"),))
        if fetched.status == 200 and isinstance(fetched.value, dict):
            return (yield from _server(issuer, server_url, fetched, assumed=may_assume))
        found, fix, verdict = _absent(fetched)
        yield AddStep(_step(AS, fetched, verdict, found, RFC_8414, fix))
    if may_assume:
        found = f"none; assuming the default endpoints: {issuer}/authorize, /token, /register"
        found += "; an HTML page is at each address of the metadata" * (fix == _PAGES)
        clause = "the first specification of authorization, fallbacks without metadata"
        yield AddStep(LoginStep(AS, StepVerdict.ASSUMED, found, clause=clause, fix=fix))
        places = {name: f"{issuer}/{name}" for name in ("authorize", "token", "register")}
        return ServerMetadata(issuer, places["authorize"], places["token"], places["register"], assumed=True)
    found, fix = "not found", f"Serve the metadata of {issuer} at one of the addresses that were tried."
    if not of:
        found = "not found at the origin of the server, which was tried since authorization_servers names no server"
        fix = "Name the issuer of the authorization server in authorization_servers."
    if of > 1:
        found = f"not found; {issuer} is the first of {of} authorization servers, and clients try no other"
        fix = f"Name first the one that is in use, or serve the metadata of {issuer}."
    if meant := _issuer_of(issuer):
        found = f"not found: authorization_servers names a metadata document, {issuer}, instead of its issuer"
        fix = f"Name the issuer in authorization_servers: {meant}"
    missing: ServerMetadata = yield from broken(LoginStep(AS, StepVerdict.BROKEN, found, clause=RFC_8414, fix=fix))
    return missing


def _server_places(issuer: str) -> list[str]:
    base, path = origin(issuer), urlsplit(issuer).path.rstrip("/")
    oauth, openid = f"{base}/.well-known/oauth-authorization-server", f"{base}/.well-known/openid-configuration"
    if not path:
        return [oauth, openid]
    return [oauth + path, openid + path, f"{base}{path}/.well-known/openid-configuration"]


def _server(issuer: str, server_url: str, fetched: HttpFetched, *, assumed: bool) -> Flow[ServerMetadata]:
    """Parse the metadata. An issuer that differs by a final slash is used, as the official SDKs do.

    `assumed`: the issuer was not named, so that the slash is no deviation.
    """
    value = fetched.value
    named = peek.text(value, "issuer") or ""
    if named.rstrip("/") != issuer.rstrip("/"):
        found = f"its issuer is {named!r}, and the metadata of {issuer!r} was asked for: it is not used"
        fix = "Both must be identical, to prevent mix-up attacks."
        yield from broken(_step(AS, fetched, StepVerdict.BROKEN, found, "RFC 8414, section 3.3", fix))
    for name in ("authorization_endpoint", "token_endpoint", "registration_endpoint"):
        address = peek.text(value, name)
        if address is not None and (why := refusal(address, server_url)):
            found, fix = f"its {name}: {why}", "Nothing was sent there. If you did not expect this, it is an attack."
            if address.startswith("/") and not address.startswith("//"):
                found, fix = (
                    f"its {name} is a path, {cut(address, 100)!r}, not a whole URL",
                    "Write scheme and host before it.",
                )
            yield from broken(_step(AS, fetched, StepVerdict.BROKEN, found, RFC_8414, fix))
    metadata = _read_server(named, value)
    if named == issuer or assumed:
        yield AddStep(_step(AS, fetched, StepVerdict.GOOD, _summary(metadata), RFC_8414))
        return metadata
    found = f"its issuer is {named!r}, and the metadata of {issuer!r} was asked for; {_summary(metadata)}"
    fix = "Use the same spelling, with or without the final slash: some clients refuse the metadata."
    yield AddStep(_step(AS, fetched, StepVerdict.ODD, found, "RFC 8414, section 3.3", fix))
    return metadata


def _read_server(issuer: str, value: Any) -> ServerMetadata:
    return ServerMetadata(
        issuer,
        authorization_endpoint=peek.text(value, "authorization_endpoint") or "",
        token_endpoint=peek.text(value, "token_endpoint") or "",
        registration_endpoint=peek.text(value, "registration_endpoint") or "",
        grants=_texts(value, "grant_types_supported"),
        scopes=_texts(value, "scopes_supported") or (),
        token_methods=_texts(value, "token_endpoint_auth_methods_supported"),
        pkce=_texts(value, "code_challenge_methods_supported"),
        takes_metadata_documents=peek.flag(value, "client_id_metadata_document_supported") is True,
        declares_issuer=peek.flag(value, "authorization_response_iss_parameter_supported") is True,
        dpop=_texts(value, "dpop_signing_alg_values_supported") or (),
        raw=value,
    )


def _summary(server: ServerMetadata) -> str:
    ways = ["registration"] if server.registration_endpoint else []
    ways += ["client metadata documents"] if server.takes_metadata_documents else []
    pkce = "PKCE " + ", ".join(server.pkce) if server.pkce else "no PKCE"
    return f"issuer {server.issuer}; {pkce}; takes {' and '.join(ways) or 'clients known to it only'}"


def _texts(value: Any, name: str) -> tuple[str, ...] | None:
    found = peek.at(value, name)
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else None


def _step(
    what: str, fetched: HttpFetched, verdict: StepVerdict, found: str, clause: str = "", fix: str = ""
) -> LoginStep:
    return step_from(HttpFetch(what, fetched.url), fetched, verdict, found, clause, fix)


def _absent(fetched: HttpFetched) -> tuple[str, str, StepVerdict]:
    """Return what was found in place of a document, a fix, and how bad it is."""
    found, fix = described(fetched), ""
    if fetched.status == 401:
        found = f"{cut(urlsplit(fetched.url).path, 80)} wants a login itself, and is read to log in: {found}"
        return (
            found,
            "Exempt /.well-known/ from authorization: clients read it before they have a token.",
            StepVerdict.ODD,
        )
    if fetched.status == 200 and "html" in fetched.header("content-type"):
        fix = _PAGES
    return found, fix, StepVerdict.MISSING


# Challenges in WWW-Authenticate (RFC 9110, section 11; RFC 6750, section 3)


def parse_challenges(values: Iterable[str]) -> tuple[Challenge, ...]:
    """Parse the challenges of all `WWW-Authenticate` headers, in order. What can't be parsed is left out."""
    found: list[Challenge] = []
    for value in values:
        found += _parse(value[:_MAX_HEADER_CHARS])
    return tuple(found)


def bearer(challenges: Iterable[Challenge]) -> Challenge | None:
    """Return the challenge that requests a token, in either scheme; None if there is none."""
    return next((each for each in challenges if each.scheme in ("bearer", "dpop")), None)


def _parse(value: str) -> list[Challenge]:
    found: list[Challenge] = []
    at = 0
    while at < len(value):
        param = _PARAM.match(value, at)
        if param and found:
            name, quoted, plain = param.groups()
            text = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            found[-1].params.setdefault(name.lower(), text)
            at = param.end()
            continue
        scheme = _SCHEME.match(value, at)
        if scheme is None:
            if found:
                found[-1] = msgspec.structs.replace(found[-1], unread=value[at : at + _MOST_UNREAD].strip())
            rest = value.find(",", at)
            at = len(value) if rest < 0 else rest + 1
            continue
        found.append(Challenge(scheme[1].lower(), {}))
        at = scheme.end()
        if not _PARAM.match(value, at) and (blob := _TOKEN68.match(value, at)):
            at = blob.end()
    return found
