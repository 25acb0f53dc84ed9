"""What is typed to find something in a payload finds it, and costs no more than the payload is long."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.needles import in_json, in_text, text_of
from inspector.viewmodels.spans import marked

LETTERS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=6)
GAPS = st.text(st.sampled_from("_-./"), max_size=11)


@pytest.mark.parametrize(
    ("needle", "where"),
    [
        ("~usrid", ["userId", "user_record_id", "USRID"]),
        ("~gé", ["gué", "gé"]),
        ("~é2", ["éa2"]),
        ("~~usr", ["~usr"]),
        ("~", ["~"]),
        ("~ ", ["~ "]),
        ("usr", ["usr"]),
        ("~UI", ["UserId"]),
        ("~a.*", ["a.b*"]),
    ],
)
def test_letters_in_order_are_found_in_text_and_in_json(needle: str, where: list[str]) -> None:
    for text in where:
        assert in_text(needle).search(text), text
        assert JsonLines(f'{{"{text}": 1}}'.encode()).find(needle) == 1, text


@pytest.mark.parametrize(
    ("needle", "text"),
    [
        ("~usrid", "user id"),
        ("~usrid", "us" + "x" * 12 + "rid"),
        ("~ab", 'a"b'),
        ("usr", "user"),
        ("~ba", "ab"),
        ("~UI", "ui"),
    ],
)
def test_what_is_too_far_apart_or_in_another_order_is_not_found(needle: str, text: str) -> None:
    assert not in_text(needle).search(text)


@given(LETTERS, st.data())
def test_any_word_is_found_by_its_letters_whatever_stands_between(letters: str, data: st.DataObject) -> None:
    word = letters[0] + "".join(data.draw(GAPS) + letter for letter in letters[1:])
    assert in_text("~" + letters).search(word)
    assert in_json("~" + letters).search(word.encode())


@given(st.text(max_size=8))
def test_whatever_is_typed_is_a_pattern(needle: str) -> None:
    for pattern in (in_text(needle), in_json(needle)):
        assert isinstance(pattern, re.Pattern)
    text_of(needle)


def test_long_words_of_one_letter_cost_no_more_than_others() -> None:
    letters = b"a" * 200_000  # time that grows with the square would pass the limit of the run
    assert not in_json("~" + "a" * 20 + "b").search(letters)


def test_the_letters_are_marked_as_one_word() -> None:
    assert marked([('"userId"', "key")], "~usrid") == [('"', "key"), ("userId", "match"), ('"', "key")]
