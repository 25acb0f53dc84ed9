"""The sample in this format is read whole, and nothing is made up."""

from pathlib import Path

import pytest

from inspector.capture.import_.items import Directions
from inspector.capture.import_.readers import READERS
from inspector.capture.store.load import load
from inspector.errors import CaptureError
from inspector.features.export.http import lines
from tests.architecture.sources import ROOT
from tests.capture.import_.orchard import BACK, OUT, SESSION, connection, frames, imported, messages, read_text, stderr
from tests.captures.record import sample
from tests.features.export.staging import all_of


def test_cassette_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcp-cassette.jsonl", tmp_path)
    assert told.reader is READERS["mcp-cassette"]
    assert messages(journal) == SESSION
    assert connection(journal).argv == ("orchard-server",)
    assert frames(journal)[-1].payload == b"good night"
    assert told.passed_over == {"entries of another kind": 1}


def test_a_newer_cassette_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="version 3, and mcp-inspect reads versions up to 2"):
        read_text(tmp_path, "mcp-cassette", b'{"type":"header","cassetteVersion":3}\n{}\n')
    assert not (tmp_path / "out.mcpcap").exists()


def test_mcpsnoop_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcpsnoop.jsonl", tmp_path)
    assert told.reader is READERS["mcpsnoop"]
    assert messages(journal) == SESSION
    assert connection(journal).argv == ("orchard-server", "--trees", "9")
    assert connection(journal).cwd == "/srv/orchard"
    assert stderr(journal) == [b"warn: one worm"]
    assert frames(journal)[-1].payload == b"good night"
    assert frames(journal)[0].wall_ns % 10**9 == 250_123_456


def test_directions_are_worked_out_and_bytes_are_exact(tmp_path: Path) -> None:
    journal, told = imported("jsonrpc.txt", tmp_path)
    assert told.reader is READERS["jsonrpc"]
    assert messages(journal) == SESSION
    whole = ((ROOT / "tests") / "captures/foreign/jsonrpc.txt").read_bytes()
    assert b"".join(frame.payload + b"\n" for frame in frames(journal)) == whole


def test_exported_jsonrpc_imports_unchanged(tmp_path: Path) -> None:
    for name in ("lighthouse", "evening", "harbour", "handshake", "stateless"):
        before = load(sample(name))
        text = b"".join(lines(all_of(before)))
        after, _ = read_text(tmp_path, "jsonrpc", text)
        assert b"".join(lines(all_of(after))) == text, name
        assert messages(after) == messages(before), name
        before.close()
        after.close()


def test_bytes_that_are_no_message_are_kept(tmp_path: Path) -> None:
    journal, _ = read_text(tmp_path, "jsonrpc", b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"a"}\r\n\n\xff oops\n[{}')
    assert [frame.payload for frame in frames(journal)] == [b'{"jsonrpc":"2.0","method":"a"}', b"\xff oops", b"[{}"]


def test_claude_desktop_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("claude-desktop.log", tmp_path)
    assert told.reader is READERS["claude-desktop"]
    assert messages(journal) == SESSION
    assert stderr(journal) == [b"warn: one worm"]
    assert connection(journal).argv == ("orchard",)
    assert journal.ended is not None
    assert journal.ended.why == "Server transport closed"


def test_methods_and_open_requests_tell() -> None:
    directions = Directions()
    found = [
        directions.of(b'{"jsonrpc":"2.0",' + rest + b"}")
        for rest in (
            b'"id":1,"method":"tools/call"',
            b'"id":2,"method":"sampling/createMessage"',
            b'"id":2,"result":{}',
            b'"method":"notifications/progress"',
            b'"method":"notifications/cancelled","params":{"requestId":1}',
            b'"id":1,"error":{"code":1,"message":""}',
            b'"id":"1","result":{}',
            b'"id":null,"error":{}',
        )
    ]
    assert found == [OUT, BACK, OUT, BACK, OUT, BACK, BACK, BACK]
    assert directions.of(b"banner") is BACK


def test_the_server_s_own_request_is_cancelled_by_itself() -> None:
    directions = Directions()
    directions.of(b'{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}')
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
    assert directions.of(cancelled) is BACK


def test_vscode_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("vscode.log", tmp_path)
    assert told.reader is READERS["vscode"]
    assert messages(journal) == SESSION
    assert stderr(journal) == [b"warn: one worm"]
    assert connection(journal).argv == ("orchard-server", "--trees", "9")
    assert journal.ended is not None


def test_mcporter_the_recording_is_read_with_times_and_directions(tmp_path: Path) -> None:
    journal, found = imported("mcporter.ndjson", tmp_path)
    assert found.reader is READERS["mcporter"]
    assert messages(journal) == [
        (OUT, "initialize"),
        (BACK, 0),
        (OUT, "notifications/initialized"),
        (OUT, "tools/call"),
        (BACK, "roots/list"),
        (OUT, "roots-of-recorder"),
        (BACK, 1),
    ]
    first, *_, last = frames(journal)
    assert last.wall_ns - first.wall_ns == 1_218_000_000
    assert b"_meta" not in first.payload
    assert connection(journal).argv == ("s00",)
    assert journal.ended is not None


def test_mcporter_another_server_in_the_file_is_counted(tmp_path: Path) -> None:
    line = '{"jsonrpc":"2.0","method":"m","_meta":{"dir":"send","server":"%s","ts":"2026-11-28T16:00:00Z"}}\n'
    journal, found = read_text(tmp_path, "mcporter", (line % "a" + line % "b").encode())
    assert [frame.payload for frame in frames(journal)] == [b'{"jsonrpc":"2.0","method":"m"}']
    assert found.passed_over == {"messages of another server": 1}


def test_supergateway_the_log_is_read_with_directions(tmp_path: Path) -> None:
    journal, found = imported("supergateway.log", tmp_path)
    assert found.reader is READERS["supergateway"]
    assert messages(journal)[:2] == [(OUT, "initialize"), (BACK, 1)]
    assert messages(journal)[-1] == (BACK, 2)
    assert (OUT, "notifications/initialized") in messages(journal)
    assert connection(journal).argv == ("python3", "recorder.py", "case.json", "log.jsonl")


def test_supergateway_times_before_its_lines_are_read_and_what_is_no_json_is_counted(tmp_path: Path) -> None:
    text = (
        '2026-11-28T16:00:00.500Z [supergateway] SSE → Child (session 1): {"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        "2026-11-28T16:00:01.500Z [supergateway] Child → SSE: { jsonrpc: '2.0', id: 1, result: {} }\n"
        "2026-11-28T16:00:02.500Z [supergateway] Child stderr: one worm\n"
    )
    journal, found = read_text(tmp_path, "supergateway", text.encode())
    (frame,) = frames(journal)
    assert (frame.direction, frame.wall_ns % 10**9) == (OUT, 500_000_000)
    assert stderr(journal) == [b"one worm"]
    assert found.passed_over == {"messages that were not logged as JSON": 1}
