"""Parsing and encoding of JSON-RPC messages.

Reading never raises: invalid input becomes a message of a separate type. Only the envelope is decoded at once;
params, result and error stay bytes until they are needed (`Part`). A flood of notifications then costs less than a
microsecond each, and a 100 MB result is not decoded just to find the request that it belongs to.

JSON-RPC 2.0: https://www.jsonrpc.org/specification
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from inspector.documents import UNDECODABLE, UNENCODABLE
from inspector.protocol import peek

# Long JSON is decoded in small pieces, so that other threads can run in between.

PIECE = 128 * 1024
"""Bytes decoded at once: a few milliseconds at most."""
_DEEPEST = 100
"""Nesting levels that are split; deeper values are decoded at once."""
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
RESPELLED_ID = "the id is a whole number written as a fraction or with an exponent"
"""Defect of a message whose id is an integer in another notation: `1.0`, `1e2`. It is still correlated."""
UNCLAIMED = '"jsonrpc" is missing'
"""A defect: the object does not claim to be JSON-RPC."""
NULL_ERROR = '"error" is null beside a result'
"""Defect of a response that JSON-RPC 2.0 forbids (section 5). It is read as a success."""
_BOM = b"\xef\xbb\xbf"
_MOST_DIGITS = 4000
MOST_VALUES = 10_000_000
"""Maximum number of JSON values decoded in one part, at about a hundred bytes each. 100,000 tools have fewer."""
_LONG = 1024 * 1024
"""Size in bytes from which a part is decoded in pieces, so that other threads can run in between."""
_LARGE = 16 * 1024 * 1024
"""Size in bytes from which a part's values are counted first, and from which the tolerant reader is not used."""


RequestId = int | str
"""`1` and `"1"` are different ids, as in Python. Fractions, booleans and null are invalid; `1.0` is 1 (`peek`)."""


class Part:
    """A member of a message (params, result, error): the received bytes, decoded at first access."""

    __slots__ = ("_raw", "_value")
    _UNREAD: ClassVar[object] = object()

    def __init__(self, raw: bytes | None, value: Any = _UNREAD) -> None:
        self._raw = raw
        self._value = value

    @property
    def value(self) -> Any:
        """The JSON value; also None if the part is too deeply nested or has too many values."""
        if self._value is Part._UNREAD:
            self._value = _decode_tolerantly(self._raw or b"null")
        return self._value

    def decoded(self) -> Any:
        """The JSON value, decoded again at each call unless `value` was accessed: for parts of which there are many."""
        return _decode_tolerantly(self._raw or b"null") if self._value is Part._UNREAD else self._value

    @property
    def raw(self) -> bytes:
        """The exact bytes; an equivalent encoding if the message needed tolerant reading."""
        if self._raw is None:
            self._raw = encode(self._value)
        return self._raw


ABSENT = Part(b"null", None)


class Request(msgspec.Struct, frozen=True):
    """A message with a method and an id."""

    id: RequestId
    method: str
    params_part: Part = ABSENT
    defects: tuple[str, ...] = ()

    @property
    def params(self) -> Any:
        """Any JSON; None if absent. MCP requires an object, but servers may send anything."""
        return self.params_part.value


class Notification(msgspec.Struct, frozen=True):
    """A message with a method and no id."""

    method: str
    params_part: Part = ABSENT
    defects: tuple[str, ...] = ()

    @property
    def params(self) -> Any:
        """Any JSON; None if absent."""
        return self.params_part.value


class ResultResponse(msgspec.Struct, frozen=True):
    """A message with an id and a result."""

    id: RequestId
    result_part: Part
    defects: tuple[str, ...] = ()

    @property
    def result(self) -> Any:
        """Any JSON. MCP requires an object."""
        return self.result_part.value


class ErrorResponse(msgspec.Struct, frozen=True):
    """A message with an error. The id is None if the sender gave none."""

    id: RequestId | None
    error_part: Part
    defects: tuple[str, ...] = ()

    @property
    def error(self) -> Any:
        """Any JSON. JSON-RPC requires `{code, message, data?}`."""
        return self.error_part.value

    @property
    def code(self) -> int | None:
        """The error code; None if it is not an integer."""
        return peek.integer(self.error, "code")

    @property
    def message(self) -> str:
        """The sender's message; "" if there is none."""
        return peek.text(self.error, "message") or ""


