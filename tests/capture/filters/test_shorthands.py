"""What may be typed for short is shown in full."""

import pytest

from inspector.capture.filters.normal import describe
from inspector.capture.filters.parse import parse
from inspector.capture.filters.shorthands import shorthand
from inspector.errors import FilterError


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("m:tools/call", 'method contains "tools/call"'),
        ("t:search", 'tool contains "search"'),
        ('t:"a b"', 'tool contains "a b"'),
        ("-kind:notification", "not kind == notification"),
        (">500ms", "dur > 500ms"),
        (">10k", "size > 10k"),
        ("is:pending", "pending"),
        ("is:stderr", "kind == stderr"),
        ("is:error", "failed"),
        ("error", "failed"),
        ("not error", "not failed"),
        ('"error"', '"error"'),
        ("error.code", "error.code"),
        ("resp.error", "resp.error"),
        ("larger-than:10k", "size > 10k"),
        ("slower-than:2s", "dur > 2s"),
        ("error.code:-32602", "error.code == -32602"),
        ("status:late", "status == late"),
        ("foo bar", '"foo" and "bar"'),
    ],
)
def test_a_shorthand_is_expanded(short: str, full: str) -> None:
    assert describe(parse(short)) == full


def test_what_is_no_shorthand_is_text() -> None:
    assert shorthand("http") is None
    assert [describe(parse(text)) for text in ("http://x", "urn:isbn:1", "12:30")] == [
        '"http://x"',
        '"urn:isbn:1"',
        '"12:30"',
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tol:x", "did you mean tool"),
        ("is:purple", "is: goes with"),
        ("m:", "a value is expected"),
        (">5", "needs a unit"),
        ("kind:purple", "kind is one of"),
    ],
)
def test_a_wrong_shorthand_is_told(text: str, said: str) -> None:
    with pytest.raises(FilterError, match=said):
        parse(text)
