"""Documents larger than memory: the parts of them are found wherever reads end, and come in their order."""

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.capture.import_ import http as documents
from inspector.capture.import_.http import merged, parts, spans
from inspector.capture.import_.importing import import_file
from inspector.capture.import_.items import ImportedItem, ImportSource
from inspector.capture.import_.readers import READERS
from inspector.protocol.facts import Stderr

_TEXT = st.text(st.sampled_from('ab"\\{}[]:,é\U0001f600\n'), max_size=6)
_VALUE = st.recursive(
    st.none() | st.integers(-9, 9) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_ITEMS = st.lists(st.dictionaries(_TEXT, _VALUE, max_size=3) | st.lists(_VALUE, max_size=2), max_size=5)


@contextmanager
def read(document: bytes, chunk: int) -> Iterator[ImportSource]:
    """A document, read so many bytes at once."""
    kept, documents._CHUNK_BYTES = documents._CHUNK_BYTES, chunk
    try:
        with TemporaryFile() as file:
            file.write(document)
            file.flush()
            yield ImportSource(file.fileno(), "it")
    finally:
        documents._CHUNK_BYTES = kept


@settings(max_examples=60)
@given(
    _ITEMS,
    st.dictionaries(_TEXT.filter(lambda name: name != "log"), _VALUE, max_size=2),
    st.integers(1, 40),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_every_item_of_the_array_is_found_and_nothing_else(
    items: list[Any], beside: dict[str, Any], chunk: int, ascii_only: bool, indent: int | None
) -> None:
    inner = {"entries!": [[1]], **beside, "entries": items, "pages": [{"entries": [[2]]}]}
    document = {**beside, "log": inner, "end": {"log": {"entries": [[3]]}}}
    text = b"\xef\xbb\xbf" + json.dumps(document, ensure_ascii=ascii_only, indent=indent).encode()
    way = ("log", "entries")
    with read(text, chunk) as source:
        found = [(path, json.loads(source.read(start, length))) for path, start, length in spans(source, way)]
    if "entries" not in beside:
        assert [each for path, each in found if path == way] == items
    assert (("end",), document["end"]) in found
    assert not source.passed_over


@given(st.binary(max_size=40) | _ITEMS.map(lambda items: json.dumps(items).encode()[:-2]), st.integers(1, 9))
def test_no_bytes_are_too_odd(text: bytes, chunk: int) -> None:
    with read(text, chunk) as source:
        found = list(spans(source, ()))
    assert all(0 <= start < start + length <= len(text) for _, start, length in found)


def test_items_come_in_the_order_of_their_times_and_those_that_can_t_be_read_are_counted() -> None:
    text = b'[{"t":3},{"t":1},{"bad},{"t":2}]'
    with read(text, 4) as source:
        found = parts(source, (), lambda item: int(bytes(item["t"])), "items")
        assert [text[start : start + length] for _, start, length in found.in_order()] == [b'{"t":1}', b'{"t":3}']
        assert source.passed_over == {"ends of the file, which was cut off": 1}
    with read(b'[{"t":3},{"t" 1},{"t":2}]', 4) as source:
        assert len(parts(source, (), lambda item: int(bytes(item["t"])), "items")) == 2
        assert source.passed_over == {"items that are no JSON, or too long": 1}


def test_a_string_that_is_longer_than_memory_ends_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST", 100)
    with read(b'[{"t":1},"' + b"x" * 400 + b'",{"t":2}]', 8) as source:
        assert [length for _, _, length in spans(source, ())] == [7]
        assert source.passed_over == {"texts that are too long, with everything after them": 1}


def test_pieces_that_overlap_are_merged_and_no_more_is_at_hand_than_must() -> None:
    asked: list[int] = []

    def pieces() -> Iterator[tuple[int, list[ImportedItem]]]:
        for began, times in ((1, (1, 9)), (2, (2, 3)), (5, (5,)), (20, (20,))):
            asked.append(began)
            yield began, [ImportedItem(time, Stderr(str(time).encode())) for time in times]

    found = merged(pieces())
    assert next(found).wall_ns == 1
    assert asked == [1, 2], "only as far as must be known"
    assert [item.wall_ns for item in found] == [2, 3, 5, 9, 20]


@pytest.mark.parametrize("cut", [1, 40, 400])
def test_a_har_that_is_cut_off_has_what_stood_before_the_cut(cut: int, tmp_path: Path) -> None:
    sent = json.dumps({"jsonrpc": "2.0", "method": "ping", "id": 1})
    entry = {"startedDateTime": "2026-01-01T00:00:00Z", "request": {"method": "POST", "postData": {"text": sent}}}
    whole = json.dumps({"log": {"entries": [entry, entry | {"more": "x" * 500}]}}).encode()
    (tmp_path / "a.har").write_bytes(whole[:-cut])
    told = import_file(tmp_path / "a.har", tmp_path / "a.mcpcap")
    assert told.frames == (2 if cut == 1 else 1)
    assert told.passed_over == {"ends of the file, which was cut off": 1}


def test_document_is_read_in_parts_with_little_memory() -> None:
    body = json.dumps({"jsonrpc": "2.0", "method": "ping", "id": 1, "params": {"filler": "x" * 20_000}})
    entry = {"startedDateTime": "2026-01-01T00:00:00Z", "request": {"method": "POST", "postData": {"text": body}}}
    text = json.dumps({"log": {"entries": [entry] * 300}}).encode()
    with read(text, 64 * 1024) as source:
        tracemalloc.start()
        try:
            assert sum(1 for _ in READERS["har"].read(source)) == 601
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < len(text) / 8
