"""From a capture to the script."""

from pathlib import Path

from tests.replay.mock.making import HANDSHAKE, answer, call, scripted, text


def test_a_capture_without_calls_is_played_and_says_what_to_do(tmp_path: Path) -> None:
    (note,) = scripted(tmp_path / "c.mcpcap", *HANDSHAKE).notes
    assert note.startswith("nothing but the opening was recorded")
    assert "mcp-inspect call TOOL --capture FILE -- COMMAND" in note


def test_without_an_opening_it_says_that_it_makes_one_up(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", ">", call(1, "echo"), "<", answer(1, text("hi")))
    assert "no opening was recorded" in script.notes[0]
    assert script.capabilities == {"tools": {}}
