"""A value becomes a test, which passes on its own server and fails on one without that tool."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.features.cases.file import open_cases
from inspector.features.cases.model import ExpectationKind
from tests.servers.real import argv
from tests.stories.commands import mcp_inspect, words_of
from tests.stories.persons import at_the_screen
from tests.stories.real_targets import named, running
from tests.waiting import until


@pytest.mark.real
async def test_a_value_chosen_at_the_screen_is_green_and_then_red(tmp_path: Path) -> None:
    capture, path = tmp_path / "a.mcpcap", tmp_path / "a.cases.yaml"
    async with running(named("everything-stdio"), tmp_path) as target:
        async with at_the_screen(target, capture, (160, 45)) as person:
            await person.sees("● Connected", "→ prompts/list")
            await person.press("2", "slash")
            await person.types("get-structured", "enter", shows="▌ get-structured-content")
            await person.press("enter", "right", "ctrl+j", shows=("✓ OK", "Structured ✓"))
            await person.press("down", shows="] Next tab")
            await person.press("right_square_bracket", shows="matches its outputSchema")
            await person.press("g", "g", "down", "x", "a", shows="Add assertion for /result/structuredContent/")
            await person.press("enter", "enter")
            await until(path.exists, "the case is written")
            await person.sees("Added.")
            await person.press("right_square_bracket", shows='"jsonrpc"')
            await person.press("g", "g", "down", "down", "down", "x", "a", shows="Add assertion for /")
            await person.press("escape", "escape", "escape", "q")
        (case,) = open_cases(path).cases
        assert case.params["name"] == "get-structured-content"
        assert [(each.kind, each.at.rpartition("/")[0]) for each in case.expect] == [
            (ExpectationKind.EQUALS, "/result/structuredContent")
        ]
        before, after = words_of(target)
        junit = tmp_path / "junit.xml"
        reporting = ("test", "--junit", str(junit), str(path))
        green = await mcp_inspect(*reporting, *before, *after, place=tmp_path)
        assert (green.status, b"1 of 1 as expected" in green.stdout) == (ExitStatus.OK, True), green.messages
        assert _suite(junit) == {"tests": "1", "failures": "0"}
        earlier = ("--", *argv("earlier everything"))
        red = await mcp_inspect(*reporting, *earlier, place=tmp_path)
        (said,) = [line for line in red.stdout.decode().splitlines() if line.startswith("      ")]
        assert (red.status, b"0 of 1 as expected" in red.stdout) == (ExitStatus.FINDINGS, True), red.messages
        assert "Unknown tool: get-structured-content" in said
        assert _suite(junit) == {"tests": "1", "failures": "1", "message": said.strip()}
        told = await mcp_inspect("test", "--json", str(path), *earlier, place=tmp_path)
        ((failed,), counts) = told.json["cases"], (told.json["passed"], told.json["failed"])
        assert (told.status, counts) == (ExitStatus.FINDINGS, (0, 1))
        assert [each["sentence"] for each in failed["failures"]] == [said.strip()]


def _suite(junit: Path) -> dict[str, str]:
    """How many tests it has, how many failed, and what is said of the failure."""
    suite = ElementTree.parse(junit).getroot()
    said = {name: suite.attrib[name] for name in ("tests", "failures")}
    for failure in suite.iter("failure"):
        said["message"] = failure.attrib["message"]
    return said
