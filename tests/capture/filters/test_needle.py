"""A text is found in every spelling: in bytes, and in the lines of a stretch without reading any."""

from pathlib import Path

import pytest

from inspector.capture.filters.needle import Needle, candidates, odd_lines
from inspector.capture.filters.stretch import Stretch
from inspector.capture.journal import Journal
from inspector.capture.load import load
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Channel, Direction, Eol
from tests.capture.recording import CAME, recorded
from tests.waiting import until


@pytest.mark.parametrize(
    ("wanted", "payload"),
    [
        ("HELLO", b'{"a":"hello"}'),
        ("hello", b'{"a":"HELLO"}'),
        ("é", '{"a":"café"}'.encode()),
        ("É", '{"a":"café"}'.encode()),
        ("é", b'{"a":"caf\\u00e9"}'),
        ("é", b'{"a":"CAF\\u00C9"}'),
        ('say "no"', b'{"a":"say \\"no\\""}'),
        ('"a":1', b'{"a":1}'),
        ("ß", "STRASSE ß".encode()),
        ("\\", b'{"a":"\\\\"}'),
        ("x", b"\xff\xfe x"),
        ("4,-1", b"[3,4,-1]"),
        ("\ud800", b'"\\ud800"'),
    ],
)
def test_a_text_is_found_in_every_spelling(wanted: str, payload: bytes) -> None:
    assert Needle(wanted).is_in_bytes(payload)
    assert marks(wanted, payload) == b"\1"


@pytest.mark.parametrize(
    ("wanted", "payload"),
    [
        ("b", b'{"a":1}'),
        ("é", b"e"),
        ("é", "è".encode()),
        ("nx", b"\nx"),
        ("001b", b"\x1b"),
        ("frame", b"{}"),
        ("stdout", b"{}"),
        ('raw":"', b"{}"),
        ('"}', b"{}"),
    ],
)
def test_what_is_not_there_is_not_found(wanted: str, payload: bytes) -> None:
    assert not Needle(wanted).is_in_bytes(payload)
    assert marks(wanted, payload) == b"\0"


def marks(wanted: str, payload: bytes) -> bytes:
    """What a search through the line of that payload finds."""
    journal = recorded()
    journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    found = Needle(wanted).mark(Stretch(journal.store, 1, 1), b"\1")
    journal.close()
    return found


def test_a_longer_text_is_found_only_where_its_parts_are() -> None:
    assert Needle("to").is_part_of("TOOL")
    assert not Needle("tool").is_part_of("to")


def test_only_what_is_asked_about_is_found() -> None:
    journal = recorded()
    for payload in (b"an apple", b"a pear", b"an apple", b"\xff apple"):
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    stretch = Stretch(journal.store, 1, 4)
    assert Needle("apple").mark(stretch, b"\1\1\1\1") == b"\1\0\1\1"
    assert Needle("apple").mark(stretch, b"\0\1\1\0") == b"\0\0\1\0"
    assert list(candidates(stretch, b"\1\1\1\1", b"apple", lambda payload: True, exact=True)) == [0, 2]
    assert list(odd_lines(stretch, b"\1\1\1\1")) == [3]
    journal.close()


def test_what_is_no_text_is_found_however_it_came_and_in_what_is_read_again(tmp_path: Path) -> None:
    log = b'{"jsonrpc":"2.0","method":"notifications/message","params":"%b"}'
    lines = [(log % said, Eol.LF) for said in (b"pear", b"\xff apple", "\u00e9 pear".encode(), b"apple", b"\xff pear")]
    journal = recorded(tmp_path / "x.mcpcap")
    journal.frame(CAME, Channel.STDOUT, b"\xff apple")
    journal.burst(CAME, Channel.STDOUT, lines)
    journal.fact(Stderr(b"\xff apple"))
    journal.fact(Stderr(b"\xff pear"))
    assert found(journal, "apple") == [1, 3, 5, 7]
    assert list(odd_lines(Stretch(journal.store, 1, 8), b"\1" * 8)) == [0, 2, 5, 6, 7]
    journal.close()
    again = load(tmp_path / "x.mcpcap")
    assert found(again, "apple") == [1, 3, 5, 7]
    again.close()


def found(journal: Journal, wanted: str) -> list[int]:
    """The entries that hold a text."""
    marks = Needle(wanted).mark(Stretch(journal.store, 1, journal.count), b"\1" * journal.count)
    return [n for n, mark in enumerate(marks, 1) if mark]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("wanted", ["stdout", "sha256", "b64", 'b64":"'])
async def test_what_stands_in_a_line_that_is_no_entry_ends_no_search_and_is_not_found(wanted: str) -> None:
    journal = recorded()
    for _ in range(1001):  # the file gets a sum after a thousand
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, b"an apple")
    journal.frame(Direction.FROM_SERVER, Channel.STDOUT, b"\xff sha256")
    await until(lambda: b'"r":"sum"' in Stretch(journal.store, 1, 1002).window, "the file had them all")
    stretch = Stretch(journal.store, 1, 1002)
    found = Needle(wanted).mark(stretch, b"\1" * 1002)
    assert [at + 1 for at, mark in enumerate(found) if mark] == ([1002] if wanted == "sha256" else [])
    assert list(odd_lines(stretch, b"\1" * 1002)) == [1001]
    journal.close()
