"""What a person may say about a login, and what a login leaves behind."""

from enum import StrEnum
from typing import Any

import msgspec

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


class LoginWishes(msgspec.Struct, frozen=True):
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
    """Whether somebody is there to consent; nothing is registered for a login that can't end well."""


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


class Token(msgspec.Struct, frozen=True):
    """What a login gives."""

    access_token: str
    issuer: str
    kind: str = "Bearer"
    """"Bearer" or "DPoP"."""
    refresh_token: str = ""
    expires_at: float | None = None
    """Seconds since 1970; None if nobody said."""
    scopes: tuple[str, ...] | None = None
    """What was granted; None: what was asked for."""
    asked: tuple[str, ...] = ()
    """All scopes that were asked for so far, at this issuer."""
    resource: str = ""


class Known(msgspec.Struct, frozen=True):
    """What is kept of one server between logins."""

    token: Token | None = None
    clients: dict[str, Client] = {}
    """Registered ones, by issuer: what one authorization server gave is never shown to another."""

    def with_client(self, issuer: str, client: Client | None) -> "Known":
        """The same with another client at an issuer, or with none there."""
        others = {name: each for name, each in self.clients.items() if name != issuer}
        return Known(self.token, others if client is None else {**others, issuer: client})


class Login(msgspec.Struct, frozen=True):
    """How a login ended well."""

    token: Token
    known: Known
    server: Any = None
    """The metadata of the authorization server."""
