"""The shelf: names that sort by age, and the oldest captures make room; nothing else is ever removed."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture import automatic as module
from inspector.capture.automatic import Summaries, Summary, captures, fresh_path, make_room, remove, summary
from inspector.capture.format.file import create
from inspector.capture.format.records import Head, to_line
from tests.capture.recording import HEAD, life, recorded
from tests.captures.record import sample

NOW = 1_795_300_000_000_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Three captures of 100 bytes: c is the newest."""
    directory = tmp_path / "shelf"
    directory.mkdir()
    for age, name in enumerate("cba"):
        path = directory / own(name)
        path.write_bytes(b"x" * 100)
        os.utime(path, ns=(NOW - age, NOW - age))
    return directory


def own(name: str) -> str:
    """A file name as a capture gets it without a name from the user."""
    return f"20260101-000000-{name}-0000.mcpcap"


def names(paths: list[Path]) -> list[str]:
    return [path.stem.removeprefix("20260101-000000-").removesuffix("-0000") for path in paths]


def test_fresh_path_has_time_and_target(tmp_path: Path) -> None:
    path = fresh_path(tmp_path, NOW, "npx -y @scope/server", chance="ab12")
    assert path.parent == tmp_path
    assert path.name.startswith("2026")
    assert path.name.endswith("-npx-y-scope-server-ab12.mcpcap")


@pytest.mark.parametrize("label", ["", "../../..", "\x1b]0;x\x07/../é", "-" * 99, "x" * 300, "..hidden"])
def test_any_label_makes_a_plain_name(tmp_path: Path, label: str) -> None:
    path = fresh_path(tmp_path, NOW, label)
    assert path.parent == tmp_path
    assert len(path.name) < 80
    assert path.name.isascii()
    assert path.name.isprintable()


def test_two_that_begin_at_once_are_kept_apart(tmp_path: Path) -> None:
    assert len({fresh_path(tmp_path, NOW, "x") for _ in range(5)}) > 1


def test_captures_are_newest_first(shelf: Path) -> None:
    assert names(captures(shelf)) == ["c", "b", "a"]
    assert captures(shelf / "nothing") == []


@pytest.mark.parametrize(("budget", "left"), [(300, "cba"), (299, "cb"), (100, "c"), (0, "")])
def test_the_oldest_make_room(shelf: Path, budget: int, left: str) -> None:
    removed = make_room(shelf, budget)
    assert "".join(names(captures(shelf))) == left
    assert len(removed) == 3 - len(left)


def test_one_that_a_user_has_named_stays(shelf: Path) -> None:
    (shelf / "keep.mcpcap").write_bytes(b"x" * 100)
    make_room(shelf, 0)
    assert names(captures(shelf)) == ["keep"]


def test_make_room_keeps_other_files(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (shelf / own("link")).symlink_to(tmp_path / "elsewhere")
    (shelf / "notes.txt").write_text("mine")
    (shelf / own("directory")).mkdir()
    make_room(shelf, 0)
    assert sorted(path.name for path in shelf.iterdir()) == [own("directory"), own("link"), "notes.txt"]
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_one_that_is_being_recorded_stays(shelf: Path) -> None:
    fd = create(shelf / own("live"))
    os.write(fd, b"x" * 500)
    make_room(shelf, 0)
    assert names(captures(shelf)) == ["live"]
    os.close(fd)


def test_one_that_can_not_be_removed_is_passed_over(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> None:
        raise PermissionError("no")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert make_room(shelf, 0) == []


def test_make_room_ignores_files_already_removed(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = [shelf / own("gone")]
    monkeypatch.setattr("inspector.capture.automatic.captures", lambda directory: gone)
    assert make_room(shelf, -1) == []


def test_notes_go_with_their_capture_and_no_link_is_removed(shelf: Path) -> None:
    (shelf / f"{own('a')}.notes").write_bytes(b"x")
    (shelf / own("z")).symlink_to(shelf / own("b"))
    assert remove(shelf / own("a"))
    assert not remove(shelf / own("a"))
    assert not remove(shelf / own("z"))
    assert {path.name for path in shelf.iterdir()} == set(map(own, "bcz"))


@pytest.mark.parametrize(
    ("name", "ended", "errors"),
    [("lighthouse", "clean", 3), ("wreck", "died", 1), ("torn", "cut", 0), ("harbour", "clean", 2)],
)
def test_a_small_one_is_known_whole(name: str, ended: str, errors: int) -> None:
    found = summary(sample(name))
    assert (found.ended, found.errors, found.readable) == (ended, errors, True)
    assert found.size == sample(name).stat().st_size
    assert found.entries
    assert found.lasted_ns > 0
    assert ("SIGSEGV" in found.why) == (name == "wreck")


def test_summary_of_a_large_capture_reads_beginning_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {name: summary(sample(name)) for name in ("lighthouse", "wreck", "torn")}
    monkeypatch.setattr(module, "SMALL", 0)
    for name, known in whole.items():
        found = summary(sample(name))
        assert (found.server, found.started_ns, found.ended) == (known.server, known.started_ns, known.ended), name
        assert (found.target, found.why, found.lasted_ns) == (known.target, known.why, known.lasted_ns), name
        assert (found.errors, found.exchanges) == (None, None), "that needs all of it"
    assert summary(sample("lighthouse")).entries == whole["lighthouse"].entries


def test_summary_of_a_growing_capture_is_recording(tmp_path: Path) -> None:
    journal = recorded(tmp_path / "x.mcpcap")
    life(journal)
    while not (tmp_path / "x.mcpcap").stat().st_size:
        os.sched_yield()
    assert summary(tmp_path / "x.mcpcap").ended == "recording"
    journal.close()
    assert summary(tmp_path / "x.mcpcap").ended in ("clean", "died")


@pytest.mark.parametrize("content", [b"", b"nonsense", to_line(Head(format="mcpcap", v="9.0")), b'{"r":"head"}\n'])
def test_summary_of_an_unreadable_file_has_the_reason(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.mcpcap").write_bytes(content)
    found = summary(tmp_path / "x.mcpcap")
    assert not found.readable
    assert found.why
    assert summary(tmp_path / "none.mcpcap").why
    assert not summary(tmp_path).readable


@given(st.binary(max_size=400))
def test_anything_can_stand_in_it(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.mcpcap"
    path.write_bytes(to_line(HEAD) + content)
    limit, module.SMALL = module.SMALL, 0
    try:
        assert summary(path).readable
    finally:
        module.SMALL = limit
    assert summary(path).readable


def test_summaries_are_cached_until_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kept = tmp_path / "x.mcpcap", tmp_path / "sessions.json"
    path.write_bytes(sample("lighthouse").read_bytes())
    first = Summaries(kept)
    made = first.of(path)
    first.keep([path])
    monkeypatch.setattr(module, "summary", lambda path: Summary(why="made anew"))
    assert Summaries(kept).of(path) == made
    os.utime(path, ns=(1, 1))
    assert Summaries(kept).of(path).why == "made anew"
    assert Summaries(tmp_path / "none").of(path).why == "made anew"
    Summaries(kept).keep([tmp_path / "y.mcpcap"])
    assert b"lighthouse" not in kept.read_bytes()
    kept.write_bytes(b'{"/x":{"version":"?"}}')
    assert Summaries(kept).of(path).why == "made anew"
    assert not Summaries(None).of(tmp_path / "gone").readable
