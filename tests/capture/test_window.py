"""A part of a file, read once for many lines."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.capture import window
from inspector.capture.file import LOST
from inspector.capture.window import WINDOW, Window, read_at


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

    monkeypatch.setattr(window, "read_at", counted)
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
    shown = Window()
    assert [shown.read(fd, i * 11, 11) for i in range(200, 260)] == [b"line %05d\n" % i for i in range(200, 260)]
    assert reads == [(200 * 11, WINDOW)]


def test_going_back_reads_what_stands_before(fd: int, reads: list[tuple[int, int]]) -> None:
    os.write(fd, b"".join(b"line %05d\n" % i for i in range(20_000)))
    shown = Window()
    assert all(shown.read(fd, i * 11, 11) == b"line %05d\n" % i for i in reversed(range(20_000)))
    assert len(reads) < 10


def test_what_has_been_appended_since_is_found(fd: int) -> None:
    shown = Window()
    os.write(fd, b"one\ntw")
    assert shown.read(fd, 0, 4) == b"one\n"
    os.write(fd, b"o\n")
    assert shown.read(fd, 4, 4) == b"two\n"


def test_a_line_longer_than_the_window_is_read_alone_and_not_kept(fd: int, reads: list[tuple[int, int]]) -> None:
    os.write(fd, b"x" * (WINDOW + 1) + b"y")
    shown = Window()
    assert shown.read(fd, 0, 1) == b"x"
    assert shown.read(fd, 1, WINDOW + 1) == b"x" * WINDOW + b"y"
    assert shown.read(fd, 2, 1) == b"x"
    assert len(reads) == 2


def test_wherever_it_reads_it_gives_what_the_file_gives(fd: int) -> None:
    content = random.Random(7).randbytes(3 * WINDOW)
    os.write(fd, content)
    shown, chance = Window(), random.Random(8)
    for _ in range(2000):
        place, length = chance.randrange(len(content) + 10), chance.choice((0, 1, 300, WINDOW - 1, WINDOW, WINDOW + 1))
        assert shown.read(fd, place, length) == content[place : place + length]
