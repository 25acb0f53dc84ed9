"""Opening the interface: the server starts first, and no process or file is left behind."""

import asyncio
import gc
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import inspector.cli.launch
from inspector.cli import interface
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.interface import ServerRuns, Servers, demand_terminal, inspect, recent
from inspector.cli.targets import TargetOptions
from inspector.config.environment import build_environment
from inspector.config.paths import places
from inspector.config.servers import FoundServer
from inspector.config.targets import HttpTarget, OpenCapture, OpenDemo, OpenServer, OpenTyped, StdioTarget
from inspector.errors import UsageError
from inspector.protocol.facts import ConnectionEvent, ProcessEvent
from inspector.session.engine import Live
from inspector.session.options import SessionState, Timeouts
from inspector.session.session import Session
from inspector.transports.children import Started
from tests.architecture.sources import ROOT
from tests.cli.running import Terminal, demo
from tests.waiting import until


def _env(env: dict[str, str] | None = None) -> CliEnv:
    return CliEnv(None, {**os.environ, "TERM": "xterm", **(env or {})}, Terminal(), Terminal(), io.StringIO())


def _chosen(capture: Path | None = None, *, record: bool = True) -> TargetOptions:
    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    return TargetOptions(StdioTarget(demo()[3:], environment, str(ROOT)), None, "", Timeouts(), capture, record)


def _tools(live: Live) -> int:
    live.refresh(("tools",)).result(20)
    return len(live.journal.conversation.catalogue.tools)


def _wait_until_open(live: Live) -> None:
    async def opened() -> None:
        await until(lambda: live.state is not SessionState.CONNECTING, "the server had answered")

    live.engine.submit(opened()).result(30)


def _told(env: CliEnv) -> str:
    return env.stderr.getvalue()  # type: ignore[attr-defined, no-any-return]


_AT_THE_START = """
import io, json, os, sys
from tests.cli.running import Terminal
from inspector.cli.main import run
from inspector.cli.env import CliEnv

def seen(event, arguments):
    if event == "subprocess.Popen":
        print(json.dumps(sorted(sys.modules)), file=sys.stderr, flush=True)
        os._exit(0)

sys.addaudithook(seen)
streams = [Terminal(), Terminal(), io.StringIO()]
run(["stdio", "--", sys.executable, "-c", "pass"], CliEnv(None, {**os.environ, "TERM": "xterm"}, *streams))
"""


def test_the_server_starts_before_what_talks_to_it_and_what_shows_it_is_imported(home: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _AT_THE_START], cwd=ROOT, capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stderr))
    late = {"asyncio", "ssl", "textual", "rich", "inspector.session.engine", "inspector.capture.journal"}
    assert "inspector.transports.children" in imported
    assert imported & late == set()


def test_interface_runs_on_a_live_session_and_names_the_capture(tmp_path: Path) -> None:
    env, seen = _env(), []

    def show(begin: Callable[[], Live], first: Live) -> ExitStatus:
        _wait_until_open(first)
        seen.append(_tools(first))
        second = begin()
        _wait_until_open(second)
        seen.append(_tools(second))
        return ExitStatus.OK

    assert inspect(env, _chosen(tmp_path / "a b.mcpcap"), show) == ExitStatus.OK
    assert seen == [24, 24]
    for name in ("a b.mcpcap", "a b-2.mcpcap"):
        assert f"mcp-inspect replay '{tmp_path / name}'" in _told(env)
        assert (tmp_path / name).read_bytes().rstrip().rpartition(b"\n")[2].startswith(b'{"r":"end"')
    assert gc.isenabled()


def test_a_crash_inside_leaves_no_server_and_no_thread() -> None:
    def show(begin: Callable[[], Live], first: Live) -> ExitStatus:
        _wait_until_open(first)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        inspect(_env(), _chosen(record=False), show)
    assert not [thread.name for thread in threading.enumerate() if "engine" in thread.name]


def test_interface_without_recording_prints_nothing() -> None:
    env = _env()
    inspect(env, _chosen(record=False), lambda begin, first: ExitStatus.OK)
    assert _told(env) == ""


def test_a_file_that_is_taken_is_refused_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "a.mcpcap").write_text("taken")
    with pytest.raises(UsageError, match="already exists"):
        inspect(_env(), _chosen(tmp_path / "a.mcpcap"), lambda begin, first: ExitStatus.OK)


