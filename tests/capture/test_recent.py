"""Entries that were read last are at hand, and never too many."""

from inspector.capture.entries import Entry
from inspector.capture.recent import MOST, Recent
from inspector.protocol.facts import Stderr


def line(n: int, *, missing: bool = False) -> Entry:
    return Entry(n, n, n, Stderr(b"x"), missing=missing)


def test_the_newest_is_kept_whatever_its_size_and_the_oldest_goes() -> None:
    recent = Recent()
    for n in (1, 2, 3):
        recent.put(line(n), MOST // 3)
    assert recent.get(1) is None
    assert recent.get(2) is not None, "asked for, so that it goes later than the third"
    recent.put(line(4), MOST // 3)
    assert [recent.get(n) is not None for n in (2, 3, 4)] == [True, False, True]
    recent.put(line(5), MOST * 2)
    assert (recent.size[0], recent.get(5)) == (1, line(5))


def test_what_could_not_be_read_is_asked_for_again() -> None:
    recent = Recent()
    recent.put(line(1, missing=True), 1)
    assert recent.get(1) is None
    assert recent.size == (0, 0)
