"""Keys and values are found in JSON as it stands, whole or not, and known as secret by what stands around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.sharing.json_spans import Level, path_of, spans, unquoted
from inspector.protocol.credentials import is_secret


def secrets(text: str) -> list[tuple[str, str]]:
    """What is secret, with its path."""
    levels: list[Level] = []
    return [
        (".".join(path_of(levels)), text[span.start : span.end])
        for span in spans(text, 0, is_secret, levels)
        if span.is_secret
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a":{"password" : "x", "b":"y"}}', [("a.password", '"x"')]),
        ('[{"token":["x",{"n":1}],"z":2}]', [("0.token.0", '"x"'), ("0.token.1.n", "1")]),
        ('{"p\\u0061ssword":"x"}', [("password", '"x"')]),
        ('{"password":"x', [("password", '"x')]),
        ('{"password":true,"secret":null}', []),
        ('{"properties":{"token":{"type":"string","default":"x"}}}', [("properties.token.default", '"x"')]),
        ('{"env":[{"name":"API_KEY","value":"x"},{"name":"A","value":"y"}]}', [("env.0.value", '"x"')]),
        ('}}]{"secret":"x"}', [("secret", '"x"')]),
        ('{"id":1}', []),
    ],
)
def test_what_is_secret_by_its_name(text: str, found: list[tuple[str, str]]) -> None:
    assert secrets(text) == found


@pytest.mark.parametrize(
    ("literal", "text"), [('"a"', "a"), ('"a\\n"', "a\n"), ('"a', "a"), ('"\\x"', "\\x"), ('"', ""), ('"\\', "\\")]
)
def test_a_string_is_read_as_far_as_it_can_be(literal: str, text: str) -> None:
    assert unquoted(literal) == text


@given(st.text(alphabet='{}[]",:\\a1 tokenpassword\n', max_size=60))
def test_spans_stand_in_order_whatever_comes(text: str) -> None:
    at = 0
    for span in spans(text, 0, is_secret, []):
        assert at <= span.start < span.end <= len(text)
        at = span.end


def test_depth_has_no_end() -> None:
    assert len(list(spans("[" * 100_000 + "1", 0, is_secret, []))) == 1
