"""Content blocks of a result: text, picture, sound, link, embedded resource, and unknown types.

A block of an unknown type is shown as its JSON. Base64 is decoded, measured and compared with what the server
claimed; nothing is opened, fetched or rendered.
"""

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import msgspec

from inspector import text
from inspector.documents import UNDECODABLE
from inspector.present import spans
from inspector.present.items import page_facts
from inspector.present.spans import Fact, Line, fact, span
from inspector.protocol import peek
from inspector.protocol.apps import is_app, page_of
from inspector.protocol.jsonrpc import encode
from inspector.protocol.listed_items import MEDIA, Content
from inspector.protocol.revisions.table import NEWEST

# The kind of a text: JSON, Markdown or plain. It is a guess that changes the rendering, never the text.

MOST_SNIFFED = 2_000_000
"""Characters; a longer text is treated as plain."""

_MARKDOWN = re.compile(
    r"^(?:\#{1,6}\ \S|```|~~~|>\ \S|[-*+]\ \S|\d{1,3}[.)]\ \S|\|.{1,200}\|\s*$)"  # headings, fences, lists, tables
    r"|\*\*[^*\n]{1,200}\*\*|\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)|`[^`\n]{1,200}`",  # bold, links, code
    re.MULTILINE | re.VERBOSE,
)
_TRACEBACK = re.compile(
    r"\s*(?:\w*(?:error|exception)\b\s*[:\]]|traceback \(most recent call last\)|error\b(?! ?free)|failed to )",
    re.IGNORECASE,
)
_SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
)
_SAME = {
    "image/jpg": "image/jpeg",
    "image/x-ms-bmp": "image/bmp",
    "image/x-bmp": "image/bmp",
    "audio/mp3": "audio/mpeg",
    "audio/wave": "audio/wav",
    "audio/x-wav": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-flac": "audio/flac",
}
_SVG = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<svg[\s>]")
_WITH_HEADERS = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
"""Types whose headers contain the size of the picture."""


class TextKind(StrEnum):
    """How to render a text."""

    PLAIN = "plain"
    JSON = "json"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class Picture:
    """Header of a picture."""

    mime_type: str
    width: int | None = None
    """Pixels; None if the data ends before them."""
    height: int | None = None


BlockLook = Literal["plain", "json", "markdown", "image", "audio", "link", "blob"]


@dataclass(frozen=True, slots=True)
class ContentBlock:
    """One block, ready to be shown."""

    look: BlockLook
    title: Line
    """Type of the block and its size."""
    text: str = ""
    """Safe to show, with its line ends; JSON is laid out. "" for a block without text."""
    facts: tuple[Fact, ...] = ()
    data: bytes | None = None
    """Decoded bytes of a picture, a sound or a blob; None if there are none or the base64 is broken."""
    foreign: str = ""
    """The text as received, for the clipboard and for files; not safe to show."""
    raw: Any = None
    mime_type: str = ""
    """Claimed media type, as received; "" if missing."""
    uri: str = ""
    """As received; "" if there is none."""

    @property
    def payload(self) -> bytes:
        """Content as bytes: the decoded data, the text as UTF-8, or else the JSON."""
        if self.data is not None:
            return self.data
        if self.foreign or self.look in ("plain", "markdown"):
            return self.foreign.encode("utf-8", "replace")
        return encode(self.raw)


def kind_of(foreign: str, mime_type: str = "") -> TextKind:
    """Guess the kind; trust a media type that names one unless the text contradicts it."""
    plain = mime_type.partition(";")[0].strip().lower()
    if len(foreign) > MOST_SNIFFED:
        return TextKind.PLAIN
    stripped = foreign.strip()
    if stripped[:1] + stripped[-1:] in ("{}", "[]") and peek.is_json(stripped):
        return TextKind.JSON
    if plain in ("text/markdown", "text/x-markdown"):
        return TextKind.MARKDOWN
    if plain and plain != "text/plain":
        return TextKind.PLAIN
    return TextKind.MARKDOWN if len(_MARKDOWN.findall(foreign[:20_000])) >= 2 else TextKind.PLAIN


def sounds_like_an_error(foreign: str) -> bool:
    """Whether a text begins like an error report."""
    return _TRACEBACK.match(foreign[:200]) is not None


def pretty(value: Any) -> str:
    """Return JSON over several lines, members in the given order, safe to show."""
    try:
        raw = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except (UnicodeError, OverflowError, RecursionError, msgspec.MsgspecError, TypeError):
        raw = _tolerant(value)
    return text.visible(raw, newlines=True)


def pretty_text(foreign: str) -> str:
    """Return JSON text like `pretty`, with numbers as written; other text only becomes safe to show."""
    try:
        raw = msgspec.json.format(foreign.strip().encode(), indent=2).decode()
    except UNDECODABLE:
        raw = foreign
    return text.visible(raw, newlines=True)


