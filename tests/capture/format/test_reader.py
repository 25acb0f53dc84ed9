"""Opening a file that is not a capture explains what it looks like and what to do."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inspector.capture.format.lines as module
from inspector.capture.format.file import LOST
from inspector.capture.format.lines import WINDOW_BYTES, FileWindow, lines, open_for_reading, read_at
from inspector.capture.format.reader import LOOKS_AT, foreign, is_newer_minor, read_head
from inspector.capture.format.records import EndRecord, Head, to_line
from inspector.errors import CaptureError
from tests.capture.recording import HEAD


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (b"", "x is empty"),
        (b" \n\n", "x holds nothing but blanks"),
        (b"<!DOCTYPE html><html>", "x holds HTML, not a capture"),
        (b"\xef\xbb\xbf\n<html lang=en>", "x holds HTML, not a capture"),
        (b"<?xml version='1.0'?>", "x holds XML, not a capture"),
        (b"\x1f\x8b\x08", "x is compressed with gzip"),
        (b"\x28\xb5\x2f\xfd", "x is compressed with zstd"),
        (b"PK\x03\x04", "x is a zip archive"),
        (b"SQLite format 3\x00", "x is an SQLite database"),
        (b"\x7fELF\x00", "x is not a text file, so it is not a capture"),
        (b"caf\xe9 au lait and more", "x is not a text file, so it is not a capture"),
        (b'{"jsonrpc":"2.0","id":1}\n', "x looks like bare JSON-RPC messages, without the records of a capture"),
        (b'{"log":{"version":"1.2"}}', "x looks like a HAR file, not a capture"),
        (b'{"r":"frame"}\n', "x is JSON, but not a capture: the first line is not a capture head"),
        (b"[1,2]", "x is JSON, but not a capture: the first line is not a capture head"),
        (b"[\n  1,\n  2\n]", "x is JSON, but not a capture: the first line is not a capture head"),
        (b"[2026-11-28 10:00:00] INFO ready\n", "x is text, but not a capture: the first line is not a capture head"),
        (b"[gateway] ready\n", "x is text, but not a capture: the first line is not a capture head"),
        (b"{not json}\n", "x is text, but not a capture: the first line is not a capture head"),
        (
            b'{"debug":"Starting","timestamp":"2026-11-28T16:07:12.393Z","sessionId":"8","cwd":"/home/a"}\n',
            "x is a log of Claude Code, which has no messages",
        ),
        (b'{"r":"head","form', "x is a capture that was cut in its first line"),
        (b"Dear diary", "x is text, but not a capture: the first line is not a capture head"),
    ],
)
def test_a_foreign_file_is_called_what_it_looks_like(start: bytes, sentence: str) -> None:
    error = foreign("x", start)
    assert str(error).startswith(sentence)
    assert error.hint


def test_a_character_that_our_own_look_has_cut_does_not_make_it_binary() -> None:
    start = b"a" * (LOOKS_AT - 1) + "é".encode()[:1]
    assert "is text" in str(foreign("x", start))


def of(data: bytes, chunk: int = 2**20) -> list[tuple[int, bytes, bool]]:
    return list(lines(lambda place, length: data[place : place + min(length, chunk)]))


def head_of(path: Path, data: bytes) -> Head:
    path.write_bytes(data)
    fd = open_for_reading(path)
    try:
        return read_head(fd, path)
    finally:
        os.close(fd)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.mcpcap"


@given(st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b" "))), st.booleans(), st.integers(1, 7))
def test_lines_come_with_their_places_however_they_are_read(parts: list[bytes], torn: bool, chunk: int) -> None:
    data = b"".join(part + b"\n" for part in parts) + (b"torn" if torn else b"")
    found = of(data, chunk)
    assert [line for _, line, _ in found] == parts + ([b"torn"] if torn else [])
    assert all(data[place : place + len(line)] == line for place, line, _ in found)
    assert [whole for _, _, whole in found] == [True] * len(parts) + ([False] if torn else [])


def test_only_a_line_feed_ends_a_line() -> None:
    assert [line for _, line, _ in of("a\r\u2028b\x0b\x85\nc\n".encode())] == ["a\r\u2028b\x0b\x85".encode(), b"c"]


@pytest.mark.parametrize("chunk", [3, 1000])
def test_a_line_beyond_the_limit_is_passed_over_and_the_next_is_read(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 10)
    data = b"short\n" + b"x" * 50 + b"\nagain\n"
    assert of(data, chunk) == [(0, b"short", True), (6, b"", True), (57, b"again", True)]
    assert of(b"x" * 50, chunk)[0][2] is False


def test_a_head_is_read(path: Path) -> None:
    assert head_of(path, to_line(HEAD) + b"garbage") == HEAD


def test_a_head_alone_without_a_line_end_is_enough(path: Path) -> None:
    assert head_of(path, to_line(HEAD)[:-1]) == HEAD


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"v":"1.0"', b'"v":"2.0"', "written by a newer mcp-inspect: its format is 2.0, this one reads up to 1.0"),
        (b'"v":"1.0"', b'"v":"next"', "has an invalid version: 'next'"),
        (b'"v":"1.0"', b'"v":"0.9"', "has an invalid version: '0.9'"),
        (b'"v":"1.0"', b'"v":2', "begins with a head that mcp-inspect can't read"),
        (b'"must":[]', b'"must":["sealed","chained"]', "without knowing about sealed, chained"),
        (b'"format":"mcpcap"', b'"format":"pcap"', "in a format of another program"),
    ],
)
def test_a_head_that_asks_for_more_than_we_know_is_refused(path: Path, old: bytes, new: bytes, sentence: str) -> None:
    line = to_line(HEAD) + to_line(EndRecord())
    assert old in line
    with pytest.raises(CaptureError, match=sentence) as raised:
        head_of(path, line.replace(old, new))
    assert raised.value.hint


def test_a_newer_minor_version_is_read(path: Path) -> None:
    assert head_of(path, to_line(HEAD).replace(b'"1.0"', b'"1.7"')).v == "1.7"
    assert is_newer_minor("1.7")
    assert not is_newer_minor("1.0")
    assert not is_newer_minor("1.x")
    assert not is_newer_minor("1")


def test_another_record_in_the_first_line_is_no_capture(path: Path) -> None:
    with pytest.raises(CaptureError, match="first line is not a capture head"):
        head_of(path, b'{"r":"err","tm":1,"raw":""}\n')


def test_a_foreign_file_is_refused(path: Path) -> None:
    with pytest.raises(CaptureError, match="holds HTML"):
        head_of(path, b"<html></html>")


def test_open_for_reading_refuses_missing_and_special_files(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="No such file"):
        open_for_reading(tmp_path / "nothing")
    with pytest.raises(CaptureError, match="is a directory"):
        open_for_reading(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CaptureError, match="not a regular file"):
        open_for_reading(tmp_path / "pipe")


def test_a_version_of_thousands_of_digits_is_a_newer_one(path: Path) -> None:
    with pytest.raises(CaptureError, match="newer"):
        head_of(path, to_line(HEAD).replace(b'"v":"1.0"', b'"v":"' + b"9" * 5000 + b'"'))
    assert is_newer_minor("1." + "9" * 5000)


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    """Give a file that can be read and appended to."""
    found = os.open(tmp_path / "f", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    yield found
    os.close(found)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Give the reads of the file as they are made: place and length."""
    made: list[tuple[int, int]] = []

    def counted(fd: int, place: int, length: int) -> bytes:
        made.append((place, length))
        return read_at(fd, place, length)

    monkeypatch.setattr(module, "read_at", counted)
    return made


