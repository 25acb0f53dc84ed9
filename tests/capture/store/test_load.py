"""Loading of captures: equal to the recorded journal; a damaged file gives the rest and a message."""

import os
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.format.file import CaptureFile, create
from inspector.capture.format.records import EndRecord, GapRecord, to_line
from inspector.capture.journal import Journal
from inspector.capture.store import index
from inspector.capture.store.load import Loading, OpenedFile, load
from inspector.errors import CaptureError
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from tests.capture.recording import FACTS, HEAD, came, entries, http_life, life, over
from tests.captures.record import sample

NO_END = "The capture has no end: whatever wrote it was stopped, or the file was cut."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.mcpcap"


def recording(path: Path) -> Journal:
    return over(CaptureFile(create(path, overwrite=True), path))


def rewritten(path: Path, old: bytes, new: bytes) -> Path:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    return path


def whole(path: Path) -> Path:
    journal = recording(path)
    life(journal)
    journal.close()
    return path


@pytest.mark.parametrize("live", [life, http_life])
def test_a_loaded_capture_is_the_journal_that_was_recorded(path: Path, live: Any) -> None:
    old = recording(path)
    live(old)
    was = entries(old)
    old.close()
    new = load(path)
    assert entries(new) == was
    assert list(new.conversation.exchanges) == list(old.conversation.exchanges)
    assert new.conversation.opening == old.conversation.opening
    assert (new.connection, new.ended, new.processes) == (old.connection, old.ended, old.processes)
    assert new.stderr_tail == old.stderr_tail
    assert set(new.http_exchanges) == set(old.http_exchanges)
    assert (new.started_ns, new.started_wall_ns, new.capture_path) == (HEAD.tm, HEAD.tw, path)
    assert new.notices == ()
    assert not new.live
    assert not new.recording


def test_all_facts_come_back(path: Path) -> None:
    journal = recording(path)
    for fact in FACTS:
        journal.fact(fact)
    journal.close()
    again = load(path)
    assert [entry.what for entry in entries(again)] == list(FACTS)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(Direction),
            st.sampled_from(Channel),
            st.binary() | st.text().map(str.encode),
            st.sampled_from(Eol),
        ),
        max_size=8,
    )
)
def test_any_frames_come_back_to_the_byte(tmp_path_factory: Any, frames: list[Any]) -> None:
    path = tmp_path_factory.mktemp("any") / "x.mcpcap"
    journal = recording(path)
    for direction, channel, payload, eol in frames:
        journal.frame(direction, channel, payload, eol=eol)
    journal.close()
    again = load(path)
    found = [entry.what for entry in entries(again)]
    assert [(f.direction, f.channel, f.payload, f.eol) for f in found if isinstance(f, Frame)] == frames
    assert again.notices == ()
    again.close()


def test_a_line_of_a_hundred_megabytes_comes_back(path: Path) -> None:
    payload = b'{"jsonrpc":"2.0","method":"a/b","params":{"x":"' + b"y" * 100_000_000 + b'"}}'
    journal = recording(path)
    came(journal, payload)
    journal.close()
    again = load(path)
    frame = again.store.entry(1).what
    assert isinstance(frame, Frame)
    assert frame.payload == payload
    assert again.store.method(1) == "a/b"


def test_a_capture_cut_at_any_byte_is_read_up_to_there_or_refused(path: Path) -> None:
    data = whole(path).read_bytes()
    full = load(path)
    was = entries(full)
    full.close()
    head_ends = data.index(b"\n")
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        if cut < head_ends:
            with pytest.raises(CaptureError):
                load(path)
            continue
        part = load(path)
        found = entries(part)
        assert found == was[: len(found)]
        assert len(found) >= data[:cut].count(b"\n") - 2 - data[:cut].count(b'"r":"sum"')
        assert (NO_END in part.notices) == (cut < len(data) - 1)
        part.close()


def test_torn_last_line_is_noticed_on_load(path: Path) -> None:
    journal = load(sample("torn"))
    assert journal.notices == ("The last line of the capture is incomplete and was left out.", NO_END)
    assert journal.count == 16


@pytest.mark.parametrize("name", ["handshake", "stateless"])
def test_the_samples_are_read_without_a_notice(name: str) -> None:
    journal = load(sample(name))
    assert journal.notices == ()
    assert all(not entry.missing for entry in entries(journal))


