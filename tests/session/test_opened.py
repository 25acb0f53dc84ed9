"""What has been opened."""

from pathlib import Path

from inspector.session.opened import Opened


def test_a_capture_has_nothing_to_begin_and_nothing_to_end() -> None:
    opened = Opened("a", capture=Path("a.mcpcap"))
    assert (opened.begin, opened.first, opened.close) == (None, None, None)
