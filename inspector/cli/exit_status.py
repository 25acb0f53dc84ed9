"""Exit statuses: one table, printed by `mcp-inspect --help` and kept stable."""

from enum import IntEnum

from inspector.errors import (
    AuthorizationNeeded,
    CaptureError,
    CaptureIncomplete,
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
    """Findings, differences or failed test cases."""
    USAGE = 2
    """Invalid option, argument or file."""
    AUTHORIZATION = 3
    """The server requires credentials, or rejects them."""
    UNREACHABLE = 4
    """The server was not started, is not reachable, or disconnected."""
    TOOL_ERROR = 5
    """Tool error (isError), JSON-RPC error, unanswered server request, or incomplete result."""
    PROTOCOL = 6
    """A protocol violation makes the session unusable."""
    TIMEOUT = 7
    """Timeout."""
    CAPTURE = 8
    """All else succeeded, but the capture is incomplete: its file could not be written."""
    MISTAKE = 70
    """Internal error; the traceback is on stderr."""
    INTERRUPTED = 130
    """Ctrl+C."""
    BROKEN_PIPE = 141
    """The reader of our output closed it."""


MEANINGS: dict[ExitStatus, str] = {
    ExitStatus.OK: "success",
    ExitStatus.FINDINGS: "findings, differences or failed test cases",
    ExitStatus.USAGE: "usage error: invalid option, argument or file",
    ExitStatus.AUTHORIZATION: "authorization required or rejected",
    ExitStatus.UNREACHABLE: "server not started, not reachable or disconnected",
    ExitStatus.TOOL_ERROR: "tool error (isError), JSON-RPC error or incomplete result",
    ExitStatus.PROTOCOL: "protocol violation that makes the session unusable",
    ExitStatus.TIMEOUT: "timeout",
    ExitStatus.CAPTURE: "incomplete capture: its file could not be written",
    ExitStatus.MISTAKE: "internal error; the traceback is on stderr",
    ExitStatus.INTERRUPTED: "interrupted (Ctrl+C)",
    ExitStatus.BROKEN_PIPE: "broken pipe (SIGPIPE)",
}

_BY_ERROR: tuple[tuple[type[InspectError], ExitStatus], ...] = (
    (AuthorizationNeeded, ExitStatus.AUTHORIZATION),
    (UsageError, ExitStatus.USAGE),
    (CaptureError, ExitStatus.USAGE),
    (CaptureIncomplete, ExitStatus.CAPTURE),
    (RequestTimeout, ExitStatus.TIMEOUT),
    (RemoteProtocolError, ExitStatus.PROTOCOL),
    (RequestCancelled, ExitStatus.INTERRUPTED),
    (ConnectError, ExitStatus.UNREACHABLE),
    (Disconnected, ExitStatus.UNREACHABLE),
    (RequestFailed, ExitStatus.UNREACHABLE),
)
"""The first match counts: special errors precede general ones."""


def status_of(error: InspectError) -> ExitStatus:
    return next((status for kind, status in _BY_ERROR if isinstance(error, kind)), ExitStatus.USAGE)


def code_of(error: InspectError) -> str:
    """Return the error's name in machine-readable output: "connect_error", "usage_error", …"""
    name = type(error).__name__
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")
