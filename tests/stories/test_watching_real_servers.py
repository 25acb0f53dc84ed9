"""Servers that others wrote are watched: at the screen and without one, by subscriptions and by a stream."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.store.load import load
from inspector.present.items import stream_lines
from inspector.protocol.revisions._shape import Era
from tests.stories.commands import started, words_of
from tests.stories.persons import Person, at_a_replay, at_the_screen
from tests.stories.real_targets import built, installed, named
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.real, pytest.mark.slow]

WIDE = (160, 45)
DYNAMIC = "demo://resource/static/document/features.md"


def _notified(person: Person, method: str) -> list[Any]:
    """What came by notifications of this method."""
    frames = [json.loads(frame.payload) for frame in person.wire().frames if frame.payload.startswith(b"{")]
    return [frame["params"] for frame in frames if frame.get("method") == f"notifications/{method}"]


async def _call(person: Person, name: str, arguments: str = "") -> None:
    """Call a tool from the tools' screen."""
    await person.press("2", "f", "c", shows=name)
    await person.press("slash")
    await person.types(name, "enter", "enter")
    await person.types(arguments, "ctrl+j", shows="✓ OK")


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_beacon_of_the_stateless_era_is_watched_read_again_and_compared(transport: str, tmp_path: Path) -> None:
    capture = tmp_path / "watched.mcpcap"
    async with (
        installed(built("mcp2", "beacon.py", transport), tmp_path) as target,
        at_the_screen(target, capture, WIDE, era=Era.MODERN) as person,
    ):
        await person.press("3", shows=("lamp", "● subscribed to lists of tools, prompts"))
        await person.press("x", "f", shows=("● Subscribed", "resources, beacon://lamp"))
        await person.press("ctrl+j", shows="2 times a minute")
        await _call(person, "flash", "7")
        await person.press("3", shows="◆ updated once, 1")
        await person.press("ctrl+j")
        await person.sees("7 times a minute", "Changed since the previous read", "updated once, read")
        await person.press("v", "d", shows=("- [2] times a minute", "+ [7] times a minute"))
        await person.press("escape")
        await _call(person, "mount_horn")
        await person.sees("horn", "3 tools")
        streams = person.journal.conversation.subscriptions.streams
        assert [stream.asked.uris for stream in streams] == [(), ("beacon://lamp",)]
        assert streams[0].exchange.why in ("another subscription takes its place", "closed by this side")
        (updated,) = _notified(person, "resources/updated")
        assert updated["uri"] == "beacon://lamp"
        assert updated["_meta"]["io.modelcontextprotocol/subscriptionId"] == streams[1].exchange.id
        assert person.wire().methods().count("tools/list") == 2
    async with at_a_replay(capture, WIDE) as person:
        await person.press("3")
        await person.sees("○ No longer subscribed", "◆ updated", "once, read since")  # the line wraps


@pytest.mark.parametrize("name", ["everything-stdio", "everything-http", "everything-sse"])
async def test_everything_is_watched_by_subscriptions(name: str, tmp_path: Path) -> None:
    async with (
        installed(named(name), tmp_path) as target,
        at_the_screen(target, tmp_path / "watched.mcpcap", WIDE) as person,
    ):
        await person.press("3", shows="features.md")
        await person.press("slash")
        await person.types("features")
        await person.press("enter", "x", "f", shows=("● Subscribed", "● watching", "demo://resource/static"))
        await _call(person, "toggle-subscriber-updates")
        await person.press("3", shows="◆ updated once, 1")
        await person.press("x", "f", shows="○ No longer subscribed")
        wire = person.wire()
        assert [message["params"]["uri"] for message in wire.sent("resources/subscribe")] == [DYNAMIC]
        assert [message["params"]["uri"] for message in wire.sent("resources/unsubscribe")] == [DYNAMIC]
        assert _notified(person, "resources/updated")[0]["uri"] == DYNAMIC


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_listen_to_a_beacon_prints_each_change(transport: str, tmp_path: Path) -> None:
    async with installed(built("mcp2", "beacon.py", transport), tmp_path) as target:
        before, after = words_of(target)
        words = ("listen", "--tools", "--uri", "beacon://lamp", "--for", "1", "--json")
        async with started(*words, *before, *after, place=tmp_path) as process:
            out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
        assert (process.returncode, out) == (0, b"")
        assert b"subscribed to list of tools, beacon://lamp" in err


async def test_without_a_screen_everything_is_subscribed_to_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    import signal

    capture = tmp_path / "subscribed.mcpcap"
    async with installed(named("everything-stdio"), tmp_path) as target:
        before, after = words_of(target)
        words = ("subscribe", DYNAMIC, "--json", "--capture", str(capture))
        async with started(*words, *before, *after, place=tmp_path) as process:
            assert process.stderr is not None
            while b"watching" not in (line := await asyncio.wait_for(process.stderr.readline(), PATIENCE_S)):
                assert line
            process.send_signal(signal.SIGINT)
            await asyncio.wait_for(process.communicate(), PATIENCE_S)
        assert process.returncode == 130
    journal = load(capture)
    assert [line[-1] for line in stream_lines(journal.conversation.subscriptions)] == [(DYNAMIC, "text")]


async def test_two_clients_of_a_beacon_hear_of_one_another(tmp_path: Path) -> None:
    async with installed(built("mcp2", "beacon.py", "http"), tmp_path) as target:
        before, after = words_of(target)
        words = ("subscribe", "beacon://lamp", "--count", "2", "--json")
        async with started(*words, *before, *after, place=tmp_path) as process:
            assert process.stderr is not None
            while b"watching" not in (line := await asyncio.wait_for(process.stderr.readline(), PATIENCE_S)):
                assert line
            for times in ("3", "4"):
                call = ("call", "flash", "-a", f"times={times}")
                async with started(*call, *before, *after, place=tmp_path) as caller:
                    await asyncio.wait_for(caller.communicate(), PATIENCE_S)
            out, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
        assert process.returncode == 0
        assert [json.loads(line)["params"]["uri"] for line in out.splitlines()] == ["beacon://lamp"] * 2
