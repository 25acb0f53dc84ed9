"""A large message is read in part, wherever the cut falls."""

from pathlib import Path

import pytest

from inspector.capture import beginnings
from inspector.capture.beginnings import LARGE, beginning
from inspector.capture.journal import Journal, start_capture
from inspector.capture.load import load
from inspector.protocol.frames import Channel, Direction, Frame


def _kept(path: Path, *payloads: bytes) -> Journal:
    journal = start_capture(path)
    for payload in payloads:
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    journal.close()
    return load(path)


@pytest.mark.parametrize("sign", ["x", '"', "\\", "é", "数", "😀", "\n", "\x1b"])
@pytest.mark.parametrize("before", range(4))
def test_any_sign_can_stand_where_it_is_cut(tmp_path: Path, sign: str, before: int) -> None:
    payload = b"a" * before + sign.encode() * (LARGE // len(sign.encode()) + 1)
    journal = _kept(tmp_path / "c.mcpcap", payload)
    found = beginning(journal.store, 1)
    assert isinstance(found.what, Frame)
    assert 10_000 < len(found.what.payload) < 200_000
    assert payload.startswith(found.what.payload)
    assert (found.n, found.what.channel, found.missing) == (1, Channel.STDOUT, False)
    journal.close()


def test_bytes_that_are_no_text_are_cut_likewise(tmp_path: Path) -> None:
    payload = bytes(range(256)) * (LARGE // 256 + 1)
    journal = _kept(tmp_path / "c.mcpcap", payload)
    found = beginning(journal.store, 1)
    assert isinstance(found.what, Frame)
    assert payload.startswith(found.what.payload)
    assert len(found.what.payload) > 10_000
    journal.close()


def test_what_is_not_large_is_read_whole(tmp_path: Path) -> None:
    journal = _kept(tmp_path / "c.mcpcap", b"x" * 1000)
    assert beginning(journal.store, 1) == journal.store.entry(1)
    journal.close()


def test_a_file_that_was_changed_gives_what_the_store_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = _kept(tmp_path / "c.mcpcap", b"x" * LARGE)
    monkeypatch.setattr(beginnings, "_ENOUGH", 3)
    found = beginning(journal.store, 1)
    assert isinstance(found.what, Frame)
    assert len(found.what.payload) == LARGE
    journal.close()


def test_what_was_read_once_is_at_hand_and_what_is_whole_is_not_mistaken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = b"x" * (LARGE + 1)
    journal = _kept(tmp_path / "c.mcpcap", payload)
    first, reads = beginning(journal.store, 1), []
    monkeypatch.setattr(journal.store, "read", lambda *place: reads.append(place))
    assert beginning(journal.store, 1) is first
    assert reads == []
    whole = journal.store.entry(1).what
    assert isinstance(whole, Frame)
    assert whole.payload == payload
    assert beginning(journal.store, 1) is first
    journal.close()
