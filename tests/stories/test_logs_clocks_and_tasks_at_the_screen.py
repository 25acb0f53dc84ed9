"""A user reads a real server's log, sets its level, watches a slow call, pings, and uses tasks."""

from pathlib import Path
from typing import Any

import pytest

from inspector.present.server import PING
from inspector.protocol.capabilities import ALL
from inspector.protocol.request_meta import LOG_LEVEL
from tests.stories.persons import Person, at_a_replay, at_the_screen
from tests.stories.real_targets import named, running
from tests.waiting import until

pytestmark = pytest.mark.real

WIDE = (160, 45)


async def choose(person: Person, tool: str) -> None:
    """Go to the tools, find one, open its form."""
    await person.press("2", shows=("Tool ", tool))
    await person.press("slash")
    await person.types(tool, shows=("✓ 1 of", f"▌ {tool[:12]}"))
    await person.press("enter", "enter", shows="✓ Valid")


def last(person: Person, method: str) -> Any:
    """The params of the newest message of a method that went to the server."""
    return person.wire().sent(method)[-1]["params"]


@pytest.mark.parametrize("name", ["everything-stdio", "everything-http", "everything-sse"])
async def test_log_of_everything_follows_its_level(name: str, tmp_path: Path) -> None:
    capture = tmp_path / "log.mcpcap"
    async with running(named(name), tmp_path) as target, at_the_screen(target, capture, WIDE) as person:
        await person.sees("→ tools/list", "● Connected")
        await person.press("7", shows=("[7 Log", "level not set: server default"))
        if name == "everything-stdio":
            await person.sees("! stderr", "Starting default (STDIO) server")
        await person.press("x", "l", shows=("Send logging/setLevel", "emergency"))
        await person.types("debug", shows="✓ 1")
        await person.press("enter", shows="debug and higher (logging/setLevel)")
        assert last(person, "logging/setLevel")["level"] == "debug"
        await choose(person, "toggle-sim")
        await person.press("ctrl+j", shows="Started simulated")
        await person.press("escape", "escape", "escape", "7")
        await until(lambda: "-level message" in person.screen or "level-message" in person.screen, "it logs")
        await person.press("v", "o", "G", "enter", shows=("[1 Traffic", "notifications/message", '"level"'))
    async with at_a_replay(capture, WIDE) as person:
        await person.press("7", shows=("debug and higher (logging/setLevel)", "evel"))


async def test_log_level_is_sent_with_each_later_request(tmp_path: Path) -> None:
    async with running(named("mcp2-stdio"), tmp_path) as target, at_the_screen(target, None, WIDE) as person:
        await person.sees("→ tools/list", "modern", "● Connected")
        await person.press("7", shows="requests: no log messages")
        await person.press("x", "l", shows=("Minimum level requested", "emergency"))
        await person.types("warning", shows="✓ 1")
        await person.press("enter", shows="each request: warning and higher")
        await person.press("x", "p", shows="server/discover: no ping in this protocol version")
        assert last(person, "server/discover")["_meta"][LOG_LEVEL] == "warning"
        await person.press("9", shows=("Ping", "least", "median", "server/discover (no ping in"))


async def test_a_slow_call_shows_its_pace_and_both_clocks(tmp_path: Path) -> None:
    async with running(named("everything-stdio"), tmp_path) as target, at_the_screen(target, None, WIDE) as person:
        await person.sees("→ tools/list", "● Connected")
        await person.press("x", "p", shows="Ping: ")
        assert person.wire().sent(PING)
        await choose(person, "trigger-long")
        await person.press("ctrl+j", shows=("idle timeout", "left of 60 s", "total timeout", "left of 1h 00m"))
        screen = await person.sees("2 of 5 · 40 %", "/s · about")
        assert " s left" in screen
        await person.press("ctrl+c", shows="Cancelled")


async def test_a_task_of_server_everything_outlives_its_screen_and_shows_its_result(tmp_path: Path) -> None:
    capture = tmp_path / "tasks.mcpcap"
    async with (
        running(named("everything-stdio"), tmp_path) as target,
        at_the_screen(target, capture, WIDE, offers=frozenset(ALL), has_person=True) as person,
    ):
        await person.sees("→ tools/list", "● Connected")
        await person.press("2", shows=("Tool ", "simulate-res"))
        await person.press("slash")
        await person.types("simulate-res", shows=("✓ 1 of", "▌ simulate"))
        await person.press("enter", "enter", shows=("task required", "topic"))
        await person.types("gulls", shows="✓ Valid")
        await person.press("ctrl+j", shows=("task  ⋯ Working", "6 shows it"))
        assert last(person, "tools/call")["task"] == {}
        await person.press("escape", "escape", "escape", "6")
        await person.sees("[6 Tasks", "⋯ Working", "simulate-resear", "server ●", "start")
        await person.sees("✓ Completed", "✓ OK", "gulls")
        await person.press("x", "L", shows="lists 1 task")
        assert person.wire().sent("tasks/list")
        await person.press("o", shows=("[1 Traffic", '"task"'))
    async with at_a_replay(capture, WIDE) as person:
        await person.press("6", shows=("✓ Completed", "simulate-resear", "✓ OK", "gulls"))
