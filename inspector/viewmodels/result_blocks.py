"""The blocks of a result, one at a time: text, picture, sound, link, embedded resource, and whatever else comes.

A block of an unknown type is shown as the JSON it is. Base64 is decoded, measured and compared with what the
server claimed; nothing is opened, fetched or drawn.
"""

import base64
import binascii
from dataclasses import dataclass
from typing import Any, Literal

from inspector.protocol import peek
from inspector.protocol.apps import is_app, page_of
from inspector.protocol.jsonrpc import encode
from inspector.protocol.things import Content
from inspector.viewmodels import signs, text
from inspector.viewmodels.apps import page_facts
from inspector.viewmodels.lines import Fact, Line, fact, span
from inspector.viewmodels.pictures import broken_picture, disagrees, read_picture, sniff_type
from inspector.viewmodels.result_text import TextKind, kind_of, pretty, pretty_text

Look = Literal["plain", "json", "markdown", "image", "audio", "link", "blob"]


@dataclass(frozen=True, slots=True)
class Block:
    """One block, ready to be shown."""

    look: Look
    title: Line
    """What it is, with its size."""
    text: str = ""
    """Safe, with its line ends; JSON is laid out. "" for what has no text."""
    facts: tuple[Fact, ...] = ()
    data: bytes | None = None
    """Of a picture, a sound or a blob; None if there is none or its base64 is broken."""
    foreign: str = ""
    """The text as it came, for the clipboard and for files; not safe to show."""
    raw: Any = None
    mime_type: str = ""
    """As claimed, and as it came; "" if not said."""
    uri: str = ""
    """As it came; "" for what has none."""

    @property
    def payload(self) -> bytes:
        """What it holds: decoded bytes, a text's UTF-8, or else its JSON."""
        if self.data is not None:
            return self.data
        if self.foreign or self.look in ("plain", "markdown"):
            return self.foreign.encode("utf-8", "replace")
        return encode(self.raw)


def block_of(raw: Any, *, prefix: str = "") -> Block:
    """Make a block of any JSON. `prefix` comes first in its title, such as the role in a prompt."""
    content = Content(raw)
    match content.type:
        case "text" if content.text is not None:
            return _text(content, prefix)
        case "image" | "audio" if content.data is not None:
            return _media(content, prefix)
        case "resource_link" if content.uri:
            return _link(content, prefix)
        case "resource" if isinstance(peek.at(raw, "resource"), dict):
            return _resource(peek.at(raw, "resource"), raw, prefix or "embedded resource")
        case _:
            return _unknown(content, prefix)


def resource_block(raw: Any, listed: Any = None) -> Block:
    """Make a block of an item of a resources/read result; `listed` is its entry in resources/list, if that matters."""
    return _resource(raw, raw, "resource", listed) if isinstance(raw, dict) else _unknown(Content(raw), "")


def undecodable(raw: Any) -> str:
    """Why the data of a block, or of an item of contents, can't be decoded, half a sentence; "" if it can."""
    kind, holder = peek.text(raw, "type"), raw
    if kind in ("image", "audio"):
        data, claimed = peek.text(raw, "data"), peek.text(raw, "mimeType") or ""
        if data is None:
            return f"{kind} without data"
    else:
        holder = peek.at(raw, "resource") if kind == "resource" else raw
        data, claimed = peek.text(holder, "blob"), peek.text(holder, "mimeType") or ""
        kind = "blob"
        if data is None:
            return ""
    decoded, problem = _decoded(data)
    if decoded is not None:
        is_picture = kind == "image" or (bool(decoded) and claimed.startswith("image/"))
        problem = broken_picture(claimed, decoded) if is_picture else ""
    return f"{kind}: {problem}" if problem else ""


def json_block(value: Any, title: str) -> Block:
    """Show any JSON under a title of ours."""
    shown = pretty(value)
    return Block("json", _title(title, text.human_size(len(shown.encode("utf-8", "replace")))), shown, raw=value)


def _title(*parts: str) -> Line:
    return ((f" {signs.NOTE} ".join(part for part in parts if part), "muted"),)


def _text(content: Content, prefix: str) -> Block:
    foreign = content.text or ""
    return _text_block(foreign, "", prefix or "text", _audience(content.raw), content.raw)


def _text_block(foreign: str, mime_type: str, name: str, facts: tuple[Fact, ...], raw: Any, uri: str = "") -> Block:
    kind = kind_of(foreign, mime_type)
    shown = pretty_text(foreign) if kind is TextKind.JSON else text.visible(foreign, newlines=True)
    size = text.human_size(len(foreign.encode("utf-8", "replace")))
    called = "" if kind is TextKind.PLAIN else {"json": "JSON", "markdown": "Markdown"}[kind.value]
    empty = "" if foreign else "empty"
    title = _title(name, called, size, empty)
    return Block(kind.value, title, shown, facts, foreign=foreign, raw=raw, mime_type=mime_type, uri=uri)