def test_without_a_terminal_the_other_commands_are_named() -> None:
    for env in (CliEnv(None, {"TERM": "xterm"}, io.StringIO(), Terminal()), _env({"TERM": "dumb"})):
        with pytest.raises(UsageError, match="needs a terminal") as refused:
            demand_terminal(env)
        assert "info, list, call, read, prompt" in refused.value.hint


def test_long_foreign_file_is_read_before_the_first_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "_LONG", 0)
    shown: list[object] = []

    def open_all(_: CliEnv, wishes: Callable[[Any], list[object]]) -> ExitStatus:
        shown.extend(wishes(None))
        return ExitStatus.OK

    monkeypatch.setattr(interface, "open_all", open_all)
    env = CliEnv(None, {}, Terminal(), Terminal(), io.StringIO())
    captures = ROOT / "tests" / "captures"
    paths = (captures / "foreign" / "browser.har", captures / "evening.mcpcap")
    assert interface.replay(env, *paths) == ExitStatus.OK
    assert shown == [*map(OpenCapture, paths)]
    assert env.stderr.getvalue() == "reading browser.har, 4.0 kB of another program\n"  # type: ignore[attr-defined]


def test_a_server_of_a_config_file_is_opened_as_it_was_approved(monkeypatch: pytest.MonkeyPatch) -> None:
    found = FoundServer("shop", "Cursor", Path("mcp.json"), ("shop", "${input:coast}"))
    filled = found.filled({"coast": "north"})
    opened: list[object] = []
    monkeypatch.setattr(interface, "approve", lambda servers: [filled])
    monkeypatch.setattr(Servers, "open", lambda self, wanted: opened.append(wanted))
    monkeypatch.setattr(interface, "_show_opened", lambda *_: ExitStatus.OK)
    assert interface.open_all(_env(), lambda _: [OpenServer(found)]) == ExitStatus.OK
    assert opened == [OpenServer(filled)]
    assert filled.argv == ("shop", "north")


def test_the_newest_ten_come_first_with_age_and_size() -> None:
    shelf = places().captures
    shelf.mkdir(parents=True)
    for number in range(12):
        (shelf / f"2026{number:02}.mcpcap").write_text("x" * number)
        os.utime(shelf / f"2026{number:02}.mcpcap", (1000 + number, 1000 + number))
    found = [*recent(os.environ)]
    assert len(found) == 10
    assert (found[0].path.name, found[0].size) == ("202611.mcpcap", 11)
    assert found[0].age_s > 0


def _engines() -> int:
    return sum("engine" in thread.name for thread in threading.enumerate())


def test_the_end_of_the_sittings_is_the_end_of_their_servers() -> None:
    runs = ServerRuns(_chosen(record=False), _env())
    live = runs.begin()
    _wait_until_open(live)
    runs.end()
    assert live.state is SessionState.CLOSED
    assert live.session is not None
    assert live.session.transport.exit is not None  # type: ignore[attr-defined]
    runs.end()  # a second end does nothing


def test_the_first_server_has_a_head_start_and_is_the_one_that_is_talked_to(started: list[Started]) -> None:
    runs = ServerRuns(_chosen(record=False), _env())
    live = runs.begin()
    _wait_until_open(live)
    assert live.session is not None
    assert live.session.transport.pid == started[0].child.pid  # type: ignore[attr-defined]
    facts = [live.journal.store.entry(n).what for n in (1, 2)]
    _wait_until_open(runs.begin())
    runs.end()
    assert [fact.event for fact in facts] == [ConnectionEvent.OPEN, ProcessEvent.SPAWN]  # type: ignore[union-attr]
    assert len(started) == 1  # reconnecting starts it as ever
    assert started[0].child.returncode is not None


def test_held_server_gets_nothing_until_released(started: list[Started]) -> None:
    runs = ServerRuns(_chosen(record=False), _env())
    live = runs.begin(held=True)
    asked = live.run(_pid)  # waits for the session
    live.engine.submit(asyncio.sleep(0)).result(30)  # what was submitted before has had its turn
    assert (live.session, live.journal.count, live.state, asked.done()) == (None, 0, SessionState.CONNECTING, False)
    live.begin()
    live.begin()  # a second time does nothing
    assert asked.result(30) == started[0].child.pid
    _wait_until_open(live)
    runs.end()


def test_a_server_that_is_held_is_ended_with_the_others(started: list[Started]) -> None:
    runs = ServerRuns(_chosen(record=False), _env())
    runs.begin(held=True)
    runs.end()
    assert started[0].child.returncode is not None


