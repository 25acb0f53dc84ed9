"""Token requests and responses (OAuth 2.1, section 3.2; RFC 7523; RFC 8693).

A client authenticates as its registration says. If tokens are bound to a key (RFC 9449), each request carries a
proof, and is repeated once with the nonce that the server requires in it.
"""

import base64
import re
from collections.abc import Iterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qs, quote_plus

import msgspec

from inspector.auth.addresses import covers
from inspector.auth.discovery import ServerMetadata
from inspector.auth.registration import BASIC, BY_KEY, POST
from inspector.auth.steps import (
    AccessToken,
    AddStep,
    Client,
    Flow,
    HttpFetch,
    HttpFetched,
    LoginOptions,
    LoginStep,
    Now,
    Prove,
    Random,
    Sign,
    StepVerdict,
    broken,
    described,
    step_from,
)
from inspector.protocol import peek
from inspector.protocol.claims import MOST_SECONDS, audiences, moment, read_claims
from inspector.text import cut

_SHOWN_CHARS = 4
"""Number of characters at each end of a token that may be shown."""
_SHORTEST_SHOWN = 24
"""Minimum length of a token whose ends may be shown."""
SKEW_S = 60
"""Difference in seconds of two clocks that is tolerated."""

OAUTH = "OAuth 2.1, section 3.2.2"
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"

_ASSERTION_S = 300
"""Lifetime of a signed assertion in seconds."""

_UNSENDABLE = re.compile(r"[^\x21-\x7e]")


Form = dict[str, str]


class TokenRequest(msgspec.Struct, frozen=True):
    """Client, server and parameters of a token request."""

    server: ServerMetadata
    client: Client
    login_options: LoginOptions
    resource: str
    scopes: tuple[str, ...] = ()
    dpop: bool = False


def shortened(token: str) -> str:
    """Return enough of a token to distinguish it from another, and no more."""
    if len(token) < _SHORTEST_SHOWN:
        return f"({len(token)} characters)"
    return f"{token[:_SHOWN_CHARS]}…{token[-_SHOWN_CHARS:]} ({len(token)} characters)"


def token_warnings(token: AccessToken, server_url: str, now: float) -> Iterator[str]:
    """Yield reasons for which the server may reject the token, one sentence each. `now`: seconds since 1970."""
    claims = read_claims(token.access_token)
    expires = token.expires_at
    if claims is not None:
        who = audiences(claims)
        if who and not any(covers(each, server_url) for each in who):
            yield f"it is for {', '.join(who)}, and not for {server_url}"
        issuer = claims.get("iss")
        if isinstance(issuer, str) and issuer.rstrip("/") != token.issuer.rstrip("/"):
            yield f"its issuer is {issuer}, but {token.issuer} issued it"
        begins = moment(claims, "nbf")
        if begins is not None and begins > now + SKEW_S:
            yield f"it is not valid before {begins - now:.0f} s from now: are both clocks right?"
        stated = moment(claims, "exp")
        expires = stated if stated is not None else expires
    if expires is not None and expires <= now:
        yield f"it expired {now - expires:.0f} s ago"


