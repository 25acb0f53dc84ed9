"""Notes are kept in a separate file next to the capture. The file may have any content."""

import os
import stat
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.format import notes
from inspector.capture.format.notes import MOST_BYTES, Mark, Notes, NotesFile, View, new_mark, remove_notes
from inspector.errors import UsageError
from tests.capture.recording import recorded

HEAD = b'{"r":"head","format":"mcpcap-notes","v":"1.0","capture":"me"}\n'


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "x.mcpcap"
    recorded(path).close()
    return path


def beside(capture: Path, content: bytes) -> NotesFile:
    capture.with_name("x.mcpcap.notes").write_bytes(content)
    return NotesFile(capture, "me")


def test_notes_are_stored_beside_the_unchanged_capture(capture: Path) -> None:
    before = capture.read_bytes()
    file = NotesFile(capture, "me")
    assert file.read() == Notes()
    assert not (file.path and file.path.exists()), "reading makes none"
    file.change(lambda notes: notes.marked(7, new_mark(7, "red", "why so late? \ud800")))
    file.change(lambda notes: notes.marked(3, new_mark(3)))
    file.change(lambda notes: notes.with_view("slow", View("slow", "dur > 1s", ("time", "what"), tree=False)))
    file.change(lambda notes: msgspec.structs.replace(notes, reference=3, remark="the one from Tuesday"))
    found = NotesFile(capture, "me").read()
    assert [*found.marks] == [3, 7]
    assert (found.marks[7].color, found.marks[7].text) == ("red", "why so late? ?")
    assert (found.views[0].filter, found.reference, found.remark) == ("dur > 1s", 3, "the one from Tuesday")
    assert (found.trouble, found.others) == ("", ())
    assert capture.read_bytes() == before
    assert file.path is not None
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert sorted(found.name for found in capture.parent.iterdir() if found.is_file()) == ["x.mcpcap", "x.mcpcap.notes"]


def test_two_who_note_at_the_same_time_lose_nothing(capture: Path) -> None:
    one, other = NotesFile(capture, "me"), NotesFile(capture, "me")
    one.read(), other.read()
    one.change(lambda notes: notes.marked(1, new_mark(1)))
    other.change(lambda notes: notes.marked(2, new_mark(2)))
    assert [*one.read().marks] == [1, 2]
    one.change(lambda notes: notes.marked(1, None).with_view("none", None))
    assert [*other.read().marks] == [2]


def test_unknown_note_lines_are_counted_and_kept(capture: Path) -> None:
    later = b'{"r":"drawing","n":1}\n'
    broken = [b'{"r":"mark","n":0}\n', b'{"r":"mark","n":"x"}\n', b"\xff\xfe\n", b"[" * 5000 + b"\n", b"nonsense\n"]
    odd = b'{"r":"mark","n":5,"color":"plaid\\u001b[31m","text":"\\u001b[2Jhi","new":1}\n'
    file = beside(capture, HEAD + later + b"".join(broken) + odd)
    found = file.read()
    assert found.trouble == "5 lines of x.mcpcap.notes can't be read and stay there as they are."
    assert (found.marks[5].color, found.marks[5].text) == ("yellow", "\x1b[2Jhi")
    file.change(lambda notes: notes.marked(1, new_mark(1)))
    kept = (file.path or capture).read_bytes()
    assert all(line in kept for line in (later, *broken))
    assert [*file.read().marks] == [1, 5]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no head of notes"),
        (b'{"r":"mark","n":1}\n', "no head of notes"),
        (b'{"r":"head","format":"mcpcap","v":"1.0","tw":0,"tm":0}\n', "no head of notes"),
        (HEAD.replace(b"1.0", b"2.0"), "version '2.0'"),
        (HEAD.replace(b'"me"', b'"another"'), "of another capture"),
        (HEAD.replace(b'"capture"', b'"file":"../../etc/passwd","capture"'), "notes name no path"),
        (HEAD.replace(b'"capture"', b'"file":"..","capture"'), "notes name no path"),
    ],
)
def test_a_file_that_is_not_this_capture_s_is_left_alone(capture: Path, content: bytes, why: str) -> None:
    file = beside(capture, content)
    found = file.read()
    assert why in found.trouble
    assert found.foreign
    with pytest.raises(UsageError, match="not used") as raised:
        file.change(lambda notes: notes.marked(1, new_mark(1)))
    assert "left as it is" in raised.value.hint
    assert file.path is not None
    assert file.path.read_bytes() == content


def test_no_link_is_followed_neither_to_read_nor_to_write(capture: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(HEAD + b'{"r":"note","text":"private"}\n')
    capture.with_name("x.mcpcap.notes").symlink_to(secret)
    file = NotesFile(capture, "me")
    assert file.read().trouble == "The notes in x.mcpcap.notes are not read: it is a link, and links are not followed."
    with pytest.raises(UsageError):
        file.change(lambda notes: notes.marked(1, new_mark(1)))
    assert b"mark" not in secret.read_bytes()


def test_notes_in_special_or_large_files_are_not_read(capture: Path) -> None:
    place = capture.with_name("x.mcpcap.notes")
    os.mkfifo(place)
    assert "not an ordinary file" in NotesFile(capture, "me").read().trouble
    place.unlink()
    with place.open("wb") as large:
        large.truncate(MOST_BYTES + 1)
    assert "more than notes have" in NotesFile(capture, "me").read().trouble


def test_unwritable_notes_raise_with_a_hint(capture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageError, match="No space left") as raised:
        NotesFile(capture, "me").change(lambda notes: notes.marked(1, new_mark(1)))
    assert raised.value.hint
    assert [found.name for found in capture.parent.iterdir() if found.is_file()] == ["x.mcpcap"]


def test_without_a_file_notes_last_as_long_as_the_program() -> None:
    file = NotesFile(None, "me")
    file.change(lambda notes: notes.marked(1, Mark(1)))
    assert [*file.read().marks] == [1]


def test_notes_go_with_their_capture(capture: Path) -> None:
    remove_notes(capture)
    file = NotesFile(capture, "me")
    file.change(lambda notes: notes.marked(1, new_mark(1)))
    remove_notes(capture)
    assert file.path is not None
    assert not file.path.exists()


@given(st.binary(max_size=300))
def test_anything_can_stand_there(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    capture = tmp_path_factory.getbasetemp() / "any.mcpcap"
    capture.with_name("any.mcpcap.notes").write_bytes(HEAD + content)
    assert not NotesFile(capture, "me").read().foreign


def test_an_unchanged_file_is_parsed_once_and_a_changed_one_again(
    capture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []
    parse = notes._parsed

    def counted(data: bytes, capture_id: str, name: str) -> Notes:
        parsed.append(len(data))
        return parse(data, capture_id, name)

    monkeypatch.setattr(notes, "_parsed", counted)
    mine, theirs = NotesFile(capture, "me"), NotesFile(capture, "me")
    for n in range(1, 6):
        mine.change(lambda found, n=n: found.marked(n, new_mark(n)))  # type: ignore[misc]
    assert parsed == []
    theirs.change(lambda found: found.marked(9, new_mark(9)))
    assert set(mine.read().marks) == {1, 2, 3, 4, 5, 9}
    assert len(parsed) == 2
