"""Leaving: seconds from `q`, or from a signal, to the end of the process, beside a quiet server and in storms.

The worst of a few runs. A real pty, so that what the terminal is given back, and what the interpreter does at its
end, is part of it.
"""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from benchmarks import measure
from benchmarks.servers import TRIVIAL
from benchmarks.terminal import Terminal
from inspector.capture.journal import Journal, start_capture
from inspector.protocol.frames import Channel, Direction, Eol
from tests.servers.real import NotInstalled, argv

PENDING, SUBSCRIBED = 100_000, 8_000
_SAID = '"method":"notifications/message","params":{"level":"info","data":"%08d some words"}'
_ASKED = '"id":%d,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[]}'


def _storm(line: str, many: int | None) -> list[str]:
    """A server that writes `many` lines once it has listed its tools, then goes on answering; None: without end."""
    count = "iter(int, 1)" if many is None else f"range({many})"
    source = f"""{TRIVIAL}    if m["method"] == "tools/list":
        for n, _ in enumerate({count}):
            sys.stdout.write('{{"jsonrpc":"2.0",{line}}}\\n' % n)
        sys.stdout.flush()
"""
    return [sys.executable, "-S", "-c", source]


TOOLS = [sys.executable, "-S", "-m", "tests.servers.breaking", "tools", "100000"]
ASKS = _storm(_ASKED, PENDING)
SAYS = _storm(_SAID, None)


def _quiet(terminal: Terminal) -> None:
    measure.await_rest(terminal)


def _at_once(terminal: Terminal) -> None:
    """Nothing is waited for."""


def _stormed(terminal: Terminal) -> None:
    terminal.rest(3.0)


def _used(terminal: Terminal) -> None:
    """As somebody looks around: every screen, help, palette and the dialog to open, some times."""
    for _ in range(4):
        for key in (b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"1", b"?", b"\x1b", b"\x10", b"\x1b", b"gO", b"\x1b"):
            terminal.press(key)
            terminal.rest(0.2)


def _loaded(terminal: Terminal) -> None:
    """All that the capture holds is read, and each screen was looked at."""
    terminal.until(re.compile(rb"Traffic (100|16),\d"), 120.0)
    for key in b"2345678":
        terminal.press(bytes((key,)))
        terminal.rest(0.5)


def _put(journal: Journal, direction: Direction, **message: object) -> None:
    channel = Channel.STDIN if direction is Direction.TO_SERVER else Channel.STDOUT
    journal.frame(direction, channel, json.dumps({"jsonrpc": "2.0", **message}).encode(), eol=Eol.LF)


def _recordings(place: Path) -> Iterator["Scene"]:
    """Captures full of what is still open: requests of the server (12 MB), and subscriptions."""
    place.mkdir(parents=True, exist_ok=True)
    pending, subscribed = place / "pending.mcpcap", place / "subscribed.mcpcap"
    for path in (pending, subscribed):
        path.unlink(missing_ok=True)
    journal, text = start_capture(pending), {"type": "text", "text": "x" * 40}
    for n in range(PENDING):
        params = {"maxTokens": 1, "messages": [{"role": "user", "content": text}]}
        _put(journal, Direction.FROM_SERVER, id=n, method="sampling/createMessage", params=params)
    journal.close()
    journal = start_capture(subscribed)
    for n in range(SUBSCRIBED):
        _put(journal, Direction.TO_SERVER, id=n, method="resources/subscribe", params={"uri": f"note://{n}"})
        _put(journal, Direction.FROM_SERVER, id=n, result={})
    journal.close()
    yield Scene(f"replay with {PENDING:,} open server requests", ("replay", str(pending)), _loaded, 1.0)
    yield Scene(f"replay with {SUBSCRIBED:,} subscriptions", ("replay", str(subscribed)), _loaded, 1.0)


def _real() -> Iterator["Scene"]:
    try:
        yield Scene("server-everything", ("stdio", "--", *argv("everything")))
    except NotInstalled:
        return


class Scene(msgspec.Struct, frozen=True):
    """What is left, and when."""

    name: str
    words: tuple[str, ...]
    before: Callable[[Terminal], None] = _quiet
    most_s: float = 0.5
    by_signal: signal.Signals | None = None
    """What it is asked by; None: the key."""


def _stdio(argv: list[str]) -> tuple[str, ...]:
    return "stdio", "--era", "legacy", "--", *argv


SCENES = (
    Scene("the demo", ("demo",)),
    Scene("the demo, by SIGTERM", ("demo",), by_signal=signal.SIGTERM),
    Scene("the demo, by Ctrl+C from outside", ("demo",), by_signal=signal.SIGINT),
    Scene("the demo, after dialogs and screens", ("demo",), _used),
    Scene("right after the first picture", ("demo",), _at_once),
    Scene(f"with {PENDING:,} open server requests", _stdio(ASKS), _stormed),
    Scene("while log messages flood in", _stdio(SAYS), _stormed),
    Scene("with 100,000 tools", _stdio(TOOLS), _stormed),
)


def seconds(env: Mapping[str, str], scene: Scene) -> float:
    """One leaving."""
    with Terminal(measure.inspector(*scene.words), env=env) as terminal:
        terminal.until(b"Traffic")
        scene.before(terminal)
        asked = time.perf_counter()
        if scene.by_signal is None:
            terminal.press(b"q")
        else:
            os.kill(terminal.pid, scene.by_signal)
        terminal.ended(60.0)
        return time.perf_counter() - asked


def worst(env: Mapping[str, str], scene: Scene, times: int = 3) -> float:
    """The longest of some."""
    return max(seconds(env, scene) for _ in range(times))


def all_scenes(env: Mapping[str, str], place: Path, wanted: str = "", times: int = 3) -> Iterator[tuple[Scene, float]]:
    """Every scene, one after the other. `place`: where captures are made."""
    for scene in (*SCENES, *_real(), *_recordings(place)):
        if wanted in scene.name:
            yield scene, worst(env, scene, times)


if __name__ == "__main__":
    for each, took in all_scenes(measure.environment(Path(sys.argv[1])), Path(sys.argv[1]), " ".join(sys.argv[2:])):
        print(f"{each.name:<45} {took:.2f} s", flush=True)
