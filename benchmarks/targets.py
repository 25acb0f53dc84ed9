"""What a person waits for, against targets: python -m benchmarks.targets [DIRECTORY [--node FILE]] [--before CHECKOUT]

Each figure has its floor, or that of the official MCP Inspector if DIRECTORY says where npm installed it (Node
22.19 or newer), and that of an earlier build in CHECKOUT. They run in turn, so that a busy machine slows all.
Exits with 1 where a target is missed.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median

import psutil

from benchmarks import measure, million, tap
from benchmarks.details import MANY_TOOLS
from benchmarks.official import add_arguments, cost, screen
from benchmarks.servers import ANSWERING, RESULT_SIZE, TRIVIAL
from benchmarks.table import Row, in_turn
from benchmarks.terminal import Terminal
from tests.servers.real import NotInstalled, argv

SCREENS = (
    (b"2", b"server hints"),
    (b"3", b"Static document"),
    (b"4", b"A prompt with no"),
    (b"5", b"list of roots"),
    (b"6", b"Status message"),
    (b"7", b"level not set"),
    (b"8", b"checks passed"),
    (b"9", b"Process"),
)
"""The key of each screen, and what it shows of server-everything."""
_HELP = b"Twelve keys"
_THEIR_HELP = b"Keyboard"
_REST_S = 10


def rows(home: Path, peer: tuple[str, ...] | None, before: Path | None = None) -> Iterator[Row]:
    """Measure all. `peer`: the command of the official Inspector's screen, without the server.

    `before`: a checkout of an earlier build, each of whose figures follows those of this one, and is not judged.
    """
    parts: list[Callable[[Path], Iterator[Row]]] = [_start, _keys, _many_tools, _million, _headless, _tap]
    try:
        everything = argv("everything")
    except NotInstalled as error:
        yield Row("server-everything", str(error))
    else:
        parts[1:1] = [partial(_beside, server=everything, peer=peer), partial(_visits, server=everything)]
    (home / "before").mkdir()
    for part in parts:
        yield from part(home)
        if before is not None:
            with measure.build(before):
                yield from (Row(f"  before: {row.name}"[:50], row.figures) for row in part(home / "before"))


def _start(home: Path) -> Iterator[Row]:
    env = measure.environment(home)
    ours, empty = in_turn(partial(measure.first_picture, env), partial(measure.empty_app, env))
    figures = f"{ours / empty:.2f} ({ours * 1000:.0f} ms, an empty app {empty * 1000:.0f} ms)"
    yield Row("first picture, against an empty Textual app", figures, "1.25", ours / empty <= 1.25)


# Beside the official Inspector


def _beside(home: Path, server: tuple[str, ...], peer: tuple[str, ...] | None) -> Iterator[Row]:
    env = measure.environment(home)
    listed, helped = "launch to the tools of server-everything", "help, opened and closed"
    remembered, ours = "memory with them on the screen", tuple(measure.inspector("stdio", "--"))
    if peer is None:
        (seconds,) = in_turn(partial(measure.tools_counted, env, server), rounds=5)
        yield Row(listed, f"{seconds * 1000:.0f} ms")
        our_s, our_mb = _look(env, ours, server, b"", _HELP)
        yield Row(helped, f"{our_s * 1000:.0f} ms")
        yield Row(remembered, f"{our_mb:.0f} MB")
        return
    theirs = partial(_their_list, env, (*peer, *server))
    ours_s, theirs_s = in_turn(partial(measure.tools_counted, env, server), theirs, rounds=5)
    figures = f"{ours_s / theirs_s:.2f} ({ours_s * 1000:.0f} ms, the Inspector {theirs_s * 1000:.0f} ms)"
    yield Row(listed, figures, "0.45", ours_s <= 0.45 * theirs_s)
    our_s, our_mb = _look(env, ours, server, b"", _HELP)
    their_s, their_mb = _look(env, peer, server, b"c", _THEIR_HELP)
    figures = f"{our_s / their_s:.2f} ({our_s * 1000:.0f} ms, the Inspector {their_s * 1000:.0f} ms)"
    yield Row(helped, figures, "1.00", our_s <= their_s)
    figures = f"{our_mb / their_mb:.2f} ({our_mb:.0f} MB, the Inspector {their_mb:.0f} MB)"
    yield Row(remembered, figures, "0.33", our_mb <= 0.33 * their_mb)


def _their_list(env: Mapping[str, str], command: tuple[str, ...]) -> float:
    with Terminal(command, env=env) as terminal:
        terminal.until(b"[Connect]")
        terminal.press(b"c")
        seconds = terminal.until(b"Tools (1")
        terminal.press(b"\x03")
    return seconds


def _look(
    env: Mapping[str, str], command: tuple[str, ...], server: tuple[str, ...], first: bytes, text: bytes
) -> tuple[float, float]:
    """Seconds to open and close help, the median of nine; MB of all processes but the server's."""
    with Terminal((*command, *server), env=env) as terminal:
        terminal.until(b"Tools" if not first else b"[Connect]")
        terminal.press(first)
        terminal.rest(4)
        script = max(server, key=len)
        own = (each.pid for each in _family(terminal.pid) if script not in each.cmdline()[:2])
        memory = sum(map(measure.resident_mb, own))
        times = []
        for _ in range(10):
            took = terminal.answer(b"?", text)
            terminal.rest(1)
            took += terminal.painted(b"\x1b")
            terminal.rest(0.5)
            times.append(took)
        terminal.press(b"q\x03")
    return median(times[1:]), memory


