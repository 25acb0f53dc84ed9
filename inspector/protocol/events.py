"""Events: what a frame means, as one closed union. Returned in the order of the frame's messages."""

import msgspec

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Notification, NotJsonRpc, Request, ResultResponse
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.server_requests import ServerRequest
from inspector.protocol.tracking.tasks import Task


class RequestSent(msgspec.Struct, frozen=True):
    """A request was sent."""

    exchange: Exchange
    message: Request


class Closed(msgspec.Struct, frozen=True):
    """A request received its response."""

    exchange: Exchange
    message: ResultResponse | ErrorResponse


class LateResponse(msgspec.Struct, frozen=True):
    """A response to a request that was already answered, cancelled or given up."""

    exchange: Exchange
    message: ResultResponse | ErrorResponse


class Orphaned(msgspec.Struct, frozen=True):
    """A response that matches no request of this conversation."""

    direction: Direction
    message: ResultResponse | ErrorResponse


class Progressed(msgspec.Struct, frozen=True):
    """A progress notification of a known request. The latest one is in `exchange.progress`."""

    exchange: Exchange
    message: Notification


class Cancelled(msgspec.Struct, frozen=True):
    """A request was cancelled by the requester; a stream may also be cancelled by the server."""

    exchange: Exchange
    message: Notification


class Notified(msgspec.Struct, frozen=True):
    """Any other notification."""

    direction: Direction
    message: Notification


class Settled(msgspec.Struct, frozen=True):
    """The revision of the conversation was determined, or determined more precisely."""

    opening: Opening


class Catalogued(msgspec.Struct, frozen=True):
    """A page of a list arrived; `kind` is "tools", "resources", "templates" or "prompts"."""

    kind: str


class Outdated(msgspec.Struct, frozen=True):
    """The server reports that a list has changed since it was requested."""

    kind: str


class ServerRequested(msgspec.Struct, frozen=True):
    """The server requests input from the user, in a request or inside a result."""

    server_request: ServerRequest


class TaskUpdated(msgspec.Struct, frozen=True):
    """A task changed its state or status message, or its result arrived."""

    task: Task


class Cut(msgspec.Struct, frozen=True):
    """The response to a request is lost: it can't be read, or it is an error without an id."""

    exchange: Exchange


class Garbled(msgspec.Struct, frozen=True):
    """Something other than a JSON-RPC message was transmitted."""

    direction: Direction
    message: NotJsonRpc


Event = (
    RequestSent
    | Closed
    | LateResponse
    | Orphaned
    | Progressed
    | Cancelled
    | Notified
    | Settled
    | Catalogued
    | Outdated
    | ServerRequested
    | TaskUpdated
    | Cut
    | Garbled
)
