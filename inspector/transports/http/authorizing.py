"""The interface to an authorizer: credentials for a request, and help when it is rejected.

The transports know nothing of logins; they carry the exchanges that a login needs, so that these are seen and
recorded as all others are.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from inspector.protocol.facts import Headers

REFUSED = (401, 403)


def _unheard(url: str) -> None:
    """Nobody writes down where a browser came back to."""


class Refusal(msgspec.Struct, frozen=True):
    """A request that was rejected because credentials are missing."""

    status: int
    headers: Headers
    sent: str = ""
    """The `Authorization` that it carried."""
    method: str = "POST"
    came_back: Callable[[str], None] = _unheard
    """Called with the URL of the redirect, without credentials."""

    def values(self, name: str) -> list[str]:
        """The headers of that name, in any case."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


class Heard(msgspec.Struct, frozen=True):
    """The response to an exchange with another host, or without messages."""

    url: str
    status: int
    headers: Headers
    body: bytes
    """As much of it as was wanted."""


Ask = Callable[[str, str, Headers, bytes | None, int], Awaitable[Heard]]
"""Method, URL, headers, body, and how many bytes of the answer are wanted.

Raises: ConnectError if no answer comes. Redirects within the origin of a GET are followed, others are answers.
"""


class Authorizer(Protocol):
    """Who knows how to get in."""

    @property
    def busy(self) -> bool:
        """Whether a login is running: timeouts should pause meanwhile."""

    async def headers(self, method: str, url: str) -> Headers:
        """What a request to the server carries."""

    async def refused(self, refusal: Refusal, ask: Ask) -> bool:
        """Get in, if that can be; whether the request should be made again.

        Raises: AuthorizationNeeded, with what went wrong on the way.
        """
