"""A user calls tools of a real server and reads their statistics, live and in the capture."""

from pathlib import Path

import pytest

from tests.cli.running import inspect
from tests.stories.persons import at_the_screen
from tests.stories.real_targets import named, running
from tests.waiting import until

pytestmark = pytest.mark.real
WIDE = (160, 45)


async def test_calls_are_counted_on_the_screen_and_in_the_capture(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    async with running(named("everything-stdio"), tmp_path) as target, at_the_screen(target, capture, WIDE) as person:
        await person.sees("● Connected", "→ prompts/list")
        await person.press("v s", shows="No tool calls.")
        await person.press("2", "slash")
        await person.types("get-tiny-image", "enter", shows="▌ get-tiny-image")
        await person.press("enter")
        calls = person.journal.conversation.exchanges

        def answered() -> int:
            return sum(each.method == "tools/call" and each.answer_frame is not None for each in calls)

        for turn in range(3):
            await person.press("ctrl+j")
            await until(lambda: answered() > turn, "the tool was called")  # noqa: B023 - awaited at once
        await person.press("escape", "escape", "escape", "i", shows="3 calls, p95 ")
        await person.press("v s")
        await person.sees("3 calls · ", "get-tiny-image", "Never called", "get-tiny-image {} ×3", "RSS ")
        await person.press("]", shows=("tools/call", "tools/list", "initialize"))
        await person.press("[", "enter", shows=('tool == "get-tiny-image"', "tools/call get-tiny-image"))
        await person.press("9", shows=("CPU", "memory", "MB"))
    found = inspect("stats", "--json", str(capture)).data
    (group,) = found["groups"]
    assert (group["key"], group["calls"], group["ok"]) == ("get-tiny-image", 3, 3)
    assert group["p50_ms"] <= group["p95_ms"] <= group["max_ms"]
    assert [each["count"] for each in found["repeated"]] == [3]
    assert "echo" in found["never_called"]
