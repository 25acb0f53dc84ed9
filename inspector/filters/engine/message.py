"""A filter for one message at the moment when it passes, before it is in a journal."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inspector.filters.engine.matching import METHODS_OF_TARGET, Test, is_there, matcher, values_in
from inspector.filters.language.fields import (
    BY_NAME,
    KINDS,
    And,
    BareText,
    Compare,
    FieldScope,
    FieldType,
    Has,
    Not,
    Op,
    Or,
    Ref,
    Term,
)
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Message, Notification, NotJsonRpc, Request, ResultResponse, read

KNOWN = frozenset(
    {"method", "tool", "prompt", "uri", "target", "kind", "dir", "id", "error.code", "dur", "size", "failed", "status"}
    | {"raw.valid", "text", "params", "args", "result", "error", "channel", "http.status", "http.header"}
)
"""Fields that are known when a message passes."""
_LONGEST_SEARCHED = 4096
"""Maximum number of bytes that are searched for the names of a filter."""
_NAMES = ("method", "tool", "prompt", "uri", "target")
"""Fields whose values are JSON strings of a message or of its request."""
_REQUEST, _NOTIFICATION, _RESPONSE, _ERROR, _GARBLED, _BATCH = KINDS[:6]


class MessageView:
    """One message at the moment when it passes."""

    def __init__(
        self,
        direction: Direction,
        payload: bytes,
        *,
        message: Message | None = None,
        channel: str = "",
        headers: Sequence[tuple[str, str]] = (),
        http_status: int | None = None,
    ) -> None:
        self.direction = direction
        self.payload = payload
        self.messages = (message,) if message is not None else read(payload)
        self.message = self.messages[0]
        self.channel = channel
        self.headers = headers
        self.http_status = http_status
        self.request: MessageView | None = None
        """The request of a response, if it was seen."""
        self.elapsed_ns: int | None = None
        self._values: dict[str, list[Any]] = {}
        """Cached values of fields."""
        self._names_in: bytes | None = None

    @property
    def names_in(self) -> bytes:
        """Bytes of the message, and of the request that it answers, in which each ASCII name occurs as it is.

        b"" if there may be others: a JSON string may escape any character. Also b"" for a long message, because
        searching it takes longer than reading it.
        """
        if self._names_in is None:
            both = self.payload if self.request is None else self.payload + b"\n" + self.request.payload
            self._names_in = both if len(both) <= _LONGEST_SEARCHED and b"\\" not in both else b""
        return self._names_in

    @property
    def is_response(self) -> bool:
        """Whether the message is a result or an error."""
        return isinstance(self.message, ResultResponse | ErrorResponse)

    @property
    def method(self) -> str:
        """Method of the message, or of the request that it answers."""
        if isinstance(self.message, Request | Notification):
            return self.message.method
        return self.request.method if self.request is not None else ""

    @property
    def target(self) -> str:
        """Tool, prompt or resource of the message; "" for none."""
        return self._target("target") or ""

    @property
    def id(self) -> int | str | None:
        """Id of the message; None for a notification or an invalid message."""
        return None if isinstance(self.message, NotJsonRpc | Notification) else self.message.id

    def is_of(self, side: str) -> bool:
        """Return whether a rule for this side applies to the message."""
        return side == "either" or side == self.side

    @property
    def side(self) -> str:
        """Kind of the message: "request", "response" or "notification"; "" for anything else."""
        if isinstance(self.message, Request):
            return "request"
        if isinstance(self.message, Notification):
            return "notification"
        return "response" if self.is_response else ""

    def values(self, ref: Ref) -> list[Any]:
        """Return the values of a field: none, one, or several at a path."""
        name = ref.name
        if FieldType.JSON is BY_NAME[name].type:
            return values_in(self.message, ref)
        if name == "http.header":
            wanted = str(ref.path[0]).lower() if ref.path else ""
            return [value for key, value in self.headers if key.lower() == wanted]
        values = self._values.get(name)
        if values is None:
            value = self._value(name)
            values = self._values[name] = [] if value is None else [value]
        return values

    def _value(self, name: str) -> Any:
        message, method = self.message, self.method
        if name == "method":
            return method or None
        if name in ("tool", "prompt", "uri", "target"):
            return self._target(name)
        if name == "kind":
            return self._kind()
        if name == "dir":
            return str(self.direction)
        if name == "id":
            return self.id
        if name == "error.code":
            return message.code if isinstance(message, ErrorResponse) else None
        if name == "dur":
            return self.elapsed_ns
        if name == "size":
            return len(self.payload)
        if name == "text":
            return self.payload.decode("utf-8", "replace")
        if name == "failed":
            return True if self._status() in ("error", "tool-error") else None
        if name == "status":
            return self._status()
        if name == "raw.valid":
            return None if isinstance(message, NotJsonRpc) else True
        return self.http_status if name == "http.status" else self.channel or None

    def _target(self, name: str) -> Any:
        asked = self.request.message if self.request is not None else self.message
        params = asked.params if isinstance(asked, Request | Notification) else None
        if not self.method.startswith(METHODS_OF_TARGET.get(name, "")):
            return None
        if name == "uri":
            return peek.text(params, "uri")
        return peek.text(params, "name") or (peek.text(params, "uri") if name == "target" else None)

    def _kind(self) -> str:
        if len(self.messages) > 1:
            return _BATCH
        if isinstance(self.message, NotJsonRpc):
            return _GARBLED
        if isinstance(self.message, ErrorResponse):
            return _ERROR
        return {"request": _REQUEST, "notification": _NOTIFICATION}.get(self.side, _RESPONSE)

    def _status(self) -> str | None:
        if isinstance(self.message, ErrorResponse):
            return "error"
        if isinstance(self.message, ResultResponse):
            return "tool-error" if peek.flag(self.message.result, "isError") else "ok"
        return None


Condition = Callable[[MessageView], bool]


def condition(term: Term) -> Condition:
    """Compile a filter that uses only fields in KNOWN into a test of one message."""
    holds, names = _compiled(term), _needed_names(term)
    if not names:
        return holds

    def test(view: MessageView) -> bool:
        found = view.names_in
        return (not found or any(map(found.__contains__, names))) and holds(view)

    return test


def _needed_names(term: Term) -> list[bytes]:
    """Return names of which one occurs in each message, or its request, that matches; [] if that is not certain."""
    match term:
        case And(terms):
            return next(filter(None, map(_needed_names, terms)), [])
        case Or(terms):
            of_each = [_needed_names(each) for each in terms]
            return [name for names in of_each for name in names] if all(of_each) else []
        case Compare(ref, op, values) if op in (Op.EQ, Op.IN) and ref.name in _NAMES:
            names = [value.encode() for value in values if isinstance(value, str) and value.isascii()]
            return names if len(names) == len(values) else []
    return []


def _compiled(term: Term) -> Condition:
    match term:
        case And(terms):
            every = [_compiled(each) for each in terms]
            return lambda view: all(test(view) for test in every)
        case Or(terms):
            some = [_compiled(each) for each in terms]
            return lambda view: any(test(view) for test in some)
        case Not(inner):
            test = _compiled(inner)
            return lambda view: not test(view)
        case BareText(text):
            wanted = text.casefold()
            return lambda view: wanted in view.payload.decode("utf-8", "replace").casefold()
        case Has(ref):
            return _of_field(ref, is_there)
        case Compare(ref):
            return _of_field(ref, matcher(term, []))


def _of_field(ref: Ref, test: Test) -> Condition:
    if ref.scope is FieldScope.OWN:
        return lambda view: any(map(test, view.values(ref)))

    def holds(view: MessageView) -> bool:
        return any(test(value) for each in _scoped(view, ref.scope) for value in each.values(ref))

    return holds


def _scoped(view: MessageView, scope: FieldScope) -> Iterator[MessageView]:
    is_request = isinstance(view.message, Request)
    if scope in (FieldScope.OWN, FieldScope.ANY):
        yield view
    if scope in (FieldScope.REQUEST, FieldScope.ANY):
        if view.request is not None:
            yield view.request
        elif is_request and scope is FieldScope.REQUEST:
            yield view
    if scope is FieldScope.RESPONSE and view.is_response:
        yield view
