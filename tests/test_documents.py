"""Whatever a file holds is a value, or one error that says why and where."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.documents import UnreadableDocument, read_json, read_toml, read_yaml

READERS: dict[str, Callable[[str], Any]] = {"json": read_json, "toml": read_toml, "yaml": read_yaml}


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("json", '{"a": 1,\n  "b" 2}', "line 2, column 7: expecting ':' delimiter"),
        ("json", "[" * 100_000, "nested too deeply"),
        ("json", "1" * 5000, "an integer has too many digits"),
        ("toml", "a = [" + "[" * 5000 + "]" * 5001, "nested too deeply"),
        ("toml", "a = " + "1" * 5000, "an integer has too many digits"),
        ("toml", "a = ", "a value is missing"),
        ("toml", "a = \nb = 1\n", "line 1, column 5: a value is missing"),
        ("toml", 'a = 1\nb = "x\nc = "y"\n', "line 2: a string has no closing quote on its line"),
        ("toml", 'a = """1"""\nb = """x\nc = "2"\n', "line 2: a string has no closing quote"),
        ("toml", "a = 1\na = 2\n", "line 2: a name that already has a value"),
        ("toml", "a = dark\n", "line 1, column 5: invalid value; text needs quotes"),
        ("yaml", "[" * 5000, "nested too deeply"),
        ("yaml", "a: " + "1" * 5000, "an integer has too many digits"),
        ("yaml", "a: 2026-02-31", " range"),
        ("yaml", "a: [1, 2\nb: 3", "line 2, column 2: "),
        ("yaml", "a: \0", "special characters are not allowed"),
        ("yaml", "a: &a [*a]", "aliases expand to more than 1,000,000 values, or refer to themselves"),
        (
            "yaml",
            "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10) if n else '1'}]\n" for n in range(9)),
            "aliases expand to more than 1,000,000 values",
        ),
    ],
)
def test_a_defect_is_one_error_with_its_place(kind: str, text: str, said: str) -> None:
    with pytest.raises(UnreadableDocument) as raised:
        READERS[kind](text)
    assert said in raised.value.placed
    assert "\n" not in raised.value.placed


def test_good_documents_are_read() -> None:
    assert read_json('{"a": [1.5, null]}') == {"a": [1.5, None]}
    assert read_toml("a = [1, 'x']") == {"a": [1, "x"]}
    assert read_yaml("a: &x [1]\nb: *x\nc: 2026-02-28") == {"a": [1], "b": [1], "c": read_yaml("2026-02-28")}


@pytest.mark.parametrize("kind", READERS)
@given(text=st.text(max_size=80))
def test_any_text_is_a_value_or_unreadable(kind: str, text: str) -> None:
    with suppress(UnreadableDocument):
        READERS[kind](text)
