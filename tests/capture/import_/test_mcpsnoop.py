"""The sample in this format is read whole, and nothing is made up."""

from pathlib import Path

from inspector.capture.import_.mcpsnoop import READER
from tests.capture.import_.orchard import SESSION, connection, frames, imported, messages, stderr


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcpsnoop.jsonl", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    assert connection(journal).argv == ("orchard-server", "--trees", "9")
    assert connection(journal).cwd == "/srv/orchard"
    assert stderr(journal) == [b"warn: one worm"]
    assert frames(journal)[-1].payload == b"good night"
    assert frames(journal)[0].wall_ns % 10**9 == 250_123_456
    journal.close()
