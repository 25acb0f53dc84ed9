"""Chunks to lines: the cuts are where the line feeds are, wherever the chunks were cut."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.frames import Eol
from inspector.transports.lines import Line, LineSplitter


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


def test_what_is_left_can_be_taken_once() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"a\nhalf") == [Line(b"a", Eol.LF)]
    assert splitter.pending == 4
    assert splitter.rest() == Line(b"half", Eol.NONE)
    assert splitter.rest() is None
    assert splitter.pending == 0


def test_with_a_limit_a_long_line_comes_in_pieces_and_only_the_last_is_ended() -> None:
    splitter = LineSplitter(limit=4)
    assert splitter.feed(b"abcdefghi\nxy") == [
        Line(b"abcd", Eol.NONE),
        Line(b"efgh", Eol.NONE),
        Line(b"i", Eol.LF),
    ]
    assert splitter.feed(b"z") == []
    assert splitter.feed(b"zz") == [Line(b"xyzz", Eol.NONE), Line(b"z", Eol.NONE)]
    assert splitter.feed(b"\n") == [Line(b"", Eol.LF)]


def _seconds(work: Callable[[], bytes]) -> float:
    began = time.perf_counter()
    assert len(work()) == 64 << 20
    return time.perf_counter() - began


@pytest.mark.benchmark
def test_a_long_line_costs_little_more_than_joining_its_chunks_once() -> None:
    chunk = b"x" * 65536

    def split() -> bytes:
        splitter = LineSplitter()
        for _ in range(1024):
            splitter.feed(chunk)
        return splitter.feed(b"\n")[0].payload

    join = min(_seconds(lambda: b"".join([chunk] * 1024)) for _ in range(3))
    assert (
        min(_seconds(split) for _ in range(3)) < 100 * join
    )  # joining at every chunk would cost five hundred times as much
