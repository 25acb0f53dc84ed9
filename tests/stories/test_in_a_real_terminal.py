"""The program in a terminal of its own: start, look, press keys, quit."""

import os
import signal
import sys
from pathlib import Path

import pytest

from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.cli.exit_status import ExitStatus
from inspector.protocol.facts import ProcessFact
from tests.captures.record import sample
from tests.servers.acts import leaks
from tests.servers.real import ROOT, argv
from tests.stories.commands import PROGRAM
from tests.stories.terminals import Window, lives, written_by
from tests.waiting import PATIENCE_S, until_sync


def captures(place: Path) -> list[Path]:
    """The captures on the shelf of this home."""
    return sorted((place / "mcp-inspect").rglob("*.mcpcap"))


def child_in(capture: Path) -> int:
    """The number of the server's process, as the capture tells it."""
    journal = load(capture)
    (first, *_) = [entry.what for entry in journal.processes]
    journal.close()
    assert isinstance(first, ProcessFact)
    return first.pid


@pytest.mark.real
def test_start_look_and_quit_leave_a_capture_and_no_child(tmp_path: Path) -> None:
    with Window(("--", *argv("everything")), tmp_path) as window:
        window.until(b"tools/list")
        window.press(b"2")
        window.until(b"get-sum")
        window.press(b"1")
        window.until(b"prompts/list")
        window.press(b"q")
        assert window.ended(PATIENCE_S)
        assert window.status == ExitStatus.OK
    (capture,) = captures(tmp_path)
    assert verify(capture).complete
    assert not lives(child_in(capture))
    assert f"mcp-inspect replay {capture}".encode() in window.written
    with Window(("replay", str(capture)), tmp_path) as window:
        window.until(b"tools/list")
        window.press(b"q")
        assert window.ended(PATIENCE_S)
        assert window.status == ExitStatus.OK
    assert captures(tmp_path) == [capture]


@pytest.mark.real
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_however_it_is_ended_no_child_is_left_and_what_happened_is_kept(how: signal.Signals, tmp_path: Path) -> None:
    with Window(("--", *argv("everything")), tmp_path) as window:
        window.until(b"prompts/list")
        (capture,) = captures(tmp_path)
        child = child_in(capture)
        assert lives(child)
        os.kill(window.pid, how)
        assert window.ended(PATIENCE_S)
        assert window.status == -how
    journal = load(capture)
    assert "prompts/list" in [each.method for each in journal.conversation.exchanges]
    journal.close()
    assert verify(capture).complete == (how is not signal.SIGKILL)


@pytest.mark.parametrize("shell", [(), ("sh", "-c", "trap '' HUP; \"$@\"; true", "sh")], ids=["", "signal ignored"])
def test_a_terminal_that_goes_away_takes_the_server_with_it(shell: tuple[str, ...], tmp_path: Path) -> None:
    server = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-S", "-m", "tests.servers.failing", "stubborn")
    window = Window(server, tmp_path, program=(*shell, *PROGRAM))
    window.until(b"tools/list")
    (capture,) = captures(tmp_path)
    child = child_in(capture)
    os.close(window._fd)
    until_sync(lambda: not lives(child), "the server has ended")
    os.waitpid(window.pid, 0)
    assert not list(tmp_path.rglob("errors.log")), "it is no error of the program"
    journal = load(capture)
    assert [each.method for each in journal.conversation.exchanges][-1] == "tools/list"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", b"\xe2\x9c\x97"),
        (b"\x1b]0;STOLEN\x07\x1b[38;5;199m", b"\xe2\x9c\x97"),
        (b'{"log":{"version":"1.2","creator":{"name":"\x9b"}}}\n', b"\xe2\x9c\x97"),
        (b'{"r":"head","format":"mcpcap","v":"9.0\\u001b]0;STOLEN\\u0007"}\n', b"9.0"),
        (bytes(range(256)) * 100, b"\xe2\x9c\x97"),
    ],
    ids=["empty", "acting", "HAR", "newer", "bytes"],
)
def test_other_file_is_refused_in_a_sentence(content: bytes, said: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign.mcpcap"
    path.write_bytes(content)
    status, written = written_by(("replay", str(path)), tmp_path)
    assert status == ExitStatus.USAGE
    assert said in written
    assert b"Traceback" not in written
    assert not leaks(written)


def test_torn_capture_is_shown_with_a_notice(tmp_path: Path) -> None:
    whole = sample("handshake").read_bytes()
    path = tmp_path / "torn.mcpcap"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with Window(("replay", str(path)), tmp_path) as window:
        window.until(b"The last line of the capture is incomplete")
        window.press(b"6")
        window.until(b"[6 Tasks]")
        window.press(b"q")
        assert window.ended(PATIENCE_S)
    assert window.status == ExitStatus.OK


def test_keys_typed_behind_the_choice_of_a_server_reach_its_session(tmp_path: Path) -> None:
    with Window((), tmp_path) as window:
        window.until(b"Demo server")
        window.press(b"\x1b[B")
        window.until_still()
        window.press(b"\r2")
        window.until(b"[2 Tools")
        window.press(b"q")
        assert window.ended(PATIENCE_S)
        assert window.status == ExitStatus.OK
