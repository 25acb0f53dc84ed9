"""A scripted mock: one connection."""

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import pytest

from inspector.features.mock.connection import PARSE_ERROR, RequestInProgress, Sender
from inspector.features.mock.playback import (
    Act,
    MockNotice,
    Playing,
    Put,
    SendNotification,
    SendResponse,
    StreamChoice,
    Write,
)
from inspector.features.mock.script import Query, Script
from inspector.features.mock.shared import FaultKind, InjectedFault, MockSettings, MockShared, Serves, read_fault
from inspector.protocol.jsonrpc import ABSENT, Part
from inspector.protocol.tracking.subscriptions import SUBSCRIPTION_ID, StreamFilter
from tests.features.mock.making import (
    FORM,
    HANDSHAKE,
    INSTANT,
    LEGACY,
    MODERN,
    Heard,
    answer,
    call,
    client_of,
    meta,
    note,
    refusal,
    request,
    scripted,
    text,
)
from tests.waiting import until


def _moored(place: Path) -> Script:
    """A call that tells of progress, asks and is answered; a list that changes behind it; a watched resource."""
    return scripted(
        place / "moored.mcpcap",
        *(*HANDSHAKE, call(1, "moor"), "<", note("notifications/progress", {"progressToken": 1, "progress": 1})),
        *(request(7, "elicitation/create", FORM), ">", answer(7, {"action": "accept"}), "<", answer(1, text("yes"))),
        *(note("notifications/tools/list_changed"), ">", request(2, "resources/subscribe", {"uri": "a://b"}), "<"),
        *(answer(2, {}), note("notifications/resources/updated", {"uri": "a://b"})),
    )


def _asked_statelessly(place: Path) -> Script:
    """The same question as the stateless era has it, with a state of the server's own."""
    asked = {"berth": {"method": "elicitation/create", "params": FORM}}
    questions = {"resultType": "input_required", "inputRequests": asked, "requestState": "theirs"}
    again = {"requestState": "theirs", "inputResponses": {"berth": {"action": "accept"}}}
    ask = {"name": "moor", "arguments": {}} | meta()
    return scripted(
        place / "stateless.mcpcap",
        *(">", request(1, "tools/call", ask), "<", answer(1, questions), ">", request(2, "tools/call", ask | again)),
        *("<", answer(2, text("yes") | {"resultType": "complete"})),
    )


async def test_a_call_is_played_with_the_client_s_own_token_and_a_question_of_ours(tmp_path: Path) -> None:
    async with client_of(_moored(tmp_path)) as client:
        assert (await client.hello(elicitation={}))["result"]["protocolVersion"] == LEGACY
        calling = client.begin(call("mine", "moor"))
        asked = await client.hears("elicitation/create")
        assert asked["params"] == FORM
        progress = await client.hears("notifications/progress")
        assert progress["params"] == {"progressToken": "mine", "progress": 1}
        await client.say(answer(asked["id"], {"action": "decline"}))
        await calling
        assert client.own.messages[-1] == answer("mine", text("yes"))
        assert (await client.hears("notifications/tools/list_changed"))["jsonrpc"] == "2.0"
        assert client.shared.differences == 1, "it was accepted in the recording"


async def test_a_stateless_client_answers_the_same_question_by_a_retry(tmp_path: Path) -> None:
    ask = {"name": "moor", "arguments": {}} | meta()
    async with client_of(_moored(tmp_path)) as client:
        (asked,) = await client.say(request(1, "tools/call", ask))
        assert asked["result"]["resultType"] == "input_required"
        again = {
            "requestState": asked["result"]["requestState"],
            "inputResponses": {"question-1": {"action": "accept"}},
        }
        (came,) = await client.say(request(2, "tools/call", ask | again))
        assert came["result"] == text("yes") | {"resultType": "complete"}
        assert client.shared.differences == 0


