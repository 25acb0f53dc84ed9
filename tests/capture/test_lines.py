"""Lines of a capture with their places, and which files are refused before a line is read."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inspector.capture.lines as module
from inspector.capture.lines import is_newer_minor, lines, open_for_reading, read_head
from inspector.capture.records import EndRecord, Head, to_line
from inspector.errors import CaptureError
from tests.capture.recording import HEAD


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
    monkeypatch.setattr(module, "MOST", 10)
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
        (b'"v":"1.0"', b'"v":"next"', "has the version 'next', which is none"),
        (b'"v":"1.0"', b'"v":"0.9"', "has the version '0.9', which is none"),
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
    with pytest.raises(CaptureError, match="first line is no head"):
        head_of(path, b'{"r":"err","tm":1,"raw":""}\n')


def test_a_foreign_file_is_refused(path: Path) -> None:
    with pytest.raises(CaptureError, match="holds HTML"):
        head_of(path, b"<html></html>")


def test_what_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="No such file"):
        open_for_reading(tmp_path / "nothing")
    with pytest.raises(CaptureError, match="is a directory"):
        open_for_reading(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CaptureError, match="no ordinary file"):
        open_for_reading(tmp_path / "pipe")


def test_a_version_of_thousands_of_digits_is_a_newer_one(path: Path) -> None:
    with pytest.raises(CaptureError, match="newer"):
        head_of(path, to_line(HEAD).replace(b'"v":"1.0"', b'"v":"' + b"9" * 5000 + b'"'))
    assert is_newer_minor("1." + "9" * 5000)