class NotJsonRpc(msgspec.Struct, frozen=True):
    """Anything but a JSON-RPC message: a banner, a blank line, JSON of another shape, arbitrary bytes."""

    reason: str
    """The reason as a phrase: "not JSON", "a JSON string, not an object"."""
    defects: tuple[str, ...] = ()
    unread: bool = False
    """Whether it may be a valid message that is too deep or too large to be read here."""


Message = Request | Notification | ResultResponse | ErrorResponse | NotJsonRpc


class Envelope(msgspec.Struct, gc=False):
    """Envelope of a common message, decoded fast; others need tolerant reading. Raw parts keep the payload alive."""

    jsonrpc: str
    id: int | float | str | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def decode_in_pieces(raw: bytes | msgspec.Raw, level: int = 0) -> Any:
    """Decode JSON in pieces. Raises: what `msgspec.json.decode` raises."""
    first = bytes(memoryview(raw)[:64]).lstrip()[:1]
    if len(memoryview(raw)) <= PIECE or level >= _DEEPEST or first not in (b"{", b"["):
        return msgspec.json.decode(raw)
    if first == b"[":
        return _values(_ARRAY.decode(raw), level)
    members = _OBJECT.decode(raw)
    return dict(zip(members, _values(members.values(), level), strict=True))


def _values(raws: Iterable[msgspec.Raw], level: int) -> list[Any]:
    """Decode several values, the small ones together."""
    values: list[Any] = []
    some: list[msgspec.Raw] = []
    size = 0
    for raw in raws:
        length = len(memoryview(raw))
        if some and size + length > PIECE:
            values += msgspec.json.decode(b"[" + b",".join(some) + b"]")
            some, size = [], 0
        if length > PIECE:
            values.append(decode_in_pieces(raw, level + 1))
        else:
            some.append(raw)
            size += length
    if some:
        values += msgspec.json.decode(b"[" + b",".join(some) + b"]")
    return values


def part_of(raw: msgspec.Raw | msgspec.UnsetType) -> Part:
    """Create a part from a member of an envelope. It does not keep the envelope's payload alive."""
    return Part(bytes(raw)) if isinstance(raw, msgspec.Raw) else ABSENT


_decode_envelope = msgspec.json.Decoder(Envelope).decode


def read(payload: bytes) -> tuple[Message, ...]:
    """Return the messages of a frame in order: at least one, several for a batch. Never raises."""
    try:
        envelope = _decode_envelope(payload)
    except UNDECODABLE:
        return _read_tolerantly(payload)
    if envelope.jsonrpc != "2.0":
        return _read_tolerantly(payload)
    return (_from_envelope(envelope) or _read_tolerantly(payload)[0],)


def read_around(payload: bytes, member: str, items: Sequence[Any]) -> tuple[Message, ...] | None:
    """Read a response whose result has an array `member` that was already decoded: `items` is its value.

    Returns None if the frame is not a plain response, or the array has another length. Then use `read`.
    """
    envelope = envelope_of(payload)
    if envelope is None or not isinstance(envelope.id, int | str) or not isinstance(envelope.result, msgspec.Raw):
        return None
    if envelope.method is not msgspec.UNSET or envelope.error is not msgspec.UNSET:
        return None
    try:
        members = msgspec.json.decode(envelope.result, type=dict[str, msgspec.Raw])
        if len(msgspec.json.decode(members[member], type=list[msgspec.Raw])) != len(items):
            return None
        others = {name: None if name == member else msgspec.json.decode(raw) for name, raw in members.items()}
    except (KeyError, *UNDECODABLE):
        return None
    return (ResultResponse(envelope.id, Part(None, others | {member: list(items)})),)


