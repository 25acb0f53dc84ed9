"""Filters that a person keeps: by name, and those used last. A broken file holds none."""

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
    StoredAppearances,
    StoredMutes,
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


def test_what_was_kept_is_there_the_next_time(tmp_path: Path) -> None:
    assert StoredAppearances(tmp_path).last() == StoredAppearance()
    StoredAppearances(tmp_path).keep(StoredAppearance(("what", "=args.q"), "start"))
    assert StoredAppearances(tmp_path).last() == StoredAppearance(("what", "=args.q"), "start")
    assert stat.S_IMODE((tmp_path / "traffic-list.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"columns": 7}', b"\xff", b"[" * 10_000])
def test_looks_a_broken_file_holds_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "traffic-list.json").write_bytes(content)
    assert StoredAppearances(tmp_path).last() == StoredAppearance()


def test_no_more_columns_are_read_than_anybody_has(tmp_path: Path) -> None:
    StoredAppearances(tmp_path).keep(StoredAppearance(("what",) * 1000))
    assert len(StoredAppearances(tmp_path).last().columns) == 40


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    kept = StoredAppearances(tmp_path / "state")
    kept.keep(StoredAppearance(("what",)))
    assert kept.last() == StoredAppearance()


_MUTES = frozenset((Mute("tool-description"), Mute("structured-content-missing", 12, "/result")))


def test_what_was_muted_is_muted_the_next_time_in_that_capture_alone(tmp_path: Path) -> None:
    assert StoredMutes(tmp_path, "a-1").read() == frozenset()
    assert StoredMutes(tmp_path, "a-1").keep(_MUTES)
    assert StoredMutes(tmp_path, "a-1").read() == _MUTES
    assert StoredMutes(tmp_path, "a-2").read() == frozenset()
    assert stat.S_IMODE((tmp_path / "muted" / "a-1.json").stat().st_mode) == 0o600


def test_where_nothing_is_muted_any_more_no_file_is_left(tmp_path: Path) -> None:
    kept = StoredMutes(tmp_path, "a")
    kept.keep(_MUTES)
    kept.keep(())
    assert list((tmp_path / "muted").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{}", b'[{"id":7}]', b"\xff", b"[" * 10_000])
def test_a_broken_file_mutes_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "muted").mkdir()
    (tmp_path / "muted" / "a.json").write_bytes(content)
    assert StoredMutes(tmp_path, "a").read() == frozenset()


@pytest.mark.parametrize("capture", ["", "../../x", "a/b", "x" * 500])
def test_a_capture_s_own_words_name_no_file(tmp_path: Path, capture: str) -> None:
    (own := tmp_path / "own").mkdir()
    kept = StoredMutes(own, capture)
    assert not kept.keep(_MUTES)
    assert kept.read() == frozenset()
    assert list(own.iterdir()) == []


def test_mutes_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "muted").write_text("a file")
    assert not StoredMutes(tmp_path, "a").keep(_MUTES)


_TOOLS = known_of("tools", [{"name": "buy", "description": "Buys."}], 100)


def test_what_was_kept_is_read_again_for_that_server_alone_and_kinds_are_kept_apart(tmp_path: Path) -> None:
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


def test_of_too_much_only_the_hashes_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST_BYTES", 300)
    SeenServer(tmp_path, "aa").keep({"tools": known_of("tools", [{"name": "buy", "description": "x" * 400}], 1)})
    hash_, value = SeenServer(tmp_path, "aa").read()["tools"].things["buy"]
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


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "seen").write_text("in the way")
    assert not SeenServer(tmp_path, "aa").keep({"tools": _TOOLS})
    assert SeenServer(tmp_path, "aa").keep({})


def test_what_is_not_valid_unicode_is_left_out_or_not_kept(tmp_path: Path) -> None:
    ListedNames(tmp_path).keep("a", {"tools": ["echo", "odd\ud83d"], "prompts": ["\udcff"]})
    assert ListedNames(tmp_path).of("a") == [{"tools": ["echo"], "prompts": []}]
    ListedNames(tmp_path).keep("b", {"tools": ["odd\ud83d"]})
    assert ListedNames(tmp_path).of("b") == []
    assert not StoredMutes(tmp_path, "0" * 26).keep([Mute("check", 1, "/odd\ud83d")])
    StoredAppearances(tmp_path).keep(StoredAppearance(("odd\ud83d",)))
    assert StoredAppearances(tmp_path).last() == StoredAppearance()
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
