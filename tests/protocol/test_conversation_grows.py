"""What a hostile server can pile up costs in proportion: open requests, subscriptions, items of a batch."""

from collections.abc import Callable
from typing import Any

import pytest

from inspector.protocol.conversation import Conversation
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from inspector.protocol.jsonrpc import encode
from tests.counting import growth

SERVER, CLIENT = Direction.FROM_SERVER, Direction.TO_SERVER
ID = "io.modelcontextprotocol/subscriptionId"


def frame(n: int, direction: Direction, message: Any, http: int | None = None) -> Frame:
    channel = Channel.STDIN if direction is CLIENT else Channel.STDOUT
    return Frame(n, n, n, direction, channel, encode(message), eol=Eol.LF, http=http)


def message(id_: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params} | ({} if id_ is None else {"id": id_})


def server_requests(n: int, http: int | None = None) -> list[Frame]:
    call = frame(1, CLIENT, message(1, "tools/call", name="a"), http)
    asked = (message(i, "elicitation/create", message="?", requestedSchema={}) for i in range(n))
    return [call, *(frame(i + 2, SERVER, each, http) for i, each in enumerate(asked))]


def calls_and_a_question_after_each(n: int) -> list[Frame]:
    sent = (message(i, "tools/call", name="a") for i in range(n))
    asked = (message(i, "elicitation/create", message="?", requestedSchema={}) for i in range(n))
    both = (each for pair in zip(sent, asked, strict=True) for each in pair)
    return [frame(i + 1, SERVER if i % 2 else CLIENT, each) for i, each in enumerate(both)]


def subscriptions(n: int) -> list[Frame]:
    found: list[tuple[Direction, Any]] = []
    for i in range(n):
        found.append((CLIENT, message(i, "resources/subscribe", uri=f"file:///{i}")))
        found.append((SERVER, {"jsonrpc": "2.0", "id": i, "result": {}}))
        found.append((SERVER, message(None, "notifications/resources/updated", uri=f"file:///{i}/x")))
    return [frame(i + 1, *each) for i, each in enumerate(found)]


def one_stream_of_many(n: int) -> list[Frame]:
    asked = {"resourceSubscriptions": [f"file:///{i}" for i in range(n)]}
    found: list[tuple[Direction, Any]] = [
        (CLIENT, message(1, "subscriptions/listen", notifications=asked)),
        (SERVER, message(None, "notifications/subscriptions/acknowledged", _meta={ID: 1}, notifications=asked)),
    ]
    for i in range(n):
        about = {"_meta": {ID: 1}, "uri": f"file:///{i}/x"}
        found.append((SERVER, message(None, "notifications/resources/updated", **about)))
    return [frame(i + 1, *each) for i, each in enumerate(found)]


def batch(n: int) -> list[Frame]:
    return [frame(1, SERVER, [message(i, "roots/list") for i in range(n)])]


@pytest.mark.parametrize(
    "frames",
    [
        server_requests,
        lambda n: server_requests(n, http=7),
        calls_and_a_question_after_each,
        subscriptions,
        one_stream_of_many,
        batch,
    ],
)
def test_many_of_them_cost_in_proportion(frames: Callable[[int], list[Frame]]) -> None:
    def fold(n: int) -> Callable[[], object]:
        conversation, came = Conversation(), frames(n)
        return lambda: [conversation.observe(each) for each in came]

    assert growth(fold) < 5.5


def test_all_of_them_lost_at_the_end_cost_in_proportion() -> None:
    def end(n: int) -> Callable[[], object]:
        conversation = Conversation()
        for each in server_requests(n, http=7):
            conversation.observe(each)
        return lambda: conversation.end(99, "the server ended")

    assert growth(end) < 5.5
