"""Facts: events beside the frames, of the connection, the process, its stderr and HTTP.

Nothing in them is derived. Like a frame, a fact gets its number and its two timestamps from the journal, not from
its reporter.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

Headers = tuple[tuple[str, str], ...]
"""Header names and values in the order, case and multiplicity of the wire."""

_SIGNALS = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL - SEGV - PIPE - TERM"
SIGNAL_CODES = {128 + number: f"SIG{name}" for number, name in enumerate(_SIGNALS.split(), 1) if name != "-"}
"""Exit codes by which a shell or container reports that a signal ended its command: 128 + its number (POSIX, sh)."""

CLIENT_LEFT = "the client closed the connection"
"""Why an exchange of a proxy ended, if its client ended it."""
CLOSED_HERE = "closed by this side"
BROKEN_OFF = "the server broke the connection off"
"""How the reason of an HTTP exchange begins whose connection ended in the middle of the response."""
GIVEN_UP_HERE = "given up by this side before the server answered"
"""Why an HTTP exchange ended, if we ended it."""
BY_CLIENT = (CLIENT_LEFT, CLOSED_HERE, GIVEN_UP_HERE)
"""Why an HTTP exchange ended, if not by the server. In the stateless era this cancels the request."""

_INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*|node|nodejs|ruby[\d.]*|php[\d.]*|perl[\d.]*")
_PROGRAM = re.compile(r"-[A-Za-z]*[mcepr]|--(?:eval|print|run|test|version|help)")
"""Options that give an interpreter a program, or the name of one."""
_LIFETIME = re.compile(r"(the server (?:exited with code \d+(?: \([\w ]+\))?|was ended by \w+)) after [\d.]+ s\b")
"""How a transport describes the end of a process."""


class Stderr(msgspec.Struct, frozen=True, tag="stderr"):
    """A line that the child wrote to stderr, without its line ending."""

    payload: bytes
    partial: bool = False
    """Whether the line had no line ending: flushed after a pause, or at the end of the stream."""


class ConnectionEvent(StrEnum):
    """An event of a transport as a whole."""

    OPEN = "open"
    RENEW = "renew"
    """A restart within the same connection: a new HTTP session after the last one was lost, or a restarted process.

    A server on stdio is restarted if it exits at the first request.
    """
    CLOSE = "close"
    ABORT = "abort"


class InheritedState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a child gets from the process that starts it, beside arguments, variables and directory."""

    umask: int | None = None
    """None if unknown."""
    blocked: tuple[int, ...] = ()
    """Numbers of the signals that are blocked."""
    ignored: tuple[int, ...] = ()
    """Numbers of the signals that are ignored."""
    files: tuple[int, ...] = ()
    """Descriptors beyond stderr that are open in the child."""
    terminal: bool = False
    """Whether stderr is a terminal."""


class ConnectionFact(msgspec.Struct, frozen=True, tag="conn"):
    """The connection opened or ended."""

    event: ConnectionEvent
    transport: str
    """One of "stdio", "http", "sse", "memory"."""
    argv: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""
    env_names: tuple[str, ...] = ()
    """Names of the environment variables passed to the child, never their values."""
    why: str = ""
    """Why it ended, one sentence; "" if it was closed on request. On RENEW: why it restarts."""
    insecure: bool = False
    """On OPEN: TLS certificates are not verified, as requested by the user."""
    peer_pid: int = 0
    """On OPEN, for a proxy: id of the process that started it; 0 if unknown."""
    peer_exe: str = ""
    """Executable of that process."""
    inherited: InheritedState | None = None
    """On OPEN: what the child inherited; None if unknown, or without a child."""
    hint: str = ""
    """On ABORT: what to do, if the cause is known."""
    flaws: tuple[str, ...] = ()
    """On OPEN: what is doubtful about values of variables and headers, without the values."""


class ProcessEvent(StrEnum):
    """An event of the child process."""

    SPAWN = "spawn"
    EXIT = "exit"
    SIGNAL = "signal"
    """A signal that we sent to the process group."""
    STDIN_EOF = "stdin_eof"
    STDOUT_EOF = "stdout_eof"
    STDERR_EOF = "stderr_eof"
    STALL = "stall"
    """A request got no response in time: what the process did then, in `state`."""
    LATE = "late"
    """The first output came late: how long the processes had waited for the CPU is in `state`."""
    LEFT = "left"
    """The server's group has ended, and children of it in other groups still run: they are in `state`."""


class ChildState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A descendant of the server's process."""

    pid: int
    command: str = ""
    age_s: float = 0.0
    """Seconds since it was started."""
    stdin: bool = False
    """Whether it has the server's stdin, from which it may read what is meant for the server."""
    stdout: bool = False
    """Whether it has the server's stdout."""


class Awaited(msgspec.Struct, frozen=True, omit_defaults=True):
    """A network connection of the server, or of a descendant, over which it seems to wait for something."""

    pid: int
    name: str = ""
    """Name of the process; untrusted text."""
    address: str = ""
    """The other end: "127.0.0.1:5432 (postgresql)"; the service as the system's table of ports names it."""
    accepted: bool = False
    """Whether the other end has accepted the connection."""
    answered: bool = False
    """Whether the process received something after it last sent something: with TLS, it may wait nevertheless."""
    silent_s: float = 0.0
    """Seconds since the process last sent something, if `answered`, since it last received something; 0 if unknown."""

    @property
    def clause(self) -> str:
        """What it waits for: "127.0.0.1:5432 has sent nothing to python (pid 4711) for 4.9 s"."""
        process, ages = f"{self.name} (pid {self.pid})", f" for {self.silent_s:.1f} s" if self.silent_s else ""
        if not self.accepted:
            return f"{self.address} has not accepted a connection of {process}"
        if self.answered:
            return f"{process} and {self.address} have exchanged nothing{ages}"
        return f"{self.address} has sent nothing to {process}{ages}"

    def may_explain(self, waited_s: float) -> bool:
        """Whether it may be the reason for a wait: it was used since then, and an idle one not again later."""
        return self.silent_s <= waited_s and (not self.answered or self.silent_s >= waited_s / 2)