def envelope_of(payload: bytes | str) -> Envelope | None:
    """Decode the envelope of a frame that appears to be one well-formed message; None for any other frame."""
    try:
        envelope = _decode_envelope(payload)
    except UNDECODABLE:
        return None
    return envelope if envelope.jsonrpc == "2.0" else None


def _from_envelope(envelope: Envelope) -> Message | None:
    """Create the message of a well-formed envelope; None for combinations that need tolerant reading."""
    id_, method, unset = envelope.id, envelope.method, msgspec.UNSET
    if type(id_) is float:
        return _respelled(envelope, id_)
    if isinstance(method, str):
        if envelope.result is not unset or envelope.error is not unset:
            return None
        params = Part(bytes(envelope.params)) if isinstance(envelope.params, msgspec.Raw) else ABSENT
        return Request(id_, method, params) if isinstance(id_, int | str) else Notification(method, params)
    if isinstance(envelope.result, msgspec.Raw):
        if envelope.error is not unset or not isinstance(id_, int | str):
            return None
        return ResultResponse(id_, Part(bytes(envelope.result)))
    if isinstance(envelope.error, msgspec.Raw) and isinstance(id_, int | str):
        return ErrorResponse(id_, Part(bytes(envelope.error)))
    return None


def _respelled(envelope: Envelope, id_: float) -> Message | None:
    """Create the message of an envelope whose id is a float: `1.0` and `1e2` are the JSON numbers 1 and 100."""
    whole = peek.request_id(id_)
    if whole is None:
        return None
    message = _from_envelope(msgspec.structs.replace(envelope, id=whole))
    return None if message is None else msgspec.structs.replace(message, defects=(RESPELLED_ID,))


def _read_tolerantly(payload: bytes) -> tuple[Message, ...]:
    defects: list[str] = []
    if len(payload) > _LARGE:  # decoding arbitrary JSON may need fifty times its size
        why = f"malformed, and too large to inspect ({len(payload):,} bytes)"
        return (NotJsonRpc(why, unread=True),)
    if payload.startswith(_BOM):
        defects.append("starts with a byte-order mark")
        payload = payload[len(_BOM) :]
    if not payload.strip():
        return (NotJsonRpc("an empty line", tuple(defects)),)
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        defects.append(f"invalid UTF-8 at byte {error.start}")
        text = payload.decode("utf-8", "replace")
    import json  # not needed for well-formed messages

    try:
        value = json.loads(text, parse_int=_integer)
    except RecursionError:
        return (NotJsonRpc("JSON nested too deeply to be read", tuple(defects), unread=True),)
    except ValueError:
        return (NotJsonRpc("not JSON", tuple(defects)),)
    if isinstance(value, list):
        if not value:
            return (NotJsonRpc("an empty JSON array", tuple(defects)),)
        return tuple(_from_value(item, defects) for item in value)
    return (_from_value(value, defects),)


def _from_value(value: Any, defects: list[str]) -> Message:
    """Create a message from any JSON value, with its defects."""
    if not isinstance(value, dict):
        twice = " (it holds JSON: encoded twice)" if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else ""
        return NotJsonRpc(f"a JSON {peek.type_name(value)}, not an object{twice}", tuple(defects))
    odd = list(defects)
    if value.get("jsonrpc") != "2.0":
        odd.append(UNCLAIMED if "jsonrpc" not in value else '"jsonrpc" is not "2.0"')
    id_ = _usable_id(value, odd)
    if isinstance(value.get("method"), str):
        return _call_from(value, id_, odd)
    if "result" in value and "error" in value:
        odd.append(NULL_ERROR if value["error"] is None else "both result and error")
    if isinstance(value.get("error"), str) and id_ is None and "jsonrpc" not in value:
        return NotJsonRpc('an object whose "error" is a text', tuple(odd))  # how web frameworks report a status
    if isinstance(value.get("error"), dict) or ("error" in value and "result" not in value):
        return ErrorResponse(id_, Part(None, value["error"]), tuple(odd))
    if "result" in value:
        if id_ is None:
            return NotJsonRpc("a result without a usable id", tuple(odd))
        return ResultResponse(id_, Part(None, value["result"]), tuple(odd))
    if "method" in value:
        return NotJsonRpc('"method" is not a string', tuple(odd))
    return NotJsonRpc("an object without method, result or error", tuple(odd))


