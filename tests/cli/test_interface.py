"""Opening the interface: the server starts first, and whatever happens nothing stays behind."""

import gc
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.cli import interface
from inspector.cli.exit_status import ExitStatus
from inspector.cli.interface import demand_terminal, inspect
from inspector.cli.options import Chosen
from inspector.cli.world import World
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.errors import UsageError
from inspector.session.engine import Live
from inspector.session.wishes import Clocks, State
from inspector.viewmodels.start import OpenCapture
from tests.architecture.sources import ROOT
from tests.cli.running import Terminal, demo


def _world(env: dict[str, str] | None = None) -> World:
    import os

    return World(None, {**os.environ, "TERM": "xterm", **(env or {})}, Terminal(), Terminal(), io.StringIO())


def _chosen(capture: Path | None = None, *, record: bool = True) -> Chosen:
    import os

    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    return Chosen(StdioTarget(demo()[3:], environment, str(ROOT)), None, "", Clocks(), capture, record)


def _tools(live: Live) -> int:
    live.refresh(("tools",)).result(20)
    return len(live.journal.conversation.catalogue.tools)


def _wait_until_open(live: Live) -> None:
    from tests.waiting import until

    async def opened() -> None:
        await until(lambda: live.state is not State.CONNECTING, "the server had answered")

    live.engine.submit(opened()).result(30)


def _told(world: World) -> str:
    return world.stderr.getvalue()  # type: ignore[attr-defined, no-any-return]


_AT_THE_START = """
import io, json, os, sys
from tests.cli.running import Terminal
from inspector.cli.main import run
from inspector.cli.world import World

def seen(event, arguments):
    if event == "subprocess.Popen":
        print(json.dumps(sorted(sys.modules)), file=sys.stderr, flush=True)
        os._exit(0)

sys.addaudithook(seen)
streams = [Terminal(), Terminal(), io.StringIO()]
run(["stdio", "--", sys.executable, "-c", "pass"], World(None, {**os.environ, "TERM": "xterm"}, *streams))
"""


def test_the_server_starts_before_what_talks_to_it_and_what_shows_it_is_imported(home: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _AT_THE_START], cwd=ROOT, capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stderr))
    late = {"asyncio", "ssl", "textual", "rich", "inspector.session.engine", "inspector.capture.journal"}
    assert "inspector.transports.children" in imported
    assert imported & late == set()


def test_it_runs_on_a_live_conversation_and_says_where_that_is_recorded(tmp_path: Path) -> None:
    world, seen = _world(), []

    def show(begin: Callable[[], Live], first: Live) -> ExitStatus:
        _wait_until_open(first)
        seen.append(_tools(first))
        second = begin()
        _wait_until_open(second)
        seen.append(_tools(second))
        return ExitStatus.OK

    assert inspect(world, _chosen(tmp_path / "a b.mcpcap"), show) == ExitStatus.OK
    assert seen == [24, 24]
    for name in ("a b.mcpcap", "a b-2.mcpcap"):
        assert f"mcp-inspect replay '{tmp_path / name}'" in _told(world)
        assert (tmp_path / name).read_bytes().rstrip().rpartition(b"\n")[2].startswith(b'{"r":"end"')
    assert gc.isenabled()


def test_a_crash_inside_leaves_no_server_and_no_thread() -> None:
    import threading

    def show(begin: Callable[[], Live], first: Live) -> ExitStatus:
        _wait_until_open(first)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        inspect(_world(), _chosen(record=False), show)
    assert not [thread.name for thread in threading.enumerate() if "engine" in thread.name]


def test_nothing_is_said_of_what_was_not_recorded() -> None:
    world = _world()
    inspect(world, _chosen(record=False), lambda begin, first: ExitStatus.OK)
    assert _told(world) == ""


def test_a_file_that_is_taken_is_refused_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "a.mcpcap").write_text("taken")
    with pytest.raises(UsageError, match="is there already"):
        inspect(_world(), _chosen(tmp_path / "a.mcpcap"), lambda begin, first: ExitStatus.OK)


def test_without_a_terminal_the_other_commands_are_named() -> None:
    for world in (World(None, {"TERM": "xterm"}, io.StringIO(), Terminal()), _world({"TERM": "dumb"})):
        with pytest.raises(UsageError, match="needs a terminal") as refused:
            demand_terminal(world)
        assert "info, list, call, read or prompt" in refused.value.hint


def test_a_long_file_of_another_program_is_read_before_the_first_picture_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interface, "_LONG", 0)
    shown: list[object] = []

    def open_all(_: World, wishes: Callable[[Any], list[object]]) -> ExitStatus:
        shown.extend(wishes(None))
        return ExitStatus.OK

    monkeypatch.setattr(interface, "open_all", open_all)
    world = World(None, {}, Terminal(), Terminal(), io.StringIO())
    captures = ROOT / "tests" / "captures"
    paths = (captures / "foreign" / "browser.har", captures / "evening.mcpcap")
    assert interface.replay(world, *paths) == ExitStatus.OK
    assert shown == [*map(OpenCapture, paths)]
    assert world.stderr.getvalue() == "reading browser.har, 4.0 kB of another program\n"  # type: ignore[attr-defined]
