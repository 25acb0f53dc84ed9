"""Steps of a login, their results, and the record of what was found.

A flow here is what it is in `protocol.flows`: a generator that yields steps and is sent the outcome of each. It has no
clock, no socket and no chance, so every login can be tested line by line. The ladder is for a person: each rung says
the request, the response, whether that is right, and which paragraph says so.
"""

from collections.abc import Generator
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from inspector.errors import AuthorizationNeeded

T = TypeVar("T")


class StepVerdict(StrEnum):
    """What a rung comes to."""

    GOOD = "good"
    ODD = "odd"
    """It continues, but something violates the standard."""
    MISSING = "missing"
    """Not there; the standard has another place, or goes without."""
    BROKEN = "broken"
    """Here it ends."""


class LoginStep(msgspec.Struct, frozen=True):
    """One step of the ladder. Quotes foreign text; secrets are never in it."""

    what: str
    """What was looked for or done, a few words."""
    verdict: StepVerdict
    found: str = ""
    """What was received, one sentence."""
    request: str = ""
    """Method and URL, "" where nothing was sent."""
    status: int = 0
    """HTTP status, 0 without a response."""
    clause: str = ""
    """The paragraph that asks for it."""
    fix: str = ""
    """What to do about it, "" where nothing needs to be done."""


class HttpFetch(msgspec.Struct, frozen=True):
    """Send one HTTP request of the dance; a Fetched comes of it."""

    what: str
    """What it is for, a few words."""
    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    form: tuple[tuple[str, str], ...] | None = None
    json: Any = None


class HttpFetched(msgspec.Struct, frozen=True):
    """The outcome of a request. Redirects within the origin were followed, others were not."""

    url: str
    """Where it came from."""
    status: int = 0
    """0 if no response came; `why` says why."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    """At most `LARGEST` bytes."""
    why: str = ""

    def header(self, name: str) -> str:
        """The first header of that name, "" if there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def value(self) -> Any:
        """The body as JSON, None if it is not JSON."""
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


LARGEST = 1024 * 1024
"""Bytes of a document that are read: real ones have a few thousand."""


class OpenAddress(msgspec.Struct, frozen=True):
    """Have the person go to an address and come back; a Redirected or an Abandoned comes of it."""

    url: str
    redirect_uri: str
    state: str


class Redirected(msgspec.Struct, frozen=True):
    """The person came back: the query of the redirect, names and values."""

    params: dict[str, str]


class Abandoned(msgspec.Struct, frozen=True):
    """He did not."""

    why: str


class Random(msgspec.Struct, frozen=True):
    """So many random bytes, as URL-safe text."""

    count: int = 32


class Now(msgspec.Struct, frozen=True):
    """Seconds since 1970."""


class Sign(msgspec.Struct, frozen=True):
    """A signed JWT (RFC 7515) of these claims comes of it."""

    claims: dict[str, Any]
    key: str
    """A private key, PEM."""
    algorithm: str


class Prove(msgspec.Struct, frozen=True):
    """A proof of possession for one request comes of it, with a key that is made for this connection (RFC 9449)."""

    method: str
    url: str
    nonce: str = ""
    access_token: str = ""


class AddStep(msgspec.Struct, frozen=True):
    """Add a step to the list; no outcome."""

    rung: LoginStep


Step = HttpFetch | OpenAddress | Random | Now | Sign | Prove | AddStep
Flow = Generator[Step, Any, T]
"""Yields steps and returns T."""


class LoginFailed(AuthorizationNeeded):
    """A login ended without a token; the sentence says at which step and why."""

    def __init__(self, rung: LoginStep, *, refused: str = "") -> None:
        """`refused`: what the server said to the request that wanted the login, "" where none did."""
        super().__init__(f"{refused and refused + '; '}{rung.what}: {rung.found}", hint=rung.fix)
        self.rung = rung


def broken(rung: LoginStep) -> Flow[Any]:
    """Add a failed step and end there. Raises: LoginFailed."""
    yield AddStep(rung)
    raise LoginFailed(rung)


