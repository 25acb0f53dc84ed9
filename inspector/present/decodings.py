"""What a string or a number may stand for: JSON in a string, base64, a data URI, a token, a time. Each is a guess."""

import base64
import binascii
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal, TypeAlias
from urllib.parse import unquote_to_bytes

import msgspec

from inspector.documents import UNDECODABLE
from inspector.present.blocks import read_picture, sniff_type
from inspector.present.json_text import LARGEST as SCANNED
from inspector.present.json_text import ScanError, scan
from inspector.text import human_size, visible

DecodedForm: TypeAlias = Literal["json", "text", "bytes", "picture"]

LARGEST = 32_000_000
"""Maximum length of a string that is decoded, in characters."""
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]++={0,2}")
_URL_BASE64 = re.compile(r"[A-Za-z0-9_-]+={0,2}")
_JWT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)")
_DATA_URI = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")
_CLAIMED_TIMES = ("exp", "nbf", "iat", "auth_time")
_UNITS = ((1, "seconds"), (1_000, "milliseconds"), (1_000_000, "microseconds"), (1_000_000_000, "nanoseconds"))
_EARLIEST, _LATEST = 315_532_800, 4_102_444_800
"""Range of seconds that are interpreted as a time: the years 1980 to 2099."""


class Decoding(msgspec.Struct, frozen=True):
    """One way to decode a value."""

    name: str
    """"JSON", "base64", "data URI", "JWT", "URL-encoded", "time"."""
    facts: tuple[str, ...]
    """Known facts, each a short safe text."""
    payload: bytes
    look: DecodedForm
    """Suggested view."""
    warning: str = ""
    """Caveat for the user."""


def readings(value: bytes, now_s: float | None = None) -> list[Decoding]:
    """Return the possible decodings of a JSON value, the likeliest first; empty if there are none.

    `now_s`, in seconds since 1970, is used to show whether a token has expired; None omits that.
    """
    text = _string(value)
    if text is None:
        number = value.strip()
        return list(_times(number.decode())) if re.fullmatch(rb"\d{9,19}(\.\d+)?", number) else []
    return read_text(text, now_s)


def read_text(text: str, now_s: float | None = None) -> list[Decoding]:
    """Return the possible decodings of the text of a string. See `readings`."""
    if not text or len(text) > LARGEST:
        return []
    found: list[Decoding] = []
    for reader in (_json, _data_uri, lambda given: _jwt(given, now_s), _base64, _url_encoded, _times):
        found += reader(text)
    return found


def too_large(value: bytes) -> str:
    """Return why a value is too large to decode, as a sentence; "" if it is not."""
    if len(value) <= LARGEST:
        return ""
    return f"{human_size(len(value))} exceed the limit of {human_size(LARGEST)}."


def _string(value: bytes) -> str | None:
    """Return the text of a JSON string; None for other values. Unpaired surrogates are kept."""
    if not value.startswith(b'"'):
        return None
    try:
        return msgspec.json.decode(value, type=str)
    except UNDECODABLE:
        body = value[1:-1].decode("utf-8", "replace")
        return re.sub(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])', _unescape, body)


