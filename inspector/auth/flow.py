"""Login flow from a challenge to a token, as steps without I/O.

    challenge ─▶ who protects the server ─▶ its metadata ─▶ our client ─▶ the user's consent ─▶ token

After the first login, the token is renewed if the same authorization server still protects the server. If another
one does, it gets no data of the old one.

Source: specification, basic/authorization; ext-auth (client credentials, enterprise-managed authorization).
"""

import re
from urllib.parse import parse_qs, urlsplit

import msgspec

from inspector.auth.addresses import TOKEN_ADVICE, canonical, login_advice, origin
from inspector.auth.authorization import PKCE_CLAUSE, RFC_9207, authorize, check_server
from inspector.auth.discovery import Challenge, ResourceMetadata, ServerMetadata, find_resource, find_server
from inspector.auth.registration import CLAUSE, find_client
from inspector.auth.steps import (
    AccessToken,
    AddStep,
    Client,
    CompletedLogin,
    Dpop,
    Flow,
    LoginFailed,
    LoginOptions,
    LoginStep,
    Now,
    StepVerdict,
    StoredLogin,
    broken,
)
from inspector.auth.tokens import (
    TokenRequest,
    ask,
    by_assertion,
    by_client,
    by_code,
    by_refresh,
    exchanged,
    skew_s,
    skew_sentence,
)
from inspector.protocol import peek
from inspector.text import cut

OFFLINE = "offline_access"
CODE = "authorization_code"
CLIENT = "client_credentials"
_SCOPES = "specification, basic/authorization, scope selection"
_OPENID = {"openid", "profile", "email", "address", "phone", OFFLINE}
"""Scopes of OpenID Connect. Many authorization servers list no others, though they have them."""


_LETTERS = re.compile(r"[^a-z]")
_ANY = "any"
_FEW = "which few clients do"
_LIMITS = (
    (True, "dpop_bound_access_tokens_required", "", f"tokens have to be bound to a key (DPoP), {_FEW}"),
    (True, "tls_client_certificate_bound_access_tokens", "", f"tokens have to be bound to a certificate, {_FEW}"),
    (True, "scopes_supported", _ANY, ""),
    (True, "bearer_methods_supported", "header", "clients send tokens in the header Authorization only"),
    (False, "grant_types_supported", CODE, "users cannot log in"),
    (False, "response_types_supported", "code", "clients ask for a code"),
    (False, "response_modes_supported", "query", "clients on a desktop read the query of the redirect"),
    (False, "require_pushed_authorization_requests", "", f"clients have to push their requests first, {_FEW}"),
    (False, "require_signed_request_object", "", f"clients have to sign their requests, {_FEW}"),
)
"""Members of metadata that shut out most clients: whether it is that of the resource, the member, what a list of it
needs ("": it must not be true; "any": any list will do), and what that means."""


class RefusedRequest(msgspec.Struct, frozen=True):
    """The request that the server rejected."""

    method: str
    status: int
    date: str = ""
    """`Date` header of the response; "" if there is none."""


def login(
    server_url: str, challenge: Challenge | None, login_options: LoginOptions, known: StoredLogin
) -> Flow[CompletedLogin]:
    """Get a token for a server that has rejected a request. Raises: LoginFailed, with the step that failed."""
    protected, server = yield from discover(server_url, challenge)
    before = known.token if known.token and known.token.issuer == server.issuer else None
    scopes = scopes_for(challenge, protected, server, login_options, before)
    resource = protected.resource if protected else canonical(server_url)
    asking = TokenRequest(
        server, Client(""), login_options, resource, scopes, _bound(challenge, protected, server, login_options, before)
    )
    steps_up = challenge is not None and challenge.error == "insufficient_scope"
    needed = {*(login_options.scopes or ()), *((challenge and challenge.scopes) or ())}  # metadata names more than that
    if before and before.refresh_token and not steps_up and needed <= {*before.asked, *(before.scopes or ())}:
        renewed = yield from _renewed(asking, known, before)
        if renewed is not None:
            return renewed
    return (yield from _log_in_again(server_url, asking, known, steps_up=steps_up))


def discover(server_url: str, challenge: Challenge | None) -> Flow[tuple[ResourceMetadata | None, ServerMetadata]]:
    """Find the authorization server and its metadata. Raises: LoginFailed."""
    yield AddStep(challenge_step(challenge))
    protected = yield from find_resource(server_url, challenge.metadata if challenge else "")
    server = yield from _server_of(protected, server_url)
    return protected, server


