"""A text is found in every spelling: in bytes, and in the lines of a stretch without reading any."""

from pathlib import Path

import pytest

from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.filters.engine.matching import is_there
from inspector.filters.engine.nodes import Stretch
from inspector.filters.engine.payloads import Needle, candidates, literal_of, odd_lines
from inspector.filters.language.fields import Compare, Op, Ref
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Channel, Direction, Eol
from inspector.protocol.jsonrpc import Message, read
from tests.capture.recording import CAME, recorded
from tests.filters.engine.test_program import found as program_found
from tests.present.tape import Tape
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
def test_absent_needle_is_not_found(wanted: str, payload: bytes) -> None:
    assert not Needle(wanted).is_in_bytes(payload)
    assert marks(wanted, payload) == b"\0"


def marks(wanted: str, payload: bytes) -> bytes:
    """What a search through the line of that payload finds."""
    journal = recorded()
    journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    found = Needle(wanted).mark(Stretch(journal.store, 1, 1), b"\1")
    journal.close()
    return found


def test_search_covers_marked_entries_only() -> None:
    journal = recorded()
    for payload in (b"an apple", b"a pear", b"an apple", b"\xff apple"):
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    stretch = Stretch(journal.store, 1, 4)
    assert Needle("apple").mark(stretch, b"\1\1\1\1") == b"\1\0\1\1"
    assert Needle("apple").mark(stretch, b"\0\1\1\0") == b"\0\0\1\0"
    assert list(candidates(stretch, b"\1\1\1\1", b"apple", lambda payload: True, exact=True)) == [0, 2]
    assert list(odd_lines(stretch, b"\1\1\1\1")) == [3]


def test_non_text_payload_is_found_after_reload(tmp_path: Path) -> None:
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


def found(journal: Journal, wanted: str) -> list[int]:
    """The entries that hold a text."""
    marks = Needle(wanted).mark(Stretch(journal.store, 1, journal.count), b"\1" * journal.count)
    return [n for n, mark in enumerate(marks, 1) if mark]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("wanted", ["stdout", "sha256", "b64", 'b64":"'])
async def test_search_ignores_lines_that_are_no_entries(wanted: str) -> None:
    journal = recorded()
    for _ in range(1001):  # the file gets a sum after a thousand
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, b"an apple")
    journal.frame(Direction.FROM_SERVER, Channel.STDOUT, b"\xff sha256")
    await until(lambda: b'"r":"sum"' in Stretch(journal.store, 1, 1002).window, "the file had them all")
    stretch = Stretch(journal.store, 1, 1002)
    found = Needle(wanted).mark(stretch, b"\1" * 1002)
    assert [at + 1 for at, mark in enumerate(found) if mark] == ([1002] if wanted == "sha256" else [])
    assert list(odd_lines(stretch, b"\1" * 1002)) == [1001]


def test_only_messages_that_may_match_are_parsed(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        tape.call(number, "echo", {"city": f"town-{number}"})
    parsed: list[bytes] = []

    def reading(payload: bytes) -> tuple[Message, ...]:
        parsed.append(payload)
        return read(payload)

    monkeypatch.setattr("inspector.filters.engine.payloads.read", reading)
    assert program_found(tape.journal, "args.city == town-7") == [8]
    assert len(parsed) == 1
    assert program_found(tape.journal, "args.street == x") == []
    assert len(parsed) == 1


def test_a_name_that_is_written_in_escapes_is_found_all_the_same(tape: Tape) -> None:
    tape.to_server(b'{"jsonrpc":"2.0","method":"a","params":{"\\u0063ity":"x\\u0079"}}')
    tape.to_server(b'{"jsonrpc":"2.0","method":"a","params":{"city":"xy"}}')
    assert program_found(tape.journal, "params.city == xy") == [1, 2]


def test_deep_and_broken_payloads_match_nothing(tape: Tape) -> None:
    tape.from_server(b'{"jsonrpc":"2.0","method":"a","params":' + b"[" * 5000 + b"]" * 5000 + b"}")
    tape.from_server(b'{"jsonrpc":"2.0","method":"a","params":{"q":')
    tape.from_server(b"\xff\x00\x1b")
    assert program_found(tape.journal, "params.q") == []
    assert program_found(tape.journal, "not params.q") == [1, 2, 3]


def test_literal_of_a_comparison_is_its_longest_plain_part() -> None:
    ref = Ref("args", ("a", None, "street"))
    assert literal_of(ref, None) == b"street"
    assert literal_of(ref, Compare(ref, Op.EQ, ('"Unter den Linden"',))) == b"Unter den Linden"
    assert literal_of(ref, Compare(ref, Op.NE, ("Unter den Linden",))) == b"street"
    assert literal_of(Ref("args", ("é",)), None) is None


def test_null_and_false_are_not_there() -> None:
    assert not is_there(None)
    assert not is_there(False)
    assert is_there(0)
    assert is_there("")


def test_the_words_of_facts_and_states_are_found(tape: Tape) -> None:
    tape.stderr(b"rate limited")
    tape.call(2, "echo")
    tape.notify("notifications/progress", {"progressToken": 2, "progress": 1})
    tape.answer(2, {"content": [{"type": "text", "text": "BOOM"}], "isError": True})
    tape.request(3, "server/discover", probe=True)
    tape.answer(3, {"capabilities": {}})
    tape.died(code=3)
    expected = {
        "stderr": [1],
        "limited": [1],
        '"tools/CALL"': [2, 4],
        "echo": [2, 4],
        '"progress"': [2, 3],
        "boom": [4],
        '"tool error"': [2, 4],
        '"probe"': [5, 6],
        "server/discover": [5, 6],
        "ProcessFact": [7],
        "nowhere": [],
    }
    assert {text: program_found(tape.journal, text) for text in expected} == expected
