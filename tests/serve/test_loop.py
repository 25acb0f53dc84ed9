"""The loop of an agent: open, call, answer, edit, restart; with servers that ask, die, wait or start slowly."""

import ast
import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import scripted
from tests.serve.agent import agent, script
from tests.servers.faulty import HERE, read
from tests.waiting import until

TOOL = {"name": "add", "description": "Add.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
_TOOLS = {"result": {"tools": [TOOL]}}


def _scripted(call: Any = None, **table: Any) -> tuple[str, ...]:
    """The command of a server with one tool, which answers calls so."""
    answers = {"tools/list": _TOOLS, "tools/call": call or {"result": {"content": []}}} | table
    return scripted(answers, capabilities={"tools": {}})[1:]


def _starts(file: Path, argv: tuple[str, ...], *before: str) -> None:
    """Write a program that becomes another one, after these lines."""
    lines = ("import os, sys, time", *before, f"os.execv({argv[0]!r}, {list(argv)!r})")
    file.write_text("\n".join(lines) + "\n")


async def test_a_request_for_input_during_the_listing_comes_with_open_and_answer_ends_the_opening() -> None:
    async with agent(script("asks_first")) as use:
        opened = await use("open")
        assert opened["state"] == "open"
        assert opened["pending"][0]["message"] == "Which tools?"
        assert opened["next"].startswith('answer(session="s1", request=1')
        assert (await use("sessions"))["next"] == opened["next"]
        done = await use("answer", request=1, content={"which": "add"})
        assert (done["state"], done["next"]) == ("ok", 'check(session="s1")')
        assert (await use("traffic", filter="method == tools/list"))["matching"] == 2


async def test_restart_waits_for_a_slow_server_as_long_as_wait_s(tmp_path: Path) -> None:
    file, ready = tmp_path / "server.py", tmp_path / "ready"
    _starts(file, _scripted(), f"while not os.path.exists({str(ready)!r}): time.sleep(0.01)")
    async with agent((sys.executable, str(file))) as use:
        opened = await use("open", wait_s=2)
        assert opened["state"] == "failed"
        assert 'restart(session="s1", wait_s=120)' in opened["next"]
        ready.touch()
        assert (await use("restart", wait_s=60))["state"] == "open"
        assert use.sessions.all[0].live.settings.clocks.start_s == 45  # type: ignore[union-attr]


async def test_a_call_while_the_server_still_connects_is_refused_with_the_reason() -> None:
    async with agent(script("never_reads")) as use:
        opened = await use("open", wait_s=0)
        assert opened["state"] == "connecting"
        assert "still connecting" in await use.refused("call", name="add")
        assert "still connecting" in await use.refused("probe")


async def test_a_list_without_a_response_is_reported_by_open_and_not_listed_as_fixed_by_restart() -> None:
    argv = _scripted(**{"tools/list": "silence"})
    async with agent(argv) as use:
        opened = await use("open", wait_s=5.2)
        assert "tools/list" in opened["waiting"]
        assert (await use("check"))["primary"]["id"] == "request-unanswered"
        again = await use("restart", wait_s=2)
        assert "fixed" not in again
        assert again["not_seen_again"] == ["request-unanswered"]


async def test_restart_of_a_server_that_dies_again_in_the_repeated_call_lists_nothing_as_fixed() -> None:
    async with agent(_scripted("death")) as use:
        await use("open")
        assert (await use("call", name="add"))["state"] == "no response"
        again = await use("restart")
        assert again["last_call"]["state"] == "no response"
        assert again["state"] == "failed"
        assert again["cause"]["id"] == "exit-during-session"
        assert "fixed" not in again


async def test_restart_lists_findings_of_a_call_that_was_not_repeated_as_not_seen_again() -> None:
    plain = TOOL | {"annotations": {}}
    rejected = {"error": {"code": -32602, "message": "no"}}
    async with agent(_scripted(rejected, **{"tools/list": {"result": {"tools": [plain]}}})) as use:
        await use("open")
        await use("call", name="add")
        again = await use("restart")
        assert "repeat=true" in again["last_call"]["not_repeated"]
        assert again["not_seen_again"] == ["call-rejected"]
        assert "fixed" not in again


async def test_restart_after_a_fix_of_the_opening_lists_its_findings_as_fixed(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(
        "import sys\nfor line in sys.stdin:\n    if 'initialize' in line:\n        sys.exit('no database')\n"
    )
    async with agent((sys.executable, str(file))) as use:
        failed = await use("open")
        assert failed["state"] == "failed"
        _starts(file, script("conforming"))
        again = await use("restart")
        assert again["protocol"] == "2026-07-28"  # so the new session has no initialize
        assert failed["cause"]["id"] in again["fixed"]
        assert "not_seen_again" not in again


async def test_restart_names_the_answer_that_a_repeated_call_waits_for() -> None:
    async with agent(script("asks")) as use:
        await use("open")
        asked = await use("call", name="book")
        await use("answer", request=asked["pending"][0]["request"], content={"city": "Oslo"})
        again = await use("restart", repeat=True)
        assert again["last_call"]["state"] == "waiting"
        assert again["next"].startswith('answer(session="s1", request=1')


async def test_each_of_several_pending_requests_is_answered_with_the_outcome_of_its_own_call() -> None:
    async with agent(script("asks")) as use:
        await use("open")
        book, think = await use("call", name="book"), await use("call", name="think")
        done = await use("answer", request=think["pending"][0]["request"], content={"type": "text", "text": "Rivers."})
        assert (done["state"], done["request"]) == ("ok", think["request"])
        done = await use("answer", request=book["pending"][0]["request"], content={"city": "Oslo"})
        assert (done["state"], done["request"]) == ("ok", book["request"])


async def test_a_call_that_ended_after_its_wait_is_not_running_and_not_the_outcome_of_an_answer() -> None:
    async with agent(script("asks")) as use:
        await use("open")
        await use("call", name="look", wait_s=0)
        await until(lambda: not use.sessions.all[0].calls, "it has ended")  # type: ignore[union-attr]
        assert (await use("sessions"))["sessions"][0]["running"] == 0
        book = await use("call", name="book")
        done = await use("answer", request=book["pending"][0]["request"], content={"city": "Oslo"})
        assert (done["state"], done["request"]) == ("ok", book["request"])


async def test_a_call_that_the_agent_cancels_is_cancelled_at_the_server() -> None:
    async with agent(_scripted("silence")) as use:
        await use("open")
        async with asyncio.TaskGroup() as group:
            called = group.create_task(use("call", name="add"))
            while not (await use("traffic", filter="method == tools/call"))["matching"]:
                pass  # it is not sent yet
            called.cancel()
        while not (await use("traffic", filter="method == notifications/cancelled"))["matching"]:
            pass  # until the test's timeout: the server is to hear of it


async def test_the_next_page_of_filtered_traffic_has_the_filter() -> None:
    async with agent(_scripted()) as use:
        await use("open")
        page = await use("traffic", filter='method ~ "list$"', limit=1)
        follow = (
            f'traffic(session="s1", filter="method ~ \\"list$\\"", before={page["rows"][0]["n"]}) has 1 earlier ones'
        )
        assert page["next"] == follow


async def test_log_messages_that_are_cut_are_found_with_the_filter_that_is_named() -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 90}}
    result = '{"jsonrpc": "2.0", "id": $ID, "result": {"content": []}}'
    async with agent(_scripted({"raw": "\n".join([*[json.dumps(note)] * 60, result])})) as use:
        await use("open")
        await use("call", name="add")
        follow = (await use("logs"))["next"]
        assert (await use("traffic", filter=follow.split('"')[3]))["matching"] == 60