def _unescape(found: re.Match[str]) -> str:
    escape = found.group(1)
    if escape[0] == "u" and len(escape) == 5:
        return chr(int(escape[1:], 16))
    return {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(escape, escape)


def _json(text: str) -> Iterator[Decoding]:
    stripped = text.strip()
    if stripped[:1] not in ("{", "[", '"') or len(stripped) < 2:
        return
    raw = stripped.encode("utf-8", "replace")
    if _is_json(raw):
        yield Decoding("JSON", (f"in a string of {human_size(len(raw))}",), raw, "json")


def _is_json(raw: bytes) -> bool:
    try:
        msgspec.json.format(raw, indent=-1)
    except UNDECODABLE:
        return len(raw) <= SCANNED and _is_scanned(raw)
    return True


def _is_scanned(raw: bytes) -> bool:
    try:
        scan(raw)
    except ScanError:
        return False
    return True


def _data_uri(text: str) -> Iterator[Decoding]:
    found = _DATA_URI.match(text)
    if found is None:
        return
    claimed = found.group(1) or "text/plain"
    rest = text[found.end() :]
    if found.group(2).lower().endswith(";base64"):
        data = _decoded(rest)
        if data is None:
            return
    else:
        data = unquote_to_bytes(rest)
    yield _of_data("data URI", data, f"declared as {visible(claimed, limit=80)}")


def _base64(text: str) -> Iterator[Decoding]:
    text = text.strip()
    if len(text) < 8:
        return
    ordinary = _BASE64.fullmatch(text)
    if not ordinary and not _URL_BASE64.fullmatch(text):
        return
    data = _decoded(text)
    if data and (sniff_type(data) or _likely(text, data)):
        yield _of_data("base64" if ordinary else "base64url", data)


def _likely(text: str, data: bytes) -> bool:
    """Whether text that is valid base64 is probably meant as such: most words and names are valid."""
    if len(text.rstrip("=")) % 4 == 1:
        return False
    if text.endswith("="):
        return True
    if _readable(data[:1000]) and any(char.isupper() for char in text) and any(char.islower() for char in text):
        return True
    return len(text) >= 64 and len(set(text)) >= 24 and not re.fullmatch(r"[0-9a-f\s-]+|[0-9A-F\s-]+", text)


def _readable(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if error.start < len(data) - 3:
            return False
        text = data[: error.start].decode()
    return all(char.isprintable() or char in "\n\r\t" for char in text)


def _decoded(text: str) -> bytes | None:
    """Decode base64 in either alphabet, padded or not; None if it is invalid."""
    packed = re.sub(r"\s+", "", text).rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _of_data(name: str, data: bytes, *facts: str) -> Decoding:
    """Return decoded bytes with the view that fits their content."""
    kind = sniff_type(data)
    picture = read_picture(data)
    known = [*facts, f"{len(data):,} bytes"]
    if kind:
        known.append(f"looks like {kind}")
    if picture is not None and picture.width and picture.height:
        known.append(f"{picture.width} × {picture.height}")
    if picture is not None and kind != "image/svg+xml":
        return Decoding(name, tuple(known), data, "picture")
    if data.lstrip()[:1] in (b"{", b"[") and _is_json(data.strip()):
        return Decoding(name, (*known, "JSON"), data.strip(), "json")
    return Decoding(name, tuple(known), data, "text" if _readable(data[:100_000]) else "bytes")


def _jwt(text: str, now_s: float | None) -> Iterator[Decoding]:
    stripped = text.strip()
    stripped = stripped[7:].strip() if stripped[:7].lower() == "bearer " else stripped
    found = _JWT.fullmatch(stripped)
    if found is None:
        return
    header, claims = (_decoded(part) for part in found.group(1, 2))
    if not header or not claims or not header.startswith(b"{") or not claims.startswith(b"{"):
        return
    if not _is_json(header) or not _is_json(claims):
        return
    signed = "signed" if found.group(3) else "without a signature"
    payload = b'{"header":' + header + b',"claims":' + claims + b"}"
    facts = (signed, *_claimed_times(claims, now_s))
    yield Decoding("JWT", facts, payload, "json", "not verified")


def _claimed_times(claims: bytes, now_s: float | None) -> Iterator[str]:
    try:
        known = msgspec.json.decode(claims)
    except msgspec.MsgspecError:
        return
    for name in _CLAIMED_TIMES:
        seconds = known.get(name)
        if isinstance(seconds, int | float) and (written := _moment(float(seconds))):
            over = name == "exp" and now_s is not None and seconds < now_s
            yield f"{name} {written}{', expired' if over else ''}"


def _url_encoded(text: str) -> Iterator[Decoding]:
    """Decode one layer of escapes; `+` is kept, because it means a space only in forms."""
    if not _ESCAPED.search(text):
        return
    data = unquote_to_bytes(text.encode("utf-8", "replace"))
    if _readable(data[:100_000]):
        look: DecodedForm = "json" if data.lstrip()[:1] in (b"{", b"[") and _is_json(data.strip()) else "text"
        yield Decoding("URL-encoded", (f"{len(data):,} bytes",), data, look)


def _times(text: str) -> Iterator[Decoding]:
    if not re.fullmatch(r"\d{9,19}(\.\d{1,9})?", text):
        return
    for factor, unit in _UNITS:
        seconds = float(text) / factor
        if _EARLIEST <= seconds < _LATEST:
            written = _moment(seconds)
            yield Decoding("time", (f"{unit} since 1970",), written.encode(), "text")


def _moment(seconds: float) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, OSError, ValueError):
        return ""
