"""What somebody sees becomes a test: it passes on the server it was seen on, and fails on one without that tool."""

import sys
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.replay.cases.files import open_cases
from inspector.replay.cases.model import Kind
from tests.architecture.sources import ROOT
from tests.stories.commands import mcp_inspect, words_of
from tests.stories.persons import at_the_screen
from tests.stories.real_targets import named, running
from tests.waiting import until


@pytest.mark.real
async def test_a_value_chosen_at_the_screen_is_green_and_then_red(tmp_path: Path) -> None:
    capture, path = tmp_path / "a.mcpcap", tmp_path / "a.cases.yaml"
    async with running(named("everything-stdio"), tmp_path) as target:
        async with at_the_screen(target, capture, (160, 45)) as person:
            await person.sees("● connected", "→ prompts/list")
            await person.press("2", "slash")
            await person.types("get-structured")
            await person.press("enter")
            await person.sees("▌ get-structured-content")
            await person.press("enter", "right", "ctrl+j")
            await person.sees("Succeeded", "Structured ✓")
            await person.press("down")
            await person.sees("] Next tab")
            await person.press("right_square_bracket")
            await person.sees("matches its outputSchema")
            await person.press("g", "down", "A")
            await person.sees("Expect of /result/structuredContent/")
            await person.press("enter", "enter")
            await until(path.exists, "the case is written")
            await person.sees("1 case now")
            await person.press("right_square_bracket")
            await person.sees('"jsonrpc"')
            await person.press("g", "down", "down", "down", "A")
            await person.sees("Expect of /")
            await person.press("escape", "escape", "escape", "q")
        (case,) = open_cases(path).cases
        assert case.params["name"] == "get-structured-content"
        assert [(each.kind, each.at.rpartition("/")[0]) for each in case.expect] == [
            (Kind.EQUALS, "/result/structuredContent")
        ]
        before, after = words_of(target)
        green = await mcp_inspect("test", "--json", str(path), *before, *after, place=tmp_path)
        assert (green.status, green.json["passed"]) == (ExitStatus.OK, 1), green.told
        ledger = str(ROOT / "tests" / "servers" / "ledger.py")
        red = await mcp_inspect("test", "--json", str(path), "--", sys.executable, ledger, place=tmp_path)
        assert (red.status, red.json["failed"]) == (ExitStatus.FINDINGS, 1)
