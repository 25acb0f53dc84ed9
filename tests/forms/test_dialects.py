"""Which JSON Schema it is."""

from typing import Any

import pytest

from inspector.forms.dialects import TooLarge, dialect_of, mentions, without_dialects
from inspector.forms.patterns import SCHEMA


@pytest.mark.parametrize(
    ("schema", "hint", "dialect"),
    [
        ({}, "", "2020-12"),
        ({}, "draft-07", "draft-07"),
        ({}, "http://json-schema.org/draft-07/schema#", "draft-07"),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, "draft-07", "2020-12"),
        ({"$schema": "http://json-schema.org/draft-07/schema"}, "", "draft-07"),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema#"}, "", "2019-09"),
        ({"$schema": "urn:mine"}, "", None),
        ({"$schema": 5}, "", None),
        ({}, "draft-99", None),
    ],
)
def test_the_schemas_own_word_goes_before_the_hint(schema: dict[str, object], hint: str, dialect: str | None) -> None:
    assert dialect_of(schema, hint) == dialect


def test_a_copy_has_no_dialects_but_keeps_data_and_properties_of_that_name() -> None:
    schema = {
        "$schema": "urn:a",
        "const": [{"$schema": "urn:b"}],
        "properties": {"$schema": {"type": "string", "$schema": "urn:c"}},
    }
    assert without_dialects(schema) == {"const": [{"$schema": "urn:b"}], "properties": {"$schema": {"type": "string"}}}


def test_a_schema_that_is_too_large_or_too_deep_is_refused() -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"items": deep}
    wide: Any = {"items": [{}] * (SCHEMA + 1)}
    for huge in (deep, wide):
        with pytest.raises(TooLarge):
            without_dialects(huge)


def test_mentions_finds_nested_keywords() -> None:
    assert mentions({"a": [{"b": 1}]}, "b")
    assert not mentions({"a": ["b"]}, "b")
