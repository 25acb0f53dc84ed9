"""What a mock over HTTP records of itself."""

from inspector.capture.journal import start_capture
from inspector.protocol.facts import ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Frame
from inspector.replay.mock.http_tape import HttpTape
from inspector.transports.http.listener import HttpRequest


def test_an_exchange_is_recorded_with_its_head_and_its_bodies() -> None:
    journal = start_capture(None, mode="mock")
    try:
        tape = HttpTape(journal)
        tape.open("http://127.0.0.1:1/mcp")
        number, entry = tape.came(HttpRequest("POST", "/mcp", (("A", "1"),), b"{}"))
        tape.answered(number, 200, ())
        tape.sent(number, b"[]", Channel.REPLY)
        tape.ended(number)
        tape.close()
        what = [journal.store.entry(n).what for n in range(1, journal.count + 1)]
    finally:
        journal.close()
    assert (number, entry) == (1, 3)
    assert [type(each) for each in what] == [ConnectionFact, HttpFact, Frame, HttpFact, Frame, HttpFact, ConnectionFact]
    asked = what[1]
    assert isinstance(asked, HttpFact)
    assert (asked.event, asked.target) == (HttpEvent.REQUEST, "http://127.0.0.1:1/mcp")


def test_without_a_journal_requests_are_numbered_and_nothing_is_kept() -> None:
    tape = HttpTape(None)
    tape.open("http://127.0.0.1:1/mcp")
    assert [tape.came(HttpRequest("POST", "/mcp", (), b"{}")) for _ in range(2)] == [(1, 0), (2, 0)]
