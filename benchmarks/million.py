"""A million messages: opened on a screen, then given to each command that reads a capture.

    python -m benchmarks.million DIRECTORY [usual|small|PATH ...]

Two mixes with 400,000 tool calls and their responses: `usual` (300 MB) with lists, progress, log messages, errors
and texts of some length; `small` with the shortest messages that are valid. A path stands for a capture that is
there already. Captures that were made stay in the directory, so that a second run measures at once.
"""

import itertools
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median, quantiles

import msgspec

from benchmarks import measure
from benchmarks.terminal import Terminal
from inspector.capture.journal import start_capture
from inspector.protocol.frames import Channel, Direction, Eol

CALLS = 400_000
_SENT, _CAME = Direction.TO_SERVER, Direction.FROM_SERVER
_OPENING = (
    (
        _SENT,
        '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
        '"clientInfo":{"name":"bench","version":"1"}}}',
    ),
    (
        _CAME,
        '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},'
        '"serverInfo":{"name":"b","version":"1"}}}',
    ),
    (_SENT, '{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    (_SENT, '{"jsonrpc":"2.0","id":"list","method":"tools/list"}'),
    (
        _CAME,
        '{"jsonrpc":"2.0","id":"list","result":{"tools":['
        + ",".join(f'{{"name":"{name}","inputSchema":{{"type":"object"}}}}' for name in ("search", "fetch", "run"))
        + "]}}",
    ),
)
_KEYS = ((b"5", re.compile(b"No server requests")), (b"1", re.compile(b"Request/response|Wire order")))
"""Keys to press while a capture is opened: screen 5 and back, and what each shows."""

_NULL = subprocess.DEVNULL


def make(path: Path, mix: str) -> None:
    """Write a capture with `CALLS` calls."""
    journal, messages = start_capture(path), _small if mix == "small" else _usual
    for direction, text in itertools.chain(_OPENING, messages()):
        channel = Channel.STDIN if direction is _SENT else Channel.STDOUT
        journal.frame(direction, channel, text.encode(), eol=Eol.LF)
    journal.close()


def _usual() -> Iterator[tuple[Direction, str]]:
    for n in range(1, CALLS + 1):
        name, meta = ("search", "fetch", "run")[n % 3], ""
        if n % 4 == 0:
            meta = f',"_meta":{{"progressToken":{n}}}'
        arguments = f'{{"query":"übergang {n}","path":"/srv/data/{n * 7919 % 1000}"}}'
        params = f'{{"name":"{name}","arguments":{arguments}{meta}}}'
        yield _SENT, f'{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{params}}}'
        if meta:
            told = f'{{"progressToken":{n},"progress":1,"total":2,"message":"half of {n}"}}'
            yield _CAME, f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{told}}}'
        elif n % 4 == 1:
            told = f'{{"level":"info","logger":"big","data":"line {n} of what the server says about itself"}}'
            yield _CAME, f'{{"jsonrpc":"2.0","method":"notifications/message","params":{told}}}'
        if n % 200 == 0:
            yield _CAME, f'{{"jsonrpc":"2.0","id":{n},"error":{{"code":-32602,"message":"needle {n}"}}}}'
            continue
        failed = ',"isError":true' if n % 50 == 0 else ""
        text = f"found {n}" + (" and more of it" * 40 if n % 10 == 0 else "")
        yield _CAME, f'{{"jsonrpc":"2.0","id":{n},"result":{{"content":[{{"type":"text","text":"{text}"}}]{failed}}}}}'


def _small() -> Iterator[tuple[Direction, str]]:
    for n in range(1, CALLS + 1):
        yield _SENT, f'{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{{"name":"run"}}}}'
        if n % 2:
            yield _CAME, '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}'
        yield _CAME, f'{{"jsonrpc":"2.0","id":{n},"result":{{"content":[]}}}}'


class Opened(msgspec.Struct):
    """One opening on a screen."""

    first_s: float
    complete_s: float
    cpu_s: float
    """Processor time until all entries were counted, keys included."""
    most_mb: float
    keys_ms: list[float]

    def __str__(self) -> str:
        keys = "no keys"
        if len(self.keys_ms) > 1:
            p95 = quantiles(self.keys_ms, n=20)[-1]
            keys = f"{len(self.keys_ms)} keys: median {median(self.keys_ms):.0f} ms, p95 {p95:.0f} ms"
        took = f"first rows {self.first_s:.2f} s, complete {self.complete_s:.1f} s ({self.cpu_s:.1f} s of CPU)"
        return f"{took}, {self.most_mb:.0f} MB, {keys}"


