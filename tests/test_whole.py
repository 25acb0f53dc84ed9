"""Files of the user are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from inspector.atomic_write import write_whole
from inspector.errors import UsageError


def names(directory: Path) -> list[str]:
    """All files, the hidden ones too, as whatever is not finished is."""
    return [each.name for each in directory.iterdir() if each.is_file()]


def test_a_file_is_replaced_and_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)
    assert names(tmp_path) == ["a.yaml"]


def test_a_new_file_has_the_rights_that_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    write_whole(tmp_path / "mine", b"x")
    assert (tmp_path / "mine").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_failed_write_leaves_all_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="can't be written: No such file"):
        write_whole(tmp_path / "no" / "a", b"x")

    def full(one: str, other: str) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        write_whole(tmp_path / "a", b"new")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize("kind", ["pipe", "directory", "link to a device"])
def test_special_file_is_never_replaced(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "there"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path.symlink_to(os.devnull)
    before = path.lstat()
    with pytest.raises(UsageError, match="can't be written: not a regular file"):
        write_whole(path, b"new")
    assert (path.lstat().st_mode, path.lstat().st_ino) == (before.st_mode, before.st_ino)
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".there")]
