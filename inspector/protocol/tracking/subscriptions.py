"""Subscriptions of both eras, their streams, and the updates by URI.

In the handshake era a URI is watched from the response to `resources/subscribe` on. In the stateless era a
`subscriptions/listen` request lists everything at once, the acknowledgement states what the server grants, and the
request stays open as long as the stream.

Updates are only counted here, so that bursts are cheap: the screens read `changes` when they refresh.

Source: specification, server/resources (subscriptions); 2026-07-28, basic/patterns/subscriptions.
"""

from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.listed_items import LISTS
from inspector.protocol.tracking.exchanges import Pairs

LISTEN, SUBSCRIBE, UNSUBSCRIBE = "subscriptions/listen", "resources/subscribe", "resources/unsubscribe"
ACKNOWLEDGED, UPDATED = "notifications/subscriptions/acknowledged", "notifications/resources/updated"
TELLING_OF_CHANGES = frozenset({ACKNOWLEDGED, UPDATED, *(listed.changed for listed in LISTS.values())})
"""Notifications that are sent on a stream in revisions with streams."""
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
MOST_URIS = 10_000
"""Maximum number of URIs whose updates are counted separately. Updates of others only count in the total."""
MOST_OPEN = 100
"""Maximum number of open streams that notifications are matched with: the newest ones."""
_MOST_PARENTS = 1000
"""Maximum number of prefixes of a URI that are considered as its watched parent."""

_FLAGS = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}


class StreamFilter(msgspec.Struct, frozen=True):
    """The content of a stream, as requested or granted."""

    tools: bool = False
    """Changes of the list of tools."""
    prompts: bool = False
    resources: bool = False
    """Changes of the lists of resources and templates."""
    uris: tuple[str, ...] = ()
    """Resources whose updates are requested, in the given order."""
    task_ids: tuple[str, ...] = ()
    """Task ids (extension)."""

    def __bool__(self) -> bool:
        return any((self.tools, self.prompts, self.resources, self.uris, self.task_ids))

    def as_json(self) -> dict[str, Any]:
        """Return it as in the request. "Omitting a field is equivalent to not subscribing to that type"."""
        flags: dict[str, Any] = {name: True for name, member in _FLAGS.items() if getattr(self, member)}
        lists = {"resourceSubscriptions": list(self.uris), "taskIds": list(self.task_ids)}
        return flags | {name: value for name, value in lists.items() if value}

    def without(self, other: "StreamFilter") -> "StreamFilter":
        """Return what this filter has and the other lacks."""
        return StreamFilter(
            self.tools and not other.tools,
            self.prompts and not other.prompts,
            self.resources and not other.resources,
            _lacking(self.uris, other.uris),
            _lacking(self.task_ids, other.task_ids),
        )


class Update(msgspec.Struct, frozen=True):
    """The updates of one URI."""

    count: int
    frame: int
    """Frame of the latest notification."""
    time_ns: int


class SubscriptionState(StrEnum):
    """State of the subscription to a URI."""

    WATCHED = "watched"
    ASKED = "asked"
    """Requested, not acknowledged yet."""
    NOT_GRANTED = "not granted"
    """The stream was acknowledged without it."""
    ONCE = "was watched"
    """It was watched before, but no longer."""


def _lacking(asked: tuple[str, ...], granted: tuple[str, ...]) -> tuple[str, ...]:
    had = frozenset(granted)
    return tuple(each for each in asked if each not in had)


def read_filter(value: Any) -> StreamFilter:
    """Read the filter in the params. An invalid filter selects nothing."""
    tools, prompts, resources = (peek.flag(value, name) is True for name in _FLAGS)
    return StreamFilter(tools, prompts, resources, _texts(value, "resourceSubscriptions"), _texts(value, "taskIds"))


def _texts(value: Any, member: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in peek.items(value, member) if isinstance(item, str)))


