"""The exports of the official Inspector: its history, and its HTTP requests."""

from pathlib import Path

import pytest

from inspector.capture.import_.official import READER
from inspector.errors import CaptureError
from tests.capture.import_.orchard import BACK, OUT, SESSION, connection, imported, messages, read_text


def test_a_history_is_put_in_order(tmp_path: Path) -> None:
    journal, told = imported("inspector.json", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    assert connection(journal).transport == "memory", "nobody knows how it was carried"
    journal.close()


def test_requests_are_exchanges(tmp_path: Path) -> None:
    journal, told = imported("inspector-network.json", tmp_path)
    assert messages(journal) == [(OUT, "initialize"), (BACK, 1), (OUT, "tools/call"), (BACK, 2)]
    assert told.passed_over == {"requests of a login": 1}
    assert len(journal.http_exchanges) == 2
    assert b"planted-orchard-token" not in (tmp_path / "out.mcpcap").read_bytes()
    journal.close()


def test_other_arrays_are_refused(tmp_path: Path) -> None:
    for text in (b"[1, 2]", b"[]", b'[{"timestamp": 1}]', b'[["a"]]'):
        with pytest.raises(CaptureError, match="holds no message that can be read as an export of the official Insp"):
            read_text(tmp_path, "inspector", text)
