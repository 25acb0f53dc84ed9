"""Calls of an item: sending them, their time limits, and the list of earlier ones."""

import asyncio
from typing import Any

import pytest

from inspector.errors import Disconnected
from inspector.forms.fields import UNSET
from inspector.present.calls import arguments_of, view_call
from inspector.present.result import CallOutcome
from inspector.present.spans import plain
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Reply, Silent
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.listed_items import Tool
from inspector.protocol.server_requests import RequestKind, ServerRequest
from inspector.session.inbox import Ticket
from inspector.session.options import Timeouts as Bounds
from inspector.session.waiting import Left
from inspector.tui.conversation import ConversationStage, InboxView, RequestView
from inspector.tui.results.calls import (
    CallClocks,
    CallHistory,
    Calling,
    HistoryRows,
    clock_lines,
    clocks_of,
    question,
    whole_seconds,
)
from tests.present.tape import Tape
from tests.tui.screens.acting import Acting
from tests.tui.screens.schemas import CLEAR, ECHO, SUM
from tests.tui.staging import Staged
from tests.waiting import until


def test_calls_are_found_by_their_tool_live_or_recorded() -> None:
    subject = Acting([])
    history = CallHistory(subject)
    history.take()
    subject.tape.call(1, "add", {"a": 1})
    subject.tape.call(2, "echo")
    subject.tape.server_request(1, "tools/call", {"name": "add"})
    assert history.take()
    assert not history.take()
    assert [call.exchange.id for call in history.of("add")] == [1]
    assert history.of("nothing") == []


def test_call_row_has_status_duration_and_arguments() -> None:
    subject = Acting([])
    subject.tape.call(1, "add", {"a": 1})
    subject.tape.wait(31)
    subject.tape.answer(1, {"content": []})
    subject.tape.wait(1000)
    subject.tape.call(2, "add", {"a": "\x1b[2J"})
    history = CallHistory(subject)
    history.take()
    rows = HistoryRows(subject, lambda: history.of("add"))
    newest, oldest = (plain(rows.row(index, 90).spans).split() for index in range(2))
    assert rows.row(0, 90).live
    assert newest[1:3] == ["⋯", "Pending"]
    assert "\x1b" not in " ".join(newest)
    assert oldest[1:5] == ["✓", "OK", "31", "ms"]
    assert oldest[5:] == ['{"a":', "1}"]


def test_the_chosen_call_stays_chosen_when_a_newer_one_comes() -> None:
    subject = Acting([])
    subject.tape.call(1, "add")
    history = CallHistory(subject)
    history.take()
    rows = HistoryRows(subject, lambda: history.of("add"))
    key = rows.key(0)
    subject.tape.call(2, "add")
    history.take()
    assert rows.index_of(key) == 1
    assert rows.call(0).exchange.id == 2


async def test_a_call_is_made_with_its_arguments_and_ends() -> None:
    subject = Acting([])
    calling = Calling(subject)
    call = calling.begin(Tool(ECHO), {"text": "hi"})
    assert calling.of(Tool(ECHO)) is call
    await calling.make(call)
    assert subject.calls == [{"name": "echo", "arguments": {"text": "hi"}}]
    assert call.over
    assert calling.newest is None


async def test_no_arguments_at_all_are_left_out() -> None:
    subject = Acting([])
    calling = Calling(subject)
    await calling.make(calling.begin(Tool(ECHO), UNSET))
    assert subject.calls == [{"name": "echo"}]


async def test_a_connection_that_is_gone_is_what_came_of_it() -> None:
    subject = Acting([])
    subject.answer = lambda params: Disconnected("it is gone", hint="try again")
    calling = Calling(subject)
    call = await calling.make(calling.begin(Tool(ECHO), {}))
    assert call.called is not None
    assert isinstance(call.called.reply, Broken)
    assert call.called.reply.hint == "try again"
    assert not calling.running


async def test_the_newest_call_is_the_one_that_is_cancelled() -> None:
    subject = Acting([])
    subject.gate = asyncio.Event()
    calling = Calling(subject)
    assert not await calling.cancel()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(calling.make(calling.begin(Tool(ECHO), {"text": "first"})))
        call = calling.begin(Tool(ECHO), {"text": "second"})
        tasks.create_task(calling.make(call))
        await until(lambda: call.exchange is not None, "the second call was sent")
        assert await calling.cancel()
    assert subject.cancelled == [call.exchange]


def test_a_destructive_tool_asks_once() -> None:
    calling = Calling(Acting([]))
    assert not calling.must_ask(Tool(ECHO))
    assert calling.must_ask(Tool(CLEAR))
    calling.confirmed(Tool(CLEAR))
    assert not calling.must_ask(Tool(CLEAR))


