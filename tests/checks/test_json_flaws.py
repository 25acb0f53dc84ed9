"""What is wrong with text that should be JSON."""

import pytest

from inspector.checks.json_flaws import ENDS, flaw_of


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        (b'{"id":7d1e9f20-51aa}', "a value without quotes, or a missing comma at character 8, near"),
        (b'{"a": 1,}', "a comma precedes the closing bracket"),
        (b"{'a': 1}", "single quotes are used"),
        (b'{"a": None}', "None of Python is not a JSON value"),
        (b'{"a": undefined}', "undefined of JavaScript is not a JSON value"),
        (b'{"a": yes}', "the word yes without quotes is not a JSON value"),
        (b'{"a": "x\ny"}', "a control character is not escaped"),
        (b'{"a": "C:\\d"}', "a backslash begins no valid escape"),
        (b'{"a": 1} and more', "more text follows the value"),
        (b'{"a": {"b": 1}', ENDS),
        (b'{"a": "b', ENDS),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"a": [1, 2]}', ""),
        (b'{"a": "' + b"x" * (1 << 20), ""),
    ],
)
def test_flaw_is_named_with_its_place(text: bytes, flaw: str) -> None:
    assert flaw_of(text).startswith(flaw)
    assert bool(flaw_of(text)) is bool(flaw)
