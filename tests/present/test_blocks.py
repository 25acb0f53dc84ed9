"""Detection of content types by the first bytes."""

import base64
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.present import blocks
from inspector.present.blocks import (
    ContentBlock,
    Picture,
    TextKind,
    block_of,
    disagrees,
    json_block,
    kind_of,
    pretty,
    pretty_text,
    read_picture,
    resource_block,
    sniff_type,
    sounds_like_an_error,
)
from inspector.present.spans import plain

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
def test_picture_header_has_kind_and_size(data: bytes, picture: Picture | None) -> None:
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
def test_sniff_type_recognizes_first_bytes(data: bytes, kind: str) -> None:
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


def _facts(block: ContentBlock) -> dict[str, str]:
    return {each.key: each.value for each in block.facts}


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("text", "look", "title", "shown"),
    [
        ("hello", "plain", "text · 5 B", "hello"),
        ('{"a":1}', "json", "text · JSON · 7 B", '{\n  "a": 1\n}'),
        ("# A\n- b", "markdown", "text · Markdown · 7 B", "# A\n- b"),
        ("", "plain", "text · 0 B · empty", ""),
        ("a\x1b[2J\nb", "plain", "text · 7 B", "a␛[2J\nb"),
    ],
)
def test_text_is_shown_by_its_kind(text: str, look: str, title: str, shown: str) -> None:
    block = block_of({"type": "text", "text": text})
    assert (block.look, plain(block.title), block.text, block.foreign) == (look, title, shown, text)


def test_picture_block_has_its_size_undecoded() -> None:
    block = block_of({"type": "image", "data": _b64(PNG), "mimeType": "image/png"})
    assert (block.look, block.data) == ("image", PNG)
    assert plain(block.title) == "image · image/png · 640 × 480 · 29 B"
    assert "problem" not in _facts(block)


def test_mismatched_picture_type_is_a_problem() -> None:
    block = block_of({"type": "image", "data": _b64(JPEG), "mimeType": "image/png"})
    assert _facts(block)["problem"] == "the data is image/jpeg, not as declared"
    assert block.data == JPEG


def test_broken_base64_is_a_problem_and_not_the_end() -> None:
    block = block_of({"type": "audio", "data": "%%%", "mimeType": "audio/wav"})
    assert block.data is None
    assert _facts(block)["problem"].startswith("invalid base64")
    assert _facts(block_of({"type": "audio", "data": "", "mimeType": "audio/wav"}))["problem"] == ("it is empty")


def test_a_link_stays_a_text() -> None:
    block = block_of({"type": "resource_link", "uri": "file:///a\x1b", "name": "a", "size": 7})
    assert block.look == "link"
    assert _facts(block) == {"uri": "file:///a␛", "name": "a", "size": "7 bytes (reported)"}


def test_embedded_resources_show_text_or_facts() -> None:
    text = block_of({"type": "resource", "resource": {"uri": "a://b", "text": "hi", "mimeType": "text/plain"}})
    assert (plain(text.title), text.text, _facts(text)["uri"]) == ("embedded resource · 2 B", "hi", "a://b")
    blob = block_of({"type": "resource", "resource": {"uri": "a://b", "blob": _b64(b"%PDF-1.7"), "mimeType": "x/y"}})
    assert (blob.look, blob.data) == ("blob", b"%PDF-1.7")
    assert _facts(blob)["problem"] == "the data is application/pdf, not as declared"
    picture = resource_block({"uri": "a://b", "blob": _b64(PNG)})
    assert (picture.look, _facts(picture)["pixels"]) == ("image", "640 × 480")
    neither = resource_block({"uri": "a://b"})
    assert _facts(neither)["problem"] == "neither text nor blob"


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ({"type": "hologram", "x": 1}, "unknown block 'hologram'"),
        ({"x": 1}, "block without a type"),
        ({"type": "text"}, "text block without content"),
        ({"type": "text", "text": 7}, "text block without content"),
        ({"type": "resource", "resource": "no"}, "resource block without content"),
        ("words", "a string instead of a block"),
        (None, "a null instead of a block"),
    ],
)
def test_unknown_block_is_shown_as_json(raw: Any, title: str) -> None:
    block = block_of(raw)
    assert (block.look, plain(block.title), block.raw) == ("json", title, raw)
    assert block.text


