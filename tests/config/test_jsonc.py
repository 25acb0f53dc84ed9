"""JSON with comments and trailing commas; errors at the place where a person looks."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.jsonc import parse
from inspector.errors import UsageError

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ('["// no comment", "/* nor */ this", ",]"]', ["// no comment", "/* nor */ this", ",]"]),
        ('["a\\"// still", 1,]', ['a"// still', 1]),
        ("[1, // last\n]", [1]),
        ('\ufeff{"a": "http://h"}', {"a": "http://h"}),
    ],
)
def test_what_people_write_is_read(text: str, value: object) -> None:
    assert parse(text, "f") == value


@given(_JSON)
def test_plain_json_is_read_as_it_is(value: object) -> None:
    assert parse(json.dumps(value), "f") == value
    assert parse(json.dumps(value, indent=1, ensure_ascii=False), "f") == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1\n  // why\n  "b": 2}', "f:3:3"),
        ("/* not closed", "f:1:14"),
        ('{"a": "not closed\n}', "f:1:18"),
        ("", "f:1:1"),
        ("[1,,]", "f:1:5"),
    ],
)
def test_an_error_names_line_and_column_of_the_original(text: str, place: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(text, "f")
    assert str(refused.value).startswith(f"{place}: ")


def test_what_is_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(UsageError, match="nested too deeply"):
        parse("[" * 100_000, "f")
