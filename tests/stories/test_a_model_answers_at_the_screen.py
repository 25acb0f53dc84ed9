"""A real model answers a sampling request: its prompt and its answer are shown, edited and sent."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.capabilities import ALL
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions._shape import Era
from inspector.sampler.choice import Key, ModelChoice
from inspector.session.engine import Engine, Live
from inspector.session.options import SessionState, Settings
from inspector.tui.app import InspectApp
from tests.servers.model import KEY, Endpoint, as_json, completion, endpoint
from tests.tui.screen_text import press, shows, text
from tests.waiting import until

REPO = Path(__file__).parents[2]


@pytest.fixture
async def model() -> AsyncIterator[Endpoint]:
    async with endpoint() as there:
        there.answer = lambda body: as_json(completion("Fog."))
        yield there


@pytest.fixture(params=[Era.LEGACY, Era.MODERN])
async def live(request: pytest.FixtureRequest, model: Endpoint, tmp_path: Path) -> AsyncIterator[Live]:
    engine = Engine()
    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={REPO}"])
    target = StdioTarget((sys.executable, "-m", "inspector.demo"), environment, str(REPO))
    choice = ModelChoice(model.url, "tide", Key(KEY))
    settings = Settings(era=request.param, offers=frozenset(ALL), has_person=True, model=choice)
    made = Live(engine, target, start_capture(tmp_path / "c.mcpcap"), settings)
    yield made
    made.end().result(10)
    engine.stop()
    assert KEY.encode() not in (tmp_path / "c.mcpcap").read_bytes()


async def test_sampling_is_proposed_edited_and_sent(live: Live, model: Endpoint) -> None:
    async with (app := InspectApp(lambda: live, first=live)).run_test(size=(100, 44)) as pilot:
        await until(lambda: live.state is SessionState.OPEN and live.session is not None, "connected")
        asked = live.run(lambda session: session.call("tools/call", {"name": "sampling_request", "arguments": {}}))
        await shows(app, "Will there be fog tonight?")
        await press(pilot, "!", shows=("Server request", "Ask the model"))
        await press(pilot, "ctrl+k", shows=("Request for", '"messages"'))
        await press(pilot, "ctrl+j", shows=("responded in", "Fog."))
        assert "You are the oldest gull" in model.asked[0]["messages"][0]["content"]
        assert not asked.done()
        await until(lambda: "Edit" in type(app.focused).__name__, "the result has the focus")
        await pilot.press(*"Thick ", "ctrl+j")
        await until(asked.done, "the call has ended")
        assert KEY not in text(app)
    reply = asked.result().reply
    assert isinstance(reply, Replied)
    assert isinstance(reply.message, ResultResponse)
    assert reply.message.result["content"][0]["text"] == "The model (tide-1) responded: Thick Fog."


async def test_a_question_that_is_withdrawn_ends_the_model_s_work(live: Live, model: Endpoint) -> None:

    model.hold = asyncio.Event()
    async with (app := InspectApp(lambda: live, first=live)).run_test(size=(100, 44)) as pilot:
        await until(lambda: live.state is SessionState.OPEN and live.session is not None, "connected")
        live.run(lambda session: session.call("tools/call", {"name": "sampling_request", "arguments": {}}))
        await shows(app, "Will there be fog tonight?")
        await press(pilot, "!", shows="Ask the model")
        await press(pilot, "ctrl+k", shows="Request for")
        await pilot.press("ctrl+j")
        await until(lambda: model.asked, "the model is asked")
        await shows(app, "waiting for tide at")
        call = next(each for each in live.journal.conversation.exchanges if each.target == "sampling_request")
        await app.conversation.cancel(call)
        await until(lambda: model.gone == 1, "the model is not waited for")
        await shows(app, "Withdrawn", "cancelled")
        await pilot.press("escape")
        await until(lambda: "Server request" not in text(app), "the dialog is closed")
