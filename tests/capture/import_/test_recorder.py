"""A cassette of mcp-recorder: pairs, one after the other."""

import json
from pathlib import Path

import pytest

from inspector.capture.import_.recorder import READER
from inspector.errors import CaptureError
from tests.capture.import_.orchard import BACK, OUT, connection, frames, imported, messages, read_text


def test_pairs_are_read_with_how_long_they_took(tmp_path: Path) -> None:
    journal, told = imported("mcp-recorder.json", tmp_path)
    assert told.reader is READER
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