async def test_a_question_that_was_a_result_is_a_request_for_a_client_with_a_handshake(tmp_path: Path) -> None:
    async with client_of(_asked_statelessly(tmp_path)) as client:
        await client.hello(elicitation={})
        calling = client.begin(call(1, "moor"))
        asked = await client.hears("elicitation/create")
        await client.say(answer(asked["id"], {"action": "accept"}))
        await calling
        assert client.own.messages[-1] == answer(1, text("yes"))
        assert client.shared.differences == 0


async def test_a_stateless_client_gets_the_recorded_questions_as_they_were(tmp_path: Path) -> None:
    ask = {"name": "moor", "arguments": {}} | meta()
    async with client_of(_asked_statelessly(tmp_path)) as client:
        (asked,) = await client.say(request(1, "tools/call", ask))
        assert asked["result"]["requestState"] == "theirs"
        again = {"requestState": "theirs", "inputResponses": {"berth": {"action": "cancel"}}}
        (came,) = await client.say(request(2, "tools/call", ask | again))
        assert came["result"]["content"] == text("yes")["content"]
        assert client.shared.differences == 1


async def test_changes_come_on_the_subscription_stream(tmp_path: Path) -> None:
    async with client_of(_moored(tmp_path)) as client:
        wanted = {"toolsListChanged": True}
        client.begin(request("l1", "subscriptions/listen", meta() | {"notifications": wanted}))
        granted = await client.hears("notifications/subscriptions/acknowledged")
        assert granted["params"] == {"_meta": {SUBSCRIPTION_ID: "l1"}, "notifications": wanted}
        ask = {"name": "moor", "arguments": {}} | meta()
        await client.say(request(1, "tools/call", ask))
        state = client.own.messages[-1]["result"]["requestState"]
        await client.say(request(2, "tools/call", ask | {"requestState": state, "inputResponses": {}}))
        changed = await client.hears("notifications/tools/list_changed")
        assert changed["params"] == {"_meta": {SUBSCRIPTION_ID: "l1"}}
        assert client.common.messages == []


async def test_openings_of_either_era_and_ping_are_always_answered(tmp_path: Path) -> None:
    async with client_of(_moored(tmp_path)) as client:
        assert await client.say(request(1, "ping")) == [answer(1, {})]
        (found,) = await client.say(request(2, "server/discover", meta()))
        assert found["result"]["supportedVersions"] == [MODERN]
        stranger = {"_meta": meta()["_meta"] | {next(iter(meta()["_meta"])): "2999-01-01"}}
        (refused,) = await client.say(request(3, "tools/list", stranger))
        assert refused["error"]["code"] == -32022
        assert refused["error"]["data"] == {"supported": [MODERN], "requested": "2999-01-01"}


async def test_a_recorded_refusal_of_discovery_is_played_unless_both_eras_are_wanted(tmp_path: Path) -> None:
    probe = request(9, "server/discover", meta())
    script = scripted(tmp_path / "c.mcpcap", ">", probe, "<", refusal(9, -32601, "what?"), *HANDSHAKE)
    async with client_of(script) as client:
        (refused,) = await client.say(probe)
        assert refused == refusal(9, -32601, "what?")
    async with client_of(script, MockSettings(speed=math.inf, serves=Serves.BOTH)) as client:
        (found,) = await client.say(probe)
        assert found["result"]["supportedVersions"] == [MODERN]


async def test_only_the_era_that_is_served_is_answered(tmp_path: Path) -> None:
    script = _moored(tmp_path)
    async with client_of(script, MockSettings(speed=math.inf, serves=Serves.MODERN)) as client:
        refused = await client.hello()
        assert (refused["error"]["code"], refused["error"]["data"]["supported"]) == (-32022, [MODERN])
    async with client_of(script, MockSettings(speed=math.inf, serves=Serves.LEGACY)) as client:
        (refused,) = await client.say(request(2, "server/discover", meta()))
        assert refused["error"]["code"] == -32601


async def test_unrecorded_request_is_an_error_and_reported(tmp_path: Path) -> None:
    async with client_of(_moored(tmp_path)) as client:
        await client.hello()
        (missing,) = await client.say(call(1, "sink"))
        assert missing["error"]["data"] == {"recorded": ["moor"]}
        assert client.told == ['tools/call: the capture has no tools/call of "sink"; recorded: "moor"']
        assert await client.say(request(2, "resources/unsubscribe", {"uri": "a://b"})) == [answer(2, {})]