def test_annotations_are_claims() -> None:
    block = block_of({"type": "text", "text": "x", "annotations": {"audience": ["user"], "priority": 0.5}})
    assert [(each.key, each.value, each.role) for each in block.facts] == [
        ("audience", "user", "claimed"),
        ("priority", "0.5", "claimed"),
    ]


def test_any_json_can_be_a_block() -> None:
    assert json_block([1], "data").text == "[\n  1\n]"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
_BLOCK = st.dictionaries(
    st.sampled_from(["type", "text", "data", "mimeType", "uri", "resource", "blob", "annotations", "name", "size"]),
    st.sampled_from(["text", "image", "audio", "resource", "resource_link"]) | _JSON,
)


@given(_BLOCK | _JSON)
def test_no_block_is_too_strange(raw: Any) -> None:
    for block in (block_of(raw), resource_block(raw)):
        assert plain(block.title).isprintable()
        assert all(line.isprintable() for line in block.text.split("\n"))
        assert all(each.value.isprintable() for each in block.facts)


@pytest.mark.parametrize(
    ("text", "mime_type", "kind"),
    [
        ('{"a": 1}', "", TextKind.JSON),
        (" [1, 2]\n", "text/plain", TextKind.JSON),
        ("[not json]", "", TextKind.PLAIN),
        ("{}{}", "", TextKind.PLAIN),
        ("7", "", TextKind.PLAIN),
        ("# Title\n\n- one\n- two", "", TextKind.MARKDOWN),
        ("a **bold** word and `code`", "", TextKind.MARKDOWN),
        ("plain words", "text/markdown; charset=utf-8", TextKind.MARKDOWN),
        ("# one\n- two", "text/x-python", TextKind.PLAIN),
        ("1. a sentence with one number", "", TextKind.PLAIN),
        ("", "", TextKind.PLAIN),
        ("[" * 100_000 + "]" * 100_000, "", TextKind.PLAIN),
    ],
)
def test_the_kind_is_guessed_from_text_and_media_type(text: str, mime_type: str, kind: TextKind) -> None:
    assert kind_of(text, mime_type) is kind


def test_a_text_too_long_to_look_through_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MOST_SNIFFED", 4)
    assert kind_of("[1,2]") is TextKind.PLAIN
    assert kind_of("[12]") is TextKind.JSON


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Error: no such file", True),
        ("Traceback (most recent call last):\n", True),
        ("ValueError: x", True),
        ("Failed to open", True),
        ("Error-free since 2020", True),
        ("error free", False),
        ("Errors are listed below", False),
        ("All went well", False),
    ],
)
def test_the_report_of_a_failure_is_known_by_its_first_words(text: str, is_one: bool) -> None:
    assert sounds_like_an_error(text) is is_one


def test_json_is_laid_out_and_cannot_act() -> None:
    assert pretty({"b": [1, "\x9b"], "a": {}}) == '{\n  "b": [\n    1,\n    "‹U+009B›"\n  ],\n  "a": {}\n}'
    assert pretty_text('{"a":1.0}') == '{\n  "a": 1.0\n}'
    assert pretty_text("no json \x1b") == "no json ␛"


def test_pretty_survives_unencodable_values() -> None:
    deep: list[object] = []
    for _ in range(1_000_000):
        deep = [deep]
    assert pretty("\ud800") == '"\\ud800"'
    assert pretty(deep) == "(nested too deeply)"
    assert pretty(10**400).startswith("1000")
