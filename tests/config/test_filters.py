"""Filters that a person keeps: by name, and those used last. A broken file holds none."""

import stat
from pathlib import Path

import pytest

from inspector.config.filters import MOST, NAME, SavedFilters
from inspector.errors import UsageError


def test_a_filter_gets_a_name_and_loses_it(tmp_path: Path) -> None:
    kept = SavedFilters(tmp_path / "config", tmp_path / "state")
    assert (kept.named(), kept.used()) == ({}, [])
    kept.save("slow", "dur > 1s")
    kept.save("bad", "is:error")
    assert SavedFilters(tmp_path / "config", tmp_path / "state").named() == {"slow": "dur > 1s", "bad": "is:error"}
    kept.save("slow", "")
    assert kept.named() == {"bad": "is:error"}
    assert stat.S_IMODE((tmp_path / "config" / "filters.json").stat().st_mode) == 0o600


def test_what_was_used_last_stands_last_and_once(tmp_path: Path) -> None:
    kept = SavedFilters(tmp_path, tmp_path)
    for text in ("a", "b", "a"):
        kept.remember(text)
    assert kept.used() == ["b", "a"]
    for number in range(MOST + 5):
        kept.remember(str(number))
    assert len(kept.used()) == MOST
    assert kept.used()[-1] == str(MOST + 4)


@pytest.mark.parametrize("content", [b"", b"{", b"[1, 2]", b'{"a": 1}', b"\xff", b"[" * 10_000])
def test_a_broken_file_holds_nothing(tmp_path: Path, content: bytes) -> None:
    for name in ("filters.json", "filter-history.json"):
        (tmp_path / name).write_bytes(content)
    kept = SavedFilters(tmp_path, tmp_path)
    assert (kept.named(), kept.used()) == ({}, [])


def test_what_cannot_be_saved_is_told_and_what_cannot_be_remembered_is_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = SavedFilters(tmp_path / "file" / "config", tmp_path / "file" / "state")
    with pytest.raises(UsageError):
        kept.save("slow", "dur > 1s")
    kept.remember("a")
    assert kept.used() == []


def test_names_are_plain() -> None:
    assert [bool(NAME.fullmatch(name)) for name in ("slow", "a-1_b", "1a", "a b", "", "x" * 32)] == [
        *(True, True),
        *(False, False, False, False),
    ]
