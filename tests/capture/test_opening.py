"""The file of a capture: new, for its owner alone, never through a link, never somebody else's."""

import errno
import fcntl
import os
import stat
from pathlib import Path

import pytest

from inspector.capture.opening import being_written, create, create_anonymous, make_private_directory
from inspector.errors import UsageError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_file_and_new_directories_are_for_their_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        os.close(create(tmp_path / "a" / "b" / "x.mcpcap"))
    finally:
        os.umask(old)
    assert mode(tmp_path / "a" / "b" / "x.mcpcap") == 0o600
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


def test_a_directory_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    make_private_directory(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o755


def test_a_file_that_is_there_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    path.write_text("mine")
    with pytest.raises(UsageError, match="there already") as raised:
        create(path)
    assert raised.value.hint
    assert path.read_text() == "mine"


def test_it_is_emptied_and_made_private_if_it_may_be_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    path.write_text("old")
    path.chmod(0o644)
    os.close(create(path, overwrite=True))
    assert path.read_bytes() == b""
    assert mode(path) == 0o600


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_link_is_not_followed(tmp_path: Path, overwrite: bool) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "x.mcpcap").symlink_to(target)
    with pytest.raises(UsageError):
        create(tmp_path / "x.mcpcap", overwrite=overwrite)
    assert target.read_text() == "precious"


def test_a_file_with_a_second_name_is_not_emptied(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    os.link(precious, tmp_path / "x.mcpcap")
    with pytest.raises(UsageError, match="more than one name"):
        create(tmp_path / "x.mcpcap", overwrite=True)
    assert precious.read_text() == "precious"


def test_a_file_of_another_user_is_not_recorded_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.mcpcap").write_text("theirs")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UsageError, match="another user"):
        create(tmp_path / "x.mcpcap", overwrite=True)
    assert (tmp_path / "x.mcpcap").read_text() == "theirs"


def test_a_link_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "x.mcpcap").symlink_to(tmp_path / "target")
    with pytest.raises(UsageError, match="links are not followed"):
        create(tmp_path / "x.mcpcap", overwrite=True)


def test_what_is_no_ordinary_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        create(tmp_path / "pipe", overwrite=True)


def test_a_place_that_can_not_be_written_is_said_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"can't be written: Not a directory|can't be written: File exists"):
        create(tmp_path / "file" / "x.mcpcap")
    with pytest.raises(UsageError, match="Is a directory"):
        create(tmp_path, overwrite=True)


def test_a_capture_that_is_being_recorded_is_not_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    fd = create(path)
    os.write(fd, b"data")
    with pytest.raises(UsageError, match="right now"):
        create(path, overwrite=True)
    assert path.read_bytes() == b"data"
    os.close(fd)


def test_whether_somebody_records_can_be_seen(tmp_path: Path) -> None:
    fd = create(tmp_path / "x.mcpcap")
    reader = os.open(tmp_path / "x.mcpcap", os.O_RDONLY)
    assert being_written(reader)
    os.close(fd)
    assert not being_written(reader)
    os.close(reader)


def test_a_file_system_without_locks_can_be_recorded_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(fd: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    fd = create(tmp_path / "x.mcpcap")
    assert not being_written(fd)
    os.close(fd)


def test_an_anonymous_file_has_no_name_and_appends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fd = create_anonymous()
    assert list(tmp_path.glob("mcp-inspect-*")) == []
    os.write(fd, b"one")
    os.lseek(fd, 0, os.SEEK_SET)
    os.write(fd, b"two")
    assert os.pread(fd, 10, 0) == b"onetwo"
    os.close(fd)