def test_reading_at_a_place_moves_nothing_and_gives_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"0123456789")
    fd = os.open(tmp_path / "f", os.O_RDONLY)
    assert (read_at(fd, 2, 3), read_at(fd, 8, 5), read_at(fd, 20, 5)) == (b"234", b"89", b"")
    assert read_at(fd, LOST, 5) == b""
    os.close(fd)
    assert read_at(fd, 0, 5) == b""


def test_lines_that_stand_together_are_read_at_once(fd: int, reads: list[tuple[int, int]]) -> None:
    os.write(fd, b"".join(b"line %05d\n" % i for i in range(1000)))
    shown = FileWindow()
    assert [shown.read(fd, i * 11, 11) for i in range(200, 260)] == [b"line %05d\n" % i for i in range(200, 260)]
    assert reads == [(200 * 11, WINDOW_BYTES)]


def test_file_window_reads_backwards_with_few_reads(fd: int, reads: list[tuple[int, int]]) -> None:
    os.write(fd, b"".join(b"line %05d\n" % i for i in range(20_000)))
    shown = FileWindow()
    assert all(shown.read(fd, i * 11, 11) == b"line %05d\n" % i for i in reversed(range(20_000)))
    assert len(reads) < 10


def test_file_window_reads_appended_bytes(fd: int) -> None:
    shown = FileWindow()
    os.write(fd, b"one\ntw")
    assert shown.read(fd, 0, 4) == b"one\n"
    os.write(fd, b"o\n")
    assert shown.read(fd, 4, 4) == b"two\n"


def test_a_line_longer_than_the_window_is_read_alone_and_not_kept(fd: int, reads: list[tuple[int, int]]) -> None:
    os.write(fd, b"x" * (WINDOW_BYTES + 1) + b"y")
    shown = FileWindow()
    assert shown.read(fd, 0, 1) == b"x"
    assert shown.read(fd, 1, WINDOW_BYTES + 1) == b"x" * WINDOW_BYTES + b"y"
    assert shown.read(fd, 2, 1) == b"x"
    assert len(reads) == 2


def test_wherever_it_reads_it_gives_what_the_file_gives(fd: int) -> None:
    content = random.Random(7).randbytes(3 * WINDOW_BYTES)
    os.write(fd, content)
    shown, chance = FileWindow(), random.Random(8)
    for _ in range(2000):
        place = chance.randrange(len(content) + 10)
        length = chance.choice((0, 1, 300, WINDOW_BYTES - 1, WINDOW_BYTES, WINDOW_BYTES + 1))
        assert shown.read(fd, place, length) == content[place : place + length]
