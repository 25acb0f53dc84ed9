"""Sessions with an HTTP server. A tap records those of all its clients, which use the same ids and tokens."""

import re
from typing import Any

import msgspec

from inspector.protocol.facts import HttpEvent, HttpFact, SseNote, header
from inspector.protocol.frames import Direction, Frame

SESSION = "mcp-session-id"
_OPENS = re.compile(rb'"method"\s*:\s*"(initialize|server/discover)"')
_IN_URL = re.compile(r"(?i)[?&]session_?id=([^&\s]+)")
_REMEMBERED, _SLACK = 10_000, 1_000
"""Minimum number of sessions, ids and connections that are remembered."""


class _Carried(msgspec.Struct):
    """An HTTP exchange that has not ended."""

    session: int
    connection: int
    is_named: bool
    """Whether its request names a session."""
    discovers: bool = False


class HttpSessions(msgspec.Struct):
    """Tells sessions apart by their id, or by the client's connection where the server gives none."""

    newest: int = 0
    """Number of the newest session. The first one is 0, and so is all that no proxy has recorded."""
    before: int = 0
    """Number of the session to which the exchange that began the newest one seemed to belong."""
    is_of_proxy: bool = False
    """Whether a proxy has recorded the connection, so that there may be several sessions."""
    _of: dict[str | int, int] = {}
    """Session by its id, and the newest one by the client's connection."""
    _exchanges: dict[int, _Carried] = {}
    _opened: dict[int, str] = {}
    """How a session was opened so far: by `initialize`, `server/discover`, an `endpoint`."""

    def of(self, http: int | None) -> int:
        """Return the session of an HTTP exchange; 0 if unknown."""
        found = self._exchanges.get(http) if http is not None else None
        return 0 if found is None else found.session

    def take(self, what: HttpFact | SseNote | Frame) -> int | None:
        """Process an entry of an HTTP exchange. Return its session; None if no proxy has recorded the exchange."""
        http = what.http or 0
        if isinstance(what, HttpFact) and what.event is HttpEvent.REQUEST and what.connection:
            self.is_of_proxy, id_, known = True, _id_of(what), self._of
            session = next((known[key] for key in (id_, what.connection) if key in known), self.newest)
            self._exchanges[http] = _Carried(session, what.connection, bool(id_))
            self._name(what.connection, session)
        exchange = self._exchanges.get(http)
        if exchange is None:
            return None
        if isinstance(what, Frame):
            self._message(exchange, what)
        elif isinstance(what, SseNote) and what.event == "endpoint":
            self._open(exchange, "endpoint", after=("endpoint",))
        if isinstance(what, SseNote) or (isinstance(what, HttpFact) and what.event is HttpEvent.RESPONSE):
            if id_ := _id_of(what):
                self._name(id_, exchange.session)
        elif isinstance(what, HttpFact) and what.event is not HttpEvent.REQUEST:
            del self._exchanges[http]
        return exchange.session

    def _message(self, exchange: _Carried, frame: Frame) -> None:
        if frame.direction is Direction.FROM_SERVER:
            if exchange.discovers and b'"result"' in frame.payload:
                self._opened[exchange.session] = self._opened.get(exchange.session, "") + "server/discover"
        elif not exchange.is_named and (found := _OPENS.search(frame.payload)):
            if found[1] == b"initialize":
                self._open(exchange, "initialize", after=("initialize", "server/discover"))
            else:
                self._open(exchange, "", after=("initialize",))
                exchange.discovers = True

    def _open(self, exchange: _Carried, how: str, *, after: tuple[str, ...]) -> None:
        """Note how a session is opened. It is a new one if it was opened so before."""
        if any(each in self._opened.get(exchange.session, "") for each in after):
            self.newest, self.before = self.newest + 1, exchange.session
            exchange.session = self.newest
            self._name(exchange.connection, self.newest)
        self._opened[exchange.session] = self._opened.get(exchange.session, "") + how
        _trim(self._opened)

    def _name(self, key: str | int, session: int) -> None:
        self._of[key] = session
        _trim(self._of)


def _trim(table: dict[Any, Any]) -> None:
    if len(table) >= _REMEMBERED + _SLACK:
        for oldest in list(table)[:_SLACK]:
            del table[oldest]


def _id_of(what: HttpFact | SseNote) -> str:
    place = what.target if isinstance(what, HttpFact) else what.raw.decode("utf-8", "replace")
    found = _IN_URL.search(place)
    id_ = header(what.headers, SESSION) if isinstance(what, HttpFact) else None
    return id_ or (found[1] if found else "")
