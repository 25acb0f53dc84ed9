"""`mcp-inspect recover`: what was saved is said."""

from pathlib import Path

from tests.captures.record import sample
from tests.cli.running import inspect


def test_what_was_saved_is_said_in_words_and_in_numbers(tmp_path: Path) -> None:
    out = tmp_path / "y"
    ran = inspect("recover", str(sample("torn")), "-o", str(out))
    assert ran.status == 0
    assert "Line 18 is torn" in ran.stdout
    assert inspect("recover", str(sample("torn")), "-o", str(out)).status == 2
    data = inspect("recover", str(sample("torn")), "-o", str(out), "--force", "--json").data
    assert (data["records"], data["line"], data["torn"]) == (17, 18, True)
    whole = inspect("recover", str(sample("handshake")), "-o", str(tmp_path / "z"))
    assert "Nothing was wrong" in whole.stdout
