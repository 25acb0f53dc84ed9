"""Measures filters on a journal of many frames, in the app's filter thread while an event loop runs.

python -m benchmarks.filters [FRAMES] prints a table; run.py takes its rows with 100,000 frames. The floor beside
them is one search for the same text through all bytes of the capture.
"""

import asyncio
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from inspector.capture.journal import Journal, start_capture
from inspector.filters.engine.nodes import ExchangeColumns
from inspector.filters.engine.program import Program, Scan
from inspector.filters.language.parser import parse
from inspector.protocol.frames import Channel, Direction, Eol

SCREEN = 40
"""Rows of a first screen."""
TOOLS = ("search", "read_file", "write_file", "list", "echo")
FILTERS = (
    ("text, absent", "text contains not-in-there"),
    ("text, rare", "text contains needle"),
    ("text, dense", "text contains dolor"),
    ("bare text, rare", "needle"),
    ("tool and duration", "tool == search and dur > 500ms"),
    ("arguments, rare", "args.q == needle"),
    ("whole exchange", "any.tool == echo"),
)
_PAD = b"lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt "


@dataclass(frozen=True, slots=True)
class Measured:
    """How one filter went."""

    name: str
    hits: int
    first_ms: float
    """Until a first screen of hits was there; of all, if there are fewer."""
    complete_ms: float
    lag_ms: float
    """The longest time that the loop did not come back."""
    floor_ms: float


def fill(path: Path, frames: int) -> Journal:
    """Record calls with two words of progress, a log message and an answer each, 300 bytes a frame in the mean."""
    now = 10**9
    journal = start_capture(path, clock=lambda: now, wall=lambda: now)
    sent, came, number = Direction.TO_SERVER, Direction.FROM_SERVER, 0
    while journal.count < frames:
        number += 1
        word = b"needle" if number % 2000 == 0 else b"q%d" % number
        tool = TOOLS[number % len(TOOLS)].encode()
        call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%b","arguments":{"q":"%b"}}}'
        step = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d}}'
        said = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%b"}}'
        answer = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%b"}]}}'
        journal.frame(sent, Channel.STDIN, call % (number, tool, word), eol=Eol.LF)
        for done in (1, 2):
            now += 100_000
            journal.frame(came, Channel.STDOUT, step % (number, done), eol=Eol.LF)
        journal.frame(came, Channel.STDOUT, said % _PAD, eol=Eol.LF)
        now += number * 7_919_317 % 900_000_000
        journal.frame(came, Channel.STDOUT, answer % (number, _PAD * (number % 8)), eol=Eol.LF)
    while not path.read_bytes().endswith(b"\n") or b'"n":%d,' % journal.count not in path.read_bytes()[-5000:]:
        time.sleep(0.05)
    return journal


def floor(path: Path, word: bytes) -> float:
    """Milliseconds that one search through the file takes, reading included."""
    begin = time.perf_counter()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            chunk.lower().count(word)
    return (time.perf_counter() - begin) * 1000


async def run(journal: Journal, exchanges: ExchangeColumns, name: str, text: str, floor_ms: float) -> Measured:
    """Let one filter go through all of it."""
    term = parse(text)
    assert term is not None
    program = Program(term, journal, clock=lambda: 0, say=str, exchanges=exchanges)
    begin = last = time.perf_counter()
    scan = Scan(program, journal.count, threaded=True)
    hits, first_ms, lag = 0, 0.0, 0.0
    while not scan.is_done:
        while (found := scan.take()) is not None:
            hits += found[1].count(1)
            if not first_ms and hits >= SCREEN:
                first_ms = (time.perf_counter() - begin) * 1000
        await asyncio.sleep(0.001)
        lag, last = max(lag, time.perf_counter() - last - 0.001), time.perf_counter()
    complete = (time.perf_counter() - begin) * 1000
    return Measured(name, hits, first_ms or complete, complete, lag * 1000, floor_ms)


def measure(frames: int, path: Path) -> list[Measured]:
    """All filters, one after the other, on one journal."""
    journal = fill(path, frames)
    exchanges = ExchangeColumns(journal)
    floor_ms = floor(path, b"not-in-there")
    try:
        return [asyncio.run(run(journal, exchanges, name, text, floor_ms)) for name, text in FILTERS]
    finally:
        journal.close()


def main() -> None:
    """Print the table."""
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "filters.mcpcap"
        found = measure(frames, path)
        size = path.stat().st_size / 1e6
    sys.stdout.write(f"{frames:,} frames, {size:.0f} MB; one search through the bytes {found[0].floor_ms:.0f} ms\n")
    for each in found:
        figures = f"first {each.first_ms:7.1f} ms  complete {each.complete_ms:7.0f} ms  loop held {each.lag_ms:5.1f} ms"
        sys.stdout.write(f"{each.name:<20} {each.hits:>9,} hits  {figures}\n")


if __name__ == "__main__":
    main()
