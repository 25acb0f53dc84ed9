"""A filter evaluated in the plainest way: each entry alone, every message parsed by `json`, nothing cached.

What pairs requests with answers is the conversation, which has its own tests; all else is written once more here.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.filters.engine.payloads import Needle
from inspector.filters.language.fields import And, BareText, Compare, FieldScope, Has, Not, Op, Or, Ref, Term
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import ConnectionFact, HttpFact, ProcessFact, SseNote, Stderr
from inspector.protocol.frames import Cause, Frame

_FACTS = {Stderr: "stderr", ConnectionFact: "connection", ProcessFact: "process", HttpFact: "http", SseNote: "sse"}


class Oracle:
    """One journal, looked at message by message."""

    def __init__(self, journal: Journal, now_ns: int) -> None:
        self._journal = journal
        self._now = now_ns

    def holds(self, term: Term, n: int) -> bool:
        match term:
            case And(terms):
                return all(self.holds(each, n) for each in terms)
            case Or(terms):
                return any(self.holds(each, n) for each in terms)
            case Not(inner):
                return not self.holds(inner, n)
            case BareText(text):
                return self._says(text, n)
            case Has(ref):
                return any(_is_set(value, ref) for each in self._in_scope(ref, n) for value in self._values(ref, each))
            case Compare(ref):
                return any(_fits(value, term) for each in self._in_scope(ref, n) for value in self._values(ref, each))

    def _in_scope(self, ref: Ref, n: int) -> list[int]:
        exchange = self._exchange(n)
        request = [exchange.request_frame] if exchange else []
        answer = [exchange.answer_frame] if exchange and exchange.answer_frame else []
        return {
            FieldScope.OWN: [n],
            FieldScope.REQUEST: request,
            FieldScope.RESPONSE: answer,
            FieldScope.ANY: [n, *request, *answer],
        }[ref.scope]

    def _exchange(self, n: int) -> Exchange | None:
        number = self._journal.store.exchange(n)
        return self._journal.conversation.exchanges[number - 1] if number else None

    def _says(self, text: str, n: int) -> bool:
        needle = Needle(text)
        what = self._journal.store.entry(n).what
        if isinstance(what, Stderr):
            return needle.is_in_bytes(what.payload) or needle.is_in_text("stderr")
        if not isinstance(what, Frame):
            return needle.is_in_text(type(what).__name__)
        seen = [*self._values(Ref("method"), n), *self._values(Ref("target"), n), "probe" if _of_probe(self, n) else ""]
        seen += [status.replace("-", " ") for status in self._values(Ref("status"), n)]
        seen += [
            f"error {self._own(n).error_code}" for _ in "x" if self._own(n) and self._own(n).error_code is not None
        ]
        return needle.is_in_bytes(what.payload) or any(map(needle.is_in_text, seen))

    def _own(self, n: int) -> Any:
        """The exchange of a request or an answer."""
        return self._exchange(n) if self._kind(n) in ("request", "response", "error", "batch") else None

    def _kind(self, n: int) -> str:
        entry = self._journal.store.entry(n)
        if not isinstance(entry.what, Frame):
            return _FACTS[type(entry.what)]
        found = [_kind_of(each) for each in _messages(entry)]
        return "batch" if len(found) > 1 else found[0]

    def _values(self, ref: Ref, n: int) -> Iterator[Any]:
        entry, exchange = self._journal.store.entry(n), self._own(n)
        what, name = entry.what, ref.name
        frame = what if isinstance(what, Frame) else None
        messages = _messages(entry) if frame else []
        match name:
            case "kind":
                yield self._kind(n)
            case "dir" if frame:
                yield frame.direction.value
            case "size":
                raw = what.raw if isinstance(what, SseNote) else getattr(what, "payload", b"")
                yield len(raw)
            case "n":
                yield n
            case "time":
                yield entry.wall_ns
            case "stderr":
                yield isinstance(what, Stderr)
            case "raw.valid":
                yield self._kind(n) != "invalid"
            case "failed":
                status = next(self._of_exchange("status", exchange), "") if exchange is not None else ""
                yield self._kind(n) in ("error", "invalid") or status in ("error", "tool-error", "lost")
            case "probe":
                yield _of_probe(self, n)
            case "text" if isinstance(what, Frame | Stderr):
                yield what.payload.decode("utf-8", "replace")
            case "method":
                yield from self._methods(messages, exchange)
            case "params" | "args" | "result" | "error":
                for message in messages:
                    yield from _reach(_part(message, name), ref.path)
            case "id" if exchange is None:
                yield from (
                    each["id"] for each in messages if _kind_of(each) in ("response", "error") and len(messages) == 1
                )
            case "error.code" if exchange is None and len(messages) == 1 and _kind_of(messages[0]) == "error":
                yield messages[0]["error"]["code"]
            case _ if exchange is not None:
                yield from self._of_exchange(name, exchange)

    def _methods(self, messages: list[Any], exchange: Exchange | None) -> Iterator[str]:
        first = messages[0] if messages else None
        if isinstance(first, dict) and "method" in first:
            yield first["method"]
        elif exchange is not None:
            yield exchange.method

    def _of_exchange(self, name: str, exchange: Exchange) -> Iterator[Any]:
        about = {"tool": "tools/call", "prompt": "prompts/get", "uri": "resources/", "target": ""}
        if name in about and exchange.method.startswith(about[name]) and exchange.target:
            yield exchange.target
        elif name == "id":
            yield exchange.id
        elif name == "dur" and exchange.ended_ns is not None:
            yield exchange.ended_ns - exchange.started_ns
        elif name == "age" and exchange.state is ExchangeState.PENDING:
            yield max(0, self._now - exchange.started_ns)
        elif name == "pending":
            yield exchange.state is ExchangeState.PENDING
        elif name == "error.code" and exchange.error_code is not None:
            yield exchange.error_code
        elif name == "progress" and exchange.progress is not None:
            yield exchange.progress.progress
        elif name == "status":
            yield "tool-error" if exchange.tool_error else exchange.state.value.replace("answered", "ok")


def _messages(entry: Entry) -> list[Any]:
    try:
        value = json.loads(entry.what.payload.decode("utf-8", "replace"))  # type: ignore[union-attr]
    except ValueError:
        return [None]
    return value if isinstance(value, list) and value else [value]


def _kind_of(message: Any) -> str:
    if not isinstance(message, dict):
        return "invalid"
    if "method" in message:
        return "request" if "id" in message else "notification"
    return "error" if "error" in message else "response" if "result" in message else "invalid"


def _of_probe(oracle: Oracle, n: int) -> bool:
    exchange, entry = oracle._own(n), oracle._journal.store.entry(n)
    return (isinstance(entry.what, Frame) and entry.what.cause is Cause.PROBE) or (
        exchange is not None and exchange.probe
    )


def _part(message: Any, name: str) -> Any:
    if not isinstance(message, dict):
        return None
    wanted = {"params": "params", "args": "params"}.get(name, name)
    found = message.get(wanted)
    return found.get("arguments") if name == "args" and isinstance(found, dict) else None if name == "args" else found


def _reach(value: Any, path: tuple[Any, ...]) -> list[Any]:
    if not path:
        return [value] if value is not None else []
    step, rest = path[0], path[1:]
    if step is None and isinstance(value, dict | list):
        inner = list(value.values()) if isinstance(value, dict) else value
        return [found for each in inner for found in _reach_any(each, rest)]
    if isinstance(value, dict) and isinstance(step, str) and step in value:
        return _reach_any(value[step], rest)
    if isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
        return _reach_any(value[step], rest)
    return []


def _reach_any(value: Any, path: tuple[Any, ...]) -> list[Any]:
    return _reach(value, path) if path else [value]


def _is_set(value: Any, ref: Ref) -> bool:
    if ref.name in ("params", "args", "result", "error", "pending", "probe", "stderr", "raw.valid", "failed"):
        return value is not None and value is not False
    return value != "" if isinstance(value, str) else True


def _fits(value: Any, term: Compare) -> bool:
    wanted, op = term.values[0], term.op
    if op in (Op.EQ, Op.NE, Op.IN):
        same = any((type(value) is type(each) and value == each) or _equal(value, each) for each in term.values)
        return same is not (op is Op.NE)
    if op is Op.CONTAINS:
        folded = str(wanted).casefold()
        if term.ref.name == "text":
            return Needle(folded).is_in_bytes(value.encode())
        if isinstance(value, str):
            return folded in value.casefold()
        if isinstance(value, list | dict):
            return any(isinstance(each, str) and each.casefold() == folded for each in value)
        return isinstance(value, int | float) and not isinstance(value, bool) and folded in str(value)
    if op in (Op.MATCHES, Op.DIFFERS):
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return False
        return bool(re.search(str(wanted), str(value))) is (op is Op.MATCHES)
    if isinstance(value, bool) or isinstance(value, str) != isinstance(wanted, str) or isinstance(wanted, bool):
        return False
    if not isinstance(value, str | int | float) or wanted is None:
        return False
    return bool({Op.LT: value < wanted, Op.LE: value <= wanted, Op.GT: value > wanted, Op.GE: value >= wanted}[op])  # type: ignore[operator]


def _equal(value: Any, wanted: Any) -> bool:
    plain = (int, float)
    return (
        isinstance(value, plain)
        and isinstance(wanted, plain)
        and bool not in (type(value), type(wanted))
        and value == wanted
    )
