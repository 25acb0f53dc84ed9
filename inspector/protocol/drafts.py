"""Drafts of messages that the user edits, valid or not, and their encoding to bytes.

Text that is not valid JSON is inserted as typed. A draft is never rejected, because users test servers with broken
messages; notes describe what is unusual. Exact text is sent unchanged; only its HTTP headers are generated.
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

_ONE_LINE = str.maketrans("\r\n", "  ")
"""Line breaks between JSON values become spaces: on stdio a newline would end the frame."""


class DraftKind(StrEnum):
    REQUEST = "request"
    NOTIFICATION = "notification"
    BATCH = "batch"
    """Several messages in an array. Missing envelope members are added."""
    EXACT = "exact text"


class Draft(msgspec.Struct, frozen=True):
    """A message as typed by the user."""

    kind: DraftKind = DraftKind.REQUEST
    method: str = ""
    text: str = ""
    """The params as JSON, "" for none. For a batch the array; for exact text the whole message."""
    id: str = ""
    """Request id as JSON; anything but JSON is a string. "" for the next free number. Requests only."""
    stamp: bool = True
    """Whether to add `_meta` and HTTP headers as the revision requires."""
    headers: tuple[tuple[str, str], ...] = ()
    """Extra HTTP headers, which override those of the revision."""


class Composed(msgspec.Struct, frozen=True):
    """A draft encoded to bytes."""

    payload: bytes
    headers: dict[str, str]
    """HTTP headers; ignored by other transports."""
    notes: tuple[str, ...] = ()
    """Notes on unusual content, one sentence each. They never prevent sending."""


NextId = Callable[[], RequestId]


def compose(
    draft: Draft,
    revision: Revision | None,
    client: ClientIdentity,
    next_id: NextId,
    schema_of: Callable[[str], Any] = lambda name: None,
) -> Composed:
    """Encode a draft to bytes and headers. If `revision` is None (before the opening), nothing is added.

    `next_id` is called for each missing id. `schema_of` returns the input schema of the called tool, for the headers
    that mirror its arguments.
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
    """Create a draft from a message, to be edited and sent again. A request gets a new id when it is sent.

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
    """Return JSON with indentation; invalid JSON is returned unchanged."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False) if text else ""
    except (ValueError, RecursionError):
        return text


def fault_in(text: str) -> str:
    """Return why a text is not valid JSON, and where; "" if it is valid or empty."""
    if not text.strip():
        return ""
    try:
        json.loads(text)
    except RecursionError:
        return "it is nested too deeply to be checked"
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}"
    except ValueError as error:  # too many digits
        return str(error)
    return ""


def oddities(payload: bytes) -> tuple[str, ...]:
    """Return what is unusual about bytes that are about to be sent; empty for a valid message."""
    found: list[str] = []
    for message in jsonrpc.read(payload):
        if isinstance(message, jsonrpc.NotJsonRpc):
            found.append(f"Not a JSON-RPC message: {message.reason}.")
        found += [f"{defect[:1].upper()}{defect[1:]}." for defect in message.defects]
    ids = [message.id for message in jsonrpc.read(payload) if isinstance(message, jsonrpc.Request)]
    found += [
        f"The id {encode(twice).decode()} is not unique." for place, twice in enumerate(ids) if twice in ids[:place]
    ]
    return tuple(dict.fromkeys(found))


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
    """Encode the params. They are kept byte for byte if nothing is added; None if there are none."""
    typed = text.strip()
    given = json.loads(typed) if typed else None
    made = stamped(revision, given, client)
    if made is given or made == given:
        return typed.translate(_ONE_LINE).encode("utf-8", "surrogatepass") if typed else None
    return encode(made)


def _id(typed: str, next_id: NextId) -> bytes:
    """Encode an id as JSON. A number stays a number, even if it is not a valid id; anything but JSON is a string."""
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
    """Add the missing version and id to a message of a batch. An id of null is kept."""
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
    """Return the revision's headers for the first message that has any."""
    if revision is None:
        return {}
    for message in jsonrpc.read(payload):
        if isinstance(message, jsonrpc.Request | jsonrpc.Notification):
            schema = schema_of(peek.text(message.params, "name") or "") if message.method == "tools/call" else None
            return headers_for(revision, message.method, message.params, schema)
    return headers_for(revision, "", None) if not revision.routing_headers else {}


def header_pairs(lines: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], str]:
    """Parse header lines "Name: value". Return the headers and the first invalid line; "" if there is none."""
    pairs: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or not name.strip() or not value.isprintable() or not name.strip().isascii():
            return tuple(pairs), line
        pairs.append((name.strip(), value.strip()))
    return tuple(pairs), ""