def _family(pid: int) -> list[psutil.Process]:
    """Return a process and its descendants."""
    first = psutil.Process(pid)
    return [first, *first.children(recursive=True)]


# Keys


def _visits(home: Path, server: tuple[str, ...]) -> Iterator[Row]:
    env = measure.environment(home)
    worst, busiest = (0.0, b""), (0, b"")
    escapes, times = [], []
    for key, text in SCREENS:
        with Terminal((*measure.inspector("stdio", "--"), *server), env=env) as terminal:
            terminal.until(b"Tools 1")
            terminal.rest(1)
            took = terminal.answer(key, text)
            times.append(took)
            worst = max(worst, (took, key))
            measure.await_rest(terminal)
            before = len(terminal.written)
            terminal.rest(_REST_S)
            busiest = max(busiest, (len(terminal.written) - before, key))
            terminal.answer(b"?", _HELP)
            terminal.rest(0.5)
            escapes.append(terminal.painted(b"\x1b"))
            terminal.rest(0.2)
            terminal.press(b"q")
    figures = f"median {median(times) * 1000:.0f} ms, worst {worst[0] * 1000:.0f} ms (key {worst[1].decode()})"
    yield Row("first visit of each screen, after a second", figures, "90 ms", worst[0] <= 0.09)
    figures = f"median {median(escapes) * 1000:.0f} ms, worst {max(escapes) * 1000:.0f} ms"
    yield Row("Esc closes help, on each screen", figures, "70 ms", median(escapes) <= 0.07)
    figures = f"{busiest[0]} bytes" + (f" (key {busiest[1].decode()})" if busiest[0] else "")
    yield Row(f"written in {_REST_S} s at rest, on each screen", figures, "0 bytes", not busiest[0])


def _keys(home: Path) -> Iterator[Row]:
    env = measure.environment(home)
    took = median(_call_s(env, 10) for _ in range(7))
    yield Row("key to result, server responds at once", f"{took * 1000:.0f} ms", "80 ms", took <= 0.08)
    large, floor = (median(each(env, RESULT_SIZE) for _ in range(5)) for each in (_call_s, _bare_call_s))
    beyond = (large - floor) * 1000
    figures = f"{beyond:.0f} ms more than the {floor * 1000:.0f} ms until its line is read"
    yield Row(f"key to result of {RESULT_SIZE // 1_000_000} MB", figures, "250 ms", beyond <= 250)


def _call_s(env: Mapping[str, str], size: int) -> float:
    with Terminal(measure.inspector("stdio", "--", sys.executable, "-c", ANSWERING, str(size)), env=env) as terminal:
        terminal.until(b"Tools 1")
        terminal.rest(1)
        terminal.answer(b"2", b"Save call")
        terminal.rest(1)
        took = terminal.answer(b"\n", b"here it is")
        terminal.rest(0.5)
        terminal.press(b"q")
    return took


