"""What bytes are, told by their beginning."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.pictures import Picture, disagrees, read_picture, sniff_type

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 640, 480, 8, 6, 0, 0, 0)
GIF = b"GIF89a" + struct.pack("<HH", 10, 20)
BMP = b"BM" + struct.pack("<IHHIIii", 70, 0, 0, 54, 40, 32, -16)
JPEG = (
    b"\xff\xd8"
    + b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    + b"\xff\xc4\x00\x04ab"
    + b"\xff\xc2\x00\x0b\x08\x01\xe0\x02\x80\x01\x01\x11\x00"
)
_VP8X = b"WEBPVP8X" + struct.pack("<I4x", 10) + (99).to_bytes(3, "little") + (49).to_bytes(3, "little")
_VP8L = b"WEBPVP8L" + struct.pack("<IBI", 10, 0x2F, 99 | 49 << 14)
_VP8 = b"WEBPVP8 " + struct.pack("<I3s3sHH", 10, b"\x00\x00\x00", b"\x9d\x01\x2a", 100, 50)


def _riff(rest: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(rest)) + rest


@pytest.mark.parametrize(
    ("data", "picture"),
    [
        (PNG, Picture("image/png", 640, 480)),
        (GIF, Picture("image/gif", 10, 20)),
        (BMP, Picture("image/bmp", 32, 16)),
        (JPEG, Picture("image/jpeg", 640, 480)),
        (_riff(_VP8X), Picture("image/webp", 100, 50)),
        (_riff(_VP8L), Picture("image/webp", 100, 50)),
        (_riff(_VP8), Picture("image/webp", 100, 50)),
        (_riff(b"WEBPVP9 "), Picture("image/webp")),
        (b'<?xml version="1.0"?>\n<!-- a lamp --><svg xmlns="x">', Picture("image/svg+xml")),
        (PNG[:18], Picture("image/png")),
        (JPEG[:30], Picture("image/jpeg")),
        (b"\xff\xd8\xff\xe0\x00\x00zzz", Picture("image/jpeg")),
        (_riff(_VP8X[:14]), Picture("image/webp")),
        (b"plain", None),
        (b"", None),
    ],
)
def test_a_header_tells_kind_and_size(data: bytes, picture: Picture | None) -> None:
    assert read_picture(data) == picture


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (_riff(b"WAVEfmt "), "audio/wav"),
        (b"OggS\x00", "audio/ogg"),
        (b"ID3\x04", "audio/mpeg"),
        (b"fLaC", "audio/flac"),
        (b"%PDF-1.7", "application/pdf"),
        (GIF, "image/gif"),
        (b"hello", ""),
    ],
)
def test_other_kinds_are_told_by_their_first_bytes(data: bytes, kind: str) -> None:
    assert sniff_type(data) == kind


def test_only_what_is_known_to_be_another_kind_contradicts_a_claim() -> None:
    assert disagrees("image/png", JPEG) == "image/jpeg"
    assert disagrees("image/jpg; q=1", JPEG) == ""
    assert disagrees("Audio/X-WAV", _riff(b"WAVE")) == ""
    assert disagrees("image/png", b"who knows") == ""


@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFFxxxxWEBPVP8 ", b"BM"]),
    st.binary(max_size=80),
)
def test_no_bytes_are_too_strange(begin: bytes, rest: bytes) -> None:
    sniff_type(begin + rest)
