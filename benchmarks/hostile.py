"""How fast keys are answered while a server does its worst, with the checks on: from key to picture, on a real pty.

In the traffic the key is `P`, which freezes and releases the list; among tools `j` and `k`, answered by the row that
the cursor is on, and by the head of the tool that is shown then.
"""

import itertools
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median, quantiles

from benchmarks import measure
from benchmarks.terminal import Terminal

_FROZEN = re.compile("frozen|‖".encode())
"""Where counts leave no room for the word, its sign stands alone."""
SECONDS = 8.0
"""How long keys are pressed in each scene."""


@dataclass(slots=True)
class Keys:
    """What was seen in one scene."""

    name: str
    ms: list[float] = field(default_factory=list)

    @property
    def p95_ms(self) -> float:
        """What nineteen of twenty keys keep to."""
        return quantiles(self.ms, n=20)[-1] if len(self.ms) > 1 else self.ms[0]

    def __str__(self) -> str:
        told = f"median {median(self.ms):.0f} ms, p95 {self.p95_ms:.0f} ms, worst {max(self.ms):.0f} ms"
        return f"{told} of {len(self.ms)}"


QUIET = "a server that is quiet"
"""What the others are compared with: the same machine in the same minute."""
Press = Callable[[Terminal], Iterator[float]]


def freezing(terminal: Terminal) -> Iterator[float]:
    """Freeze the traffic and release it."""
    words: tuple[bytes | re.Pattern[bytes], ...] = (_FROZEN, b"follow")
    for word in itertools.cycle(words):
        yield terminal.answer(b"vp", word)


def choosing(names: list[str]) -> Press:
    """Walk through the tools, and wait until each is shown."""

    def press(terminal: Terminal) -> Iterator[float]:
        down = [(b"j", name) for name in names[1:]]
        up = [(b"k", name) for name in names[-2::-1]]
        for key, name in itertools.cycle([*down, *up]):
            yield terminal.answer(key, name.encode())

    return press


SCENES: tuple[tuple[str, tuple[str, ...], bytes, Press], ...] = (
    (QUIET, ("breaking", "tools", "1"), b"", freezing),
    ("questions with 3 MB of text in each", ("exhausting", "asks"), b"", freezing),
    ("answers of 3 MB of small values", ("exhausting", "structures"), b"", freezing),
    ("messages nested a hundred thousand deep", ("exhausting", "deep"), b"", freezing),
    ("a flood of what checks look at", ("exhausting", "mixed"), b"", freezing),
    ("a hundred thousand tools", ("breaking", "tools", "100000"), b"", freezing),
    (
        "walking among a hundred thousand tools",
        ("breaking", "tools", "100000"),
        b"2",
        choosing([f"tool_{n}" for n in range(40)]),
    ),
    (
        "walking among schemas that explode",
        ("breaking", "schemas"),
        b"2",
        choosing(
            ["circle", "snake", "all_of_itself", "any_of_itself", "exploding", "any_of_exploding", "deep", "wide"]
        ),
    ),
)


def scene(env: Mapping[str, str], name: str, server: tuple[str, ...], before: bytes, press: Press) -> Keys:
    """Press keys for some seconds."""
    seen, chance = Keys(name), random.Random(1)
    argv = measure.inspector(
        "stdio", "--era", "legacy", "--", sys.executable, "-S", "-m", f"tests.servers.{server[0]}", *server[1:]
    )
    with Terminal(argv, env=env, columns=160, lines=50) as terminal:
        terminal.until(b"Traffic")
        if before:
            terminal.until(re.compile(rb"Tools [\d,]"))
            terminal.press(before)
            terminal.rest(1.0)
        end = time.perf_counter() + SECONDS
        for took in press(terminal):
            seen.ms.append(took * 1000)
            if time.perf_counter() > end:
                break
            terminal.rest(0.02 + 0.05 * chance.random())
        terminal.press(b"q")
    return seen


def all_scenes(env: Mapping[str, str], wanted: str = "") -> Iterator[Keys]:
    """Every scene, one after the other."""
    for name, server, before, press in SCENES:
        if wanted in name:
            yield scene(env, name, server, before, press)


if __name__ == "__main__":
    from pathlib import Path

    for each in all_scenes(measure.environment(Path(sys.argv[1])), " ".join(sys.argv[2:])):
        print(f"{each.name:<45} {each}", flush=True)