def _tolerant(value: Any) -> str:
    try:
        return json.dumps(value, indent=2)
    except (ValueError, RecursionError, TypeError):
        return "(nested too deeply)"


# The type of a file and the size of a picture, from the first bytes alone.


def sniff_type(data: bytes) -> str:
    """Return the media type of the bytes; "" if it is unknown."""
    found = read_picture(data)
    if found is not None:
        return found.mime_type
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return "audio/wav"
    return next((name for signature, name in _SIGNATURES if data.startswith(signature)), "")


def disagrees(claimed: str, data: bytes) -> str:
    """Return the detected type of the bytes if it contradicts the claimed one; "" otherwise."""
    found = sniff_type(data)
    plain = claimed.partition(";")[0].strip().lower()
    return found if found and _SAME.get(plain, plain) != found else ""


def broken_picture(claimed: str, data: bytes) -> str:
    """Return why the bytes can't be shown as a picture of the claimed type, as half a sentence; "" if they can.

    Only the header is checked, and only for known types; claims of other types are trusted.
    """
    plain = claimed.partition(";")[0].strip().lower()
    if not data:
        return "it is empty"
    if _SAME.get(plain, plain) not in _WITH_HEADERS:
        return ""
    found = read_picture(data)
    if found is None:
        return f"the data is not {plain} or another known image format"
    return "its header is truncated" if found.width is None and found.mime_type in _WITH_HEADERS else ""


def read_picture(data: bytes) -> Picture | None:
    """Read the header of a picture; None if it is not of a known kind."""
    for begins, reader in _READERS:
        if begins(data):
            try:
                return reader(data)
            except (struct.error, IndexError):
                return Picture("image/" + reader.__name__.removeprefix("_"))
    return None


def _png(data: bytes) -> Picture:
    width, height = struct.unpack_from(">II", data, 16)
    return Picture("image/png", width, height)


def _gif(data: bytes) -> Picture:
    width, height = struct.unpack_from("<HH", data, 6)
    return Picture("image/gif", width, height)


def _bmp(data: bytes) -> Picture:
    width, height = struct.unpack_from("<ii", data, 18)
    return Picture("image/bmp", abs(width), abs(height))


def _jpeg(data: bytes) -> Picture:
    at = 2
    while True:
        marker, length = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if data[at] != 0xFF or length < 2:
            return Picture("image/jpeg")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return Picture("image/jpeg", width, height)
        at += 2 + length


