"""A message as a person drafts it, right or wrong, and the bytes that come of it.

What can't be read as JSON is put in as it was typed: a draft is never refused, for broken messages are what a server
is to be tried with. What is odd about it is said beside it. Exact bytes are exact; only their HTTP headers are made.
"""

import json
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol import jsonrpc, peek
from inspector.protocol.headers import headers_for
from inspector.protocol.jsonrpc import RequestId, encode
from inspector.protocol.request_meta import ClientIdentity, stamped
from inspector.protocol.revisions._shape import Revision


class DraftKind(StrEnum):
    """What is to be sent."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    BATCH = "batch"
    """Several messages in an array; what they lack to be messages is added."""
    EXACT = "exact text"


class Draft(msgspec.Struct, frozen=True):
    """A message as it was typed."""

    kind: DraftKind = DraftKind.REQUEST
    method: str = ""
    text: str = ""
    """The params as JSON; "" for none. Of a batch the array, of exact text the whole."""
    id: str = ""
    """As JSON, or a word that is taken for a string; "" for the next free number. Of requests only."""
    stamp: bool = True
    """Whether `_meta` and HTTP headers are added as the revision wants them."""
    headers: tuple[tuple[str, str], ...] = ()
    """HTTP only: further headers, which win over those of the revision."""


class Composed(msgspec.Struct, frozen=True):
    """The bytes of a draft."""

    payload: bytes
    headers: dict[str, str]
    """Over HTTP; empty elsewhere does no harm."""
    notes: tuple[str, ...] = ()
    """What is odd about it, a sentence each: nothing of it keeps it from being sent."""


NextId = Callable[[], RequestId]
_ONE_LINE = str.maketrans("\r\n", "  ")
"""Between the values of JSON a line's end is a blank like any other; on stdio it would end the frame."""


def compose(
    draft: Draft,
    revision: Revision | None,
    client: ClientIdentity,
    next_id: NextId,
    schema_of: Callable[[str], Any] = lambda name: None,
) -> Composed:
    """The bytes and headers of a draft. `revision` None: nothing is added, as before the opening.

    `next_id` is asked for each id that the draft leaves open, `schema_of` for the input schema of a tool that is
    called, for the headers that mirror its arguments.
    """
    by = revision if draft.stamp else None
    notes: list[str] = []
    match draft.kind:
        case DraftKind.EXACT:
            payload = draft.text.encode("utf-8", "surrogatepass")
        case DraftKind.BATCH:
            payload, notes = _batch(draft, by, client, next_id)
            if revision is not None and not revision.batches:
                notes.append(f"{revision.date} has no batches.")
        case DraftKind.REQUEST | DraftKind.NOTIFICATION:
            payload, notes = _single(draft, by, client, next_id)
    return Composed(payload, _headers(payload, by, schema_of) | dict(draft.headers), (*notes, *oddities(payload)))


def draft_of(message: bytes) -> Draft:
    """A draft of a message, to be changed and sent again. The id of a request is chosen when it is sent.

    Anything but a single request or notification becomes exact text.
    """
    read = jsonrpc.read(message)
    first = read[0]
    text = message.decode("utf-8", "replace")
    if len(read) > 1 or first.defects or not isinstance(first, jsonrpc.Request | jsonrpc.Notification):
        return Draft(DraftKind.EXACT, text=text, stamp=False)
    kind = DraftKind.REQUEST if isinstance(first, jsonrpc.Request) else DraftKind.NOTIFICATION
    raw = "" if first.params_part is jsonrpc.ABSENT else first.params_part.raw.decode("utf-8", "replace")
    return Draft(kind, first.method, pretty(raw), stamp=True)


