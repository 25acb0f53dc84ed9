"""What a glance at a frame tells."""

import pytest

from inspector.checks.glances import is_for_a_probe, is_odd, is_plain_refusal
from inspector.checks.scene import HttpLife, Scene
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import read
from tests.checks.talks import Talk


@pytest.mark.parametrize(
    ("payload", "odd"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":1}}', False),
        ('{"jsonrpc":"2.0","id":1,"result":{"a":"—"}}'.encode(), False),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\x97"}}', True),
        (b' {"jsonrpc":"2.0","id":1,"result":{}}', True),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":99999999999999999}}', True),
        (b"hello", True),
    ],
)
def test_most_frames_need_no_closer_look(payload: bytes, *, odd: bool) -> None:
    assert is_odd(Frame(1, 1, 1, Direction.FROM_SERVER, Talk().entries[1].what.channel, payload), read(payload)) is odd  # type: ignore[union-attr]


_ERROR = b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}'


@pytest.mark.parametrize(
    ("status", "body", "plain"), [(401, b"<html>", True), (200, b"<html>", False), (400, _ERROR, False)]
)
def test_an_error_of_http_may_be_nothing_of_the_protocol(status: int, body: bytes, *, plain: bool) -> None:
    life = HttpLife(response=HttpFact(HttpEvent.RESPONSE, 1, status=status), asked=[])
    assert is_plain_refusal(life, read(body)) is plain


def test_the_body_of_an_exchange_made_on_purpose_is_not_judged() -> None:
    probe = HttpLife(request=HttpFact(HttpEvent.REQUEST, 1, probe=True), asked=[])
    assert is_for_a_probe(Scene(), probe, 1)
    assert not is_for_a_probe(Scene(), HttpLife(request=HttpFact(HttpEvent.REQUEST, 1), asked=[]), 1)
