"""Calls of server-everything are saved, run again in a later session, all at once, and without a screen."""

import asyncio
import json
from pathlib import Path

import pytest

from inspector.features.cases.file import open_cases
from inspector.protocol.capabilities import ALL
from tests.cli.running import inspect
from tests.stories.commands import words_of
from tests.stories.persons import at_the_screen
from tests.stories.real_targets import installed, named

pytestmark = pytest.mark.real

_FILE = """\
mcp-inspect-cases: 1
vars: {a: 20, secret: "${env:STORY_SECRET}"}
cases:
  - name: sum
    request: tools/call
    params: {name: get-sum, arguments: {a: "{{a}}", b: 22}}
    save: {said: "$.content[0].text"}
    expect: [{at: /result/content/0/text, matches: "42"}]
  - name: say it
    uses: [sum]
    request: tools/call
    params: {name: echo, arguments: {message: "{{said}} {{secret}}"}}
    expect: [{at: /result/content/0/text, equals: "Echo: {{said}} {{secret}}"}]
  - name: weather
    request: tools/call
    params: {name: get-structured-content, arguments: {location: Chicago}}
    save: {degrees: $.structuredContent.temperature}
    expect: [{at: /result/structuredContent, schema: outputSchema}]
"""


async def test_a_call_is_saved_and_run_in_the_next_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "calls.mcp.yaml"
    async with installed(named("everything-stdio"), tmp_path) as target:
        async with at_the_screen(target, None) as person:
            await person.press("2", shows="get-sum")
            await person.press("slash")
            await person.types("get-sum", "enter", "enter", "4", "tab", "5", "ctrl+j", shows="The sum of 4 and 5 is 9")
            assert "Recent" not in person.screen
            await person.press("escape", "escape", "x", "s", shows="Name of the saved call, in calls.mcp.yaml")
            await person.types("get-sum of nine", "enter", shows=("Saved 1", "get-sum of nine"))
        (case,) = (await asyncio.to_thread(open_cases, file)).cases
        assert (case.name, case.params) == ("get-sum of nine", {"name": "get-sum", "arguments": {"a": 4, "b": 5}})
        async with at_the_screen(target, None) as person:
            await person.press("2", shows=("Saved 1", "Recent 1"))
            await person.press("v", "c", "r", shows=("1 passed, 0 failed", "The sum of 4 and 5 is 9"))
            await person.press("right_square_bracket", shows='{"a": 4')
            await person.press("left_square_bracket", "x", "l", shows=("Run all", "1 passed, 0 failed"))


async def test_a_file_with_variables_runs_without_a_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STORY_SECRET", "gull-rock-1")
    file, capture = tmp_path / "story.mcp.yaml", tmp_path / "a.mcpcap"
    await asyncio.to_thread(file.write_text, _FILE)
    async with installed(named("everything-stdio"), tmp_path) as target:
        before, after = words_of(target)
        words = (*before, *after)
        ran = await asyncio.to_thread(inspect, "run", file.name, "--json", "--capture", str(capture), *words)
        assert ran.status == 0, ran.stdout + ran.stderr
        assert [(each["name"], each["passed"]) for each in ran.data["calls"]] == [
            ("sum", True),
            ("say it", True),
            ("weather", True),
        ]
        assert isinstance(ran.data["calls"][2]["saved"]["degrees"], int | float)
        assert "gull-rock-1" not in json.dumps(ran.data) + ran.stderr
        assert b"gull-rock-1" not in await asyncio.to_thread(capture.read_bytes)
        one = await asyncio.to_thread(inspect, "run", "say it", *words)
        assert one.status == 0, one.stdout + one.stderr
        assert "42" in one.stdout


async def test_a_marked_call_with_responses_runs_again_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case = {
        "name": "ask",
        "request": "tools/call",
        "params": {"name": "trigger-elicitation-request", "arguments": {}},
        "answers": [{"kind": "elicitation", "answer": "decline"}],
        "expect": [{"at": "/result/content/0/text", "matches": "declined"}],
    }
    content = json.dumps({"mcp-inspect-cases": 1, "cases": [case]})
    await asyncio.to_thread((tmp_path / "ask.mcp.yaml").write_text, content)
    asked = {"offers": frozenset(ALL), "has_person": True}
    async with (
        installed(named("everything-stdio"), tmp_path) as target,
        at_the_screen(target, None, (140, 45), **asked) as person,
    ):
        await person.press("2", shows=("Saved 1", "trigger-elicitation-request"))
        await person.press("v", "c", "r", shows="1 passed, 0 failed")
        await person.press("x", "t", shows="★ ask")
        await person.press("ctrl+r", shows=("Restarted in", "Saved calls  ✓ 1 passed"))
        await person.press("v", "s", shows=("Statistics", "trigger-elicitation-request"))
