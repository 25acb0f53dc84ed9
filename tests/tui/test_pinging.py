"""One round trip, in words."""

from typing import Any

import pytest

from inspector.errors import ConnectError
from inspector.protocol.flows.steps import Broken, Silent
from inspector.tui.pinging import ping
from inspector.tui.subject import Stage
from tests.tui.panels.acting import Acting, Error


def opened(revision: str = "2025-06-18") -> Acting:
    subject = Acting()
    subject.tape.initialized(revision)
    subject.answer = lambda params: {}
    return subject


async def test_the_round_trip_is_told() -> None:
    assert await ping(opened()) == ("Ping: 12 ms", True)


async def test_an_error_is_told_in_the_servers_words_and_as_a_round_trip() -> None:
    subject = opened()
    subject.answer = lambda params: Error(-32601, "no \x1b[2Jping")
    assert await ping(subject) == ("Ping: 12 ms, answered with error -32601: no ␛[2Jping", False)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Silent(None, 60, "idle"), "Ping: nothing came for 60 s"),
        (Broken(None, "gone"), "Ping: no answer came"),
        (ConnectError("no route", hint=""), "ping failed: no route"),
    ],
)
async def test_silence_and_loss_are_told(reply: Any, said: str) -> None:
    subject = opened()
    subject.answer = lambda params: reply
    assert await ping(subject) == (said, False)


async def test_without_a_connection_there_is_nothing_to_ping() -> None:
    subject = opened()
    subject.now_stage = Stage.CLOSED
    assert await ping(subject) == ("Nothing is sent: there is no connection. ^r connects again.", False)
    assert subject.calls == []
