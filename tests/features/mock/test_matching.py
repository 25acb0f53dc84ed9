"""Which recorded turn answers a request."""

from pathlib import Path
from typing import Any

import pytest

from inspector.features.mock.matching import Book, Empty, MatchedTurn, Missing, Played, likeness, loosened
from inspector.features.mock.script import ScriptedResponse
from inspector.protocol.revisions._shape import Era
from tests.features.mock.making import HANDSHAKE, answer, call, request, scripted, text


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Three calls of echo, two with the same words; one of add; two pages of a list, a resource."""
    return Book(
        scripted(
            tmp_path / "c.mcpcap",
            *HANDSHAKE,
            *(call(1, "echo", words="a"), "<", answer(1, text("first")), ">"),
            *(call(2, "echo", words="a"), "<", answer(2, text("second")), ">"),
            *(call(3, "echo", words="b", loud=True), "<", answer(3, text("third")), ">"),
            *(call(4, "add", a=1, b=2), "<", answer(4, text("3")), ">"),
            *(request(5, "tools/list"), "<", answer(5, {"tools": [], "nextCursor": "p2"}), ">"),
            *(request(6, "tools/list", {"cursor": "p2"}), "<", answer(6, {"tools": []}), ">"),
            *(request(7, "resources/read", {"uri": "a://b"}), "<", answer(7, {"contents": []})),
        )
    )


def _words(found: Any) -> str:
    assert isinstance(found, MatchedTurn), found
    (end,) = found.turn.steps
    assert isinstance(end, ScriptedResponse)
    said: str = end.answer.value["content"][0]["text"]
    return said


def _ask(book: Book, played: Played, name: str, **arguments: Any) -> Any:
    return book.find("tools/call", {"name": name, "arguments": arguments}, played, Era.LEGACY)


def test_equal_requests_get_the_recorded_answers_in_turn_and_then_the_last(book: Book) -> None:
    played = Played()
    found = [_ask(book, played, "echo", words="a") for _ in range(3)]
    assert [_words(each) for each in found] == ["first", "second", "second"]
    assert [each.again for each in found] == [False, False, True]
    assert _words(_ask(book, Played(), "echo", words="a")) == "first", "each client begins anew"


def test_match_of_equal_arguments_in_other_spelling_is_reported(book: Book) -> None:
    found = _ask(book, Played(), "add", a="1", b=2.0, c=None)
    assert _words(found) == "3"
    assert found.word == "tools/call add: recorded with other spellings"


def test_nearest_call_of_the_tool_is_played_and_reported(book: Book) -> None:
    found = _ask(book, Played(), "echo", words="c", loud=True)
    assert _words(found) == "third"
    assert 'never recorded with {"arguments":{"loud":true,"words":"c"},"name":"echo"}' in found.word


def test_uncalled_tool_is_an_error_with_the_recorded_names(book: Book) -> None:
    found = _ask(book, Played(), "sink")
    assert isinstance(found, Missing)
    assert (found.code, found.data) == (-32602, {"recorded": ["add", "echo"]})
    assert found.message == 'the capture has no tools/call of "sink"; recorded: "add", "echo"'


def test_misspelt_tool_is_an_error_with_the_nearest_name(book: Book) -> None:
    found = _ask(book, Played(), "ecoh")
    assert isinstance(found, Missing)
    assert found.data == {"recorded": ["add", "echo"], "nearest": "echo"}
    assert found.message == 'the capture has no tools/call of "ecoh"; nearest is "echo"; recorded: "add", "echo"'


def test_name_with_spaces_is_matched(book: Book) -> None:
    assert _words(_ask(book, Played(), " echo", words="b", loud=True)) == "third"


def test_a_page_that_was_never_fetched_is_an_error(book: Book) -> None:
    found = book.find("tools/list", {"cursor": "p9"}, Played(), Era.LEGACY)
    assert isinstance(found, Missing)
    assert found.data == {"recorded": [None, "p2"]}


def test_a_resource_that_was_never_read_is_not_found_by_the_number_of_the_era(book: Book) -> None:
    codes = [book.find("resources/read", {"uri": "x"}, Played(), era) for era in (Era.LEGACY, Era.MODERN)]
    assert [each.code for each in codes if isinstance(each, Missing)] == [-32002, -32602]


def test_a_method_is_unknown_unless_its_capability_was_declared(book: Book) -> None:
    unknown = book.find("prompts/list", {}, Played(), Era.LEGACY)
    assert unknown == Missing(-32601, "Method not found: prompts/list")
    unasked = book.find("resources/list", {}, Played(), Era.LEGACY)
    assert isinstance(unasked, Missing)
    assert unasked.code == -32603
    there = ["initialize", "resources/read", "tools/call", "tools/list"]
    assert unasked.data == {"recorded": there, "nearest": "resources/read"}
    assert book.find("resources/subscribe", {"uri": "a://b"}, Played(), Era.LEGACY) == Empty()


def test_likeness_is_a_share() -> None:
    assert likeness({"a": 1}, {"a": 1}) == 1
    assert 0 < likeness({"a": 1, "b": 2}, {"a": 1, "b": 3}) < 1
    assert likeness({"a": 1}, {"b": 2}) == 0


def test_spellings_that_say_nothing_are_loosened() -> None:
    assert loosened({"n": " 3 ", "f": 3.0, "t": "true", "none": None, "e": []}) == {"n": 3, "f": 3, "t": True}
