"""From a capture to the script."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.capture.load import load
from inspector.capture.records import Redaction
from inspector.replay.mock.reading import read_script
from tests.replay.mock.making import HANDSHAKE, answer, call, record, scripted, text


@pytest.mark.parametrize(("policy", "told"), [("credentials", 0), ("share", 1)])
def test_of_a_redacted_capture_it_says_that_holes_are_served(policy: str, told: int, tmp_path: Path) -> None:
    journal = load(record(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "echo")))
    journal.head = replace(journal.head, redaction=Redaction(policy, "share"))
    assert len(read_script(journal).notes) == told
    journal.close()


def test_a_capture_without_calls_is_played_and_says_what_to_do(tmp_path: Path) -> None:
    (note,) = scripted(tmp_path / "c.mcpcap", *HANDSHAKE).notes
    assert note.startswith("nothing but the opening was recorded")
    assert "mcp-inspect call TOOL --capture FILE -- COMMAND" in note


def test_without_an_opening_it_says_that_it_makes_one_up(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", ">", call(1, "echo"), "<", answer(1, text("hi")))
    assert "no opening was recorded" in script.notes[0]
    assert script.capabilities == {"tools": {}}
