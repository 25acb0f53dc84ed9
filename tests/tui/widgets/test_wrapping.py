"""Long words break after separators."""

import pytest
from rich.console import Console

from inspector.tui.widgets.wrapping import SeparatedText


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        ("/usr/local/bin:/usr/bin:/bin:/opt/tool", ["/usr/local/bin:", "/usr/bin:/bin:", "/opt/tool"]),
        ("https://example.com/mcp?key=1", ["https://example.com/", "mcp?key=1"]),
        ("two words and aVeryLongNameOfAFile", ["two words and", "aVeryLongNameOfAFile"]),
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
        ("数" * 15, ["数" * 10, "数" * 5]),
        ("", [""]),
    ],
)
def test_long_value_breaks_at_spaces_and_after_separators(value: str, rows: list[str]) -> None:
    console = Console(width=20)
    assert [line.plain for line in SeparatedText(value).wrap(console, 20)] == rows
