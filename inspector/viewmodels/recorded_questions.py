"""How a question of a recording stood: whether its answer was still awaited, or what was answered, and where.

It is told from the traffic alone, up to the newest entry of the journal: an answer that came later is not known. How
all of them stood is cheap; what was answered is read when one is shown.
"""

import msgspec

from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Message, Request, read
from inspector.protocol.questions import Question, Refusal, Reply, Result
from inspector.viewmodels.answers import answer_section, answer_word
from inspector.viewmodels.lines import Section

_GIVEN_UP = (ExchangeState.CANCELLED, ExchangeState.LOST)


class Standing(msgspec.Struct, frozen=True):
    """How it stood."""

    is_open: bool
    """Whether no answer had come, and none was given up."""
    waits: bool = False
    """Whether one could still come."""
    frame: int = 0
    """The entry that brought it; 0 for none."""
    why: str = ""
    """Why nobody waits any more; "" if nobody said, or it was answered."""


def standing_of(question: Question, journal: Journal, *, goes_on: bool) -> Standing:
    """How a question stood when the newest entry of this journal had come. `goes_on`: whether more is to come."""
    exchange = _exchange(question, journal)
    if exchange is None:
        return Standing(is_open=True)
    if exchange.is_open or (exchange.asks and not exchange.retried):
        return Standing(is_open=True, waits=goes_on)
    if exchange.asks:
        return Standing(is_open=False, frame=_retry(exchange, journal))
    if exchange.state in _GIVEN_UP:
        return Standing(is_open=False, why=exchange.why or exchange.state.value)
    return Standing(is_open=False, frame=exchange.answer_frame or 0)


def standing_word(question: Question, journal: Journal, standing: Standing) -> str:
    """It in a word or two."""
    if standing.is_open:
        return "waits" if standing.waits else "no answer"
    reply = reply_to(question, journal, standing)
    return "answered" if reply is None and standing.frame else answer_word(reply)


def answered_section(question: Question, journal: Journal, standing: Standing) -> Section | None:
    """What was answered, or why nothing was; None while nobody has answered, and where that can't be told."""
    reply = reply_to(question, journal, standing)
    if standing.is_open or (reply is None and standing.frame):
        return None
    return answer_section(reply, f"the client, in #{standing.frame:,}", standing.why)


def reply_to(question: Question, journal: Journal, standing: Standing) -> Reply | None:
    """What was answered; None if nothing was, or that can't be told."""
    exchange = _exchange(question, journal)
    what = journal.store.entry(standing.frame).what if 0 < standing.frame <= journal.count else None
    if exchange is None or not isinstance(what, Frame):
        return None
    return next((reply for each in read(what.payload) if (reply := _reply(question, exchange, each)) is not None), None)


def _reply(question: Question, exchange: Exchange, message: Message) -> Reply | None:
    """What this message answers, if it answers that question."""
    if isinstance(message, Request):  # a retry brings answers by the names of the questions (stateless era)
        answers = peek.mapping(message.params, "inputResponses")
        return Result(answers[question.key]) if exchange.asks and question.key in answers else None
    if exchange.sender is Direction.TO_SERVER:  # a refusal until an address is visited: nothing travels back
        return None
    if isinstance(message, Answer) and message.id == exchange.id:
        return Result(message.result)
    if isinstance(message, ErrorAnswer) and message.id == exchange.id:
        code = peek.at(message.error, "code")
        return Refusal(code if isinstance(code, int) else 0, peek.text(message.error, "message") or "")
    return None


def _exchange(question: Question, journal: Journal) -> Exchange | None:
    exchanges = journal.conversation.exchanges
    return exchanges[question.exchange - 1] if 0 < question.exchange <= len(exchanges) else None


def _retry(asked: Exchange, journal: Journal) -> int:
    """The request that brought the answers; 0 if none can be told."""
    conversation = journal.conversation
    own = conversation.operations.operation(asked.operation).exchanges if asked.operation else ()
    later = next((number for number in own if number > asked.number), 0)
    return conversation.exchanges[later - 1].request_frame if later else 0
