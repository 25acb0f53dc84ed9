"""Authorization code grant with PKCE (OAuth 2.1, section 4.1; RFC 7636).

A redirect is accepted only with the state that was sent and, if the server declares that it sends its issuer (RFC
9207), with that issuer. The text of any other response is not shown: it may be misleading.
"""

import base64
import hashlib
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from inspector.auth.addresses import same_origin
from inspector.auth.discovery import ServerMetadata
from inspector.auth.steps import (
    Abandoned,
    AddStep,
    Client,
    Flow,
    LoginOptions,
    LoginStep,
    OpenAddress,
    Random,
    Redirected,
    StepVerdict,
    broken,
)
from inspector.protocol.credentials import MASK
from inspector.text import cut

PKCE_CLAUSE = "specification, basic/authorization, authorization code protection"
RFC_9207 = "RFC 9207, section 2.4"
CONSENT = "consent in the browser"
_AGAIN = "Begin again when you are ready. If the page did not know the client: auth logout --all forgets it."
_TELLING = ("iss", "error", "error_description", "error_uri", "scope")


class Code(msgspec.Struct, frozen=True):
    """The code from the redirect, and the verifier that proves that it was issued for us."""

    code: str
    verifier: str


def authorize(
    server: ServerMetadata, client: Client, login_options: LoginOptions, scopes: tuple[str, ...], resource: str
) -> Flow[Code]:
    """Get the user's consent; return the code. `check_server` must be called first. Raises: LoginFailed."""
    verifier: str = yield Random(48)
    state: str = yield Random(24)
    asked = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": login_options.redirect_uri,
        "state": state,
        "code_challenge": challenge_of(verifier),
        "code_challenge_method": "S256",
        "resource": resource,
    }
    if scopes:
        asked["scope"] = " ".join(scopes)
    if "offline_access" in scopes:
        asked["prompt"] = "consent"  # OpenID Connect Core, section 11: otherwise the scope is ignored
    what = f"scope {' '.join(scopes)!r}" if scopes else "no scope"
    yield AddStep(
        LoginStep(
            "authorization request", StepVerdict.GOOD, f"{what}, resource {resource}", clause="RFC 8707, section 2"
        )
    )
    came: Redirected | Abandoned = yield OpenAddress(
        _with_query(server.authorization_endpoint, asked), login_options.redirect_uri, state, _code_host(server)
    )
    if isinstance(came, Abandoned):
        yield from broken(LoginStep(CONSENT, StepVerdict.BROKEN, came.why, fix=_AGAIN))
        raise AssertionError("a broken step ends the login")
    return Code((yield from _code(server, came, state)), verifier)


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a verifier (RFC 7636, section 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode()


def check_server(server: ServerMetadata) -> Flow[None]:
    """Check that the server supports a user's consent, with PKCE by S256. Raises: LoginFailed."""
    if not server.authorization_endpoint:
        fix = "Its metadata must name an authorization_endpoint."
        yield from broken(
            LoginStep("authorization request", StepVerdict.BROKEN, "there is no authorization endpoint", fix=fix)
        )
    if not server.assumed and "S256" not in (server.pkce or ()):
        found = f"the authorization server does not support S256 (it lists {', '.join(server.pkce or ()) or 'nothing'})"
        fix = "Its metadata must list S256 in code_challenge_methods_supported; clients must reject servers without it."
        yield from broken(LoginStep("PKCE", StepVerdict.BROKEN, found, clause=PKCE_CLAUSE, fix=fix))


def _code_host(server: ServerMetadata) -> str:
    """Return the host that gets the code if it may be another party than the page that asks for consent; "" if not.

    A malicious server may name an honest server's page and its own token endpoint (RFC 9700, section 4.4, mix-up).
    """
    if server.declares_issuer or same_origin(server.authorization_endpoint, server.token_endpoint):
        return ""
    return urlsplit(server.token_endpoint).netloc


def _code(server: ServerMetadata, came: Redirected, state: str) -> Flow[str]:
    """Return the code of a redirect that responds to our request."""
    params = came.params
    if came.repeated:
        found = f"the redirect has more than one `{cut(came.repeated[0], 40)}`: none of them was used"
        yield from broken(LoginStep(CONSENT, StepVerdict.BROKEN, found, clause="RFC 6749, section 3.1"))
    if params.get("state") != state:
        found = "`state` of the redirect does not match: it belongs to another login"
        yield from broken(
            LoginStep(CONSENT, StepVerdict.BROKEN, found, clause="OAuth 2.1, section 7.12", fix="Begin again.")
        )
    if "iss" in params and params["iss"] != server.issuer:
        found = f"the answer is of {cut(params['iss'], 200)!r} and not of {server.issuer!r}: the code was not redeemed"
        yield from broken(LoginStep(CONSENT, StepVerdict.BROKEN, found, clause=RFC_9207))
    if "iss" not in params and server.declares_issuer:
        found = "the redirect has no `iss`, although the authorization server declares that it sends one"
        fix = "If you pasted only the code: paste the full final URL of the browser."
        yield from broken(LoginStep(CONSENT, StepVerdict.BROKEN, found, clause=RFC_9207, fix=fix))
    if error := params.get("error"):
        message = f"{cut(error, 200)}: {cut(params.get('error_description', ''), 500)}".rstrip(": ")
        yield from broken(LoginStep(CONSENT, StepVerdict.BROKEN, message, clause="OAuth 2.1, section 4.1.2.1"))
    if not params.get("code"):
        yield from broken(LoginStep(CONSENT, StepVerdict.BROKEN, "the redirect has no code"))
    yield AddStep(LoginStep(CONSENT, StepVerdict.GOOD, "received a code, with the correct state", clause=RFC_9207))
    return params["code"]


def _with_query(url: str, params: dict[str, str]) -> str:
    parts = urlsplit(url)
    query = "&".join(filter(None, (parts.query, urlencode(params))))
    return urlunsplit(parts._replace(query=query, fragment=""))


def return_address(redirect_uri: str, params: dict[str, str]) -> str:
    """Return the URL of a redirect for the record: the code, the state and unknown parameters are masked."""
    members = {name: value[:500] if name in _TELLING else MASK for name, value in params.items()}
    return _with_query(redirect_uri, members)
