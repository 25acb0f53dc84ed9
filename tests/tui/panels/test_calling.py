"""Making calls."""

import asyncio

from inspector.errors import Disconnected
from inspector.forms.fields import UNSET
from inspector.protocol.flows.steps import Broken
from inspector.protocol.things import Tool
from inspector.tui.panels.calling import Calling, question
from inspector.tui.subject import Stage
from inspector.viewmodels.lines import plain
from tests.tui.panels.acting import Acting
from tests.tui.panels.schemas import CLEAR, ECHO
from tests.waiting import until


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


def test_why_nothing_can_be_called_is_said() -> None:
    subject = Acting([])
    calling = Calling(subject)
    assert calling.why_not() == ""
    subject.now_stage = Stage.CLOSED
    assert "not connected" in calling.why_not()
    subject.now_stage = Stage.CONNECTING
    assert "connecting" in calling.why_not()
    subject.can_act = False
    assert "recording" in calling.why_not()


def test_a_question_names_the_tool_and_the_server_safely() -> None:
    lines = [plain(line) for line in question(Tool({"name": "\x1b[2Jwipe"}), "light\x07house")]
    assert lines[0] == "Call ␛[2Jwipe on light␇house?"


async def test_a_call_that_is_to_be_a_task_asks_for_one_and_stays_the_call_while_it_is_followed() -> None:
    subject = Acting([])
    calling = Calling(subject)
    call = await calling.make(calling.begin(Tool(ECHO), {"text": "hi"}, as_task=True))
    assert subject.calls == [{"name": "echo", "arguments": {"text": "hi"}, "task": {}}]
    assert call.exchange is not None
    assert call.exchange.method == "tools/call"
