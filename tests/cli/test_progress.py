"""Progress on stderr, as a bar on a terminal and as lines elsewhere."""

import io
import re
from pathlib import Path

import pytest

from inspector.cli import progress
from inspector.cli.env import CliEnv
from inspector.cli.output import Output
from inspector.cli.progress import ProgressBar, WorkProgress, bar
from inspector.protocol.exchanges import Progress
from tests.captures.record import sample
from tests.cli.running import Terminal, inspect

_CLEAR = "\x1b[K"


def _progress(done: float, total: float | None = 10, message: str = "") -> Progress:
    return Progress(done, total, message, 1, 1)


def _bar(stderr: io.StringIO, **env: str) -> tuple[Output, ProgressBar, list[float]]:
    """A bar, and the time that it goes by."""
    output, clock = Output(CliEnv(None, env, io.StringIO(), io.StringIO(), stderr)), [0.0]
    return output, ProgressBar(output, lambda: clock[0]), clock


@pytest.mark.parametrize(
    ("done", "total", "full"), [(0, 10, 0), (5, 10, 12), (10, 10, 24), (11, 10, 24), (-3, 10, 0), (1, 3, 8)]
)
def test_bar_is_filled_in_proportion(done: float, total: float, full: int) -> None:
    drawn = bar(_progress(done, total))
    assert (drawn.count("━"), len(drawn)) == (full, 25)


@pytest.mark.parametrize("total", [None, 0, -1])
def test_without_a_total_there_is_no_bar(total: float | None) -> None:
    assert bar(_progress(1, total)) == ""


def test_bar_on_a_terminal_overwrites_itself() -> None:
    stderr = Terminal()
    _, drawn, clock = _bar(stderr)
    drawn.show(_progress(1, message="one"))
    clock[0] = 0.01
    drawn.show(_progress(2, message="two"))
    clock[0] = 0.2
    drawn.show(_progress(3, message="three"))
    drawn.show(_progress(10, message="\x1b[2Jlast"))
    drawn.end()
    lines = stderr.getvalue().split("\r")
    assert [line.partition(" %  ")[2] for line in lines[1:]] == [
        f"one{_CLEAR}",
        f"three{_CLEAR}",
        f"␛[2Jlast{_CLEAR}\n",
    ]


def test_narration_replaces_the_bar() -> None:
    stderr = Terminal()
    output, drawn, _ = _bar(stderr, NO_COLOR="1")
    drawn.show(_progress(1))
    output.narrate("a word")
    drawn.end()
    assert stderr.getvalue().endswith(f"\r{_CLEAR}a word\n")


def test_elsewhere_it_is_a_line_now_and_then() -> None:
    stderr = io.StringIO()
    _, drawn, clock = _bar(stderr)
    for second in range(5):
        clock[0] = second / 2
        drawn.show(_progress(second))
    drawn.show(_progress(9))
    drawn.end()
    drawn.end()
    assert stderr.getvalue() == "0 of 10 · 0 %\n2 of 10 · 20 %\n4 of 10 · 40 %\n9 of 10 · 90 %\n"


def test_a_quiet_command_draws_nothing() -> None:
    stderr = Terminal()
    output, drawn, _ = _bar(stderr)
    output.quiet = True
    drawn.show(_progress(1))
    drawn.end()
    assert stderr.getvalue() == ""


def _told(stderr: io.StringIO, *steps: tuple[float, int]) -> str:
    """What is on stderr after these moments, each with the bytes that were done then, of 1,000,000."""
    clock = [0.0]
    work = WorkProgress(Output(CliEnv(None, {}, io.StringIO(), io.StringIO(), stderr)), lambda: clock[0])
    for at, done in steps:
        clock[0] = at
        work(done, 1_000_000)
    work.end()
    return stderr.getvalue()


def test_short_work_draws_no_progress() -> None:
    assert _told(Terminal(), (0.5, 500_000), (0.9, 1_000_000)) == ""
    assert _told(io.StringIO(), (5, 500_000), (9, 1_000_000)) == ""


def test_progress_on_a_terminal_is_one_line() -> None:
    said = _told(Terminal(), (2, 250_000), (2.01, 260_000), (3, 500_000))
    assert "25 % · 125 kB/s · about 6 s left" in said
    assert "26 %" not in said
    assert "━━━━━━━━━━━━────────────" in said
    assert "\n" not in said
    assert said.endswith("\r\x1b[K\r")


def test_elsewhere_each_tenth_of_the_way_is_a_line() -> None:
    said = _told(io.StringIO(), (20, 150_000), (21, 190_000), (30, 210_000), (40, 200_000)).splitlines()
    assert [line.strip().split(" %")[0] for line in said] == ["15", "21"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tail", "FILE"), "reading"),
        (("trace", "FILE", "28", "--json"), "reading"),
        (("export", "FILE", "--to", "jsonrpc", "-o", "OUT"), "exporting"),
        (("check", "FILE"), "checking"),
        (("share", "FILE", "--dry-run"), "copying"),
        (("diff", "FILE", "FILE"), "reading evening.mcpcap"),
        (("verify", "FILE"), "verifying"),
        (("compat", "FILE"), "reading"),
    ],
)
def test_long_work_on_a_capture_draws_a_bar(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(progress._SILENT_S, True, -1.0)
    monkeypatch.setattr(progress, "_PAUSE_BETWEEN_DRAWINGS_S", -1.0)
    names = {"FILE": str(sample("evening")), "OUT": str(tmp_path / "out")}
    ran = inspect(*(names.get(word, word) for word in words), terminal=True, env={"TERM": "xterm"})
    assert re.search(rf"\r[━─]{{24}} {re.escape(said)} \d+ %", ran.stderr)
    assert ran.stderr.endswith("\r\x1b[K\r") or "\r\x1b[K" in ran.stderr, "and it is removed"
    quiet = inspect(*(names.get(word, word) for word in words), *(["--force"] if "OUT" in words else []))
    assert "━" not in quiet.stderr, "no terminal, no bar"
