"""Client registration: pre-registered, by metadata document, or dynamic (RFC 7591).

In the order of the specification: a client that the user names, one that was registered before, a document about the
client (Client ID Metadata Document), dynamic registration (RFC 7591). A program on a user's machine is a public
client: it requests no secret, but accepts one and uses it as required.

Source: specification, basic/authorization, "Client Registration Approaches".
"""

from typing import Any

from inspector.auth.addresses import TOKEN_ADVICE
from inspector.auth.discovery import ServerMetadata
from inspector.auth.steps import (
    CLIENT_NAME,
    AddStep,
    Client,
    Flow,
    HttpFetch,
    HttpFetched,
    LoginOptions,
    LoginStep,
    StepVerdict,
    StoredLogin,
    broken,
    described,
    step_from,
)
from inspector.protocol import peek
from inspector.text import cut

CLAUSE = "specification, basic/authorization, client registration"
RFC_7591 = "RFC 7591, section 3"
BASIC, POST, NONE, BY_KEY = "client_secret_basic", "client_secret_post", "none", "private_key_jwt"


def find_client(
    server: ServerMetadata,
    login_options: LoginOptions,
    known: StoredLogin,
    scopes: tuple[str, ...],
    *,
    with_consent: bool = True,
) -> Flow[Client]:
    """Return the client to log in as.

    `with_consent` False: a grant without a user, hence without dynamic registration. Raises: LoginFailed if no
    client is available.
    """
    if login_options.client_id:
        client = Client(login_options.client_id, login_options.client_secret, _method(server, login_options))
        yield AddStep(
            LoginStep("client", StepVerdict.GOOD, f"{client.client_id}, as given, by {client.method}", clause=CLAUSE)
        )
        return client
    before = known.clients.get(server.issuer)
    if before is not None and before.redirect_uri == login_options.redirect_uri and _is_usable(before, login_options):
        yield AddStep(LoginStep("client", StepVerdict.GOOD, f"{before.client_id}, registered before", clause=CLAUSE))
        return before
    if login_options.metadata_url and server.takes_metadata_documents:
        yield AddStep(
            LoginStep("client", StepVerdict.GOOD, f"named by the document {login_options.metadata_url}", clause=CLAUSE)
        )
        return Client(login_options.metadata_url)
    if server.registration_endpoint and with_consent:
        return (yield from _register(server, login_options, scopes))
    found = "the authorization server requires a registered client, and none was given"
    by_hand = "register a client with it by hand, with the redirect address of `auth explain`, and give --client-id"
    fix = f"{TOKEN_ADVICE}; or {by_hand}."
    missing: Client = yield from broken(LoginStep("client", StepVerdict.BROKEN, found, clause=CLAUSE, fix=fix))
    return missing


def _method(server: ServerMetadata, login_options: LoginOptions) -> str:
    """Return how a given client authenticates: as the server lists, if we support it, else the default."""
    if login_options.private_key:
        return BY_KEY
    if not login_options.client_secret:
        return NONE
    listed = server.token_methods or (BASIC,)
    return next((method for method in (BASIC, POST) if method in listed), BASIC)


def _register(server: ServerMetadata, login_options: LoginOptions, scopes: tuple[str, ...]) -> Flow[Client]:
    listed = server.token_methods or (NONE,)
    wanted = next((method for method in (NONE, BASIC, POST) if method in listed), NONE)
    about: dict[str, Any] = {
        "client_name": CLIENT_NAME,
        "redirect_uris": [login_options.redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "application_type": "native",
        "token_endpoint_auth_method": wanted,
    }
    if scopes:
        about["scope"] = " ".join(scopes)
    fetch = HttpFetch("client registration", server.registration_endpoint, "POST", json=about)
    fetched: HttpFetched = yield fetch
    client_id = peek.text(fetched.value, "client_id")
    if fetched.status not in (200, 201) or not client_id:
        message = " ".join(
            filter(None, (peek.text(fetched.value, "error"), peek.text(fetched.value, "error_description")))
        )
        found, fix = (
            message or described(fetched),
            f"{TOKEN_ADVICE}; or register a client by hand and give --client-id.",
        )
        if server.assumed:
            found = f"the server describes no login, and its default address for it responded: {found}"
            fix = f"{TOKEN_ADVICE}."
        yield from broken(step_from(fetch, fetched, StepVerdict.BROKEN, found, RFC_7591, fix))
    secret = peek.text(fetched.value, "client_secret") or ""
    named = peek.text(fetched.value, "token_endpoint_auth_method") or (BASIC if secret else NONE)
    method = NONE if named in (BASIC, POST) and not secret else named
    client = Client(client_id or "", secret, method, registered=True, redirect_uri=login_options.redirect_uri)
    if not _is_usable(client, login_options):
        found = f"it registered {wanted!r} as {cut(named, 100)!r}, by which this client can't prove itself"
        fix = "Register the requested token_endpoint_auth_method, or reject it. --client-id sets a registered client."
        yield from broken(step_from(fetch, fetched, StepVerdict.BROKEN, found, RFC_7591, fix))
    if method != named:
        found = f"registered as {client_id}, by {named} but without a client_secret: used without one"
        yield AddStep(
            step_from(fetch, fetched, StepVerdict.ODD, found, RFC_7591, "Return client_secret, or register 'none'.")
        )
    else:
        yield AddStep(step_from(fetch, fetched, StepVerdict.GOOD, f"registered as {client_id}, by {method}", RFC_7591))
    return client


def _is_usable(client: Client, login_options: LoginOptions) -> bool:
    """Return whether we have what the client's authentication method needs."""
    match client.method:
        case "none":
            return True
        case "client_secret_basic" | "client_secret_post":
            return bool(client.secret)
        case "private_key_jwt":
            return bool(login_options.private_key)
    return False
