"""Tools of real servers as tasks, in both eras: called, with input, cancelled, and left running."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import start_capture
from inspector.cli.exit_status import ExitStatus
from inspector.config.targets import Target
from inspector.protocol import capabilities, server_requests
from inspector.protocol.flows.steps import GivenUp, Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.session import Session
from tests.stories.commands import Ran, mcp_inspect, started, words_of
from tests.stories.real_targets import Real, built, installed, named
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.real, pytest.mark.slow]

_SERVERS = Path(__file__).parents[1] / "servers" / "real"
_ANSWERS = [
    {"kind": "elicitation", "message": "interpretations", "answer": "accept", "content": {"interpretation": "snake"}},
    {"kind": "elicitation", "answer": "accept"},
    {"kind": "sampling", "answer": "text", "text": "Tar"},
]
RELATED = "io.modelcontextprotocol/related-task"
EVERYTHING = ("everything-stdio", "everything-http", "everything-sse")


def _shipyard() -> Real:
    return replace(named("mcp1-stdio"), words=(str(_SERVERS / "shipyard.py"),))


@asynccontextmanager
async def _session(target: Target) -> AsyncIterator[Session]:
    """An open session of somebody who sits at the desk."""
    journal = start_capture(None)
    try:
        async with open_session(
            target, journal, Settings(offers=frozenset(capabilities.ALL), has_person=True)
        ) as session:
            await session.connect()
            await session.list_all("tools")
            yield session
    finally:
        journal.close()


async def _call(target: Target, place: Path, *words: str) -> Ran:
    before, after = words_of(target)
    (place / "answers.json").write_text(json.dumps(_ANSWERS))
    given = ("--responses", str(place / "answers.json"), "--json")
    return await mcp_inspect("call", *words, *given, *before, *after, place=place)


def _sent(ran: Ran) -> list[str]:
    """The methods that were sent, in order, without those that open a conversation and list."""
    requests = [json.loads(frame.payload) for frame in ran.seen.frames if frame.direction.value == "c2s"]
    methods = [request["method"] for request in requests if "method" in request]
    return methods[methods.index("tools/call") :]


@pytest.mark.parametrize("name", EVERYTHING)
async def test_a_tool_of_everything_that_requires_a_task_just_works(name: str, tmp_path: Path) -> None:
    async with installed(named(name), tmp_path) as target:
        ran = await _call(target, tmp_path, "simulate-research-query", "-a", "topic=gulls")
    assert "# Research Report: gulls" in ran.result_text
    task = ran.json["task"]
    assert [step["state"] for step in task["history"]][-1] == "completed"
    assert (task["state"], task["ttl_ms"], task["poll_ms"], task["faults"]) == ("completed", 300000, 1000, [])
    assert "  · working: Analyzing content..." in ran.messages
    methods = _sent(ran)
    assert (methods[0], set(methods[1:-1]), methods[-1]) == ("tools/call", {"tasks/get"}, "tasks/result")


@pytest.mark.parametrize("name", EVERYTHING)
async def test_a_question_inside_a_task_of_everything_is_answered(name: str, tmp_path: Path) -> None:
    async with installed(named(name), tmp_path) as target:
        ran = await _call(target, tmp_path, "simulate-research-query", "-a", "topic=python", "-a", "ambiguous=true")
    assert "# Research Report: python (snake)" in ran.result_text
    assert "  · input_required: Found multiple interpretations" in ran.messages
    assert "? elicitation: The research query" in ran.messages
    assert [state for step in ran.json["task"]["history"] if (state := step["state"]) != "working"] == [
        "input_required",
        "completed",
    ]


@pytest.mark.parametrize("kind", ["elicitation", "sampling"])
@pytest.mark.parametrize("name", EVERYTHING[:2])
async def test_everything_has_its_questions_answered_as_tasks_of_ours(kind: str, name: str, tmp_path: Path) -> None:
    tool = f"trigger-{kind}-request-async"
    async with installed(named(name), tmp_path) as target:
        words = (tool, "-a", "prompt=hi") if kind == "sampling" else (tool,)
        ran = await _call(target, tmp_path, *words)
    assert "[COMPLETED]" in ran.result_text
    assert "client task" in ran.messages
    asked = [json.loads(payload)["method"] for payload in ran.received() if b'"method":"tasks/' in payload]
    assert asked[-1] == "tasks/result"
    assert set(asked[:-1]) == {"tasks/get"}


@pytest.mark.parametrize(
    ("tool", "says", "asked"),
    [
        ("build", "a ship of three steps", ""),
        ("christen", "she is called Fulmar", "? elicitation: What is she called?"),
        ("christen_later", "at last Fulmar", "client task"),
        ("advise", "it says Tar", "? sampling"),
        ("advise_later", "it says Tar at last", "client task"),
        ("plain", "plain, at once", ""),
    ],
)
async def test_a_shipyard_works_in_tasks_and_asks_both_ways(tool: str, says: str, asked: str, tmp_path: Path) -> None:
    async with installed(_shipyard(), tmp_path) as target:
        ran = await _call(target, tmp_path, tool)
    assert ran.result_text == says
    assert asked in ran.messages
    assert ("task" in ran.json) == (tool != "plain")


@pytest.mark.slow
async def test_failed_task_sets_the_exit_status(tmp_path: Path) -> None:
    async with installed(_shipyard(), tmp_path) as target:
        ran = await _call(target, tmp_path, "wreck")
        assert ran.status == ExitStatus.TOOL_ERROR
        assert ran.error == ran.error | {"code": "task_failed", "message": "the task failed: she sank on the slip"}
    async with installed(built("fastmcp", "drydock.py", "stdio"), tmp_path) as target:
        ran = await _call(target, tmp_path, "leak")
        assert ran.status == ExitStatus.TOOL_ERROR
        assert ran.json["result"]["isError"]


@pytest.mark.slow
async def test_only_where_it_is_wished_for_an_optional_task_is_one(tmp_path: Path) -> None:
    async with installed(_shipyard(), tmp_path) as target:
        assert (await _call(target, tmp_path, "paint")).result_text == "paint, at once"
        ran = await _call(target, tmp_path, "paint", "--task", "--ttl", "5000")
        assert ran.result_text == "painted"
        assert b'"task":{"ttl":5000}' in b"".join(frame.payload for frame in ran.seen.frames)
        refused = await _call(target, tmp_path, "plain", "--task")
    assert refused.status == ExitStatus.USAGE
    assert refused.error["message"] == "not called: the server does not let plain be called as a task"


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_dry_dock_decides_itself_what_becomes_a_task(transport: str, tmp_path: Path) -> None:
    async with installed(built("fastmcp", "drydock.py", transport), tmp_path) as target:
        ran = await _call(target, tmp_path, "caulk", "-a", "seams=2")
        assert ran.result_text == "2 seams are tight"
        assert set(_sent(ran)) == {"tools/call", "tasks/get"}
        assert ran.json["task"]["poll_ms"] == 200
        assert ran.json["valid"]
        renamed = await _call(target, tmp_path, "rename")
        assert renamed.result_text == "she is the Petrel now"
        assert _sent(renamed).count("tasks/update") == 1


@pytest.mark.slow
async def test_server_without_declared_tasks_reports_the_need(tmp_path: Path) -> None:
    async with installed(built("fastmcp", "drydock.py", "stdio"), tmp_path) as target:
        ran = await _call(target, tmp_path, "caulk", "--no-capability", "tasks")
        assert ran.status == ExitStatus.TOOL_ERROR
        assert "io.modelcontextprotocol/tasks" in ran.stdout.decode()
        assert (await _call(target, tmp_path, "scrape", "--no-capability", "tasks")).result_text == "clean"


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_no_wait_returns_a_handle_for_later(transport: str, tmp_path: Path) -> None:
    async with installed(built("fastmcp", "drydock.py", transport), tmp_path) as target:
        ran = await _call(target, tmp_path, "caulk", "--task", "--no-wait")
        handle = ran.json["result"]
        assert (handle["resultType"], handle["status"]) == ("task", "working")
        assert "tasks/get" not in _sent(ran)
        before, after = words_of(target)
        asked = json.dumps({"taskId": handle["taskId"]})
        later = await mcp_inspect("request", "tasks/get", "--params", asked, "--json", *before, *after, place=tmp_path)
        if transport == "stdio":
            assert "the server ends with this command" in ran.messages
            assert later.json["error"]["code"] == -32602
        else:
            assert later.json["result"]["taskId"] == handle["taskId"]


@pytest.mark.parametrize("dock", ["shipyard", "drydock"])
async def test_ctrl_c_ends_the_task_too(dock: str, tmp_path: Path) -> None:
    real, tool = (
        (_shipyard(), "wait_for_oak")
        if dock == "shipyard"
        else (built("fastmcp", "drydock.py", "stdio"), "wait_for_tide")
    )
    async with installed(real, tmp_path) as target:
        before, after = words_of(target)
        words = ("call", tool, "--capture", str(tmp_path / "c.mcpcap"), *before, *after)
        async with started(*words, place=tmp_path) as process:
            assert process.stderr is not None
            told = b""
            while b"working" not in told:
                told += await asyncio.wait_for(process.stderr.readline(), PATIENCE_S)
            process.send_signal(signal.SIGINT)
            await asyncio.wait_for(process.communicate(), PATIENCE_S)
            assert process.returncode == ExitStatus.INTERRUPTED
    methods = _sent(Ran(0, b"", b"", tmp_path / "c.mcpcap"))
    assert methods[-1] == "tasks/cancel"
    assert "notifications/cancelled" not in methods


async def test_a_person_answers_inside_a_task_and_a_task_is_left_listed_and_called_off(tmp_path: Path) -> None:
    async with installed(_shipyard(), tmp_path) as target, _session(target) as session:
        inbox = session.options.inbox
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(session.call("tools/call", {"name": "christen"}))
            await until(lambda: bool(inbox.waiting), "the question lies on the desk")
            (ticket,) = inbox.waiting
            assert ticket.server_request.task == session.tasks.all[0].id
            assert ticket.server_request.params["_meta"][RELATED]["taskId"] == ticket.server_request.task
            inbox.answer(ticket, server_requests.accepted({"name": "Auk"}))
        assert _text(calling.result().reply) == "she is called Auk"
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(session.tasks.call("wait_for_oak"))
            await until(lambda: len(session.tasks.all) == 2, "the task is known")
            oak = session.tasks.all[1]
            await until(lambda: oak.id in session.tasks.followed, "it is followed")
            assert session.tasks.leave(oak.id)
        assert isinstance(waiting.result().reply, GivenUp)
        assert not oak.ended
        assert oak.id in (await session.tasks.list()).ids
        await session.tasks.cancel(oak.id)
        assert oak.state == "cancelled"


async def test_a_withdrawn_question_of_a_cancelled_task_leaves_the_desk(tmp_path: Path) -> None:
    async with installed(built("fastmcp", "drydock.py", "stdio"), tmp_path) as target, _session(target) as session:
        inbox = session.options.inbox
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(session.call("tools/call", {"name": "rename"}))
            await until(lambda: bool(inbox.waiting), "the question lies on the desk")
            polls = session.tasks.all[0].polls
            await until(lambda: session.tasks.all[0].polls > polls, "the task is polled while a person thinks")
            await session.tasks.cancel(session.tasks.all[0].id)
        assert inbox.tickets[0].why == "its task was cancelled"
        assert len(inbox.tickets) == 1
        end = calling.result().task
        assert end is not None
        assert end.state == "cancelled"


def _text(reply: Any) -> Any:
    assert isinstance(reply, Replied)
    assert isinstance(reply.message, ResultResponse)
    return reply.message.result["content"][0]["text"]
