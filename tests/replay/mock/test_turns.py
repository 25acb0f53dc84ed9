"""A turn, read from the capture with all that was said in it."""

from pathlib import Path

from inspector.protocol.revisions._shape import Era
from inspector.replay.mock.script import Ask, End, Junk, Say, Script, Turn
from inspector.replay.mock.turns import Turns
from tests.replay.mock.making import FORM, HANDSHAKE, answer, call, close_scripts, meta, note, request, scripted, text


def _turn(script: Script, method: str) -> Turn:
    turn = script.first(method)
    assert turn is not None
    return turn


def test_a_call_is_read_with_all_that_was_said_until_its_answer(tmp_path: Path) -> None:
    progress = note("notifications/progress", {"progressToken": 1, "progress": 1})
    log = note("notifications/message", {"level": "info", "data": "half"})
    script = scripted(
        tmp_path / "c.mcpcap",
        *HANDSHAKE,
        *(">", call(1, "moor"), "<", 20, progress, 30, log, b"Berth free"),
        *(request(7, "elicitation/create", FORM), ">", 5000, answer(7, {"action": "decline"}), "<", 40),
        *(answer(1, text("no")), 10, note("notifications/tools/list_changed")),
    )
    turn = _turn(script, "tools/call")
    assert [type(step) for step in turn.steps] == [Say, Say, Junk, Ask, End]
    assert [step.pause_ns // 1_000_000 for step in turn.steps] == [20, 30, 0, 0, 40], "a person's time is no pause"
    ask = turn.steps[3]
    assert isinstance(ask, Ask)
    assert ask.queries[0].answer is not None
    assert ask.queries[0].answer.value == {"action": "decline"}
    assert [type(step) for step in turn.after] == [Say]
    assert (script.era, script.server["name"]) == (Era.LEGACY, "made")


def test_questions_in_a_result_and_the_retry_that_answers_are_one_turn(tmp_path: Path) -> None:
    asked = {
        "resultType": "input_required",
        "inputRequests": {"berth": {"method": "elicitation/create", "params": FORM}},
        "requestState": "s1",
    }
    ask = {"name": "moor", "arguments": {}}
    script = scripted(
        tmp_path / "c.mcpcap",
        *(">", request(1, "tools/call", ask | meta()), "<", answer(1, asked), ">"),
        request(
            2, "tools/call", ask | meta() | {"requestState": "s1", "inputResponses": {"berth": {"action": "cancel"}}}
        ),
        *("<", answer(2, text("done") | {"resultType": "complete"})),
    )
    (turn,) = script.of("tools/call")
    assert [type(step) for step in turn.steps] == [Ask, End]
    (query,) = turn.steps[0].queries  # type: ignore[union-attr]
    assert query.key == "berth"
    assert query.answer is not None
    assert query.answer.value == {"action": "cancel"}
    assert turn.era is Era.MODERN


def test_what_is_said_while_nothing_is_asked_stands_behind_what_the_client_said_last(tmp_path: Path) -> None:
    roots = request(3, "roots/list")
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, "<", roots, ">", answer(3, {"roots": []}))
    turn = _turn(script, "notifications/initialized")
    (ask,) = turn.steps
    assert isinstance(ask, Ask)
    assert ask.queries[0].method == "roots/list"


def test_a_cancelled_call_keeps_nothing_for_itself(tmp_path: Path) -> None:
    script = scripted(
        tmp_path / "c.mcpcap",
        *(*HANDSHAKE, call(1, "wait"), note("notifications/cancelled", {"requestId": 1})),
        *(request(2, "resources/list"), "<", answer(2, {"resources": []}), note("notifications/message", {"data": 1})),
    )
    assert not _turn(script, "tools/call").is_answered
    assert len(_turn(script, "resources/list").after) == 1


def test_of_a_turn_that_can_not_be_read_any_more_nothing_is_played(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "moor"), "<", answer(1, text("yes")))
    close_scripts()
    assert (script.turns.methods[2], script.turns.target(2), script.turns.params(2)) == ("tools/call", "moor", {})
    assert (script.turns[2].steps, script.turns[2].era) == ((), None)


def test_turns_are_a_sequence(tmp_path: Path) -> None:
    turns = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "moor")).turns
    assert isinstance(turns, Turns)
    assert (len(turns), turns.requests, turns[-1].method) == (3, 2, "tools/call")
    assert [turn.method for turn in turns[:2]] == ["initialize", "notifications/initialized"]
