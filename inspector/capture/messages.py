"""Messages of a journal: those of an entry, the exchange that an entry belongs to, its request and its response."""

from inspector.capture.journal import Journal
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import ErrorResponse, Message, Request, ResultResponse, read


def messages_at(journal: Journal, n: int | None) -> tuple[Message, ...]:
    """Return the messages of entry n; () if it is not a frame, or if there is no such entry."""
    what = journal.store.entry(n).what if n is not None and 0 < n <= journal.count else None
    return read(what.payload) if isinstance(what, Frame) else ()


def exchange_at(journal: Journal, n: int) -> Exchange | None:
    """Return the exchange of entry n; None if it has none, or if there is no such entry."""
    number = journal.store.exchange(n) if 0 < n <= journal.count else 0
    return journal.conversation.exchanges[number - 1] if number > 0 else None


def request_of(journal: Journal, exchange: Exchange) -> Request | None:
    """Return the request of an exchange; None if it can't be read."""
    found = (each for each in messages_at(journal, exchange.request_frame) if isinstance(each, Request))
    return next((each for each in found if each.id == exchange.id), None)


def response_of(journal: Journal, exchange: Exchange) -> ResultResponse | ErrorResponse | None:
    """Return the response with the id of the request; None if there is none, or if it can't be read."""
    answers = messages_at(journal, exchange.answer_frame)
    found = (each for each in answers if isinstance(each, ResultResponse | ErrorResponse))
    return next((each for each in found if each.id == exchange.id), None)


def result_response_of(journal: Journal, exchange: Exchange) -> ResultResponse | None:
    """Return the response if it has a result; None otherwise."""
    response = response_of(journal, exchange)
    return response if isinstance(response, ResultResponse) else None
