"""Calls read back from the journal."""

from typing import Any

import pytest

from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Reply, Silent
from inspector.protocol.frames import Channel, Direction
from inspector.tui.keys import action
from inspector.tui.panels.calls import arguments_of, look
from inspector.viewmodels.lines import plain
from inspector.viewmodels.result import Came
from tests.tui.panels.schemas import SUM
from tests.viewmodels.tape import Tape


def called(result: Any = None, error: tuple[int, str] | None = None) -> tuple[Tape, Exchange]:
    tape = Tape()
    tape.call(1, "add", {"a": 1})
    tape.wait(20)
    if error is not None:
        tape.error(1, *error)
    elif result is not None:
        tape.answer(1, result)
    return tape, tape.journal.conversation.exchanges[0]


def test_a_result_is_read_back_with_its_verdict() -> None:
    tape, exchange = called({"content": [], "structuredContent": {"sum": "no"}})
    looked = look(tape.journal, exchange, SUM)
    assert looked.view.came is Came.OK
    assert looked.verdict is not None
    assert [problem.pointer for problem in looked.verdict.problems] == ["/sum"]
    assert b"structuredContent" in looked.raw
    assert looked.arguments == {"a": 1}
    assert "20 ms" in plain(looked.view.headline)


def test_three_failures_are_three_different_things() -> None:
    tool_error = look(*_of(called({"content": [], "isError": True})), None)
    refused = look(*_of(called(error=(-32602, "no"))), None)
    lost = look(*_of(called()), None)
    assert [each.view.came for each in (tool_error, refused, lost)] == [
        Came.TOOL_ERROR,
        Came.JSONRPC_ERROR,
        Came.NO_ANSWER,
    ]


def _of(made: tuple[Tape, Exchange]) -> tuple[Any, Exchange]:
    return made[0].journal, made[1]


@pytest.mark.parametrize(
    ("reply", "came", "said"),
    [
        (Silent(None, 60.0, "idle"), Came.TIMEOUT, "60 seconds (the idle clock ran out)"),
        (Refused(None, 503, "text/html", b""), Came.NO_ANSWER, "HTTP 503"),
        (Broken(None, "the server ended"), Came.NO_ANSWER, "the server ended"),
        (GivenUp(None), Came.CANCELLED, "Cancelled here."),
    ],
)
def test_what_no_frame_says_comes_from_the_reply(reply: Reply, came: Came, said: str) -> None:
    tape, exchange = called()
    looked = look(tape.journal, exchange, None, Called(reply, 2))
    assert looked.view.came is came
    assert said in plain(looked.view.said[0])


def test_what_comes_after_a_call_was_given_up_does_not_change_what_is_said_of_it() -> None:
    tape, exchange = called()
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    tape.error(1, 0, "Request cancelled")
    given_up = look(tape.journal, exchange, None, Called(Silent(None, 5.0, "total"), 1))
    assert given_up.view.came is Came.TIMEOUT
    assert "5 seconds (the total clock ran out)" in plain(given_up.view.said[0])
    cancelled = look(tape.journal, exchange, None, Called(GivenUp(None, "enough"), 1))
    assert cancelled.view.came is Came.CANCELLED


def test_a_call_that_was_never_sent_says_why() -> None:
    tape, _ = called()
    looked = look(tape.journal, None, None, Called(Broken(None, "not connected"), 1))
    assert plain(looked.view.said[0]) == "not connected"
    assert looked.exchange is None


def test_a_recorded_call_that_was_cancelled_is_a_cancelled_one() -> None:
    tape, exchange = called()
    tape.notify("notifications/cancelled", {"requestId": 1, "reason": "enough"}, by_client=True)
    assert look(tape.journal, exchange, None).view.came is Came.CANCELLED


@pytest.mark.parametrize("id_", [b"null", b'"server-error"'])
def test_an_error_that_has_not_the_id_of_the_call_is_read_back_as_its_answer(id_: bytes) -> None:
    tape = Tape(http=True)
    tape.call(1, "add", http=1)
    error = b'{"jsonrpc":"2.0","id":%b,"error":{"code":-32600,"message":"no session"}}' % id_
    tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, error, http=1)
    looked = look(tape.journal, tape.journal.conversation.exchanges[0], None)
    assert looked.view.came is Came.JSONRPC_ERROR
    assert "no session" in plain(looked.view.said[0])


def test_arguments_that_are_not_there_are_none() -> None:
    tape = Tape()
    tape.request(1, "tools/call", {"name": "add"})
    assert arguments_of(tape.journal, tape.journal.conversation.exchanges[0]) is None


def test_a_call_whose_stream_was_cut_may_have_been_done_and_the_key_that_repeats_it_is_named() -> None:
    tape, exchange = called()
    cut = Refused(None, 200, "text/event-stream", b"", why="the server broke the connection off", begun=True)
    looked = look(tape.journal, exchange, None, Called(cut, 1))
    assert looked.view.came is Came.NO_ANSWER
    said = " ".join([*map(plain, looked.view.said), looked.view.hint])
    assert "the server broke the connection off" in said
    assert "may have done it" in said
    assert f"repeat it: {action('tools.repeat').key_text}" in said
