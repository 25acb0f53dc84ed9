"""The sample in this format is read whole, and nothing is made up."""

from pathlib import Path

from inspector.capture.import_.mcporter import READER
from tests.capture.import_.orchard import SESSION, connection, frames, imported, messages


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcporter.ndjson", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    assert b"_meta" not in b"".join(frame.payload for frame in frames(journal))
    assert told.passed_over == {"events of a transport's life": 1}
    assert connection(journal).argv == ("orchard",)
    journal.close()
