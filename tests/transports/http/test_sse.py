"""Server-sent events out of bytes: the standard's rules, and what an inspector needs beside them."""

import pytest
from httpx_sse._decoders import SSEDecoder
from hypothesis import given
from hypothesis import strategies as st

from inspector.transports.http.sse import EventTooLong, SseComment, SseEvent, SseItem, SseParser
from tests.counting import allocated


def read(*chunks: bytes) -> list[SseItem]:
    parser = SseParser()
    items = [item for chunk in chunks for item in parser.feed(chunk)]
    return items + parser.finish()


def test_an_event_has_its_fields_and_its_raw_lines() -> None:
    raw = b"event: message\nid: 7\nretry: 250\ndata: {}"
    assert read(raw + b"\n\n") == [SseEvent(raw, b"{}", "message", "7", 250)]


def test_several_data_lines_are_joined_by_newlines_and_lose_one_space_each() -> None:
    (event,) = read(b"data: a\ndata:b\ndata:  c\n\n")
    assert isinstance(event, SseEvent)
    assert event.data == b"a\nb\n c"


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_each_kind_of_line_end_ends_a_line_wherever_the_chunks_are_cut(end: bytes) -> None:
    text = end.join([b"data: a", b"data: b", b"", b"data: c", b"", b""])
    wanted = [SseEvent(b"data: a\ndata: b", b"a\nb"), SseEvent(b"data: c", b"c")]
    for cut in range(len(text)):
        assert read(text[:cut], text[cut:]) == wanted
    assert read(*(bytes([byte]) for byte in text)) == wanted


def test_the_unicode_line_separator_ends_nothing() -> None:
    (event,) = read("data: a\u2028b\u0085c\n\n".encode())
    assert isinstance(event, SseEvent)
    assert event.data == "a\u2028b\u0085c".encode()


def test_an_event_is_given_as_soon_as_its_blank_line_is_there() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\r\n") == []
    assert len(parser.feed(b"\r")) == 1
    assert parser.feed(b"\n") == []
    assert parser.finish() == []


def test_a_byte_order_mark_at_the_start_is_no_part_of_the_first_field() -> None:
    assert read(b"\xef", b"\xbb\xbfdata: a\n\n") == [SseEvent(b"data: a", b"a")]


def test_comments_are_given_apart_even_from_within_an_event() -> None:
    assert read(b": one\n\ndata: a\n:two\ndata: b\n\n") == [
        SseComment(b": one"),
        SseComment(b":two"),
        SseEvent(b"data: a\ndata: b", b"a\nb"),
    ]


def test_an_event_with_an_id_and_empty_data_is_there_to_be_remembered() -> None:
    assert read(b"id: 1\ndata:\n\n") == [SseEvent(b"id: 1\ndata:", b"", None, "1")]


def test_an_id_with_nul_and_a_retry_that_is_no_number_do_not_count() -> None:
    (event,) = read(b"id: a\0b\nretry: -5\nretry: 1_0\nretry: 99999999999\ndata: x\n\n")
    assert isinstance(event, SseEvent)
    assert (event.id, event.retry) == (None, None)


def test_empty_event_id_differs_from_none() -> None:
    first, second = read(b"id\ndata: x\n\ndata: y\n\n")
    assert isinstance(first, SseEvent)
    assert isinstance(second, SseEvent)
    assert (first.id, second.id) == ("", None)


@pytest.mark.parametrize("tail", [b"data: a", b"data: a\n", b"data: a\nid: 3"])
def test_unterminated_event_is_incomplete(tail: bytes) -> None:
    (event,) = read(b"data: whole\n\n" + tail)[1:]
    assert isinstance(event, SseEvent)
    assert not event.complete
    assert event.raw == tail.rstrip(b"\n")


def test_bytes_that_are_no_utf_8_come_out_as_they_went_in() -> None:
    (event,) = read(b"data: \xff\xfe\x00\n\n")
    assert isinstance(event, SseEvent)
    assert event.data == b"\xff\xfe\x00"


def test_an_event_beyond_the_limit_is_refused_and_one_within_it_is_not() -> None:
    parser = SseParser(limit=300)
    for _ in range(10):
        assert len(parser.feed(b"data: " + b"x" * 80 + b"\n\n")) == 1
        assert len(parser.feed(b": " + b"x" * 80 + b"\n")) == 1
    with pytest.raises(EventTooLong, match="300"):
        parser.feed(b"data: " + b"x" * 50 + b"\ndata: x\n")


def test_the_limit_counts_what_lines_cost_in_memory() -> None:
    """A Python object for each of a million empty lines needs far more memory than their text."""
    with pytest.raises(EventTooLong):
        SseParser(limit=1_000_000).feed(b"data:\n" * 20_000)
    assert len(SseParser(limit=1_000_000).feed(b"data:\n" * 6_000 + b"\n")) == 1


def test_a_long_event_is_copied_in_proportion_to_its_bytes_however_many_chunks_it_comes_in() -> None:
    size, number = 16_384, 256
    parser = SseParser()
    copied = allocated(parser.feed, [b"data: ", *[b"x" * size] * number])
    assert copied < 4 * size * number
    (event,) = parser.feed(b"\n\n")
    assert isinstance(event, SseEvent)
    assert event.data == b"x" * size * number


LINES = st.lists(
    st.sampled_from(
        ["data: a", "data", "data:", "data: \u2028", "event: m", "id: 1", "id", "retry: 5", ": c", "", "x: y"]
    ),
    max_size=20,
)


@given(LINES, st.sampled_from(["\n", "\r", "\r\n"]), st.integers(1, 7))
def test_events_are_those_of_another_decoder(lines: list[str], end: str, size: int) -> None:
    oracle = SSEDecoder()
    wanted = [sse for line in [*lines, ""] if (sse := oracle.decode(line)) is not None]
    raw = "".join(line + end for line in [*lines, ""]).encode()
    events = [
        item for item in read(*(raw[i : i + size] for i in range(0, len(raw), size))) if isinstance(item, SseEvent)
    ]
    # The oracle gives an event for every blank line once there was an id; only those with data can be compared.
    ours = [(event.data, event.event or "message") for event in events if event.data]
    assert ours == [(sse.data.encode(), sse.event) for sse in wanted if sse.data]
