"""Pictures and sounds of the demo are what they say they are."""

import io
import struct
import wave
import zlib

import pytest

from inspector.demo import media


def test_the_picture_is_a_png_whose_every_checksum_fits() -> None:
    picture = media.tide_picture()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    names, at = [], 8
    while at < len(picture):
        (size,) = struct.unpack_from(">I", picture, at)
        chunk = picture[at + 4 : at + 8 + size]
        assert struct.unpack_from(">I", picture, at + 8 + size) == (zlib.crc32(chunk),)
        names.append(chunk[:4])
        at += 12 + size
    assert names == [b"IHDR", b"IDAT", b"IEND"]
    assert struct.unpack_from(">II", picture, 16) == (64, 40)


@pytest.mark.parametrize("hours", range(1, 97))
def test_any_number_of_hours_can_be_drawn(hours: int) -> None:
    assert media.tide_picture(hours)
    assert len(media.levels(hours)) == hours


def test_the_foghorn_is_a_sound_of_the_length_that_was_asked_for() -> None:
    with wave.open(io.BytesIO(media.horn(seconds=0.25))) as sound:
        assert (sound.getnchannels(), sound.getframerate(), sound.getnframes()) == (1, 8000, 2000)


def test_the_same_picture_has_the_same_bytes() -> None:
    assert media.tide_picture() == media.tide_picture()