async def test_a_probe_counts_the_calls_that_were_made() -> None:
    async with agent(_scripted()) as use:
        await use("open")
        assert (await use("probe", wait_s=0))["calls"] == 0


@pytest.mark.parametrize("ends", ["restart", "close"])
async def test_a_call_that_waits_while_its_session_is_ended_has_an_outcome(ends: str) -> None:
    async with agent(_scripted("silence")) as use:
        await use("open")
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(use("call", name="add"))
            await until(lambda: use.sessions.all[0].calls, "the call is sent")  # type: ignore[union-attr]
            await use(ends, session="s1")
        assert waiting.result()["state"] == "no response"


async def test_stderr_of_a_call_that_failed_comes_with_its_outcome(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(
        "import json, sys\n"
        "from tests.servers.speaking import serve\n"
        "def call(request):\n"
        "    print('FileNotFoundError: data/cities.json', file=sys.stderr, flush=True)\n"
        "    return {'isError': True, 'content': [{'type': 'text', 'text': 'Error executing tool'}]}\n"
        f"serve({{'tools/list': {{'tools': [json.loads({json.dumps(json.dumps(TOOL))})]}}, 'tools/call': call}})\n"
    )
    faulty = read(HERE / "process/ignores_eof.py")
    async with agent((sys.executable, str(file)), *faulty.words[:2]) as use:
        await use("open")
        called = await use("call", name="add")
        assert called["state"] == "tool error"
        if "stderr" not in called:  # another pipe: it may be read after the response
            called = await use("logs")
        assert "data/cities.json" in json.dumps(called)


async def test_a_server_that_answers_nothing_after_discover_is_named() -> None:
    faulty = read(HERE / "lifecycle/deaf_to_initialize.py")
    async with agent(faulty.command, *faulty.words[:2]) as use:
        opened = await use("open", wait_s=4)
        assert opened["cause"]["id"] == faulty.expects
        checked = await use("check")
        assert checked["primary"]["id"] == faulty.expects


async def test_a_session_that_was_closed_for_idleness_is_named_with_what_to_do() -> None:
    async with agent(_scripted()) as use:
        capture = (await use("open"))["capture"]
        await use.sessions.close_idle(-1)
        for text in (await use.refused("call", name="add"), await use.refused("check", session="s1")):
            assert "no call had named it" in text
            assert f'open(capture="{capture}")' in text


async def test_a_session_that_a_call_waits_for_is_not_idle() -> None:
    async with agent(_scripted("silence")) as use:
        await use("open")
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(use("call", name="add", wait_s=60))
            await until(lambda: use.sessions.all[0].is_busy, "the call waits")  # type: ignore[union-attr]
            await use.sessions.close_idle(-1)
            assert len(use.sessions.all) == 1
            await use("close", session="s1")
        assert waiting.done()


_CALL = re.compile(r"(\w+)\(([^()…]*)\)")


async def test_the_next_call_of_each_answer_is_accepted_unchanged() -> None:
    async with agent(script("conforming")) as use:
        answers = [await use("open"), await use("call", name="echo", arguments={"text": "x" * 5000})]
        response = answers[1]["response"]
        for tool, arguments in (
            *(("check", {}), ("traffic", {}), ("traffic", {"limit": 1}), ("traffic", {"filter": "nothing like it"})),
            *(("message", {"entry": response}), ("message", {"entry": response, "max_tokens": 50})),
            *(("trace", {"entry": response}), ("logs", {}), ("sessions", {}), ("probe", {}), ("restart", {})),
            *(("compare", {"before": "s1", "after": "s1"}), ("check", {"id": "no-common-version"}), ("taps", {})),
        ):
            answers.append(await use(tool, **arguments))
        named = {found for answer in answers for found in _CALL.findall(answer["next"])}
        assert len(named) >= 8
        for tool, words in sorted(named):
            call = ast.parse(f"f({words})", mode="eval").body
            assert isinstance(call, ast.Call)
            await use(tool, **{str(each.arg): ast.literal_eval(each.value) for each in call.keywords})
