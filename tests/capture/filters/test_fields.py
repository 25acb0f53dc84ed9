"""The table of fields: complete, explained, each example a filter, and each field one that works."""

import pytest

from inspector.capture.filters.fields import BY_NAME, FIELDS, Field, find, nearest
from inspector.capture.filters.parse import parse
from tests.capture.filters.test_program import program
from tests.viewmodels.tape import Tape


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
    tape.journal.close()


def test_names_are_given_once_and_explained() -> None:
    assert len(BY_NAME) == len(FIELDS)
    assert all(field.help and not field.help.endswith(".") for field in FIELDS)


def test_a_wrong_name_has_a_neighbour() -> None:
    assert nearest("tol") == "tool"
    assert nearest("Methd") == "method"
    assert nearest("xyzzy") == ""
    assert find("xyzzy") is None
