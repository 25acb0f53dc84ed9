"""Where the messages of a host go: through the page to the View, into the journal, and as notices to the user."""

from collections import deque
from collections.abc import Callable
from typing import Any, Literal, Protocol

import msgspec

from inspector.capture.journal import Journal
from inspector.protocol import jsonrpc
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import Request

DENIED, INVALID = -32000, -32602
_MOST_NOTICES = 100
NoticeKind = Literal["call", "link", "message", "context", "log", "refused", "violation", "error", "mode", "state"]


class HostNotice(msgspec.Struct, frozen=True):
    """Something that the user should see. The text is safe to show."""

    kind: NoticeKind
    text: str


class PagePort(Protocol):
    """The page in the browser, as the host needs it."""

    def send(self, payload: bytes) -> None:
        """Send a message to the View."""

    def tell(self, kind: str, value: Any) -> None:
        """Tell the page itself something: a size, a state, a notice."""


class ViewOutlet:
    """Sends to the page that is open now. Without one, nothing is sent or recorded."""

    def __init__(self, journal: Journal, notify: Callable[[HostNotice], None]) -> None:
        self.port: PagePort | None = None
        self.notices: deque[HostNotice] = deque(maxlen=_MOST_NOTICES)
        self._journal, self._notify = journal, notify

    def send(self, payload: bytes) -> None:
        if self.port is not None:
            self._journal.frame(Direction.TO_VIEW, Channel.VIEW, payload)
            self.port.send(payload)

    def notification(self, method: str, params: Any) -> None:
        self.send(jsonrpc.write_notification(method, params))

    def reply(self, request: Request, result: Any) -> None:
        """Answer a request with a result."""
        self.send(jsonrpc.write_response(request.id, result))

    def refuse(self, request: Request, message: str, code: int = DENIED) -> None:
        """Answer a request with an error."""
        self.send(jsonrpc.write_error(request.id, code, message))

    def deny(self, request: Request, what: str, message: str) -> None:
        """Answer a request with an error because the user denies it, and say so."""
        self.note("refused", f"{what}, which the user denies")
        self.refuse(request, message)

    def tell(self, kind: str, value: Any) -> None:
        """Tell the page itself something."""
        if self.port is not None:
            self.port.tell(kind, value)

    def note(self, kind: NoticeKind, text: str) -> None:
        """Show something to the user. The text is safe to show. A refusal is shown once; the messages are recorded."""
        notice = HostNotice(kind, f"refused: {text}" if kind == "refused" else text)
        if kind == "refused" and notice in self.notices:
            return
        self.notices.append(notice)
        self._notify(notice)
        if kind != "state":
            self.tell("notice", {"kind": kind, "text": notice.text})
