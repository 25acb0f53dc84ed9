"""Bytes to JSON-RPC messages and back. Reading never raises: anything invalid is a message of its own kind.

The envelope is decoded fast and alone; params, result and error stay bytes until they are needed (`Part`).
A flood of notifications then costs under a microsecond each, and a 100 MB result is not turned into objects
to find out whose answer it is.

JSON-RPC 2.0: https://www.jsonrpc.org/specification
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from inspector.protocol import peek

# Long JSON made objects in pieces, none of which takes long: between them other threads have their turn.

PIECE = 128 * 1024
"""Bytes that are read at once: some milliseconds at most."""
_DEEPEST = 100
"""Levels that are taken apart; what is below is read at once."""
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])


def decode_in_pieces(raw: bytes | msgspec.Raw, level: int = 0) -> Any:
    """JSON to objects. Raises: what `msgspec.json.decode` raises."""
    first = bytes(memoryview(raw)[:64]).lstrip()[:1]
    if len(memoryview(raw)) <= PIECE or level >= _DEEPEST or first not in (b"{", b"["):
        return msgspec.json.decode(raw)
    if first == b"[":
        return _values(_ARRAY.decode(raw), level)
    members = _OBJECT.decode(raw)
    return dict(zip(members, _values(members.values(), level), strict=True))


def _values(raws: Iterable[msgspec.Raw], level: int) -> list[Any]:
    """Each read; many small ones together."""
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


RequestId = int | str
"""`1` and `"1"` are different ids; as in Python. Fractions, booleans and null are invalid; `1.0` is 1 (`peek`)."""

RESPELLED_ID = "the id is a whole number written as a fraction or with an exponent"
"""A defect of a message whose id is an integer in another spelling: `1.0`, `1e2`. It is correlated all the same."""

NULL_ERROR = '"error" is null beside a result'
"""A defect of a response that JSON-RPC 2.0 forbids (section 5). It is read as a success."""

_BOM = b"\xef\xbb\xbf"
_MOST_DIGITS = 4000
MOST_VALUES = 10_000_000
"""JSON values of one part that are made objects, at some hundred bytes each. A hundred thousand tools have fewer."""
_LONG = 1024 * 1024
"""Bytes from which on a part is read in pieces, so that other threads get the interpreter in between."""
_LARGE = 16 * 1024 * 1024
"""Bytes from which on a part is counted first, and a message is not read by the tolerant reader."""


class Part:
    """A member of a message (params, result, error): bytes as they came, decoded at the first look."""

    __slots__ = ("_raw", "_value")
    _UNREAD: ClassVar[object] = object()

    def __init__(self, raw: bytes | None, value: Any = _UNREAD) -> None:
        self._raw = raw
        self._value = value

    @property
    def value(self) -> Any:
        """The JSON value; None also where the part is too deeply nested to be read, or has too many values in it."""
        if self._value is Part._UNREAD:
            self._value = _decode_tolerantly(self._raw or b"null")
        return self._value

    @property
    def raw(self) -> bytes:
        """The exact bytes, or, where the message needed tolerant reading, an equal rendering."""
        if self._raw is None:
            self._raw = encode(self._value)
        return self._raw


ABSENT = Part(b"null", None)


def part_of(raw: msgspec.Raw | msgspec.UnsetType) -> Part:
    """A member of an envelope, which lives on without the envelope's payload."""
    return Part(bytes(raw)) if isinstance(raw, msgspec.Raw) else ABSENT


class Request(msgspec.Struct, frozen=True):
    """A message with a method and an id."""

    id: RequestId
    method: str
    params_part: Part = ABSENT
    defects: tuple[str, ...] = ()

    @property
    def params(self) -> Any:
        """Any JSON; None if absent. MCP asks for an object, servers send what they like."""
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


class Answer(msgspec.Struct, frozen=True):
    """A message with an id and a result."""

    id: RequestId
    result_part: Part
    defects: tuple[str, ...] = ()

    @property
    def result(self) -> Any:
        """Any JSON. MCP asks for an object."""
        return self.result_part.value


class ErrorAnswer(msgspec.Struct, frozen=True):
    """A message with an error. The id is None where the sender could not, or did not, say whose error it is."""

    id: RequestId | None
    error_part: Part
    defects: tuple[str, ...] = ()

    @property
    def error(self) -> Any:
        """Any JSON. JSON-RPC asks for `{code, message, data?}`."""
        return self.error_part.value

    @property
    def code(self) -> int | None:
        """None if it is not an integer."""
        return peek.integer(self.error, "code")

    @property
    def message(self) -> str:
        """The sender's own words; "" if there are none."""
        return peek.text(self.error, "message") or ""


class NotJsonRpc(msgspec.Struct, frozen=True):
    """Anything but a JSON-RPC message: a banner, a blank line, JSON of another shape, bytes of any kind."""

    reason: str
    """Why, as half a sentence: "not JSON", "a JSON string, not an object"."""
    defects: tuple[str, ...] = ()
    unread: bool = False
    """Whether it may be a message nevertheless, too deep or too large to be read here."""


Message = Request | Notification | Answer | ErrorAnswer | NotJsonRpc


class Envelope(msgspec.Struct, gc=False):
    """What most messages look like; anything else takes the tolerant way. Its raw parts live as long as the payload."""

    jsonrpc: str
    id: int | float | str | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_decode_envelope = msgspec.json.Decoder(Envelope).decode


