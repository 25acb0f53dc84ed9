"""What two files are called, and which are captures."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.commands.diff import FAILS, fails, names_of
from inspector.cli.comparing import (
    ComparedSide,
    SideKind,
    are_captures,
    demand_captures,
    is_capture,
    options_for,
    read_sides,
    side_of,
)
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.errors import UsageError
from inspector.features.lock.changes import DefinitionsDiff
from inspector.features.lock.lock_file import save
from inspector.present.changes.captures import Names
from tests.captures.record import sample
from tests.cli.running import inspect, scripted
from tests.features.lock.offered import SHOP, shop


def test_files_of_one_name_are_called_by_their_paths() -> None:
    assert names_of(Path("a/x.mcpcap"), Path("b/x.mcpcap")) == Names("a/x.mcpcap", "b/x.mcpcap")
    assert names_of(Path("a/x.mcpcap"), Path("b/y.mcpcap")) == Names("x.mcpcap", "y.mcpcap")


def test_a_capture_is_known_by_its_first_line_too(tmp_path: Path) -> None:
    other = tmp_path / "renamed"
    other.write_bytes(sample("handshake").read_bytes())
    assert is_capture(other)
    assert not is_capture(Path(__file__))
    assert not is_capture(tmp_path / "none")


HERE = CliEnv(None)
_CAPTURE = str(sample("lighthouse"))


def test_a_word_is_a_url_a_file_or_a_command(tmp_path: Path) -> None:
    lock, spaced = tmp_path / "a.json", tmp_path / "a file"
    lock.write_text('{"format": "mcp-lock", "version": 1}')
    spaced.write_text("{}")
    assert side_of("https://example.com/mcp", HERE) == ComparedSide(
        SideKind.TARGET, "https://example.com/mcp", url="https://example.com/mcp"
    )
    assert side_of(_CAPTURE, HERE).kind is SideKind.CAPTURE
    assert side_of(str(lock), HERE).kind is SideKind.LOCK_FILE
    assert side_of(str(spaced), HERE).kind is SideKind.CAPTURE, "a file that exists goes before a command"
    assert side_of("node 'my server.js'", HERE).argv == ("node", "my server.js")


def test_the_command_behind_the_dashes_is_the_last_side() -> None:
    one, other = read_sides((_CAPTURE,), CliEnv(("server",)), 2)
    assert (one.kind, other.argv, other.name) == (SideKind.CAPTURE, ("server",), "server")
    assert not are_captures((one, other))
    with pytest.raises(UsageError, match="server is not a capture"):
        demand_captures((one, other))


@pytest.mark.parametrize(
    ("words", "theirs", "said"),
    [
        ((), None, "got 0"),
        ((_CAPTURE,), None, "got 1"),
        ((_CAPTURE, _CAPTURE), ("x",), "got 3"),
        (("none.mcpcap", _CAPTURE), None, "no such file"),
        (("'open quote x", _CAPTURE), None, "invalid command line"),
        ((sys.executable, _CAPTURE), None, "is a program"),
        ((_CAPTURE,), (), "missing command after --"),
    ],
)
def test_read_sides_refuses_unknown_sides(words: tuple[str, ...], theirs: tuple[str, ...] | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_sides(words, CliEnv(theirs), 2)


def test_an_option_for_one_sort_of_server_is_kept_from_the_other_and_a_file_is_not_written_twice(
    tmp_path: Path,
) -> None:
    capture = tmp_path / "a.mcpcap"
    options = {"header": ("A: b",), "set_": ("K=v",), "capture": capture, "timeout": 3}
    mixed = (side_of(shlex.join([sys.executable, "x"]), HERE), side_of("http://127.0.0.1:1", HERE))
    assert options_for(mixed[0], mixed, options)["header"] == ()
    capture.touch()
    second = options_for(mixed[1], mixed, options)
    assert (second["set_"], second["header"], second["timeout"]) == ((), ("A: b",), 3)
    assert second["capture"].name == "a-2.mcpcap"
    alike = (mixed[0], mixed[0])
    assert options_for(alike[0], alike, options)["header"] == ("A: b",), "it is refused where it means nothing"


LIGHTHOUSE = str(sample("lighthouse"))
_TOOL: dict[str, Any] = {"name": "buy", "description": "Buys.", "inputSchema": {"type": "object"}}
_NARROWER = {**_TOOL, "description": "Buys\x1b[31m much.", "inputSchema": {"type": "object", "required": ["what"]}}


def _server(*tools: Any) -> tuple[str, ...]:
    return tuple(scripted({"tools/list": {"result": {"tools": list(tools)}}}, capabilities={"tools": {}}))


def test_two_servers_are_compared_and_what_is_hostile_in_them_does_not_act() -> None:
    ran = inspect("diff", shlex.join(_server(_TOOL)[1:]), *_server(_NARROWER)).exits(ExitStatus.FINDINGS)
    assert "1 breaking, 1 warning; 1 item on both sides" in ran.stdout
    assert "inputSchema.required.what: what is required now" in ran.stdout
    assert "Buys[␛[31m much]." in ran.stdout
    assert "\x1b" not in ran.stdout


@pytest.mark.parametrize(
    ("on", "status"), [("breaking", 0), ("warning", 0), ("info", 1), ("any", 1), ("never", 0), (None, 1)]
)
def test_fail_on_sets_the_rating_that_fails(tmp_path: Path, on: str | None, status: int) -> None:
    save(tmp_path / "a.json", shop())
    save(tmp_path / "b.json", shop(tools=[*SHOP["tools"], {"name": "more"}]))
    words = ("--fail-on", on) if on else ()
    assert inspect("diff", *words, str(tmp_path / "a.json"), str(tmp_path / "b.json")).status == status
    assert not any(fails(DefinitionsDiff(), each) for each in FAILS)


def test_a_capture_differs_in_nothing_from_its_own_lock_file(tmp_path: Path) -> None:
    lock = str(tmp_path / "a.json")
    assert inspect("lock", "-o", lock, LIGHTHOUSE).status == 0
    ran = inspect("diff", "--json", LIGHTHOUSE, lock)
    assert (ran.status, ran.data["changes"]) == (0, [])
    assert ran.data["before"]["hash"] == ran.data["after"]["hash"]
    assert (ran.data["before"]["kind"], ran.data["after"]["kind"]) == ("capture", "lock-file")


def test_two_captures_are_compared_by_their_operations_unless_the_surface_is_wanted() -> None:
    assert inspect("diff", LIGHTHOUSE, LIGHTHOUSE).stdout == "No difference: 26 unchanged.\n"
    for words in (("--definitions",), ("--fail-on", "any"), ("--markdown",)):
        assert "no difference;" in inspect("diff", *words, LIGHTHOUSE, LIGHTHOUSE).stdout
    ran = inspect("diff", "--definitions", "--only", "x", LIGHTHOUSE, LIGHTHOUSE)
    assert (ran.status, "--only" in ran.stderr) == (ExitStatus.USAGE, True)


def test_a_server_that_cannot_be_reached_gives_its_own_status(tmp_path: Path) -> None:
    save(tmp_path / "a.json", shop())
    ran = inspect("diff", str(tmp_path / "a.json"), "--", sys.executable, "-c", "raise SystemExit(3)")
    assert (ran.status, ran.stdout) == (ExitStatus.UNREACHABLE, "")


def test_sessions_of_what_is_no_capture_are_refused(tmp_path: Path) -> None:
    save(tmp_path / "a.json", shop())
    ran = inspect("diff", "--sessions", str(tmp_path / "a.json"), LIGHTHOUSE)
    assert (ran.status, "is not a capture" in ran.stderr) == (ExitStatus.USAGE, True)
    assert json.loads((tmp_path / "a.json").read_text())["format"] == "mcp-lock"
