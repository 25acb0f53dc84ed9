"""The samples in this directory, and the command that records them: `python -m tests.captures.record`.

They are the same at each recording, so a difference in git is a change of the format, of the demo, or of what a
session says. Read them in tests through `sample(NAME)`.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from inspector.capture.format.file import CaptureFile, create
from inspector.capture.format.records import FORMAT, VERSION, Head, RecordingTool
from inspector.capture.format.writer import Recorder
from inspector.capture.journal import Journal
from tests.capture.recording import http_life, life, over, ticking
from tests.captures.evening import evening
from tests.captures.hurry import HurriedLoop
from tests.captures.lighthouse import day, visit, wreck
from tests.captures.shipyard import morning

HERE = Path(__file__).parent
_LIVES = {"handshake": life, "stateless": http_life}
_STAYS = {"lighthouse": day, "wreck": wreck, "evening": evening}
_TORN_AT = -500
"""Where the torn sample ends, seen from the end of the whole one: in the middle of a record."""
_MORNING = 1_795_254_060_000_000_000
"""A Saturday, 9:41 UTC, in nanoseconds since 1970."""
_LOOK = 37_000
"""Nanoseconds by which a clock goes on each time it is looked at, so that no two entries have the same time."""


def sample(name: str) -> Path:
    """The file of a sample.

    By hand, for the format: "handshake" over stdio, "stateless" over HTTP, "torn". Sessions with the demo, for the
    screens: "lighthouse" (a bit of everything), "evening" (reads and questions), "wreck" (the server dies),
    "harbour" (HTTP, stateless). By hand, for the screens: "shipyard" (calls that became tasks).
    """
    return HERE / f"{name}.mcpcap"


def record(directory: Path) -> None:
    """Write all samples into a directory, over what is there."""
    for name, live in _LIVES.items():
        path = directory / f"{name}.mcpcap"
        journal = over(CaptureFile(create(path, overwrite=True), path))
        live(journal)
        journal.close()
    whole = (directory / "handshake.mcpcap").read_bytes()
    (directory / "torn.mcpcap").write_bytes(whole[:_TORN_AT])
    for name, stay in _STAYS.items():
        loop = HurriedLoop()
        _play(directory / f"{name}.mcpcap", partial(_passed, loop), partial(stay, loop=loop))
    passed = [0.0]
    _play(directory / "shipyard.mcpcap", lambda: round(passed[0] * 1e6), partial(morning, wait=partial(_pass, passed)))
    _play(directory / "harbour.mcpcap", lambda: 0, visit, look=2_300_000)


def _passed(loop: HurriedLoop) -> int:
    return round(loop.time() * 1e6) * 1000


def _pass(passed: list[float], milliseconds: float) -> None:
    passed[0] += milliseconds


def _play(path: Path, passed: Callable[[], int], live: Callable[[Journal], None], *, look: int = _LOOK) -> None:
    """Record a session; `passed` gives the nanoseconds since it began, and each look takes some on top."""
    head = Head(format=FORMAT, v=VERSION, id=path.stem, tw=_MORNING, tm=10**9, tool=RecordingTool("mcp-inspect"))
    file = CaptureFile(create(path, overwrite=True), path)
    clock, wall = ticking(head.tm, look), ticking(head.tw, look)
    journal = Journal(
        file,
        head,
        recorder=Recorder(file, head),
        path=path,
        clock=lambda: passed() + clock(),
        wall=lambda: passed() + wall(),
    )
    live(journal)
    journal.close()


if __name__ == "__main__":
    record(HERE)
