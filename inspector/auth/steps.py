"""Steps of a login, their results, and the record of what was found.

A flow is a generator as in `protocol.flows`, which yields steps and is sent the outcome of each. It has no clock, no
socket and no randomness, so every login can be tested line by line. Each login step is shown to the user: it has the
request, the response, whether that is correct, and which paragraph says so.
"""

from collections.abc import Generator
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from inspector.checks.foreign_text import words_of_body
from inspector.documents import prepared_type
from inspector.errors import AuthorizationNeeded
from inspector.protocol import peek
from inspector.protocol.credentials import without_credentials
from inspector.protocol.facts import header
from inspector.text import cut

T = TypeVar("T")

LARGEST = 1024 * 1024
"""Maximum number of bytes read of a document; real ones have a few thousand."""

CLIENT_NAME = "mcp-inspect"


class StepVerdict(StrEnum):
    """Verdict of a login step."""

    GOOD = "good"
    ODD = "odd"
    """It continues, but something violates the standard."""
    ASSUMED = "assumed"
    """It continues with an assumption, which only a login can confirm."""
    MISSING = "missing"
    """It does not exist; the standard has an alternative."""
    BROKEN = "broken"
    """The login ends here."""


class LoginStep(msgspec.Struct, frozen=True):
    """One step of a login, for display. It may quote untrusted text; it never contains secrets."""

    what: str
    """Short description of the step."""
    verdict: StepVerdict
    found: str = ""
    """What was found, as one sentence."""
    request: str = ""
    """Method and URL; "" if nothing was sent."""
    status: int = 0
    """HTTP status; 0 without a response."""
    clause: str = ""
    """Paragraph of the standard that requires it."""
    fix: str = ""
    """What to do about it; "" if nothing."""


class HttpFetch(msgspec.Struct, frozen=True):
    """Send one HTTP request of a login. The outcome is an HttpFetched."""

    what: str
    """Short description of its purpose."""
    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    form: tuple[tuple[str, str], ...] | None = None
    json: Any = None


class HttpFetched(msgspec.Struct, frozen=True):
    """Outcome of a request. Redirects within the origin were followed, others were not."""

    url: str
    """Final URL."""
    status: int = 0
    """HTTP status; 0 if there was no response, see `why`."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    """Up to `LARGEST` bytes."""
    why: str = ""

    def header(self, name: str) -> str:
        """Return the first header of that name; "" if there is none."""
        return header(self.headers, name) or ""

    @property
    def value(self) -> Any:
        """Body as JSON; None if it is not JSON."""
        return peek.decoded(self.body)


class OpenAddress(msgspec.Struct, frozen=True):
    """Direct the user to a URL and wait for the redirect. The outcome is a Redirected or an Abandoned."""

    url: str
    redirect_uri: str
    state: str
    code_host: str = ""
    """Host that gets the code, if it is of another origin and nothing proves that it belongs to the page at `url`."""


class Redirected(msgspec.Struct, frozen=True):
    """Query parameters of the redirect."""

    params: dict[str, str]
    repeated: tuple[str, ...] = ()
    """Names of parameters that occur more than once."""


class Abandoned(msgspec.Struct, frozen=True):
    """The user did not complete the visit."""

    why: str


class Random(msgspec.Struct, frozen=True):
    """Generate this many random bytes. The outcome is URL-safe text."""

    count: int = 32


class Now(msgspec.Struct, frozen=True):
    """Get the time. The outcome is seconds since 1970."""


class Sign(msgspec.Struct, frozen=True):
    """Sign these claims. The outcome is a JWT (RFC 7515)."""

    claims: dict[str, Any]
    key: str
    """Private key, PEM."""
    algorithm: str


class Prove(msgspec.Struct, frozen=True):
    """Make a proof of possession for one request, with the key of this connection (RFC 9449)."""

    method: str
    url: str
    nonce: str = ""
    access_token: str = ""


class AddStep(msgspec.Struct, frozen=True):
    """Add a login step to the record; no outcome."""

    login_step: LoginStep


Step = HttpFetch | OpenAddress | Random | Now | Sign | Prove | AddStep
Flow = Generator[Step, Any, T]
"""Generator that yields steps and returns T."""


class LoginFailed(AuthorizationNeeded):
    """A login ended without a token; the message says at which step and why."""

    def __init__(self, login_step: LoginStep, *, refused: str = "") -> None:
        """Create the error.

        `refused` is the server's response to the request that needed the login, "" if there is none.
        """
        super().__init__(f"{refused and refused + '; '}{login_step.what}: {login_step.found}", hint=login_step.fix)
        self.login_step = login_step


class Dpop(StrEnum):
    """Whether tokens are bound to our key (RFC 9449)."""

    AUTO = "auto"
    """If the authorization server declares support."""
    ON = "on"
    OFF = "off"


class IdentityProvider(msgspec.Struct, frozen=True):
    """Identity provider where an enterprise login can be exchanged (RFC 8693)."""

    token_endpoint: str
    client_id: str
    id_token: str


class LoginOptions(msgspec.Struct, frozen=True):
    """Options of a login. The defaults leave everything to the server's documents."""

    client_id: str = ""
    client_secret: str = ""
    metadata_url: str = ""
    """https URL of a document about this client, for servers that accept one instead of a registration."""
    scopes: tuple[str, ...] | None = None
    """Scopes to request; None: those that the server names."""
    redirect_uri: str = "http://127.0.0.1/callback"
    private_key: str = ""
    """Private key in PEM, for a client that authenticates by a signature."""
    algorithm: str = "ES256"
    client_credentials: bool = False
    """Whether to log in as the client itself, without a user."""
    assertion: str = ""
    """JWT of a workload's identity, to be exchanged for a token (RFC 7523)."""
    provider: IdentityProvider | None = None
    dpop: Dpop = Dpop.AUTO
    has_person: bool = True
    """Whether a user can consent. Without one, nothing is registered for a login that can't succeed."""


