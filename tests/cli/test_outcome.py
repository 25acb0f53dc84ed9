"""A reply that is no answer becomes the exception that says what happened."""

import pytest

from inspector.cli.outcome import answered
from inspector.errors import (
    AuthorizationNeeded,
    Disconnected,
    InspectError,
    RequestCancelled,
    RequestFailed,
    RequestTimeout,
)
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Answer, Part

_EXCHANGE = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "t", 1, 0)


def test_an_answer_is_handed_on() -> None:
    reply = Replied(Answer(1, Part(b"{}")), _EXCHANGE)
    assert answered(reply, "tools/call") is reply


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (Silent(_EXCHANGE, 3.0, "idle"), RequestTimeout, "no answer to m, and no progress for 3 s"),
        (Silent(_EXCHANGE, 9.0, "total"), RequestTimeout, "no answer to m within 9 s in all"),
        (
            Refused(_EXCHANGE, 401, "", b""),
            AuthorizationNeeded,
            "authentication required: m was answered with HTTP 401",
        ),
        (Refused(_EXCHANGE, 403, "", b""), AuthorizationNeeded, "access denied: m was answered with HTTP 403"),
        (Refused(_EXCHANGE, 500, "", b"oops \n", (), "cut"), RequestFailed, "no answer to m: HTTP 500; cut; oops"),
        (Refused(None, None, "", b"", (), "cut"), RequestFailed, "no answer to m: cut"),
        (Broken(_EXCHANGE, "it died", "look"), Disconnected, "no answer to m: it died"),
        (GivenUp(_EXCHANGE), RequestCancelled, "m was cancelled"),
    ],
)
def test_everything_else_is_raised(reply: Reply, kind: type[InspectError], said: str) -> None:
    with pytest.raises(kind) as raised:
        answered(reply, "m")
    assert type(raised.value) is kind
    assert str(raised.value) == said


def test_the_hint_says_which_clock_to_wind() -> None:
    for clock, option in (("idle", "--timeout"), ("total", "--max-total")):
        with pytest.raises(RequestTimeout) as raised:
            answered(Silent(None, 1.0, clock), "m")
        assert option in raised.value.hint
