"""Which turn of the client each frame belongs to."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.mock.outline import Outline, Turns, chosen, connections
from inspector.features.mock.running import read_script
from inspector.features.mock.script import Junk, Say, Script, ScriptedResponse, ScriptedServerRequest, Turn
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.revisions._shape import Era
from tests.features.mock.making import (
    FORM,
    HANDSHAKE,
    answer,
    call,
    close_scripts,
    meta,
    note,
    record,
    request,
    scripted,
    text,
)


def _outline(journal: Journal) -> Outline:
    return Outline(journal, chosen(journal))


def _told(path: Path) -> list[tuple[str, list[int]]]:
    """Each turn: its method, and its frames counted from the capture's first."""
    journal = load(path)
    try:
        found = _outline(journal)
        return [(method, [n - 1 for n in found.frames(turn)]) for turn, method in enumerate(found.methods)]
    finally:
        journal.close()


def test_calls_that_overlap_on_a_pipe_keep_what_names_them_and_the_rest_is_the_last_one_s(tmp_path: Path) -> None:
    progress = note("notifications/progress", {"progressToken": 1, "progress": 1})
    path = record(
        tmp_path / "c.mcpcap",
        *(*HANDSHAKE, call(1, "moor"), call(2, "sail"), "<", progress, note("notifications/message", {"data": 1})),
        *(answer(2, text("gone")), note("notifications/message", {"data": 2}), answer(1, text("here"))),
    )
    assert _told(path)[2:] == [("tools/call", [4, 6, 9, 10]), ("tools/call", [5, 7, 8])]


def test_each_message_of_a_batch_belongs_to_its_own_turn(tmp_path: Path) -> None:
    path = record(
        tmp_path / "c.mcpcap",
        *(*HANDSHAKE, [call(1, "moor"), call(2, "sail"), note("notifications/roots/list_changed")], "<"),
        *([answer(2, text("gone")), answer(1, text("here"))], b"junk"),
    )
    journal = load(path)
    outline = _outline(journal)
    assert outline.methods[2:] == ["tools/call", "tools/call", "notifications/roots/list_changed"]
    assert [[n - 1 for n in outline.frames(turn)] for turn in (2, 3, 4)] == [[4, 5], [4, 5], [4, 6]]
    what: Any = journal.store.entry(6).what
    assert [getattr(message, "id", None) for message in outline.messages(3, what)] == [2]


@pytest.mark.parametrize("given_up", [False, True])
def test_an_answer_behind_a_lost_connection_counts_unless_the_client_had_given_up(
    given_up: bool, tmp_path: Path
) -> None:
    journal = start_capture(tmp_path / "c.mcpcap")
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url="http://127.0.0.1/mcp"))
    sent = [request(1, "tools/list"), *([note("notifications/cancelled", {"requestId": 1})] if given_up else [])]
    for message in sent:
        journal.frame(Direction.TO_SERVER, Channel.POST, json.dumps(message).encode(), http=1)
    journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "http", why="gone"))
    journal.frame(Direction.FROM_SERVER, Channel.GET, json.dumps(answer(1, {"tools": []})).encode(), http=2)
    journal.close()
    assert _told(tmp_path / "c.mcpcap") == [("tools/list", [1] if given_up else [1, 3])]


def test_messages_on_the_stream_of_a_request_belong_to_its_turn(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "c.mcpcap")
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url="http://127.0.0.1/mcp"))
    said = json.dumps(note("notifications/message", {"data": 1})).encode()
    for id_ in (1, 2):
        asked = json.dumps(call(id_, "moor")).encode()
        journal.frame(Direction.TO_SERVER, Channel.POST, asked, http=id_)
    journal.frame(Direction.FROM_SERVER, Channel.SSE, said, http=1)
    journal.frame(Direction.FROM_SERVER, Channel.GET, said, http=9)
    journal.close()
    assert _told(tmp_path / "c.mcpcap") == [("tools/call", [1, 3]), ("tools/call", [2, 4])]


def _turn(script: Script, method: str) -> Turn:
    turn = script.first(method)
    assert turn is not None
    return turn


def test_turn_has_all_messages_until_the_response(tmp_path: Path) -> None:
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
    assert [type(step) for step in turn.steps] == [Say, Say, Junk, ScriptedServerRequest, ScriptedResponse]
    assert [step.pause_ns // 1_000_000 for step in turn.steps] == [20, 30, 0, 0, 40], "a person's time is no pause"
    ask = turn.steps[3]
    assert isinstance(ask, ScriptedServerRequest)
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
    assert [type(step) for step in turn.steps] == [ScriptedServerRequest, ScriptedResponse]
    (query,) = turn.steps[0].queries  # type: ignore[union-attr]
    assert query.key == "berth"
    assert query.answer is not None
    assert query.answer.value == {"action": "cancel"}
    assert turn.era is Era.MODERN


def test_server_messages_between_requests_follow_the_last_client_message(tmp_path: Path) -> None:
    roots = request(3, "roots/list")
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, "<", roots, ">", answer(3, {"roots": []}))
    turn = _turn(script, "notifications/initialized")
    (ask,) = turn.steps
    assert isinstance(ask, ScriptedServerRequest)
    assert ask.queries[0].method == "roots/list"


def test_a_cancelled_call_keeps_nothing_for_itself(tmp_path: Path) -> None:
    script = scripted(
        tmp_path / "c.mcpcap",
        *(*HANDSHAKE, call(1, "wait"), note("notifications/cancelled", {"requestId": 1})),
        *(request(2, "resources/list"), "<", answer(2, {"resources": []}), note("notifications/message", {"data": 1})),
    )
    assert not _turn(script, "tools/call").is_answered
    assert len(_turn(script, "resources/list").after) == 1


def test_unreadable_turn_plays_nothing(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "moor"), "<", answer(1, text("yes")))
    close_scripts()
    assert (script.turns.methods[2], script.turns.target(2), script.turns.params(2)) == ("tools/call", "moor", {})
    assert (script.turns[2].steps, script.turns[2].era) == ((), None)


def test_turns_are_a_sequence(tmp_path: Path) -> None:
    turns = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "moor")).turns
    assert isinstance(turns, Turns)
    assert (len(turns), turns.requests, turns[-1].method) == (3, 2, "tools/call")
    assert [turn.method for turn in turns[:2]] == ["initialize", "notifications/initialized"]


def test_connection_of_a_script_is_chosen_by_name(tmp_path: Path) -> None:
    path = record(tmp_path / "c.mcpcap", *HANDSHAKE, "|", *HANDSHAKE, request(1, "tools/list"))
    journal = load(path)
    assert [wire.name for wire in connections(journal)] == ["c1", "c2"]
    with pytest.raises(UsageError, match="holds 2 connections") as caught:
        read_script(journal)
    assert "c1 (stdio made, 3 frames); c2 (stdio made, 4 frames)" in caught.value.hint
    assert len(read_script(journal, "c2").turns) == 3
    with pytest.raises(UsageError, match="c9: no such connection"):
        read_script(journal, "c9")


def test_script_without_a_client_is_refused(tmp_path: Path) -> None:
    journal = load(record(tmp_path / "c.mcpcap", "<", b"listening"))
    with pytest.raises(UsageError, match="nothing to play"):
        read_script(journal)
