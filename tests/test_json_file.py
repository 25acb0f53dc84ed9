"""Small private files: damaged ones are absent, new ones are whole and private."""

import os
import stat
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.json_file import JsonFile, drop_oldest, newest_files


def _file(directory: Path, max_bytes: int = 1000) -> JsonFile[dict[str, int]]:
    return JsonFile(directory / "new" / "a.json", dict[str, int], max_bytes)


def test_written_value_is_read_and_private(tmp_path: Path) -> None:
    file = _file(tmp_path)
    assert file.read() is None
    assert file.write({"a": 1})
    assert file.read() == {"a": 1}
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert file.remove()
    assert file.remove()
    assert file.read() is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": "b"}', b"\xff", b"[" * 10_000, b" " * 1000 + b"{}"])
def test_unreadable_file_is_absent(tmp_path: Path, content: bytes) -> None:
    file = _file(tmp_path)
    file.path.parent.mkdir()
    file.path.write_bytes(content)
    assert file.read() is None


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    file = _file(tmp_path)
    file.path.parent.mkdir()
    os.mkfifo(file.path)
    assert file.read() is None


@pytest.mark.parametrize("value", ["odd\ud83d", [[]]])
def test_failed_write_keeps_the_value_before(tmp_path: Path, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    file: JsonFile[object] = JsonFile(tmp_path / "a.json", object)
    assert file.write("before")
    if value == [[]]:
        monkeypatch.setattr("os.replace", _full)
    assert not file.write(value)
    with pytest.raises(UsageError, match=r"a\.json can't be written"):
        file.replace(value)
    assert file.read() == "before"


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_write_below_a_file_fails(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("a file")
    assert not _file(tmp_path).write({})


def test_files_written_longest_ago_are_dropped(tmp_path: Path) -> None:
    for at, name in enumerate(("b", "c", "a", "d")):
        (tmp_path / f"{name}.json").write_text("{}")
        os.utime(tmp_path / f"{name}.json", (at, at))
    assert [each.stem for each in newest_files(tmp_path)] == ["d", "a", "c", "b"]
    drop_oldest(tmp_path, 2)
    assert [each.stem for each in newest_files(tmp_path)] == ["d", "a"]
    assert newest_files(tmp_path / "none") == []
