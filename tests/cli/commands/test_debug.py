"""`mcp-inspect debug stats`: what a capture costs."""

from pathlib import Path

from inspector.cli.commands.debug import command
from tests.captures.record import sample
from tests.cli.running import demo, inspect


def test_debug_stats_of_a_capture_has_named_lines() -> None:
    ran = inspect("debug", "stats", str(sample("evening"))).exits(0)
    names = [line[:16].strip() for line in ran.stdout.splitlines()]
    assert names == ["entries", "read in", "resident", "index", "entries at hand", "threads"]


def test_debug_stats_of_a_capture_has_numbers_in_json() -> None:
    data = inspect("debug", "stats", str(sample("evening")), "--json").data
    assert data["entries"] > data["exchanges"] > 0
    assert data["index_bytes"] > data["entries"]
    assert data["at_hand_bytes"] <= data["at_hand_most"]


def test_debug_stats_of_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    ran = inspect("debug", "stats", str(tmp_path / "x"))
    assert ran.status != 0
    assert "x" in ran.stderr


def test_debug_command_has_its_name() -> None:
    assert command.name == "debug"


def test_debug_stats_of_a_server_runs_for_a_time() -> None:
    ran = inspect("debug", "stats", "--for", "0.1", *demo()).exits(0)
    names = [line[:16].strip() for line in ran.stdout.splitlines()]
    assert names == ["entries", "looked for", "resident", "index", "entries at hand", "threads"]
    data = inspect("debug", "stats", "--json", "--for", "0", *demo()).data
    assert data["entries"] > data["exchanges"] > 0
    assert data["resident_bytes"] > 1_000_000


def test_a_server_that_can_not_be_had_has_no_figures() -> None:
    ran = inspect("debug", "stats", "--", "/nowhere/at/all")
    assert (ran.status != 0, ran.stdout) == (True, "")


def test_no_source_at_all_is_refused() -> None:
    assert "Name a capture, a URL, or a server's command" in inspect("debug", "stats").stderr
