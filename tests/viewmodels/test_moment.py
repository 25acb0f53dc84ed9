"""What was known at a moment, and nothing of what came later."""

from inspector.capture.past import Past
from inspector.viewmodels.lines import plain
from inspector.viewmodels.moment import moment_sections
from tests.tui.staging import handshake
from tests.viewmodels.tape import Tape


def said(tape: Tape, n: int) -> dict[str, str]:
    """Each section as one text."""
    return {
        section.title: "\n".join(
            [*(f"{fact.key}: {fact.value}" for fact in section.facts), *map(plain, section.lines), section.note]
        )
        for section in moment_sections(Past(tape.journal).at(n))
    }


def test_before_anything_has_come_nothing_is_known(tape: Tape) -> None:
    found = said(tape, 0)
    assert "nothing has come yet" in found["State"]
    assert "tools: not listed yet" in found["Lists"]


def test_revision_lists_and_what_is_in_flight_are_those_of_the_moment(tape: Tape) -> None:
    handshake(tape.started())
    tape.call(3, "buy")
    asked = tape.journal.count
    tape.wait(500).notify("notifications/progress", {"progressToken": 3, "progress": 1, "total": 4})
    tape.answer(3, {"content": []})
    assert "not settled yet" in said(tape, 3)["State"]
    found = said(tape, asked + 1)
    assert "2025-11-25" in found["State"]
    assert "4711 runs" in found["State"]
    assert f"tools/call buy  #{asked}  ⋯ for 500 ms  1 of 4" in found["In flight"]
    assert "tools: 2: buy, sell" in found["Lists"]
    assert said(tape, asked + 2)["In flight"].strip() == "nothing"


def test_a_list_is_stale_since_the_first_word_of_the_server_after_it_was_asked_for(tape: Tape) -> None:
    handshake(tape)
    assert "stale" not in said(tape, tape.journal.count)["Lists"]
    told = tape.notify("notifications/tools/list_changed")
    tape.notify("notifications/tools/list_changed")
    assert f"stale since #{told} (notifications/tools/list_changed)" in said(tape, told + 1)["Lists"]
    tape.request(8, "tools/list")
    tape.answer(8, {"tools": []})
    assert "stale" not in said(tape, tape.journal.count)["Lists"]


def test_what_is_watched_asked_and_set_is_told(tape: Tape) -> None:
    handshake(tape).request(4, "resources/subscribe", {"uri": "demo://a\x1b"})
    tape.answer(4, {})
    tape.notify("notifications/resources/updated", {"uri": "demo://a\x1b"})
    tape.request(5, "logging/setLevel", {"level": "warning"})
    tape.answer(5, {})
    tape.server_request(1, "roots/list")
    tape.client_answer(1, {"roots": [{"uri": "file:///srv"}]})
    tape.call(6, "buy")
    question = tape.server_request(2, "elicitation/create", {"message": "Which?"})
    found = said(tape, tape.journal.count)
    assert "demo://a␛: updated 1 times" in found["Watched"]
    assert "log level: warning and graver" in found["State"]
    assert "roots: file:///srv" in found["Asked of the client"]
    assert f"elicitation: Which?  #{question}" in found["Asked of the client"]
    tape.client_answer(2, {"action": "decline"})
    assert "Which?" not in said(tape, tape.journal.count)["Asked of the client"]


def test_a_task_that_runs_is_told(tape: Tape) -> None:
    handshake(tape).call(3, "dig")
    asked = tape.journal.count
    tape.answer(3, {"task": {"taskId": "t1", "status": "working", "createdAt": "x", "ttl": 1}})
    running = said(tape, tape.journal.count).get("Tasks", "")
    assert "t1: ⋯ working" in running or asked == 0, running