def _bare_call_s(env: Mapping[str, str], size: int) -> float:
    """Seconds from a call's line to the last byte of the response's."""
    words = [sys.executable, "-c", ANSWERING, str(size)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env)) as child:  # noqa: TID251
        assert child.stdin is not None
        assert child.stdout is not None
        for method in ("tools/list", "tools/call"):
            began = time.perf_counter()
            child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode() + b"\n")
            child.stdin.flush()
            child.stdout.readline()
        took = time.perf_counter() - began
        child.stdin.close()
    return took


# Sizes


def _many_tools(home: Path) -> Iterator[Row]:
    env = measure.environment(home)
    words = measure.inspector("stdio", "--", sys.executable, "-c", MANY_TOOLS, "10000")
    with Terminal(words, env=env, columns=160, lines=50) as terminal:
        terminal.until(b"Tools 10")
        terminal.press(b"2")
        terminal.until(b"tool_00004")
        spent = measure.cpu_s(terminal.pid)
        measure.await_rest(terminal)
        all_s, memory = measure.cpu_s(terminal.pid), measure.resident_mb(terminal.pid)
        terminal.press(b"q")
    figures = f"{memory:.0f} MB; {spent:.1f} s of CPU until they are listed, {all_s:.1f} s with all checks"
    yield Row("10,000 tools in one page", figures, "130 MB, 2 s", memory <= 130 and spent <= 2)


def _million(home: Path) -> Iterator[Row]:
    env, path = measure.environment(home), home / "million.mcpcap"
    million.make(path, "small")
    measure.await_quiet()
    with Terminal(measure.inspector("replay", str(path)), env=env, columns=160, lines=50) as terminal:
        first_s = terminal.until(b"tools/call")
        all_s = terminal.until(re.compile(rb"1,000,00\d entries"), 60)
        spent, memory = measure.cpu_s(terminal.pid), measure.resident_mb(terminal.pid)
        terminal.press(b"q")
    figures = f"first rows {first_s:.2f} s, all {all_s:.1f} s ({spent:.1f} s of CPU), {memory:.0f} MB"
    kept = first_s <= 0.4 and all_s <= 3 and memory <= 150
    yield Row("a capture of 1,000,000 messages", figures, "0.4 s, 3 s, 150 MB", kept)


# Commands and the tap


def _headless(home: Path) -> Iterator[Row]:
    env = measure.environment(home)
    server = [sys.executable, "-c", TRIVIAL]
    listing = measure.inspector("list", "tools", "--json", "--", *server)
    bare = [sys.executable, "-c", "import asyncio, json, click"]
    alone = [sys.executable, "-c", "import json, sys, time"]
    ours, floor, of_server = in_turn(*(partial(_cpu_s, words, env) for words in (listing, bare, alone)))
    figures = f"{(ours - of_server) / floor:.2f} (with the server's {ours / floor:.2f}; {ours * 1000:.0f} ms)"
    kept = ours - of_server <= 1.5 * floor
    yield Row("list tools --json: CPU, against asyncio, json, click", figures, "1.50", kept)


def _cpu_s(words: list[str], env: Mapping[str, str]) -> float:
    return cost(words, env).cpu_s


def _tap(home: Path) -> Iterator[Row]:
    idle_mib, direct_s, through_s = tap.plain_trips(home)
    added = (through_s - direct_s) * 1e6
    yield Row("tap: a round trip of JSON", f"{added:+.0f} µs ({direct_s * 1e6:.0f} µs)", "+50 µs", added <= 50)
    posted, tapped = tap.posts()
    added = (tapped - posted) * 1000
    yield Row("tap: a POST", f"{added:+.2f} ms ({posted * 1000:.2f} ms)", "+0.50 ms", added <= 0.5)
    yield Row("tap: memory at rest", f"{idle_mib:.1f} MiB", "20 MiB", idle_mib <= 20)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add options that say where the Inspector and an earlier build are."""
    add_arguments(parser)
    parser.add_argument("--before", type=Path, help="checkout of an earlier build, to measure beside this one")


def main() -> int:
    """Measure and print; 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    given = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory(prefix="mcp-inspect-benchmark-") as home:
        for row in rows(Path(home), screen(given), given.before):
            print(row, flush=True)
            missed = missed or not row.kept
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
