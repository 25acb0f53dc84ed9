"""How the conversation was opened: the peers, their capabilities, and the revision.

In the handshake era, one response settles it. In the stateless era each request declares its sender; without
`server/discover`, a server is known only by the metadata in its results.
"""

from typing import Any

from msgspec.structs import replace

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.listed_items import KIND_OF_METHOD, LISTS
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import SERVER_INFO, Opening, from_discover, from_initialize
from inspector.protocol.revisions.table import resolve

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def declared_revision(params: Any) -> str | None:
    """Return the revision that a request declares (2026-07-28, basic); None if it declares none."""
    return peek.text(params, "_meta", PROTOCOL_VERSION)


class OpeningTracker:
    """The latest opening; None until a response settles it."""

    def __init__(self) -> None:
        self.opening: Opening | None = None
        self._handshake = 0
        """Number of the exchange that completed a handshake; 0 if none did."""

    @property
    def revision(self) -> str | None:
        """Version string that applies to requests that declare none."""
        return self.opening.revision.date if self.opening else None

    def answered(self, exchange: Exchange, params: Any, result: Any) -> Opening | None:
        """Process a result. Return the opening if the result settled it or added information; else None."""
        if exchange.method == "initialize":
            if exchange.probe and self.opening is not None:
                return None  # sent to see the reaction; the session does not use it
            found = from_initialize(params, result)
            self._handshake = exchange.number
        elif exchange.method == "server/discover":
            if self.opening is not None and exchange.number < self._handshake and self.opening.era is Era.LEGACY:
                return None  # the client stopped waiting for it, and opened with initialize
            found = from_discover(exchange.revision or "", result)
        elif exchange.revision and declared_revision(params):
            found = self._from_stateless(exchange, exchange.revision, result)
        else:
            return None
        if not isinstance(found, Opening) or found == self.opening:
            return None
        if found.era is Era.MODERN:
            found = replace(
                found,
                client=peek.mapping(params, "_meta", CLIENT_INFO),
                client_capabilities=peek.mapping(params, "_meta", CLIENT_CAPABILITIES),
            )
            if found == self.opening:
                return None
        self.opening = found
        return found

    def _from_stateless(self, exchange: Exchange, date: str, result: Any) -> Opening | str:
        """Return the opening according to a result of any other stateless request.

        If the server was not discovered, a list that it returns implies the capability.
        """
        before = self.opening
        named = peek.mapping(result, "_meta", SERVER_INFO)
        if before is not None and before.revision.date == date:
            before = replace(before, server=named) if named and not before.server else before
            return before if before.supported else _with_list(before, exchange.method)
        if not peek.has(result, "resultType"):
            return "a result without resultType proves nothing"
        revision, warning = resolve(date, Era.MODERN)
        found = Opening(revision=revision, server=named, warnings=(warning,) if warning else ())
        return _with_list(found, exchange.method)


def _with_list(opening: Opening, method: str) -> Opening:
    """Add the capability that a list implies; no change if the method is not that of a list."""
    listed = LISTS.get(KIND_OF_METHOD.get(method, ""))
    if listed is None or listed.capability in opening.capabilities:
        return opening
    return replace(opening, capabilities=opening.capabilities | {listed.capability: {}})