def skew_s(date: str, now: float) -> float | None:
    """Return how far our clock is ahead of a `Date` header, in seconds; None if it is invalid."""
    try:
        there = parsedate_to_datetime(date)
        return now - (there if there.tzinfo else there.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def skew_sentence(skew: float) -> str:
    """Return the difference as a sentence; "" if the clocks agree."""
    if abs(skew) <= SKEW_S:
        return ""
    way = "ahead of" if skew > 0 else "behind"
    return f"our clock is {abs(skew) / 60:.0f} min {way} the server's"


def ask(request: TokenRequest, what: str, form: Form) -> Flow[AccessToken]:
    """Request a token with some grant. Raises: LoginFailed."""
    endpoint = request.server.token_endpoint
    if not endpoint:
        yield from broken(LoginStep(what, StepVerdict.BROKEN, "the authorization server names no token_endpoint"))
    fields, headers = yield from _client_auth(request, form)
    fetch = HttpFetch(what, endpoint, "POST", tuple(headers.items()), tuple(fields.items()))
    fetched = yield from _sent(fetch, dpop=request.dpop)
    value = _value(fetched)
    token = peek.text(value, "access_token")
    if not 200 <= fetched.status < 300 or not token:
        yield from broken(
            step_from(fetch, fetched, StepVerdict.BROKEN, _refused(fetched, value), OAUTH, _fix(request, value))
        )
    if _UNSENDABLE.search(token or "") is not None:
        found = "its access_token holds characters that no Authorization header can carry"
        yield from broken(
            step_from(fetch, fetched, StepVerdict.BROKEN, found, "RFC 6750, section 2.1", "Issue a b64token.")
        )
    now: float = yield Now()
    made = _token(request, value, now)
    yield from _report_token(fetch, fetched, value, made, now)
    return made


def by_code(code: str, verifier: str, redirect_uri: str) -> Form:
    """Return the form of the authorization code grant."""
    return {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}


def by_refresh(token: AccessToken) -> Form:
    """Return the form of the refresh token grant."""
    return {"grant_type": "refresh_token", "refresh_token": token.refresh_token}


def by_client(scopes: tuple[str, ...]) -> Form:
    """Return the form of the client credentials grant."""
    return {"grant_type": "client_credentials"} | ({"scope": " ".join(scopes)} if scopes else {})


def by_assertion(assertion: str, scopes: tuple[str, ...] = ()) -> Form:
    """Return the form of the JWT bearer grant: a third party's assertion about the client (RFC 7523, section 2.1)."""
    return {"grant_type": JWT_BEARER, "assertion": assertion} | ({"scope": " ".join(scopes)} if scopes else {})


def exchanged(login_options: LoginOptions, issuer: str, resource: str) -> Flow[str]:
    """Exchange an enterprise login for a grant that the server's authorization server accepts (RFC 8693).

    Raises: LoginFailed.
    """
    provider = login_options.provider
    assert provider is not None, "asked for with one alone"
    form = {
        "grant_type": TOKEN_EXCHANGE,
        "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
        "audience": issuer,
        "resource": resource,
        "subject_token": provider.id_token,
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "client_id": provider.client_id,
    }
    fetch = HttpFetch("exchange at the identity provider", provider.token_endpoint, "POST", form=tuple(form.items()))
    fetched: HttpFetched = yield fetch
    grant = peek.text(_value(fetched), "access_token")
    if not 200 <= fetched.status < 300 or not grant:
        refused = _refused(fetched, _value(fetched))
        yield from broken(step_from(fetch, fetched, StepVerdict.BROKEN, refused, "RFC 8693, section 2.2"))
    yield AddStep(step_from(fetch, fetched, StepVerdict.GOOD, f"a grant for {issuer}", "RFC 8693, section 2.2"))
    return grant or ""


def _client_auth(request: TokenRequest, form: Form) -> Flow[tuple[Form, Form]]:
    """Add the client authentication; return the form and the headers."""
    client = request.client
    # With Basic the standard does not require client_id in the form, but widely used servers do.
    fields = {**form, "resource": request.resource, "client_id": client.client_id}
    headers = {"Accept": "application/json"}
    if client.method == BASIC:
        pair = f"{quote_plus(client.client_id)}:{quote_plus(client.secret)}".encode()
        return fields, {**headers, "Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    if client.method == POST:
        fields["client_secret"] = client.secret
    if client.method == BY_KEY:
        fields |= yield from _assertion(request)
    return fields, headers


def _assertion(request: TokenRequest) -> Flow[Form]:
    """Return the form fields with the client's signed assertion about itself (RFC 7523, section 2.2)."""
    now: float = yield Now()
    unique: str = yield Random(16)
    who = request.client.client_id
    times = {"iat": int(now), "exp": int(now) + _ASSERTION_S}
    claims: dict[str, Any] = {"iss": who, "sub": who, "aud": request.server.issuer, "jti": unique, **times}
    signed: str = yield Sign(claims, request.login_options.private_key, request.login_options.algorithm)
    kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    return {"client_assertion_type": kind, "client_assertion": signed}


def _sent(fetch: HttpFetch, *, dpop: bool) -> Flow[HttpFetched]:
    """Send with a proof, and once more with a nonce if the server requires one."""
    if not dpop:
        fetched: HttpFetched = yield fetch
        return fetched
    proof: str = yield Prove(fetch.method, fetch.url)
    fetched = yield _with_proof(fetch, proof)
    nonce = fetched.header("dpop-nonce")
    if fetched.status in (400, 401) and peek.text(fetched.value, "error") == "use_dpop_nonce" and nonce:
        found = "it requires a nonce in the proof of possession, and sent one"
        yield AddStep(step_from(fetch, fetched, StepVerdict.GOOD, found, "RFC 9449, section 8"))
        proof = yield Prove(fetch.method, fetch.url, nonce)
        fetched = yield _with_proof(fetch, proof)
    return fetched


def _with_proof(fetch: HttpFetch, proof: str) -> HttpFetch:
    return msgspec.structs.replace(fetch, headers=(*fetch.headers, ("DPoP", proof)))


def _value(fetched: HttpFetched) -> Any:
    """Return the response body; some servers send a form instead of JSON."""
    if fetched.value is None and "x-www-form-urlencoded" in fetched.header("content-type"):
        try:
            pairs = parse_qs(fetched.body.decode("utf-8", "replace"), max_num_fields=50)
        except ValueError:  # more fields than any such response has
            return None
        return {name: values[0] for name, values in pairs.items()}
    return fetched.value


def _token(request: TokenRequest, value: Any, now: float) -> AccessToken:
    lasts = _lifetime(value)
    scope = peek.text(value, "scope")
    kind = "DPoP" if (peek.text(value, "token_type") or "").lower() == "dpop" else "Bearer"
    return AccessToken(
        peek.text(value, "access_token") or "",
        request.server.issuer,
        kind,
        refresh_token=peek.text(value, "refresh_token") or "",
        expires_at=None if lasts is None else now + lasts,
        scopes=None if scope is None else tuple(scope.split()),
        asked=request.scopes,
        resource=request.resource,
    )


def _lifetime(value: Any) -> float | None:
    """Return the lifetime of a token in seconds; None if it is missing or invalid."""
    lasts = peek.number(value, "expires_in")
    if lasts is None and (text := peek.text(value, "expires_in")) and text.isascii() and text.isdecimal():
        lasts = int(text[:30])
    return None if lasts is None or not abs(lasts) < MOST_SECONDS else float(lasts)


def _report_token(fetch: HttpFetch, fetched: HttpFetched, value: Any, token: AccessToken, now: float) -> Flow[None]:
    lasts = "" if token.expires_at is None else f" for {token.expires_at - now:.0f} s"
    more = " and a refresh token" if token.refresh_token else ""
    granted = f", scope {' '.join(token.scopes)!r}" if token.scopes else ""
    verdict, fix = StepVerdict.GOOD, ""
    if fetched.value is None:
        verdict, fix = StepVerdict.ODD, "The response must be JSON, not a form."
    elif token.expires_at is None and peek.has(value, "expires_in"):
        verdict, fix = StepVerdict.ODD, "Its expires_in is invalid and ignored."
    elif token.expires_at is not None and token.expires_at <= now:
        verdict, fix = (
            StepVerdict.ODD,
            "It was already expired when received: check expires_in and the clocks of both machines.",
        )
    elif message := skew_sentence(skew_s(fetched.header("date"), now) or 0.0):
        verdict, fix = StepVerdict.ODD, f"The clocks differ: {message}."
    yield AddStep(step_from(fetch, fetched, verdict, f"a {token.kind} token{lasts}{granted}{more}", OAUTH, fix))


def _refused(fetched: HttpFetched, value: Any) -> str:
    error, description = peek.text(value, "error"), peek.text(value, "error_description")
    if error is None:
        return described(fetched) if not 200 <= fetched.status < 300 or value is None else "no token in the response"
    message = f"{cut(error, 200)}: {cut(description, 500)}" if description else cut(error, 200)
    return f"{message} (with status {fetched.status}, which means success)" if fetched.status == 200 else message


def _fix(request: TokenRequest, value: Any) -> str:
    match peek.text(value, "error"):
        case "invalid_client":
            listed = ", ".join(request.server.token_methods or ()) or "none"
            return f"The client authenticated by {request.client.method}; methods that the server lists: {listed}."
        case "invalid_grant":
            return "The code or token was used before, has expired, or belongs to another client or redirect URI."
        case "invalid_scope":
            return f"Requested: {' '.join(request.scopes)!r}; --scope requests others."
        case _:
            return ""
