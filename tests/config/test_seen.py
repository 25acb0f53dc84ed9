"""What a server offered is remembered under its own key, privately, boundedly; a broken file is no memory."""

import os
import stat
from pathlib import Path

import pytest

from inspector.config import seen
from inspector.config.seen import SeenServer
from inspector.protocol.fingerprints import known_of, known_text

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
    monkeypatch.setattr(seen, "MOST_BYTES", 300)
    SeenServer(tmp_path, "aa").keep({"tools": known_of("tools", [{"name": "buy", "description": "x" * 400}], 1)})
    hash_, value = SeenServer(tmp_path, "aa").read()["tools"].things["buy"]
    assert (hash_.startswith("sha256:"), value) == (True, None)


def test_the_server_that_was_written_longest_ago_is_forgotten_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "MOST", 2)
    for at, key in enumerate(("aa", "bb", "cc")):
        SeenServer(tmp_path, key).keep({"tools": _TOOLS})
        os.utime(tmp_path / "seen" / f"{key}.json", (at, at))
    SeenServer(tmp_path, "cc").keep({"tools": _TOOLS})
    assert sorted(each.name for each in (tmp_path / "seen").iterdir()) == ["bb.json", "cc.json"]


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "seen").write_text("in the way")
    assert not SeenServer(tmp_path, "aa").keep({"tools": _TOOLS})
    assert SeenServer(tmp_path, "aa").keep({})
