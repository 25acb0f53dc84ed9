"""A capture that grows is read as far as it goes, and its end is told."""

import os
from pathlib import Path

import pytest

from inspector.capture.following import Following
from inspector.capture.journal import Journal
from inspector.errors import CaptureError
from inspector.protocol.frames import Channel
from tests.capture.recording import CAME, recorded
from tests.waiting import until


def say(journal: Journal, text: str) -> None:
    journal.frame(CAME, Channel.STDOUT, text.encode())


def size(path: Path) -> int:
    return path.stat().st_size


async def test_what_is_recorded_meanwhile_comes_too_and_the_end_is_told(tmp_path: Path) -> None:
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
    assert following.why == "nobody records into the capture any more"
    assert not following.follow()
    assert following.journal.count == 2
    following.journal.close()


def test_half_a_line_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.capture.following.being_written", lambda fd: True)
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
    following.journal.close()


@pytest.mark.parametrize(
    ("happens", "why"),
    [("cut", "was cut"), ("replaced", "another file has taken the place"), ("removed", "can't be looked at")],
)
def test_a_file_that_is_no_longer_the_same_is_the_end(
    tmp_path: Path, happens: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.capture.following.being_written", lambda fd: True)
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
    following.journal.close()


def test_what_is_no_capture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(CaptureError):
        Following(tmp_path / "x")
