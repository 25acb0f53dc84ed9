"""What the tests of transports share: an observer that keeps everything, and the servers of tests/servers."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from inspector.protocol.facts import ConnectionFact, Fact, ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Eol, Frame, SseFacts
from tests.architecture.sources import ROOT
from tests.waiting import until

SERVERS = (ROOT / "tests") / "servers"
F = TypeVar("F", bound=Fact)


def server(name: str, *arguments: str) -> tuple[str, ...]:
    """Return the argv that runs `tests/servers/NAME.py`, with an interpreter that starts quickly."""
    return (sys.executable, "-I", "-S", str(SERVERS / f"{name}.py"), *arguments)


def child_env() -> dict[str, str]:
    """Return what a test's child needs; with HOME, by which a forgotten grandchild is found."""
    return {name: os.environ[name] for name in ("PATH", "HOME")}


class Recorder:
    """An observer with lists: `frames`, `facts`, and `log` with both in their order."""

    def __init__(self) -> None:
        self.log: list[Frame | Fact] = []
        self.frames: list[Frame] = []
        self.facts: list[Fact] = []

    def frame(
        self,
        direction: Direction,
        channel: Channel,
        payload: bytes,
        *,
        eol: Eol = Eol.NONE,
        http: int | None = None,
        sse: SseFacts | None = None,
        cause: Cause = Cause.UNKNOWN,
        cut: int = 0,
    ) -> None:
        """Keep a frame; its clocks stand still."""
        frame = Frame(len(self.log) + 1, 0, 0, direction, channel, payload, eol, http, sse, cause, cut)
        self.log.append(frame)
        self.frames.append(frame)

    def burst(self, direction: Direction, channel: Channel, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Keep several."""
        for payload, eol in lines:
            self.frame(direction, channel, payload, eol=eol)

    def stderr_lines(self, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Keep each as a fact."""
        for payload, eol in lines:
            self.fact(Stderr(payload, eol is Eol.NONE))

    def fact(self, fact: Fact) -> None:
        self.log.append(fact)
        self.facts.append(fact)

    def sent(self) -> list[bytes]:
        """Return the payloads that went to the server."""
        return [frame.payload for frame in self.frames if frame.direction is Direction.TO_SERVER]

    def received(self) -> list[bytes]:
        """Return the payloads that came from the server."""
        return [frame.payload for frame in self.frames if frame.direction is Direction.FROM_SERVER]

    def of(self, kind: type[F]) -> list[F]:
        """Return the facts of one kind."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def events(self) -> list[str]:
        """Return what happened to the connection and its process, in order, signals by their names."""
        kept = [fact for fact in self.facts if isinstance(fact, ConnectionFact | ProcessFact)]
        return [fact.signal if fact.event is ProcessEvent.SIGNAL else str(fact.event) for fact in kept]

    def stderr(self) -> bytes:
        """Return all of stderr, without its line ends."""
        return b"".join(fact.payload for fact in self.of(Stderr))

    async def until(self, condition: Callable[["Recorder"], object], what: str) -> None:
        """Wait until the condition holds for what was recorded; `what` completes "waited in vain until …"."""
        await until(lambda: condition(self), what)
