"""A user views everything that bad servers sent: every row, tab and form. The app does not crash."""

from pathlib import Path

import pytest

from tests.servers.hostile import MARKUP, H
from tests.servers.mistyped import TOOLS
from tests.stories.persons import Person, at_a_replay, at_the_screen
from tests.stories.real_targets import of_ours
from tests.waiting import until

SLOW = pytest.mark.slow
BAD = (
    *(pytest.param(("noisy", "once"), marks=SLOW), ("mistyped",)),
    *(pytest.param(("cyclic",), marks=SLOW), pytest.param(("hostile",), marks=SLOW)),
)


async def listed(person: Person) -> None:
    """Wait until the server's lists are there, as far as it gives them."""
    await person.sees("● Connected", "tools/list")
    await until(lambda: not person.journal.conversation.pairs.pending, "nothing is pending", 20)


async def look_at_every_row(person: Person) -> None:
    """Go through the rows from the first on, with another tab of the detail at each."""
    await person.press("g", "g")
    for _ in range(person.journal.count):
        await person.press_quickly("right_square_bracket", "j")


async def call_every_tool(person: Person, count: int) -> None:
    """Choose each tool, call it with what its form holds, twice where that is wrong."""
    await person.press("2")
    for _ in range(count):
        await person.press("ctrl+j", "ctrl+j")
        await person.press_quickly("escape", "escape", "escape")
        await person.press_quickly("2", "i")
        await person.press_quickly("j")


@pytest.mark.parametrize("words", BAD, ids=lambda words: words[0])
async def test_every_row_of_a_bad_server_can_be_looked_at(words: tuple[str, ...], tmp_path: Path) -> None:
    capture = tmp_path / "bad.mcpcap"
    async with at_the_screen(of_ours(*words), capture) as person:
        await listed(person)
        await person.press("v", "t")
        await look_at_every_row(person)
        await person.sees("● Connected")
        await person.press("9", shows="pid")
    async with at_a_replay(capture) as person:
        await look_at_every_row(person)
        await person.press("2", "9", "1", shows="▸ Capture")


@pytest.mark.parametrize(
    ("name", "tools", "called"),
    [
        ("noisy", 1, {"good"}),
        pytest.param(
            *("mistyped", len(TOOLS), {"good", "bent_0", "bent_7", "bent_17", "no_schema", "odd", "odder", "last"}),
            marks=SLOW,
        ),
        pytest.param("cyclic", 3, {"after_None", "after_a", "after_b"}, marks=SLOW),
        ("hostile", 4, {"plain", "fails", "refuses", f"tool {H}"}),
    ],
)
async def test_every_tool_of_a_bad_server_can_be_called(name: str, tools: int, called: set[str]) -> None:
    async with at_the_screen(of_ours(name), None) as person:
        await listed(person)
        await call_every_tool(person, tools)
        await until(lambda: not person.journal.conversation.pairs.pending, "nothing is pending", 20)
        assert {each["params"]["name"] for each in person.wire().sent("tools/call")} >= called
        await person.sees("● Connected")


async def test_markup_of_a_server_is_shown_literally() -> None:
    async with at_the_screen(of_ours("hostile"), None) as person:
        await listed(person)
        await person.press("2", shows=("plain", "i Info"))
        screen = await person.press("i", shows=("plain", MARKUP[:20]))
        assert "\x1b" not in screen
        assert "␛[38;5;199mPINK" in screen
