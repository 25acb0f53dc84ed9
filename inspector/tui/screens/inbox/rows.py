"""Rows of server requests: pending ones first, oldest on top, then completed ones, newest on top.

A recording has no inbox: there the rows come from the conversation, and no request can be answered.
"""

from dataclasses import dataclass

from inspector import text
from inspector.capture.journal import Journal
from inspector.present import words
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, lay
from inspector.protocol.jsonrpc import encode
from inspector.protocol.server_requests import ServerRequest
from inspector.session.inbox import Ticket, TicketState
from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.inbox.model import (
    RecordedState,
    answer_word,
    cause_summary,
    kind_word,
    recorded_state,
    recorded_state_word,
    request_summary,
)
from inspector.tui.theme import glyphs

_SIGNS: dict[str, tuple[str, Role]] = {
    "waiting": ("event", "warning"),
    "refused": ("error", "error"),
    "not sent": ("error", "error"),
    "withdrawn": ("disconnected", "muted"),
    "no response": ("disconnected", "muted"),
}


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A server request, with its ticket if there is an inbox."""

    server_request: ServerRequest
    ticket: Ticket | None = None
    stood: RecordedState | None = None
    """State of the request in a recording, which has no inbox."""

    @property
    def waits(self) -> bool:
        """Whether a response can still be sent."""
        return self.ticket is not None and self.ticket.state is TicketState.WAITING

    @property
    def waited(self) -> bool:
        """Whether, in a recording, the request was pending."""
        return self.stood is not None and self.stood.waits

    @property
    def key(self) -> tuple[int, str]:
        """Unique key of the request."""
        return self.server_request.exchange, self.server_request.key

    @property
    def content(self) -> bytes:
        """What is asked, which is the same when the server asks again."""
        params = self.server_request.params
        return encode([self.server_request.kind, {**params, "_meta": None} if isinstance(params, dict) else params])


class InboxRows(RowSource):
    """Rows of server requests; `take` updates them."""

    def __init__(self, conversation: OpenConversation) -> None:
        self._conversation = conversation
        self._seen: tuple[int, ...] = ()
        self.asked: tuple[RequestRow, ...] = ()
        self._earlier = 0
        self._over: list[RequestRow] = []

    def take(self) -> bool:
        """Update the rows; return whether anything has changed."""
        conversation = self._conversation
        known = conversation.journal.conversation.server_requests
        complete = len(conversation.journal.conversation.visits.complete)
        grown = (len(known), conversation.journal.count, conversation.grows) if not conversation.can_act else (0,)
        seen = (conversation.inbox.changes, *grown, complete)
        if seen == self._seen:
            return False
        self._seen = seen
        self._generation += 1
        if conversation.can_act:
            every = [
                *self._before(),
                *(RequestRow(ticket.server_request, ticket) for ticket in conversation.inbox.tickets),
            ]
        else:
            every = [self._recorded(server_request) for server_request in known[: grown[0]]]
        waiting = [asked for asked in every if asked.waits or asked.waited]
        kept = {asked.key for asked in waiting}  # another thread may complete one meanwhile
        self.asked = (*waiting, *(asked for asked in reversed(every) if asked.key not in kept))
        return True

    def _before(self) -> list[RequestRow]:
        """Return the completed requests that the inbox no longer has, read from the journal."""
        conversation = self._conversation
        earlier = conversation.inbox.answered_earlier
        if len(earlier) != self._earlier:
            self._earlier = len(earlier)
            exchanges, kept = (
                set(earlier),
                {(each.server_request.exchange, each.server_request.key) for each in conversation.inbox.tickets},
            )
            self._over = [
                self._recorded(each)
                for each in conversation.journal.conversation.server_requests
                if each.exchange in exchanges and (each.exchange, each.key) not in kept
            ]
        return self._over

    def _recorded(self, server_request: ServerRequest) -> RequestRow:
        journal = self._conversation.journal
        goes_on = journal.live or self._conversation.grows
        return RequestRow(server_request, stood=recorded_state(server_request, journal, goes_on=goes_on))

    @property
    def waited(self) -> int:
        """Number of requests that were pending, in a recording."""
        return sum(asked.waited for asked in self.asked)

    @property
    def unanswered(self) -> tuple[RequestRow, ...]:
        """Pending requests, oldest first."""
        return tuple(asked for asked in self.asked if asked.waits)

    def index_of_server_request(self, key: tuple[int, str] | None) -> int:
        """Return the row of a request; -1 if there is none."""
        return next((at for at, asked in enumerate(self.asked) if asked.key == key), -1)

    @property
    def count(self) -> int:
        return len(self.asked)

    def row(self, index: int, width: int) -> RowView:
        asked = self.asked[index]
        server_request, journal, time = asked.server_request, self._conversation.journal, self._time(asked)
        spans: list[Span] = [
            _state(asked, journal),
            (text.pad(time, 9, right=True) + "  ", "muted"),
            (text.pad(kind_word(server_request), 9), "accent" if asked.waits or asked.waited else "muted"),
        ]
        if cause := cause_summary(server_request, journal):
            spans.append((f"{cause}: ", "target"))
        spans.append((request_summary(server_request), "strong" if asked.waits else "text"))
        is_answered = asked.ticket is not None and asked.ticket.state is TicketState.ANSWERED
        return RowView(lay(spans, width), live=asked.waits or (is_answered and not time))

    def _time(self, asked: RequestRow) -> str:
        """How long it has waited; of a completed request, how long the response took, "" if there is none."""
        server_request, journal = asked.server_request, self._conversation.journal
        if asked.waits or asked.waited:
            return age(server_request, self._conversation.now_ns)
        answer = recorded_state(server_request, journal, goes_on=False).frame
        took_ns = journal.store.time_ns(answer) - server_request.asked_ns if 0 < answer <= journal.count else -1
        return text.human_duration(took_ns) if took_ns >= 0 else ""


def age(server_request: ServerRequest, now_ns: int) -> str:
    """Return the time since the request was received, in whole seconds: it is painted once a second."""
    return words.text_of(max(0, now_ns - server_request.asked_ns))


def _state(asked: RequestRow, journal: Journal) -> Span:
    signs = glyphs()
    if journal.conversation.visits.is_complete(asked.server_request):
        return (text.pad(f"{signs.event if asked.waits else signs.ok} Complete", 12), "ok")
    if asked.ticket is None:
        word = (
            recorded_state_word(asked.server_request, journal, asked.stood)
            if asked.stood is not None
            else "no response"
        )
    else:
        ended = "not sent" if asked.ticket.undelivered else answer_word(asked.ticket.reply)
        word = "waiting" if asked.waits else ended
    sign, role = _SIGNS.get(word, ("ok", "ok"))
    return (text.pad(f"{getattr(signs, sign)} {word.capitalize()}", 12), role)
