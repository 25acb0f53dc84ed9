"""The tape of a mock over HTTP: what came and went, as a capture has it; nothing without one."""

from inspector.capture.journal import Journal
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction, SseFacts
from inspector.transports.http.listener import HttpRequest


class HttpTape:
    """Records HTTP exchanges, numbered from 1."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self._count = 0

    def open(self, url: str) -> None:
        """The mock listens."""
        self._url = url
        if self._journal is not None:
            self._journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=url))

    def close(self) -> None:
        """The mock listens no more."""
        if self._journal is not None:
            self._journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "http"))

    def came(self, request: HttpRequest) -> tuple[int, int]:
        """A request came: the number of its exchange, and the entry of its body (0 without one)."""
        self._count += 1
        if self._journal is None:
            return self._count, 0
        headers, url = request.headers, self._url.rpartition("/")[0] + request.target
        fact = HttpFact(HttpEvent.REQUEST, self._count, request.method, url, version="HTTP/1.1", headers=headers)
        self._journal.fact(fact)
        if request.method != "POST":
            return self._count, 0
        self._journal.frame(Direction.TO_SERVER, Channel.POST, request.body, http=self._count)
        return self._count, self._journal.count

    def answered(self, number: int, status: int, headers: tuple[tuple[str, str], ...]) -> None:
        """The head of the response goes out."""
        if self._journal is not None:
            self._journal.fact(HttpFact(HttpEvent.RESPONSE, number, status=status, version="HTTP/1.1", headers=headers))

    def sent(self, number: int, payload: bytes, channel: Channel, id_: str = "") -> None:
        """A message goes out; on a stream, in an event with this id."""
        sse = SseFacts("message", id_ or None) if channel is not Channel.REPLY else None
        if self._journal is not None:
            self._journal.frame(Direction.FROM_SERVER, channel, payload, http=number, sse=sse)

    def ended(self, number: int, why: str = "") -> None:
        """The exchange is over."""
        if self._journal is not None:
            self._journal.fact(HttpFact(HttpEvent.END, number, why=why))