def scopes_for(
    challenge: Challenge | None,
    protected: ResourceMetadata | None,
    server: ServerMetadata,
    login_options: LoginOptions,
    before: AccessToken | None,
) -> tuple[str, ...]:
    """Return the scopes to request: the user's, the challenge's, or all that the server names, plus earlier ones.

    A step-up requests the union of what was requested and granted before and what the challenge names, but not
    everything else (specification 2026-07-28, basic/authorization, scope selection).
    """
    challenged = challenge.scopes if challenge else None
    wanted = login_options.scopes if login_options.scopes is not None else None
    if wanted is None:
        wanted = challenged if challenged is not None else (protected.scopes if protected else None) or ()
    elif before is not None:
        wanted = (*wanted, *(challenged or ()))
    earlier = (*before.asked, *(before.scopes or ())) if before else ()
    every = dict.fromkeys((*earlier, *wanted))
    if OFFLINE in server.scopes and login_options.scopes is None and _needs_consent(server, login_options):
        every[OFFLINE] = None
    elif OFFLINE not in server.scopes and login_options.scopes is None and server.scopes:
        every.pop(OFFLINE, None)
    return tuple(every)


def _server_of(protected: ResourceMetadata | None, server_url: str) -> Flow[ServerMetadata]:
    """Read the metadata of the authorization server: the first that the resource names, else its own origin."""
    issuers = protected.issuers if protected else ()
    issuer = issuers[0] if issuers else origin(server_url)
    return (
        yield from find_server(issuer, server_url, may_assume=protected is None, of=len(issuers) if protected else 1)
    )


def challenge_step(challenge: Challenge | None) -> LoginStep:
    """Return the first step: what the rejection says."""
    clause = "specification, basic/authorization, protected resource metadata discovery"
    if challenge is None:
        found, fix = (
            "no resource_metadata in the 401 response; trying the well-known URLs",
            "Send WWW-Authenticate with 401.",
        )
        return LoginStep("challenge", StepVerdict.ODD, found, clause=clause, fix=fix)
    parts = [challenge.scheme]
    parts += [f"error {cut(challenge.error, 200)!r}"] if challenge.error else []
    parts += [f"scope {' '.join(challenge.scopes)!r}"] if challenge.scopes else []
    parts += ["metadata named" if challenge.metadata else "no metadata named"]
    if challenge.unread:
        is_bare = re.match(r"\w+=[^\"\s,]*[/:]", challenge.unread) is not None
        flaw = "a value with : or / is not quoted" if is_bare else "its parameters are not separated by commas"
        found = f"{', '.join(parts)}; {flaw}: {challenge.unread}"
        rule = "Put such values into quotes" if is_bare else "Separate the parameters of WWW-Authenticate by commas"
        fix = f"{rule} (RFC 9110, section 11.2)."
        return LoginStep("challenge", StepVerdict.ODD, found, clause=clause, fix=fix)
    alike = next((each for each in challenge.params if _LETTERS.sub("", each) == "resourcemetadata"), "")
    if alike and not challenge.metadata:
        found, fix = f"{', '.join(parts)}: clients do not know its parameter {alike!r}", "Call it resource_metadata."
        return LoginStep("challenge", StepVerdict.ODD, found, clause=clause, fix=fix)
    return LoginStep("challenge", StepVerdict.GOOD, ", ".join(parts), clause=clause)


def _bound(
    challenge: Challenge | None,
    protected: ResourceMetadata | None,
    server: ServerMetadata,
    login_options: LoginOptions,
    before: AccessToken | None,
) -> bool:
    """Return whether the token is to be bound to a key: if the resource takes that, too."""
    if login_options.dpop is not Dpop.AUTO or "ES256" not in server.dpop:
        return login_options.dpop is Dpop.ON
    if (challenge is not None and challenge.scheme == "dpop") or (before is not None and before.kind == "DPoP"):
        return True
    about = peek.mapping(protected.raw) if protected is not None else {}
    algorithms = peek.items(about, "dpop_signing_alg_values_supported")
    return "ES256" in algorithms or about.get("dpop_bound_access_tokens_required") is True


