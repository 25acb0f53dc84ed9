"""Performs the steps of a login and adds its credentials to rejected requests.

There is one login at a time: a request rejected meanwhile waits for it and is sent again. The number of logins per
connection is limited; a server that rejects requests after them does so for good.
"""

import asyncio
import base64
import hashlib
import json
import secrets
import shlex
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any, Protocol, TypeVar, assert_never
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey
from msgspec.structs import replace

from inspector.auth.addresses import login_advice, origin
from inspector.auth.authorization import return_address
from inspector.auth.discovery import Challenge, bearer, parse_challenges
from inspector.auth.flow import RefusedRequest, login, survey
from inspector.auth.steps import (
    LARGEST,
    Abandoned,
    AccessToken,
    AddStep,
    Flow,
    HttpFetch,
    HttpFetched,
    LoginFailed,
    LoginOptions,
    LoginStep,
    Now,
    OpenAddress,
    Prove,
    Random,
    Redirected,
    Sign,
    Step,
    StepVerdict,
    StoredLogin,
)
from inspector.auth.storage import TokenStore
from inspector.auth.tokens import token_warnings
from inspector.errors import ConnectError, UsageError
from inspector.protocol.credentials import SecretValues
from inspector.protocol.facts import Headers
from inspector.transports.http.authorizing import Ask, Refusal

T = TypeVar("T")
MOST_LOGINS = 3
"""Maximum number of logins per connection."""
_FRESH_S = 60.0
"""Seconds after a consent during which its token does not expire without saying so."""