def test_garbage_between_the_lines_is_counted_and_the_rest_is_read(path: Path) -> None:
    lines = whole(path).read_bytes().splitlines(keepends=True)
    lines[3:3] = [b"\xff\x00garbage\n", b"\n", b'{"r":"frame","dir":"sideways"}\n', b"[]\n"]
    path.write_bytes(b"".join(lines))
    journal = load(path)
    assert journal.notices == ("Left out of the capture, because unreadable: 4 records.",)
    assert [entry.n for entry in entries(journal)] == list(range(1, 18))


def test_unknown_records_are_counted_and_passed_over(path: Path) -> None:
    lines = whole(path).read_bytes().splitlines(keepends=True)
    lines[2:2] = [b'{"r":"mark","n":1,"text":"look"}\n']
    path.write_bytes(b"".join(lines))
    journal = load(path)
    assert journal.notices == ("Left out of the capture, because their type is unknown: 1 record.",)
    assert journal.count == 17


def test_a_newer_minor_version_is_read_with_a_notice(path: Path) -> None:
    journal = load(rewritten(whole(path), b'"v":"1.0"', b'"v":"1.9"'))
    assert "format 1.9, newer than mcp-inspect" in journal.notices[0]
    assert journal.count == 17


@pytest.mark.parametrize("file", ["../../etc/passwd", "/etc/passwd", "blobs/1"])
def test_a_payload_in_another_file_is_not_looked_for(path: Path, file: str) -> None:
    blob = b'{"r":"frame","n":1,"dir":"s2c","ch":"stdout","tm":1,"len":9,"raw_ref":"%b"}\n' % file.encode()
    path.write_bytes(to_line(HEAD) + blob + b'{"r":"blob","sha256":"0","len":9,"file":"%b"}\n' % file.encode())
    journal = load(path)
    assert journal.count == 0
    assert "the payload is in another file, which is not read: 1 record" in " ".join(journal.notices)


def test_payload_of_another_length_is_noticed_on_load(path: Path) -> None:
    journal = load(rewritten(whole(path), b"Server listening", b"Server trembling!"))
    assert "changed after recording: 1 record." in journal.notices[0]


def test_frame_without_length_is_accepted(path: Path) -> None:
    path.write_bytes(
        to_line(HEAD) + b'{"r":"frame","dir":"s2c","ch":"stdout","tm":1,"raw":"x"}\n' + to_line(EndRecord())
    )
    journal = load(path)
    assert (journal.count, journal.notices) == (1, ())


def test_gap_record_is_noticed_on_load(path: Path) -> None:
    gap = GapRecord(lost_frames=7, why="No space left on device", tm0=0, tm1=1_500_000_000)
    path.write_bytes(to_line(HEAD) + to_line(gap) + to_line(GapRecord()) + to_line(EndRecord()))
    journal = load(path)
    assert journal.notices == (
        "The capture has a gap: 7 records within 1.5 s could not be written (No space left on device).",
        "The capture has a gap: 0 records within 0.0 s could not be written.",
    )


def test_unclean_end_is_noticed_on_load(path: Path) -> None:
    path.write_bytes(to_line(HEAD) + to_line(EndRecord(clean=False)))
    assert load(path).notices == ("The capture was not closed: its end may be missing.",)


def test_an_end_that_is_not_the_last_line_is_none(path: Path) -> None:
    path.write_bytes(to_line(HEAD) + to_line(EndRecord()) + b'{"r":"err","tm":1,"raw":"x"}\n')
    assert load(path).notices == (NO_END,)


def test_a_record_without_a_wall_clock_is_dated_by_the_head_before_it(path: Path) -> None:
    later = HEAD.__class__(format="mcpcap", v="1.0", tm=0, tw=5)
    path.write_bytes(
        to_line(HEAD) + b'{"r":"err","tm":1000000007,"raw":"x"}\n' + to_line(later) + b'{"r":"err","tm":1,"raw":"x"}\n'
    )
    journal = load(path)
    assert [entry.wall_ns for entry in entries(journal)] == [HEAD.tw + 7, 6]


def test_clocks_that_jump_are_kept(path: Path) -> None:
    times = (5, 2**62, -3, 0)
    path.write_bytes(to_line(HEAD) + b"".join(b'{"r":"err","tm":%d,"tw":%d,"raw":"x"}\n' % (t, -t) for t in times))
    journal = load(path)
    assert [(entry.time_ns, -entry.wall_ns) for entry in entries(journal)] == [(t, t) for t in times]


def test_a_capture_that_is_being_written_is_read_so_far(path: Path) -> None:
    journal = recording(path)
    life(journal)
    path_then = path.with_name("then.mcpcap")
    journal.close()
    data = path.read_bytes()
    fd = create(path_then)
    os.write(fd, data[: data.index(b'{"r":"end"')])
    part = load(path_then)
    assert part.notices == ("The capture is still being written: this is what was there so far.",)
    assert part.count == journal.count
    part.close()
    os.close(fd)


