"""The script: what a server sent in a capture, grouped by the client message that precedes it.

A turn is a client request with everything that belongs to its response, or a notification after which the server
sent something. Both eras have the same steps: server requests in a result, and the retry that answers them, are one
server request within a turn.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from inspector.protocol.frames import Eol
from inspector.protocol.jsonrpc import Part
from inspector.protocol.revisions._shape import Era

LISTEN = "subscriptions/listen"
ADDED = ("_meta", "inputResponses", "requestState")
"""Members of params that are not part of the actual request."""


class Say(msgspec.Struct, frozen=True):
    """The server sends a notification."""

    pause_ns: int
    """Delay since the previous step of the turn: the request, another step, or a response of the client."""
    method: str
    params: Part
    apart: bool = False
    """Whether it was sent on the session's own stream (HTTP GET) rather than on that of a request."""


class Query(msgspec.Struct):
    """One server request and its response."""

    method: str
    params: Part
    key: str = ""
    """Key in a result with several server requests; "" for a separate server request."""
    answer: Part | None = None
    """Result or error of the client's response; None if there was none."""
    failed: bool = False
    """Whether the client's response is an error."""


class ScriptedServerRequest(msgspec.Struct, frozen=True):
    """A server request; the turn continues after the response."""

    pause_ns: int
    queries: tuple[Query, ...]
    result: Part | None = None
    """The result that held the server requests; None if they were sent separately."""
    apart: bool = False
    """As in Say."""


class Junk(msgspec.Struct, frozen=True):
    """The server wrote something other than a message."""

    pause_ns: int
    payload: bytes
    eol: Eol = Eol.LF


class ScriptedResponse(msgspec.Struct, frozen=True):
    """The server's response to the request."""

    pause_ns: int
    answer: Part
    failed: bool = False
    """Whether it is a JSON-RPC error."""


Step = Say | ScriptedServerRequest | Junk | ScriptedResponse


class Turn(msgspec.Struct, frozen=True):
    """A client message and everything that follows from it."""

    frame: int
    """Entry number in the capture."""
    method: str
    params: Any
    """Params without ADDED: what was requested, not by whom."""
    key: str
    """The same as text; equal requests have equal keys."""
    era: Era | None
    """Era of the recording; None if unknown."""
    steps: tuple[Step, ...] = ()
    """Steps up to the response, if there is one."""
    after: tuple[Step, ...] = ()
    """Steps after the response, until the client sent something else."""

    @property
    def is_answered(self) -> bool:
        """Whether a response was recorded."""
        return any(isinstance(step, ScriptedResponse) for step in self.steps)

    @property
    def is_plain(self) -> bool:
        """Whether the response is the only step."""
        return len(self.steps) == 1 and isinstance(self.steps[0], ScriptedResponse)


class ScriptTurns(Protocol):
    """Turns in the order of the client's messages. A turn is read on access and not kept."""

    def __len__(self) -> int:
        """Return the number of turns."""

    def __getitem__(self, index: int, /) -> Turn:
        """Return a turn, from 0."""

    @property
    def methods(self) -> Sequence[str]:
        """Methods of the turns."""

    @property
    def asking(self) -> Sequence[int]:
        """Positions of the turns with server requests."""

    @property
    def requests(self) -> int:
        """Number of turns that are requests, not notifications."""

    def target(self, index: int, /) -> str:
        """Return the tool, prompt or resource of a turn; "" for none."""

    def params(self, index: int, /) -> Any:
        """Return the params of a turn, as `asked_of` does."""


class Script(msgspec.Struct, frozen=True):
    """What the server of a capture sent over one connection."""

    turns: ScriptTurns
    era: Era
    revision: str
    """Negotiated version, or the newest of the era if there was none."""
    server: dict[str, Any]
    capabilities: dict[str, Any]
    """Declared capabilities; if no opening was recorded, those that the requests imply."""
    instructions: str = ""
    notes: tuple[str, ...] = ()
    """Notes that the user should read before playback."""
    path: str = ""
    """Path of the server's URL; "" if there was none."""
    old_carriage: bool = False
    """Whether it used HTTP+SSE."""

    def of(self, method: str) -> Iterator[Turn]:
        """Yield the turns of a method, reading each on demand."""
        return (self.turns[at] for at, name in enumerate(self.turns.methods) if name == method)

    def first(self, method: str) -> Turn | None:
        """Return the first turn of a method; None if there is none."""
        return next(self.of(method), None)


def key_of(value: Any) -> str:
    """Return a JSON value as text. Equal values yield equal texts, whatever the order of their members."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except (UnicodeEncodeError, OverflowError, RecursionError, msgspec.MsgspecError):
        return repr(value)


def asked_of(params: Any) -> Any:
    """Return params without members that identify the client or continue another request."""
    if not isinstance(params, dict):
        return params if params is not None else {}
    return {name: value for name, value in params.items() if name not in ADDED}
