"""Which entries tell of an error, in a live conversation and in a recording."""

from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction
from inspector.viewmodels.log_errors import Errors, is_acknowledgment
from inspector.viewmodels.log_tree import Tree
from tests.viewmodels.tape import Tape


def _wrong(tape: Tape, *, tree: bool = False) -> list[int]:
    """The entries of all errors, or in the tree those of their rows."""
    places = Tree(tape.journal)
    if tape.journal.count:
        places.take_many(1, tape.journal.count)
    found, key = [], -1
    while (key := places.errors.after(key, tree=tree)) >= 0:
        found.append(key & 0xFFFF_FFFF)
    assert len(found) == len(places.errors)
    return found


def test_errors_tool_errors_and_what_is_no_message_are_errors(tape: Tape) -> None:
    for id_ in range(3):
        tape.call(id_, "x")
    tape.answer(0, {"content": []})
    refused = tape.error(1, -32602, "no")
    failed = tape.answer(2, {"content": [], "isError": True})
    junk = tape.from_server(b"hello")
    assert _wrong(tape) == [refused, failed, junk]
    assert _wrong(tape, tree=True) == [2, 3, junk]


def test_a_death_is_an_error_and_so_is_what_was_lost_with_it(tape: Tape) -> None:
    tape.started()
    call = tape.call(1, "x")
    tape.died(3)
    assert _wrong(tape) == [call, 4, 5]


def test_an_end_that_was_wanted_is_none(tape: Tape) -> None:
    tape.started()
    tape.died(0)
    tape.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
    assert _wrong(tape) == [4], "the connection broke off"


def test_a_probe_that_is_refused_is_none(tape: Tape) -> None:
    tape.request(1, "server/discover", probe=True)
    tape.error(1, -32601, "no such method", probe=True)
    assert _wrong(tape) == []


def test_a_word_that_says_accepted_is_none() -> None:
    tape = Tape(http=True)
    tape.fact(HttpFact(HttpEvent.REQUEST, 1, "POST", "https://example.test/mcp"))
    tape.notify("notifications/initialized", by_client=True, http=1)
    tape.fact(HttpFact(HttpEvent.RESPONSE, 1, status=202))
    tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, b"Accepted", http=1)
    assert is_acknowledgment(tape.journal, tape.journal.count)
    assert _wrong(tape) == []
    tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, b"Accepted", http=7)
    assert _wrong(tape) == [tape.journal.count]
    tape.journal.close()


def test_they_are_found_from_any_place_in_both_directions() -> None:
    from array import array

    errors = Errors(array("I", range(100)))
    for n in (50, 10, 90, 50):
        errors.add(n, n)
    assert len(errors) == 3
    assert [errors.after(key, tree=False) for key in (-1, 10, 50, 90)] == [10, 50, 90, -1]
    assert [errors.after(key, tree=False, back=True) for key in (99, 90, 11, 10)] == [90, 50, 10, -1]
