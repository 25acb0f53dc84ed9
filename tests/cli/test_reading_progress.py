"""How far the reading of a long file is: nothing at first, then a bar on a terminal or a few lines elsewhere."""

import io

from inspector.cli.output import Output
from inspector.cli.reading_progress import ReadingProgress
from inspector.cli.world import World
from tests.cli.running import Terminal


def _told(stderr: io.StringIO, *steps: tuple[float, int]) -> str:
    """What is on stderr after these moments, each with the bytes that were done then, of 1,000,000."""
    clock = [0.0]
    progress = ReadingProgress(Output(World(None, {}, io.StringIO(), io.StringIO(), stderr)), lambda: clock[0])
    for at, done in steps:
        clock[0] = at
        progress(done, 1_000_000)
    progress.end()
    return stderr.getvalue()


def test_what_is_done_in_a_moment_says_nothing() -> None:
    assert _told(Terminal(), (0.5, 500_000), (0.9, 1_000_000)) == ""
    assert _told(io.StringIO(), (5, 500_000), (9, 1_000_000)) == ""


def test_on_a_terminal_one_line_is_drawn_over_and_taken_away() -> None:
    said = _told(Terminal(), (2, 250_000), (2.01, 260_000), (3, 500_000))
    assert "25 % · 125 kB/s · about 6 s left" in said
    assert "26 %" not in said
    assert "━━━━━━━━━━━━────────────" in said
    assert "\n" not in said
    assert said.endswith("\r\x1b[K\r")


def test_elsewhere_each_tenth_of_the_way_is_a_line() -> None:
    said = _told(io.StringIO(), (20, 150_000), (21, 190_000), (30, 210_000), (40, 200_000)).splitlines()
    assert [line.strip().split(" %")[0] for line in said] == ["15", "21"]
