"""The turns of a capture, each read from its file when it is asked for: what was said stays there until it is played.

The pauses between are kept.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

from inspector.protocol import peek
from inspector.protocol.exchange_table import UNLISTED
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Message, Notification, NotJsonRpc, Part, Request, RequestId
from inspector.protocol.questions import questions_in
from inspector.protocol.revisions._shape import Era
from inspector.protocol.tracking.opening import declared_revision
from inspector.replay.mock.outline import NOT_SAID, Outline, frame_of
from inspector.replay.mock.script import Ask, End, Junk, Query, Say, Step, Turn, asked_of, key_of


class Turns(Sequence[Turn]):
    """All turns of one connection. The journal that they are read from must stay open."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline

    def __len__(self) -> int:
        return len(self._outline.firsts)

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> list[Turn]: ...
    def __getitem__(self, index: int | slice) -> Turn | list[Turn]:
        if isinstance(index, slice):
            return [self._made(each) for each in range(*index.indices(len(self)))]
        return self._made(range(len(self))[index])

    @cached_property
    def methods(self) -> Sequence[str]:
        """What each turn is about; of many the same text."""
        return self._outline.methods

    @property
    def asking(self) -> Sequence[int]:
        """Those in which the server asks, by their positions."""
        return sorted(self._outline.asking)

    @property
    def requests(self) -> int:
        """How many are requests, not notifications."""
        return len(self) - self._outline.exchanges.count(0)

    def target(self, index: int) -> str:
        """The tool, prompt or resource that a turn is about; "" for none."""
        exchange = self._outline.exchanges[index]
        if not exchange:
            return ""
        table = self._outline.conversation.exchanges
        number = table.targets[exchange]
        return table.names[number] if number != UNLISTED else table[exchange - 1].target

    def params(self, index: int) -> Any:
        """What was asked in a turn; {} if that can't be read."""
        frame = frame_of(self._outline.journal, self._outline.firsts[index])
        return asked_of(self._asks(index, frame)) if frame is not None else {}

    def _asks(self, index: int, frame: Frame) -> Any:
        first = next(iter(self._outline.messages(index, frame)), None)
        return first.params if isinstance(first, Request | Notification) else None

    def _made(self, index: int) -> Turn:
        outline = self._outline
        draft = _Draft(outline.firsts[index], outline.methods[index], outline.questions)
        for n in outline.frames(index):
            frame = frame_of(outline.journal, n)
            if frame is not None:
                for message in outline.messages(index, frame):
                    draft.take(frame, message)
        return draft.turn()


class _Draft:
    """A turn that grows by one message after the other; the first is what the client said."""

    def __init__(self, first: int, method: str, questions: set[int]) -> None:
        self._first, self._method = first, method
        self._questions = questions
        self._params: Any = None
        self._begun = False
        self._steps: list[Step] = []
        self._after: list[Step] = []
        self._open = True
        self._mark = 0
        self._asked: dict[RequestId, Query] = {}
        self._waiting: Ask | None = None

    def take(self, frame: Frame, message: Message) -> None:
        """The next message."""
        if not self._begun:
            self._begun, self._mark = True, frame.time_ns
            self._params = message.params if isinstance(message, Request | Notification) else None
        elif frame.direction is Direction.TO_SERVER:
            self._heard(frame, message)
        else:
            self._said(frame, message)

    def turn(self) -> Turn:
        """What it came to."""
        asked = asked_of(self._params)
        era = None if not self._begun else Era.LEGACY if declared_revision(self._params) is None else Era.MODERN
        return Turn(self._first, self._method, asked, key_of(asked), era, tuple(self._steps), tuple(self._after))

    def _pause(self, frame: Frame) -> int:
        """Nanoseconds since the step before; the next pause counts from now on."""
        found, self._mark = max(0, frame.time_ns - self._mark), frame.time_ns
        return found

    def _add(self, step: Step) -> None:
        (self._steps if self._open else self._after).append(step)
        if isinstance(step, End):
            self._open = False

    def _heard(self, frame: Frame, message: Message) -> None:
        """The client answers."""
        self._pause(frame)
        if isinstance(message, Answer | ErrorAnswer):
            query = self._asked.pop(message.id, None) if message.id is not None else None
            if query is not None:
                query.answer, query.failed = _part(message), isinstance(message, ErrorAnswer)
        elif isinstance(message, Request) and self._waiting is not None:
            for query in self._waiting.queries:
                if peek.has(message.params, "inputResponses", query.key):
                    query.answer = Part(None, peek.at(message.params, "inputResponses", query.key))

    def _said(self, frame: Frame, message: Message) -> None:
        apart = frame.channel is Channel.GET
        match message:
            case Request():
                query = self._asked[message.id] = Query(message.method, message.params_part)
                self._add(Ask(self._pause(frame), (query,), apart=apart))
            case Notification() if message.method not in NOT_SAID:
                self._add(Say(self._pause(frame), message.method, message.params_part, apart))
            case Answer() if frame.n in self._questions:
                self._waiting = Ask(self._pause(frame), _queries(message.result), message.result_part)
                self._add(self._waiting)
            case Answer() | ErrorAnswer():
                self._add(End(self._pause(frame), _part(message), isinstance(message, ErrorAnswer)))
            case NotJsonRpc() if not frame.cut:
                self._add(Junk(self._pause(frame), frame.payload, frame.eol))
            case _:
                pass


def _queries(result: Any) -> tuple[Query, ...]:
    """The questions that a result holds."""
    requests = peek.mapping(result, "inputRequests")
    asked = questions_in(result, exchange=0, frame=0, asked_ns=0)
    return tuple(
        Query(peek.text(requests, each.key, "method") or "", Part(None, each.params), each.key) for each in asked
    )


def _part(answer: Answer | ErrorAnswer) -> Part:
    return answer.error_part if isinstance(answer, ErrorAnswer) else answer.result_part