class Client(msgspec.Struct, frozen=True):
    """Our client at one authorization server."""

    client_id: str
    secret: str = ""
    method: str = "none"
    """Authentication method at the token endpoint.

    "none", "client_secret_basic", "client_secret_post" or "private_key_jwt".
    """
    registered: bool = False
    """Whether we have registered it, so that this can be repeated."""
    redirect_uri: str = ""
    """Redirect URI of the registration."""


class AccessToken(msgspec.Struct, frozen=True):
    """Result of a login."""

    access_token: str
    issuer: str
    kind: str = "Bearer"
    refresh_token: str = ""
    expires_at: float | None = None
    """Seconds since 1970; None if unknown."""
    scopes: tuple[str, ...] | None = None
    """Granted scopes; None if the response names none, which means the requested ones."""
    asked: tuple[str, ...] = ()
    """All scopes requested so far from this issuer."""
    resource: str = ""
    key: str = ""
    """Private key that it is bound to, as a JWK; "" for a Bearer token."""


@prepared_type
class StoredLogin(msgspec.Struct, frozen=True):
    """Stored data of one server between logins."""

    token: AccessToken | None = None
    clients: dict[str, Client] = {}
    """Clients by issuer: data of one authorization server is never sent to another."""

    def with_client(self, issuer: str, client: Client | None) -> "StoredLogin":
        """Return a copy with this client at an issuer, or with none."""
        others = {name: each for name, each in self.clients.items() if name != issuer}
        return StoredLogin(self.token, others if client is None else {**others, issuer: client})


class CompletedLogin(msgspec.Struct, frozen=True):
    """Outcome of a successful login."""

    token: AccessToken
    known: StoredLogin
    server: Any = None
    """Metadata of the authorization server."""


def broken(login_step: LoginStep) -> Flow[Any]:
    """Add a failed step and end the login. Raises: LoginFailed."""
    yield AddStep(login_step)
    raise LoginFailed(login_step)


def step_from(
    fetch: HttpFetch, fetched: HttpFetched, verdict: StepVerdict, found: str, clause: str = "", fix: str = ""
) -> LoginStep:
    """Return the login step of a request."""
    return LoginStep(fetch.what, verdict, found, f"{fetch.method} {fetched.url}", fetched.status, clause, fix)


def described(fetched: HttpFetched) -> str:
    """Return the outcome of a request as part of a sentence."""
    if not fetched.status:
        return f"no response: {fetched.why}"
    kind = fetched.header("content-type").partition(";")[0] or "no content type"
    if 300 <= fetched.status < 400:
        return f"{fetched.status}, a redirect to {cut(fetched.header('location'), 200)!r}, which was not followed"
    if len(fetched.body) >= LARGEST:
        return f"{fetched.status} with {kind}, longer than {LARGEST // 1024} KiB: the rest was not read"
    if fetched.status == 200 and fetched.value is None:
        return f"200 with {kind}, which is not JSON"
    words = without_credentials(words_of_body(fetched.body)) if fetched.status >= 400 else ""
    return f"{fetched.status} with {kind}{words and f', “{words}”'}"
