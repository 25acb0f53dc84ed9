"""A user works with servers that violate the protocol everywhere, in both eras. The app does not crash."""

from typing import Any

import pytest

from inspector.protocol.capabilities import ALL
from tests.stories.persons import Person, at_the_screen
from tests.stories.real_targets import of_ours
from tests.waiting import until

ERAS = ("legacy", "modern")
ASKING: dict[str, Any] = {"offers": frozenset(ALL), "has_person": True}


def further(*cases: tuple[str, ...]) -> list[Any]:
    """Cases whose server differs from another one only in what it sends."""
    return [pytest.param(*case, marks=pytest.mark.slow) for case in cases]


async def call(person: Person, tool: str) -> None:
    """Choose a tool and call it."""
    await person.press("escape", "escape", "escape", "2", "slash")
    await person.types(tool)
    await person.sees(f"▌ {tool}", "✓")  # the filter is applied
    await person.press("enter", "enter")  # ends the search, opens the form
    await person.press("ctrl+j")
    await until(lambda: tool in called(person), f"{tool} was called")


def called(person: Person) -> list[str]:
    """The names of the tools that were called."""
    return [each["params"]["name"] for each in person.wire().sent("tools/call")]


async def still_there(person: Person) -> None:
    """The app answers keys, and nothing of the server's acts on the terminal."""
    for _ in range(20):  # a question that follows takes the focus, and with it the digit
        await person.press("escape", "escape", "escape", "9")
        if "pid" in person.screen:
            break
    screen = await person.sees("pid")
    assert "\x1b" not in screen
    assert "\x9b" not in screen


@pytest.mark.parametrize(
    ("tool", "era"),
    [
        *(("schemas", "legacy"), ("answers", "modern")),
        *further(("schemas", "modern"), ("messages", "legacy"), ("fifty", "modern")),
        *further(("ids", "legacy"), ("withdraws", "legacy"), ("answers", "legacy")),
    ],
)
async def test_hostile_server_requests_can_be_viewed_and_answered(tool: str, era: str) -> None:
    async with at_the_screen(of_ours("spiteful_asks", era), None, **ASKING) as person:
        await person.sees("● Connected", "tools/list")
        await call(person, tool)
        await person.press("escape", "escape", "5", "g", "g")
        for _ in range(4):
            await person.press_quickly("j", "tab", "ctrl+j", "ctrl+j")
            await person.press_quickly("escape", "escape", "5")
        await person.press("exclamation_mark", "ctrl+d", "ctrl+x", "escape")
        await still_there(person)
        await person.sees("● Connected")


@pytest.mark.parametrize("era", ["legacy", *further(("modern",))])
async def test_a_server_that_dies_with_questions_open_withdraws_them(era: str) -> None:
    async with at_the_screen(of_ours("spiteful_asks", era), None, **ASKING) as person:
        await person.sees("● Connected", "tools/list")
        await call(person, "dies")
        await until(lambda: not person.journal.conversation.pairs.pending, "nothing is pending")
        await person.press("escape", "escape", "5", shows="0 waiting" if era == "modern" else "Withdrawn")
        await still_there(person)


@pytest.mark.parametrize(
    ("tool", "era"),
    [
        *(("asks", "modern"), ("storm", "legacy")),
        *further(("backward", "legacy"), ("backward", "modern"), ("huge", "legacy")),
    ],
)
async def test_hostile_tasks_can_be_viewed(tool: str, era: str) -> None:
    async with at_the_screen(of_ours("spiteful_tasks", era), None, **ASKING) as person:
        await person.sees("● Connected", "tools/list")
        await call(person, tool)
        await person.press("6", "g", "g")
        for keys in ("xf", "r", "r", ("enter",), "xc", "j", "l", "k"):
            await person.press_quickly(*keys)
        await still_there(person)


@pytest.mark.parametrize(
    ("how", "era"),
    [
        *(("storm", "modern"), ("dies", "legacy")),
        *further(("storm", "legacy"), ("dies", "modern")),
        *further(*((how, era) for how in ("twice", "never") for era in ERAS)),
    ],
)
async def test_hostile_subscriptions_keep_the_app_alive(how: str, era: str) -> None:
    async with at_the_screen(of_ours("spiteful_offers", era, how), None) as person:
        await person.sees("● Connected", "prompts/list")
        await person.press("3", shows="no-base64")
        await person.press_quickly(*"xfjxfjxf")
        await until(
            lambda: bool(person.wire().sent("subscriptions/listen" if era == "modern" else "resources/subscribe")),
            "it is watched",
        )
        await person.press_quickly(*"rvd", "escape")
        await still_there(person)
