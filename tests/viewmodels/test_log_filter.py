"""What a filter finds."""

import pytest

from inspector.protocol.exchanges import Exchange
from inspector.viewmodels.log_filter import Matcher, Needle
from tests.viewmodels.tape import Tape


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
        ("\ud800", b'"\\ud800"'),
    ],
)
def test_a_text_is_found_in_every_spelling(wanted: str, payload: bytes) -> None:
    assert Needle(wanted).is_in_bytes(payload)


@pytest.mark.parametrize(("wanted", "payload"), [("b", b'{"a":1}'), ("é", b"e"), ("é", "è".encode())])
def test_what_is_not_there_is_not_found(wanted: str, payload: bytes) -> None:
    assert not Needle(wanted).is_in_bytes(payload)


def test_a_longer_text_is_found_only_where_its_parts_are() -> None:
    assert Needle("to").is_part_of("TOOL")
    assert not Needle("tool").is_part_of("to")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("stderr", {1}),
        ("limited", {1}),
        ("tools/CALL", {2, 4}),
        ("echo", {2, 4}),
        ("progress", {2, 3}),
        ("boom", {4}),
        ("tool error", {2, 4}),
        ("probe", {5, 6}),
        ("server/discover", {5, 6}),
        ("exited with code 3", {7}),
        ("nowhere", set()),
    ],
)
def test_names_states_and_bytes_are_looked_at(tape: Tape, wanted: str, found: set[int]) -> None:
    tape.stderr(b"rate limited")
    tape.call(2, "echo")
    tape.notify("notifications/progress", {"progressToken": 2, "progress": 1})
    tape.answer(2, {"content": [{"type": "text", "text": "BOOM"}], "isError": True})
    tape.request(3, "server/discover", probe=True)
    tape.answer(3, {"capabilities": {}})
    tape.died(code=3)
    journal, matcher = tape.journal, Matcher(tape.journal, wanted)

    def exchange(n: int) -> Exchange | None:
        number = journal.store.exchange(n)
        return journal.conversation.exchanges[number - 1] if number else None

    assert {n for n in range(1, 8) if matcher.matches(n, exchange(n))} == found