def _needs_consent(server: ServerMetadata, login_options: LoginOptions) -> bool:
    """Return whether the user has to consent."""
    if login_options.client_credentials or login_options.assertion or login_options.provider:
        return False
    return server.grants is None or CODE in server.grants or CLIENT not in server.grants


def _renewed(asking: TokenRequest, known: StoredLogin, before: AccessToken) -> Flow[CompletedLogin | None]:
    """Renew the token; None if that does not work any more, and a login is needed."""
    client = known.clients.get(asking.server.issuer)
    if client is None and asking.login_options.client_id:
        client = yield from find_client(asking.server, asking.login_options, known, asking.scopes)
    if client is None:
        return None
    asking = msgspec.structs.replace(asking, client=client, scopes=before.asked)
    try:
        token = yield from ask(asking, "token renewal", by_refresh(before))
    except LoginFailed:
        return None
    kept = token if token.refresh_token else msgspec.structs.replace(token, refresh_token=before.refresh_token)
    return CompletedLogin(kept, StoredLogin(kept, known.clients), asking.server)


def _log_in_again(server_url: str, asking: TokenRequest, known: StoredLogin, *, steps_up: bool) -> Flow[CompletedLogin]:
    server, login_options = asking.server, asking.login_options
    with_consent = _needs_consent(server, login_options)
    if with_consent:
        yield from check_server(server)  # before registering a client that could never log in
    if with_consent and not login_options.has_person:
        found = "the login needs a user's consent"
        fix = login_advice(server_url, asking.scopes if steps_up else ())
        yield from broken(LoginStep("consent", StepVerdict.BROKEN, found, fix=f"{fix}. {TOKEN_ADVICE}."))
    client = yield from find_client(server, login_options, known, asking.scopes, with_consent=with_consent)
    asking = msgspec.structs.replace(asking, client=client)
    try:
        token = yield from _granted(asking, with_consent=with_consent)
    except LoginFailed as failure:
        why = _refused_client(failure)
        if not client.registered or client != known.clients.get(server.issuer) or not why:
            raise
        yield AddStep(LoginStep("client", StepVerdict.ODD, f"the registered client {why}: registering again"))
        return (yield from _log_in_again(server_url, asking, known.with_client(server.issuer, None), steps_up=steps_up))
    kept = known.with_client(server.issuer, client) if with_consent else known
    return CompletedLogin(token, StoredLogin(token, kept.clients), server)


def _granted(asking: TokenRequest, *, with_consent: bool) -> Flow[AccessToken]:
    login_options, server = asking.login_options, asking.server
    if login_options.provider:
        grant = yield from exchanged(login_options, server.issuer, asking.resource)
        return (yield from ask(asking, "token for the grant", by_assertion(grant)))
    if login_options.assertion:
        return (yield from ask(asking, "token for the assertion", by_assertion(login_options.assertion, asking.scopes)))
    if not with_consent:
        return (yield from ask(asking, "token for the client", by_client(asking.scopes)))
    code = yield from authorize(server, asking.client, login_options, asking.scopes, asking.resource)
    return (yield from ask(asking, "token for the code", by_code(code.code, code.verifier, login_options.redirect_uri)))


def _refused_client(failure: LoginFailed) -> str:
    """Return why another registration may help: the client is forgotten, or was made for other scopes; "" if not."""
    found = failure.login_step.found
    if "invalid_scope" in found:
        return "is not allowed these scopes"
    return "is unknown now" if "invalid_client" in found or "unauthorized_client" in found else ""


# Explaining a login without performing it


def survey(
    server_url: str,
    challenge: Challenge | None,
    login_options: LoginOptions,
    known: StoredLogin,
    refused: RefusedRequest | None,
) -> Flow[None]:
    """Explore the login as far as possible. `refused` is None for a server that requires none.

    Raises: LoginFailed at the first step that fails; later ones are then unknown.
    """
    if refused is not None:
        asked = f"{refused.method} {canonical(server_url)}"
        yield AddStep(msgspec.structs.replace(challenge_step(challenge), request=asked, status=refused.status))
        yield from _clock(refused.date)
    else:
        yield AddStep(LoginStep("challenge", StepVerdict.GOOD, "none: the server accepts requests without credentials"))
    protected = yield from find_resource(server_url, challenge.metadata if challenge else "")
    if protected is None and refused is None:
        return
    server = yield from _server_of(protected, server_url)
    for login_step in _login_steps(server_url, challenge, protected, server, login_options, known):
        yield AddStep(login_step)