async def test_a_call_without_a_recorded_answer_waits_until_it_is_given_up(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "wait"))
    async with client_of(script) as client:
        await client.hello()
        waiting = client.begin(call(5, "wait"))
        await until(lambda: client.told, "it is told that no answer was recorded")
        assert not waiting.done()
        await client.say(note("notifications/cancelled", {"requestId": 5}))
        await waiting
        assert len(client.own.messages) == 1


async def test_recorded_pauses_are_kept_at_the_wanted_speed(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "wait"), 3_600_000, "<", answer(1, text("at last")))
    async with client_of(script, MockSettings(speed=1)) as client:
        await client.hello()
        waiting = client.begin(call(1, "wait"))
        await asyncio.sleep(0)
        assert client.own.messages[1:] == []
        waiting.cancel()
    async with client_of(script, MockSettings(speed=3_600_000)) as client:
        await client.hello()
        assert await client.say(call(1, "wait")) == [answer(1, text("at last"))]


async def test_faults_happen_to_the_requests_they_are_for(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "echo"), "<", answer(1, text("hi")))

    async def with_fault(words: str) -> Any:
        async with client_of(
            script, MockSettings(speed=math.inf, faults=(read_fault(f"{words} after 1 1 time"),))
        ) as client:
            await client.hello()  # the first is spared
            await client.connection.take(
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}', client.own
            )
            assert client.told[0].startswith("fault: ")
            return client.own

    dropping = MockSettings(speed=math.inf, faults=(read_fault("drop"),))
    async with client_of(script, dropping) as client:
        waiting = client.begin(call(1, "echo"))
        await until(lambda: client.told, "it is told")
        await client.say(note("notifications/cancelled", {"requestId": 1}))
        await waiting
        assert client.own.payloads == []
    assert b'"code":-5,"message":"an error on demand"' in (await with_fault("error -5")).payloads[1]
    assert (await with_fault("delay 1ms")).messages[1] == answer(1, text("hi"))
    (half,) = (await with_fault("malformed")).payloads[1:]
    assert half.startswith(b'{"jsonrpc"')
    assert not half.endswith(b"}")
    (whole,) = (await with_fault("cut")).broken
    assert json.loads(whole) == answer(1, text("hi")), "how much of it goes out is for the transport"


async def test_invalid_message_is_refused_and_unexpected_response_reported(tmp_path: Path) -> None:
    async with client_of(_moored(tmp_path), MockSettings(speed=math.inf, strict=True)) as client:
        await client.connection.take(b"{no", client.own)
        assert client.own.messages[0]["error"]["code"] == -32700
        await client.say(answer(77, {}))
        assert client.told == ["the client answered 77, which no request has"]


async def test_a_task_is_not_served_to_clients_of_the_other_era(tmp_path: Path) -> None:
    task = {"taskId": "t1", "status": "working"}
    script = scripted(
        tmp_path / "c.mcpcap",
        *(*HANDSHAKE, call(1, "long"), "<", answer(1, {"task": task}), ">", request(2, "tasks/get", {"taskId": "t1"})),
        *("<", answer(2, task)),
    )
    async with client_of(script) as client:
        await client.hello()
        assert await client.say(call(1, "long")) == [answer(1, {"task": task})]
        assert await client.say(request(2, "tasks/get", {"taskId": "t1"})) == [answer(2, task)]
        (refused,) = await client.say(request(3, "tools/call", {"name": "long", "arguments": {}} | meta()))
        assert refused["error"]["message"] == "recorded is a task of the other era, which can't be served in this one"
        (refused,) = await client.say(request(4, "tasks/get", {"taskId": "t1"} | meta()))
        assert refused["error"]["code"] == -32601
        assert "not served to it: tasks, which the other era has in other words" in client.told


async def test_torn_message_gets_a_parse_error(tmp_path: Path) -> None:
    async with client_of(_moored(tmp_path)) as client:
        await client.connection.take(b"{torn", client.own)
        assert client.own.messages[-1]["error"]["code"] == PARSE_ERROR


