"""What happened beside the frames: on the process, its stderr, and HTTP. Facts only, nothing derived.

Like a Frame, a fact gets its number and its two clocks from the journal, not from its reporter.
"""

from enum import StrEnum

import msgspec

Headers = tuple[tuple[str, str], ...]
"""Order, case and duplicates as on the wire."""


class Stderr(msgspec.Struct, frozen=True, tag="stderr"):
    """A line the child wrote to stderr, without its end."""

    payload: bytes
    partial: bool = False
    """True if no line end came (yet): flushed after a pause, or at the end of the stream."""


class ConnectionEvent(StrEnum):
    """What a transport did as a whole."""

    OPEN = "open"
    RENEW = "renew"
    """A new start within the same connection: the HTTP session is lost and another begins, or a server on stdio
    exited at the first request and is restarted."""
    CLOSE = "close"
    ABORT = "abort"


class ConnectionFact(msgspec.Struct, frozen=True, tag="conn"):
    """The connection opened or ended."""

    event: ConnectionEvent
    transport: str
    """"stdio", "http", "sse" or "memory"."""
    argv: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""
    env_names: tuple[str, ...] = ()
    """Names of the variables the child got, never their values."""
    why: str = ""
    """Why it ended, one sentence; "" if it was closed on request. On RENEW: why it starts again."""
    insecure: bool = False
    """On OPEN: no certificate was checked, for that was asked for."""
    peer_pid: int = 0
    """On OPEN, of a proxy: the process that started it; 0 where that is not known."""
    peer_exe: str = ""
    """Its program."""


class ProcessEvent(StrEnum):
    """What happened to the child."""

    SPAWN = "spawn"
    EXIT = "exit"
    SIGNAL = "signal"
    """A signal that we sent to the group."""
    STDIN_EOF = "stdin_eof"
    STDOUT_EOF = "stdout_eof"
    STDERR_EOF = "stderr_eof"


class ProcessFact(msgspec.Struct, frozen=True, tag="proc"):
    """Something happened to the child process."""

    event: ProcessEvent
    pid: int
    code: int | None = None
    """Exit code, on EXIT; None if a signal ended it."""
    signal: str = ""
    """The signal's name ("SIGTERM"): that ended the child (EXIT) or that we sent (SIGNAL)."""


SIGNAL_CODES = {
    129: "SIGHUP",
    130: "SIGINT",
    131: "SIGQUIT",
    132: "SIGILL",
    133: "SIGTRAP",
    134: "SIGABRT",
    135: "SIGBUS",
    136: "SIGFPE",
    137: "SIGKILL",
    139: "SIGSEGV",
    141: "SIGPIPE",
    143: "SIGTERM",
}
"""Exit codes that a shell or a container makes of a signal that ended what it ran: 128 + its number (POSIX, sh)."""


def exit_words(code: int) -> str:
    """Say an exit code as it was seen: "exited with code 1"; with what a shell means by it, if it means a signal."""
    meant = SIGNAL_CODES.get(code)
    return f"exited with code {code}" + (f" (a shell reports {meant} this way)" if meant else "")


CLOSED_HERE = "closed by this side"
GIVEN_UP_HERE = "given up by this side before the server answered"
"""Why an HTTP exchange ended, if we ended it: stateless, that is how a request is cancelled."""


class HttpEvent(StrEnum):
    """A step of one HTTP exchange."""

    REQUEST = "request"
    RESPONSE = "response"
    END = "end"
    ERROR = "error"


class HttpTiming(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the time until the head of a response went, in nanoseconds; None: no such step, or it is not known.

    A connection that was kept has neither look-up nor connecting.
    """

    lookup: int | None = None
    """Of the host's name."""
    connect: int | None = None
    """TCP, without the look-up."""
    tls: int | None = None
    send: int | None = None
    """The request, head and body."""
    wait: int | None = None
    """From the last byte sent to the head of the response."""


class HttpFact(msgspec.Struct, frozen=True, tag="http"):
    """A step of one HTTP exchange. Bodies are frames, not facts."""

    event: HttpEvent
    http: int
    """The exchange, numbered from 1 within the connection; frames carry the same number."""
    method: str = ""
    target: str = ""
    """The absolute URL, on REQUEST."""
    status: int = 0
    """On RESPONSE."""
    reason: str = ""
    version: str = ""
    headers: Headers = ()
    why: str = ""
    """On ERROR: what failed, one sentence. On END: "" or why it ended early."""
    body_bytes: int | None = None
    """On END: how many body bytes were read."""
    timing: HttpTiming | None = None
    """On RESPONSE; None if it was not measured."""
    document: bytes | None = None
    """On END, of an exchange of a login: the metadata that anybody may read, whole or not at all. Never a token."""
    probe: bool = False
    """On REQUEST: made on purpose to see what the server says to it."""


class SseNote(msgspec.Struct, frozen=True, tag="sse"):
    """An event or comment of a stream that carried no message: keep-alive, priming event, `endpoint`, `retry`."""

    http: int
    raw: bytes
    """The lines as they came, joined by a newline, without the blank line that ends an event."""
    event: str | None = None
    id: str | None = None
    retry: int | None = None


Fact = Stderr | ConnectionFact | ProcessFact | HttpFact | SseNote
