"""The sample in this format is read whole, and nothing is made up."""

from pathlib import Path

import pytest

from inspector.capture.import_.cassette import READER
from inspector.errors import CaptureError
from tests.capture.import_.orchard import SESSION, connection, frames, imported, messages, read_text


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("mcp-cassette.jsonl", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    assert connection(journal).argv == ("orchard-server",)
    assert frames(journal)[-1].payload == b"good night"
    assert told.passed_over == {"entries of another kind": 1}
    journal.close()


def test_a_newer_cassette_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="version 3, and this program reads up to 2"):
        read_text(tmp_path, "mcp-cassette", b'{"type":"header","cassetteVersion":3}\n{}\n')
    assert not (tmp_path / "out.mcpcap").exists()