async def _pid(session: Session) -> int:
    await until(lambda: session.transport.pid is not None, "the server is taken over")  # type: ignore[attr-defined]
    pid: int = session.transport.pid  # type: ignore[attr-defined]
    return pid


def test_nothing_is_started_ahead_of_a_file_that_can_not_be_made(tmp_path: Path, started: list[Started]) -> None:
    path = tmp_path / "a.mcpcap"
    path.write_bytes(b"x")
    runs = ServerRuns(_chosen(path), _env())
    with pytest.raises(UsageError):
        runs.begin()
    runs.end()
    assert started == []


def test_a_server_with_a_head_start_is_ended_if_the_conversation_can_not_begin(
    started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise UsageError("no")

    monkeypatch.setattr(inspector.cli.launch, "settings_for", fails)
    runs = ServerRuns(_chosen(record=False), _env())
    with pytest.raises(UsageError):
        runs.begin()
    assert started[0].child.returncode == -signal.SIGKILL
    runs.end()
    assert _engines() == 0


def test_a_command_that_can_not_be_started_is_an_error_of_the_conversation(started: list[Started]) -> None:
    chosen = replace(
        _chosen(record=False), target=StdioTarget(("no-such-command",), build_environment({}, inherit_all=False), "/")
    )
    runs = ServerRuns(chosen, _env())
    live = runs.begin()
    _wait_until_open(live)
    assert live.session is not None
    assert "no-such-command" in str(live.session.error)
    runs.end()
    assert started == []


def test_closing_one_leaves_the_others_and_what_ends_last_ends_all() -> None:
    servers = Servers(_env(), _chosen(record=False))
    first = servers.add(_chosen(record=False)).begin()
    opened = servers.open(OpenDemo())
    assert opened.first is not None
    assert opened.close is not None
    for live in (first, opened.first):
        _wait_until_open(live)
    assert first.engine is not opened.first.engine
    opened.close()
    assert (first.state, opened.first.state) == (SessionState.OPEN, SessionState.CLOSED)
    servers.end()
    assert first.state is SessionState.CLOSED
    assert _engines() == 0


def test_each_conversation_is_recorded_in_a_file_of_its_own(tmp_path: Path) -> None:
    chosen = _chosen(tmp_path / "a.mcpcap")
    servers = Servers(_env(), chosen)
    first = servers.add(chosen).begin()
    second = servers.open(OpenDemo()).first
    assert second is not None
    for live in (first, second):
        _wait_until_open(live)
    servers.end()
    assert servers.captures == [tmp_path / "a.mcpcap", tmp_path / "a-2.mcpcap"]
    for path in servers.captures:
        assert path is not None
        assert path.read_bytes().rstrip().rpartition(b"\n")[2].startswith(b'{"r":"end"')


def test_options_of_one_server_do_not_apply_to_others() -> None:
    chosen = replace(_chosen(record=False), revision="x", clocks=Timeouts(total_s=5), retry_calls=True)
    servers = Servers(_env(), chosen)
    like = servers._like(HttpTarget("http://127.0.0.1:9/mcp"))
    assert (like.revision, like.clocks, like.era) == ("", Timeouts(), None)
    assert (like.record, like.retry_calls) == (False, True)


def test_names_and_captures_are_opened_as_they_are(home: Path) -> None:
    servers = Servers(_env())
    found = FoundServer("nine", "Cursor", home / "mcp.json", argv=demo()[3:], approved=True)
    opened = servers.open(OpenServer(found))
    assert opened.name == "nine"
    assert opened.first is not None
    assert servers.open(OpenCapture(home / "b.mcpcap")).capture == home / "b.mcpcap"
    broken = FoundServer("none", "Cursor", home / "mcp.json", problem="it has neither a command nor a URL")
    with pytest.raises(UsageError, match="neither a command"):
        servers.open(OpenServer(broken))
    with pytest.raises(UsageError, match="has no host"):
        servers.open(OpenTyped(url="http://"))
    servers.end()


def test_words_are_read_with_the_servers_that_were_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text('{"mcpServers": {"gulls": {"command": "npx", "args": ["gulls"]}}}')
    monkeypatch.chdir(home)
    servers = Servers(_env())
    assert servers.named_targets([]) == []
    named, typed = servers.named_targets(["gulls", "node a.js"])
    assert isinstance(named, OpenServer)
    assert named.server.argv == ("npx", "gulls")
    assert typed == OpenTyped(argv=("node", "a.js"))
