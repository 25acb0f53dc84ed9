"""A record is one line, comes back as it was, and nothing foreign gets further than a ValueError."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.records import (
    KNOWN,
    ConnectionRecord,
    EndRecord,
    FrameRecord,
    Head,
    HttpRecord,
    SseRecord,
    Target,
    from_line,
    to_line,
    type_of,
)
from inspector.protocol.facts import ConnectionEvent, HttpEvent
from inspector.protocol.frames import Channel, Direction, Eol, SseFacts
from tests.capture.recording import HEAD

FRAME = FrameRecord(
    n=2,
    c="c1",
    dir=Direction.FROM_SERVER,
    ch=Channel.STDOUT,
    tm=5,
    tw=6,
    len=2,
    eol=Eol.CRLF,
    origin="server",
    raw="hi",
)


def test_a_frame_is_written_with_the_names_of_the_format_in_their_order() -> None:
    assert to_line(FRAME) == (
        b'{"r":"frame","n":2,"c":"c1","dir":"s2c","ch":"stdout","tm":5,"tw":6,"len":2,"eol":"crlf",'
        b'"origin":"server","raw":"hi"}\n'
    )


def test_the_head_says_what_it_is_first() -> None:
    line = json.loads(to_line(HEAD))
    assert list(line)[:4] == ["r", "format", "v", "must"]
    assert (line["r"], line["format"], line["v"]) == ("head", "mcpcap", "1.0")
    assert line["redaction"] == {"policy": "none", "on": "none"}


def test_an_sse_event_without_any_field_is_not_the_same_as_none() -> None:
    bare = FrameRecord(dir=Direction.FROM_SERVER, ch=Channel.SSE, tm=5, sse=SseFacts(), raw="")
    assert from_line(to_line(bare)) == bare
    assert b'"sse"' in to_line(bare)


def test_names_that_are_no_utf8_come_back() -> None:
    record = ConnectionRecord(tm=1, ev=ConnectionEvent.OPEN, target=Target(argv=("caf\udce9",)), env_names=("\udc80",))
    assert from_line(to_line(record)) == record


def test_a_number_beyond_all_bounds_comes_back() -> None:
    record = SseRecord(tm=1, ex=1, retry=10**30, raw="")
    assert from_line(to_line(record)) == record


def test_unknown_fields_are_ignored() -> None:
    line = to_line(FRAME).replace(b'"n":2', b'"n":2,"fwd":"held","x":{"deep":[1]}')
    assert from_line(line) == FRAME


def test_headers_keep_order_case_and_duplicates() -> None:
    record = HttpRecord(tm=1, ex=1, ev=HttpEvent.REQUEST, headers=(("B", "1"), ("a", "2"), ("A", "3"), ("a", "2")))
    assert from_line(to_line(record)) == record


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"r":"frame"}',
        b'{"r":7}',
        b'{"r":"mark","n":1}',
        b'{"r":"frame","dir":"up","ch":"stdout","tm":1}',
        b'{"r":"frame","dir":"s2c","ch":"stdout","tm":99999999999999999999}',
        b'{"r":"frame","dir":"s2c","ch":"stdout","tm":1,"b64":"*"}',
        b'{"r":"frame","dir":"s2c","ch":"stdout","tm":1,"raw":"\\ud800","n":"x"}',
        b'{"r":"frame"',
        b"\xff",
        b"[" * 100_000,
        b'{"r":"frame","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_record_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        from_line(line)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_record_or_a_value_error(line: bytes) -> None:
    with suppress(ValueError):
        from_line(line)
    assert type_of(line) is None or isinstance(type_of(line), str)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"r":"mark","n":1}', "mark"),
        (b'{"r":7}', None),
        (b'{"n":1}', None),
        (b"[]", None),
        (b"nonsense", None),
        (b"[" * 100_000, None),
    ],
)
def test_a_line_says_its_type_even_if_nobody_knows_it(line: bytes, kind: str | None) -> None:
    assert type_of(line) == kind


def test_every_record_that_is_written_is_known() -> None:
    for record in (HEAD, FRAME, EndRecord()):
        assert type_of(to_line(record)) in KNOWN
    assert isinstance(from_line(to_line(HEAD)), Head)
