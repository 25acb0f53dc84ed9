"""What can happen to the program at a terminal in the midst of a flood: sizes, signals, and the terminal's own end."""

import fcntl
import os
import signal
import struct
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.faulted import Row, breaking
from inspector.capture.format.verify import verify
from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessFact
from inspector.protocol.frames import Channel, Direction, Frame
from tests.stories.terminals import Window, lives

MB = 1_000_000


@contextmanager
def flooded(place: Path, megabytes: int) -> Iterator[tuple[Window, Path]]:
    """The program at a terminal, with a server that floods it, and the capture that is being written."""
    capture = place / f"{time.monotonic_ns()}.mcpcap"
    words = ("--era", "legacy", "--capture", str(capture), *breaking("stdout", str(megabytes * MB)))
    with Window(words, place) as window:
        window.until(b"notifications/message")
        yield window, capture


def _child(capture: Path) -> int:
    journal = load(capture)
    try:
        return next(entry.what.pid for entry in journal.processes if isinstance(entry.what, ProcessFact))
    finally:
        journal.close()


def _gone(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while lives(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not lives(pid)


def _frames_in_order(capture: Path) -> int:
    """How many notifications there are; 0 if one is missing between them."""
    journal = load(capture)
    try:
        payloads = (journal.store.entry(n).what for n in range(1, journal.count + 1))
        said = [what.payload for what in payloads if isinstance(what, Frame) and b'"data":"' in what.payload]
    finally:
        journal.close()
    numbers = [int(payload.partition(b'"data":"')[2][:9]) for payload in said]
    return len(numbers) if numbers == list(range(len(numbers))) else 0


def resized(place: Path, small: bool) -> Row:
    """Other sizes, some without room for anything, while a flood comes in; then a key."""
    sizes = [(24, 80), (1, 1), (60, 200), (3, 10), (40, 120), (2, 300), (200, 5), (40, 120)]
    with flooded(place, 20 if small else 200) as (window, _):
        for lines, columns in sizes * (1 if small else 10):
            fcntl.ioctl(window.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            window.read(0.05)
        window.until_still(0.1, most=20)
        answered = window.answer(b"9", b"running")
        window.press(b"q")
        good = window.ended(20) and window.status == 0
    many = len(sizes) * (1 if small else 10)
    return Row("terminal resized during a flood", f"{many} times; a key answered in {answered * 1000:.0f} ms", good)


def suspended(place: Path, small: bool) -> Row:
    """Stopped and continued in the midst of a flood: nothing is lost."""
    rounds = 2 if small else 10
    with flooded(place, 20 if small else 200) as (window, capture):
        for _ in range(rounds):
            os.kill(window.pid, signal.SIGSTOP)
            window.read(0.2)
            os.kill(window.pid, signal.SIGCONT)
            window.read(0.2)
        window.until(b"tools/list", 60)
        answered = window.answer(b"9", b"running")
        window.press(b"q")
        good = window.ended(20) and window.status == 0
    kept, whole = _frames_in_order(capture), verify(capture).complete
    figures = f"{rounds} times; {kept:,} frames in order, a key answered in {answered * 1000:.0f} ms"
    return Row("SIGSTOP and SIGCONT during a flood", figures, good and kept > 0 and whole)


def killed(place: Path, small: bool) -> Row:
    """SIGKILL of the program in the midst of a flood: what was recorded can be read, and no child is left."""
    with flooded(place, 500) as (window, capture):
        window.rest(0.2 if small else 2.0)
        os.kill(window.pid, signal.SIGKILL)
        died = window.ended(10) and window.status == -signal.SIGKILL
    child_gone = _gone(_child(capture), 10)
    verdict, kept = verify(capture), _frames_in_order(capture)
    figures = f"{kept:,} frames in order, {verdict.covered:,} of {verdict.frames:,} vouched for; no child left"
    good = died and child_gone and kept > 0 and not verdict.faults
    return Row("kill -9 of the program during a flood", figures, good)


def hung_up(place: Path, small: bool) -> Row:
    """SIGHUP, and a terminal that is closed: the capture is closed in good order, and no child is left."""
    rows = []
    for how in (signal.SIGHUP, None):
        with flooded(place, 500) as (window, capture):
            if how is not None:
                os.kill(window.pid, how)
                window.ended(20)
            else:
                window.hang_up()
        rows.append((verify(capture).complete, _gone(_child(capture), 10), _frames_in_order(capture)))
    figures = f"{sum(row[2] for row in rows):,} frames in order, captures closed; no child left"
    return Row("terminal gone (SIGHUP, closed) during a flood", figures, all(map(all, rows)))


def clock_steps(place: Path, small: bool) -> Row:
    """The wall clock jumps by days, back and forth: order and durations stay."""
    day = 86_400 * 10**9
    walls = iter([day * 20_000 + step * day for step in (0, 0, 1, -1, 0, 3650, -3650, 0, 0, 0, 0, 0)])
    ticks = iter(range(0, 10**12, 10**6))
    capture = place / "clocks.mcpcap"
    journal = start_capture(capture, clock=lambda: next(ticks), wall=lambda: next(walls))
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "memory"))
    for n in range(3):
        asked, told = f'{{"jsonrpc":"2.0","id":{n},"method":"ping"}}', f'{{"jsonrpc":"2.0","id":{n},"result":{{}}}}'
        journal.frame(Direction.TO_SERVER, Channel.MEMORY, asked.encode())
        journal.frame(Direction.FROM_SERVER, Channel.MEMORY, told.encode())
    before = [(each.duration_ns, each.state) for each in journal.conversation.exchanges]
    journal.close()
    again = load(capture)
    after = [(each.duration_ns, each.state) for each in again.conversation.exchanges]
    order = [again.store.time_ns(n) for n in range(1, again.count + 1)]
    again.close()
    good = before == after and all(took == 10**6 for took, _ in after) and order == sorted(order)
    return Row("wall clock stepped by days and by years, both ways", "order and durations as before", good)


FAULTS = (resized, suspended, killed, hung_up, clock_steps)
