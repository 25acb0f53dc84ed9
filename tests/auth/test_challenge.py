"""What a refusal says about how to get in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.auth.challenge import bearer, parse_challenges


def test_a_challenge_tells_scopes_metadata_and_error() -> None:
    value = 'Bearer realm="x", error="insufficient_scope", scope="a b", resource_metadata="https://x.example/m"'
    (found,) = parse_challenges([value])
    assert (found.scheme, found.scopes, found.error) == ("bearer", ("a", "b"), "insufficient_scope")
    assert found.metadata == "https://x.example/m"


@pytest.mark.parametrize(
    "values",
    [
        ['Basic realm="files", Bearer scope=a'],
        ['Basic realm="files"', "bearer scope=a"],
        ["Negotiate YII==, BEARER scope=a"],
        ['Digest qop="auth, int", nonce="\\"q\\"", Bearer scope=a'],
    ],
)
def test_the_bearer_challenge_is_found_among_others(values: list[str]) -> None:
    found = bearer(parse_challenges(values))
    assert found is not None
    assert found.scopes == ("a",)


def test_a_challenge_without_a_scope_names_none_and_an_empty_one_names_an_empty_list() -> None:
    assert [each.scopes for each in parse_challenges(["Bearer", 'Bearer scope=""'])] == [None, ()]


def test_quoted_text_comes_without_its_backslashes() -> None:
    (found,) = parse_challenges(['Bearer error_description="a \\"b\\" c"'])
    assert found.params == {"error_description": 'a "b" c'}


def test_there_is_none_where_none_asks_for_a_token() -> None:
    assert bearer(parse_challenges(['Basic realm="x"', "", ",,,", "=="])) is None


@given(st.lists(st.text(), max_size=3))
def test_anything_can_be_read(values: list[str]) -> None:
    parse_challenges(values)
