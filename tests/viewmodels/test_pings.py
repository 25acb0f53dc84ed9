"""Round trips, as the frames tell of them."""

from inspector.protocol.revisions.table import ROWS
from inspector.viewmodels.pings import method_of, ping_section
from tests.viewmodels.tape import Tape

LEGACY, MODERN = "2025-06-18", "2026-07-28"
META = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}


def told(tape: Tape) -> dict[str, str]:
    return {fact.key: fact.value for fact in ping_section(tape.journal).facts}


def test_each_revision_has_a_ping_or_what_comes_nearest() -> None:
    assert [method_of(row) for row in ROWS] == ["ping"] * 4 + ["server/discover"]


def test_before_the_first_ping_there_is_nothing_to_tell(tape: Tape) -> None:
    assert told(tape) == {}
    tape.initialized(LEGACY)
    assert told(tape) == {}


def test_the_last_the_least_the_middle_and_the_most_are_told(tape: Tape) -> None:
    tape.initialized(LEGACY)
    for id_, took in enumerate((5, 3, 10), 1):
        tape.request(id_, "ping")
        tape.wait(took).answer(id_, {})
    assert told(tape) == {"last": "10 ms", "least": "3.0 ms", "median": "5.0 ms of the last 3", "most": "10 ms"}


def test_one_on_its_way_and_one_that_was_lost_are_told_as_such(tape: Tape) -> None:
    tape.initialized(LEGACY)
    tape.request(1, "ping")
    assert told(tape) == {"last": "⋯ on its way"}
    tape.died()
    assert told(tape) == {"last": "✗ lost", "without answer": "1"}


def test_an_error_is_a_round_trip_too(tape: Tape) -> None:
    tape.initialized(LEGACY)
    tape.request(1, "ping")
    tape.wait(5).error(1, -32601, "no")
    assert told(tape)["last"] == "5.0 ms, answered with error -32601"


def test_the_servers_own_pings_are_not_ours(tape: Tape) -> None:
    tape.initialized(LEGACY)
    tape.server_request(1, "ping")
    assert told(tape) == {}


def test_where_there_is_no_ping_the_request_in_its_place_is_named(tape: Tape) -> None:
    answer = {"supportedVersions": [MODERN], "capabilities": {}, "serverInfo": {"name": "x"}, "resultType": "complete"}
    tape.request(1, "server/discover", META)
    tape.wait(50).answer(1, answer)
    assert told(tape) == {}
    tape.request(2, "server/discover", META)
    tape.wait(4).answer(2, answer)
    assert told(tape)["last"] == "4.0 ms"
    assert ping_section(tape.journal).note == "by server/discover: this revision has no ping"
