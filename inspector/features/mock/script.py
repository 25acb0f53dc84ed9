"""The script: what a server sent in a capture, each at the place of the client's message before it.

A request of the client's, together with all that its answer took, is a turn; so is a notification after which the
server had something to say. Both eras come to the same steps: questions that stood in a result, and the retry that
answered them, are a question within one turn.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from inspector.protocol.frames import Eol
from inspector.protocol.jsonrpc import Part
from inspector.protocol.revisions._shape import Era

LISTEN = "subscriptions/listen"
ADDED = ("_meta", "inputResponses", "requestState")
"""Members of params that are not what is asked."""


class Say(msgspec.Struct, frozen=True):
    """The server sends a notification."""

    pause_ns: int
    """The delay since the previous step of the turn: the request, another step, a response of the client."""
    method: str
    params: Part
    apart: bool = False
    """Whether it came on the session's own stream (HTTP, by GET) and on that of no request."""


class Query(msgspec.Struct):
    """One server request and its response."""

    method: str
    params: Part
    key: str = ""
    """Its name among the questions of one result; "" for a request of the server's own."""
    answer: Part | None = None
    """The result or the error that the client answered with; None if none came."""
    failed: bool = False
    """Whether that was an error."""


class ScriptedServerRequest(msgspec.Struct, frozen=True):
    """A server request; the turn continues after the response."""

    pause_ns: int
    queries: tuple[Query, ...]
    result: Part | None = None
    """The result that held the questions; None where they were requests of the server's own."""
    apart: bool = False
    """As of Say."""


class Junk(msgspec.Struct, frozen=True):
    """The server wrote something other than a message."""

    pause_ns: int
    payload: bytes
    eol: Eol = Eol.LF


class ScriptedResponse(msgspec.Struct, frozen=True):
    """The server answers."""

    pause_ns: int
    answer: Part
    failed: bool = False
    """Whether it is a JSON-RPC error."""


Step = Say | ScriptedServerRequest | Junk | ScriptedResponse


class Turn(msgspec.Struct, frozen=True):
    """What the client sent, and the outcome."""

    frame: int
    """Its place in the capture."""
    method: str
    params: Any
    """Without ADDED: what was asked, not by whom."""
    key: str
    """The same as one text, by which equal requests are equal."""
    era: Era | None
    """In which it was recorded; None if nothing tells."""
    steps: tuple[Step, ...] = ()
    """Up to the answer, if there is one."""
    after: tuple[Step, ...] = ()
    """What followed, until the client sent something else."""

    @property
    def is_answered(self) -> bool:
        """Whether an answer was recorded."""
        return any(isinstance(step, ScriptedResponse) for step in self.steps)

    @property
    def is_plain(self) -> bool:
        """Whether the answer is all that is said until then."""
        return len(self.steps) == 1 and isinstance(self.steps[0], ScriptedResponse)


class Told(Protocol):
    """Turns in the order of what the client said. One is read when it is asked for, and is not kept."""

    def __len__(self) -> int:
        """How many there are."""

    def __getitem__(self, index: int, /) -> Turn:
        """A turn, from 0."""

    @property
    def methods(self) -> Sequence[str]:
        """What each is about."""

    @property
    def asking(self) -> Sequence[int]:
        """Positions of those in which the server asks."""

    @property
    def requests(self) -> int:
        """How many are requests, not notifications."""

    def target(self, index: int, /) -> str:
        """The tool, prompt or resource that a turn is about; "" for none."""

    def params(self, index: int, /) -> Any:
        """What was asked in a turn, as `asked_of` has it."""


class Script(msgspec.Struct, frozen=True):
    """What a capture's server said over one connection."""

    turns: Told
    era: Era
    revision: str
    """The version string that was settled on, or the newest of the era where none was."""
    server: dict[str, Any]
    capabilities: dict[str, Any]
    """As declared; where no opening was recorded, what the requests lead to believe."""
    instructions: str = ""
    notes: tuple[str, ...] = ()
    """What a person should know before it is played."""
    path: str = ""
    """Of the server's URL; "" if it had none."""
    old_carriage: bool = False
    """Whether that was the stream of HTTP+SSE."""

    def of(self, method: str) -> Iterator[Turn]:
        """The turns of a method, each read when it is its turn."""
        return (self.turns[at] for at, name in enumerate(self.turns.methods) if name == method)

    def first(self, method: str) -> Turn | None:
        """The first turn of a method; None if there is none."""
        return next(self.of(method), None)


def key_of(value: Any) -> str:
    """A JSON value as one text: equal values give equal ones, whatever the order of their members."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except (UnicodeEncodeError, OverflowError, RecursionError, msgspec.MsgspecError):
        return repr(value)


def asked_of(params: Any) -> Any:
    """Params without what identifies the client or continues something."""
    if not isinstance(params, dict):
        return params if params is not None else {}
    return {name: value for name, value in params.items() if name not in ADDED}
