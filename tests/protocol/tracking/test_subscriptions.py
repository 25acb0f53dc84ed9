"""Requested and granted subscriptions and updated resources, derived from frames alone."""

from typing import Any

import pytest

from inspector.protocol.events import Cancelled
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.tracking import subscriptions
from inspector.protocol.tracking.exchanges import HttpEnd
from inspector.protocol.tracking.subscriptions import (
    ListenStream,
    StreamFilter,
    Subscriptions,
    SubscriptionState,
    read_filter,
)
from tests.protocol.wire import C2S, INITIALIZE, INITIALIZED, S2C, Wire, meta

ID = "io.modelcontextprotocol/subscriptionId"


def known(wire: Wire) -> Subscriptions:
    return wire.conversation.subscriptions


def subscribed(*uris: str) -> Wire:
    wire = Wire()
    for id_, uri in enumerate(uris, 1):
        wire.ask(id_, "resources/subscribe", {"uri": uri})
        wire.answer(id_, {})
    return wire


def listening(
    asked: dict[str, Any], granted: dict[str, Any] | None = None, id_: Any = 1, wire: Wire | None = None
) -> Wire:
    wire = wire or Wire()
    wire.ask(id_, "subscriptions/listen", {"notifications": asked, **meta()})
    if granted is not None:
        wire.notify("notifications/subscriptions/acknowledged", {"notifications": granted, "_meta": {ID: id_}})
    return wire


def updated(wire: Wire, uri: str, **more: Any) -> None:
    wire.notify("notifications/resources/updated", {"uri": uri, **more})


def test_resource_is_watched_after_the_response() -> None:
    wire = Wire()
    wire.ask(1, "resources/subscribe", {"uri": "a:b"})
    assert known(wire).standing("a:b") is None
    wire.answer(1, {})
    assert known(wire).standing("a:b") is SubscriptionState.WATCHED
    assert known(wire).watched == ("a:b",)


def test_a_refused_subscription_is_none() -> None:
    wire = Wire()
    wire.ask(1, "resources/subscribe", {"uri": "a:b"})
    wire.fail(1, -32601)
    assert known(wire).standing("a:b") is None


def test_unsubscribed_resource_was_watched_once() -> None:
    wire = subscribed("a:b")
    wire.ask(2, "resources/unsubscribe", {"uri": "a:b"})
    wire.answer(2, {})
    assert known(wire).standing("a:b") is SubscriptionState.ONCE
    assert known(wire).watched == ()


def test_a_new_handshake_ends_all_subscriptions() -> None:
    wire = subscribed("a:b")
    wire.ask(2, "initialize", INITIALIZE)
    wire.answer(2, INITIALIZED)
    assert known(wire).standing("a:b") is SubscriptionState.ONCE


def test_stream_grants_its_acknowledgement() -> None:
    wire = listening({"toolsListChanged": True, "resourceSubscriptions": ["a:b", "c:d"]})
    (stream,) = known(wire).streams
    assert stream.asked == StreamFilter(tools=True, uris=("a:b", "c:d"))
    assert stream.granted is None
    assert not stream.not_granted
    assert known(wire).standing("a:b") is SubscriptionState.ASKED
    wire.notify(
        "notifications/subscriptions/acknowledged",
        {"notifications": {"resourceSubscriptions": ["a:b"]}, "_meta": {ID: 1}},
    )
    assert stream.acknowledged_frame == 2
    assert stream.not_granted == StreamFilter(tools=True, uris=("c:d",))
    assert (known(wire).standing("a:b"), known(wire).standing("c:d")) == (
        SubscriptionState.WATCHED,
        SubscriptionState.NOT_GRANTED,
    )
    assert known(wire).of(stream.exchange) is stream


def test_the_json_type_of_the_id_counts() -> None:
    wire = listening({"toolsListChanged": True})
    wire.notify("notifications/subscriptions/acknowledged", {"notifications": {}, "_meta": {ID: "1"}})
    assert known(wire).streams[0].granted is None


def test_an_acknowledgement_without_an_id_belongs_to_the_one_stream_that_waits_for_it() -> None:
    wire = listening({"toolsListChanged": True})
    wire.notify("notifications/subscriptions/acknowledged", {"notifications": {"toolsListChanged": True}})
    assert known(wire).streams[0].granted == StreamFilter(tools=True)
    listening({"promptsListChanged": True}, id_=2, wire=wire)
    listening({"promptsListChanged": True}, id_=3, wire=wire)
    wire.notify("notifications/subscriptions/acknowledged", {"notifications": {"promptsListChanged": True}})
    assert [stream.granted for stream in known(wire).streams[1:]] == [None, None]


def test_notification_belongs_to_its_http_stream() -> None:
    wire = Wire()
    for id_ in (1, 2):
        wire.ask(id_, "subscriptions/listen", {"notifications": {"toolsListChanged": True}, **meta()}, http=id_)
    wire.notify("notifications/subscriptions/acknowledged", {"notifications": {}}, http=2)
    wire.notify("notifications/tools/list_changed", {}, http=2)
    assert [stream.granted for stream in known(wire).streams] == [None, StreamFilter()]
    assert [stream.count for stream in known(wire).streams] == [0, 1]


