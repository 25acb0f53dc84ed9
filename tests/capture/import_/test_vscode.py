"""The sample in this format is read whole, and nothing is made up."""

from pathlib import Path

from inspector.capture.import_.vscode import READER
from tests.capture.import_.orchard import SESSION, connection, imported, messages, stderr


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("vscode.log", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    assert stderr(journal) == [b"warn: one worm"]
    assert connection(journal).argv == ("orchard-server", "--trees", "9")
    assert journal.ended is not None
    journal.close()
