"""States of the sessions with an HTTP server: each client of a tap is judged by its own."""

from inspector.checks.state import ConnectionState
from inspector.protocol.facts import HttpFact, SseNote
from inspector.protocol.frames import Frame
from inspector.protocol.tracking.http_sessions import HttpSessions


class SessionStates:
    """The states of all sessions."""

    def __init__(self) -> None:
        self.states: list[ConnectionState] = []
        """Oldest first; empty unless a proxy has recorded the connection."""
        self._sessions = HttpSessions()

    def state_of(
        self, what: HttpFact | SseNote | Frame, n: int, time_ns: int, state: ConnectionState
    ) -> ConnectionState:
        """Return the state of the session that an entry belongs to; `state` is that of the entry before."""
        session = self._sessions.take(what)
        if session is None:
            return state
        if not self.states:
            self.states, state.began_ns = [state], time_ns  # a proxy may wait long for its first client
        if session == len(self.states):
            before = self.states[self._sessions.before]
            state = ConnectionState(before.number, before.beside, before.seen, before.rest)
            state.connection, state.opened, state.began_ns = before.connection, n, time_ns
            state.http.exchanges[what.http or 0] = before.http.exchanges.pop(what.http or 0)
            self.states.append(state)
        return self.states[session]
