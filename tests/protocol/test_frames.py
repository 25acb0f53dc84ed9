"""A frame is what crossed the wire and can't be changed afterwards."""

import pytest

from inspector.protocol.frames import Channel, Direction, Eol, Frame


def test_a_frame_can_not_be_changed() -> None:
    frame = Frame(1, 2, 3, Direction.TO_SERVER, Channel.STDIN, b"x", Eol.LF)
    with pytest.raises(AttributeError):
        frame.payload = b"y"  # type: ignore[misc]


def test_directions_and_channels_are_named_as_in_a_capture() -> None:
    assert [str(direction) for direction in Direction] == ["c2s", "s2c", "v2h", "h2v"]
    channels = ["stdin", "stdout", "post", "reply", "sse", "get", "memory", "view"]
    assert [str(channel) for channel in Channel] == channels
