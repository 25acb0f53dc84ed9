"""Exit statuses: one table, printed by `mcp-inspect --help` and kept stable."""

from enum import IntEnum

from inspector.errors import (
    AuthorizationNeeded,
    CaptureError,
    ConnectError,
    Disconnected,
    InspectError,
    RemoteProtocolError,
    RequestCancelled,
    RequestFailed,
    RequestTimeout,
    UsageError,
)


class ExitStatus(IntEnum):
    """Exit codes. Scripts rely on them: a code never changes its meaning."""

    OK = 0
    FINDINGS = 1
    """A check found something."""
    USAGE = 2
    """The command line, a file or an argument can't be used as given."""
    AUTHORIZATION = 3
    """The server wants credentials, or refuses those it got."""
    UNREACHABLE = 4
    """The server could not be started or reached, or went away."""
    TOOL_ERROR = 5
    """The tool said isError, the server answered with a JSON-RPC error, its question was left unanswered, or its
    result is not complete."""
    PROTOCOL = 6
    """What the server sent makes the session unusable."""
    TIMEOUT = 7
    """Nothing came back in time."""
    MISTAKE = 70
    """This program made a mistake; its traceback is on stderr."""
    INTERRUPTED = 130
    """Ctrl+C."""
    BROKEN_PIPE = 141
    """Whoever reads our output closed it."""


MEANINGS: dict[ExitStatus, str] = {
    ExitStatus.OK: "success",
    ExitStatus.FINDINGS: "findings, differences or failed test cases",
    ExitStatus.USAGE: "usage error: invalid option, argument or file",
    ExitStatus.AUTHORIZATION: "authorization required or rejected",
    ExitStatus.UNREACHABLE: "server not started, not reachable or disconnected",
    ExitStatus.TOOL_ERROR: "tool error (isError), JSON-RPC error or incomplete result",
    ExitStatus.PROTOCOL: "protocol violation that makes the session unusable",
    ExitStatus.TIMEOUT: "timeout",
    ExitStatus.MISTAKE: "internal error; the traceback is on stderr",
    ExitStatus.INTERRUPTED: "interrupted (Ctrl+C)",
    ExitStatus.BROKEN_PIPE: "broken pipe (SIGPIPE)",
}

_BY_ERROR: tuple[tuple[type[InspectError], ExitStatus], ...] = (
    (AuthorizationNeeded, ExitStatus.AUTHORIZATION),
    (UsageError, ExitStatus.USAGE),
    (CaptureError, ExitStatus.USAGE),
    (RequestTimeout, ExitStatus.TIMEOUT),
    (RemoteProtocolError, ExitStatus.PROTOCOL),
    (RequestCancelled, ExitStatus.INTERRUPTED),
    (ConnectError, ExitStatus.UNREACHABLE),
    (Disconnected, ExitStatus.UNREACHABLE),
    (RequestFailed, ExitStatus.UNREACHABLE),
)
"""The first that fits counts: the special before the general."""


def status_of(error: InspectError) -> ExitStatus:
    """The exit status that an error ends the program with."""
    return next((status for kind, status in _BY_ERROR if isinstance(error, kind)), ExitStatus.USAGE)


def code_of(error: InspectError) -> str:
    """The error's name in machine-readable output: "connect_error", "usage_error", …"""
    name = type(error).__name__
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")
