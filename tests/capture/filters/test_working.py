"""Fields that columns do not hold: HTTP, streams, channels, answers to nobody."""

from inspector.capture.filters.fields import FIELDS
from inspector.capture.filters.program import Program
from inspector.capture.filters.working import Workshop
from inspector.protocol.facts import SseNote
from inspector.protocol.frames import Channel, Direction, SseFacts
from tests.capture.filters.test_program import found, program
from tests.viewmodels.tape import Tape


def test_a_message_is_found_by_its_http_response() -> None:
    tape = Tape(http=True)
    tape.posted(1, 404, (("Content-Type", "text/plain"), ("Mcp-Name", "x")))
    tape.call(1, "echo", http=1)
    tape.posted(2, 200)
    tape.call(2, "echo", http=2)
    assert found(tape.journal, "http.status == 404") == [1, 2, 3]
    assert found(tape.journal, "tool and any.http.status >= 400") == [3]
    assert found(tape.journal, 'kind == request and http.header["mcp-NAME"] == x') == [3]
    assert found(tape.journal, 'http.header["authorization"] contains bearer') == [1, 2, 3, 4, 5, 6]
    assert found(tape.journal, "channel == post") == [3, 6]
    tape.journal.close()


def test_an_event_is_found_by_its_id(tape: Tape) -> None:
    tape.journal.frame(Direction.FROM_SERVER, Channel.SSE, b"{}", sse=SseFacts(id="12"))
    tape.fact(SseNote(1, b": x", id="13"))
    assert found(tape.journal, 'sse.id == "12"') == [1]
    assert found(tape.journal, "sse.id") == [1, 2]


def test_answers_to_nobody_have_their_own_id_and_code(tape: Tape) -> None:
    tape.answer(7, {})
    tape.error(8, -5, "no")
    tape.answer("7", {})
    assert found(tape.journal, "id == 7") == [1]
    assert found(tape.journal, 'id == "7"') == [3]
    assert found(tape.journal, "error.code == -5") == [2]


def test_the_age_is_that_of_what_is_pending(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    tape.answer(2, {})
    assert program(tape.journal, "age > 5s", tape.now + 6 * 10**9).mark(1, 3) == b"\1\0\0"
    assert program(tape.journal, "age > 5s", tape.now + 4 * 10**9).mark(1, 3) == b"\0\0\0"


def test_every_field_of_the_table_is_made(tape: Tape) -> None:
    tape.call(1, "a")
    made = [program(tape.journal, field.example) for field in FIELDS]
    assert all(isinstance(each, Program) for each in made)
    assert Workshop.__doc__


def test_a_message_is_found_by_its_server(tape: Tape) -> None:
    tape.request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me"}})
    assert found(tape.journal, "server == shop") == []
    tape.answer(1, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "shop"}})
    assert found(tape.journal, "server == shop") == [1, 2]
    assert found(tape.journal, "not server == shop") == []
    tape.journal.name = "the one in the harbour"
    assert found(tape.journal, "server contains harbour and kind == request") == [1]