def _clock(date: str) -> Flow[None]:
    now: float = yield Now()
    skew = skew_s(date, now)
    message = "" if skew is None else skew_sentence(skew)
    if message:
        fix = "Set the clock: tokens and proofs are judged by it."
        yield AddStep(LoginStep("clock", StepVerdict.ODD, message, clause="RFC 7519, section 4.1.4", fix=fix))


def _login_steps(
    server_url: str,
    challenge: Challenge | None,
    protected: ResourceMetadata | None,
    server: ServerMetadata,
    login_options: LoginOptions,
    known: StoredLogin,
) -> list[LoginStep]:
    resource = protected.resource if protected else canonical(server_url)
    scopes = scopes_for(challenge, protected, server, login_options, None)
    scope = _scope(challenge, protected, scopes, resource, server)
    if server.assumed:
        return [scope]  # nothing else is known
    return [
        scope,
        *_limits(protected, server, resource, with_person=not login_options.client_credentials),
        _client(server, login_options, known),
        _endpoints(server),
        _pkce(server),
        *_renewal(server),
        _issuer(server),
        _dpop(server),
    ]


def _scope(
    challenge: Challenge | None,
    protected: ResourceMetadata | None,
    scopes: tuple[str, ...],
    resource: str,
    server: ServerMetadata,
) -> LoginStep:
    if challenge is not None and challenge.scopes is not None:
        why = "the challenge names it"
    elif protected is not None and protected.scopes is not None:
        why = "the resource's metadata names it"
    else:
        why = "nothing names one"
    asked = f"scope {' '.join(scopes)!r} ({why})" if scopes else f"no scope ({why})"
    found, fix, verdict = f"a login would request {asked}, for the resource {resource}", "", StepVerdict.GOOD
    if commas := [each for each in scopes if "," in each]:
        found, verdict = f"{found}; {commas[0]!r} is one scope with a comma", StepVerdict.ODD
        fix = "Separate scopes by spaces (RFC 6749, section 3.3)."
    elif set(server.scopes) - _OPENID and (unknown := [each for each in scopes if each not in server.scopes]):
        known = ", ".join(server.scopes)[:300]
        found = f"{found}; scopes_supported of the authorization server lacks {' '.join(unknown)!r}, and has {known}"
        # it need not list all (RFC 8414, section 2), and Auth0 lists none of an API
        fix, verdict = "If the login ends with invalid_scope, use scopes that both have.", StepVerdict.ASSUMED
    return LoginStep("scope", verdict, found, clause=_SCOPES, fix=fix)


def _limits(
    protected: ResourceMetadata | None, server: ServerMetadata, resource: str, *, with_person: bool
) -> list[LoginStep]:
    """Return a step for each member of the metadata that shuts out most clients."""
    steps = []
    own = parse_qs(urlsplit(server.authorization_endpoint).query).get("resource", [""])[0]
    if own and canonical(own) != canonical(resource):
        found = (
            f"authorization_endpoint has a resource of its own, {cut(own, 200)!r}: some clients ask for that instead"
        )
        fix = "Leave it out: clients send the resource of the server."
        steps.append(LoginStep("limits", StepVerdict.ODD, found, clause="RFC 8707, section 2", fix=fix))
    for is_resource, member, needed, means in _LIMITS:
        value = peek.at((protected.raw if protected else None) if is_resource else server.raw, member)
        if needed == CODE and not with_person:
            continue
        if needed and isinstance(value, list) and value and needed not in (*value, _ANY):
            listed = ", ".join(str(each)[:40] for each in value[:5])
            found, fix = (
                f"{member} has {listed}, and no {needed}: {means}",
                f"Add {needed} to {member}, and support it.",
            )
        elif needed and value is not None and not isinstance(value, list):
            found, fix = f"{member} is a {peek.type_name(value)}, not an array", "Send an array of strings."
        elif not needed and value is True:
            found, fix = f"{member} is true: {means}", f"Do without {member}, or say which clients can log in."
        else:
            continue
        clause = "RFC 9728, section 2" if is_resource else "RFC 8414, section 2"
        steps.append(LoginStep("limits", StepVerdict.ODD, found, clause=clause, fix=fix))
    return steps


