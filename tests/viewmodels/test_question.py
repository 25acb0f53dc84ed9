"""What a question shows."""

from typing import Any

import pytest

from inspector.protocol.questions import Kind, Question
from inspector.viewmodels.lines import plain, section_lines
from inspector.viewmodels.question import (
    asked_by,
    asked_in_short,
    beyond_a_form,
    cause_in_short,
    kind_word,
    question_sections,
    secret_fields,
)
from tests.viewmodels.tape import Tape


def asks(kind: Kind = Kind.ELICITATION, *, cause: int | None = None, key: str = "", **params: Any) -> Question:
    return Question(kind, params, 9, 9, 0, key=key, cause=cause)


def form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def shown(question: Question, tape: Tape, patience_s: float | None = None) -> str:
    sections = question_sections(question, tape.journal, patience_s=patience_s)
    return "\n".join(plain(line) for section in sections for line in section_lines(section))


def test_it_says_who_asks_inside_which_call_and_how_long_that_call_waits(tape: Tape) -> None:
    tape.initialized("2025-11-25", {"name": "harbour"}).call(1, "book")
    found = shown(asks(message="Which city?", cause=2, requestedSchema=form(city={"type": "string"})), tape, 90)
    assert "server     harbour" in found
    assert "inside     tools/call book" in found
    assert "gives up 90.0 s after its start" in found
    assert "Which city?" in found
    assert "Beware" not in found


def test_it_says_that_the_call_was_given_up_in_which_it_was_asked(tape: Tape) -> None:
    tape.initialized("2025-11-25", {"name": "harbour"}).call(1, "book")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    found = shown(asks(message="Which city?", cause=2), tape, 90)
    assert "that call  was given up" in found
    assert "after its start" not in found


def test_without_a_known_call_it_says_so(tape: Tape) -> None:
    found = shown(asks(message="Hm?", cause=99), tape, 90)
    assert "no call that it could be told of" in found
    assert "gives up" not in found
    assert asked_by(tape.journal) == "the server"
    assert cause_in_short(asks(cause=None), tape.journal) == ""


def test_fields_that_look_like_secrets_are_flagged(tape: Tape) -> None:
    schema = form(
        apiKey={"type": "string"},
        user_password={"type": "string"},
        card={"type": "string", "title": "Credit card number"},
        x={"type": "string", "format": "password"},
        y={"type": "string", "description": "The one-time code we sent you"},
        spinning={"type": "string"},
        city={"type": "string", "title": "City"},
    )
    assert secret_fields(schema) == ("apiKey", "user_password", "card", "x", "y")
    assert "a server must not ask for this in a form" in shown(asks(requestedSchema=schema), tape)


def test_what_only_sounds_like_a_secret_is_none() -> None:
    warns = "Your favorite integer (do not give us your phone number, pin, or other sensitive info)"
    schema = form(
        integer={"type": "integer", "description": warns},
        secretary={"type": "string"},
        maxTokens={"type": "integer"},
        tokenizer={"type": "string", "description": "Never a password."},
        pin={"type": "string", "description": "Never shown to others. The pin of your card"},
        note={"type": "string", "description": "Don't be shy; your password, please"},
    )
    assert secret_fields(schema) == ("pin", "note")


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (form(a={"type": "string"}, b={"type": "array", "items": {"enum": ["x"]}}), ""),
        (form(a={"type": "object"}, b={"type": "array", "items": {}}), "no simple value: a, b"),
        (None, "no object with properties"),
        ({"type": "string"}, "no object with properties"),
        ({"type": "object", "properties": []}, "no object with properties"),
    ],
)
def test_a_schema_beyond_what_a_form_may_ask_is_said_to_be_one(schema: Any, says: str, tape: Tape) -> None:
    assert says in beyond_a_form(schema)
    assert bool(says) == ("beyond a form" in shown(asks(requestedSchema=schema), tape))


def test_a_link_shows_its_host_and_all_of_it(tape: Tape) -> None:
    found = shown(asks(mode="url", message="Please pay", url="https://pay.example/x?y=1"), tape)
    assert "opens at  pay.example" in found
    assert "https://pay.example/x?y=1" in found


def test_sampling_shows_its_messages_and_roots_that_they_are_advice(tape: Tape) -> None:
    messages = [{"role": "user", "content": {"type": "text", "text": "Why?"}}]
    assert "Why?" in shown(asks(Kind.SAMPLING, messages=messages), tape)
    assert "they guard nothing" in shown(asks(Kind.ROOTS, key="r"), tape)
    assert "known as  r" in shown(asks(Kind.ROOTS, key="r"), tape)


def test_in_short_each_kind_is_one_safe_line(tape: Tape) -> None:
    tape.call(1, "bo\x1b[31mok")
    assert asked_in_short(asks(message="Which\n city\x1b?")) == "Which city␛?"
    assert asked_in_short(asks()) == "nothing in words"
    assert asked_in_short(asks(Kind.ROOTS)) == "which roots there are"
    assert asked_in_short(asks(Kind.SAMPLING, messages=[{"content": {"type": "text", "text": "Why?"}}])) == "Why?"
    assert cause_in_short(asks(cause=1), tape.journal) == "bo␛[31mok"
    kinds = [asks(), asks(mode="url"), asks(Kind.SAMPLING), asks(Kind.ROOTS)]
    assert [kind_word(each) for each in kinds] == ["form", "link", "sampling", "roots"]


def test_a_visit_says_that_the_call_was_refused_and_whether_the_server_calls_it_complete(tape: Tape) -> None:
    tape.initialized("2025-11-25").call(5, "buy")
    pay = {"mode": "url", "message": "Pay.", "url": "https://pay.example", "elicitationId": "e1"}
    error = {"code": -32042, "message": "first pay", "data": {"elicitations": [pay]}}
    tape.from_server({"jsonrpc": "2.0", "id": 5, "error": error})
    (question,) = tape.journal.conversation.questions
    found = shown(question, tape)
    assert "was refused until the link is visited (error -32042)" in found
    assert "answered together" not in found
    assert "not yet" in found
    tape.notify("notifications/elicitation/complete", {"elicitationId": "e1"})
    assert "it is complete" in shown(question, tape)


class Long(str):
    """A text that says how much of it was read."""

    read = 0

    def split(self, *args: Any, **more: Any) -> list[str]:
        Long.read = max(Long.read, len(self))
        return super().split(*args, **more)

    def __getitem__(self, key: Any) -> str:
        return Long(super().__getitem__(key))


def test_of_a_long_message_a_row_reads_the_beginning() -> None:
    assert asked_in_short(asks(message=Long("word " * 200_000))).startswith("word word")
    assert 0 < Long.read < 10_000
