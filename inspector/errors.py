"""Every exception that this project raises on purpose.

    InspectError                what happened, and what to do next
    ├─ UsageError               the command line, a file or an argument can't be used as given
    │  └─ FilterError           a filter can't be read
    ├─ CaptureError             a capture can't be opened
    ├─ ConnectError             the server could not be started or reached
    │  ├─ NoResponse            it was reached, and closed the connection without an HTTP response
    │  └─ AuthorizationNeeded   the server wants credentials first, or refuses those it got
    ├─ Disconnected             the connection is gone; nothing can be sent or will be answered
    ├─ RequestFailed            a request will get no answer: the carriage refused or lost it
    ├─ RequestTimeout           no response in time
    ├─ RequestCancelled         the client cancelled the request
    └─ RemoteProtocolError      what the server sent makes the session unusable

What a server *answers* is never an exception: a JSON-RPC error or a result with isError is data.
A class is here only if some `except` or the table of exit codes names it.
"""


class InspectError(Exception):
    """Something went wrong that a person can act on.

    `str(error)` is one sentence that says what happened, with the evidence; `hint` is one that says
    what to do next, or "" where nothing sensible can be said. Both may quote foreign text: code that
    shows them must pass them through `text.visible`.
    """

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


class UsageError(InspectError):
    """The command line, a file or an argument can't be used as given."""


class FilterError(UsageError):
    """A filter is invalid; the message is about its `column`."""

    def __init__(self, what: str, column: int) -> None:
        super().__init__(what, hint="docs/filters.md lists all fields and operators.")
        self.column = column
        """Index into the filter's text, from 0."""


class CaptureError(InspectError):
    """A capture can't be opened: not a capture, newer than mcp-inspect, or unreadable."""


class ConnectError(InspectError):
    """The server could not be started or reached."""


class NoResponse(ConnectError):
    """The server was reached, and gave no HTTP response: it closed the connection, or speaks something else."""


class AuthorizationNeeded(ConnectError):
    """The server answered 401 or 403: it wants credentials, or refuses those it got."""


class Disconnected(InspectError):
    """The connection is gone: nothing more can be sent, and what was in flight stays unanswered."""


class RequestFailed(InspectError):
    """A request will get no answer: the carriage refused it or its stream ended without one."""


class RequestTimeout(InspectError):
    """No response in time; the message says which of the two timeouts (idle or total) expired."""


class RequestCancelled(InspectError):
    """The client cancelled the request; a late response is shown, but not awaited."""


class RemoteProtocolError(InspectError):
    """What the server sent makes the session unusable, such as an `initialize` result without a version."""
