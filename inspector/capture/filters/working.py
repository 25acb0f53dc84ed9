"""What each field of the table is at work: from a field and a test of its value to a node."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from inspector.capture.entries import Entry
from inspector.capture.filters.exchange_columns import ExchangeColumns
from inspector.capture.filters.expert import EXPERT_FIELDS, NOBODY, ByExpert, Expert
from inspector.capture.filters.matching import Test
from inspector.capture.filters.nodes import (
    AllOf,
    AnyOf,
    ByEntry,
    ByExchange,
    ByFlags,
    ByJournal,
    ByMethod,
    ByNumber,
    Node,
    Opposite,
)
from inspector.capture.filters.payloads import InJson, InMessages, InText, literal_of
from inspector.capture.filters.terms import Compare, Ref
from inspector.capture.journal import Journal
from inspector.capture.meaning import MessageKind
from inspector.capture.store import FROM_SERVER_BIT, KIND_BITS, PROBE_BIT, TO_SERVER_BIT, EntryKind
from inspector.protocol import peek
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    SseNote,
)
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Message

_OF_TARGET = {"tool": "tools/call", "prompt": "prompts/get", "uri": "resources/"}
"""How the methods begin whose target a field is about."""
_MESSAGES = {kind.name.lower(): kind for kind in MessageKind if kind is not MessageKind.NONE}
_FACTS = {kind.name.lower(): kind for kind in EntryKind if kind is not EntryKind.FRAME}
_FAILED = ("error", "tool-error", "lost")
"""States of an exchange that count as failed."""
_ACCEPTED, _HTTP_ERRORS, _NOT_ALLOWED = 202, 400, 405
"""HTTP statuses. 405 is the normal response of a server without a stream to a GET, or without sessions to a DELETE."""
_COLUMNS = {"size": "sizes", "time": "walls", "n": "n"}


class Workshop:
    """Makes the nodes of one journal."""

    def __init__(
        self, journal: Journal, exchanges: ExchangeColumns, clock: Callable[[], int], expert: Expert = NOBODY
    ) -> None:
        """`expert` knows what checks have found."""
        self._journal = journal
        self._exchanges = exchanges
        self._clock = clock
        self._makers: dict[str, Callable[[Test], Node]] = {
            "method": self._method,
            "target": self._target,
            "kind": _kind,
            "dir": _direction,
            "id": self._id,
            "error.code": self._code,
            "age": self._age,
            "progress": self._progress,
            "pending": lambda test: self._status(lambda status: bool(status == "pending")),
            "status": self._status,
            "dur": lambda test: ByExchange(exchanges.number_test("dur", test)),
            "revision": lambda test: ByExchange(exchanges.revision_test(_set(test))),
            "mark": lambda test: ByNumber(
                "n", lambda n: (mark := journal.marks.get(n)) is not None and test(mark.color)
            ),
            "comment": lambda test: ByNumber(
                "n", lambda n: (mark := journal.marks.get(n)) is not None and _set(test)(mark.text)
            ),
            "server": lambda test: ByJournal(lambda: _set(test)(_server(journal))),
            "probe": lambda test: _flagged(lambda flags: bool(flags & PROBE_BIT)),
            "failed": lambda test: self._failed(),
            "stderr": lambda test: _kind(lambda kind: bool(kind == "stderr")),
            "raw.valid": lambda test: Opposite(_kind(lambda kind: bool(kind == "garbled"))),
            "channel": lambda test: ByEntry(lambda entry: _tried(test, _channel(entry))),
            "http.status": lambda test: ByEntry(lambda entry: _tried(test, self._http_status(entry))),
            **{name: partial(ByExpert, expert, name) for name in EXPERT_FIELDS},
            "sse.id": lambda test: ByEntry(lambda entry: _tried(test, _sse_id(entry))),
        }

    def node(self, ref: Ref, test: Test, compare: Compare | None) -> Node:
        """The node that tries the values of a field, whatever scope it is asked in."""
        name = ref.name
        if name in ("params", "args", "result", "error"):
            return InJson(ref, test, literal_of(ref, compare))
        if name == "http.header":
            return ByEntry(lambda entry: any(map(test, self._headers(entry, str(ref.path[0])))))
        if name == "text":
            return InText(test, compare)
        if name in _OF_TARGET:
            return self._of_target(_OF_TARGET[name], test)
        if name in _COLUMNS:
            return ByNumber(_COLUMNS[name], test)
        return self._makers[name](test)

    def _method(self, test: Test) -> Node:
        return ByMethod(test, self._exchanges.text_test("method", test))

    def _target(self, test: Test) -> Node:
        return ByExchange(self._exchanges.text_test("target", _set(test)))

    def _of_target(self, begins: str, test: Test) -> Node:
        return AllOf(
            [
                ByExchange(self._exchanges.text_test("method", lambda method: method.startswith(begins))),
                self._target(test),
            ]
        )

    def _status(self, test: Test) -> Node:
        return ByExchange(self._exchanges.text_test("status", test))

    def _failed(self) -> Node:
        """What an exchange came to, messages that are none, and bad ends of HTTP exchanges, connections, processes."""
        garbled = AllOf([_kind(lambda kind: bool(kind == "garbled")), ByEntry(lambda entry: not self._accepted(entry))])
        facts = _kind(lambda kind: kind in ("http", "connection", "process"))
        return AnyOf(
            [
                _kind(lambda kind: bool(kind == "error")),
                self._status(lambda status: status in _FAILED),
                garbled,
                AllOf([facts, ByEntry(lambda entry: self._is_bad_end(entry.what))]),
            ]
        )

    def _accepted(self, entry: Entry) -> bool:
        """Whether it is the body of a 202 response: legal, and often a word of text."""
        return self._http_status(entry) == _ACCEPTED and isinstance(entry.what, Frame)

    def _is_bad_end(self, what: object) -> bool:
        match what:
            case ConnectionFact():
                return what.event is ConnectionEvent.ABORT
            case ProcessFact():
                return what.event is ProcessEvent.EXIT and (bool(what.code) or bool(what.signal))
            case HttpFact(event=HttpEvent.ERROR):
                return True
            case HttpFact(event=HttpEvent.RESPONSE):
                return what.status >= _HTTP_ERRORS and not (
                    what.status == _NOT_ALLOWED and not self._is_post(what.http)
                )
            case _:
                return False

    def _is_post(self, http: int) -> bool:
        found = self._journal.http_exchanges.get(http)
        return found is not None and found.request is not None and found.request.method == "POST"

    def _id(self, test: Test) -> Node:
        def of_answer(message: Message) -> bool:
            return isinstance(message, Answer | ErrorAnswer) and message.id is not None and test(message.id)

        return AnyOf([ByExchange(lambda number: test(self._exchanges.exchange(number).id)), InMessages(of_answer)])

    def _code(self, test: Test) -> Node:
        def of_answer(message: Message) -> bool:
            return isinstance(message, ErrorAnswer) and message.code is not None and test(message.code)

        return AnyOf([ByExchange(self._exchanges.number_test("error.code", test)), InMessages(of_answer)])

    def _age(self, test: Test) -> Node:
        def by_number(number: int) -> bool:
            exchange = self._exchanges.exchange(number)
            return exchange.is_open and test(max(0, self._clock() - exchange.started_ns))

        return ByExchange(by_number)

    def _progress(self, test: Test) -> Node:
        def by_number(number: int) -> bool:
            progress = self._exchanges.exchange(number).progress
            return progress is not None and test(progress.progress)

        return ByExchange(by_number)

    def _http_status(self, entry: Entry) -> int | None:
        found = self._journal.http_exchanges.get(_http(entry) or 0)
        response = found.response if found is not None else None
        return response.status if response is not None else None

    def _headers(self, entry: Entry, name: str) -> Iterator[str]:
        found = self._journal.http_exchanges.get(_http(entry) or 0)
        facts = (found.request, found.response) if found is not None else ()
        for fact in facts:
            yield from (value for key, value in (fact.headers if fact else ()) if key.lower() == name)


def _set(test: Test) -> Callable[[str], bool]:
    """The test of a text that counts as absent if it is empty."""
    return lambda text: bool(text) and test(text)


def _server(journal: Journal) -> str:
    opening = journal.conversation.opening
    return journal.name or (peek.text(opening.server, "name") if opening is not None else "") or ""


def _tried(test: Test, value: Any) -> bool:
    return value is not None and test(value)


def _flagged(test: Callable[[int], bool]) -> Node:
    return ByFlags(flags=bytes(map(test, range(256))))


def _kind(test: Test) -> Node:
    messages = {kind.value for name, kind in _MESSAGES.items() if test(name)}
    facts = {kind.value for name, kind in _FACTS.items() if test(name)}
    return AnyOf(
        [
            _flagged(lambda flags: flags & KIND_BITS in messages),
            ByFlags(kinds=bytes(kind in facts for kind in range(256))),
        ]
    )


def _direction(test: Test) -> Node:
    sent, came = test("c2s"), test("s2c")
    return _flagged(lambda flags: bool((flags & TO_SERVER_BIT and sent) or (flags & FROM_SERVER_BIT and came)))


def _channel(entry: Entry) -> str | None:
    return entry.what.channel.value if isinstance(entry.what, Frame) else None


def _http(entry: Entry) -> int | None:
    return entry.what.http if isinstance(entry.what, Frame | HttpFact | SseNote) else None


def _sse_id(entry: Entry) -> str | None:
    what = entry.what
    if isinstance(what, Frame):
        return what.sse.id if what.sse is not None else None
    return what.id if isinstance(what, SseNote) else None
