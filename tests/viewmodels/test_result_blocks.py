"""The blocks of a result, as they are shown."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.lines import plain
from inspector.viewmodels.result_blocks import Block, block_of, json_block, resource_block
from tests.viewmodels.test_pictures import JPEG, PNG


def _facts(block: Block) -> dict[str, str]:
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


def test_a_picture_tells_its_size_without_being_opened() -> None:
    block = block_of({"type": "image", "data": _b64(PNG), "mimeType": "image/png"})
    assert (block.look, block.data) == ("image", PNG)
    assert plain(block.title) == "image · image/png · 640 × 480 · 29 B"
    assert "problem" not in _facts(block)


def test_bytes_that_are_not_what_is_claimed_are_said_to_be() -> None:
    block = block_of({"type": "image", "data": _b64(JPEG), "mimeType": "image/png"})
    assert _facts(block)["problem"] == "the bytes are image/jpeg, not what is claimed"
    assert block.data == JPEG


def test_broken_base64_is_a_problem_and_not_the_end() -> None:
    block = block_of({"type": "audio", "data": "%%%", "mimeType": "audio/wav"})
    assert block.data is None
    assert _facts(block)["problem"].startswith("its base64 can't be decoded")
    assert _facts(block_of({"type": "audio", "data": "", "mimeType": "audio/wav"}))["problem"] == (
        "there are no bytes in it"
    )


def test_a_link_stays_a_text() -> None:
    block = block_of({"type": "resource_link", "uri": "file:///a\x1b", "name": "a", "size": 7})
    assert block.look == "link"
    assert _facts(block) == {"uri": "file:///a␛", "name": "a", "size": "7 bytes, claimed by server"}


def test_embedded_resources_show_text_or_facts() -> None:
    text = block_of({"type": "resource", "resource": {"uri": "a://b", "text": "hi", "mimeType": "text/plain"}})
    assert (plain(text.title), text.text, _facts(text)["uri"]) == ("embedded resource · 2 B", "hi", "a://b")
    blob = block_of({"type": "resource", "resource": {"uri": "a://b", "blob": _b64(b"%PDF-1.7"), "mimeType": "x/y"}})
    assert (blob.look, blob.data) == ("blob", b"%PDF-1.7")
    assert _facts(blob)["problem"] == "the bytes are application/pdf, not what is claimed"
    picture = resource_block({"uri": "a://b", "blob": _b64(PNG)})
    assert (picture.look, _facts(picture)["pixels"]) == ("image", "640 × 480")
    neither = resource_block({"uri": "a://b"})
    assert _facts(neither)["problem"] == "it has neither text nor blob"


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ({"type": "hologram", "x": 1}, "unknown block 'hologram'"),
        ({"x": 1}, "block without a type"),
        ({"type": "text"}, "text block without its content"),
        ({"type": "text", "text": 7}, "text block without its content"),
        ({"type": "resource", "resource": "no"}, "resource block without its content"),
        ("words", "a string where a block should be"),
        (None, "a null where a block should be"),
    ],
)
def test_what_is_no_known_block_is_shown_as_the_json_it_is(raw: Any, title: str) -> None:
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
