"""What the words of a comparison name, and the surface of it."""

import shlex
import sys
from pathlib import Path

import pytest

from inspector.cli.sides import Kind, Side, are_captures, demand_captures, options_for, read_sides, side_of
from inspector.cli.world import World
from inspector.errors import UsageError
from tests.captures.record import sample

HERE = World(None)
_CAPTURE = str(sample("lighthouse"))


def test_a_word_is_a_url_a_file_or_a_command(tmp_path: Path) -> None:
    lock, spaced = tmp_path / "a.json", tmp_path / "a file"
    lock.write_text('{"format": "mcp-surface", "version": 1}')
    spaced.write_text("{}")
    assert side_of("https://example.com/mcp", HERE) == Side(
        Kind.TARGET, "https://example.com/mcp", url="https://example.com/mcp"
    )
    assert side_of(_CAPTURE, HERE).kind is Kind.CAPTURE
    assert side_of(str(lock), HERE).kind is Kind.SURFACE
    assert side_of(str(spaced), HERE).kind is Kind.CAPTURE, "a file that exists goes before a command"
    assert side_of("node 'my server.js'", HERE).argv == ("node", "my server.js")


def test_the_command_behind_the_dashes_is_the_last_side() -> None:
    one, other = read_sides((_CAPTURE,), World(("server",)), 2)
    assert (one.kind, other.argv, other.name) == (Kind.CAPTURE, ("server",), "server")
    assert not are_captures((one, other))
    with pytest.raises(UsageError, match="server is no capture"):
        demand_captures((one, other))


@pytest.mark.parametrize(
    ("words", "theirs", "said"),
    [
        ((), None, "none named"),
        ((_CAPTURE,), None, "1 named"),
        ((_CAPTURE, _CAPTURE), ("x",), "3 named"),
        (("none.mcpcap", _CAPTURE), None, "no such file"),
        (("'open quote x", _CAPTURE), None, "no command line"),
        ((sys.executable, _CAPTURE), None, "is a program"),
        ((_CAPTURE,), (), "nothing stands after --"),
    ],
)
def test_what_names_nothing_is_refused(words: tuple[str, ...], theirs: tuple[str, ...] | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_sides(words, World(theirs), 2)


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
