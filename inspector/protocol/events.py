"""What a frame meant: one closed union. The fold returns these, in the order of the messages in the frame."""

import msgspec

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Notification, NotJsonRpc, Request
from inspector.protocol.questions import Question
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.tracking.tasks import Task


class RequestSent(msgspec.Struct, frozen=True):
    """A request was sent."""

    exchange: Exchange
    message: Request


class Closed(msgspec.Struct, frozen=True):
    """A request got its answer."""

    exchange: Exchange
    message: Answer | ErrorAnswer


class CameLate(msgspec.Struct, frozen=True):
    """An answer to a request that was answered, cancelled or given up before."""

    exchange: Exchange
    message: Answer | ErrorAnswer


class Orphaned(msgspec.Struct, frozen=True):
    """An answer that belongs to no request of this conversation."""

    direction: Direction
    message: Answer | ErrorAnswer


class Progressed(msgspec.Struct, frozen=True):
    """A progress notification of a known request; the latest one is in `exchange.progress`."""

    exchange: Exchange
    message: Notification


class Cancelled(msgspec.Struct, frozen=True):
    """The side that asked gave a request up."""

    exchange: Exchange
    message: Notification


class Notified(msgspec.Struct, frozen=True):
    """Any other notification."""

    direction: Direction
    message: Notification


class Settled(msgspec.Struct, frozen=True):
    """The revision of the conversation is known now, or known better."""

    opening: Opening


class Catalogued(msgspec.Struct, frozen=True):
    """A page of a list came in; `kind` is "tools", "resources", "templates" or "prompts"."""

    kind: str


class Outdated(msgspec.Struct, frozen=True):
    """The server says that a list has changed since it was asked for."""

    kind: str


class ServerRequested(msgspec.Struct, frozen=True):
    """The server asks the person something, by a request of its own or inside a result."""

    question: Question


class TaskTold(msgspec.Struct, frozen=True):
    """A task's state, or what is said about it, is another one now, or its result is there."""

    task: Task


class Cut(msgspec.Struct, frozen=True):
    """The response to a request can't be read, by its length or its depth: it will not be had."""

    exchange: Exchange


class Garbled(msgspec.Struct, frozen=True):
    """Something other than a JSON-RPC message crossed the wire."""

    direction: Direction
    message: NotJsonRpc


Event = (
    RequestSent
    | Closed
    | CameLate
    | Orphaned
    | Progressed
    | Cancelled
    | Notified
    | Settled
    | Catalogued
    | Outdated
    | ServerRequested
    | TaskTold
    | Cut
    | Garbled
)
