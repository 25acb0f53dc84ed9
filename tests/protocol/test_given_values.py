"""Which values are probably not as they were meant, and which only look so."""

import base64
import json

import pytest

from inspector.protocol.given_values import flaws_of

_NOW = 1_795_000_000.0


def _token(ends: int) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": ends}).encode()).decode()
    return f"e30.{claims.rstrip('=')}.x"


@pytest.mark.parametrize(
    "value", ["${TOKEN}", "${env:TOKEN}", "Bearer ${TOKEN}", "{{token}}", "<your-api-key>", "YOUR_API_KEY"]
)
def test_a_placeholder_that_was_not_expanded_names_its_variable(value: str) -> None:
    flaws = flaws_of([("B", value), ("A", value)], _NOW)
    assert flaws == tuple(f"the value of {name} is a placeholder that was not expanded" for name in "AB")


def test_quotes_around_a_value_and_the_end_of_a_token_are_named_without_the_value() -> None:
    assert flaws_of([("KEY", '"s3cret"')], _NOW) == ("the quotes around the value of KEY are a part of it",)
    (found,) = flaws_of([("Authorization", f"Bearer {_token(1_700_000_000)}")], _NOW)
    assert found == "the token in Authorization expired on 2023-11-14"


@pytest.mark.parametrize(
    ("value", "flaw"),
    [
        *((" ", "is a blank"), ("a\n", "begins or ends with a line break")),
        *((each, "is that of an example") for each in ("your-api-key-here", "<token>", "sk-...", "xxxx", "changeme")),
        ("Bearer Bearer s3cret", "has its scheme twice"),
    ],
)
def test_a_value_that_was_copied_wrongly_is_named_without_it(value: str, flaw: str) -> None:
    assert flaws_of([("KEY", value)], _NOW) == (f"the value of KEY {flaw}",)


@pytest.mark.parametrize(
    "value",
    [
        *("", '"', "s3cret", "$5", "${debian_chroot:+($debian_chroot)}\\u@\\h:\\w\\$ ", "https://${HOST}/"),
        *("Bearer s3cret", "my-token", "a b ", f"Bearer {_token(1_800_000_000)}", '{"a": "b"}', '"a" "b"'),
    ],
)
def test_any_other_value_is_left_alone(value: str) -> None:
    assert flaws_of([("PS1", value)], _NOW) == ()