def test_notification_counts_on_its_stream() -> None:
    wire = listening({"toolsListChanged": True}, {"toolsListChanged": True})
    wire.notify("notifications/tools/list_changed", {"_meta": {ID: 1}})
    updated(wire, "a:b", _meta={ID: 1})
    updated(wire, "a:b", _meta={ID: 9})
    assert known(wire).streams[0].count == 2


def test_updates_are_counted_by_uri_until_the_resource_is_read() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    updated(wire, "a:b")
    update = known(wire).updates["a:b"]
    assert (update.count, update.frame, update.time_ns) == (2, 4, 4 * 10**9)
    assert known(wire).since_read("a:b") == 2
    wire.ask(2, "resources/read", {"uri": "a:b"})
    updated(wire, "a:b")
    wire.answer(2, {"contents": []})
    assert known(wire).since_read("a:b") == 1, "what came after the question may not be in the answer"
    assert known(wire).count == 3


def test_a_read_that_failed_is_none() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    wire.ask(2, "resources/read", {"uri": "a:b"})
    wire.fail(2, -32602)
    assert known(wire).since_read("a:b") == 1


def test_an_update_of_a_sub_resource_is_one_of_the_watched_one_as_well() -> None:
    wire = subscribed("a:b/c", "a:b", "z:", "a:bc")
    for _ in range(2):
        updated(wire, "a:b/c/d")
    assert {uri: known(wire).since_read(uri) for uri in ("a:b/c/d", "a:b/c", "a:b", "a:bc")} == {
        "a:b/c/d": 2,
        "a:b/c": 2,
        "a:b": 0,
        "a:bc": 0,
    }
    assert known(wire).count == 2


def test_updates_of_endless_new_uris_take_no_endless_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MOST_URIS", 2)
    wire = Wire()
    for n in range(5):
        updated(wire, f"a:{n}")
    assert (len(known(wire).updates), known(wire).count) == (2, 5)


def test_streams_without_end_are_not_all_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MOST_OPEN", 2)
    wire = Wire()
    for id_ in range(1, 5):
        listening({"toolsListChanged": True}, id_=id_, wire=wire)
    assert [stream.exchange.id for stream in known(wire).open_streams] == [3, 4]
    assert len(known(wire).streams) == 4


def test_the_server_may_end_a_stream_by_cancelling_it() -> None:
    wire = listening({"resourceSubscriptions": ["a:b"]}, {"resourceSubscriptions": ["a:b"]})
    (event,) = wire.notify("notifications/cancelled", {"requestId": 1, "reason": "closing time"})
    assert isinstance(event, Cancelled)
    assert (event.exchange.state, event.exchange.why) == (ExchangeState.LOST, "the server ended it: closing time")
    assert known(wire).standing("a:b") is SubscriptionState.ONCE


def test_a_call_that_the_server_cancels_has_ended_with_the_reason() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "a"})
    wire.notify("notifications/cancelled", {"requestId": 1})
    call = wire.conversation.exchanges[0]
    assert not call.is_open
    assert "the server cancelled it" in call.why


def test_a_stream_that_was_given_up_grants_nothing_any_more() -> None:
    wire = listening({"resourceSubscriptions": ["a:b"]}, {"resourceSubscriptions": ["a:b"]})
    before = known(wire).changes
    wire.notify("notifications/cancelled", {"requestId": 1}, direction=C2S)
    assert known(wire).open_streams == []
    assert known(wire).watched == ()
    assert known(wire).changes > before


@pytest.mark.parametrize("how", ["answered", "connection", "http"])
def test_a_stream_ends_in_every_way(how: str) -> None:
    wire = Wire()
    wire.ask(1, "subscriptions/listen", {"notifications": {"toolsListChanged": True}, **meta()}, http=1)
    before = known(wire).changes
    if how == "answered":
        wire.answer(1, {"resultType": "complete"})
    elif how == "connection":
        wire.conversation.end(9, "gone")
    else:
        wire.conversation.http_ended(9, HttpEnd(1, status=200, is_stream=True))
    assert not known(wire).streams[0].is_open
    assert known(wire).changes > before


@pytest.mark.parametrize("value", [None, 7, "all", [], {"toolsListChanged": "yes", "resourceSubscriptions": "a:b"}])
def test_invalid_filter_requests_nothing(value: Any) -> None:
    assert not read_filter(value)


def test_filter_json_has_requested_members_only() -> None:
    wanted = StreamFilter(prompts=True, uris=("a:b",), task_ids=("t",))
    assert wanted.as_json() == {"promptsListChanged": True, "resourceSubscriptions": ["a:b"], "taskIds": ["t"]}
    assert read_filter(wanted.as_json()) == wanted
    assert StreamFilter().as_json() == {}


def test_a_client_cannot_update_or_acknowledge() -> None:
    wire = listening({"toolsListChanged": True})
    wire.notify("notifications/subscriptions/acknowledged", {"notifications": {}, "_meta": {ID: 1}}, direction=C2S)
    wire.notify("notifications/resources/updated", {"uri": "a:b"}, direction=C2S)
    wire.ask(5, "subscriptions/listen", {}, direction=S2C)
    assert known(wire).streams[0].granted is None
    assert (known(wire).count, len(known(wire).streams)) == (0, 1)
    assert isinstance(known(wire).streams[0], ListenStream)