def read(payload: bytes) -> tuple[Message, ...]:
    """The messages of a frame: one, or several for a batch, in order; never none, never an exception."""
    try:
        envelope = _decode_envelope(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read_tolerantly(payload)
    if envelope.jsonrpc != "2.0":
        return _read_tolerantly(payload)
    return (_from_envelope(envelope) or _read_tolerantly(payload)[0],)


def read_around(payload: bytes, member: str, items: Sequence[Any]) -> tuple[Message, ...] | None:
    """The answer in a frame, whose result has a member that was made objects before: `items` take its place.

    None where the frame is no plain answer, or its member is no array of so many: then `read` it.
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
    except (msgspec.DecodeError, UnicodeError, RecursionError, KeyError):
        return None
    return (Answer(envelope.id, Part(None, others | {member: list(items)})),)


def envelope_of(payload: bytes | str) -> Envelope | None:
    """The envelope of a frame that is one well-formed message as far as that tells; None for every other frame."""
    try:
        envelope = _decode_envelope(payload)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return envelope if envelope.jsonrpc == "2.0" else None


def _from_envelope(envelope: Envelope) -> Message | None:
    """The message of a well-formed envelope; None for combinations that need a closer look."""
    id_, method, unset = envelope.id, envelope.method, msgspec.UNSET
    if type(id_) is float:
        return _respelled(envelope, id_)
    if isinstance(method, str):
        if envelope.result is not unset or envelope.error is not unset:
            return None
        params = Part(bytes(envelope.params)) if isinstance(envelope.params, msgspec.Raw) else ABSENT
        if isinstance(id_, int | str):
            return Request(id_, method, params)
        return Notification(method, params)
    if isinstance(envelope.result, msgspec.Raw):
        if envelope.error is not unset or not isinstance(id_, int | str):
            return None
        return Answer(id_, Part(bytes(envelope.result)))
    if isinstance(envelope.error, msgspec.Raw) and isinstance(id_, int | str):
        return ErrorAnswer(id_, Part(bytes(envelope.error)))
    return None


def _respelled(envelope: Envelope, id_: float) -> Message | None:
    """The message of an envelope whose id is no plain integer: `1.0` and `1e2` are the JSON numbers 1 and 100."""
    whole = peek.request_id(id_)
    if whole is None:
        return None
    message = _from_envelope(msgspec.structs.replace(envelope, id=whole))
    return None if message is None else msgspec.structs.replace(message, defects=(RESPELLED_ID,))


def _read_tolerantly(payload: bytes) -> tuple[Message, ...]:
    defects: list[str] = []
    if len(payload) > _LARGE:  # a reader that makes objects of anything needs fifty times the memory of the worst
        why = f"no well-formed message, and of {len(payload):,} bytes too large to be looked into"
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
    import json  # none of what is well formed comes here

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
    """A message of whatever shape, with what is odd about it named."""
    if not isinstance(value, dict):
        return NotJsonRpc(f"a JSON {peek.type_name(value)}, not an object", tuple(defects))
    odd = list(defects)
    if value.get("jsonrpc") != "2.0":
        odd.append('"jsonrpc" is missing' if "jsonrpc" not in value else '"jsonrpc" is not "2.0"')
    id_ = _usable_id(value, odd)
    if isinstance(value.get("method"), str):
        return _call_from(value, id_, odd)
    if "result" in value and "error" in value:
        odd.append(NULL_ERROR if value["error"] is None else "both result and error")
    if isinstance(value.get("error"), dict) or ("error" in value and "result" not in value):
        return ErrorAnswer(id_, Part(None, value["error"]), tuple(odd))
    if "result" in value:
        if id_ is None:
            return NotJsonRpc("a result without a usable id", tuple(odd))
        return Answer(id_, Part(None, value["result"]), tuple(odd))
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
    """JSON to objects. What only the tolerant reader takes (lone surrogates, NaN, bad UTF-8) is taken."""
    if len(raw) > _LARGE and raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MOST_VALUES:
        return None
    try:
        return msgspec.json.decode(raw) if len(raw) < _LONG else decode_in_pieces(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    import json

    try:
        return json.loads(raw.decode("utf-8", "replace"), parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int | float:
    """Python refuses to read integers of thousands of digits; other programs take them for infinite, and so do we."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def encode(value: Any) -> bytes:
    """Compact JSON as it is sent: UTF-8, one line, members in the given order.

    A `msgspec.Raw` as a member of the outermost object is written as its bytes. Lone surrogates and integers beyond
    64 bits, which msgspec rejects, are written too.
    """
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        if isinstance(value, dict) and any(isinstance(member, msgspec.Raw) for member in value.values()):
            members = (_encode_leniently(name) + b":" + _encode_leniently(member) for name, member in value.items())
            return b"{" + b",".join(members) + b"}"
        return _encode_leniently(value)


def _encode_leniently(value: Any) -> bytes:
    import json

    return bytes(value) if isinstance(value, msgspec.Raw) else json.dumps(value, separators=(",", ":")).encode()


def write_request(id_: RequestId, method: str, params: Any = None) -> bytes:
    """A request; params None leaves the member out."""
    return _write({"id": id_, "method": method}, params)


def write_notification(method: str, params: Any = None) -> bytes:
    """A notification; params None leaves the member out."""
    return _write({"method": method}, params)


def write_answer(id_: RequestId, result: Any) -> bytes:
    """The answer to the other side's request."""
    return encode({"jsonrpc": "2.0", "id": id_, "result": result})


def write_error(id_: RequestId | None, code: int, message: str, data: Any = None) -> bytes:
    """An error as the answer to the other side's request; data None leaves the member out."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return encode({"jsonrpc": "2.0", "id": id_, "error": error})


def write_batch(messages: list[bytes]) -> bytes:
    """Several written messages as one frame. Legal in one revision alone; see `Revision.batches`."""
    return b"[" + b",".join(messages) + b"]"


def _write(head: dict[str, Any], params: Any) -> bytes:
    return encode({"jsonrpc": "2.0"} | head | ({} if params is None else {"params": params}))
