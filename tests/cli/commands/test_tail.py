"""`mcp-inspect tail`: the traffic of captures and of servers, line by line."""

import json
import threading
from pathlib import Path

import pytest

from inspector.capture.format.notes import NotesFile, new_mark
from inspector.capture.journal import start_capture
from inspector.capture.open import Following
from inspector.cli.exit_status import ExitStatus
from inspector.protocol.frames import Channel, Direction
from tests.architecture.sources import ROOT
from tests.cli.running import inspect, server
from tests.waiting import until_sync

HARBOUR = str(ROOT / "tests" / "captures" / "harbour.mcpcap")


def test_tail_prints_matching_entries_as_text() -> None:
    ran = inspect("tail", HARBOUR, "is:error").exits(ExitStatus.OK)
    assert [line.split()[0] for line in ran.stdout.splitlines()] == ["46", "48", "51", "53"]  # with their requests
    assert ["-32602" in line for line in ran.stdout.splitlines()] == [False, True, False, True]
    assert "\x1b" not in ran.stdout


def test_each_line_of_jsonl_is_an_object_of_its_own() -> None:
    ran = inspect("tail", "--jsonl", "-n", "1", HARBOUR, "resp.error.code == -32602 and kind == request")
    assert ran.status == ExitStatus.OK
    (row,) = map(json.loads, ran.stdout.splitlines())
    assert (row["n"], row["target"], row["message"]["method"]) == (51, "there_is_no_such_tool", "tools/call")


def test_marks_beside_the_capture_can_be_filtered_by(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    path.write_bytes(Path(HARBOUR).read_bytes())
    NotesFile(path, "").change(lambda notes: notes.marked(7, new_mark(7, "red", "odd")))
    ran = inspect("tail", str(path), "mark == red and comment contains od")
    assert [line.split()[0] for line in ran.stdout.splitlines()] == ["7"]


def test_without_a_filter_all_is_printed_also_on_a_terminal() -> None:
    ran = inspect("tail", HARBOUR, "--jsonl", terminal=True)
    assert [json.loads(line)["n"] for line in ran.stdout.splitlines()] == list(range(1, 56))


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((HARBOUR, "tol == 3"), "did you mean `tool`"),
        ((HARBOUR, "(a"), "unclosed `(`"),
        ((HARBOUR, "a", "b"), "unexpected argument"),
        ((HARBOUR, "--color", "pink when a"), "invalid --color"),
        (("no-such.mcpcap",), "can't be opened"),
        ((__file__,), "not a capture"),
        ((), "nothing to tail"),
    ],
)
def test_tail_with_wrong_arguments_is_refused(argv: tuple[str, ...], said: str) -> None:
    ran = inspect("tail", *argv)
    assert (ran.status, ran.stdout) == (ExitStatus.USAGE, "")
    assert said in ran.stderr


def test_a_capture_that_grows_is_followed_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.mcpcap"
    journal = start_capture(path)
    journal.frame(Direction.FROM_SERVER, Channel.STDOUT, b"one")
    go_on = threading.Event()

    def write_on() -> None:
        go_on.wait(10)
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, b"two")
        journal.close()

    follow = Following.follow

    def followed(following: Following, most: int | None = None) -> bool:
        go_on.set()
        return follow(following, most)

    monkeypatch.setattr(Following, "follow", followed)
    writer = threading.Thread(target=write_on)
    until_sync(lambda: b"one" in path.read_bytes(), "the first frame is in the file")
    writer.start()
    ran = inspect("tail", "--follow", "--jsonl", str(path), "text ~ ^t")
    writer.join()
    assert [json.loads(line)["text"] for line in ran.stdout.splitlines()] == ["two"]
    assert "the recording has ended" in ran.stderr


def test_following_a_capture_that_was_cut_names_that_instead_of_an_end(tmp_path: Path) -> None:
    path = tmp_path / "cut.mcpcap"
    path.write_bytes(Path(HARBOUR).read_bytes()[:-300])
    ran = inspect("tail", "--follow", "-n", "1", str(path))
    assert [part in ran.stderr for part in ("ended", "The capture has no end", "incomplete")] == [False, True, True]


def test_the_traffic_of_a_server_is_printed_until_it_ends() -> None:
    ran = inspect("tail", "--jsonl", "kind in {request, stderr}", *server("dies"))
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert "cannot go on" in [row.get("text") for row in rows]
    assert ran.status == ExitStatus.UNREACHABLE
