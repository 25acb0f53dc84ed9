"""What is muted in a capture stays so. A broken file mutes nothing."""

import stat
from pathlib import Path

import pytest

from inspector.config.mutes import KeptMutes, Mute

_MUTES = frozenset((Mute("T15"), Mute("K06", 12, "/result")))


def test_what_was_muted_is_muted_the_next_time_in_that_capture_alone(tmp_path: Path) -> None:
    assert KeptMutes(tmp_path, "a-1").read() == frozenset()
    assert KeptMutes(tmp_path, "a-1").keep(_MUTES)
    assert KeptMutes(tmp_path, "a-1").read() == _MUTES
    assert KeptMutes(tmp_path, "a-2").read() == frozenset()
    assert stat.S_IMODE((tmp_path / "muted" / "a-1.json").stat().st_mode) == 0o600


def test_where_nothing_is_muted_any_more_no_file_is_left(tmp_path: Path) -> None:
    kept = KeptMutes(tmp_path, "a")
    kept.keep(_MUTES)
    kept.keep(())
    assert list((tmp_path / "muted").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{}", b'[{"id":7}]', b"\xff", b"[" * 10_000])
def test_a_broken_file_mutes_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "muted").mkdir()
    (tmp_path / "muted" / "a.json").write_bytes(content)
    assert KeptMutes(tmp_path, "a").read() == frozenset()


@pytest.mark.parametrize("capture", ["", "../../x", "a/b", "x" * 500])
def test_a_capture_s_own_words_name_no_file(tmp_path: Path, capture: str) -> None:
    (own := tmp_path / "own").mkdir()
    kept = KeptMutes(own, capture)
    assert not kept.keep(_MUTES)
    assert kept.read() == frozenset()
    assert list(own.iterdir()) == []


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "muted").write_text("a file")
    assert not KeptMutes(tmp_path, "a").keep(_MUTES)