def open_it(env: Mapping[str, str], path: Path, *, pressing: bool, quit_after_s: float = 0) -> tuple[Opened, float]:
    """Open a capture to its last entry, or quit before; the second figure is the seconds that quitting took.

    `pressing`: press keys meanwhile.
    """
    with Terminal(measure.inspector("replay", str(path)), env=env, columns=160, lines=50) as terminal:
        seen = Opened(terminal.until(re.compile(rb"tools/call|complete")), 0, 0, 0, [])
        keys = itertools.cycle(_KEYS)
        while b"complete" not in terminal.plain()[-20_000:]:
            if quit_after_s and time.perf_counter() - terminal.started > quit_after_s:
                break
            if pressing:
                seen.keys_ms.append(terminal.answer(*next(keys)) * 1000)
            terminal.rest(0.2)
            seen.most_mb = max(seen.most_mb, measure.resident_mb(terminal.pid))
        seen.complete_s, seen.cpu_s = time.perf_counter() - terminal.started, measure.cpu_s(terminal.pid)
        asked = time.perf_counter()
        terminal.press(b"q")
        terminal.ended(60.0)
        return seen, time.perf_counter() - asked


def command(env: Mapping[str, str], words: list[str]) -> str:
    """Run a command; its processor time, its wall time, the most memory of it, and its exit status."""
    began = time.perf_counter()
    child = subprocess.Popen(measure.inspector(*words), env=dict(env), stdout=_NULL, stderr=_NULL)  # noqa: TID251
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    spent = used.ru_utime + used.ru_stime
    return f"{spent:.1f} s of CPU, {took:.1f} s, {used.ru_maxrss / 1000:.0f} MB, exit status {child.returncode}"


def commands(path: Path, place: Path) -> Iterator[list[str]]:
    """Commands that read a whole capture."""
    file = str(path)
    for words in (["tail"], ["stats"], ["check"], ["verify"]):
        yield [*words, file]
    yield ["trace", file, "500000"]
    for name in ("har", "markdown", "jsonrpc", "curl", "python", "html", "otlp"):
        yield ["export", file, "--to", name, "-o", str(place / f"exported.{name}")]
    yield ["share", file, "-o", str(place / "shared.mcpcap")]
    yield ["recover", file, "-o", str(place / "recovered.mcpcap")]
    yield ["diff", file, file]


def main(words: list[str]) -> int:
    """Print one line per measurement. The memory of each command is limited to 8 GB."""
    place = Path(words[0])
    resource.setrlimit(resource.RLIMIT_AS, (8_000_000_000, resource.RLIM_INFINITY))
    for name in words[1:] or ("usual", "small"):
        path = Path(name)
        if name in ("usual", "small"):
            path = place / f"{name}.mcpcap"
            if not path.exists():
                make(path, name)
        sys.stdout.write(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB\n")
        with tempfile.TemporaryDirectory(dir=place) as home:
            _measure(path, Path(home))
    return 0


def _measure(path: Path, home: Path) -> None:
    def say(name: str, figures: object) -> None:
        sys.stdout.write(f"  {name:<24} {figures}\n")
        sys.stdout.flush()

    for name, pressing in (("opened", False), ("opened, with keys", True)):
        seen, quit_s = open_it(measure.environment(home / name), path, pressing=pressing)
        say(name, f"{seen}, quit in {quit_s:.2f} s")
    seen, quit_s = open_it(measure.environment(home / name), path, pressing=False)
    say("opened again", f"{seen}, quit in {quit_s:.2f} s")
    _, quit_s = open_it(measure.environment(home / "left"), path, pressing=False, quit_after_s=2)
    say("left while opening", f"{quit_s:.2f} s")
    env = measure.environment(home / "once")
    for words in commands(path, home):
        say(" ".join((words[0], *words[3:4] * (words[0] == "export"))), command(env, words))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
