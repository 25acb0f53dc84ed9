"""Ids of servers that do not return the ids of the requests, but still fit the official clients.

Some return integers as strings, which the official TypeScript and Python clients match. Others number their responses
themselves, from 0: the official TypeScript client and Python client 1 number their requests from 0 and send no probe
by default. See docs/compatibility.md.
"""

from collections.abc import Callable, Collection

from inspector.protocol.jsonrpc import RequestId

_MOST_DIGITS = 15
_RETURNS = -1
"""In place of an offset: the server has returned the id of a request, so it numbers nothing."""


class ServerNumbering:
    """Maps the ids of responses to those of requests: the same, except for such a server."""

    def __init__(self) -> None:
        self.offset = 0

    def request_id(
        self, id_: RequestId, open_ids: Callable[[], Collection[RequestId]], is_known: Callable[[RequestId], bool]
    ) -> RequestId:
        """Return the id of the request that a response with the id `id_` is for.

        `is_known` returns whether a request had an id. A server is found to number its responses if its first response
        has the id 0, no request had it, and one request is open.
        """
        if isinstance(id_, str):
            is_number = id_.isdecimal() and id_.isascii() and len(id_) <= _MOST_DIGITS
            return int(id_) if is_number and not is_known(id_) and is_known(int(id_)) else id_
        if not self.offset and is_known(id_):
            self.returned()
        elif not self.offset and id_ == 0 and len(ids := open_ids()) == 1:
            only = next(iter(ids))
            self.offset = only if type(only) is int else 0
        return id_ + max(self.offset, 0)

    def returned(self) -> None:
        """Note that a response had the id of its request."""
        self.offset = self.offset or _RETURNS

    def forget(self) -> None:
        """Forget what is known, because the connection ended."""
        self.offset = 0
