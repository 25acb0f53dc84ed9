"""The state of a View (MCP Apps) as known to the checks: its handshake, its requests, and what ended it."""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.apps import PAGE_CLOSED, SANDBOX
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Message, Notification, Request, RequestId, ResultResponse

_MOST_IDS = 10_000
"""Ids of a View's requests that are remembered."""


class ViewFacts(msgspec.Struct):
    """The View that was loaded last."""

    loaded: int | None = None
    """Entry with its HTML; None before that."""
    loaded_ns: int = 0
    initialize: int | None = None
    initialized: int | None = None
    ids: dict[RequestId, int] = {}
    """Entries of its requests by id."""
    asked: dict[RequestId, tuple[str, int, int]] = {}
    """Requests of the host without a response: method, entry and time by id."""
    answered: set[RequestId] = set()
    """Ids of requests of the host that have a response."""
    is_judged_late: bool = False
    """Whether it was reported that it does not start."""
    methods: dict[RequestId, str] = {}
    """Methods of its requests without a response, by id."""


def learn_view(view: ViewFacts, frame: Frame, message: Message) -> ViewFacts:
    """Take a message between a View and its host, after it was judged. Return the state, a new one for a new View."""
    if frame.direction is Direction.TO_VIEW:
        return _learn_sent(view, frame, message)
    match message:
        case Request():
            if len(view.ids) < _MOST_IDS:
                view.ids[message.id] = frame.n
            view.methods[message.id] = message.method
            if message.method == "ui/initialize" and view.initialize is None:
                view.initialize = frame.n
        case Notification(method="ui/notifications/initialized"):
            view.initialized = view.initialized or frame.n
        case ResultResponse() | ErrorResponse() if message.id is not None:
            if view.asked.pop(message.id, None) is not None:
                view.answered.add(message.id)
        case _:
            pass
    return view


def _learn_sent(view: ViewFacts, frame: Frame, message: Message) -> ViewFacts:
    match message:
        case Notification(method=method) if method == f"{SANDBOX}resource-ready":
            return ViewFacts(loaded=frame.n, loaded_ns=frame.time_ns)
        case Request() if peek.text(message.params, "reason") != PAGE_CLOSED:
            view.asked[message.id] = message.method, frame.n, frame.time_ns
        case ResultResponse() | ErrorResponse() if message.id is not None:
            view.methods.pop(message.id, None)
        case _:
            pass
    return view


def is_hidden_from_apps(tool: Any) -> bool:
    """Return whether a tool's visibility excludes apps."""
    visibility = peek.at(tool, "_meta", "ui", "visibility")
    return isinstance(visibility, list) and bool(visibility) and "app" not in visibility
