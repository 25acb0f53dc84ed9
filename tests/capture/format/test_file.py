"""The writer of a capture file: whole lines in order, readable at once, and failing disks."""

import errno
import fcntl
import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.format.file import (
    LOST,
    CaptureFile,
    being_written,
    create,
    create_anonymous,
    make_private_directory,
)
from inspector.capture.format.records import EndRecord, GapRecord, from_line
from inspector.errors import UsageError
from tests.waiting import until


class Disk:
    """A disk that does as it is told: it waits at a gate, or fails, or takes a few bytes only."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.error: OSError | None = None
        self.most = 2**30
        self.writes: list[int] = []
        self.syncs = 0
        self.sync_error: OSError | None = None

    def write(self, fd: int, data: memoryview) -> int:
        self.gate.wait(10)
        if self.error is not None:
            raise self.error
        count = os.write(fd, data[: self.most]) if self.most else 0
        self.writes.append(count)
        return count

    def sync(self, fd: int) -> None:
        self.syncs += 1
        if self.sync_error is not None:
            raise self.sync_error


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "captures" / "x.mcpcap"


def opened(path: Path, disk: Disk, **options: Any) -> CaptureFile:
    return CaptureFile(create(path), path, write=disk.write, sync=disk.sync, **options)


@pytest.fixture
def file(path: Path, disk: Disk) -> Iterator[CaptureFile]:
    made = opened(path, disk, budget=1000, pace=0.01, patience=0.2)
    yield made
    disk.error = None
    disk.gate.set()
    made.close()


NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


def lines_of(path: Path) -> list[bytes]:
    return content(path).split(b"\n")[:-1]


def content(path: Path) -> bytes:
    return path.read_bytes()


def test_lines_are_in_the_file_in_order_and_then_the_end(path: Path, file: CaptureFile) -> None:
    places = [file.put(b"line %d\n" % i) for i in range(100)]
    file.close(lambda sha256: EndRecord(counts={"line": 100}, sha256=sha256))
    *lines, end = lines_of(path)
    assert lines == [b"line %d" % i for i in range(100)]
    assert places[:3] == [0, 7, 14]
    before = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    assert from_line(end) == EndRecord(counts={"line": 100}, sha256=before)


def test_a_line_can_be_read_before_and_after_it_is_written(disk: Disk, path: Path, file: CaptureFile) -> None:
    disk.gate.clear()
    first = file.put(b"first\n")
    second = file.put(b"second\n")
    assert (file.read(first, 6), file.read(second, 7)) == (b"first\n", b"second\n")
    assert path.read_bytes() == b""
    disk.gate.set()
    file.close()
    assert path.read_bytes().startswith(b"first\nsecond\n")


async def test_a_written_line_is_read_from_the_file(path: Path, file: CaptureFile) -> None:
    place = file.put(b"something\n")
    await until(lambda: path.stat().st_size == 10, "the line was written")
    assert file.read(place, 10) == b"something\n"
    assert file.read(10, 5) == b""


def test_many_lines_go_out_in_one_write(disk: Disk, file: CaptureFile) -> None:
    disk.gate.clear()
    for _ in range(90):
        file.put(b"123456789\n")
    disk.gate.set()
    file.close()
    assert len(disk.writes) <= 3  # the first line, the others, the end


def test_a_write_that_takes_a_part_is_continued(disk: Disk, path: Path, file: CaptureFile) -> None:
    disk.most = 3
    for i in range(20):
        file.put(b"number %d\n" % i)
    file.close()
    assert lines_of(path)[:20] == [b"number %d" % i for i in range(20)]


def test_more_than_a_mebibyte_goes_out_in_pieces(disk: Disk, path: Path) -> None:
    file = opened(path, disk)
    disk.gate.clear()
    for _ in range(30):
        file.put(b"x" * 99_999 + b"\n")
    disk.gate.set()
    file.close()
    assert len(lines_of(path)) == 31
    assert max(disk.writes) < 1_200_000


async def test_disk_failure_is_reported_and_waiting_records_are_written_later(
    disk: Disk, path: Path, file: CaptureFile
) -> None:
    disk.error = NO_SPACE
    place = file.put(b"one\n")
    await until(lambda: not file.healthy, "the disk failed")
    file.put(b"two\n")
    assert "No space left on device" in file.trouble
    assert "nothing is lost" in file.trouble
    assert file.read(place, 4) == b"one\n"
    disk.error = None
    await until(lambda: file.healthy, "the disk works again")
    assert file.trouble == "The capture could not be written for a while: No space left on device; nothing is lost."
    file.close()
    assert lines_of(path)[:2] == [b"one", b"two"]


async def test_a_disk_that_fails_to_the_end_leaves_a_capture_that_is_called_incomplete(
    disk: Disk, file: CaptureFile
) -> None:
    disk.error = NO_SPACE
    file.put(b"one\n")
    await until(lambda: not file.healthy, "the disk failed")
    file.close()
    assert "is not complete: No space left on device" in file.trouble
    assert "nothing is lost" not in file.trouble


async def test_a_disk_that_fails_in_the_middle_of_a_line_leaves_no_broken_line(
    disk: Disk, path: Path, file: CaptureFile
) -> None:
    real = disk.write

    def half(fd: int, data: memoryview) -> int:
        if len(disk.writes) == 1 and disk.error is None:
            disk.error = NO_SPACE
        disk.most = 5
        return real(fd, data)

    file._write = half
    file.put(b"a longer line\n")
    await until(lambda: not file.healthy, "the disk failed")
    assert content(path) == b"a lon"
    disk.writes += [0, 0]
    disk.error = None
    await until(lambda: file.healthy, "the disk works again")
    file.put(b"next\n")
    file.close()
    assert lines_of(path)[:2] == [b"a longer line", b"next"]


async def test_lines_that_were_written_before_the_failure_are_not_written_again(
    disk: Disk, path: Path, file: CaptureFile
) -> None:
    real = disk.write

    def first_line_only(fd: int, data: memoryview) -> int:
        if not disk.writes:
            disk.most = 6
        elif len(disk.writes) == 1:
            disk.writes.append(0)
            raise NO_SPACE
        else:
            disk.most = 1000
        return real(fd, data)

    with file._turn:  # the writer sees all three at once
        for line in (b"first\n", b"second\n", b"third\n"):
            file.put(line)
        file._write = first_line_only
    await until(lambda: file.trouble and file.healthy, "the disk failed and works again")
    file.close()
    assert lines_of(path)[:3] == [b"first", b"second", b"third"]


async def test_records_lost_on_a_full_disk_make_a_gap(disk: Disk, path: Path, file: CaptureFile) -> None:
    disk.error = NO_SPACE
    file.put(b"x" * 999 + b"\n", 1)
    await until(lambda: not file.healthy, "the disk failed")
    assert file.put(b"lost\n", 20, size=3) == LOST
    assert file.put(b"lost too\n", 30, size=4) == LOST
    assert "so far 2 records are lost" in file.trouble
    assert file.read(LOST, 5) == b""
    disk.error = None
    await until(lambda: file.healthy, "the disk works again")
    assert file.put(b"after\n") != LOST
    file.close()
    gap, after = lines_of(path)[1:3]
    assert from_line(gap) == GapRecord(lost_frames=2, lost_bytes=7, why="No space left on device", tm0=20, tm1=30)
    assert after == b"after"
    assert "2 records are lost" in file.trouble


async def test_gap_at_the_end_is_recorded(disk: Disk, path: Path, file: CaptureFile) -> None:
    disk.error = NO_SPACE
    file.put(b"x" * 999 + b"\n")
    await until(lambda: not file.healthy, "the disk failed")
    file.put(b"lost\n", 20, size=3)
    disk.error = None
    file.close()
    assert isinstance(from_line(lines_of(path)[1]), GapRecord)


async def test_closing_on_a_failing_disk_leaves_no_end(disk: Disk, path: Path, file: CaptureFile) -> None:
    file.put(b"one\n")
    await until(lambda: path.stat().st_size == 4, "the line was written")
    disk.error = NO_SPACE
    file.put(b"two\n")
    file.close()
    assert content(path) == b"one\n"
    assert not file.open


async def test_a_disk_that_takes_nothing_at_all_is_a_failing_disk(disk: Disk, file: CaptureFile) -> None:
    disk.most = 0
    file.put(b"one\n")
    await until(lambda: not file.healthy, "the disk failed")
    assert "takes nothing" in file.trouble
    disk.most = 100


async def test_traffic_waits_for_a_slow_disk_and_nothing_is_lost(disk: Disk, path: Path) -> None:
    file = opened(path, disk, budget=1000, patience=10)
    disk.gate.clear()
    file.put(b"x" * 1199 + b"\n")
    assert not file.backpressure
    places: list[int] = []
    observer = threading.Thread(target=lambda: places.append(file.put(b"waited\n")))
    observer.start()
    await until(lambda: file.backpressure, "the observer waits")
    assert places == []
    disk.gate.set()
    observer.join(10)
    assert places == [1200]
    await until(lambda: not file.backpressure, "the queue is empty")
    file.close()
    assert lines_of(path)[1] == b"waited"


def test_patience_with_a_disk_that_hangs_has_an_end(disk: Disk, file: CaptureFile) -> None:
    disk.gate.clear()
    file.put(b"x" * 1199 + b"\n")
    assert file.put(b"lost\n") == LOST
    assert "takes nothing" in file.trouble


def test_a_disk_that_hangs_does_not_hang_the_close(disk: Disk, path: Path, file: CaptureFile) -> None:
    disk.gate.clear()
    file.put(b"stuck\n")
    file.close()
    assert not file.open
    fd = file._fd
    os.fstat(fd)  # still open: the writer may be inside its write
    disk.gate.set()
    file._thread.join(10)
    os.close(fd)


def test_one_line_may_be_larger_than_the_budget(path: Path, file: CaptureFile) -> None:
    file.put(b"x" * 100_000 + b"\n")
    file.close()
    assert len(lines_of(path)[0]) == 100_000


async def test_file_is_synced_once_per_interval_and_at_the_end(disk: Disk, path: Path) -> None:
    file = opened(path, disk, pace=0.01)
    file.put(b"one\n")
    await until(lambda: disk.syncs == 1, "the first sync")
    file.put(b"two\n")
    await until(lambda: disk.syncs == 2, "the second sync")
    file.close()
    assert disk.syncs == 3


async def test_no_sync_between_if_time_has_not_come(disk: Disk, path: Path) -> None:
    file = opened(path, disk, pace=1000)
    file.put(b"one\n")
    await until(lambda: path.stat().st_size == 4, "the line was written")
    file.put(b"two\n")
    file.close()
    assert disk.syncs == 1


async def test_failing_sync_is_reported(disk: Disk, path: Path) -> None:
    file = opened(path, disk, pace=0.01)
    disk.sync_error = OSError(errno.EIO, "Input/output error")
    file.put(b"one\n")
    await until(lambda: file.trouble, "the sync failed")
    assert "Input/output error" in file.trouble
    file.close()


async def test_disk_error_without_strerror_is_reported_by_its_text(disk: Disk, file: CaptureFile) -> None:
    disk.error = OSError("odd")
    file.put(b"one\n")
    await until(lambda: not file.healthy, "the disk failed")
    assert "odd" in file.trouble


def test_an_anonymous_file_is_never_synced(disk: Disk) -> None:
    file = CaptureFile(create_anonymous(), None, write=disk.write, sync=disk.sync)
    assert file.read(file.put(b"one\n"), 4) == b"one\n"
    file.close()
    assert disk.syncs == 0


def test_closing_twice_does_nothing_and_nothing_can_be_put_or_read_after(path: Path, file: CaptureFile) -> None:
    place = file.put(b"one\n")
    file.close()
    size = path.stat().st_size
    file.close()
    assert path.stat().st_size == size
    assert not file.healthy
    assert file.put(b"two\n") == LOST
    assert file.read(place, 4) == b""
    assert from_line(lines_of(path)[1]).__class__ is EndRecord


def test_reading_while_writing_gives_whole_lines(file: CaptureFile) -> None:
    wrong: list[bytes] = []
    places: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            for i, place in enumerate(tuple(places)):
                line = file.read(place, 11)
                if line != b"line %05d\n" % i:
                    wrong.append(line)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(3000):
        places.append(file.put(b"line %05d\n" % i))  # noqa: PERF401, the reader looks at it meanwhile
    done.set()
    reader.join(10)
    assert wrong == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no such device")
async def test_full_device_is_reported(disk: Disk) -> None:
    file = CaptureFile(os.open("/dev/full", os.O_RDWR), Path("/dev/full"), pace=0.01, sync=disk.sync)
    file.put(b"one\n")
    await until(lambda: not file.healthy, "the device was full")
    assert "No space left" in file.trouble
    file.close()


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
    with pytest.raises(UsageError, match="already exists") as raised:
        create(path)
    assert raised.value.hint
    assert path.read_text() == "mine"


def test_overwritten_file_is_emptied_and_private(tmp_path: Path) -> None:
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


def test_create_refuses_special_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        create(tmp_path / "pipe", overwrite=True)


def test_create_names_the_reason_for_an_unwritable_place(tmp_path: Path) -> None:
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


def test_being_written_is_true_while_a_recorder_has_the_file(tmp_path: Path) -> None:
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
