"""Interface to an authorizer: credentials for a request, and a login when it is rejected.

The transports know nothing about logins. They carry the exchanges that a login needs, so that these are shown and
recorded like all others.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from inspector.protocol.facts import Headers

REFUSED = (401, 403)


class Heard(msgspec.Struct, frozen=True):
    """Response to an exchange with another host, or to one without messages."""

    url: str
    status: int
    headers: Headers
    body: bytes
    """Body, up to the requested size."""


Ask = Callable[[str, str, Headers, bytes | None, int], Awaitable[Heard]]
"""Makes an exchange from method, URL, headers, body, and the maximum number of bytes of the response.

Raises: ConnectError if there is no response. A redirect of a GET within the origin is followed, others are returned.
"""


class Refusal(msgspec.Struct, frozen=True):
    """A request that was rejected because of missing credentials."""

    status: int
    headers: Headers
    sent: str = ""
    """`Authorization` header of the request."""
    method: str = "POST"
    came_back: Callable[[str], None] = lambda _: None
    """Called with the URL of a browser's redirect, without credentials."""

    def values(self, name: str) -> list[str]:
        """Return the values of the headers with this name, ignoring case."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


class Authorizer(Protocol):
    """Provides credentials."""

    @property
    def busy(self) -> bool:
        """Whether a login is running: timeouts should pause meanwhile."""

    async def headers(self, method: str, url: str) -> Headers:
        """Return the headers with credentials for a request to the server."""

    async def refused(self, refusal: Refusal, ask: Ask) -> bool:
        """Log in if possible; return whether to retry the request.

        Raises: AuthorizationNeeded, with what went wrong.
        """
