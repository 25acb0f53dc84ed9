"""The table of fields: complete, explained, each example a filter, and each field one that works."""

import pytest

from inspector.filters.language.fields import (
    BY_NAME,
    FIELDS,
    And,
    BareText,
    Field,
    Not,
    Or,
    all_of,
    any_of,
    find,
    nearest,
    opposite,
)
from inspector.filters.language.parser import parse
from tests.filters.engine.test_program import program
from tests.present.tape import Tape


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_field_has_an_example_that_works_on_any_traffic(field: Field) -> None:
    tape = Tape(http=True)
    tape.posted(1)
    tape.call(1, "echo", {"q": "x"}, http=1)
    tape.answer(1, {"content": []}, http=1)
    tape.stderr(b"warning: low")
    assert field.name in field.example
    assert parse(field.example) is not None
    made = program(tape.journal, field.example)
    assert len(made.mark(1, tape.journal.count)) == tape.journal.count


def test_names_are_given_once_and_explained() -> None:
    assert len(BY_NAME) == len(FIELDS)
    assert all(field.help and not field.help.endswith(".") for field in FIELDS)


def test_a_wrong_name_has_a_neighbour() -> None:
    assert nearest("tol") == "tool"
    assert nearest("Methd") == "method"
    assert nearest("xyzzy") == ""
    assert find("xyzzy") is None


A, B, C = BareText("a"), BareText("b"), BareText("c")


def test_nested_terms_are_flattened() -> None:
    assert all_of([all_of([A, B]), C]) == And((A, B, C))
    assert any_of([A, any_of([B, C])]) == Or((A, B, C))
    assert all_of([any_of([A, B]), C]) == And((Or((A, B)), C))


def test_one_alone_is_itself() -> None:
    assert all_of([A]) == any_of([A]) == A


def test_the_opposite_of_the_opposite_is_the_thing() -> None:
    assert opposite(A) == Not(A)
    assert opposite(opposite(A)) == A
