"""Which turn of the client each frame belongs to."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.capture.load import load
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction
from inspector.replay.mock.outline import Outline
from inspector.replay.mock.wires import chosen
from tests.replay.mock.making import HANDSHAKE, answer, call, note, record, request, text


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
    try:
        outline = _outline(journal)
        assert outline.methods[2:] == ["tools/call", "tools/call", "notifications/roots/list_changed"]
        assert [[n - 1 for n in outline.frames(turn)] for turn in (2, 3, 4)] == [[4, 5], [4, 5], [4, 6]]
        what: Any = journal.store.entry(6).what
        assert [getattr(message, "id", None) for message in outline.messages(3, what)] == [2]
    finally:
        journal.close()


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


def test_on_http_what_is_said_on_the_stream_of_a_request_is_said_in_its_turn(tmp_path: Path) -> None:
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
