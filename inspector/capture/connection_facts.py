"""What is known beside the messages: the connection, the child process, its last words, the HTTP exchanges.

Kept for the screens as facts come; everything here is also in the journal as entries.
"""

from collections import deque
from collections.abc import Sequence
from typing import assert_never

from inspector.capture.format.records import Entry
from inspector.capture.store.store import Store
from inspector.protocol.facts import (
    GIVEN_UP_HERE,
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
"""How many lines of stderr are at hand, and how much of each."""


class HttpExchange:
    """One HTTP exchange: the numbers of its entries (0: not seen), and their facts, read from the store when asked."""

    __slots__ = ("_store", "end_n", "http", "place", "request_n", "response_n")

    def __init__(self, store: Store, http: int, place: int = 0) -> None:
        self._store = store
        self.http = http
        """Its number within the connection."""
        self.place = place
        """Its position among all that were ever begun."""
        self.request_n = 0
        self.response_n = 0
        self.end_n = 0
        """END or ERROR, whichever came last."""

    @property
    def request(self) -> HttpFact | None:
        """Method, target and headers as sent; None if not seen."""
        return self._fact(self.request_n)

    @property
    def response(self) -> HttpFact | None:
        """Status and headers; None if none came."""
        return self._fact(self.response_n)

    @property
    def end(self) -> HttpFact | None:
        """How it ended; None while it lasts."""
        return self._fact(self.end_n)

    @property
    def requested_ns(self) -> int | None:
        """When the request left."""
        return self._time(self.request_n)

    @property
    def responded_ns(self) -> int | None:
        """When the response's head was there."""
        return self._time(self.response_n)

    @property
    def ended_ns(self) -> int | None:
        """When it ended."""
        return self._time(self.end_n)

    def _fact(self, n: int) -> HttpFact | None:
        what = self._store.entry(n).what if n else None
        return what if isinstance(what, HttpFact) else None

    def _time(self, n: int) -> int | None:
        return self._store.time_ns(n) if n else None


class ConnectionFacts:
    """What the facts so far amount to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.connections = 0
        """How often a connection was opened."""
        self.connection: ConnectionFact | None = None
        """The last that opened."""
        self.ended: ConnectionFact | None = None
        """How that one ended; None while it lasts."""
        self.unreachable: Entry | None = None
        """The first of the HTTP exchanges in a row that got no response at all; None once one did, or if all did."""
        self._processes: list[Entry] = []
        self.stderr_tail: deque[bytes] = deque(maxlen=TAIL_LINES)
        self.http_exchanges: dict[int, HttpExchange] = {}
        self.http_in_order: list[HttpExchange] = []
        """All that were ever begun, also those whose number was used again by a later connection."""
        self.touched: dict[int, HttpExchange] | None = None
        """Those with new facts since this was last emptied, by their places; None: not needed."""

    @property
    def processes(self) -> tuple[Entry, ...]:
        """All that happened to the child, oldest first."""
        return tuple(self._processes)

    def take(self, entry: Entry, fact: Fact) -> None:
        """A fact whose entry is in the store."""
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
        """Lines of stderr whose entries are in the store."""
        self.stderr_tail.extend(line[:TAIL_BYTES] for line in lines[-TAIL_LINES:])

    def http_end(self, fact: HttpFact) -> HttpEnd:
        """How an HTTP exchange ended, with what its response was."""
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
        elif fact.transport == "stdio":  # the server was started once more: what it said before is no last word
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
                if fact.event is HttpEvent.ERROR and not exchange.response_n and fact.why != GIVEN_UP_HERE:
                    self.unreachable = self.unreachable or entry
            case _:
                assert_never(fact.event)
