"""Everything before the damage of a truncated or damaged capture is recovered, and nothing is invented."""

from pathlib import Path

import pytest

from inspector.capture.format.file import CaptureFile, create
from inspector.capture.format.records import GapRecord, to_line
from inspector.capture.format.verify import CaptureState, recover, verify
from inspector.capture.store.load import load
from inspector.errors import CaptureError, UsageError
from inspector.features.share.share import ShareRequest, Sharing
from tests.capture.recording import HEAD, came, over, sent
from tests.captures.record import sample


def test_a_capture_cut_at_any_byte_is_saved_up_to_its_last_whole_line(tmp_path: Path) -> None:
    whole = sample("handshake").read_bytes()
    path, out = tmp_path / "cut.mcpcap", tmp_path / "out.mcpcap"
    first = whole.index(b"\n") + 1
    for size in range(first, len(whole), 97):
        path.write_bytes(whole[:size])
        done = recover(path, out, overwrite=True)
        lines = whole[:size].count(b"\n")
        assert (done.records, done.not_copied) == (lines, size - done.copied)
        assert out.read_bytes()[: done.copied] == whole[: done.copied]
        verdict = verify(out)
        assert (verdict.faults, verdict.complete, verdict.clean) == ((), True, False)


def test_recover_drops_lines_after_an_unreadable_one(tmp_path: Path) -> None:
    lines = sample("handshake").read_bytes().splitlines(keepends=True)
    (tmp_path / "x").write_bytes(b"".join([*lines[:4], b"rubbish\n", *lines[4:]]))
    done = recover(tmp_path / "x", tmp_path / "y")
    assert (done.records, done.line, done.partial, done.complete) == (4, 5, False, False)
    assert load(tmp_path / "y").count == 3


def test_a_whole_capture_comes_back_as_it_is(tmp_path: Path) -> None:
    done = recover(sample("handshake"), tmp_path / "y")
    assert (done.line, done.not_copied, done.complete) == (None, 0, True)
    assert (tmp_path / "y").read_bytes() == sample("handshake").read_bytes()
    assert verify(tmp_path / "y").state is CaptureState.COMPLETE


def test_nothing_is_overwritten_unasked_and_never_the_original(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(sample("torn").read_bytes())
    (tmp_path / "y").write_text("mine")
    with pytest.raises(UsageError, match="already exists"):
        recover(path, tmp_path / "y")
    with pytest.raises(UsageError, match="is the original"):
        recover(path, path, overwrite=True)
    assert path.read_bytes() == sample("torn").read_bytes()
    assert (tmp_path / "y").read_text() == "mine"


def test_recover_saves_nothing_of_other_files(tmp_path: Path) -> None:
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
    sharing = Sharing(path, ShareRequest(b"key"), interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            sharing.write(out, overwrite=True)
    finally:
        sharing.close()
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "home") == ["x.mcpcap", "y.mcpcap"]
    assert out.read_text() == "mine"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A capture of 2,500 frames one way and one the other."""
    path = tmp_path / "x.mcpcap"
    journal = over(CaptureFile(create(path), path))
    sent(journal, b"ask")
    for i in range(2500):
        came(journal, b"line %d \xff" % i)
    journal.close()
    return path


def changed(path: Path, old: bytes, new: bytes) -> Path:
    data = path.read_bytes()
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, new))
    return path


def test_a_whole_capture_is_whole(path: Path) -> None:
    verdict = verify(path)
    assert verdict.faults == ()
    assert verdict.complete
    assert (verdict.frames, verdict.covered) == (2501, 2501)


@pytest.mark.parametrize("name", ["handshake", "stateless"])
def test_the_samples_are_whole(name: str) -> None:
    verdict = verify(sample(name))
    assert verdict.complete
    assert verdict.faults == ()


@pytest.mark.parametrize(("counts", "faults"), [(b'"gap":0,', 0), (b'"gap":1,', 1)])
def test_verify_compares_the_counts_of_the_end_record(path: Path, counts: bytes, faults: int) -> None:
    assert len(verify(changed(path, b'"counts":{', b'"counts":{' + counts)).faults) == faults


def test_a_cut_capture_is_vouched_for_up_to_its_last_digest(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2300]) + lines[2300][:20])
    verdict = verify(path)
    assert verdict.faults == ()
    assert not verdict.complete
    assert verdict.covered == 2000
    assert verdict.frames > 2000


def test_a_frame_taken_out_is_found(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:1500] + lines[1501:]))
    verdict = verify(path)
    assert any("2000 frames" in fault and "1999" in fault for fault in verdict.faults)
    assert verdict.covered < 2501
    assert not verdict.complete


def test_a_changed_byte_is_found(path: Path) -> None:
    verdict = verify(changed(path, b'"raw":"ask"', b'"raw":"ASK"'))
    assert any("or other bytes" in fault for fault in verdict.faults)
    assert any("does not fit the lines before it" in fault for fault in verdict.faults)


def test_converted_line_ends_are_named(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert "core.autocrlf" in verify(path).faults[0]


def test_an_unreadable_line_is_named(path: Path) -> None:
    data = path.read_bytes().splitlines(keepends=True)
    data[9] = b"garbage\n"
    path.write_bytes(b"".join(data))
    assert "Line 10 can't be read." in verify(path).faults


def test_records_of_a_newer_program_are_no_damage(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(b'{"r":"end"', b'{"r":"mark","n":1}\n{"r":"end"'))
    assert [fault for fault in verify(path).faults if "can't be read" in fault] == []


def test_after_a_gap_the_digests_are_not_believed(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    gap = to_line(GapRecord(lost_frames=3))
    path.write_bytes(b"".join([*lines[:1500], gap, *lines[1503:]]))
    faults = verify(path).faults
    assert "Line 1501 is a gap: 3 records were not written." in faults
    assert not any("other bytes" in fault for fault in faults)


def test_a_redacted_copy_can_not_be_verified(path: Path) -> None:
    verdict = verify(changed(path, b'"on":"none"', b'"on":"share"'))
    assert verdict.redacted
    assert verdict.covered == 0
    assert verdict.state == "damaged"  # the copy was not written so: its last line is of another file


def test_a_digest_of_a_stream_that_is_not_there_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    path.write_bytes(to_line(HEAD) + b'{"r":"sum","dir":"s2c","ch":"get","bytes":9,"frames":1,"sha256":"0"}\n')
    assert "1 frames with 9 bytes" in verify(path).faults[0]


def test_verify_refuses_other_files(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    path.write_bytes(b"")
    with pytest.raises(CaptureError, match="is empty"):
        verify(path)
