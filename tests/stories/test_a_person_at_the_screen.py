"""A user inspects real servers: views traffic, fills a form, calls, cancels, and opens the capture."""

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from inspector.capture.format.verify import verify
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import ProcessFact
from tests.stories.persons import Person, at_a_replay, at_the_screen
from tests.stories.real_targets import REAL, named, running
from tests.waiting import until

pytestmark = pytest.mark.real

EVERYTHING = [str(real) for real in REAL if real.server == "everything"]
HARBOURS = ["mcp1-sse", "mcp2-stdio", "mcp2-http", "fastmcp-http"]
ADDRESSES = {"stdio": "stdio", "http": "Streamable HTTP", "sse": "HTTP+SSE"}


def last_call(person: Person) -> Any:
    """The newest tools/call as it went to the server, and its answer."""
    saw = person.wire()
    call = [each for each in saw.exchanges if each.method == "tools/call"][-1]
    return json.loads(saw.frame(call.request_frame).payload), json.loads(saw.frame(call.answer_frame).payload)


def rows_of(screen: str) -> list[str]:
    """The rows of the traffic list that are exchanges: time, method, status, duration, size.

    Without the stream of changes, which lasts as long as the conversation: in a recording it has ended; and without
    the marks of checks, which come when they come.
    """
    lines = [" ".join(line.partition("│")[0].strip(" ▌▐").split()) for line in screen.splitlines()]
    rows = [re.sub("[✗▲·]→ ", "→ ", line) for line in lines if "→ " in line and line[0].isdigit()]
    return [row for row in rows if "subscriptions/list" not in row and "└ cancelled" not in row]


def is_in_empty_field(person: Person) -> bool:
    """Whether a line of text has the focus, with nothing in it."""
    field = person.pilot.app.focused
    return isinstance(field, Input) and not field.value


async def choose(person: Person, tool: str) -> None:
    """Go to the tools, find one, open its form."""
    await person.press("2", shows=(" Tool", tool))
    await person.press("slash")
    await person.types(tool[:6], shows=(f"search {tool[:6]}", "✓", f"▌ {tool}"))
    await person.press("enter", "enter")


@pytest.mark.parametrize("name", EVERYTHING)
async def test_calling_a_tool_of_server_everything_and_opening_the_capture(name: str, tmp_path: Path) -> None:
    capture, real = tmp_path / "session.mcpcap", named(name)
    async with running(real, tmp_path) as target, at_the_screen(target, capture) as person:
        await person.sees("mcp-servers/everything 2.0.0", ADDRESSES[real.transport], "legacy", "● Connected")
        await person.sees("→ tools/list", "→ prompts/list", "● Recording")
        await choose(person, "get-sum")
        await person.sees("First number", "2 required")
        await person.types("2", "tab")
        await person.types("40", shows="✓ Valid")
        await person.press("ctrl+j", shows=("✓ OK", "The sum of 2 and 40 is 42."))
        request, answer = last_call(person)
        assert request["params"]["arguments"] == {"a": 2, "b": 40}
        assert "42" in answer["result"]["content"][0]["text"]
        await person.press("escape", "escape", "escape", "1")
        before = rows_of(await person.sees("tools/call get-sum"))
    verdict = verify(capture)
    assert (verdict.complete, verdict.faults) == (True, ())
    async with at_a_replay(capture) as person:
        await person.sees("mcp-servers/everything 2.0.0", "▸ Capture", "tools/call get-sum")
        assert rows_of(person.screen) == before
        assert last_call(person) == (request, answer)
        await choose(person, "get-sum")
        await person.sees("The sum of 2 and 40 is 42.")
        await person.press("escape", "escape", "9", shows="mcp-servers/everything")


