"""A file is written whole or not at all, for its owner alone."""

import stat
from pathlib import Path

import pytest

from inspector.atomic_write import replace_file
from inspector.errors import UsageError


def test_a_file_is_replaced_and_nothing_is_left_over(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.json"
    replace_file(file, b"one")
    replace_file(file, b"two")
    assert file.read_bytes() == b"two"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["a.json"]


def test_failed_replace_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    replace_file(file, b"one")

    def fails(*args: object) -> None:
        raise OSError("no")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(OSError, match="no"):
        replace_file(file, b"two")
    assert file.read_bytes() == b"one"
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["a.json"]


def test_impossible_directory_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError):
        replace_file(tmp_path / "file" / "a.json", b"")
