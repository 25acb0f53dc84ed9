"""What kind of file some bytes are, and how large a picture is, told by their first bytes alone.

A claim such as `mimeType` is not believed; nothing here decodes a picture, so nothing here can be made to swell.
Wrong or cut bytes are "unknown", never an exception.
"""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """What the header of a picture says."""

    mime_type: str
    width: int | None = None
    """Pixels; None where the header does not reach that far."""
    height: int | None = None


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


def sniff_type(data: bytes) -> str:
    """The media type of the bytes; "" if they are of no kind known here."""
    found = read_picture(data)
    if found is not None:
        return found.mime_type
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return "audio/wav"
    return next((name for signature, name in _SIGNATURES if data.startswith(signature)), "")


def disagrees(claimed: str, data: bytes) -> str:
    """The type the bytes are of, if that is not the type that was claimed for them; "" if there is no quarrel."""
    found = sniff_type(data)
    plain = claimed.partition(";")[0].strip().lower()
    return found if found and _SAME.get(plain, plain) != found else ""


def broken_picture(claimed: str, data: bytes) -> str:
    """Why the bytes can't be shown as a picture of the claimed type, half a sentence; "" if nothing speaks against it.

    Only the header is looked at, and only of kinds that are known here: whoever claims another kind is believed.
    """
    plain = claimed.partition(";")[0].strip().lower()
    if not data:
        return "there are no bytes in it"
    if _SAME.get(plain, plain) not in _WITH_HEADERS:
        return ""
    found = read_picture(data)
    if found is None:
        return f"its bytes are not {plain}, nor any other picture known here"
    return "its header is cut off" if found.width is None and found.mime_type in _WITH_HEADERS else ""


def read_picture(data: bytes) -> Picture | None:
    """What the header says; None if it is no picture of a kind known here."""
    for begins, reader in _READERS:
        if begins(data):
            try:
                return reader(data)
            except (struct.error, IndexError):
                return Picture(_type_of(reader))
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
    """Walk from marker to marker up to the one that begins the frame."""
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


_SVG = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<svg[\s>]")


def _svg(data: bytes) -> Picture:
    return Picture("image/svg+xml")


def _type_of(reader: Callable[[bytes], Picture]) -> str:
    return "image/" + reader.__name__.removeprefix("_")


_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], Picture]], ...] = (
    (lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    (lambda data: data.startswith(b"\xff\xd8\xff"), _jpeg),
    (lambda data: data[:6] in (b"GIF87a", b"GIF89a"), _gif),
    (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP", _webp),
    (lambda data: data.startswith(b"BM") and len(data) >= 14 and data[6:10] == bytes(4), _bmp),
    (lambda data: _SVG.match(data[:1000]) is not None, _svg),
)
_WITH_HEADERS = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
"""Kinds whose headers say how large the picture is."""
