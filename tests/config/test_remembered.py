"""Remembered filters: named ones and recent ones. A broken file holds none."""

import os
import stat
from pathlib import Path

import pytest

from inspector.config import remembered
from inspector.config.remembered import (
    MOST,
    NAME,
    KeptSizes,
    ListedNames,
    Mute,
    SavedFilters,
    SeenServer,
    StoredAppearance,
    StoredMutes,
    appearance_file,
)
from inspector.errors import UsageError
from inspector.protocol.fingerprints import known_of, known_text


def test_a_filter_gets_a_name_and_loses_it(tmp_path: Path) -> None:
    kept = SavedFilters(tmp_path / "config", tmp_path / "state")
    assert (kept.named(), kept.used()) == ({}, [])
    kept.save("slow", "dur > 1s")
    kept.save("bad", "is:error")
    assert SavedFilters(tmp_path / "config", tmp_path / "state").named() == {"slow": "dur > 1s", "bad": "is:error"}
    kept.save("slow", "")
    assert kept.named() == {"bad": "is:error"}
    assert stat.S_IMODE((tmp_path / "config" / "filters.json").stat().st_mode) == 0o600


def test_used_filters_are_unique_and_newest_last(tmp_path: Path) -> None:
    kept = SavedFilters(tmp_path, tmp_path)
    for text in ("a", "b", "a"):
        kept.remember(text)
    assert kept.used() == ["b", "a"]
    for number in range(MOST + 5):
        kept.remember(str(number))
    assert len(kept.used()) == MOST
    assert kept.used()[-1] == str(MOST + 4)


def test_unwritable_filter_is_an_error_only_on_save(tmp_path: Path) -> None:
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


def test_stored_appearance_is_read_next_time(tmp_path: Path) -> None:
    assert appearance_file(tmp_path).read() is None
    appearance_file(tmp_path).write(StoredAppearance(("what", "=args.q"), "start"))
    assert appearance_file(tmp_path).read() == StoredAppearance(("what", "=args.q"), "start")
    assert stat.S_IMODE((tmp_path / "traffic-list.json").stat().st_mode) == 0o600


def test_stored_appearance_with_too_many_columns_is_ignored(tmp_path: Path) -> None:
    appearance_file(tmp_path).write(StoredAppearance(("what",) * 1000))
    assert appearance_file(tmp_path).read() is None


_MUTES = frozenset((Mute("tool-description"), Mute("structured-content-missing", 12, "/result")))


def test_mutes_are_stored_per_capture(tmp_path: Path) -> None:
    assert StoredMutes(tmp_path, "a-1").read() == frozenset()
    assert StoredMutes(tmp_path, "a-1").keep(_MUTES)
    assert StoredMutes(tmp_path, "a-1").read() == _MUTES
    assert StoredMutes(tmp_path, "a-2").read() == frozenset()
    assert stat.S_IMODE((tmp_path / "muted" / "a-1.json").stat().st_mode) == 0o600


def test_empty_mutes_leave_no_file(tmp_path: Path) -> None:
    kept = StoredMutes(tmp_path, "a")
    kept.keep(_MUTES)
    kept.keep(())
    assert list((tmp_path / "muted").iterdir()) == []


@pytest.mark.parametrize("capture", ["", "../../x", "a/b", "x" * 500])
def test_a_capture_s_own_words_name_no_file(tmp_path: Path, capture: str) -> None:
    (own := tmp_path / "own").mkdir()
    kept = StoredMutes(own, capture)
    assert not kept.keep(_MUTES)
    assert kept.read() == frozenset()
    assert list(own.iterdir()) == []


_TOOLS = known_of("tools", [{"name": "buy", "description": "Buys."}], 100)


def test_seen_definitions_are_stored_per_server_and_kind(tmp_path: Path) -> None:
    assert SeenServer(tmp_path, "aa").read() == {}
    assert SeenServer(tmp_path, "aa").keep({"tools": _TOOLS})
    assert SeenServer(tmp_path, "aa").keep({"instructions": known_text("Be kind.", 200)})
    assert SeenServer(tmp_path, "aa").read() == {"tools": _TOOLS, "instructions": known_text("Be kind.", 200)}
    assert SeenServer(tmp_path, "bb").read() == {}
    assert stat.S_IMODE((tmp_path / "seen" / "aa.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "seen").stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"{}", b'{"format": 9, "lists": {}}', b'{"format": 1, "lists": []}', b"\xff"])
def test_a_broken_or_newer_file_is_no_memory(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "aa.json").write_bytes(content)
    assert SeenServer(tmp_path, "aa").read() == {}


def test_seen_definitions_over_the_limit_keep_hashes_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST_BYTES", 300)
    SeenServer(tmp_path, "aa").keep({"tools": known_of("tools", [{"name": "buy", "description": "x" * 400}], 1)})
    hash_, value = SeenServer(tmp_path, "aa").read()["tools"].items["buy"]
    assert (hash_.startswith("sha256:"), value) == (True, None)


def test_the_server_that_was_written_longest_ago_is_forgotten_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MOST_SEEN", 2)
    for at, key in enumerate(("aa", "bb", "cc")):
        SeenServer(tmp_path, key).keep({"tools": _TOOLS})
        os.utime(tmp_path / "seen" / f"{key}.json", (at, at))
    SeenServer(tmp_path, "cc").keep({"tools": _TOOLS})
    assert sorted(each.name for each in (tmp_path / "seen").iterdir()) == ["bb.json", "cc.json"]


def test_unwritable_seen_definitions_are_reported(tmp_path: Path) -> None:
    (tmp_path / "seen").write_text("in the way")
    assert not SeenServer(tmp_path, "aa").keep({"tools": _TOOLS})
    assert SeenServer(tmp_path, "aa").keep({})


def test_invalid_unicode_is_not_stored(tmp_path: Path) -> None:
    ListedNames(tmp_path).keep("a", {"tools": ["echo", "odd\ud83d"], "prompts": ["\udcff"]})
    assert ListedNames(tmp_path).of("a") == [{"tools": ["echo"], "prompts": []}]
    ListedNames(tmp_path).keep("b", {"tools": ["odd\ud83d"]})
    assert ListedNames(tmp_path).of("b") == []
    assert not StoredMutes(tmp_path, "0" * 26).keep([Mute("check", 1, "/odd\ud83d")])
    appearance_file(tmp_path).write(StoredAppearance(("odd\ud83d",)))
    assert appearance_file(tmp_path).read() is None
    filters = SavedFilters(tmp_path, tmp_path)
    filters.remember("odd\ud83d")
    assert filters.used() == []
    with pytest.raises(UsageError, match="not valid Unicode"):
        filters.save("odd", "odd\ud83d")


@pytest.mark.parametrize("kept", [b"", b"\xff", b"[1]", b'{"items": "wide"}', b'{"items": 250, "form": -1}'])
def test_sizes_that_no_part_can_have_are_left_out(tmp_path: Path, kept: bytes) -> None:
    (tmp_path / "sizes.json").write_bytes(kept)
    assert KeptSizes(tmp_path).read() == {}
    KeptSizes(tmp_path).keep("items", 37.5)
    KeptSizes(tmp_path).keep("form", 20)
    KeptSizes(tmp_path).keep("form", 0)
    assert KeptSizes(tmp_path).read() == {"items": 37.5}