def _client(server: ServerMetadata, login_options: LoginOptions, known: StoredLogin) -> LoginStep:
    ways = [f"a client is given: {login_options.client_id}"] if login_options.client_id else []
    ways += ["one was registered before"] if server.issuer in known.clients else []
    ways += [
        "a document about the client" if login_options.metadata_url else "client metadata document (not given)"
    ] * (server.takes_metadata_documents)
    ways += [f"registration at {server.registration_endpoint}"] if server.registration_endpoint else []
    usable = [way for way in ways if "not given" not in way]
    if usable:
        return LoginStep("client", StepVerdict.GOOD, "; ".join(ways), clause=CLAUSE)
    found = "; ".join(["no registration_endpoint, and no client is known", *ways])
    by_hand = "register a client by hand, with the redirect address http://127.0.0.1/callback, and give --client-id"
    fix = f"{TOKEN_ADVICE}; or {by_hand}."
    return LoginStep("client", StepVerdict.BROKEN, found, clause=CLAUSE, fix=fix)


def _endpoints(server: ServerMetadata) -> LoginStep:
    places = {"authorization_endpoint": server.authorization_endpoint, "token_endpoint": server.token_endpoint}
    missing = [name for name, place in places.items() if not place]
    if missing:
        fix = "A login with a person needs both."
        return LoginStep(
            "endpoints", StepVerdict.BROKEN, f"no {' and no '.join(missing)}", clause="RFC 8414, section 2", fix=fix
        )
    ways = ", ".join(server.token_methods or ()) or "not said"
    if server.token_methods and not {"none", "client_secret_basic", "client_secret_post"} & {*server.token_methods}:
        found = f"token_endpoint_auth_methods_supported has {ways} only, which few clients support"
        fix = 'Add "none" for public clients, or client_secret_basic; or give --private-key.'
        return LoginStep("endpoints", StepVerdict.ODD, found, clause="RFC 8414, section 2", fix=fix)
    found = (
        f"consent at {server.authorization_endpoint}, tokens at {server.token_endpoint} (client proves itself: {ways})"
    )
    return LoginStep("endpoints", StepVerdict.GOOD, found, clause="RFC 8414, section 2")


def _pkce(server: ServerMetadata) -> LoginStep:
    if "S256" in (server.pkce or ()):
        return LoginStep("PKCE", StepVerdict.GOOD, "S256", clause=PKCE_CLAUSE)
    member = "code_challenge_methods_supported"
    listed = f"it lists {', '.join(server.pkce or ())}" if server.pkce else f"{member} is not there"
    if (value := peek.at(server.raw, member)) is not None and not isinstance(value, list):
        listed = f"{member} is a {peek.type_name(value)}, not an array"
    fix = "Its metadata must list S256 in code_challenge_methods_supported; clients must reject servers without it."
    return LoginStep("PKCE", StepVerdict.BROKEN, f"S256 is not supported: {listed}", clause=PKCE_CLAUSE, fix=fix)


def _renewal(server: ServerMetadata) -> list[LoginStep]:
    """Return a step if the metadata says that a login can't be renewed."""
    if server.grants is None or CODE not in server.grants or "refresh_token" in server.grants:
        return []
    found = "grant_types_supported has no refresh_token: users log in again whenever a token expires"
    fix = "Issue refresh tokens, and add refresh_token to grant_types_supported."
    return [LoginStep("renewal", StepVerdict.MISSING, found, clause="RFC 8414, section 2", fix=fix)]


def _issuer(server: ServerMetadata) -> LoginStep:
    if server.declares_issuer:
        return LoginStep("iss", StepVerdict.GOOD, "redirects contain `iss`", clause=RFC_9207)
    found = "redirects have no `iss`: mix-up attacks cannot be detected"
    fix = "Send iss, and set authorization_response_iss_parameter_supported."
    return LoginStep("iss", StepVerdict.MISSING, found, clause=RFC_9207, fix=fix)


def _dpop(server: ServerMetadata) -> LoginStep:
    if server.dpop:
        found = f"tokens can be bound to a key: {', '.join(server.dpop)}"
        return LoginStep("DPoP", StepVerdict.GOOD, found, clause="RFC 9449, section 5.1")
    return LoginStep("DPoP", StepVerdict.MISSING, "not supported (optional)", clause="RFC 9449, section 5.1")
