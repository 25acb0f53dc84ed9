"""The demo's agreeable tools."""

import base64
import re
from typing import Any

import jsonschema
import pytest

from inspector.demo.call import LEVELS
from inspector.demo.state import DemoState
from inspector.demo.tools import catalogue
from tests.demo.driving import Here, meta, opening, request, stateless


async def test_every_schema_is_one_and_every_name_is_as_it_should_be() -> None:
    for tool in (await Here().ask(stateless(1, "tools/list")))["result"]["tools"]:
        assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", tool["name"])
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["type"] == "object"
        jsonschema.Draft202012Validator.check_schema(tool.get("outputSchema", {}))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("add", {"a": 1, "b": 2.5}), ("image_result", {}), ("image_result", {"hours": 96, "harbour": "Teal Bay"})],
)
async def test_data_fits_the_schema_that_was_promised(name: str, arguments: dict[str, Any]) -> None:
    promised = {tool.name: tool.definition for tool in catalogue(DemoState())}
    result = await Here().call(name, **arguments)
    jsonschema.validate(result["structuredContent"], promised[name]["outputSchema"])


async def test_an_echo_comes_back_as_often_and_as_loud_as_wanted() -> None:
    result = await Here().call("echo", text="ahoy", times=2, loud=True)
    assert result["content"] == [{"type": "text", "text": "AHOY … AHOY"}]


async def test_a_sweep_reports_each_step_in_rising_order() -> None:
    here = Here()
    arguments = {"steps": 3, "seconds_per_step": 0}
    carried = meta() | {"progressToken": "p"}
    await here.ask(stateless(1, "tools/call", name="long_running", arguments=arguments, _meta=carried))
    assert [params["progress"] for _, params in here.notifications] == [1, 2, 3]
    assert {params["total"] for _, params in here.notifications} == {3}
    assert here.notifications[0][1]["message"] == "swept to 120°"


async def test_the_report_has_a_block_of_every_kind() -> None:
    content = (await Here().call("all_content"))["content"]
    assert [block["type"] for block in content] == ["text", "text", "image", "resource_link", "resource", "resource"]
    assert base64.b64decode(content[2]["data"]).startswith(b"\x89PNG")


async def test_audio_falls_back_to_text_in_old_revisions() -> None:
    assert (await Here().call("audio_result"))["content"][1]["mimeType"] == "audio/wav"
    here = Here()
    await here.ask(opening("2024-11-05"))
    old = await here.ask(request(1, "tools/call", name="audio_result"))
    assert [block["type"] for block in old["result"]["content"]] == ["text", "text"]


async def test_the_night_watch_logs_at_each_level_and_speaks_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    here = Here()
    arguments = {"stderr_lines": 2}
    carried = meta(logLevel="debug")
    await here.ask(stateless(1, "tools/call", name="log_messages", arguments=arguments, _meta=carried))
    assert [params["level"] for _, params in here.notifications] == list(LEVELS)
    assert capsys.readouterr().err.splitlines() == ["log_messages: stair 1 creaks", "log_messages: stair 2 creaks"]


async def test_destructive_tool_clears_the_logbook() -> None:
    here = Here()
    tools = (await here.ask(stateless(1, "tools/list")))["result"]["tools"]
    destructive = [tool["name"] for tool in tools if tool["annotations"].get("destructiveHint")]
    assert destructive == ["destructive_call"]
    await here.call("update_resource", entry="A whale.")
    assert here.station.entries[-1] == "A whale."
    await here.call("destructive_call")
    assert here.station.entries == []


async def test_an_open_cellar_lists_one_tool_more() -> None:
    here = Here()
    before = {tool.name for tool in catalogue(here.station)}
    await here.call("toggle_tool")
    assert {tool.name for tool in catalogue(here.station)} - before == {"extra_tool"}
    assert "accordion" in (await here.call("extra_tool"))["content"][0]["text"]
    await here.call("toggle_tool", open=False)
    assert {tool.name for tool in catalogue(here.station)} == before
