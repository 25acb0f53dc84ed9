"""Where the time until a response goes: looking the name up, connecting, TLS, sending, waiting for the first byte.

httpcore tells of its steps by a trace; the look-up is part of its connecting, so the event loop is asked for that.
What a step did not need has no time: a connection that was kept, an address that is a number, no TLS.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from inspector.protocol.facts import HttpTiming

_CONNECT, _TLS = "connection.connect_tcp", "connection.start_tls"
_HEADERS, _BODY, _HEAD = "http11.send_request_headers", "http11.send_request_body", "http11.receive_response_headers"


class Stopwatch:
    """Of one exchange. `trace` is what httpcore calls, as the request's extension of that name."""

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self._clock = clock
        self._marks: dict[str, int] = {}
        self._lookup: int | None = None

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """A step began, or is done."""
        self._marks[event] = self._clock()

    def looked_up(self, took_ns: int) -> None:
        """A name was looked up."""
        self._lookup = (self._lookup or 0) + took_ns

    def timing(self) -> HttpTiming:
        """What is known once the head of the response is there."""
        connect, lookup = self._between(_CONNECT, _CONNECT), self._lookup
        if connect is not None and lookup is not None:
            connect = max(0, connect - lookup)
        sent = _BODY if f"{_BODY}.complete" in self._marks else _HEADERS
        wait = self._span(f"{sent}.complete", f"{_HEAD}.complete")
        return HttpTiming(lookup, connect, self._between(_TLS, _TLS), self._between(_HEADERS, sent), wait)

    def _between(self, first: str, last: str) -> int | None:
        return self._span(f"{first}.started", f"{last}.complete")

    def _span(self, began: str, ended: str) -> int | None:
        if began not in self._marks or ended not in self._marks:
            return None
        return max(0, self._marks[ended] - self._marks[began])


running: ContextVar[Stopwatch | None] = ContextVar("running", default=None)
"""Of the exchange that is made in this context."""


def time_lookups() -> None:
    """Have the running event loop tell each exchange how long its look-ups took. A second time does nothing."""
    loop = asyncio.get_running_loop()
    ask = loop.getaddrinfo
    if getattr(ask, "__name__", "") == "_timed":
        return

    async def _timed(*args: Any, **kwargs: Any) -> Any:
        watch, began = running.get(), time.perf_counter_ns()
        try:
            return await ask(*args, **kwargs)
        finally:
            if watch is not None:
                watch.looked_up(time.perf_counter_ns() - began)

    loop.getaddrinfo = _timed  # type: ignore[method-assign]