def _media(content: Content, prefix: str) -> Block:
    look: Look = "image" if content.type == "image" else "audio"
    data, problem = _decoded(content.data or "")
    facts = [fact("type", content.mime_type or "not said", "text" if content.mime_type else "warning")]
    size = ""
    if data is not None:
        size = text.human_size(len(data))
        facts += _about(data, content.mime_type)
    else:
        facts.append(Fact("problem", problem, "error"))
    dimensions = next((each.value for each in facts if each.key == "pixels"), "")
    title = _title(prefix, look, text.visible(content.mime_type, limit=80), dimensions, size)
    more = _audience(content.raw)
    return Block(look, title, "", (*facts, *more), data, raw=content.raw, mime_type=content.mime_type)


def _about(data: bytes, claimed: str) -> list[Fact]:
    facts = [Fact("size", f"{len(data)} bytes")]
    picture = read_picture(data)
    if picture is not None and picture.width is not None:
        facts.append(Fact("pixels", f"{picture.width} × {picture.height}"))
    if not data:
        facts.append(Fact("problem", "there are no bytes in it", "warning"))
    elif claimed and (really := disagrees(claimed, data)):
        facts.append(Fact("problem", f"the bytes are {really}, not what is claimed", "warning"))
    elif not claimed and (really := sniff_type(data)):
        facts.append(Fact("looks like", really))
    return facts


def _decoded(data: str) -> tuple[bytes | None, str]:
    try:
        return base64.b64decode(data, validate=True), ""
    except (binascii.Error, ValueError) as error:
        return None, f"its base64 can't be decoded: {error}"


def _link(content: Content, prefix: str) -> Block:
    raw = content.raw
    facts = [fact("uri", content.uri, "target")]
    named = ("name", "title", "description", "mimeType")
    facts += [fact(key, found) for key in named if (found := peek.text(raw, key))]
    if (size := peek.integer(raw, "size")) is not None:
        facts.append(Fact("size", f"{size} bytes, claimed by server", "claimed"))
    return Block("link", _title(prefix, "resource link"), "", (*facts, *_audience(raw)), raw=raw)


def _resource(resource: dict[str, Any], raw: Any, name: str, listed: Any = None) -> Block:
    uri, mime_type = peek.text(resource, "uri") or "", peek.text(resource, "mimeType") or ""
    facts = [fact("uri", uri or "not said", "target" if uri else "warning")]
    if mime_type:
        facts.append(fact("type", mime_type))
    facts += _audience(raw)
    if is_app(resource):
        facts += page_facts(page_of(resource, listed))
    foreign = peek.text(resource, "text")
    if foreign is not None:
        return _text_block(foreign, mime_type, name, tuple(facts), raw, uri)
    blob = peek.text(resource, "blob")
    if blob is None:
        facts.append(Fact("problem", "it has neither text nor blob", "warning"))
        return Block("json", _title(name), pretty(resource), tuple(facts), raw=raw)
    data, problem = _decoded(blob)
    facts += [Fact("problem", problem, "error")] if data is None else _about(data, mime_type)
    look: Look = "image" if data and read_picture(data) else "blob"
    size = "" if data is None else text.human_size(len(data))
    title = _title(name, text.visible(mime_type, limit=80), size)
    return Block(look, title, "", tuple(facts), data, raw=raw, mime_type=mime_type, uri=uri)


def _unknown(content: Content, prefix: str) -> Block:
    kind = content.type
    if not isinstance(content.raw, dict):
        said = f"a {peek.type_name(content.raw)} where a block should be"
    elif kind in ("text", "image", "audio", "resource", "resource_link"):
        said = f"{kind} block without its content"
    else:
        said = f"unknown block {text.visible(kind, limit=80)!r}" if kind else "block without a type"
    title: Line = ((f"{prefix} {signs.NOTE} " if prefix else "", "muted"), (said, "warning"))
    return Block("json", title, pretty(content.raw), raw=content.raw)


def _audience(raw: Any) -> tuple[Fact, ...]:
    """What a block's annotations say of it, as claims."""
    found: list[Fact] = []
    for key in ("audience", "priority", "lastModified"):
        value = peek.at(raw, "annotations", key)
        if value is not None:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            found.append(Fact(key, span(shown, limit=200)[0], "claimed"))
    return tuple(found)
