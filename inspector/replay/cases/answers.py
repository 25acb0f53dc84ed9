"""What a server was told when it asked during an operation, as answers that a case has ready.

They are what crossed the wire: results as they stood, refusals with code and words. What was asked and never answered
has none.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.capture.compare.operations import Account
from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Message, Request, read
from inspector.protocol.questions import KIND_OF_METHOD, REJECTED, Kind, Question

Entry = dict[str, Any]
"""An answer, as it stands in a case."""


def answers_of(account: Account) -> tuple[Entry, ...]:
    """Those of an operation of a capture, in the order of the questions."""
    return tuple(
        _entry(kind, asked.answer, failed=asked.failed)
        for asked in account.asked
        if (kind := KIND_OF_METHOD.get(asked.method)) is not None and asked.answer is not None
    )


def answers_in(journal: Journal, exchange: Exchange) -> tuple[Entry, ...]:
    """Those of the operation that an exchange belongs to, as far as questions are known to belong to it."""
    own = _own(journal, exchange)
    mine = [each for each in journal.conversation.questions if each.cause in own and not each.visit]
    return tuple(entry for each in mine if (entry := _answer_to(journal, each, own)) is not None)


def first_params(journal: Journal, exchange: Exchange) -> Any:
    """What the first request of its operation asked for."""
    first = journal.conversation.exchanges[_own(journal, exchange)[0] - 1]
    asked = message_in(journal, first.request_frame, first.id)
    return asked.params if isinstance(asked, Request) else None


def _own(journal: Journal, exchange: Exchange) -> Sequence[int]:
    """The exchanges of its operation, oldest first."""
    if exchange.operation is None:
        return (exchange.number,)
    return sorted({*journal.conversation.operations.operation(exchange.operation).exchanges, exchange.number})


def message_in(journal: Journal, entry: int, id_: Any) -> Message | None:
    """The message with this id among those of an entry, which are several in a batch."""
    return next((each for each in _messages(journal, entry) if getattr(each, "id", None) == id_), None)


def _answer_to(journal: Journal, question: Question, own: Sequence[int]) -> Entry | None:
    if question.key:
        return _brought_later(journal, question, own)
    asked = journal.conversation.exchanges[question.exchange - 1]
    if asked.sender is not Direction.FROM_SERVER or asked.answer_frame is None:
        return None
    came = message_in(journal, asked.answer_frame, asked.id)
    if isinstance(came, ErrorAnswer):
        return _entry(question.kind, came.error, failed=True)
    return _entry(question.kind, came.result, failed=False) if isinstance(came, Answer) else None


def _brought_later(journal: Journal, question: Question, own: Sequence[int]) -> Entry | None:
    """What the first later request of the operation brings under the question's name (2026-07-28)."""
    for number in own:
        asked = journal.conversation.exchanges[number - 1]
        if asked.request_frame <= question.frame:
            continue
        retry = message_in(journal, asked.request_frame, asked.id)
        brought = peek.mapping(retry.params, "inputResponses") if isinstance(retry, Request) else {}
        if question.key in brought:
            return _entry(question.kind, brought[question.key], failed=False)
    return None


def _entry(kind: Kind, answer: Any, *, failed: bool) -> Entry:
    if not failed:
        return {"kind": kind.value, "malformed": answer}
    code = peek.integer(answer, "code")
    words = peek.text(answer, "message") or ""
    return {"kind": kind.value, "answer": "error", "code": REJECTED if code is None else code, "text": words}


def _messages(journal: Journal, entry: int) -> Iterator[Message]:
    frame = journal.store.entry(entry).what
    yield from read(frame.payload) if isinstance(frame, Frame) else ()
