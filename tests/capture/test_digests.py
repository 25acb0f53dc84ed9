"""Running digests: over the bytes as they were on the wire, due after a thousand frames or five seconds."""

import hashlib

from inspector.capture.digests import EVERY_FRAMES, EVERY_NS, Digests
from inspector.protocol.frames import Channel, Direction, Eol, Frame

CAME = Direction.FROM_SERVER


def frame(payload: bytes, eol: Eol = Eol.LF, time_ns: int = 0, channel: Channel = Channel.STDOUT) -> Frame:
    return Frame(1, time_ns, 0, CAME, channel, payload, eol)


def test_the_digest_is_over_payloads_and_line_ends() -> None:
    digests = Digests()
    for payload, eol in ((b"a", Eol.LF), (b"b", Eol.CRLF), (b"c", Eol.NONE)):
        digests.take(frame(payload, eol))
    told = digests.sum(CAME, Channel.STDOUT, "c1")
    assert (told.bytes, told.frames, told.c) == (6, 3, "c1")
    assert told.sha256 == hashlib.sha256(b"a\nb\r\nc").hexdigest()


def test_each_direction_and_channel_has_its_own() -> None:
    digests = Digests()
    digests.take(frame(b"a"))
    digests.take(frame(b"b", channel=Channel.SSE))
    assert [(told.ch, told.frames) for told in digests.rest("c1")] == [(Channel.STDOUT, 1), (Channel.SSE, 1)]
    assert digests.rest("c1") == []


def test_a_stream_without_frames_has_the_digest_of_nothing() -> None:
    told = Digests().sum(CAME, Channel.GET, "c1")
    assert (told.bytes, told.frames, told.sha256) == (0, 0, hashlib.sha256(b"").hexdigest())


def test_a_sum_is_due_after_a_thousand_frames() -> None:
    digests = Digests()
    due = [digests.take(frame(b"a")) for _ in range(EVERY_FRAMES)]
    assert due == [False] * (EVERY_FRAMES - 1) + [True]
    digests.sum(CAME, Channel.STDOUT, "c1")
    assert not digests.take(frame(b"a"))


def test_a_sum_is_due_after_five_seconds_with_traffic() -> None:
    digests = Digests()
    assert not digests.take(frame(b"a", time_ns=7))
    assert not digests.take(frame(b"a", time_ns=6 + EVERY_NS))
    assert digests.take(frame(b"a", time_ns=7 + EVERY_NS))
    digests.sum(CAME, Channel.STDOUT, "c1")
    assert not digests.take(frame(b"a", time_ns=9 * EVERY_NS))
