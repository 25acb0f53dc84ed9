"""What runs without arguments: it lists, and starts nothing."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from inspector.cli.commands import start
from inspector.cli.exit_status import ExitStatus
from inspector.config.paths import places
from inspector.config.targets import OpenCapture, OpenDemo, OpenServer, OpenTyped
from tests.cli.commands.opened import opened
from tests.cli.running import inspect


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_servers_and_captures_are_listed(home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text(
        '{"mcpServers": {"gulls": {"command": "npx", "args": ["-y", "gulls"], "env": {"KEY": "secret"}},}} // ours'
    )
    captures = places().captures
    captures.mkdir(parents=True)
    (captures / "a.mcpcap").write_text("x")
    assert "secret" not in inspect().exits(0).prints("gulls", "npx -y gulls", "Cursor").stdout
    as_json = inspect("--json")
    assert as_json.data["captures"] == [str(captures / "a.mcpcap")]
    (found,) = as_json.data["servers"]
    assert (found["name"], found["argv"], found["env"]) == ("gulls", ["npx", "-y", "gulls"], ["KEY"])
    assert "secret" not in as_json.stdout


def test_start_without_servers_lists_none() -> None:
    inspect().exits(0).prints("none found in known")
    assert inspect("--json").data == {"servers": [], "captures": []}


def test_a_broken_file_is_one_line_with_its_place(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers":\n  nonsense}')
    assert ".mcp.json:2:3: " in inspect("--json").data["servers"][0]["problem"]


def test_names_move_no_cursor(home: Path) -> None:
    (home / ".claude.json").write_text('{"mcpServers": {"\\u001b[2J": {"command": "x"}}}')
    ran = inspect(env={"COLUMNS": "60"})
    assert "\x1b" not in ran.stdout
    assert "␛[2J" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 60
    assert start.command.hidden


def _chosen(choice: Any) -> Any:
    """On a terminal, with this choice made of what was found."""
    chooser = mock.patch("inspector.tui.start_app.StartApp", side_effect=partial(_Chooser, choice))
    with chooser, opened() as lives:
        ran = inspect(terminal=True, env={"TERM": "xterm"})
    return ran, lives


class _Chooser:
    """A start screen on which the choice is made at once."""

    typed = "what was typed"

    def __init__(self, choice: Any, servers: Any, recent: Any, taps: Any, *, typed: str, problem: str) -> None:
        self._choose = partial(choice, servers, recent)
        self._again = (typed, problem)

    def run(self) -> Any:
        return self._choose(*self._again)


def test_demo_can_be_chosen_on_a_terminal() -> None:
    ran, (live,) = _chosen(lambda servers, recent, *_: OpenDemo())
    assert ran.status == 0
    assert live.journal.conversation.opening.server["name"] == "gull-rock-lighthouse"


def test_server_found_in_a_file_is_opened_with_its_environment(home: Path) -> None:
    (home / ".cursor").mkdir()
    nine = {"command": sys.executable, "args": ["-c", "import os; os._exit(int(os.environ['N']))"], "env": {"N": "9"}}
    (home / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": {"nine": nine}}))
    _, (live,) = _chosen(lambda servers, recent, *_: OpenServer(servers[0]))
    assert "exited with code 9" in str(live.session.error)


def test_a_capture_is_opened_and_to_leave_is_to_leave() -> None:
    path = places().captures / "a.mcpcap"
    path.parent.mkdir(parents=True)
    path.write_text("x")
    with mock.patch("inspector.cli.commands.start.replay", return_value=ExitStatus.OK) as opened_on:
        ran, lives = _chosen(lambda servers, recent, *_: OpenCapture(recent[0].path))
    assert (ran.status, lives, opened_on.call_args.args[1]) == (0, [], path)
    ran, lives = _chosen(lambda servers, recent, *_: None)
    assert (ran.status, lives) == (0, [])


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        (OpenTyped(url="http://"), "'http://' has no host. Give the full URL, for example http://127.0.0.1:3000/mcp"),
        (OpenTyped(argv=("node",), cwd="/no/such"), "/no/such: no such directory. Edit the target."),
        (OpenCapture(Path(__file__)), "not a capture"),
    ],
)
def test_choice_that_cannot_be_opened_is_shown_again_with_the_reason(choice: Any, problem: str) -> None:
    seen: list[tuple[str, str]] = []

    def choose(servers: Any, recent: Any, typed: str, problem: str) -> Any:
        seen.append((typed, problem))
        return choice if len(seen) == 1 else None

    ran, lives = _chosen(choose)
    assert (ran.status, lives, seen[0]) == (0, [], ("", ""))
    assert seen[1][0] == "what was typed"
    assert problem in seen[1][1]
