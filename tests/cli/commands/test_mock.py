"""`mcp-inspect mock`, as it is started by hosts and by hand."""

import signal
from pathlib import Path

import pytest

from inspector.capture.format.verify import verify
from inspector.cli.commands import mock
from inspector.cli.exit_status import ExitStatus
from tests.cli.running import inspect
from tests.features.mock.making import HANDSHAKE, answer, call, record, request, text
from tests.stories.commands import started


def test_mock_help_names_every_fault() -> None:
    said = mock.command.help or ""
    assert [word for word in ("delay", "error", "cut", "malformed", "drop") if word not in said] == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nowhere.mcpcap",), "no such file"),
        ((), "lists recent captures"),
        (("{file}", "--speed", "0"), "invalid --speed"),
        (("{file}", "--fault", "explode"), "no fault can be read from it"),
        (("{file}", "--conn", "c7"), "no such connection"),
        (("{file}", "--http", "99999"), "not in the range"),
        (("{empty}",), "nothing to play"),
        (("{empty}",), "mcp-inspect call TOOL --capture FILE"),
        (("{text}",), "not a capture"),
    ],
)
def test_mock_of_an_unusable_capture_is_refused(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    places = {
        "file": str(record(tmp_path / "c.mcpcap", *HANDSHAKE)),
        "empty": str(record(tmp_path / "empty.mcpcap")),
        "text": str(tmp_path / "text"),
    }
    (tmp_path / "text").write_text("hello\n")
    ran = inspect("mock", *(word.format(**places) for word in words)).exits(ExitStatus.USAGE, says)
    assert ran.stdout == ""


async def test_strict_mock_reports_differences_by_exit_status(tmp_path: Path) -> None:
    path = record(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "echo", words="a"), "<", answer(1, text("a")))
    words = ("mock", str(path), "--no-delay", "--strict", "--capture", str(tmp_path / "own.mcpcap"))
    async with started(*words, place=tmp_path) as process:
        asked = request(5, "tools/call", {"name": "echo", "arguments": {"words": "b"}})
        out, err = await process.communicate(_lines(asked))
    assert process.returncode == ExitStatus.FINDINGS
    assert b'"text":"a"' in out.replace(b" ", b"")
    assert out.count(b"\n") == 1
    assert 'played is {"arguments":{"words":"a"},"name":"echo"}' in err.decode()
    assert (tmp_path / "own.mcpcap").read_text().count('"origin":"mock"') == 1


async def test_a_host_that_ends_it_by_a_signal_leaves_a_whole_recording(tmp_path: Path) -> None:
    path, own = record(tmp_path / "c.mcpcap", *HANDSHAKE), tmp_path / "own.mcpcap"
    async with started("mock", str(path), "--capture", str(own), place=tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(_lines(request(1, "tools/call", {"name": "unheard"}), request(2, "ping")))
        assert b'"code":-32603' in await process.stdout.readline()
        assert b'"result":{}' in await process.stdout.readline()
        process.terminate()
        _, err = await process.communicate()
    assert process.returncode == -signal.SIGTERM, "whoever sent it sees that it was obeyed"
    assert "once the client did something else" in err.decode()
    assert (verify(own).complete, verify(own).faults) == (True, ())


def _lines(*messages: object) -> bytes:
    import json

    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)