def test_why_not_names_the_obstacle() -> None:
    subject = Acting([])
    calling = Calling(subject)
    assert calling.why_not() == ""
    subject.now_stage = ConversationStage.CLOSED
    assert "not connected" in calling.why_not()
    subject.now_stage = ConversationStage.CONNECTING
    assert "connecting" in calling.why_not()
    subject.can_act = False
    assert "read-only" in calling.why_not()


def test_a_question_names_the_tool_and_the_server_safely() -> None:
    lines = [plain(line) for line in question(Tool({"name": "\x1b[2Jwipe"}), "light\x07house")]
    assert lines[1:] == ["Tool    ␛[2Jwipe", "Server  light␇house"]


async def test_a_call_that_is_to_be_a_task_asks_for_one_and_stays_the_call_while_it_is_followed() -> None:
    subject = Acting([])
    calling = Calling(subject)
    call = await calling.make(calling.begin(Tool(ECHO), {"text": "hi"}, as_task=True))
    assert subject.calls == [{"name": "echo", "arguments": {"text": "hi"}, "task": {}}]
    assert call.exchange is not None
    assert call.exchange.method == "tools/call"


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
    looked = view_call(tape.journal, exchange, SUM)
    assert looked.view.outcome is CallOutcome.OK
    assert looked.verdict is not None
    assert [problem.pointer for problem in looked.verdict.problems] == ["/sum"]
    assert b"structuredContent" in looked.raw
    assert looked.arguments == {"a": 1}
    assert "20 ms" in plain(looked.view.headline)


def test_three_failures_are_three_different_things() -> None:
    tool_error = view_call(*_of(called({"content": [], "isError": True})), None)
    refused = view_call(*_of(called(error=(-32602, "no"))), None)
    lost = view_call(*_of(called()), None)
    assert [each.view.outcome for each in (tool_error, refused, lost)] == [
        CallOutcome.TOOL_ERROR,
        CallOutcome.JSONRPC_ERROR,
        CallOutcome.NO_ANSWER,
    ]


def test_a_call_that_ended_with_its_server_shows_the_exception_of_stderr() -> None:
    tape = Tape().started()
    tape.call(1, "crash", {})
    for line in (b"Traceback (most recent call last):", b"    raise KeyError('boom')", b"KeyError: 'boom\x1b'"):
        tape.stderr(line)
    tape.died()
    view = view_call(tape.journal, tape.journal.conversation.exchanges[0], None).view
    assert [plain(line) for line in view.message] == ["the server ended", "stderr  KeyError: 'boom␛'"]


def _of(made: tuple[Tape, Exchange]) -> tuple[Any, Exchange]:
    return made[0].journal, made[1]


@pytest.mark.parametrize(
    ("reply", "came", "said"),
    [
        (Silent(None, 60.0, "idle"), CallOutcome.TIMEOUT, "60 seconds (idle timeout)"),
        (
            Refused(None, 200, "text/html", b"<p>Other program</p>"),
            CallOutcome.NO_ANSWER,
            "The server answered tools/call with HTTP 200 (text/html): Other program",
        ),
        (Broken(None, "the server ended"), CallOutcome.NO_ANSWER, "the server ended"),
        (GivenUp(None), CallOutcome.CANCELLED, "Cancelled."),
    ],
)
def test_reply_without_a_frame_is_shown(reply: Reply, came: CallOutcome, said: str) -> None:
    tape, exchange = called()
    looked = view_call(tape.journal, exchange, None, Called(reply, 2))
    assert looked.view.outcome is came
    assert said in plain(looked.view.message[0])


def test_message_after_cancellation_does_not_change_the_view() -> None:
    tape, exchange = called()
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    tape.error(1, 0, "Request cancelled")
    given_up = view_call(tape.journal, exchange, None, Called(Silent(None, 5.0, "total"), 1))
    assert given_up.view.outcome is CallOutcome.TIMEOUT
    assert "5 seconds (total timeout)" in plain(given_up.view.message[0])
    cancelled = view_call(tape.journal, exchange, None, Called(GivenUp(None, "enough"), 1))
    assert cancelled.view.outcome is CallOutcome.CANCELLED


def test_unsent_call_has_a_reason() -> None:
    tape, _ = called()
    looked = view_call(tape.journal, None, None, Called(Broken(None, "not connected"), 1))
    assert plain(looked.view.message[0]) == "not connected"
    assert looked.exchange is None


def test_a_recorded_call_that_was_cancelled_is_a_cancelled_one() -> None:
    tape, exchange = called()
    tape.notify("notifications/cancelled", {"requestId": 1, "reason": "enough"}, by_client=True)
    assert view_call(tape.journal, exchange, None).view.outcome is CallOutcome.CANCELLED


