"""Plain JSON-RPC lines: exactly what crossed."""

from inspector.capture.export.jsonrpc import lines
from inspector.capture.load import load
from inspector.protocol.frames import Channel, Direction, Frame
from tests.capture.export.staging import all_of, parsed, written
from tests.captures.record import sample
from tests.viewmodels.tape import Tape


def test_each_message_stands_there_byte_by_byte() -> None:
    found = written(lines, "lighthouse").splitlines()
    journal = load(sample("lighthouse"))
    entries = (journal.store.entry(n).what for n in range(1, journal.count + 1))
    sent = [what.payload for what in entries if isinstance(what, Frame)]
    assert [each for each in sent if each in found] == found
    assert len(found) >= 30
    journal.close()


def test_line_ends_within_a_message_are_blanks_and_what_is_none_is_counted() -> None:
    tape = Tape()
    for payload in (b'{"jsonrpc":"2.0",\r\n "method":"a"}', b"Listening", b'[{"jsonrpc":"2.0","method":"b"}]', b"\xff"):
        tape.journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    selection = all_of(tape.journal)
    found = b"".join(lines(selection))
    assert parsed(found) == [{"jsonrpc": "2.0", "method": "a"}, [{"jsonrpc": "2.0", "method": "b"}]]
    assert selection.left_out == 2
    tape.journal.close()