def _webp(data: bytes) -> Picture:
    match data[12:16]:
        case b"VP8X":
            width = 1 + int.from_bytes(data[24:27], "little")
            height = 1 + int.from_bytes(data[27:30], "little")
            return Picture("image/webp", width, height) if len(data) >= 30 else Picture("image/webp")
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", data, 21)
            return Picture("image/webp", 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return Picture("image/webp", width & 0x3FFF, height & 0x3FFF)
        case _:
            return Picture("image/webp")


_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], Picture]], ...] = (
    (lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    (lambda data: data.startswith(b"\xff\xd8\xff"), _jpeg),
    (lambda data: data[:6] in (b"GIF87a", b"GIF89a"), _gif),
    (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP", _webp),
    (lambda data: data.startswith(b"BM") and len(data) >= 14 and data[6:10] == bytes(4), _bmp),
    (lambda data: _SVG.match(data[:1000]) is not None, lambda _: Picture("image/svg+xml")),
)


def block_of(raw: Any, *, prefix: str = "") -> ContentBlock:
    """Make a block of any JSON. `prefix` begins its title, such as the role in a prompt."""
    content = Content(raw)
    match content.type:
        case "text" if content.text is not None:
            return _text(content, prefix)
        case kind if kind in MEDIA and content.data is not None:
            return _media(content, prefix)
        case "resource_link" if content.uri:
            return _link(content, prefix)
        case "resource" if isinstance(peek.at(raw, "resource"), dict):
            return _resource(peek.at(raw, "resource"), raw, prefix or "embedded resource")
        case _:
            return _unknown(content, prefix)


def resource_block(raw: Any, listed: Any = None) -> ContentBlock:
    """Make a block of an item of a resources/read result; `listed` is its entry in resources/list, if needed."""
    return _resource(raw, raw, "resource", listed) if isinstance(raw, dict) else _unknown(Content(raw), "")


def undecodable(raw: Any) -> str:
    """Return why the data of a block or contents item can't be decoded, as half a sentence; "" if it can."""
    kind, holder = peek.text(raw, "type"), raw
    if kind in MEDIA:
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


def json_block(value: Any, title: str) -> ContentBlock:
    """Make a block that shows any JSON under a title of ours."""
    shown = pretty(value)
    return ContentBlock("json", _title(title, text.human_size(len(shown.encode("utf-8", "replace")))), shown, raw=value)


def _title(*parts: str) -> Line:
    return ((f" {spans.NOTE} ".join(part for part in parts if part), "muted"),)


def _text(content: Content, prefix: str) -> ContentBlock:
    foreign = content.text or ""
    return _text_block(foreign, "", prefix or "text", _audience(content.raw), content.raw)


def _text_block(
    foreign: str, mime_type: str, name: str, facts: tuple[Fact, ...], raw: Any, uri: str = ""
) -> ContentBlock:
    kind = kind_of(foreign, mime_type)
    shown = pretty_text(foreign) if kind is TextKind.JSON else text.visible(foreign, newlines=True)
    size = text.human_size(len(foreign.encode("utf-8", "replace")))
    called = "" if kind is TextKind.PLAIN else {"json": "JSON", "markdown": "Markdown"}[kind.value]
    empty = "" if foreign else "empty"
    title = _title(name, called, size, empty)
    return ContentBlock(kind.value, title, shown, facts, foreign=foreign, raw=raw, mime_type=mime_type, uri=uri)


def _media(content: Content, prefix: str) -> ContentBlock:
    look: BlockLook = next(each for each in MEDIA if each == content.type)
    data, problem = _decoded(content.data or "")
    facts = [fact("type", content.mime_type or "not specified", "text" if content.mime_type else "warning")]
    size = ""
    if data is not None:
        size = text.human_size(len(data))
        facts += _about(data, content.mime_type)
    else:
        facts.append(Fact("problem", problem, "error"))
    dimensions = next((each.value for each in facts if each.key == "pixels"), "")
    title = _title(prefix, look, text.visible(content.mime_type, limit=80), dimensions, size)
    more = _audience(content.raw)
    return ContentBlock(look, title, "", (*facts, *more), data, raw=content.raw, mime_type=content.mime_type)


def _about(data: bytes, claimed: str) -> list[Fact]:
    facts = [Fact("size", f"{len(data)} bytes")]
    picture = read_picture(data)
    if picture is not None and picture.width is not None:
        facts.append(Fact("pixels", f"{picture.width} × {picture.height}"))
    if not data:
        facts.append(Fact("problem", "it is empty", "warning"))
    elif claimed and (really := disagrees(claimed, data)):
        facts.append(Fact("problem", f"the data is {really}, not as declared", "warning"))
    elif not claimed and (really := sniff_type(data)):
        facts.append(Fact("looks like", really))
    return facts


def _decoded(data: str) -> tuple[bytes | None, str]:
    try:
        return base64.b64decode(data, validate=True), ""
    except (binascii.Error, ValueError) as error:
        return None, f"invalid base64: {error}"


def _link(content: Content, prefix: str) -> ContentBlock:
    raw = content.raw
    facts = [fact("uri", content.uri, "target")]
    named = ("name", "title", "description", "mimeType")
    facts += [fact(key, found) for key in named if (found := peek.text(raw, key))]
    if (size := peek.integer(raw, "size")) is not None:
        facts.append(Fact("size", f"{size} bytes (reported)", "claimed"))
    return ContentBlock("link", _title(prefix, "resource link"), "", (*facts, *_audience(raw)), raw=raw)


def _resource(resource: dict[str, Any], raw: Any, name: str, listed: Any = None) -> ContentBlock:
    uri, mime_type = peek.text(resource, "uri") or "", peek.text(resource, "mimeType") or ""
    facts = [fact("uri", uri or "not specified", "target" if uri else "warning")]
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
        facts.append(Fact("problem", "neither text nor blob", "warning"))
        return ContentBlock("json", _title(name), pretty(resource), tuple(facts), raw=raw)
    data, problem = _decoded(blob)
    facts += [Fact("problem", problem, "error")] if data is None else _about(data, mime_type)
    look: BlockLook = "image" if data and read_picture(data) else "blob"
    size = "" if data is None else text.human_size(len(data))
    title = _title(name, text.visible(mime_type, limit=80), size)
    return ContentBlock(look, title, "", tuple(facts), data, raw=raw, mime_type=mime_type, uri=uri)


def _unknown(content: Content, prefix: str) -> ContentBlock:
    kind = content.type
    if not isinstance(content.raw, dict):
        message = f"a {peek.type_name(content.raw)} instead of a block"
    elif kind in NEWEST.content_types:
        message = f"{kind} block without content"
    else:
        message = f"unknown block {text.visible(kind, limit=80)!r}" if kind else "block without a type"
    title: Line = ((f"{prefix} {spans.NOTE} " if prefix else "", "muted"), (message, "warning"))
    return ContentBlock("json", title, pretty(content.raw), raw=content.raw)


def _audience(raw: Any) -> tuple[Fact, ...]:
    """Return a block's annotations as facts, marked as claims."""
    found: list[Fact] = []
    for key in ("audience", "priority", "lastModified"):
        value = peek.at(raw, "annotations", key)
        if value is not None:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            found.append(Fact(key, span(shown, limit=200)[0], "claimed"))
    return tuple(found)
