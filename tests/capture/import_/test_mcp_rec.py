"""The sample in this format is read whole, and nothing is made up."""

from pathlib import Path

from inspector.capture.import_.mcp_rec import READER
from tests.capture.import_.orchard import SESSION, frames, imported, messages


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcp-rec.jsonl", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    assert frames(journal)[-1].payload == b"good night"
    assert frames(journal)[1].wall_ns - frames(journal)[0].wall_ns == 10**9
    journal.close()
