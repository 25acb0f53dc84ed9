"""What a frame meant: one closed union. The fold returns these, in the order of the messages in the frame."""

from dataclasses import dataclass

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Notification, NotJsonRpc, Request
from inspector.protocol.revisions.openings import Opening


@dataclass(frozen=True, slots=True)
class Opened:
    """A request was sent."""

    exchange: Exchange
    message: Request


@dataclass(frozen=True, slots=True)
class Closed:
    """A request got its answer."""

    exchange: Exchange
    message: Answer | ErrorAnswer


@dataclass(frozen=True, slots=True)
class CameLate:
    """An answer to a request that was answered, cancelled or given up before."""

    exchange: Exchange
    message: Answer | ErrorAnswer


@dataclass(frozen=True, slots=True)
class Orphaned:
    """An answer that belongs to no request of this conversation."""

    direction: Direction
    message: Answer | ErrorAnswer


@dataclass(frozen=True, slots=True)
class Progressed:
    """A progress notification found its request; the newest word stands in `exchange.progress`."""

    exchange: Exchange
    message: Notification


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The side that asked gave a request up."""

    exchange: Exchange
    message: Notification


@dataclass(frozen=True, slots=True)
class Notified:
    """Any other notification."""

    direction: Direction
    message: Notification


@dataclass(frozen=True, slots=True)
class Settled:
    """The revision of the conversation is known now, or known better."""

    opening: Opening


@dataclass(frozen=True, slots=True)
class Catalogued:
    """A page of a list came in; `kind` is "tools", "resources", "templates" or "prompts"."""

    kind: str


@dataclass(frozen=True, slots=True)
class Outdated:
    """The server says that a list has changed since it was asked for."""

    kind: str


@dataclass(frozen=True, slots=True)
class Garbled:
    """Something that is no JSON-RPC message crossed the wire."""

    direction: Direction
    message: NotJsonRpc


Event = (
    Opened
    | Closed
    | CameLate
    | Orphaned
    | Progressed
    | Cancelled
    | Notified
    | Settled
    | Catalogued
    | Outdated
    | Garbled
)
