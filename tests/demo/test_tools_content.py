"""Pictures and sounds of the demo are what they say they are."""

import io
import struct
import wave
import zlib
from typing import Any

import jsonschema

from inspector.demo import tools_content
from tests.demo.driving import Here


def test_the_picture_is_a_png_whose_every_checksum_fits() -> None:
    picture = tools_content.tide_picture()
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


def test_any_number_of_hours_can_be_drawn() -> None:
    assert all(map(tools_content.tide_picture, range(1, 97)))
    assert [len(tools_content.levels(hours)) for hours in range(1, 97)] == list(range(1, 97))


def test_horn_has_the_requested_length() -> None:
    with wave.open(io.BytesIO(tools_content.horn(seconds=0.25))) as sound:
        assert (sound.getnchannels(), sound.getframerate(), sound.getnframes()) == (1, 8000, 2000)


def test_the_same_picture_has_the_same_bytes() -> None:
    assert tools_content.tide_picture() == tools_content.tide_picture()


PASSAGE: dict[str, Any] = {
    "ship": {"name": "Bold Limpet"},
    "sighted_at": "2026-01-01T05:32:00Z",
    "crew": [{"name": "Ada", "role": "captain", "on_watch": True}, {"name": "Tom", "role": "cat"}],
    "cargo": {"label": "crates", "tonnes": 1.5, "inside": [{"label": "cheese", "tonnes": 2}]},
    "bound_for": {"latitude": 54.5, "longitude": -3},
}


async def test_a_passage_is_entered_and_answered_as_text_and_as_data() -> None:
    here = Here()
    result = await here.call("complex_form", **PASSAGE)
    assert result["structuredContent"] == {
        "entry": 4,
        "ship": "Bold Limpet",
        "hands": 2,
        "tonnes": 3.5,
        "bound_for": "54.50, -3.00",
        "watch": ["Ada"],
    }
    jsonschema.validate(result["structuredContent"], tools_content.TOOL.definition["outputSchema"])
    assert "Bold Limpet" in result["content"][0]["text"]
    assert "Bold Limpet" in here.station.logbook()


async def test_a_passage_without_cargo_or_course_is_one_too() -> None:
    needed = {key: PASSAGE[key] for key in tools_content.TOOL.input_schema["required"]}
    result = await Here().call("complex_form", **needed)
    jsonschema.validate(result["structuredContent"], tools_content.TOOL.definition["outputSchema"])


async def test_a_bad_passage_fails_and_is_not_entered() -> None:
    here = Here()
    result = await here.call("complex_form", ship={})
    assert result["isError"]
    assert "ship.name: is required" in result["content"][0]["text"]
    assert len(here.station.entries) == 3


def test_the_schema_holds_everything_that_a_form_has_to_draw() -> None:
    jsonschema.Draft202012Validator.check_schema(tools_content.TOOL.input_schema)
    drawn = str(tools_content.TOOL.input_schema)
    for keyword in ("oneOf", "anyOf", "const", "enum", "pattern", "format", "default", "$ref", "uniqueItems", "'null'"):
        assert keyword in drawn
