"""From a capture to the script."""

from pathlib import Path

from tests.replay.mock.making import answer, call, scripted, text


def test_without_an_opening_it_says_that_it_makes_one_up(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", ">", call(1, "echo"), "<", answer(1, text("hi")))
    assert "no opening was recorded" in script.notes[0]
    assert script.capabilities == {"tools": {}}
