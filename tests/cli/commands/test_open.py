"""`mcp-inspect open` and `--with`: targets in tabs, and approval before servers start."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.config.paths import places
from inspector.config.servers import FoundServer
from inspector.session.engine import OpenedSession
from tests.captures.record import sample
from tests.cli.commands.opened import opened
from tests.cli.running import demo, inspect

NINE = {"command": sys.executable, "args": ["-c", "import os; os._exit(9)"]}


@pytest.fixture(autouse=True)
def _servers_of_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": {"nine": NINE, "ten": NINE | {"cwd": "/"}}}))
    monkeypatch.chdir(tmp_path)


class Sight:
    """What the interface was opened on, and what the person was asked about."""

    def __init__(self) -> None:
        self.tabs: list[OpenedSession] = []
        self.asked: list[FoundServer] = []


@contextmanager
def at_a_terminal(*answers: bool) -> Iterator[Sight]:
    """With these answers to the questions, and an interface that is left at once."""
    sight = Sight()

    def approve(servers: Sequence[FoundServer]) -> list[FoundServer | None]:
        sight.asked += servers
        return [replace(server, approved=True) if yes else None for server, yes in zip(servers, answers, strict=True)]

    def show(first: OpenedSession, beside: Sequence[OpenedSession], opener: object, *_: object) -> ExitStatus:
        sight.tabs += [first, *beside]
        return ExitStatus.OK

    def show_live(begin: Any, first: Any, beside: Sequence[OpenedSession], opener: object, *_: object) -> ExitStatus:
        return show(OpenedSession(first.target.label, begin, first), beside, opener)

    with (
        mock.patch("inspector.cli.interface.approve", approve),
        mock.patch("inspector.cli.interface._show_opened", show),
        mock.patch("inspector.cli.interface.show_live", show_live),
    ):
        yield sight


def test_open_confirms_servers_by_name_only() -> None:
    capture = str(sample("harbour"))
    with at_a_terminal(True, False) as sight:
        ran = inspect("open", "nine", capture, "ten", f"{sys.executable} -V", terminal=True, env={"TERM": "xterm"})
    assert ran.status == 0
    assert [server.name for server in sight.asked] == ["nine", "ten"]
    assert sight.asked[0].argv == (sys.executable, *NINE["args"])
    assert [tab.name for tab in sight.tabs][:2] == ["nine", "harbour"]
    assert len(sight.tabs) == 3  # the one that was refused is not there
    assert "recorded; open it with: mcp-inspect replay " in ran.stderr


def test_a_capture_that_is_deleted_during_the_session_is_named_at_the_end() -> None:
    def show_live(begin: Any, first: Any, *_: object) -> ExitStatus:
        first.journal.capture_path.unlink()
        return ExitStatus.OK

    with at_a_terminal(), mock.patch("inspector.cli.interface.show_live", show_live):
        ran = inspect("stdio", "--", sys.executable, *NINE["args"], terminal=True, env={"TERM": "xterm"})
    assert ".mcpcap was deleted during the session: nothing of it is left" in ran.stderr
    assert "recorded" not in ran.stderr


def test_nothing_approved_is_nothing_opened() -> None:
    with at_a_terminal(False) as sight:
        ran = inspect("open", "nine", terminal=True, env={"TERM": "xterm"})
    assert (ran.status, ran.stderr, sight.tabs) == (0, "", [])


def test_open_takes_a_command_after_the_dashes_unconfirmed() -> None:
    with at_a_terminal(True) as sight:
        words = ("open", "--no-capture", "nine", "--", sys.executable, "-V")
        ran = inspect(*words, terminal=True, env={"TERM": "xterm"})
    assert ran.status == 0
    assert [tab.first.target.argv[-1] for tab in sight.tabs if tab.first] == [NINE["args"][1], "-V"]  # type: ignore[union-attr]
    assert "recorded" not in ran.stderr


def test_also_opens_beside_whatever_a_command_is_about() -> None:
    capture = str(sample("harbour"))
    with at_a_terminal(True) as sight:
        words = ("--with", "nine", "--no-capture", "--with", capture, *demo())
        ran = inspect(*words, terminal=True, env={"TERM": "xterm"})
    assert ran.status == 0
    assert [tab.name for tab in sight.tabs] == ["demo", "nine", "harbour"]


def test_a_word_that_means_nothing_starts_nothing() -> None:
    with at_a_terminal() as sight:
        ran = inspect("--with", "nin", *demo(), terminal=True, env={"TERM": "xterm"}).exits(ExitStatus.USAGE)
        assert "Did you mean 'nine'?" in ran.stderr
        assert inspect("open", terminal=True, env={"TERM": "xterm"}).status == ExitStatus.USAGE
    assert sight.tabs == []


def test_open_without_terminal_is_refused() -> None:
    inspect("open", "nine").exits(ExitStatus.USAGE, "needs a terminal")


_XTERM = {"TERM": "xterm"}


@pytest.mark.parametrize("word", [("stdio",), ()])
def test_the_interface_opens_on_the_command_and_the_session_is_recorded(word: tuple[str, ...]) -> None:
    with opened() as lives:
        ran = inspect(*word, "--era", "legacy", *demo(), terminal=True, env=_XTERM)
    (live,) = lives
    assert ran.status == 0
    assert live.journal.conversation.opening is not None
    assert live.journal.conversation.opening.era == "legacy"
    assert live.journal.capture_path is not None
    assert live.journal.capture_path.parent == places().captures
    assert "mcp-inspect replay " in ran.stderr


def test_nothing_is_recorded_on_request() -> None:
    with opened() as lives:
        inspect("--no-capture", *demo(), terminal=True, env=_XTERM)
    assert lives[0].journal.capture_path is None


def test_without_a_terminal_it_is_refused() -> None:
    inspect(*demo()).exits(ExitStatus.USAGE, "needs a terminal on stdin")


@pytest.mark.parametrize("word", [("http",), ()])
def test_the_interface_opens_on_the_url(word: tuple[str, ...], demo_url: str) -> None:
    with opened() as lives:
        assert inspect("-H", "X-Gull: yes", *word, demo_url, terminal=True, env=_XTERM).status == 0
    assert lives[0].journal.conversation.opening is not None
    assert lives[0].target.headers == (("X-Gull", "yes"),)  # type: ignore[union-attr]


def test_a_command_is_no_url() -> None:
    ran = inspect("http", "node", terminal=True, env=_XTERM)
    assert "'node' is not an http or https URL" in ran.stderr


def test_the_interface_opens_by_the_older_carriage(demo_url: str) -> None:
    with opened() as lives:
        assert inspect("sse", demo_url.removesuffix("/mcp") + "/sse", terminal=True, env=_XTERM).status == 0
    assert lives[0].journal.conversation.opening is not None
    assert lives[0].session is not None
    assert lives[0].session.transport.kind == "sse"


def test_another_transport_contradicts_it() -> None:
    ran = inspect("sse", "--transport", "http", "http://127.0.0.1:9/sse", terminal=True, env=_XTERM)
    assert ran.status == ExitStatus.USAGE
    assert "--transport http conflicts with sse" in ran.stderr


def test_the_interface_opens_on_the_capture(tmp_path: Path) -> None:
    file = tmp_path / "a.mcpcap"
    file.write_text("")
    with mock.patch("inspector.cli.interface.replay", return_value=ExitStatus.OK) as opened:
        assert inspect("replay", str(file), terminal=True).status == 0
    assert opened.call_args.args[1] == file


def test_a_file_that_is_not_there_or_no_terminal_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in inspect("replay", str(tmp_path), terminal=True).stderr
    (tmp_path / "a").write_text("")
    inspect("replay", str(tmp_path / "a")).exits(ExitStatus.USAGE, "needs a terminal on stdin")


def test_the_interface_opens_on_the_demo_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise SystemExit")
    with opened() as lives:
        assert inspect("demo", "--no-capture", terminal=True, env={"TERM": "xterm"}).status == 0
    opening = lives[0].journal.conversation.opening
    assert opening is not None
    assert opening.server["name"] == "gull-rock-lighthouse"
    assert lives[0].target.label == "demo"
