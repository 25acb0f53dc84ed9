"""A compiled filter for one journal: marks the entries that match.

The cost depends on the fields: column fields read nothing, a text is searched in the bytes of the file, and only
candidates are parsed. Nothing blocks and nothing raises, whatever a journal contains.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, assert_never

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.capture.store.columns import (
    BITS_OF_DIRECTION,
    DIRECTION_BITS,
    KIND_BITS,
    PROBE_BIT,
    EntryKind,
    MessageKind,
)
from inspector.filters.engine.findings import FINDING_FIELDS, NO_FINDINGS, ByFinding, FindingSource
from inspector.filters.engine.matching import METHODS_OF_TARGET, Test, is_there, matcher
from inspector.filters.engine.nodes import (
    BYTES,
    EXCHANGE,
    AllOf,
    AnyOf,
    ByEntry,
    ByExchange,
    ByFlags,
    ByJournal,
    ByMethod,
    ByNumber,
    ExchangeColumns,
    Lifted,
    Node,
    Opposite,
    Stretch,
    backwards,
)
from inspector.filters.engine.payloads import InJson, InMessages, InText, TextSearch, literal_of
from inspector.filters.language.fields import (
    BY_NAME,
    And,
    BareText,
    Compare,
    FieldScope,
    FieldType,
    Has,
    Not,
    Or,
    Ref,
    Term,
    refs,
)
from inspector.filters.language.patterns import PATIENCE, Pattern
from inspector.protocol import peek
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    SseNote,
)
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import ErrorResponse, Message, ResultResponse
from inspector.text import counted

# Implementation of each field: from a field and a test of its value to a node.

_MESSAGES = {kind.name.lower(): kind for kind in MessageKind if kind is not MessageKind.NONE}
_FACTS = {kind.name.lower(): kind for kind in EntryKind if kind is not EntryKind.FRAME}
_FAILED = ("error", "tool-error", "lost")
"""States of an exchange that count as failed."""
_ACCEPTED, _HTTP_ERRORS, _NOT_ALLOWED = 202, 400, 405
"""HTTP statuses. 405 is the normal response of a server without a stream to a GET, or without sessions to a DELETE."""
_COLUMNS = {"size": "sizes", "time": "walls", "n": "n"}

_OURS = "mcp-inspect"
"""The tool whose captures have the expected format."""

_CHANGING = frozenset(("status", "failed", "pending", "dur", "age", "error.code", "progress"))
"""Fields that change while an exchange continues."""


class NodeFactory:
    """Creates the nodes for one journal."""

    def __init__(
        self,
        journal: Journal,
        exchanges: ExchangeColumns,
        clock: Callable[[], int],
        findings: FindingSource = NO_FINDINGS,
    ) -> None:
        """Create a factory; `findings` has the results of the checks so far."""
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
            "raw.valid": lambda test: Opposite(_kind(lambda kind: bool(kind == "invalid"))),
            "channel": lambda test: ByEntry(lambda entry: _tried(test, _channel(entry))),
            "http.status": lambda test: ByEntry(lambda entry: _tried(test, self._http_status(entry))),
            **{name: partial(ByFinding, findings, name) for name in FINDING_FIELDS},
            "sse.id": lambda test: ByEntry(lambda entry: _tried(test, _sse_id(entry))),
        }

    def node(self, ref: Ref, test: Test, compare: Compare | None) -> Node:
        """Return the node that tests the values of a field, regardless of its scope."""
        name = ref.name
        if name in ("params", "args", "result", "error"):
            return InJson(ref, test, literal_of(ref, compare))
        if name == "http.header":
            return ByEntry(lambda entry: any(map(test, self._headers(entry, str(ref.path[0])))))
        if name == "text":
            return InText(test, compare)
        if name in METHODS_OF_TARGET:
            return self._of_target(METHODS_OF_TARGET[name], test)
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
        """Return the node for failed exchanges, invalid messages, and failures of HTTP, connections and processes."""
        invalid = AllOf([_kind(lambda kind: bool(kind == "invalid")), ByEntry(lambda entry: not self._accepted(entry))])
        facts = _kind(lambda kind: kind in ("http", "connection", "process"))
        return AnyOf(
            [
                _kind(lambda kind: bool(kind == "error")),
                self._status(lambda status: status in _FAILED),
                invalid,
                AllOf([facts, ByEntry(lambda entry: self._is_bad_end(entry.what))]),
            ]
        )

    def _accepted(self, entry: Entry) -> bool:
        """Return whether it is the body of a 202 response: legal, and often plain text."""
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
            return isinstance(message, ResultResponse | ErrorResponse) and message.id is not None and test(message.id)

        return AnyOf([ByExchange(lambda number: test(self._exchanges.exchange(number).id)), InMessages(of_answer)])

    def _code(self, test: Test) -> Node:
        def of_answer(message: Message) -> bool:
            return isinstance(message, ErrorResponse) and message.code is not None and test(message.code)

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


Found = tuple[int, bytes]
"""First entry of a stretch, and its mask."""


def _set(test: Test) -> Callable[[str], bool]:
    """Return a test for a text where an empty one counts as absent."""
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
    wanted = {bits for direction, bits in BITS_OF_DIRECTION.items() if test(direction.value)}
    return _flagged(lambda flags: flags & DIRECTION_BITS in wanted)


def _channel(entry: Entry) -> str | None:
    return entry.what.channel.value if isinstance(entry.what, Frame) else None


def _http(entry: Entry) -> int | None:
    return entry.what.http if isinstance(entry.what, Frame | HttpFact | SseNote) else None


def _sse_id(entry: Entry) -> str | None:
    what = entry.what
    if isinstance(what, Frame):
        return what.sse.id if what.sse is not None else None
    return what.id if isinstance(what, SseNote) else None


class Program:
    """A compiled filter for one journal. Thread-safe."""

    def __init__(
        self,
        term: Term,
        journal: Journal,
        *,
        clock: Callable[[], int],
        say: Callable[[Fact], str],
        exchanges: ExchangeColumns | None = None,
        findings: FindingSource | None = None,
    ) -> None:
        """Compile a filter.

        `clock` returns the journal's monotonic time in nanoseconds. `say` formats facts. `exchanges` may be shared
        by programs. `findings` has the results of the checks so far; None if no checks run.
        """
        self.term = term
        self._store = journal.store
        self._exchanges = exchanges or ExchangeColumns(journal)
        self._say = say
        self._workshop = NodeFactory(journal, self._exchanges, clock, findings or NO_FINDINGS)
        self._patterns: list[Pattern] = []
        self._plain = journal.head.tool.name == _OURS
        self._node = self._made(term)
        names = set(_names(term))
        self.by_columns = self._node.cost <= EXCHANGE
        """Whether it reads nothing from the file. Then even a flood of messages can be filtered live."""
        self.follows_exchanges = bool(names & _CHANGING) or "" in names
        """Whether the outcome of an exchange affects earlier messages."""
        self.lifts = "" in names and any(ref.scope is not FieldScope.OWN for ref in refs(term))
        """Whether a message can match by its counterpart."""
        self.follows_progress = "progress" in names
        """Whether a later change of an ended exchange affects the result."""
        self.follows_time = "age" in names
        self.follows_findings = not names.isdisjoint(FINDING_FIELDS)
        """Whether later findings affect earlier messages."""

    @property
    def trouble(self) -> str:
        """What went wrong with a pattern, one sentence; "" if nothing did."""
        slow = sum(pattern.too_slow for pattern in self._patterns)
        if any(pattern.given_up for pattern in self._patterns):
            return f"the pattern took too long {PATIENCE} times and was stopped: the result is incomplete"
        return f"the pattern took too long on {counted(slow, 'message')}" if slow else ""

    def stretches(self, first: int, last: int, most_bytes: int = BYTES) -> Iterator[tuple[int, int]]:
        """Divide entries into stretches for `mark`, the newest first."""
        return backwards(self._store, first, last, most_bytes)

    def mark(self, first: int, last: int, need: bytes | None = None) -> bytes:
        """Return a mask of the matching entries from `first` to `last`; `need` is a mask of those to test."""
        stretch = Stretch(self._store, first, last, plain=self._plain)
        return self._node.mark(stretch, b"\1" * len(stretch) if need is None else need)

    def matches(self, n: int) -> bool:
        return self.mark(n, n) == b"\1"

    # Compilation of terms to nodes

    def _made(self, term: Term) -> Node:
        match term:
            case And(terms):
                return AllOf([self._made(each) for each in terms])
            case Or(terms):
                return AnyOf([self._made(each) for each in terms])
            case Not(inner):
                return Opposite(self._made(inner))
            case BareText(text):
                return TextSearch(text, self._exchanges, self._say)
            case Has(ref):
                return self._lifted(ref, self._workshop.node(ref, _presence(ref), None))
            case Compare(ref):
                return self._lifted(ref, self._workshop.node(ref, matcher(term, self._patterns), term))
            case _:
                assert_never(term)

    def _lifted(self, ref: Ref, node: Node) -> Node:
        return node if ref.scope is FieldScope.OWN else Lifted(node, ref.scope, self._exchanges)


def _presence(ref: Ref) -> Test:
    """Return the test for a field without an operator."""
    kind = BY_NAME[ref.name].type
    if kind is FieldType.JSON:
        return is_there
    return bool if kind is FieldType.TEXT else lambda found: True


def _names(term: Term) -> Iterator[str]:
    """Yield the fields of a filter; "" for bare text, and for tests of the counterpart."""
    match term:
        case And(terms) | Or(terms):
            for each in terms:
                yield from _names(each)
        case Not(inner):
            yield from _names(inner)
        case Has(ref) | Compare(ref):
            yield ref.name
            if ref.scope is not FieldScope.OWN:
                yield ""
        case BareText():
            yield ""
        case _:
            assert_never(term)


# A scan of a journal in a thread: existing entries, newest first, and then new ones.


class Scan:
    """A scan of the entries 1 to `last`, and of those that are added later."""

    def __init__(
        self,
        program: Program,
        last: int,
        *,
        within: bytes | None = None,
        threaded: bool = False,
        most_bytes: int = BYTES,
    ) -> None:
        """Start a scan; `within` is a mask of the entries from 0 to `last` to test. None: all."""
        self.program = program
        self.total = last
        """Number of entries at the start."""
        self.scanned = 0
        """Number of those that were scanned."""
        self._within = within
        self._old = program.stretches(1, last, most_bytes)
        self._new: deque[tuple[int, int]] = deque()
        self._found: deque[Found] = deque()
        self._most_bytes = most_bytes
        self._threaded = threaded
        self._cancelled = False
        self._lock = threading.Lock()
        self._running = False
        self._old_is_done = last < 1
        self._wake()

    @property
    def is_done(self) -> bool:
        """Whether the initial entries were scanned and their results were taken."""
        return self._old_is_done and not self._found

    def add(self, first: int, last: int) -> None:
        """Scan new entries."""
        self._new.append((first, last))
        self._wake()

    def take(self) -> Found | None:
        """Return the next result; None if there is none yet."""
        return self._found.popleft() if self._found else None

    def cancel(self) -> None:
        """Stop at the next stretch and discard the results."""
        self._cancelled = True
        self._found.clear()

    def work(self) -> bool:
        """Scan the next stretch, new entries first. Return whether there was one."""
        found = self._next()
        if found is None or self._cancelled:
            return False
        first, last = found
        need = None if self._within is None or last > self.total else self._within[first : last + 1]
        if need is None or 1 in need:
            marks = self.program.mark(first, last, need)
            if not self._cancelled:
                self._found.append((first, marks))
        if last <= self.total:
            self.scanned = self.total - first + 1
        return True

    def _next(self) -> tuple[int, int] | None:
        if self._new:
            first, last = self._new.popleft()
            parts = list(self.program.stretches(first, last, self._most_bytes))
            self._new.extendleft(parts[1:])
            return parts[0] if parts else None
        found = next(self._old, None)
        self._old_is_done = found is None
        return found

    def _wake(self) -> None:
        """Start a thread if none is running."""
        if not self._threaded:
            return
        with self._lock:
            if self._running or self._cancelled:
                return
            self._running = True
        threading.Thread(target=self._run, name="filter", daemon=True).start()

    def _run(self) -> None:
        while True:
            while self.work():
                pass
            with self._lock:
                if self._cancelled or not self._new:
                    self._running = False
                    return