class ListenStream(msgspec.Struct, eq=False):
    """A `subscriptions/listen` request, updated by later frames."""

    exchange: Exchange
    asked: StreamFilter
    granted: StreamFilter | None = None
    """What the server granted; None before the acknowledgement."""
    acknowledged_frame: int | None = None
    count: int = 0
    """Number of notifications on it, without the acknowledgement."""
    _uris: frozenset[str] | None = None

    def grants(self, uri: str) -> bool:
        """Return whether the server granted updates of this URI."""
        if self.granted is None:
            return False
        if self._uris is None:
            self._uris = frozenset(self.granted.uris)
        return uri in self._uris

    @property
    def is_open(self) -> bool:
        return self.exchange.is_open

    @property
    def not_granted(self) -> StreamFilter:
        """What was requested but not granted; empty before the acknowledgement."""
        return StreamFilter() if self.granted is None else self.asked.without(self.granted)


class Subscriptions:
    def __init__(self) -> None:
        self.streams: list[ListenStream] = []
        """All streams, oldest first."""
        self._open: list[ListenStream] = []
        self.subscribed: dict[str, bool] = {}
        """Handshake era: subscription state by URI, False after it ended."""
        self.updates: dict[str, Update] = {}
        self.count = 0
        """Number of updates."""
        self.changes = 0
        """Change counter, incremented by every change here."""
        self._read: dict[str, int] = {}
        """Number of updates at the last successful read, by URI."""
        self._reading: dict[int, int] = {}
        self._parents: dict[str, str] = {}
        """Watched parent by updated URI, as a cache; "" for none."""

    def opened(self, exchange: Exchange, params: Any) -> None:
        """Process a request."""
        if exchange.sender is not Direction.TO_SERVER:
            return
        if exchange.method == LISTEN:
            self.streams.append(ListenStream(exchange, read_filter(peek.at(params, "notifications"))))
            self._open = [*self.open_streams[1 - MOST_OPEN :], self.streams[-1]]
            self._changed()
        elif exchange.method == "resources/read":
            update = self.updates.get(exchange.target)
            self._reading[exchange.number] = update.count if update else 0

    def ended(self, exchange: Exchange) -> None:
        """Process the end of an exchange of any kind, with or without a response."""
        count = self._reading.pop(exchange.number, None)
        went_well = exchange.state is ExchangeState.ANSWERED
        if exchange.method == SUBSCRIBE and went_well:
            self.subscribed[exchange.target] = True
        elif exchange.method == UNSUBSCRIBE and went_well:
            self.subscribed[exchange.target] = False
        elif exchange.method == "initialize" and went_well:
            self.subscribed = dict.fromkeys(self.subscribed, False)
        elif count is not None and went_well and exchange.target in self.updates:
            self._read[exchange.target] = count
        elif exchange.method != LISTEN:
            return
        self._changed()

    def notified(self, frame: Frame, method: str, params: Any) -> None:
        """Process a notification: an acknowledgement, an update, or another one that may belong to a stream."""
        if frame.direction is not Direction.FROM_SERVER:
            return
        stream = self._stream_of(frame, params, acknowledged=method == ACKNOWLEDGED)
        if method == ACKNOWLEDGED and stream is not None and stream.granted is None:
            stream.granted, stream.acknowledged_frame = read_filter(peek.at(params, "notifications")), frame.n
            self._changed()
        elif stream is not None:
            stream.count += 1
        if method == UPDATED and (uri := peek.text(params, "uri")):
            self._updated(uri, frame)
        self.changes += 1

    def end_by_server(self, frame: Frame, id_: RequestId, why: str, pairs: Pairs) -> Exchange | None:
        """Process a cancellation by the server, which may only end a stream in this way (2026-07-28, cancellation)."""
        exchange = pairs.find_open(Direction.TO_SERVER, id_, frame.http)
        if frame.direction is Direction.TO_SERVER or exchange is None or exchange.method != LISTEN:
            return None
        pairs.end_from_server(exchange, frame.time_ns, f"the server ended it{why and ': '}{why}")
        return exchange

    def of(self, exchange: Exchange) -> ListenStream | None:
        """Return the stream that a request opened; None if it is not one."""
        return next((each for each in reversed(self.streams) if each.exchange.number == exchange.number), None)

    @property
    def open_streams(self) -> list[ListenStream]:
        return [stream for stream in self._open if stream.is_open]

    @property
    def watched(self) -> tuple[str, ...]:
        """All URIs whose updates the server has granted."""
        found = dict.fromkeys(uri for uri, still in list(self.subscribed.items()) if still)
        for stream in self.open_streams:
            found |= dict.fromkeys(stream.granted.uris if stream.granted else ())
        return tuple(found)

    def standing(self, uri: str) -> SubscriptionState | None:
        """Return the state of a URI; None if it was never subscribed to."""
        there = [stream for stream in self.open_streams if uri in stream.asked.uris]
        if self.subscribed.get(uri) or any(stream.granted and uri in stream.granted.uris for stream in there):
            return SubscriptionState.WATCHED
        if there:
            return (
                SubscriptionState.ASKED
                if any(stream.granted is None for stream in there)
                else SubscriptionState.NOT_GRANTED
            )
        known = any(stream.granted and uri in stream.granted.uris for stream in self.streams)
        return SubscriptionState.ONCE if known or uri in self.subscribed else None

    def since_read(self, uri: str) -> int:
        """Return the number of updates of a URI since its last successful read; all if it was never read."""
        update = self.updates.get(uri)
        return 0 if update is None else update.count - self._read.get(uri, 0)

    def _updated(self, uri: str, frame: Frame) -> None:
        self.count += 1
        self._count(uri, frame)
        if uri not in self._parents and len(self._parents) < MOST_URIS:
            self._parents[uri] = self._parent(uri)
        if parent := self._parents.get(uri):
            self._count(parent, frame)  # the uri may be that of a sub-resource of a watched one

    def _parent(self, uri: str) -> str:
        """Return the longest watched URI above this one; "" if there is none, or if it is watched itself.

        Prefixes of the URI are looked up, because there may be thousands of watched URIs, each with updates.
        """
        streams = self.open_streams

        def watched(beginning: str) -> bool:
            return bool(self.subscribed.get(beginning)) or any(each.grants(beginning) for each in streams)

        return "" if watched(uri) else next(filter(watched, _above(uri)), "")

    def _changed(self) -> None:
        """Reset the cache of parents because the watched URIs may have changed."""
        self._parents = {}
        self.changes += 1

    def _count(self, uri: str, frame: Frame) -> None:
        before = self.updates.get(uri)
        if before is not None or len(self.updates) < MOST_URIS:
            self.updates[uri] = Update(before.count + 1 if before else 1, frame.n, frame.time_ns)

    def _stream_of(self, frame: Frame, params: Any, *, acknowledged: bool) -> ListenStream | None:
        """Return the stream of a notification: by id (including its JSON type), else by HTTP exchange.

        Without either, returns the only stream that matches; None if it is ambiguous.
        """
        named = peek.request_id(params, "_meta", SUBSCRIPTION_ID)
        named = peek.at(params, "_meta", SUBSCRIPTION_ID) if named is None else named
        there = self.open_streams
        if named is not None:
            fits = [each for each in there if each.exchange.id == named and type(each.exchange.id) is type(named)]
            fits = [each for each in fits if each.exchange.http == frame.http] or fits
        elif frame.http is not None:
            fits = [each for each in there if each.exchange.http == frame.http]
        else:
            fits = [each for each in there if each.granted is None] if acknowledged else []
        return fits[-1] if named is not None and fits else fits[0] if len(fits) == 1 else None


def _above(uri: str) -> list[str]:
    """Return the possible parents of a URI, longest first: up to each delimiter, for a slash also including it."""
    ends = {at for i, char in enumerate(uri) if char in "/?#" for at in ((i, i + 1) if char == "/" else (i,))}
    return [uri[:at] for at in sorted(ends, reverse=True) if 0 < at < len(uri)][:_MOST_PARENTS]