def pretty(text: str) -> str:
    """JSON with indentation; unchanged if it is invalid."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False) if text else ""
    except (ValueError, RecursionError):
        return text


def fault_in(text: str) -> str:
    """Why a text is not JSON, and where; "" if it is, or if it is empty."""
    if not text.strip():
        return ""
    try:
        json.loads(text)
    except RecursionError:
        return "it is nested too deeply to be checked"
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}"
    except ValueError as error:  # digits without end
        return str(error)
    return ""


def oddities(payload: bytes) -> tuple[str, ...]:
    """What the reader says of bytes about to be sent; nothing of a good message."""
    found: list[str] = []
    for message in jsonrpc.read(payload):
        if isinstance(message, jsonrpc.NotJsonRpc):
            found.append(f"Not a JSON-RPC message: {message.reason}.")
        found += [f"{defect[:1].upper()}{defect[1:]}." for defect in message.defects]
    ids = [message.id for message in jsonrpc.read(payload) if isinstance(message, jsonrpc.Request)]
    found += [f"The id {encode(twice).decode()} is there more than once." for twice in _twice(ids)]
    return tuple(dict.fromkeys(found))


def _twice(ids: Sequence[RequestId]) -> list[RequestId]:
    return [each for place, each in enumerate(ids) if each in ids[:place]]


def _single(
    draft: Draft, revision: Revision | None, client: ClientIdentity, next_id: NextId
) -> tuple[bytes, list[str]]:
    notes: list[str] = []
    members: list[tuple[str, bytes]] = [("jsonrpc", b'"2.0"')]
    is_request = draft.kind is DraftKind.REQUEST
    if is_request:
        members.append(("id", _id(draft.id, next_id)))
    members.append(("method", encode(draft.method)))
    if fault := fault_in(draft.text):
        notes.append(f"The params are no JSON and go out as they are: {fault}.")
        if revision is not None and is_request:
            notes.append("Nothing can be added to them.")
        members.append(("params", draft.text.encode("utf-8", "surrogatepass")))
    else:
        params = _params(draft.text, revision if is_request else None, client)
        if params is not None:
            members.append(("params", params))
    return b"{" + b",".join(encode(name) + b":" + value for name, value in members) + b"}", notes


def _params(text: str, revision: Revision | None, client: ClientIdentity) -> bytes | None:
    """Params as they were typed, byte by byte where nothing is added; None where there are none."""
    typed = text.strip()
    given = json.loads(typed) if typed else None
    made = stamped(revision, given, client)
    if made is given or made == given:
        return typed.translate(_ONE_LINE).encode("utf-8", "surrogatepass") if typed else None
    return encode(made)


def _id(typed: str, next_id: NextId) -> bytes:
    """An id as JSON: a number stays a number, even if it is not a valid id; anything but JSON is a string."""
    typed = typed.strip()
    if not typed:
        return encode(next_id())
    return encode(typed) if fault_in(typed) else typed.encode("utf-8", "surrogatepass")


def _batch(draft: Draft, revision: Revision | None, client: ClientIdentity, next_id: NextId) -> tuple[bytes, list[str]]:
    if fault := fault_in(draft.text):
        return draft.text.encode("utf-8", "surrogatepass"), [f"Invalid JSON; sent as typed: {fault}."]
    given = json.loads(draft.text) if draft.text.strip() else []
    if not isinstance(given, list):
        return encode(given), ["This is no array and goes out as it is."]
    return jsonrpc.write_batch([encode(_completed(item, revision, client, next_id)) for item in given]), []


def _completed(item: Any, revision: Revision | None, client: ClientIdentity, next_id: NextId) -> Any:
    """A message of a batch: version and id are added where they are not there; an id of null is one."""
    method = peek.text(item, "method")
    if method is None:
        return item
    made: dict[str, Any] = {"jsonrpc": "2.0"}
    is_request = "id" in item or not method.startswith("notifications/")
    if is_request:
        made["id"] = item["id"] if "id" in item else next_id()
    made |= item
    if is_request and (params := stamped(revision, item.get("params"), client)) is not None:
        made["params"] = params
    return made


def _headers(payload: bytes, revision: Revision | None, schema_of: Callable[[str], Any]) -> dict[str, str]:
    """The revision's headers of the first message that has any."""
    if revision is None:
        return {}
    for message in jsonrpc.read(payload):
        if isinstance(message, jsonrpc.Request | jsonrpc.Notification):
            schema = schema_of(peek.text(message.params, "name") or "") if message.method == "tools/call" else None
            return headers_for(revision, message.method, message.params, schema)
    return headers_for(revision, "", None) if not revision.routing_headers else {}


def header_pairs(lines: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], str]:
    """Headers from lines "Name: value", and the first invalid line; "" if there is none."""
    pairs: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or not name.strip() or not value.isprintable() or not name.strip().isascii():
            return tuple(pairs), line
        pairs.append((name.strip(), value.strip()))
    return tuple(pairs), ""
