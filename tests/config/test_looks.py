"""How the traffic was looked at last. A broken file holds nothing."""

import stat
from pathlib import Path

import pytest

from inspector.config.looks import KeptLook, KeptLooks


def test_what_was_kept_is_there_the_next_time(tmp_path: Path) -> None:
    assert KeptLooks(tmp_path).last() == KeptLook()
    KeptLooks(tmp_path).keep(KeptLook(("what", "=args.q"), "start"))
    assert KeptLooks(tmp_path).last() == KeptLook(("what", "=args.q"), "start")
    assert stat.S_IMODE((tmp_path / "traffic-list.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"columns": 7}', b"\xff", b"[" * 10_000])
def test_a_broken_file_holds_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "traffic-list.json").write_bytes(content)
    assert KeptLooks(tmp_path).last() == KeptLook()


def test_no_more_columns_are_read_than_anybody_has(tmp_path: Path) -> None:
    KeptLooks(tmp_path).keep(KeptLook(("what",) * 1000))
    assert len(KeptLooks(tmp_path).last().columns) == 40


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    kept = KeptLooks(tmp_path / "state")
    kept.keep(KeptLook(("what",)))
    assert kept.last() == KeptLook()
