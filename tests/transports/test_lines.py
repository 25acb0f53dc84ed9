"""Chunks to lines: the cuts are where the line feeds are, wherever the chunks were cut."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.frames import Eol
from inspector.transports.lines import CutLine, CuttingSplitter, Line, LineSplitter
from tests.counting import allocated


def _all(splitter: LineSplitter, chunks: list[bytes]) -> list[Line]:
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    rest = splitter.rest()
    return lines if rest is None else [*lines, rest]


@given(st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"a", b"\xe2\x80\xa8", b"{}", b""])), st.integers(1, 7))
def test_the_lines_do_not_depend_on_where_the_stream_was_cut(pieces: list[bytes], size: int) -> None:
    stream = b"".join(pieces)
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    lines = _all(LineSplitter(), chunks)
    assert lines == _all(LineSplitter(), [stream])
    ends = {Eol.LF: b"\n", Eol.CRLF: b"\r\n", Eol.NONE: b""}
    assert b"".join(line.payload + ends[line.eol] for line in lines) == stream
    assert not any(b"\n" in line.payload for line in lines)


def test_a_carriage_return_belongs_to_the_end_even_if_a_chunk_ends_between() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"one\r") == []
    assert splitter.feed(b"\ntwo\r\r\n") == [Line(b"one", Eol.CRLF), Line(b"two\r", Eol.CRLF)]


def test_rest_is_returned_once() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"a\nhalf") == [Line(b"a", Eol.LF)]
    assert splitter.pending == 4
    assert splitter.rest() == Line(b"half", Eol.NONE)
    assert splitter.rest() is None
    assert splitter.pending == 0


def test_with_a_limit_a_long_line_comes_in_pieces_and_only_the_last_is_ended() -> None:
    splitter = LineSplitter(limit=4)
    assert splitter.feed(b"abcdefghi\nxy") == [Line(b"abcd", Eol.NONE), Line(b"efgh", Eol.NONE), Line(b"i", Eol.LF)]
    assert splitter.feed(b"z") == []
    assert splitter.feed(b"zz") == [Line(b"xyzz", Eol.NONE), Line(b"z", Eol.NONE)]
    assert splitter.feed(b"\n") == [Line(b"", Eol.LF)]


def _cut(lines: list[Line]) -> list[tuple[bytes, Eol, int]]:
    return [(line.payload, line.eol, line.cut if isinstance(line, CutLine) else 0) for line in lines]


def test_over_the_limit_the_beginning_is_kept_and_the_rest_is_counted_and_what_follows_is_whole() -> None:
    splitter = CuttingSplitter(limit=6, kept=3)
    assert _cut(splitter.feed(b"abcdef\nabcdefg\nab")) == [(b"abcdef", Eol.LF, 0), (b"abc", Eol.LF, 4)]
    assert splitter.feed(b"cdefgh") == []
    assert splitter.pending == 3
    assert splitter.feed(b"x" * 1000) == []
    assert _cut(splitter.feed(b"\r\nnext\nlast")) == [(b"abc", Eol.CRLF, 1005), (b"next", Eol.LF, 0)]
    assert splitter.rest() == Line(b"last", Eol.NONE)
    splitter.feed(b"too long again")
    assert _cut([splitter.rest() or Line(b"", Eol.LF)]) == [(b"too", Eol.NONE, 11)]
    assert splitter.rest() is None


@given(
    st.lists(st.binary(max_size=9) | st.sampled_from([b"\n", b"\r\n", b"\r"]), max_size=30),
    st.integers(1, 12),
    st.integers(1, 12),
)
def test_however_the_bytes_are_cut_into_chunks_the_lines_are_the_same(
    chunks: list[bytes], limit: int, kept: int
) -> None:
    splitter, whole = CuttingSplitter(limit, kept), LineSplitter()
    found = [line for chunk in chunks for line in splitter.feed(chunk)]
    found += [line] if (line := splitter.rest()) else []
    expected = whole.feed(b"".join(chunks))
    expected += [line] if (line := whole.rest()) else []
    assert len(found) == len(expected)
    for got, line in zip(found, expected, strict=True):
        lost = got.cut if isinstance(got, CutLine) else 0
        assert (len(got.payload) + lost, got.eol) == (len(line.payload), line.eol)
        assert line.payload.startswith(got.payload)
        assert lost or len(line.payload) <= limit
        assert not lost or len(line.payload) >= limit  # the return that belongs to the line's end counts at first
        assert len(got.payload) <= limit


def test_a_long_line_is_copied_in_proportion_to_its_bytes_however_many_chunks_it_comes_in() -> None:
    size, number = 16_384, 256
    splitter = LineSplitter()
    copied = allocated(splitter.feed, [b"x" * size] * number)
    assert copied < 4 * size * number
    assert splitter.feed(b"\n") == [Line(b"x" * size * number, Eol.LF)]
