"""The shelf: names that sort by age, and the oldest captures make room; nothing else is ever removed."""

import os
from pathlib import Path

import pytest

from inspector.capture.opening import create
from inspector.capture.shelf import captures, fresh_path, make_room, remove

NOW = 1_795_300_000_000_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Three captures of 100 bytes: c is the newest."""
    directory = tmp_path / "shelf"
    directory.mkdir()
    for age, name in enumerate("cba"):
        path = directory / f"{name}.mcpcap"
        path.write_bytes(b"x" * 100)
        os.utime(path, ns=(NOW - age, NOW - age))
    return directory


def names(paths: list[Path]) -> list[str]:
    return [path.stem for path in paths]


def test_a_name_says_when_and_of_what(tmp_path: Path) -> None:
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


def test_the_newest_stands_first(shelf: Path) -> None:
    assert names(captures(shelf)) == ["c", "b", "a"]
    assert captures(shelf / "nothing") == []


@pytest.mark.parametrize(("budget", "left"), [(300, "cba"), (299, "cb"), (100, "c"), (0, "")])
def test_the_oldest_make_room(shelf: Path, budget: int, left: str) -> None:
    removed = make_room(shelf, budget)
    assert "".join(names(captures(shelf))) == left
    assert len(removed) == 3 - len(left)


def test_what_is_no_capture_stays(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (shelf / "link.mcpcap").symlink_to(tmp_path / "elsewhere")
    (shelf / "notes.txt").write_text("mine")
    (shelf / "directory.mcpcap").mkdir()
    make_room(shelf, 0)
    assert sorted(path.name for path in shelf.iterdir()) == ["directory.mcpcap", "link.mcpcap", "notes.txt"]
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_one_that_is_being_recorded_stays(shelf: Path) -> None:
    fd = create(shelf / "live.mcpcap")
    os.write(fd, b"x" * 500)
    make_room(shelf, 0)
    assert names(captures(shelf)) == ["live"]
    os.close(fd)


def test_one_that_can_not_be_removed_is_passed_over(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> None:
        raise PermissionError("no")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert make_room(shelf, 0) == []


def test_one_that_somebody_else_removed_is_passed_over(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = [shelf / "gone.mcpcap"]
    monkeypatch.setattr("inspector.capture.shelf.captures", lambda directory: gone)
    assert make_room(shelf, -1) == []


def test_notes_go_with_their_capture_and_no_link_is_removed(shelf: Path) -> None:
    (shelf / "a.mcpcap.notes").write_bytes(b"x")
    (shelf / "z.mcpcap").symlink_to(shelf / "b.mcpcap")
    assert remove(shelf / "a.mcpcap")
    assert not remove(shelf / "a.mcpcap")
    assert not remove(shelf / "z.mcpcap")
    assert {path.name for path in shelf.iterdir()} == {"b.mcpcap", "c.mcpcap", "z.mcpcap"}
