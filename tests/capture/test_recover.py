"""Of a capture that was cut or damaged all is saved that stands before the damage, and nothing is made up."""

from pathlib import Path

import pytest

from inspector.capture.load import load
from inspector.capture.recover import recover
from inspector.capture.sharing.sharing import Sharing, Wish
from inspector.capture.verify import State, verify
from inspector.errors import CaptureError, UsageError
from tests.captures.record import sample


def test_a_capture_cut_at_any_byte_is_saved_up_to_its_last_whole_line(tmp_path: Path) -> None:
    whole = sample("handshake").read_bytes()
    path, out = tmp_path / "cut.mcpcap", tmp_path / "out.mcpcap"
    first = whole.index(b"\n") + 1
    for size in range(first, len(whole), 97):
        path.write_bytes(whole[:size])
        done = recover(path, out, overwrite=True)
        lines = whole[:size].count(b"\n")
        assert (done.records, done.left) == (lines, size - done.kept)
        assert out.read_bytes()[: done.kept] == whole[: done.kept]
        verdict = verify(out)
        assert (verdict.faults, verdict.complete, verdict.clean) == ((), True, False)


def test_what_stands_behind_a_line_that_can_not_be_read_is_left(tmp_path: Path) -> None:
    lines = sample("handshake").read_bytes().splitlines(keepends=True)
    (tmp_path / "x").write_bytes(b"".join([*lines[:4], b"rubbish\n", *lines[4:]]))
    done = recover(tmp_path / "x", tmp_path / "y")
    assert (done.records, done.line, done.torn, done.whole) == (4, 5, False, False)
    journal = load(tmp_path / "y")
    try:
        assert journal.count == 3
    finally:
        journal.close()


def test_a_whole_capture_comes_back_as_it_is(tmp_path: Path) -> None:
    done = recover(sample("handshake"), tmp_path / "y")
    assert (done.line, done.left, done.whole) == (None, 0, True)
    assert (tmp_path / "y").read_bytes() == sample("handshake").read_bytes()
    assert verify(tmp_path / "y").state is State.WHOLE


def test_nothing_is_overwritten_unasked_and_never_the_original(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(sample("torn").read_bytes())
    (tmp_path / "y").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        recover(path, tmp_path / "y")
    with pytest.raises(UsageError, match="is the original"):
        recover(path, path, overwrite=True)
    assert path.read_bytes() == sample("torn").read_bytes()
    assert (tmp_path / "y").read_text() == "mine"


def test_of_what_is_no_capture_nothing_is_saved(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(CaptureError):
        recover(tmp_path / "x", tmp_path / "y")
    assert not (tmp_path / "y").exists()


def test_ctrl_c_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = tmp_path / "x.mcpcap", tmp_path / "y.mcpcap"
    path.write_bytes(sample("handshake").read_bytes())
    out.write_text("mine")

    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recover(path, out, overwrite=True, tell=interrupted)
    sharing = Sharing(path, Wish(b"key"), interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            sharing.write(out, overwrite=True)
    finally:
        sharing.close()
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "home") == ["x.mcpcap", "y.mcpcap"]
    assert out.read_text() == "mine"
