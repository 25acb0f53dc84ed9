"""Cells of columns that are shown only on request: HTTP status, id, session, and any field of the filters.

Each is built only if its column is shown. The row of an exchange includes its response.
"""

from collections.abc import Callable, Iterator
from hashlib import blake2s
from typing import Any

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.errors import FilterError
from inspector.filters.engine.matching import reach
from inspector.filters.engine.nodes import state_name
from inspector.filters.language.fields import FIELDS, ROOTS, Has, Ref
from inspector.filters.language.parser import parse
from inspector.present.http import masked_value
from inspector.present.spans import Span
from inspector.present.traffic.columns import FIELD
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import HttpFact, SseNote
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import ErrorResponse, Message, Notification, Request, ResultResponse, read

_SESSION = "mcp-session-id"
FINDING_COLUMNS = (f"{FIELD}severity", f"{FIELD}finding")
"""Columns for findings; the code that marks rows fills them."""
_LARGEST = 1 << 20
"""Maximum bytes of a message that is read for a cell."""
_MAX_CELL_CHARS = 60
Cells = dict[str, list[Span]]


def field_ref(name: str) -> Ref | None:
    """Return the filter field that a column shows; None if the field does not exist."""
    try:
        term = parse(name.strip())
    except FilterError:
        term = None
    if isinstance(term, Has):
        return term.ref
    plain = next((field.name for field in FIELDS if field.name == name.strip()), None)
    return Ref(plain) if plain is not None and plain not in ("http.header", *ROOTS) else None


