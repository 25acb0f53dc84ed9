"""The lock file: server definitions as JSON that changes only where the definitions do.

    {"format": "mcp-lock", "version": 1, "hash": …, "server": …, "revision": …, "capabilities": …, "instructions": …,
     "tools": [{"name": …, "hash": …, "value": …}, …], "resources": …, "templates": …, "prompts": …, "partial": […]}

A list that is not known is null. A hash is taken of the value as compact JSON, members in the order of their names;
one that does not match its value was edited by hand, which is reported and harmless. Members that a reader does not
know are skipped; a higher version is rejected.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from inspector.atomic_write import write_whole
from inspector.capture.format.lines import open_for_reading, read_at
from inspector.documents import UNDECODABLE
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.changes import key_of
from inspector.protocol.conversation import Conversation
from inspector.protocol.fingerprints import canonical, content_hash
from inspector.protocol.jsonrpc import encode
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions.openings import Opening

_OF_NOW: Mapping[str, tuple[str, ...]] = {"resources": ("size",)}
"""Members that describe only the current state of an item."""

FORMAT, VERSION = "mcp-lock", 1
_MOST_BYTES = 256 << 20
_LOOKS_AT = 4096


class ServerDefinitions(msgspec.Struct, frozen=True):
    """What one server offers. All of it is untrusted."""

    server: dict[str, Any] | None = None
    """The server's information about itself; None if only lists are known."""
    revision: str = ""
    """Negotiated protocol version; "" if there is none."""
    capabilities: dict[str, Any] = {}
    instructions: str = ""
    lists: dict[str, tuple[Any, ...]] = {}
    """Items by kind, ordered by key. A kind that is not known is missing."""
    partial: tuple[str, ...] = ()
    """Kinds of which the server may have more items than are listed here."""

    @property
    def is_known(self) -> bool:
        """Whether there are any definitions."""
        return self.server is not None or bool(self.lists)


def definitions_of(conversation: Conversation) -> ServerDefinitions:
    """Return the definitions that a conversation shows, in their last known state."""
    opening = conversation.opening
    listings = conversation.catalogue.listings
    known = {kind: listing for kind, listing in listings.items() if listing.asked or _has_none(kind, opening)}
    lists = {kind: items_of(kind, listing.items) for kind, listing in known.items()}
    partial = tuple(kind for kind, listing in known.items() if listing.asked and not listing.whole)
    if opening is None:
        return ServerDefinitions(lists=lists, partial=partial)
    return ServerDefinitions(
        canonical(opening.server),
        opening.revision.date,
        canonical(opening.capabilities),
        opening.instructions,
        lists,
        partial,
    )


def _has_none(kind: str, opening: Opening | None) -> bool:
    """Return whether an unrequested list is known to be empty because the server does not declare the capability."""
    return opening is not None and LISTS[kind].capability not in opening.capabilities


def items_of(kind: str, items: Iterable[Any]) -> tuple[Any, ...]:
    """Return items in canonical form and order."""
    plain = [canonical(_lasting(kind, raw)) for raw in items]
    return tuple(sorted(plain, key=lambda raw: (key_of(kind, raw), encode(raw))))


def _lasting(kind: str, raw: Any) -> Any:
    """Return the item without members that only describe the current moment."""
    if not isinstance(raw, dict):
        return raw
    kept = {name: value for name, value in raw.items() if name not in _OF_NOW.get(kind, ())}
    if isinstance(about := raw.get("annotations"), dict) and "lastModified" in about:
        kept["annotations"] = {name: value for name, value in about.items() if name != "lastModified"}
        if not kept["annotations"]:
            del kept["annotations"]
    return kept


def name_of(surface: ServerDefinitions) -> str:
    """Return the server's name; "" if there is none. Untrusted text."""
    return peek.text(surface.server, "name") or ""


def as_json(surface: ServerDefinitions) -> dict[str, Any]:
    """Return the document. Equal definitions yield byte-identical documents."""
    lists = {kind: _listed(kind, surface.lists.get(kind)) for kind in LISTS}
    about: dict[str, Any] = {
        "server": canonical(surface.server),
        "revision": surface.revision,
        "capabilities": canonical(surface.capabilities),
        "instructions": surface.instructions,
    }
    body = about | lists | ({"partial": sorted(surface.partial)} if surface.partial else {})
    return {"format": FORMAT, "version": VERSION, "hash": content_hash(body)} | body


def _listed(kind: str, items: tuple[Any, ...] | None) -> list[dict[str, Any]] | None:
    if items is None:
        return None
    return [{"name": key_of(kind, raw), "hash": content_hash(raw), "value": raw} for raw in items]


def written(surface: ServerDefinitions) -> bytes:
    """Return the document as text, indented by two blanks per level for readable diffs in version control."""
    raw = encode(as_json(surface))
    try:
        return msgspec.json.format(raw, indent=2) + b"\n"
    except msgspec.DecodeError:  # lone surrogate, which msgspec can't decode
        return json.dumps(json.loads(raw), indent=2).encode() + b"\n"


def save(path: Path, surface: ServerDefinitions) -> None:
    """Write the lock file atomically, with the default permissions of new files. Raises: UsageError."""
    write_whole(path, written(surface))


def is_lock_file(path: Path) -> bool:
    """Return whether a file is marked as a lock file. Raises: CaptureError if it can't be read."""
    fd = open_for_reading(path)
    try:
        start = read_at(fd, 0, _LOOKS_AT)
    finally:
        os.close(fd)
    return b'"mcp-lock"' in start.split(b'"server"')[0] and start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def read_lock_file(path: Path) -> tuple[ServerDefinitions, list[str]]:
    """Read a lock file. Return its definitions and its problems, one sentence each.

    Raises: UsageError if it is not a lock file.
    """
    document = _parsed(path)
    if peek.text(document, "format") != FORMAT:
        raise UsageError(f"{path} holds JSON, but no surface", hint="Write one: mcp-inspect lock -o FILE -- CMD…")
    version = peek.integer(document, "version")
    if version is None or version > VERSION:
        raise UsageError(
            f"{path} is a lock file of version {version}; mcp-inspect reads versions up to {VERSION}",
            hint="Take a newer mcp-inspect, or write the file again.",
        )
    lists, odd = {}, []
    for kind in LISTS:
        if isinstance(items := peek.at(document, kind), list):
            lists[kind] = items_of(kind, [peek.at(each, "value") for each in items])
            odd += _misfits(kind, items)
    server = peek.at(document, "server")
    surface = ServerDefinitions(
        canonical(server) if isinstance(server, dict) else None,
        peek.text(document, "revision") or "",
        canonical(peek.mapping(document, "capabilities")),
        peek.text(document, "instructions") or "",
        lists,
        tuple(kind for kind in LISTS if kind in peek.items(document, "partial")),
    )
    return surface, [f"{path}: {message}" for message in odd]


def _misfits(kind: str, items: list[Any]) -> list[str]:
    bad = [each for each in items if peek.text(each, "hash") != content_hash(peek.at(each, "value"))]
    names = ", ".join(repr((peek.text(each, "name") or "")[:60]) for each in bad[:3])
    return [f"the hashes of {len(bad)} {kind} do not fit their values ({names}): edited by hand?"] if bad else []


def _parsed(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: can't be read: {error.strerror}") from None
    if len(raw) > _MOST_BYTES:
        raise UsageError(f"{path} is larger than {_MOST_BYTES >> 20} MiB, and no surface is")
    try:
        return _decoded(raw)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}", hint="Was the file cut, or merged by hand?") from None


def _decoded(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except UNDECODABLE:
        return json.loads(raw.decode("utf-8-sig"))
