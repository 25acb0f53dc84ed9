"""The words beside a field."""

import pytest

from inspector.forms.sentences import LONGEST_QUOTE, kind_name, quote, sentence


@pytest.mark.parametrize(
    ("keyword", "asked", "got", "words"),
    [
        ("type", "integer", "x", "must be an integer, and is a string"),
        ("type", "integer", 1.5, "must be an integer, without a fraction"),
        ("type", ["string", "null"], 5, "must be a string or null, and is a number"),
        ("enum", ["a", None], "x", "is not one of: a, null"),
        ("enum", list(range(20)), "x", "is not one of: 0, 1, 2, 3, 4, 5, 6, 7 and 12 more"),
        ("minLength", 3, "ab", "must have at least 3 characters, and has 2"),
        ("maxItems", 1, [1, 2], "must have at most 1 item, and has 2"),
        ("exclusiveMinimum", 0, 0, "must be more than 0"),
        ("const", {"a": 1}, 1, "must be an object with 1 member"),
        ("not", {}, 1, "is what the schema says it must not be"),
        ("someday", 5, 1, "does not satisfy someday: 5"),
        ("", None, 1, "is not allowed here"),
    ],
)
def test_each_keyword_has_its_sentence(keyword: str, asked: object, got: object, words: str) -> None:
    assert sentence(keyword, asked, got) == words


def test_a_quote_is_short_whatever_is_quoted() -> None:
    assert len(quote("x" * 1_000_000)) == LONGEST_QUOTE + 1
    assert quote(list(range(100))) == "a list of 100 items"
    assert quote([[1], {}]) == "a list of 2 items"
    assert quote([1, "a"]) == '[1, "a"]'
    assert quote({}) == "an object with 0 members"


def test_every_kind_has_a_name() -> None:
    values: tuple[object, ...] = ("x", 1, 1.5, True, False, None, [], {})
    names = [kind_name(each) for each in values]
    assert names == ["a string", "a number", "a number", "true", "false", "null", "an array", "an object"]
