"""Transports that look, in a capture, as if the server were somewhere else.

The facts and channels of stdio are put around what a transport in memory carries, and a port that happened to be
free gets a name. So captures can be recorded that tell of nobody's machine and are the same each time.
"""

import asyncio
import io
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from inspector import __version__
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    HttpTiming,
    ProcessEvent,
    ProcessFact,
    Stderr,
)
from inspector.protocol.frames import Cause, Channel, Direction, Eol, SseFacts
from inspector.transports.base import Observer
from inspector.transports.http.transport import HttpTransport
from tests.transports.memory import MemoryTransport

ARGV = ("gull-rock-lighthouse", "--lamp", "fresnel", "--log-level", "info")
CWD = "/srv/lighthouse"
ENV_NAMES = ("HOME", "LANG", "LIGHTHOUSE_TOKEN", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
PID = 4711


class Costume:
    """Stands between the transport and the journal, and reports everything as stdio would."""

    def __init__(self, inner: Observer) -> None:
        self._inner = inner
        self.died: tuple[ProcessFact, str] | None = None
        """How the process is said to end, and the sentence for it; None for an end that was asked for."""

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
        """A frame, as a line on a pipe."""
        pipe = Channel.STDIN if direction is Direction.TO_SERVER else Channel.STDOUT
        self._inner.frame(direction, pipe, payload, eol=Eol.LF, cause=cause, cut=cut)

    def burst(self, direction: Direction, channel: Channel, lines: Sequence[tuple[bytes, Eol]]) -> None:
        """Several of them."""
        for payload, eol in lines:
            self.frame(direction, channel, payload, eol=eol)

    def stderr_lines(self, lines: Sequence[tuple[bytes, Eol]]) -> None:
        self._inner.stderr_lines(lines)

    def fact(self, fact: Fact) -> None:
        """The connection's facts with a process around them; others as they are."""
        if not isinstance(fact, ConnectionFact):
            self._inner.fact(fact)
        elif fact.event is ConnectionEvent.OPEN:
            self._inner.fact(ConnectionFact(fact.event, "stdio", ARGV, CWD, env_names=ENV_NAMES))
            self._inner.fact(ProcessFact(ProcessEvent.SPAWN, PID))
        else:
            self._end(*(self.died or (ProcessFact(ProcessEvent.EXIT, PID, code=0), "")))

    def _end(self, exit_: ProcessFact, why: str) -> None:
        if not why:
            self._inner.fact(ProcessFact(ProcessEvent.STDIN_EOF, PID))
        self._inner.fact(ProcessFact(ProcessEvent.STDOUT_EOF, PID))
        self._inner.fact(ProcessFact(ProcessEvent.STDERR_EOF, PID))
        self._inner.fact(exit_)
        event = ConnectionEvent.ABORT if why else ConnectionEvent.CLOSE
        self._inner.fact(ConnectionFact(event, "stdio", why=why))


class DisguisedTransport(MemoryTransport):
    """A transport in memory that says it is stdio. `serve` is the server; its end ends the connection."""

    def __init__(self, serve: Callable[["DisguisedTransport"], Awaitable[None]]) -> None:
        super().__init__()
        self._serve = serve
        self.costume: Costume | None = None
        self._task: asyncio.Future[None] | None = None

    @property
    def kind(self) -> str:
        """What it pretends to be."""
        return "stdio"

    async def open(self, observer: Observer) -> None:
        """Connect, and start the server."""
        self.costume = Costume(observer)
        await super().open(self.costume)
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """End the connection and the server."""
        await super().close()
        if self._task is not None:
            await self._task

    def write_stderr(self, line: bytes) -> None:
        assert self.costume is not None
        self.costume.fact(Stderr(line))

    def die(self, signal: str, seconds: float) -> None:
        """Let the server end by a signal, after having run for so long."""
        assert self.costume is not None
        exit_ = ProcessFact(ProcessEvent.EXIT, PID, signal=signal)
        self.costume.died = (exit_, f"the server was ended by {signal} after {seconds:.1f} s")
        self.peer.close()

    async def _run(self) -> None:
        await self._serve(self)


class Muttering(io.TextIOBase):
    """A `sys.stderr` whose lines become facts."""

    def __init__(self, write_stderr: Callable[[bytes], None]) -> None:
        self._mutter = write_stderr

    def write(self, text: str) -> int:
        """Take whole lines."""
        for line in text.splitlines():
            self._mutter(line.encode())
        return len(text)


class RenamedTransport(HttpTransport):
    """HTTP to this machine, reported as HTTP to `shown_at` (host and port), from a program without a version."""

    def __init__(self, url: str, shown_at: str) -> None:
        super().__init__(url)
        self._names = {url.split("/")[2]: shown_at, f"mcp-inspect/{__version__}": "mcp-inspect/1"}
        self._observing: _Renaming | None = None

    @property
    def under_way(self) -> int:
        """How many HTTP exchanges are not over."""
        return self._observing.under_way if self._observing else 0

    async def open(self, observer: Observer) -> None:
        """Begin to report, in other words."""
        self._observing = _Renaming(observer, self._names)
        await super().open(self._observing)


def _like(timing: HttpTiming | None) -> HttpTiming | None:
    """Times of the same kinds that are the same each time."""
    if timing is None:
        return None
    measured = {name: value for name in _TIMES if (value := getattr(timing, name)) is not None}
    return HttpTiming(**{name: _TIMES[name] for name in measured})


_TIMES = {"lookup": 210_000, "connect": 780_000, "tls": 1_900_000, "send": 300_000, "wait": 620_000}


class _Renaming:
    def __init__(self, inner: Observer, names: dict[str, str]) -> None:
        self.frame, self.burst, self.stderr_lines = inner.frame, inner.burst, inner.stderr_lines
        self._inner = inner
        self._names = names
        self.under_way = 0

    def fact(self, fact: Fact) -> None:
        if isinstance(fact, HttpFact):
            self.under_way += {HttpEvent.REQUEST: 1, HttpEvent.RESPONSE: 0}.get(fact.event, -1)
            headers = tuple((name, self._renamed(value)) for name, value in fact.headers)
            fact = msgspec.structs.replace(
                fact, target=self._renamed(fact.target), headers=headers, timing=_like(fact.timing)
            )
        elif isinstance(fact, ConnectionFact):
            fact = msgspec.structs.replace(fact, url=self._renamed(fact.url))
        self._inner.fact(fact)

    def _renamed(self, text: str) -> str:
        for real, shown in self._names.items():
            text = text.replace(real, shown)
        return text