_SECRETS = frozenset(
    {
        *("code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "assertion"),
        *("subject_token", "actor_token", "password"),
    }
)

_SHORTEST_SECRET = 4
"""Characters of a value from which it is masked: a shorter one occurs in other words."""

_KINDS: dict[str, type[ECKey] | type[RSAKey] | type[OKPKey]] = {"ES": ECKey, "RS": RSAKey, "PS": RSAKey, "Ed": OKPKey}

_DPOP_ALGORITHM = "ES256"


class Visitor(Protocol):
    """Directs the user to the authorization server and waits for the redirect."""

    async def begin(self, known_redirect: str) -> str:
        """Prepare a login; return the redirect URI. `known_redirect` is the one used before.

        Raises: ConnectError if the redirect can't be received.
        """

    async def visit(self, visit: OpenAddress) -> Redirected | Abandoned:
        """Show the URL and wait for the user."""

    async def end(self) -> None:
        """End the login."""


class NoAuthorizer:
    """A visitor for runs without a user who could consent."""

    def __init__(self, url: str) -> None:
        """Create the visitor. `url` is that of the server, for the hint."""
        self._url = url

    async def begin(self, known_redirect: str) -> str:
        """Return a redirect URI, which is never used."""
        return known_redirect or "http://127.0.0.1/callback"

    async def visit(self, visit: OpenAddress) -> Redirected | Abandoned:
        """Return that a user is required."""
        return Abandoned(f"the login needs a user's consent. {login_advice(self._url)}")

    async def end(self) -> None:
        """Do nothing."""


class OAuthAuthorizer:
    """Logs in at one server. The endpoint calls it before each request, and when one was rejected."""

    def __init__(
        self,
        url: str,
        login_options: LoginOptions,
        store: TokenStore,
        visitor: Visitor,
        *,
        tell: Callable[[LoginStep], None] = lambda login_step: None,
        renew: bool = False,
    ) -> None:
        """Create an authorizer.

        `tell` is called with each login step. With `renew`, a stored token is renewed before it is used.
        """
        self.url = url
        self.login_steps: list[LoginStep] = []
        """Steps of the last or the current login."""
        self.busy = False
        """Whether a login is running: timeouts are paused meanwhile."""
        self._login_options = login_options
        self._store = store
        self._visitor = visitor
        self._tell = tell
        self._turn = asyncio.Lock()
        self._withheld = renew
        self._logins = 0
        self._failure: LoginFailed | None = None
        """Why the last login failed."""
        self._consented_s: float | None = None
        """When a consent led to a token that no request has proven yet, in seconds since 1970; None otherwise."""
        self._retries = 0
        """Number of rejected requests that are to be sent again and were not yet."""
        self._abandoned = False
        """Whether the user did not complete the last visit. There is no other login on this connection then."""
        self._nonces: dict[str, str] = {}
        self._came_back: Callable[[str], None] | None = None

    @cached_property
    def known(self) -> StoredLogin:
        """Stored login of the server, read on first use."""
        return self._store.get(self.url)

    @cached_property
    def _prover(self) -> "Prover":
        token = self.known.token
        return Prover(token.key if token is not None else "")

    async def headers(self, method: str, url: str) -> Headers:
        """Return the credentials for a request to the server."""
        token = self.known.token
        if token is None or self._withheld:
            return ()
        if self._retries:
            self._retries -= 1
        else:
            self._consented_s = None  # a further request follows only after a response: the token was accepted
        if token.kind != "DPoP":
            return (("Authorization", f"Bearer {token.access_token}"),)
        nonce = self._nonces.get(origin(url), "")
        proof = self._prover.proof(method, url, nonce=nonce, access_token=token.access_token)
        return (("Authorization", f"DPoP {token.access_token}"), ("DPoP", proof))

    async def refused(self, refusal: Refusal, ask: Ask) -> bool:
        """Log in if possible; return whether to retry the request. Raises: LoginFailed."""
        is_sent_again = await self._logs_in(refusal, ask)
        self._retries += is_sent_again
        return is_sent_again

    async def _logs_in(self, refusal: Refusal, ask: Ask) -> bool:
        challenge = bearer(parse_challenges(refusal.values("www-authenticate")))
        if refusal.status == 403 and (challenge is None or challenge.error != "insufficient_scope"):
            return False
        if self._has_new_nonce(refusal, challenge):
            return True
        before = self._logins
        async with self._turn:
            if self._failure is not None and (self._abandoned or self._logins > before):
                raise self._failure  # after a rejection the user is not asked again, and waiters get the same failure
            if self._is_of_another_token(refusal):
                return True  # another login succeeded meanwhile
            if self._is_fresh(challenge):
                raise self._refused_fresh(refusal)
            if self._logins >= MOST_LOGINS:
                return False
            self._logins += 1
            self._failure, self._came_back = None, refusal.came_back
            try:
                await self._login(challenge, ask)
            except LoginFailed as failure:
                self._failure = LoginFailed(failure.login_step, refused=_refusal_reason(refusal))
                self._failure.hint = (
                    failure.hint or f"mcp-inspect auth explain {shlex.quote(self.url)} explains each step."
                )
                raise self._failure from None
            return True

    async def run(self, flow: Flow[T], ask: Ask) -> T:
        """Perform a flow's steps until it returns. Its exceptions are raised."""
        came: Any = None
        try:
            while True:
                came = await self._perform(flow.send(came), ask)
        except StopIteration as stop:
            result: T = stop.value
            return result

    async def _login(self, challenge: Challenge | None, ask: Ask) -> None:
        self.login_steps.clear()
        self.busy = True
        try:
            before = next((client.redirect_uri for client in self.known.clients.values()), "")
            login_options = replace(self._login_options, redirect_uri=await self._visitor.begin(before))
            done = await self.run(login(self.url, challenge, login_options, self.known), ask)
        finally:
            self.busy = False
            await self._visitor.end()
        key = self._prover.key if done.token.kind == "DPoP" else ""
        self.known, self._withheld = replace(done.known, token=replace(done.token, key=key)), False
        self._store.put(self.url, self.known)

    async def _perform(self, step: Step, ask: Ask) -> Any:
        match step:
            case HttpFetch():
                return await _fetched(step, ask)
            case OpenAddress():
                came = await self._visitor.visit(step)
                self._abandoned = isinstance(came, Abandoned)
                self._consented_s = None if self._abandoned else time.time()
                if isinstance(came, Redirected) and self._came_back is not None:
                    self._came_back(return_address(step.redirect_uri, came.params))
                return came
            case Random(count):
                return secrets.token_urlsafe(count)
            case Now():
                return time.time()
            case Sign(claims, key, algorithm):
                return sign(claims, key, algorithm)
            case Prove(method, url, nonce, access_token):
                return self._prover.proof(method, url, nonce=nonce, access_token=access_token)
            case AddStep(login_step):
                self.login_steps.append(login_step)
                return self._tell(login_step)
            case _:
                assert_never(step)

    def _has_new_nonce(self, refusal: Refusal, challenge: Challenge | None) -> bool:
        """Return whether the server requires a nonce in the proof that was not used yet (RFC 9449, section 9)."""
        nonce = next(iter(refusal.values("dpop-nonce")), "")
        if not nonce or challenge is None or challenge.error != "use_dpop_nonce":
            return False
        place = origin(self.url)
        was, self._nonces[place] = self._nonces.get(place), nonce
        return was != nonce

    def _is_of_another_token(self, refusal: Refusal) -> bool:
        token: AccessToken | None = self.known.token
        sent = refusal.sent.rpartition(" ")[2]
        return token is not None and not self._withheld and token.access_token != sent

    def _is_fresh(self, challenge: Challenge | None) -> bool:
        """Return whether a token is refused that the user has just consented to: another consent changes nothing."""
        token, now = self.known.token, time.time()
        if token is None or self._withheld or self._consented_s is None or now - self._consented_s > _FRESH_S:
            return False
        if challenge is not None and challenge.error == "insufficient_scope":
            return False
        return token.expires_at is None or token.expires_at > now

    def _refused_fresh(self, refusal: Refusal) -> LoginFailed:
        token: AccessToken | None = self.known.token
        assert token is not None
        why = "; ".join(token_warnings(token, self.url, time.time())) or (
            "most likely its audience: the server expects tokens that are issued for another resource"
        )
        found = f"the server refuses the token that {token.issuer} has just issued: {why}"
        asked = f"The login requested the resource {token.resource}; the" if token.resource else "The"
        fix = f"{asked} server must accept the audience and the issuer of this token: see its log."
        return LoginFailed(LoginStep("new token", StepVerdict.BROKEN, found, fix=fix), refused=_refusal_reason(refusal))


class Surveyor(OAuthAuthorizer):
    """Explores the login of a server without performing it: the request remains rejected."""

    def __init__(self, url: str, login_options: LoginOptions, store: TokenStore) -> None:
        super().__init__(url, login_options, store, NoAuthorizer(url))
        self.was_refused = False

    async def headers(self, method: str, url: str) -> Headers:
        """Return nothing: with stored credentials the server would not reject the request."""
        return ()

    async def refused(self, refusal: Refusal, ask: Ask) -> bool:
        """Explore the login once; return False."""
        if not self.was_refused:
            self.was_refused = True
            refused = RefusedRequest(refusal.method, refusal.status, next(iter(refusal.values("date")), ""))
            await self._survey(bearer(parse_challenges(refusal.values("www-authenticate"))), ask, refused)
        return False

    async def look(self, ask: Ask) -> None:
        """Explore the login of a server that requires none."""
        if not self.was_refused:
            await self._survey(None, ask, None)

    async def _survey(self, challenge: Challenge | None, ask: Ask, refused: RefusedRequest | None) -> None:
        flow = survey(self.url, challenge, self._login_options, self.known, refused)
        with suppress(LoginFailed):  # the broken step says so
            await self.run(flow, ask)


def _refusal_reason(refusal: Refusal) -> str:
    wants = next(iter(refusal.values("www-authenticate")), "")
    return f"the server answered with HTTP {refusal.status}{wants and f' ({wants})'}"


async def _fetched(fetch: HttpFetch, ask: Ask) -> HttpFetched:
    headers = dict(fetch.headers)
    body: bytes | None = None
    if fetch.form is not None:
        body = urlencode(fetch.form).encode()
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    elif fetch.json is not None:
        body = msgspec.json.encode(fetch.json)
        headers |= {"Content-Type": "application/json", "Accept": "application/json"}
    try:
        heard = await ask(fetch.method, fetch.url, tuple(headers.items()), body, LARGEST)
    except ConnectError as error:
        return HttpFetched(fetch.url, why=str(error))
    headers_heard, body_heard = heard.headers, heard.body
    if fetch.form is not None and not 200 <= heard.status < 300 and (sent := _secrets_of(fetch.form)):
        masked = SecretValues(sent).masked
        body_heard = masked(body_heard)
        headers_heard = tuple((name, masked(value.encode()).decode()) for name, value in headers_heard)
    return HttpFetched(heard.url, heard.status, headers_heard, body_heard)


def _secrets_of(form: tuple[tuple[str, str], ...]) -> list[str]:
    """Return the credentials of a form, which an error response may echo."""
    return [value for name, value in form if len(value) >= _SHORTEST_SECRET and name in _SECRETS]


# Client assertions (RFC 7523) and DPoP proofs (RFC 9449)


def sign(claims: dict[str, Any], key: str, algorithm: str) -> str:
    """Return a signed JWT of the claims; `key` is PEM. Raises: UsageError if the key is unusable."""
    kind = _KINDS.get(algorithm[:2])
    if kind is None:
        raise UsageError(f"{algorithm!r} is not a signature algorithm", hint="Give ES256, RS256, PS256 or EdDSA.")
    try:
        return jwt.encode({"alg": algorithm}, claims, kind.import_key(key), algorithms=[algorithm])
    except (JoseError, ValueError, TypeError) as error:
        raise UsageError(f"the private key can't sign by {algorithm}: {error}", hint="It must be PEM.") from None


class Prover:
    """Key pair of a login, and proofs that we have it. Tokens bound to it are worthless without it."""

    def __init__(self, key: str = "") -> None:
        """Use a key that was made before, or make one."""
        self._key = ECKey.import_key(json.loads(key)) if key else ECKey.generate_key("P-256")

    @property
    def key(self) -> str:
        """The private key as a JWK."""
        return json.dumps(self._key.as_dict(private=True))

    def proof(self, method: str, url: str, *, nonce: str = "", access_token: str = "") -> str:
        """Return a proof that is valid for one request only (RFC 9449, section 4.2)."""
        claims: dict[str, Any] = {"jti": str(uuid.uuid4()), "htm": method, "htu": _bare(url), "iat": int(time.time())}
        if nonce:
            claims["nonce"] = nonce
        if access_token:
            digest = hashlib.sha256(access_token.encode("ascii", "replace")).digest()
            claims["ath"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        header = {"typ": "dpop+jwt", "alg": _DPOP_ALGORITHM, "jwk": self._key.as_dict(private=False)}
        return jwt.encode(header, claims, self._key, algorithms=[_DPOP_ALGORITHM])


def _bare(url: str) -> str:
    """Return a URL without query and fragment."""
    return urlunsplit(urlsplit(url)._replace(query="", fragment=""))
