"""The flow that subscribes to changes, and the ends of its stream."""

import pytest

from inspector.protocol.flows.steps import Broken, GivenUp, Reply, Send, Silent
from inspector.protocol.flows.watch import StreamEnd, end_of, listen, subscribe, unsubscribe
from inspector.protocol.tracking.subscriptions import StreamFilter
from tests.protocol.flows.scripted import Played, error, refused, result


def test_a_resource_is_subscribed_to_by_its_uri() -> None:
    played = Played()
    answer = result({})
    assert played.play(subscribe("a:b"), [answer]) is answer
    played.play(unsubscribe("a:b"), [result({})])
    assert played.steps == [Send("resources/subscribe", {"uri": "a:b"}), Send("resources/unsubscribe", {"uri": "a:b"})]


def test_listen_request_is_endless() -> None:
    played = Played()
    played.play(listen(StreamFilter(tools=True, uris=("a:b",))), [result({})])
    notifications = {"toolsListChanged": True, "resourceSubscriptions": ["a:b"]}
    assert played.steps == [Send("subscriptions/listen", {"notifications": notifications}, endless=True)]


@pytest.mark.parametrize(
    ("reply", "end", "why"),
    [
        (result({"resultType": "complete"}), StreamEnd.BY_SERVER, "the server ended it"),
        (error(-32601), StreamEnd.REFUSED, "the server answered with error -32601: no"),
        (refused(200, why="the response ended early"), StreamEnd.CUT, "the response ended early"),
        (refused(None, why="the server ended it"), StreamEnd.CUT, "the server ended it"),
        (refused(404), StreamEnd.REFUSED, "HTTP 404"),
        (refused(429), StreamEnd.CUT, "HTTP 429"),
        (refused(503), StreamEnd.CUT, "HTTP 503"),
        (Broken(None, "gone"), StreamEnd.OVER, "gone"),
        (Broken(None, "nobody there", unreached=True), StreamEnd.CUT, "nobody there"),
        (GivenUp(None, "enough"), StreamEnd.BY_US, "enough"),
        (Silent(None, 3, "idle"), StreamEnd.CUT, "no data for 3 s"),
    ],
)
def test_every_end_has_a_meaning(reply: Reply, end: StreamEnd, why: str) -> None:
    assert end_of(reply) == (end, why)
