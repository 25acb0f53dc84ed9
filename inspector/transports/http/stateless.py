"""One POST, one response or stream; closing it cancels (2026-07-28, basic/transports/streamable-http).

Nothing outlives an exchange here: no session, no other stream, no resumption. A broken stream has lost its
request, and to ask again with a new id is the session's business.
"""

import asyncio

from inspector.protocol.frames import Channel
from inspector.transports.base import Delivery, Outgoing
from inspector.transports.http.endpoint import ACCEPT_ANSWER, JSON_CONTENT, Endpoint
from inspector.transports.http.reply import Trail, read_body, read_events


class Stateless:
    """The carriage of the stateless era."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def start(self) -> None:
        """Nothing to do."""

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Post it and read what comes to its end. After that nothing can follow. Raises: ConnectError."""
        headers = (ACCEPT_ANSWER, JSON_CONTENT, *outgoing.headers.items())
        body, probe = outgoing.payload, outgoing.probe
        async with await self._endpoint.request("POST", headers, body=body, probe=probe) as reply:
            if not reply.is_stream:
                return reply.delivery(body=await read_body(reply))
            await read_events(reply, Channel.SSE, Trail())
            return reply.delivery()

    def abandon(self, sending: asyncio.Task[Delivery]) -> None:
        """Close the stream at once: "the server MUST treat a disconnect as a cancel"."""
        sending.cancel()

    async def stop(self) -> None:
        """Nothing to do."""
