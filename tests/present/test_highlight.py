"""Texts in the colours of their language: which language, and that no character changes."""

import pytest

from inspector.present.highlight import LONGEST_LINE, MOST_CHARACTERS, highlighted, language_of
from inspector.present.spans import plain


@pytest.mark.parametrize(
    ("mime_type", "name", "language"),
    [
        ("text/html; charset=utf-8", "", "html"),
        ("TEXT/CSS", "x.py", "css"),
        ("", "file:///a/b.py", "python"),
        ("text/plain", "file:///b.YML?x=1#y", "yaml"),
        ("", "file:///a.b/readme", ""),
        ("text/plain", "", ""),
        ("application/x-unknown", "x://y/z.nobody", ""),
    ],
)
def test_the_claim_comes_before_the_name(mime_type: str, name: str, language: str) -> None:
    assert language_of(mime_type, name) == language


def test_parts_carry_their_meaning_and_lines_stay_lines() -> None:
    lines = highlighted('# why\n\nx = "a" + 1\n', "text/x-python", "")
    assert lines is not None
    assert [plain(line) for line in lines] == ["# why", "", 'x = "a" + 1', ""]
    assert lines[0][0][1] == "faint"
    assert {role for _, role in lines[2]} >= {"string", "number", "punctuation"}


@pytest.mark.parametrize("text", ["", "\n", "<a b='c'>", "<<<>>>&;\n\n x", "a" * LONGEST_LINE])
@pytest.mark.parametrize("name", ["a.html", "a.py", "a.diff", "a.yaml", "a.toml", "a.sh", "a.rs"])
def test_no_character_is_lost(text: str, name: str) -> None:
    lines = highlighted(text, "", name)
    assert lines is not None
    assert "\n".join(map(plain, lines)) == text


def test_highlighted_skips_large_or_unknown_text() -> None:
    assert highlighted("x\n" * MOST_CHARACTERS, "", "a.py") is None
    assert highlighted("x" * (LONGEST_LINE + 1), "", "a.py") is None
    assert highlighted("x = 1", "text/plain", "a") is None
