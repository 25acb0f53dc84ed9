"""All exceptions that this project raises on purpose.

    InspectError                what happened, and what to do next
    ├─ UsageError               the command line, a file or an argument is invalid
    │  └─ FilterError           a filter is invalid
    ├─ CaptureError             a capture can't be opened
    ├─ CaptureIncomplete        the file of a capture could not be written
    ├─ ConnectError             the server could not be started or reached
    │  ├─ NoResponse            it was reached, but closed the connection without an HTTP response
    │  └─ AuthorizationNeeded   the server requires credentials, or rejects the given ones
    ├─ Disconnected             the connection ended; open requests will not be answered
    ├─ RequestFailed            a request will get no response: the transport rejected or lost it
    ├─ RequestTimeout           no response in time
    ├─ RequestCancelled         the client cancelled the request
    └─ RemoteProtocolError      the session is unusable because of what the server sent

A server's *response* is never an exception: a JSON-RPC error or a result with isError is data. A class is defined
here only if some `except` or the table of exit codes names it.
"""

import shlex

RUNTIMES = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node"}
"""What runs a server's source file that is not executable, by its ending."""


class InspectError(Exception):
    """An error that the user can act on.

    `str(error)` is one sentence that says what happened, with the evidence. `hint` is a sentence that says what to
    do next, or "" if there is nothing useful to say. Both may quote server text: code that shows them must pass them
    through `text.visible`.
    """

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint

    @property
    def full_text(self) -> str:
        """What happened and what to do next, as sentences."""
        what = str(self)
        return f"{what}{'.' * (what[-1:] not in '.?!')} {self.hint}" if self.hint else what


class UsageError(InspectError):
    """The command line, a file or an argument is invalid."""


class FilterError(UsageError):
    """A filter is invalid; `column` is the position of the error."""

    def __init__(self, what: str, column: int) -> None:
        super().__init__(
            what, hint='Such as: failed, tool == add and dur > 1s, args.path ~ "^/etc", status in {error, pending}.'
        )
        self.column = column
        """Index into the filter's text, from 0."""


class CaptureError(InspectError):
    """A capture can't be opened: not a capture, newer than mcp-inspect, or unreadable."""


class CaptureIncomplete(InspectError):
    """The capture has gaps, or ends early: its file could not be written."""


class ConnectError(InspectError):
    """The server could not be started or reached."""


class NoResponse(ConnectError):
    """The server was reached but gave no HTTP response: it closed the connection, or uses another protocol."""


class AuthorizationNeeded(ConnectError):
    """The server answered 401 or 403: it requires credentials, or rejects the given ones."""


class Disconnected(InspectError):
    """The connection ended: nothing more can be sent, and open requests will not be answered."""


class RequestFailed(InspectError):
    """A request will get no response: the transport rejected it, or its stream ended without one."""


class RequestTimeout(InspectError):
    """No response in time; the message says which of the two timeouts (idle or total) expired."""


class RequestCancelled(InspectError):
    """The client cancelled the request; a late response is shown, but not awaited."""


class RemoteProtocolError(InspectError):
    """The session is unusable because of what the server sent, such as an `initialize` result without a version."""


def how_to_start(file: str) -> str:
    """Return how to start the server whose source file was named in place of a server or a capture."""
    known = [shlex.join([runtime, file]) for ending, runtime in RUNTIMES.items() if file.endswith(ending)]
    return f"A server's command is given at the end, after --: -- {known[0] if known else 'node server.js'}"


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Return why a text file can't be read, without the file's name."""
    return f"byte {error.start} is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
