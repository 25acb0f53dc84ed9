"""What one client hears: questions and their answers, and streams that listen to changes."""

import asyncio
from pathlib import Path

import pytest

from inspector.protocol.jsonrpc import ABSENT, Part
from inspector.protocol.tracking.subscriptions import SUBSCRIPTION_ID, Filter
from inspector.replay.mock.faults import Fault, Kind
from inspector.replay.mock.performing import Act, Answer, Playing, Put, Send, Tell, Where, Write
from inspector.replay.mock.script import Query
from inspector.replay.mock.stage import Stage
from inspector.replay.mock.voice import Answering, Voice
from tests.replay.mock.making import HANDSHAKE, INSTANT, Heard, scripted
from tests.waiting import until


@pytest.fixture
def told() -> list[str]:
    """What the stage says."""
    return []


@pytest.fixture
def common() -> Heard:
    """What went out on the session's stream."""
    return Heard()


@pytest.fixture
def voice(tmp_path: Path, told: list[str], common: Heard) -> Voice:
    """Of one client."""
    return Voice(Stage(scripted(tmp_path / "c.mcpcap", *HANDSHAKE), INSTANT, tell=told.append), common)


def _playing(*acts: Act) -> Playing:
    yield from acts


def _updated(uri: str) -> Send:
    return Send("notifications/resources/updated", Part(None, {"uri": uri}), Where.WATCH)


async def test_each_act_goes_where_it_belongs(voice: Voice, common: Heard, told: list[str]) -> None:
    own = Heard()
    acts = (Send("a", ABSENT, Where.OWN), Send("b", Part(b'{"x": 1E2}'), Where.COMMON), Write(b"junk"), Tell("hm"))
    await voice.drive(_playing(*acts), own)
    assert own.payloads == [b'{"jsonrpc":"2.0","method":"a"}']
    assert common.payloads == [b'{"jsonrpc":"2.0","method":"b","params":{"x": 1E2}}'], "as it was spelt"
    assert (own.junk, told) == ([b"junk"], ["hm"])


async def test_a_question_waits_for_its_answer(voice: Voice) -> None:
    own, query = Heard(), Query("roots/list", ABSENT)
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(voice.drive(_playing(Put(query, Where.OWN), Write(b"on")), own))
        await until(lambda: own.payloads, "it asks")
        assert not asking.done()
        voice.answered(own.messages[0]["id"], Part(b"{}"), failed=False)
    assert own.junk == [b"on"]


async def test_a_change_goes_to_every_stream_that_wants_it_and_else_to_the_session(voice: Voice, common: Heard) -> None:
    first, second = Heard(), Heard()
    with voice.watched("l1", Filter(uris=("a://",)), first), voice.watched(2, Filter(tools=True), second):
        await voice.drive(_playing(_updated("a://b"), _updated("c://d")), Heard())
        await voice.drive(_playing(Send("notifications/tools/list_changed", ABSENT, Where.WATCH)), Heard())
    assert [each["params"] for each in first.messages] == [{"uri": "a://b", "_meta": {SUBSCRIPTION_ID: "l1"}}]
    assert [each["params"] for each in second.messages] == [{"_meta": {SUBSCRIPTION_ID: 2}}]
    await voice.drive(_playing(_updated("a://b")), Heard())
    assert len(common.messages) == 1
    await voice.drive(_playing(Send("notifications/tools/list_changed", ABSENT, Where.LISTENERS)), Heard())
    assert len(common.messages) == 1, "a client that hears of changes only where it listens does not listen"


@pytest.mark.parametrize(
    ("kind", "payloads", "broken"),
    [
        (None, [b'{"jsonrpc":"2.0","id":1,"result":{}}'], []),
        (Kind.MALFORMED, [b'{"jsonrpc":"2.0","'], []),
        (Kind.CUT, [], [b'{"jsonrpc":"2.0","id":1,"result":{}}']),
    ],
)
async def test_an_answer_goes_out_with_its_fault(kind: Kind | None, payloads: list[bytes], broken: list[bytes]) -> None:
    own = Heard()
    answering = Answering(1, own, Fault(kind) if kind else None)
    await answering.take(Answer(b"{}"))
    assert (own.payloads, own.broken, answering.is_final) == (payloads, broken, True)


async def test_questions_are_no_final_answer() -> None:
    answering = Answering(1, Heard(), None)
    await answering.take(Answer(b"{}", asks=True))
    assert not answering.is_final