def test_a_journal_can_be_shown_while_it_is_loaded(path: Path) -> None:
    loading = Loading(whole(path))
    counts = [loading.journal.count]
    told = [loading.done]
    while loading.step(5):
        counts.append(loading.journal.count)
        told.append(loading.done)
    assert counts[:3] == [0, 4, 9]
    assert told == sorted(told)
    assert loading.done == loading.total == path.stat().st_size
    assert not loading.step()


def test_closing_the_journal_ends_the_loading(path: Path) -> None:
    loading = Loading(whole(path))
    loading.step(5)
    loading.journal.close()
    loading.journal.close()
    while loading.step():
        pass
    assert loading.journal.store.entry(1).missing


def test_load_reports_progress(path: Path) -> None:
    journal = recording(path)
    for _ in range(5000):
        came(journal, b"x")
    journal.close()
    told: list[tuple[int, int]] = []
    load(path, on_progress=lambda done, total: told.append((done, total))).close()
    size = path.stat().st_size
    assert len(told) >= 3
    assert told == sorted(told)
    assert told[-1] == (size, size)


def test_index_of_a_long_capture_is_stored(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SMALLEST", 0)
    cache = tmp_path / "cache"
    first = load(whole(path), cache=cache)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(Loading, "step", None)  # nothing is read a second time
    assert load(path, cache=cache).count == first.count > 0


def test_interrupted_load_leaves_no_open_file(path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = os.listdir("/dev/fd")
    with pytest.raises(KeyboardInterrupt):
        load(whole(path), on_progress=stop)
    path.write_bytes(b"<html>")
    with pytest.raises(CaptureError, match="HTML"):
        load(path)
    assert os.listdir("/dev/fd") == before


def test_loading_starts_nothing_and_connects_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise AssertionError("a capture was acted upon")

    monkeypatch.setattr("subprocess.Popen.__init__", refuse)
    monkeypatch.setattr(socket.socket, "__init__", refuse)
    monkeypatch.setattr(os, "execvp", refuse)
    monkeypatch.setattr(os, "posix_spawn", refuse)
    load(sample("handshake")).close()
    load(sample("stateless")).close()


@pytest.fixture
def standing_path(tmp_path: Path) -> Path:
    standing_path = tmp_path / "x"
    standing_path.write_bytes(b"head one\n" + b"x" * 3000)
    return standing_path


def put_another(standing_path: Path) -> None:
    standing_path.with_name("y").write_bytes(standing_path.read_bytes())
    standing_path.with_name("y").replace(standing_path)


def open_draft(standing_path: Path) -> None:
    standing_path.write_bytes(b"head two\n" + b"y" * 5000)


@pytest.mark.parametrize(
    ("happens", "why", "readable"),
    [
        (lambda standing_path: os.truncate(standing_path, 2000), "was cut", 2000),
        (lambda standing_path: standing_path.write_bytes(b"head two\n"), "was cut", 0),
        (open_draft, "rewritten", 0),
        (put_another, "another file has taken the place", None),
        (lambda standing_path: standing_path.unlink(), "can't be looked at", None),
    ],
)
def test_changed_file_is_reported_with_its_readable_length(
    standing_path: Path, happens: object, why: str, readable: int | None
) -> None:
    fd = os.open(standing_path, os.O_RDONLY)
    standing = OpenedFile(fd, standing_path)
    assert standing.trouble(3009) is None
    happens(standing_path)  # type: ignore[operator]
    trouble = standing.trouble(3009)
    os.close(fd)
    assert trouble is not None
    assert why in trouble.why
    assert trouble.readable == readable


def test_a_file_that_has_grown_is_the_same(standing_path: Path) -> None:
    fd = os.open(standing_path, os.O_RDONLY)
    standing = OpenedFile(fd, standing_path)
    with standing_path.open("ab") as out:
        out.write(b"more")
    assert standing.trouble(3009) is None
    os.close(fd)


def test_a_cut_between_two_looks_is_called_a_cut(standing_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fd = os.open(standing_path, os.O_RDONLY)
    standing, long_ago = OpenedFile(fd, standing_path), os.stat(standing_path)

    def cut_after_the_first_look(asked: int) -> os.stat_result:
        monkeypatch.undo()
        os.truncate(standing_path, 500)
        return long_ago

    monkeypatch.setattr(os, "fstat", cut_after_the_first_look)
    trouble = standing.trouble(3009)
    os.close(fd)
    assert trouble is not None
    assert "was cut" in trouble.why
    assert trouble.readable == 500