@pytest.fixture
def told() -> list[str]:
    """What the shared says."""
    return []


@pytest.fixture
def common() -> Heard:
    """What went out on the session's stream."""
    return Heard()


@pytest.fixture
def sender(tmp_path: Path, told: list[str], common: Heard) -> Sender:
    return Sender(MockShared(scripted(tmp_path / "c.mcpcap", *HANDSHAKE), INSTANT, tell=told.append), common)


def _playing(*acts: Act) -> Playing:
    yield from acts


def _updated(uri: str) -> SendNotification:
    return SendNotification("notifications/resources/updated", Part(None, {"uri": uri}), StreamChoice.WATCH)


async def test_each_act_goes_where_it_belongs(sender: Sender, common: Heard, told: list[str]) -> None:
    own = Heard()
    acts = (
        SendNotification("a", ABSENT, StreamChoice.OWN),
        SendNotification("b", Part(b'{"x": 1E2}'), StreamChoice.COMMON),
        Write(b"junk"),
        MockNotice("hm"),
    )
    await sender.drive(_playing(*acts), own)
    assert own.payloads == [b'{"jsonrpc":"2.0","method":"a"}']
    assert common.payloads == [b'{"jsonrpc":"2.0","method":"b","params":{"x": 1E2}}'], "as it was spelt"
    assert (own.junk, told) == ([b"junk"], ["hm"])


async def test_a_question_waits_for_its_answer(sender: Sender) -> None:
    own, query = Heard(), Query("roots/list", ABSENT)
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(sender.drive(_playing(Put(query, StreamChoice.OWN), Write(b"on")), own))
        await until(lambda: own.payloads, "it asks")
        assert not asking.done()
        sender.answered(own.messages[0]["id"], Part(b"{}"), failed=False)
    assert own.junk == [b"on"]


async def test_a_change_goes_to_every_stream_that_wants_it_and_else_to_the_session(
    sender: Sender, common: Heard
) -> None:
    first, second = Heard(), Heard()
    with sender.watched("l1", StreamFilter(uris=("a://",)), first), sender.watched(2, StreamFilter(tools=True), second):
        await sender.drive(_playing(_updated("a://b"), _updated("c://d")), Heard())
        await sender.drive(
            _playing(SendNotification("notifications/tools/list_changed", ABSENT, StreamChoice.WATCH)), Heard()
        )
    assert [each["params"] for each in first.messages] == [{"uri": "a://b", "_meta": {SUBSCRIPTION_ID: "l1"}}]
    assert [each["params"] for each in second.messages] == [{"_meta": {SUBSCRIPTION_ID: 2}}]
    await sender.drive(_playing(_updated("a://b")), Heard())
    assert len(common.messages) == 1
    await sender.drive(
        _playing(SendNotification("notifications/tools/list_changed", ABSENT, StreamChoice.LISTENERS)), Heard()
    )
    assert len(common.messages) == 1, "a client that hears of changes only where it listens does not listen"


@pytest.mark.parametrize(
    ("kind", "payloads", "broken"),
    [
        (None, [b'{"jsonrpc":"2.0","id":1,"result":{}}'], []),
        (FaultKind.MALFORMED, [b'{"jsonrpc":"2.0","'], []),
        (FaultKind.CUT, [], [b'{"jsonrpc":"2.0","id":1,"result":{}}']),
    ],
)
async def test_an_answer_goes_out_with_its_fault(
    kind: FaultKind | None, payloads: list[bytes], broken: list[bytes]
) -> None:
    own = Heard()
    answering = RequestInProgress(1, own, InjectedFault(kind) if kind else None)
    await answering.take(SendResponse(b"{}"))
    assert (own.payloads, own.broken, answering.is_final) == (payloads, broken, True)


async def test_questions_are_no_final_answer() -> None:
    answering = RequestInProgress(1, Heard(), None)
    await answering.take(SendResponse(b"{}", asks=True))
    assert not answering.is_final