class ExtraCells:
    """Builds the cells of one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.store
        self._refs: dict[str, Ref | None] = {}

    def add(
        self, cells: Cells, names: frozenset[str], n: int, exchange: Exchange | None, *, tree: bool, now_ns: int
    ) -> None:
        """Add the cells of the named columns that this module builds."""
        if "id" in names and exchange is not None:
            cells["id"] = [(text.visible(_json(exchange.id), limit=20), "faint")]
        if "http" in names or "session" in names:
            self._add_http(cells, n, exchange)
        for name in names:
            if name.startswith(FIELD) and name not in FINDING_COLUMNS:
                cells[name] = [(self._field(name, n, exchange, tree=tree, now_ns=now_ns), "answer")]

    def _add_http(self, cells: Cells, n: int, exchange: Exchange | None) -> None:
        number = exchange.http if exchange is not None else None
        if number is None and self._store.kind(n) in (EntryKind.FRAME, EntryKind.HTTP, EntryKind.SSE):
            number = _http_of(self._store.entry(n).what)
        found = self._journal.http_exchanges.get(number) if number is not None else None
        if found is None:
            return
        response = found.response
        if response is not None:
            cells["http"] = [(str(response.status), "muted" if response.status < 400 else "warning")]
        for fact in (found.request, found.response):
            for key, value in fact.headers if fact is not None else ():
                if key.lower() == _SESSION:  # the id grants access; a digest distinguishes sessions as well
                    cells["session"] = [(blake2s(value.encode("utf-8", "replace")).hexdigest()[:6], "faint")]

    def _field(self, name: str, n: int, exchange: Exchange | None, *, tree: bool, now_ns: int) -> str:
        if name not in self._refs:
            self._refs[name] = field_ref(name[1:])
        ref = self._refs[name]
        if ref is None:
            return ""
        entries = [n]
        if tree and exchange is not None and exchange.request_frame == n and exchange.answer_frame:
            entries.append(exchange.answer_frame)
        for each in entries:
            for value in self._values(ref, each, exchange, now_ns):
                if value is not None and value != "":
                    return text.visible(value if isinstance(value, str) else _json(value), limit=_MAX_CELL_CHARS)
        return ""

    def _values(self, ref: Ref, n: int, exchange: Exchange | None, now_ns: int) -> Iterator[Any]:
        if ref.name in ROOTS:
            yield from self._in_message(ref, n)
        elif ref.name in _OF_EXCHANGE:
            if exchange is not None:
                yield _OF_EXCHANGE[ref.name](exchange, now_ns)
        else:
            yield self._of_entry(ref, n)

    def _in_message(self, ref: Ref, n: int) -> Iterator[Any]:
        what = self._store.entry(n).what if self._store.size(n) <= _LARGEST else None
        if not isinstance(what, Frame):
            return
        path = ("arguments", *ref.path) if ref.name == "args" else ref.path
        for message in read(what.payload):
            part = _part(message, ref.name)
            if part is not None:
                yield from reach(part, path)

    def _of_entry(self, ref: Ref, n: int) -> Any:
        store = self._store
        match ref.name:
            case "size":
                return text.human_size(store.size(n))
            case "time":
                return text.clock(store.wall_ns(n))
            case "n":
                return n
            case "mark" | "comment":
                mark = self._journal.marks.get(n)
                return None if mark is None else mark.color if ref.name == "mark" else mark.text
            case "kind":
                fact = store.kind(n) is not EntryKind.FRAME
                return (store.kind(n).name if fact else store.message_kind(n).name).lower()
            case "dir":
                return store.direction(n)
            case "method":
                return store.method(n)
            case "channel":
                what = store.entry(n).what
                return what.channel.value if isinstance(what, Frame) else None
            case "sse.id":
                what = store.entry(n).what
                return what.sse.id if isinstance(what, Frame) and what.sse is not None else None
            case "http.status":
                cells: Cells = {}
                self._add_http(cells, n, None)
                return cells["http"][0][0] if "http" in cells else None
            case "http.header":
                return next(self._headers(n, str(ref.path[0])), None)
            case _:
                return None

    def _headers(self, n: int, name: str) -> Iterator[str]:
        found = self._journal.http_exchanges.get(_http_of(self._store.entry(n).what) or 0)
        for fact in (found.request, found.response) if found is not None else ():
            for key, value in fact.headers if fact is not None else ():
                if key.lower() == name:
                    yield masked_value(key, value)


def _age(exchange: Exchange, now_ns: int) -> str | None:
    return text.human_duration(max(0, now_ns - exchange.started_ns)) if exchange.is_open else None


def _duration(exchange: Exchange, now_ns: int) -> str | None:
    return None if exchange.duration_ns is None else text.human_duration(max(0, exchange.duration_ns))


def _target_of(begins: str) -> Callable[[Exchange, int], str | None]:
    return lambda exchange, now_ns: exchange.target if exchange.method.startswith(begins) else None


_OF_EXCHANGE: dict[str, Callable[[Exchange, int], Any]] = {
    "method": lambda exchange, now_ns: exchange.method,
    "tool": _target_of("tools/call"),
    "prompt": _target_of("prompts/get"),
    "uri": _target_of("resources/"),
    "target": lambda exchange, now_ns: exchange.target,
    "status": lambda exchange, now_ns: state_name(exchange),
    "id": lambda exchange, now_ns: exchange.id,
    "error.code": lambda exchange, now_ns: exchange.error_code,
    "dur": _duration,
    "age": _age,
    "pending": lambda exchange, now_ns: "pending" if exchange.is_open else None,
    "probe": lambda exchange, now_ns: "probe" if exchange.probe else None,
    "progress": lambda exchange, now_ns: exchange.progress.progress if exchange.progress is not None else None,
    "revision": lambda exchange, now_ns: exchange.revision,
}


def _part(message: Message, root: str) -> Any:
    match message:
        case Request() | Notification() if root in ("params", "args"):
            return message.params
        case ResultResponse() if root == "result":
            return message.result
        case ErrorResponse() if root == "error":
            return message.error
        case _:
            return None


def _http_of(what: object) -> int | None:
    return what.http if isinstance(what, Frame | HttpFact | SseNote) else None


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, TypeError, RecursionError):
        return str(value)