@pytest.mark.parametrize("name", HARBOURS)
async def test_nested_input_is_typed_into_the_form_and_goes_out_as_typed(name: str, tmp_path: Path) -> None:
    capture, real = tmp_path / "session.mcpcap", named(name)
    async with running(real, tmp_path) as target, at_the_screen(target, capture) as person:
        await person.sees("harbour", ADDRESSES[real.transport], real.era, "● Connected", "→ prompts/list")
        await choose(person, "book_berth")
        await person.sees("3 required", "length_m *")
        await person.types("Gull", "tab")
        await person.types("12.5", "tab", "enter", shows=("+ Add item", "Somebody on board.", "1 required"))
        await until(lambda: is_in_empty_field(person), "the name is to be typed")
        await person.types("Ann", "tab", "right", shows="● cook")
        await person.press("tab", "enter", shows=("array · 2 now", "1 required"))
        await until(lambda: is_in_empty_field(person), "the second name is to be typed")
        await person.types("Bo", shows="✓ Valid")
        await person.press("ctrl+j", shows=("✓ OK", "Structured ✓", '"heads": 2'))
        request, answer = last_call(person)
        crew = [{"name": "Ann", "rank": "cook"}, {"name": "Bo", "rank": "mate"}]
        ship = {"name": "Gull", "length_m": 12.5, "crew": crew, "home": None}
        assert request["params"]["arguments"] == {"ship": ship, "nights": 1}
        assert answer["result"]["structuredContent"] == {"berth": 5, "ship": "Gull", "heads": 2, "nights": 1}
        await person.press("escape", "escape", "escape", "1")
        before = rows_of(await person.sees("tools/call book_b"))
    async with at_a_replay(capture) as person:
        await person.sees("harbour", "▸ Capture", "tools/call book_b")
        assert rows_of(person.screen) == before
        assert last_call(person) == (request, answer)


@pytest.mark.parametrize("name", ["mcp1-stdio", "mcp2-stdio", "mcp2-http", "fastmcp-http", "mcp1-sse"])
async def test_a_call_that_does_not_end_is_cancelled_by_ctrl_c(name: str, tmp_path: Path) -> None:
    async with running(named(name), tmp_path) as target, at_the_screen(target, None) as person:
        await person.sees("● Connected", "→ prompts/list")
        await choose(person, "wait_for_wind")
        await person.sees("Call ^j")
        await person.press("ctrl+j", shows=("Running", "no wind"))
        await person.press("ctrl+c", shows="ancelled")
        (call,) = [each for each in person.wire().exchanges if each.method == "tools/call"]
        await until(lambda: call.state in (ExchangeState.CANCELLED, ExchangeState.LATE), "the call is cancelled")
        await person.press("ctrl+c", shows="q quits")


@pytest.mark.parametrize("name", ["mcp1-stdio", "fastmcp-http"])
async def test_failing_tool_shows_its_own_message(name: str, tmp_path: Path) -> None:
    async with running(named(name), tmp_path) as target, at_the_screen(target, None) as person:
        await person.sees("● Connected", "→ prompts/list")
        await choose(person, "sink")
        await person.sees("why *")
        await person.types("a hole", "ctrl+j", shows=("Tool error", "sink"))
        assert last_call(person)[1]["result"]["isError"] is True


async def test_wrong_input_can_be_sent_on_purpose(tmp_path: Path) -> None:
    async with running(named("mcp1-stdio"), tmp_path) as target, at_the_screen(target, None) as person:
        await person.sees("● Connected", "→ prompts/list")
        await choose(person, "unload")
        await person.sees("1 required")
        await person.types("many", "ctrl+j", shows=("Call anyway", "is not an integer"))
        assert not person.wire().sent("tools/call")
        await person.press("ctrl+j", shows="Tool error")
        assert last_call(person)[0]["params"]["arguments"] == {"crates": "many"}


async def test_everything_can_be_done_on_a_small_terminal(tmp_path: Path) -> None:
    async with running(named("mcp2-stdio"), tmp_path) as target, at_the_screen(target, None, (80, 24)) as person:
        await person.sees("harbour", "prompts/list")
        await choose(person, "sink")
        await person.sees("why *")
        await person.types("small", "ctrl+j", shows="Tool error")
        await person.press("escape", "escape", "escape", "escape", "1")
        await person.sees("[1 Traffic", "stderr ▸ ×", "after tools/call", "mcp.server.mcpserver")
        await person.press("slash")
        await person.types("tools/call", shows="tools/call sink")
        await person.press("enter", "9", shows=("harbour", "[ Restart ^r ]"))


async def test_a_server_that_dies_leaves_a_post_mortem_and_all_that_was_seen(tmp_path: Path) -> None:
    async with running(named("mcp2-stdio"), tmp_path) as target, at_the_screen(target, None) as person:
        await person.sees("● Connected", "→ prompts/list")
        (spawned,) = [entry.what for entry in person.journal.processes]
        assert isinstance(spawned, ProcessFact)
        os.kill(spawned.pid, signal.SIGKILL)
        await person.sees("SIGKILL", "→ prompts/list")
        await person.press("2", shows="book_berth")
        await person.press("9", shows=("SIGKILL", "harbour"))
        await person.press("ctrl+r", shows=("Restarted in", "● Connected"))
