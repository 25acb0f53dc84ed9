"""The program in a terminal of its own: start, look, press keys, quit. And no byte of a server's that acts on it."""

import os
import signal
import sys
from pathlib import Path

import pytest

from inspector.capture.load import load
from inspector.capture.verify import verify
from inspector.cli.exit_status import ExitStatus
from inspector.protocol.facts import ProcessFact
from tests.captures.record import sample
from tests.servers.hostile import MARKUP
from tests.servers.real import ROOT, argv
from tests.stories.terminals import Window, lives, written_by

HOSTILE = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-S", "-m", "tests.servers.hostile")
ACTING = (
    *(b"\x1b]0;", b"\x1b]52;", b"\x1b[38;5;199m", b"\x1b[3J", b"\x1bP+q544e"),
    *("\x9b".encode(), "\x9d".encode(), "\u202e".encode(), "\u2066".encode(), "\ufeff".encode(), "\u200b".encode()),
    *(b"\x08", b"\x7f", b"\x00", b"\x0b", b"\x0c"),
)
"""What the hostile server sends and no terminal may get."""


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
        assert window.ended(10)
        assert window.status == ExitStatus.OK
    (capture,) = captures(tmp_path)
    assert verify(capture).complete
    assert not lives(child_in(capture))
    assert f"mcp-inspect replay {capture}".encode() in window.written
    with Window(("replay", str(capture)), tmp_path) as window:
        window.until(b"tools/list")
        window.press(b"q")
        assert window.ended(10)
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
        assert window.ended(10)
        assert window.status == -how
    journal = load(capture)
    assert "prompts/list" in [each.method for each in journal.conversation.exchanges]
    journal.close()
    assert verify(capture).complete == (how is not signal.SIGKILL)


def test_a_terminal_that_goes_away_takes_the_server_with_it(tmp_path: Path) -> None:
    server = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-S", "-m", "tests.servers.failing", "stubborn")
    window = Window(server, tmp_path)
    window.until(b"tools/list")
    (capture,) = captures(tmp_path)
    child = child_in(capture)
    os.close(window._fd)
    os.waitpid(window.pid, 0)
    assert not lives(child)
    journal = load(capture)
    assert [each.method for each in journal.conversation.exchanges][-1] == "tools/list"
    journal.close()


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
def test_what_is_no_capture_is_refused_in_a_sentence(content: bytes, said: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign.mcpcap"
    path.write_bytes(content)
    status, written = written_by(("replay", str(path)), tmp_path)
    assert status == ExitStatus.USAGE
    assert said in written
    assert b"Traceback" not in written
    assert [each for each in ACTING if each in written] == []


def test_a_torn_capture_shows_what_there_is_and_says_so(tmp_path: Path) -> None:
    whole = sample("handshake").read_bytes()
    path = tmp_path / "torn.mcpcap"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with Window(("replay", str(path)), tmp_path) as window:
        window.until(b"tools/list")
        window.press(b"6")
        window.until(b"torn")
        window.press(b"q")
        assert window.ended(10)
    assert window.status == ExitStatus.OK


@pytest.mark.parametrize(
    "words",
    [
        ("info",),
        ("list", "all"),
        ("call", "plain", "-a", "a=b"),
        ("call", "fails"),
        ("call", "refuses"),
        ("call", "no-such-tool"),
        ("read", "x://y"),
        ("prompt", "p"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_no_command_lets_a_servers_text_act_on_the_terminal(
    words: tuple[str, ...], form: tuple[str, ...], tmp_path: Path
) -> None:
    status, written = written_by((*words, *form, *HOSTILE), tmp_path)
    assert status in (ExitStatus.OK, ExitStatus.TOOL_ERROR)
    assert b"STOLEN" in written
    assert [each for each in ACTING if each in written] == []


def test_the_interface_lets_no_text_of_a_server_act_on_the_terminal(tmp_path: Path) -> None:
    steps = (
        *(
            (b"2", b"tool "),
            (b"\r", b"Call"),
            (b"\n", b"Succeeded"),
            (b"\x1b", b""),
            (b"]", b""),
            (b"]", b""),
            (b"h", b""),
        ),
        *((b"6", b"pid"), (b"G", b""), (b"1", b"tools/call"), (b"T", b""), (b"g", b""), (b"G", b"")),
        *((b"\r", b""), (b"]", b""), (b"]", b""), (b"[", b""), (b"\x1b", b""), (b"?", b"Everywhere"), (b"\x1b", b"")),
    )
    with Window(HOSTILE, tmp_path) as window:
        window.until(b"prompts/list")
        for keys, text in steps:
            window.press(keys)
            window.until(text) if text else window.until_still()
        window.press(b"q")
        assert window.ended(10)
    assert window.status == ExitStatus.OK
    assert b"STOLEN" in window.written
    assert MARKUP[:10].encode() in window.written
    assert [each for each in ACTING if each in window.written] == []
