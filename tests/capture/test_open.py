"""A growing capture is read up to its current end, and its state is reported."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.capture import open as reading
from inspector.capture.journal import Journal
from inspector.capture.open import CaptureReading, Following
from inspector.capture.store import index
from inspector.errors import CaptureError
from inspector.protocol.frames import Channel, Frame
from tests.capture.recording import CAME, recorded
from tests.entries import kept
from tests.waiting import until


def say(journal: Journal, text: str) -> None:
    journal.frame(CAME, Channel.STDOUT, text.encode())


def size(path: Path) -> int:
    return path.stat().st_size


async def test_following_reads_new_entries_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.mcpcap"
    journal = recorded(path)
    say(journal, "one")
    await until(lambda: b"one" in path.read_bytes(), "the first line in the file")
    following = Following(path)
    assert following.follow()
    assert following.journal.count == 1
    assert following.follow()
    say(journal, "two")
    await until(lambda: b"two" in path.read_bytes(), "the second line in the file")
    assert following.follow()
    assert following.journal.count == 2
    journal.close()
    assert not following.follow()
    assert following.why == "the recording has ended"
    assert not following.follow()
    assert following.journal.count == 2


def test_half_a_line_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.capture.open.being_written", lambda fd: True)
    path = tmp_path / "a.mcpcap"
    journal = recorded(path)
    say(journal, "one")
    journal.close()
    whole = path.read_bytes()
    cut = whole.index(b'"raw":"one"')
    path.write_bytes(whole[:cut])
    following = Following(path)
    assert following.follow()
    assert following.journal.count == 0
    with path.open("ab") as file:
        file.write(whole[cut:])
    assert following.follow()
    assert following.journal.count == 1


@pytest.mark.parametrize(
    ("happens", "why"),
    [("cut", "was cut"), ("replaced", "another file has taken the place"), ("removed", "can't be looked at")],
)
def test_a_file_that_is_no_longer_the_same_is_the_end(
    tmp_path: Path, happens: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.capture.open.being_written", lambda fd: True)
    path = tmp_path / "a.mcpcap"
    journal = recorded(path)
    say(journal, "one")
    journal.close()
    following = Following(path)
    assert following.follow()
    if happens == "cut":
        os.truncate(path, 10)
    elif happens == "replaced":
        (tmp_path / "b").write_bytes(b"")
        (tmp_path / "b").replace(path)
    else:
        path.unlink()
    assert not following.follow()
    assert why in following.why


def test_following_refuses_other_files(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(CaptureError):
        Following(tmp_path / "x")


def texts(journal: Journal) -> list[bytes]:
    return [frame.payload for frame in kept(journal, Frame)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    journal = recorded(tmp_path / "x.mcpcap")
    for text in ("one", "two", "three"):
        say(journal, text)
    journal.close()
    return tmp_path / "x.mcpcap"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PACE_S", 0.01)
    monkeypatch.setattr(reading, "_WATCH_S", 0.01)


@pytest.fixture
def on_threads() -> Iterator[Any]:
    threads: list[threading.Thread] = []
    readings: list[CaptureReading] = []

    def run(one: CaptureReading, *works: Any) -> None:
        readings.append(one)
        threads.append(threading.Thread(target=lambda: [work() for work in works]))
        threads[-1].start()

    yield run
    for one in readings:
        one.stop()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive(), "it ends when it is told to"
    for one in readings:
        one.journal.close()


def test_a_finished_capture_is_read_to_its_end(path: Path) -> None:
    one = CaptureReading(path)
    assert (one.is_complete, one.share) == (False, 0.0)
    one.read()
    assert (one.is_complete, one.share, one.grows) == (True, 1.0, False)
    assert texts(one.journal) == [b"one", b"two", b"three"]
    assert one.journal.notices == ()


async def test_a_capture_that_grows_is_followed_until_its_end(tmp_path: Path, at_once: None, on_threads: Any) -> None:
    journal = recorded(tmp_path / "x.mcpcap")
    say(journal, "one")
    await until(lambda: b"one" in (tmp_path / "x.mcpcap").read_bytes(), "the first line in the file")
    one = CaptureReading(tmp_path / "x.mcpcap", tmp_path / "cache")
    on_threads(one, one.read)
    await until(lambda: one.journal.count == 1 and one.grows, "the first one was read")
    say(journal, "two")
    await until(lambda: one.journal.count == 2, "the second one was read")
    journal.close()
    await until(lambda: not one.grows, "the end was seen")
    assert one.journal.notices == ()
    assert texts(one.journal) == [b"one", b"two"]


def write_over(path: Path) -> None:
    """Write something longer over it in one step: in two, it would be cut for a moment, and told to be."""
    with path.open("r+b", buffering=0) as file:
        file.write(b'{"r":"head"}\n' * 400)


@pytest.mark.parametrize(
    ("happens", "why", "left"),
    [
        (write_over, "rewritten", [b"", b"", b""]),
        (lambda path: os.truncate(path, path.read_bytes().index(b'"raw":"two"')), "was cut", [b"one", b"", b""]),
        (lambda path: path.unlink(), "can't be looked at", [b"one", b"two", b"three"]),
    ],
)
async def test_replaced_capture_is_reported_and_not_misread(
    path: Path, happens: Any, why: str, left: list[bytes], at_once: None, on_threads: Any
) -> None:
    one = CaptureReading(path)
    on_threads(one, one.read, one.watch)
    await until(lambda: one.is_complete, "read")
    happens(path)
    await until(lambda: bool(one.journal.notices), "it is told")
    assert why in one.journal.notices[0]
    assert texts(one.journal) == left


async def test_reading_can_be_stopped_at_any_time(path: Path) -> None:
    one = CaptureReading(path)
    one.read(lambda: True)
    assert one.journal.count == 0
    one.watch(lambda: True)


def test_a_second_reading_recalls_the_first(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SMALLEST", 0)
    first, second = CaptureReading(path, tmp_path / "cache"), CaptureReading(path, tmp_path / "cache")
    first.read()
    path.chmod(0o600)
    monkeypatch.setattr("inspector.capture.store.fold_fast_path.Rows.take", None)  # whoever folds now fails
    second.read()
    assert texts(second.journal) == texts(first.journal)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 2.0])
def test_beginning_that_was_read_first_is_not_read_twice(
    path: Path, part: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = CaptureReading(path)
    whole.read()
    monkeypatch.setattr(reading, "_BEGINNING", round(size(path) * part))
    one = CaptureReading(path)
    one.begin()
    shown = texts(one.journal)
    assert not one.is_complete
    assert shown == texts(whole.journal)[: len(shown)]
    assert bool(shown) == (part > 0.1)
    one.read()
    assert texts(one.journal) == texts(whole.journal)
    assert one.journal.notices == whole.journal.notices


def test_capture_begun_without_an_index_gets_one_for_the_next_time(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "SMALLEST", 0)
    first = CaptureReading(path, tmp_path / "cache")
    first.begin()
    assert first.journal.count
    first.read()
    second = CaptureReading(path, tmp_path / "cache")
    second.begin()
    assert second.journal.count == 0
    monkeypatch.setattr("inspector.capture.store.fold_fast_path.Rows.take", None)  # whoever folds now fails
    second.read()
    assert texts(second.journal) == texts(first.journal)


def test_torn_last_line_is_left_out_and_noticed(path: Path) -> None:
    os.truncate(path, path.read_bytes().index(b'"raw":"three"') + 4)
    one = CaptureReading(path)
    one.read()
    assert texts(one.journal) == [b"one", b"two"]
    assert one.journal.notices[0] == "The last line of the capture is incomplete and was left out."