def rung_of(
    fetch: HttpFetch, fetched: HttpFetched, verdict: StepVerdict, found: str, clause: str = "", fix: str = ""
) -> LoginStep:
    """The rung of a request."""
    return LoginStep(fetch.what, verdict, found, f"{fetch.method} {fetched.url}", fetched.status, clause, fix)


def described(fetched: HttpFetched) -> str:
    """The outcome of a request, for a sentence."""
    if not fetched.status:
        return f"no response: {fetched.why}"
    kind = fetched.header("content-type").partition(";")[0] or "no content type"
    if 300 <= fetched.status < 400:
        return f"{fetched.status}, a redirect to {fetched.header('location')[:200]!r}, which was not followed"
    if len(fetched.body) >= LARGEST:
        return f"{fetched.status} with {kind}, longer than {LARGEST // 1024} KiB: the rest was not read"
    if fetched.status == 200 and fetched.value is None:
        return f"200 with {kind}, which is not JSON"
    return f"{fetched.status} with {kind}"


# Options and outcome of a login

CLIENT_NAME = "mcp-inspect"


class Dpop(StrEnum):
    """Whether tokens are bound to a key of ours (RFC 9449)."""

    AUTO = "auto"
    """Where the authorization server says that it can."""
    ON = "on"
    OFF = "off"


class IdentityProvider(msgspec.Struct, frozen=True):
    """Where an enterprise's own login can be exchanged (RFC 8693)."""

    token_endpoint: str
    client_id: str
    id_token: str


class LoginOptions(msgspec.Struct, frozen=True):
    """What a person may say about a login; all of it may be left to the server's documents."""

    client_id: str = ""
    client_secret: str = ""
    metadata_url: str = ""
    """The https address of a document about this client, for servers that take one instead of a registration."""
    scopes: tuple[str, ...] | None = None
    """What to ask for instead of what the server names; None: what the server names."""
    redirect_uri: str = "http://127.0.0.1/callback"
    """Where the browser comes back to."""
    private_key: str = ""
    """PEM, for a client that proves itself by a signature."""
    algorithm: str = "ES256"
    client_credentials: bool = False
    """Log in as the client itself, without a person."""
    assertion: str = ""
    """A JWT of a workload's identity, to be exchanged for a token (RFC 7523)."""
    provider: IdentityProvider | None = None
    dpop: Dpop = Dpop.AUTO
    has_person: bool = True
    """Whether a user is there to consent; nothing is registered for a login that can't end well."""


class Client(msgspec.Struct, frozen=True):
    """Who we are to one authorization server."""

    client_id: str
    secret: str = ""
    method: str = "none"
    """How it proves itself at the token endpoint: "none", "client_secret_basic", "client_secret_post",
    "private_key_jwt"."""
    registered: bool = False
    """True if it was registered by us, so that it can be done again."""
    redirect_uri: str = ""
    """The one it was registered with."""


class AccessToken(msgspec.Struct, frozen=True):
    """What a login gives."""

    access_token: str
    issuer: str
    kind: str = "Bearer"
    """"Bearer" or "DPoP"."""
    refresh_token: str = ""
    expires_at: float | None = None
    """Seconds since 1970; None if unknown."""
    scopes: tuple[str, ...] | None = None
    """What was granted; None: what was asked for."""
    asked: tuple[str, ...] = ()
    """All scopes that were asked for so far, at this issuer."""
    resource: str = ""


class StoredLogin(msgspec.Struct, frozen=True):
    """What is kept of one server between logins."""

    token: AccessToken | None = None
    clients: dict[str, Client] = {}
    """Registered ones, by issuer: what one authorization server gave is never shown to another."""

    def with_client(self, issuer: str, client: Client | None) -> "StoredLogin":
        """The same with another client at an issuer, or with none there."""
        others = {name: each for name, each in self.clients.items() if name != issuer}
        return StoredLogin(self.token, others if client is None else {**others, issuer: client})


class CompletedLogin(msgspec.Struct, frozen=True):
    """How a login ended well."""

    token: AccessToken
    known: StoredLogin
    server: Any = None
    """The metadata of the authorization server."""
