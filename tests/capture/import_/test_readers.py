"""The sample in this format is read whole, and nothing is made up."""

import json
from pathlib import Path

import pytest

from inspector.capture.import_.readers import CASSETTE, MCP_REC, MCPORTER, MCPSNOOP, PLAIN, RECORDER
from inspector.capture.store.load import load
from inspector.errors import CaptureError
from inspector.features.export.http import lines
from tests.architecture.sources import ROOT
from tests.capture.import_.orchard import BACK, OUT, SESSION, connection, frames, imported, messages, read_text, stderr
from tests.captures.record import sample
from tests.features.export.staging import all_of


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcp-cassette.jsonl", tmp_path)
    assert told.reader is CASSETTE
    assert messages(journal) == SESSION
    assert connection(journal).argv == ("orchard-server",)
    assert frames(journal)[-1].payload == b"good night"
    assert told.passed_over == {"entries of another kind": 1}
    journal.close()


def test_a_newer_cassette_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="version 3, and this program reads up to 2"):
        read_text(tmp_path, "mcp-cassette", b'{"type":"header","cassetteVersion":3}\n{}\n')
    assert not (tmp_path / "out.mcpcap").exists()


def test_mcp_rec_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcp-rec.jsonl", tmp_path)
    assert told.reader is MCP_REC
    assert messages(journal) == SESSION
    assert frames(journal)[-1].payload == b"good night"
    assert frames(journal)[1].wall_ns - frames(journal)[0].wall_ns == 10**9
    journal.close()


def test_mcporter_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcporter.ndjson", tmp_path)
    assert told.reader is MCPORTER
    assert messages(journal) == SESSION
    assert b"_meta" not in b"".join(frame.payload for frame in frames(journal))
    assert told.passed_over == {"events of a transport's life": 1}
    assert connection(journal).argv == ("orchard",)
    journal.close()


def test_mcpsnoop_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcpsnoop.jsonl", tmp_path)
    assert told.reader is MCPSNOOP
    assert messages(journal) == SESSION
    assert connection(journal).argv == ("orchard-server", "--trees", "9")
    assert connection(journal).cwd == "/srv/orchard"
    assert stderr(journal) == [b"warn: one worm"]
    assert frames(journal)[-1].payload == b"good night"
    assert frames(journal)[0].wall_ns % 10**9 == 250_123_456
    journal.close()


def test_directions_are_worked_out_and_bytes_are_exact(tmp_path: Path) -> None:
    journal, told = imported("jsonrpc.txt", tmp_path)
    assert told.reader is PLAIN
    assert messages(journal) == SESSION
    whole = ((ROOT / "tests") / "captures/foreign/jsonrpc.txt").read_bytes()
    assert b"".join(frame.payload + b"\n" for frame in frames(journal)) == whole
    journal.close()


def test_what_was_exported_comes_back_the_same(tmp_path: Path) -> None:
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
    journal.close()


def test_pairs_are_read_with_how_long_they_took(tmp_path: Path) -> None:
    journal, told = imported("mcp-recorder.json", tmp_path)
    assert told.reader is RECORDER
    calls = [(OUT, "initialize"), (BACK, 1), (OUT, "notifications/initialized"), (OUT, "tools/call"), (BACK, 2)]
    assert messages(journal) == calls
    times = [frame.time_ns for frame in frames(journal)]
    assert times[1] - times[0] == 40_000_000
    assert connection(journal).url == "http://localhost:9009/mcp"
    assert sum(told.passed_over.values()) == 1
    journal.close()


def test_one_that_is_torn_before_the_first_interaction_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"Passed over: ends of the file, which was cut off \(1\)"):
        read_text(tmp_path, "mcp-recorder", b'{"version": "1.0", "interactions": [{"type')


def test_times_stay_within_what_a_capture_holds(tmp_path: Path) -> None:
    pair = {
        "request": {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        "response": {"jsonrpc": "2.0", "id": 1, "result": {}},
    }
    step = {"type": "jsonrpc_request", **pair, "latency_ms": 1e300}
    document = {"version": "1.0", "metadata": {"recorded_at": "2100-01-01T00:00:00Z"}, "interactions": [step] * 6_000}
    file = tmp_path / "long.json"
    file.write_text(json.dumps(document))
    journal, _ = imported(file, tmp_path)
    assert len(messages(journal)) == 12_000
    journal.close()