@pytest.mark.parametrize("id_", [b"null", b'"server-error"'])
def test_an_error_that_has_not_the_id_of_the_call_is_read_back_as_its_answer(id_: bytes) -> None:
    tape = Tape(http=True)
    tape.call(1, "add", http=1)
    error = b'{"jsonrpc":"2.0","id":%b,"error":{"code":-32600,"message":"no session"}}' % id_
    tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, error, http=1)
    looked = view_call(tape.journal, tape.journal.conversation.exchanges[0], None)
    assert looked.view.outcome is CallOutcome.JSONRPC_ERROR
    assert "no session" in plain(looked.view.message[0])


def test_arguments_that_are_not_there_are_none() -> None:
    tape = Tape()
    tape.request(1, "tools/call", {"name": "add"})
    assert arguments_of(tape.journal, tape.journal.conversation.exchanges[0]) is None


def test_cut_call_warns_that_it_may_have_run() -> None:
    tape, exchange = called()
    cut = Refused(None, 200, "text/event-stream", b"", why="the server broke the connection off", begun=True)
    looked = view_call(tape.journal, exchange, None, Called(cut, 1))
    assert looked.view.outcome is CallOutcome.NO_ANSWER
    said = " ".join([*map(plain, looked.view.message), looked.view.hint])
    assert "the server broke the connection off" in said
    assert "may have run it. Run it again only if twice does no harm." in said


BOTH = Bounds(60, 3600)


class Timed(Staged):
    """Says what the test says of clocks and tickets."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.requests: Clocks = Clocks()
        self.inbox: Waiting = Waiting()


class Clocks(RequestView):
    left: Left | None = None

    def clocks_of(self, exchange: Exchange) -> Left | None:
        return self.left


class Waiting(InboxView):
    tickets: tuple[Ticket, ...] = ()


def lines(clocks: CallClocks) -> list[str]:
    return [plain(line) for line in clock_lines(clocks)]


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (Left(54.2, 3594.2, BOTH), "idle timeout   55 s left of 60 s, total timeout  59m 55s left of 1h 00m"),
        (Left(None, 20, Bounds(None, 30)), "idle timeout   off, total timeout  20 s left of 30 s"),
        (Left(-0.5, None, Bounds(5, None)), "idle timeout   0 s left of 5 s, total timeout  off"),
    ],
)
def test_call_clocks_show_the_remaining_time(left: Left, words: str) -> None:
    assert lines(CallClocks(left)) == words.split(", ")


def test_a_clock_that_has_nearly_run_out_warns() -> None:
    idle, total = clock_lines(CallClocks(Left(9, 100, BOTH)))
    assert (idle[1][1], total[1][1]) == ("warning", "muted")


def test_call_clocks_pause_while_input_waits() -> None:
    held, *clocks = lines(CallClocks(Left(60, 3000, BOTH, held=True), held=True))
    assert held.startswith("◆ blocked: waiting for your input")
    assert clocks == ["idle timeout   paused", "total timeout  50m 00s left of 1h 00m"]


def test_between_two_rounds_only_the_person_is_waited_for() -> None:
    assert len(lines(CallClocks(None, held=True))) == 1


def test_clocks_of_an_ended_call_are_empty(tape: Tape) -> None:
    assert lines(clocks_of(Timed(tape), None)) == []
    tape.call(1, "a")
    tape.answer(1, {"content": []})
    subject = Timed(tape)
    subject.requests.left = Left(1, 1, BOTH)
    assert clocks_of(subject, tape.journal.conversation.exchanges[0]) == CallClocks()


async def test_waiting_request_holds_its_call_only(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    first, second = tape.journal.conversation.exchanges
    subject = Timed(tape)
    subject.requests.left = Left(60, 3600, BOTH)
    subject.inbox.tickets = (Ticket(1, ServerRequest(RequestKind.ROOTS, {}, 3, 3, 0, cause=1)),)
    assert clocks_of(subject, first) == CallClocks(subject.requests.left, held=True)
    assert clocks_of(subject, second) == CallClocks(subject.requests.left)


def test_clocks_are_drawn_again_when_a_second_has_gone() -> None:
    assert whole_seconds(CallClocks(Left(54.2, 3594.2, BOTH))) == whole_seconds(CallClocks(Left(54.9, 3594.9, BOTH)))
    assert whole_seconds(CallClocks(Left(53.9, 3594.2, BOTH))) != whole_seconds(CallClocks(Left(54.2, 3594.2, BOTH)))
    assert whole_seconds(CallClocks()) == (None, None, False)
