"""Where an export goes: nowhere half, never over a file, never as a terminal's commands."""

import io
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.cli.exporting import FORMATS, to_file, to_stdout
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.errors import UsageError
from tests.cli.running import Terminal


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    out = place / "out"

    def failing() -> Iterator[bytes]:
        yield b"half"
        raise ValueError

    with pytest.raises(ValueError):
        to_file(out, failing())
    assert list(place.iterdir()) == []
    assert to_file(out, [b"a", b"bc"]) == 3
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="there already"):
        to_file(out, [b"x"])
    to_file(out, [b"x"], overwrite=True)
    assert out.read_bytes() == b"x"
    with pytest.raises(UsageError, match="can't be written"):
        to_file(tmp_path / "no" / "place", [b"x"])


def test_a_terminal_gets_nothing_that_acts_on_it() -> None:
    world = World(None, {}, io.StringIO(), Terminal(), io.StringIO())
    to_stdout(Output(world), [b"a\x1b[2J\nb\n"])
    assert world.stdout.getvalue() == "a␛[2J\nb\n"  # type: ignore[attr-defined]


def test_every_format_says_what_it_loses() -> None:
    assert all(each.says and each.loses for each in FORMATS.values())
