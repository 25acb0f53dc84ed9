"""The connections of a capture, and which one is played."""

from pathlib import Path

import pytest

from inspector.capture.load import load
from inspector.errors import UsageError
from inspector.replay.mock.reading import read_script
from inspector.replay.mock.wires import wires
from tests.replay.mock.making import HANDSHAKE, record, request


def test_of_two_connections_one_is_chosen_by_name(tmp_path: Path) -> None:
    path = record(tmp_path / "c.mcpcap", *HANDSHAKE, "|", *HANDSHAKE, request(1, "tools/list"))
    journal = load(path)
    try:
        assert [wire.name for wire in wires(journal)] == ["c1", "c2"]
        with pytest.raises(UsageError, match="holds 2 connections") as caught:
            read_script(journal)
        assert "c1 (stdio made, 3 frames); c2 (stdio made, 4 frames)" in caught.value.hint
        assert len(read_script(journal, "c2").turns) == 3
        with pytest.raises(UsageError, match="c9: no such connection"):
            read_script(journal, "c9")
    finally:
        journal.close()


def test_where_no_client_speaks_there_is_nothing_to_play(tmp_path: Path) -> None:
    journal = load(record(tmp_path / "c.mcpcap", "<", b"listening"))
    try:
        with pytest.raises(UsageError, match="nothing to play"):
            read_script(journal)
    finally:
        journal.close()
