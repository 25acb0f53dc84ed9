"""Facts beside the messages: the connection, the child process, its last stderr lines, the HTTP exchanges.

Collected for the screens as facts arrive. All of them are also entries of the journal.
"""

from collections import deque
from collections.abc import Sequence
from typing import assert_never

from inspector.capture.format.records import Entry
from inspector.capture.store.store import Store
from inspector.protocol.facts import (
    BY_CLIENT,
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.tracking.exchanges import HttpEnd

TAIL_LINES = 200
TAIL_BYTES = 4096
"""Limits of the stderr tail: number of lines, and bytes per line."""


class HttpExchange:
    """An HTTP exchange: the numbers of its entries (0: not seen). Its facts are read from the store on access."""

    __slots__ = ("_store", "end_n", "http", "place", "request_n", "response_n")

    def __init__(self, store: Store, http: int, place: int = 0) -> None:
        self._store = store
        self.http = http
        """Number within the connection."""
        self.place = place
        """Position among all HTTP exchanges of the journal."""
        self.request_n = 0
        self.response_n = 0
        self.end_n = 0
        """Number of the END or ERROR entry, whichever is newer."""

    @property
    def request(self) -> HttpFact | None:
        """Method, target and headers as sent; None if not seen."""
        return self._fact(self.request_n)

    @property
    def response(self) -> HttpFact | None:
        """Status and headers; None if there is no response."""
        return self._fact(self.response_n)

    @property
    def end(self) -> HttpFact | None:
        """How the exchange ended; None while it is open."""
        return self._fact(self.end_n)

    @property
    def requested_ns(self) -> int | None:
        """Time at which the request was sent."""
        return self._time(self.request_n)

    @property
    def responded_ns(self) -> int | None:
        """Time at which the response headers were received."""
        return self._time(self.response_n)

    @property
    def ended_ns(self) -> int | None:
        """Time at which the exchange ended."""
        return self._time(self.end_n)

    def _fact(self, n: int) -> HttpFact | None:
        what = self._store.entry(n).what if n else None
        return what if isinstance(what, HttpFact) else None

    def _time(self, n: int) -> int | None:
        return self._store.time_ns(n) if n else None


class ConnectionFacts:
    """Current state of the connection, derived from the facts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.connections = 0
        """Number of connections opened so far."""
        self.connection: ConnectionFact | None = None
        """Connection that was opened last."""
        self.ended: ConnectionFact | None = None
        """How the last connection ended; None while it is open."""
        self.unreachable: Entry | None = None
        """Failure of the first HTTP exchange without a response since the last response; None if there is none."""
        self._processes: list[Entry] = []
        self.stderr_tail: deque[bytes] = deque(maxlen=TAIL_LINES)
        self.http_exchanges: dict[int, HttpExchange] = {}
        self.http_in_order: list[HttpExchange] = []
        """All HTTP exchanges, including those whose number a later connection reused."""
        self.touched: dict[int, HttpExchange] | None = None
        """Exchanges with new facts since this was last emptied, by position; None if not tracked."""

    @property
    def processes(self) -> tuple[Entry, ...]:
        """All events of the child process, oldest first."""
        return tuple(self._processes)

    def take(self, entry: Entry, fact: Fact) -> None:
        """Process a fact whose entry is in the store."""
        match fact:
            case ConnectionFact():
                self._connection(fact)
            case ProcessFact():
                self._processes.append(entry)
            case HttpFact():
                self._http(entry, fact)
            case Stderr():
                self.take_stderr((fact.payload,))
            case SseNote():
                pass
            case _:
                assert_never(fact)

    def take_stderr(self, lines: Sequence[bytes]) -> None:
        """Process lines of stderr whose entries are in the store."""
        self.stderr_tail.extend(line[:TAIL_BYTES] for line in lines[-TAIL_LINES:])

    def http_end(self, fact: HttpFact) -> HttpEnd:
        """Return how an HTTP exchange ended, and what its response was."""
        exchange = self.http_exchanges.get(fact.http)
        response = exchange.response if exchange is not None else None
        if response is None:
            return HttpEnd(fact.http, fact.why)
        kinds = [value for name, value in response.headers if name.lower() == "content-type"]
        is_stream = any(kind.strip().lower().startswith("text/event-stream") for kind in kinds)
        return HttpEnd(fact.http, fact.why, response.status, is_stream)

    def _connection(self, fact: ConnectionFact) -> None:
        if fact.event is ConnectionEvent.OPEN:
            self.connections += 1
            self.connection, self.ended, self.unreachable = fact, None, None
        elif fact.event is not ConnectionEvent.RENEW:
            self.ended = fact
        elif fact.transport == "stdio":  # the server was restarted: stderr from before it is not the last output
            self.stderr_tail.clear()

    def _http(self, entry: Entry, fact: HttpFact) -> None:
        n = entry.n
        exchange = self.http_exchanges.get(fact.http)
        if exchange is None or fact.event is HttpEvent.REQUEST:
            exchange = self.http_exchanges[fact.http] = HttpExchange(self._store, fact.http, len(self.http_in_order))
            self.http_in_order.append(exchange)
        if self.touched is not None:
            self.touched[exchange.place] = exchange
        match fact.event:
            case HttpEvent.REQUEST:
                exchange.request_n = n
            case HttpEvent.RESPONSE:
                exchange.response_n, self.unreachable = n, None
            case HttpEvent.END | HttpEvent.ERROR:
                exchange.end_n = n
                if fact.event is HttpEvent.ERROR and not exchange.response_n and fact.why not in BY_CLIENT:
                    self.unreachable = self.unreachable or entry
            case _:
                assert_never(fact.event)
