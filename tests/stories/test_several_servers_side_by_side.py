"""A user inspects several servers at once: one tab each, one timeline for all, no interference."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget, Target
from inspector.present.traffic.tail import TailWriter
from inspector.session.engine import Engine, Live, OpenedSession
from inspector.session.options import SessionState, Settings
from inspector.tui.app import InspectApp
from inspector.tui.screens.traffic.timeline import TimelinePanel
from tests.architecture.sources import ROOT
from tests.stories.persons import SIZE, Person
from tests.stories.real_targets import named, running
from tests.stories.visits import seen
from tests.waiting import PATIENCE_S, until

COUNT = 120_000
"""Messages of a flood."""


@asynccontextmanager
async def at_several(
    targets: dict[str, Target], place: Path, size: tuple[int, int] = SIZE
) -> AsyncIterator[tuple[Person, InspectApp, dict[str, Live]]]:
    """A person before the app on these servers, the first connected, each recorded in `place` under its name."""
    engines = {name: Engine() for name in targets}
    lives = {
        name: Live(engines[name], target, start_capture(place / f"{name}.mcpcap"), Settings())
        for name, target in targets.items()
    }
    first, *others = [OpenedSession(name, first=live) for name, live in lives.items()]
    try:
        app = InspectApp(first=first.first, name=first.name, beside=others)
        async with app.run_test(size=size, notifications=True) as pilot:
            opened = next(iter(lives.values()))
            await until(lambda: opened.state is SessionState.OPEN and not opened.listing, "the first is connected", 30)
            person = Person(pilot, opened.journal)
            await person.sees(*targets)
            yield person, app, lives
    finally:
        for live in lives.values():
            live.end().result(PATIENCE_S)
        for engine in engines.values():
            engine.stop()


def called(journal: Journal) -> list[str]:
    """The tools that were called over a wire."""
    return [each["params"]["name"] for each in seen(journal).sent("tools/call")]


@pytest.mark.real
async def test_a_tool_of_one_server_is_called_and_the_timeline_shows_it_among_the_others(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "everything").mkdir()
    async with (
        running(named("everything-stdio"), tmp_path / "everything") as everything,
        running(named("memory-stdio"), tmp_path / "memory") as memory,
        at_several({"everything": everything, "memory": memory}, tmp_path, (150, 40)) as (person, app, lives),
    ):
        await person.press("g", "tab", "2", shows=("memory-server", "read_graph"))
        await person.press("slash")
        await person.types("read_graph", "enter", "ctrl+j")
        await until(lambda: called(lives["memory"].journal) == ["read_graph"], "the call crossed its wire")
        await person.sees("entities")
        assert called(lives["everything"].journal) == []
        await person.press("g", "a", shows=("2 servers, chronological", "tools/call read_graph"))
        assert person.line("→ tools/call read_graph").lstrip("▌ ").startswith("memory ")
        await person.press("slash")
        await person.types("server == everything and method ~ initialize", shows="3 of ")
        assert "read_graph" not in person.screen.partition("│")[0]
        await person.press("enter", "g", "g", "o", shows=("mcp-servers/everything", "1 Traffic"))
        assert app.tab.name == "everything"
    for name in ("everything", "memory"):
        content = (tmp_path / f"{name}.mcpcap").read_bytes()
        assert (b"read_graph" in content) is (name == "memory")


async def test_a_flood_from_one_server_leaves_the_keys_and_the_other_server_alone(tmp_path: Path) -> None:
    def target(*argv: str) -> StdioTarget:
        environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
        return StdioTarget((sys.executable, *argv), environment, str(ROOT))

    flooding = target(str(ROOT / "tests" / "servers" / "floods.py"), str(COUNT))
    async with at_several({"calm": target("-m", "inspector.demo"), "loud": flooding}, tmp_path) as (person, app, lives):
        calm, loud = lives["calm"], lives["loud"]
        await until(lambda: loud.journal.count > 2000, "the flood has begun", 30)
        await person.press("2", shows="complex_form")
        arguments = {"name": "echo", "arguments": {"text": "ahoy"}}
        calm.run(lambda session: session.call("tools/call", arguments)).result(PATIENCE_S)
        assert called(calm.journal) == ["echo"]
        await person.press("g", "a", shows="2 servers, chronological")
        timeline = app.tabs.timeline
        assert isinstance(timeline, TimelinePanel)
        await until(lambda: not timeline.timeline.is_behind and timeline.timeline.count > COUNT, "all of it", 60)
        times = [*timeline.timeline._merge.times]
        assert times == sorted(times)
        assert b"ahoy" in calm.journal.store.entry(calm.journal.count).what.payload  # type: ignore[union-attr]
        assert "echo" in "".join(text for text, _ in TailWriter(calm.journal).line(calm.journal.count, 100))