class ProcessActivity(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a process did at one moment."""

    cpu_percent: float | None = None
    """CPU time per time, of one core; None if unknown. On a busy machine a loop gets little."""
    runnable: bool = False
    """Whether a thread wanted the CPU at every sample: it computes, or loops."""
    threads: int = 0
    children: tuple[ChildState, ...] = ()
    unread: int = 0
    """On STDIN_EOF: bytes written to stdin, if nothing has read any of them; 0 otherwise."""
    ports: tuple[int, ...] = ()
    """On STDIN_EOF, if `unread`: TCP ports on which it or a descendant listens."""
    awaits: tuple[Awaited, ...] = ()
    """On STALL, and on STDIN_EOF before any output: connections over which it may wait, the likeliest first."""
    delayed_s: float = 0.0
    """On LATE and SIGNAL: seconds for which it and its descendants wanted the CPU and did not get it."""


class ProcessFact(msgspec.Struct, frozen=True, tag="proc"):
    """An event of the child process."""

    event: ProcessEvent
    pid: int
    code: int | None = None
    """On EXIT: the exit code; None if a signal ended the process."""
    signal: str = ""
    """Name of the signal ("SIGTERM") that ended the child (EXIT) or that we sent (SIGNAL)."""
    state: ProcessActivity | None = None
    """On STALL: what the process did. On STDIN_EOF and SIGNAL, if it computed; on STDIN_EOF also before any output."""

    @property
    def was_computing(self) -> bool:
        """Whether it wanted the CPU at that moment, as one that starts or ends slowly on a busy machine."""
        return self.state is not None and self.state.runnable


class HttpEvent(StrEnum):
    """A step of one HTTP exchange."""

    REQUEST = "request"
    RESPONSE = "response"
    END = "end"
    ERROR = "error"


class HttpTiming(msgspec.Struct, frozen=True, omit_defaults=True):
    """Time until the response headers, by step, in nanoseconds; None if a step did not occur or was not measured.

    A reused connection has neither lookup nor connect.
    """

    lookup: int | None = None
    """DNS lookup."""
    connect: int | None = None
    """TCP connect, without the lookup."""
    tls: int | None = None
    send: int | None = None
    """Sending the request, headers and body."""
    wait: int | None = None
    """From the last byte sent to the response headers."""


class HttpFact(msgspec.Struct, frozen=True, tag="http"):
    """A step of one HTTP exchange. Bodies are frames, not facts."""

    event: HttpEvent
    http: int
    """Number of the HTTP exchange, from 1 within the connection; frames carry the same number."""
    method: str = ""
    target: str = ""
    """On REQUEST: the absolute URL."""
    status: int = 0
    """On RESPONSE: the status code."""
    reason: str = ""
    version: str = ""
    headers: Headers = ()
    why: str = ""
    """On ERROR: what failed, one sentence. On END: why it ended early; "" if it did not."""
    body_bytes: int | None = None
    """On END: number of body bytes read."""
    timing: HttpTiming | None = None
    """On RESPONSE: the timing; None if not measured."""
    document: bytes | None = None
    """On END, for an exchange of a login: public metadata document, complete or None. Never a token."""
    probe: bool = False
    """On REQUEST: whether it is a probe, made to see how the server responds."""
    connection: int = 0
    """On REQUEST, for a proxy: number of the client's TCP connection; 0 if unknown."""


class SseNote(msgspec.Struct, frozen=True, tag="sse"):
    """An SSE event or comment without a message: keep-alive, priming event, `endpoint`, `retry`."""

    http: int
    raw: bytes
    """The lines as received, joined by newlines, without the blank line that ends an event."""
    event: str | None = None
    id: str | None = None
    retry: int | None = None


Fact = Stderr | ConnectionFact | ProcessFact | HttpFact | SseNote


def header(headers: Headers, name: str) -> str | None:
    """Return the first header of this name, ignoring case; None if there is none."""
    wanted = name.lower()
    for key, value in headers:
        if key.lower() == wanted:
            return value
    return None


def exit_words(code: int) -> str:
    """Format an exit code: "exited with code 1", with the signal that a shell reports by it, if any."""
    meant = SIGNAL_CODES.get(code)
    return f"exited with code {code}" + (f" (a shell reports {meant} this way)" if meant else "")


def end_words(code: int | None, signal: str, seconds: float) -> str:
    """Return how a server ended: "the server exited with code 1 after 0.6 s"."""
    how = f"was ended by {signal}" if signal else exit_words(code or 0)
    return f"the server {how} after {seconds:.1f} s"


def without_lifetime(sentence: str) -> str:
    """Return a sentence about a failure without how long the server ran before it ended, which differs each time."""
    return _LIFETIME.sub(r"\1", sentence)


def lacks_program(argv: Sequence[str]) -> bool:
    """Whether a command is an interpreter without a program, which then takes what it reads from stdin for one."""
    rest = [each for each in argv[1:] if not each.startswith("-") or _PROGRAM.match(each)]
    return bool(argv) and not rest and _INTERPRETER.fullmatch(argv[0].rpartition("/")[2]) is not None