def _call_from(value: dict[str, Any], id_: RequestId | None, odd: list[str]) -> Message:
    odd += [f"both method and {extra}" for extra in ("result", "error") if extra in value]
    params = Part(None, value["params"]) if "params" in value else ABSENT
    if id_ is not None:
        return Request(id_, value["method"], params, tuple(odd))
    if "id" in value:
        odd.append("a request without a possible response: its id is neither a string nor an integer")
    return Notification(value["method"], params, tuple(odd))


def _usable_id(value: dict[str, Any], odd: list[str]) -> RequestId | None:
    id_ = value.get("id")
    usable = peek.request_id(id_)
    if usable is None and id_ is not None:
        odd.append(f"the id is a {'fraction' if isinstance(id_, float) else peek.type_name(id_)}")
    elif isinstance(id_, float):
        odd.append(RESPELLED_ID)
    return usable


def _decode_tolerantly(raw: bytes) -> Any:
    """Decode JSON, including what only the tolerant reader accepts: lone surrogates, NaN, invalid UTF-8."""
    if len(raw) > _LARGE and raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MOST_VALUES:
        return None
    try:
        return msgspec.json.decode(raw) if len(raw) < _LONG else decode_in_pieces(raw)
    except UNDECODABLE:
        pass
    import json

    try:
        return json.loads(raw.decode("utf-8", "replace"), parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int | float:
    """Parse an integer. Python rejects thousands of digits; like other programs, we read those as infinity."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def encode(value: Any) -> bytes:
    """Encode a value as compact JSON: UTF-8, one line, members in the given order.

    A `msgspec.Raw` as a member of the outermost object is written as its bytes. Lone surrogates and integers beyond
    64 bits, which msgspec rejects, are supported.
    """
    try:
        return msgspec.json.encode(value)
    except UNENCODABLE:
        if isinstance(value, dict) and any(isinstance(member, msgspec.Raw) for member in value.values()):
            members = (_encode_leniently(name) + b":" + _encode_leniently(member) for name, member in value.items())
            return b"{" + b",".join(members) + b"}"
        return _encode_leniently(value)


def _encode_leniently(value: Any) -> bytes:
    import json

    return bytes(value) if isinstance(value, msgspec.Raw) else json.dumps(value, separators=(",", ":")).encode()


def write_request(id_: RequestId, method: str, params: Any = None) -> bytes:
    """Encode a request; without params if None."""
    return _write({"id": id_, "method": method}, params)


def write_spread_request(id_: RequestId, method: str, params: Any, *, has_own_params: bool) -> bytes:
    """Encode a request with its members in the order of the TypeScript SDK, where params that hold only `_meta` end."""
    own, stamped = ({"params": params}, {}) if has_own_params else ({}, {} if params is None else {"params": params})
    return encode({"method": method, **own, "jsonrpc": "2.0", "id": id_, **stamped})


def write_notification(method: str, params: Any = None, *, is_spread: bool = False) -> bytes:
    """Encode a notification; without params if None. `is_spread`: the version of the protocol comes last."""
    if is_spread:
        return encode({"method": method} | ({} if params is None else {"params": params}) | {"jsonrpc": "2.0"})
    return _write({"method": method}, params)


def write_response(id_: RequestId, result: Any) -> bytes:
    """Encode the result of a request of the other side."""
    return encode({"jsonrpc": "2.0", "id": id_, "result": result})


def write_error(id_: RequestId | None, code: int, message: str, data: Any = None) -> bytes:
    """Encode an error as the response to a request of the other side; without data if None."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return encode({"jsonrpc": "2.0", "id": id_, "error": error})


def write_batch(messages: list[bytes]) -> bytes:
    """Combine encoded messages into one frame. Valid in one revision only; see `Revision.batches`."""
    return b"[" + b",".join(messages) + b"]"


def _write(head: dict[str, Any], params: Any) -> bytes:
    return encode({"jsonrpc": "2.0"} | head | ({} if params is None else {"params": params}))
