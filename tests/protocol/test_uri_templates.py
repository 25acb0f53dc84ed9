"""URI templates: levels 1 to 4 of RFC 6570, what is left blank, and what can't be expanded."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.uri_templates import MOST_CHARACTERS, Variable, could_have_made, expand, take_apart


@pytest.mark.parametrize(
    ("template", "values", "uri"),
    [
        ("x://{a}", {"a": "b c"}, "x://b%20c"),
        ("x://{+a}", {"a": "b/c"}, "x://b/c"),
        ("x://y{#a}", {"a": "z"}, "x://y#z"),
        ("x://y{/a,b}", {"a": "1", "b": "2"}, "x://y/1/2"),
        ("x://y{.a}", {"a": "txt"}, "x://y.txt"),
        ("x://y{;a}", {"a": "1"}, "x://y;a=1"),
        ("x://y{?a,b}", {"a": "1", "b": "2"}, "x://y?a=1&b=2"),
        ("x://y?k=v{&a}", {"a": "1"}, "x://y?k=v&a=1"),
        ("x://{a:3}", {"a": "abcdef"}, "x://abc"),
        ("x://y{?a*}", {"a": ["1", "2"]}, "x://y?a=1&a=2"),
        ("x://y{?a*}", {"a": {"k": "v"}}, "x://y?k=v"),
        ("x://{a}", {"a": "ü"}, "x://%C3%BC"),
        ("x://{a}", {"a": 7}, "x://7"),
        ("x://{a}", {"a": True}, "x://true"),
        ("x://{a}", {"a": [1, {"b": None}]}, "x://1,%7B%22b%22%3Anull%7D"),
    ],
)
def test_each_level_expands(template: str, values: dict[str, Any], uri: str) -> None:
    assert expand(take_apart(template), values).uri == uri


def test_a_blank_optional_variable_drops_its_expression_and_an_empty_text_does_not() -> None:
    template = take_apart("tide://{day}{?unit,zone}")
    assert expand(template, {"day": "monday"}).uri == "tide://monday"
    assert expand(template, {"day": "monday", "zone": "UTC"}).uri == "tide://monday?zone=UTC"
    assert expand(template, {"day": "monday", "unit": ""}).uri == "tide://monday?unit="
    assert expand(template, {"day": "monday", "unit": None}).uri == "tide://monday"


def test_variables_come_once_each_and_say_what_they_take() -> None:
    assert take_apart("x://{a}/{+b:4}{?c*,a}").variables == (
        Variable("a", True),
        Variable("b", True, prefix=4),
        Variable("c", False, several=True),
    )


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("", "it is empty"),
        ("x://{a", "a brace in it is never closed"),
        ("x://a}", "a brace in it is never opened"),
        ("x://{{a}}", "a brace in it is never closed"),
        ("x://{}", "{} names no variable"),
        ("x://{?}", "{?} names no variable"),
        ("x://{=a}", "{=a} begins with '=', which RFC 6570 keeps for later"),
        ("x://{a,,b}", "'' in {a,,b} is no variable"),
        ("x://{a b}", "'a b' in {a b} is no variable"),
        ("x://{a:0}", "'a:0' in {a:0} is no variable"),
        ("x" * (MOST_CHARACTERS + 1), "it has more than 8,000 characters"),
    ],
)
def test_invalid_template_has_a_problem(template: str, why: str) -> None:
    taken = take_apart(template)
    assert taken.problem == why
    assert expand(taken, {"a": "b"}).problem == why


def test_a_name_that_is_none_is_noted_and_expanded_all_the_same() -> None:
    taken = take_apart("x://{user-id}")
    assert taken.note == "'user-id' is no variable name of RFC 6570"
    assert expand(taken, {"user-id": "7"}).uri == "x://7"


def test_unusable_template_value_has_a_problem() -> None:
    assert "must be a text" in expand(take_apart("x://{a:3}"), {"a": ["b"]}).problem
    assert "more than" in expand(take_apart("x://{a}"), {"a": "b" * (MOST_CHARACTERS + 1)}).problem
    assert expand(take_apart("{a}"), {}).problem == "it expands to nothing"


@pytest.mark.parametrize(
    ("uri", "could"),
    [
        ("t://monday/high", True),
        ("t://monday/high?unit=m", True),
        ("u://monday/high", False),
        ("t://monday", False),
        ("t:///high", True),
    ],
)
def test_a_uri_is_known_by_the_fixed_parts_of_its_template(uri: str, could: bool) -> None:
    assert could_have_made(take_apart("t://{day}/high{?unit}"), uri) is could


def test_a_template_without_variables_made_only_itself() -> None:
    assert could_have_made(take_apart("t://a"), "t://a")
    assert not could_have_made(take_apart("t://a"), "t://ab")
    assert not could_have_made(take_apart("t://{a"), "t://b")


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("notes://café/my docs/{name}", "notes://caf%C3%A9/my%20docs/a%20b"),
        ("notes://caf%C3%A9/{name}", "notes://caf%C3%A9/a%20b"),
        ("notes://100%/{name}", "notes://100%25/a%20b"),
        ("x://[::1]:80/a?b=c&d=(e)*~'!$;@#{name}", "x://[::1]:80/a?b=c&d=(e)*~'!$;@#a%20b"),
        ('x://"<>\\^`|{name}', "x://%22%3C%3E%5C%5E%60%7Ca%20b"),
        ("x://\ud800/{name}", "x://?/a%20b"),
    ],
)
def test_expand_encodes_what_a_literal_part_must_not_have(template: str, uri: str) -> None:
    taken = take_apart(template)
    assert expand(taken, {"name": "a b"}).uri == uri
    assert could_have_made(taken, uri)


@given(st.text(), st.dictionaries(st.text(), st.text() | st.lists(st.integers())))
def test_nothing_raises_and_what_expands_is_known_again(template: str, values: dict[str, Any]) -> None:
    taken = take_apart(template)
    found = expand(taken, values)
    assert bool(found.uri) != bool(found.problem)


@given(st.text(alphabet="ab/", min_size=1), st.text(alphabet="xy/"))
def test_an_expansion_could_have_been_made_by_its_template(a: str, b: str) -> None:
    taken = take_apart("t://{+a}/-/{b}.txt")
    assert could_have_made(taken, expand(taken, {"a": a, "b": b}).uri)
