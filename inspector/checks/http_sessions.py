"""Sessions with an HTTP server. A tap records those of all its clients; each has a state of its own."""

import re

from inspector.checks.state import SESSION, ConnectionState
from inspector.protocol.facts import HttpEvent, HttpFact, SseNote, header
from inspector.protocol.frames import Direction, Frame

_OPENS = re.compile(rb'"method"\s*:\s*"(?:initialize|server/discover)"')
_IN_URL = re.compile(r"(?i)[?&]session_?id=([^&\s]+)")


class HttpSessions:
    """Tells sessions apart by their id, or by the client's connection where the server gives none."""

    def __init__(self) -> None:
        self.states: list[ConnectionState] = []
        """Oldest first; empty unless a proxy has recorded the connection."""
        self._of: dict[str | int, ConnectionState] = {}
        self._exchanges: dict[int, tuple[ConnectionState, HttpFact]] = {}

    def state_of(
        self, what: HttpFact | SseNote | Frame, n: int, time_ns: int, state: ConnectionState
    ) -> ConnectionState:
        """Return the state of the session that an entry belongs to; `state` is that of the entry before."""
        if isinstance(what, HttpFact) and what.event is HttpEvent.REQUEST and what.connection:
            if not self.states:
                self.states, state.began_ns = [state], time_ns  # a proxy may wait long for its first client
            id_ = _id_of(what)
            state = self._of.get(id_) or self._of.get(what.connection) or self.states[-1]
            self._exchanges[what.http], self._of[what.connection] = (state, what), state
        if what.http not in self._exchanges:
            return state
        state, request = self._exchanges[what.http]
        if isinstance(what, Frame) and what.direction is Direction.TO_SERVER and not _id_of(request):
            is_opened = state.handshake is not None or (state.opening is not None and b'"initialize"' in what.payload)
            if is_opened and _OPENS.search(what.payload):
                state = self._begin(state, request, n, time_ns)
        elif isinstance(what, SseNote) and what.event == "endpoint" and state.http.has_endpoint:
            state = self._begin(state, request, n, time_ns)
        if isinstance(what, SseNote) or (isinstance(what, HttpFact) and what.event is HttpEvent.RESPONSE):
            self._of[_id_of(what)] = state
        elif isinstance(what, HttpFact) and what.event is not HttpEvent.REQUEST:
            del self._exchanges[what.http]
        self._of.pop("", None)
        return state

    def _begin(self, before: ConnectionState, request: HttpFact, n: int, time_ns: int) -> ConnectionState:
        state = ConnectionState(before.number, before.beside, before.seen, before.rest)
        state.connection, state.opened, state.began_ns = before.connection, n, time_ns
        state.http.exchanges[request.http] = before.http.exchanges.pop(request.http)
        self._exchanges[request.http], self._of[request.connection] = (state, request), state
        self.states.append(state)
        return state


def _id_of(what: HttpFact | SseNote) -> str:
    place = what.target if isinstance(what, HttpFact) else what.raw.decode("utf-8", "replace")
    found = _IN_URL.search(place)
    id_ = header(what.headers, SESSION) if isinstance(what, HttpFact) else None
    return id_ or (found[1] if found else "")
