"""The tools of `mcp-inspect serve`, as a client of the official SDK sees them."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.serve.tool import schema_of
from inspector.serve.tools.call import CallToolArguments
from tests.architecture.sources import ROOT
from tests.cli.running import scripted
from tests.serve.agent import agent, script
from tests.servers.faulty import HERE, read

_BROKEN = "import sys\nprint('no such table: users', file=sys.stderr)\nsys.exit(3)\n"


def _answering(tools: list[dict[str, Any]], result: dict[str, Any]) -> tuple[str, ...]:
    """The command of a server with these tools, which answers each call alike."""
    table = {"tools/list": {"result": {"tools": tools}}, "tools/call": {"result": result}}
    return scripted(table, capabilities={"tools": {}})[1:]


ADD = {"name": "add", "description": "Add.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


async def test_open_of_a_working_server_returns_what_it_offers_and_the_next_call() -> None:
    async with agent(_answering([ADD], {"content": []})) as use:
        opened = await use("open")
        assert (opened["session"], opened["state"]) == ("s1", "open")
        assert opened["from_server"]["tools"] == ["add"]
        assert opened["next"] == 'check(session="s1")'
        assert (await use("sessions"))["sessions"][0]["state"] == "open"


async def test_open_of_a_server_that_exits_returns_the_cause_with_its_evidence(tmp_path: Path) -> None:
    broken = tmp_path / "server.py"
    broken.write_text(_BROKEN)
    async with agent((sys.executable, str(broken))) as use:
        opened = await use("open")
        assert opened["state"] == "failed"
        assert opened["cause"]["id"] == "exit-during-handshake"
        assert opened["ended"]["exit_code"] == 3
        assert "no such table: users" in json.dumps(opened["ended"]["stderr"])
        assert opened["next"].startswith("restart(")


async def test_restart_after_a_fix_shows_what_is_fixed(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(_BROKEN)
    async with agent((sys.executable, str(file))) as use:
        await use("open")
        argv = _answering([ADD], {"content": []})
        file.write_text(f"import os, sys\nos.execv({argv[0]!r}, {list(argv)!r})\n")
        again = await use("restart")
        assert again["state"] == "open"
        assert "exit-during-handshake" in again["fixed"]
        assert "new" not in again


async def test_restart_repeats_the_last_read_only_call_and_shows_what_changed(tmp_path: Path) -> None:
    file = tmp_path / "server.py"

    def write(result: str, **more: Any) -> None:
        argv = _answering([ADD | more], {"content": [{"type": "text", "text": result}]})
        file.write_text(f"import os, sys\nos.execv({argv[0]!r}, {list(argv)!r})\n")

    write("4")
    async with agent((sys.executable, str(file))) as use:
        await use("open")
        called = await use("call", name="add", arguments={"a": 2})
        assert called["state"] == "ok"
        write("5", description="Add two numbers.")
        again = await use("restart")
        assert [each["name"] for each in again["definitions"]] == ["add"]
        assert again["last_call"]["changes"] == [{"path": "content[0].text", "before": "4", "after": "5"}]


async def test_restart_does_not_repeat_a_call_that_is_not_declared_harmless() -> None:
    async with agent(_answering([{**ADD, "annotations": {}}], {"content": []})) as use:
        await use("open")
        await use("call", name="add")
        assert "repeat=true" in (await use("restart"))["last_call"]["not_repeated"]
        assert (await use("restart", repeat=True))["last_call"]["state"] == "ok"


async def test_call_returns_schema_problems_and_entries_that_message_accepts() -> None:
    tool = ADD | {"outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}}}
    async with agent(_answering([tool], {"content": [], "structuredContent": {"sum": "4"}})) as use:
        await use("open")
        called = await use("call", name="add", arguments={"a": 2})
        assert called["problems"] == ["structuredContent/sum must be an integer, got a string"]
        sent = await use("message", entry=called["request"], pointer="/params/arguments")
        assert sent["from_server"] == {"a": 2}
        rows = (await use("traffic", filter="tool == add", fields=["/params/name"]))["rows"]
        assert [row["n"] for row in rows] == [called["request"], called["response"]]
        assert rows[0]["fields"] == {"/params/name": "add"}


async def test_an_elicitation_comes_back_as_data_and_answer_finishes_the_call() -> None:
    async with agent(script("asks")) as use:
        await use("open")
        called = await use("call", name="book")
        assert called["state"] == "waiting"
        asked = called["pending"][0]
        assert asked["message"] == "Which city do you want to go to?"
        assert asked["schema"]["required"] == ["city"]
        assert called["next"].startswith(f'answer(session="s1", request={asked["request"]}')
        done = await use("answer", request=asked["request"], content={"city": "Oslo"})
        assert done["state"] == "ok"
        assert "Oslo" in json.dumps(done["from_server"])


async def test_a_sampling_request_is_answered_with_a_content_block() -> None:
    async with agent(script("asks")) as use:
        await use("open")
        asked = (await use("call", name="think"))["pending"][0]
        assert asked["kind"] == "sampling"
        assert "content" in await use.refused("answer", request=asked["request"])
        done = await use("answer", request=asked["request"], content={"type": "text", "text": "Rivers."})
        assert "Rivers." in json.dumps(done["from_server"])


async def test_check_names_what_to_fix_first_and_shows_one_check_in_full() -> None:
    tool = {"name": "add", "inputSchema": {"type": "array"}}
    async with agent(_answering([tool], {"content": []})) as use:
        await use("open")
        checked = await use("check")
        assert checked["primary"]["id"] == "input-schema-not-object"
        assert checked["primary"]["evidence"] == "array"
        same = await use("check", id="input-schema-not-object")
        assert same["findings"][0]["entry"] == checked["primary"]["entry"]


async def test_logs_shows_the_newest_lines_of_stderr_with_their_entries() -> None:
    async with agent(script("noisy")) as use:
        opened = await use("open", wait_s=5)
        lines = await use("logs")
        assert lines["lines"] > 0
        assert lines["from_server"][0].startswith("#")
        assert (await use("logs", after=opened["entries"] + 1000))["lines"] == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "text"), json.loads(Path(__file__).with_name("invalid_calls.json").read_text("utf-8"))
)
async def test_invalid_call_returns_advice(tool: str, arguments: dict[str, Any], text: str) -> None:
    async with agent(_answering([ADD], {"content": []})) as use:
        await use("open")
        assert text in await use.refused(tool, **arguments)


async def test_close_ends_the_server_and_its_capture_can_be_opened() -> None:
    async with agent(_answering([ADD], {"content": []})) as use:
        await use("open")
        name = (await use("close", session="s1"))["capture"]
        capture = await use("open", capture=name)
        assert capture["state"] == "capture"
        assert (await use("traffic", session=capture["session"], filter="method == tools/list"))["matching"] == 2


def test_the_schema_of_a_tool_has_its_types_and_nothing_empty() -> None:
    schema = schema_of(CallToolArguments)
    assert schema["required"] == ["name"]
    assert schema["properties"]["session"] == {"type": "string", "description": "Default: the newest."}
    assert schema["additionalProperties"] is False


async def test_read_and_get_prompt_return_their_results() -> None:
    async with agent((sys.executable, "-m", "inspector.demo"), "-e", f"PYTHONPATH={ROOT}") as use:
        await use("open")
        page = await use("read", uri="lighthouse://welcome")
        assert page["from_server"]["contents"][0]["mimeType"] == "text/plain"
        prompt = await use("get_prompt", name="hail_ship", arguments={"ship": "Ada"})
        assert "Ada" in json.dumps(prompt["from_server"])
        story = await use("trace", entry=page["request"])
        assert "resources/read" in story["from_server"]
        probed = await use("probe", tool="add")
        assert probed["calls"] > 5


async def test_compare_shows_changed_definitions_and_operations() -> None:
    async with agent(None, any_command=True) as use:
        for text, about in (("1", "Add."), ("2", "Add numbers.")):
            argv = _answering([ADD | {"description": about}], {"content": [{"type": "text", "text": text}]})
            session = (await use("open", command=[*argv]))["session"]
            await use("call", session=session, name="add")
        found = await use("compare", before="s1", after="s2", only=["add"])
        assert [each["path"] for each in found["definitions"]] == ["description"]
        assert found["operations"][0]["changes"][0] == {"path": "result.content[0].text", "before": "1", "after": "2"}


async def test_open_of_a_silent_server_names_that_as_the_cause() -> None:
    async with agent(script("never_reads")) as use:
        opened = await use("open", wait_s=4)
        assert opened["state"] == "failed"
        assert opened["cause"]["severity"] == "error"
        assert "within 3 s" in opened["ended"]["why"]


async def test_a_call_without_a_response_is_described_with_what_is_known_of_the_server() -> None:
    argv = scripted({"tools/list": {"result": {"tools": [ADD]}}, "tools/call": "silence"}, capabilities={"tools": {}})[
        1:
    ]
    async with agent(argv) as use:
        await use("open")
        called = await use("call", name="add", wait_s=2.2)
        assert called["state"] == "running"
        for words in (called["why"], (await use("check"))["waiting"]):
            assert "tools/call add" in words
            assert "silent for" in words


async def test_close_returns_what_the_end_of_the_server_has_shown() -> None:
    faulty = read(HERE / "process/ignores_eof.py")
    async with agent(faulty.command, *faulty.words[:2]) as use:
        await use("open")
        closed = await use("close", session="s1")
        assert closed["findings"][0]["id"] == faulty.expects


async def test_a_call_beside_a_pending_request_has_its_own_outcome() -> None:
    async with agent(script("asks")) as use:
        await use("open")
        first = await use("call", name="book")
        assert first["state"] == "waiting"
        second = await use("call", name="think")
        assert (second["state"], [each["kind"] for each in second["pending"]]) == ("waiting", ["sampling"])
        assert (await use("call", name="look"))["state"] == "ok"


async def test_the_next_call_of_a_cut_message_goes_on_where_the_cut_is() -> None:
    words = [f"word{n}" for n in range(3000)]
    text = " ".join(words)
    async with agent(_answering([ADD], {"content": [{"type": "text", "text": text}]})) as use:
        await use("open")
        response = (await use("call", name="add"))["response"]
        shown, offset = "", 0
        while offset < len(text):
            part = await use("message", entry=response, pointer="/result/content/0/text", offset=offset)
            page, mark, _ = part["from_server"].partition("… (+")
            shown += page
            if not mark:
                break
            offset += len(page)
            assert f"offset={offset})" in part["next"]
        assert shown == text


async def test_check_of_an_id_without_findings_names_the_call_that_lists_all() -> None:
    async with agent(_answering([ADD], {"content": []})) as use:
        await use("open")
        assert (await use("check", id="no-common-version"))["next"] == 'check(session="s1") names all checks'


async def test_compare_names_the_message_of_a_difference() -> None:
    async with agent(None, any_command=True) as use:
        for text in ("1", "2"):
            argv = _answering([ADD], {"content": [{"type": "text", "text": text}]})
            session = (await use("open", command=[*argv]))["session"]
            called = await use("call", session=session, name="add")
        found = await use("compare", before="s1", after="s2", only=["add"])
        assert found["next"] == f'message(session="s2", entry={found["operations"][0]["after"]})'
        assert called["response"] >= found["operations"][0]["after"]


async def test_probe_stops_after_wait_s_and_lists_what_was_left_out() -> None:
    async with agent(_answering([ADD], {"content": []})) as use:
        await use("open")
        probed = await use("probe", wait_s=0)
        assert any("time is over" in note for note in probed["notes"])
