"""All pages of a list, and cursors that lead nowhere."""

from typing import Any

from inspector.protocol.flows.list_all import list_all
from inspector.protocol.flows.steps import Send
from tests.protocol.flows.scripted import Played, error, result


def page(*names: str, cursor: Any = None) -> Any:
    more = {} if cursor is None else {"nextCursor": cursor}
    return result({"tools": [{"name": name} for name in names]} | more)


def names(items: tuple[Any, ...]) -> list[str]:
    return [item["name"] for item in items]


def test_pages_are_fetched_until_no_cursor_comes() -> None:
    played = Played()
    pages = played.play(list_all("tools"), [page("a", cursor="2"), page("b", cursor="3"), page("c")])
    assert (names(pages.items), pages.pages, pages.stopped) == (["a", "b", "c"], 3, "")
    assert [step.params for step in played.steps if isinstance(step, Send)] == [None, {"cursor": "2"}, {"cursor": "3"}]


def test_a_cursor_that_comes_again_ends_it() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor="2"), page("b", cursor="2")])
    assert (names(pages.items), pages.stopped) == (["a", "b"], "the server gave the cursor '2' a second time")


def test_cursors_in_a_circle_end_it() -> None:
    replies = [page("a", cursor="1"), page("b", cursor="2"), page("c", cursor="1")]
    assert "second time" in Played().play(list_all("tools"), replies).stopped


def test_an_empty_cursor_is_a_cursor() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor=""), page("b")])
    assert (names(pages.items), pages.stopped) == (["a", "b"], "")


def test_an_empty_cursor_that_gives_the_first_page_again_was_meant_as_the_end() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor=""), page("a", cursor="")])
    assert (names(pages.items), pages.stopped) == (["a"], "the server means the end by an empty cursor")


def test_a_null_cursor_is_the_end_and_a_number_is_one_with_a_remark() -> None:
    assert Played().play(list_all("tools"), [result({"tools": [], "nextCursor": None})]).stopped == ""
    stopped = Played().play(list_all("tools"), [result({"tools": [], "nextCursor": 7})]).stopped
    assert stopped == "nextCursor is a number, not a string"


def test_an_error_keeps_the_pages_before_it() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor="2"), error(-32602)])
    assert (names(pages.items), pages.pages) == (["a"], 1)
    assert pages.failed is not None


def test_a_server_that_rejects_the_empty_cursor_it_sent_has_ended_the_list() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor=""), error(-32602)])
    assert (names(pages.items), pages.pages, pages.stopped, pages.failed, pages.next_cursor) == (
        ["a"],
        1,
        "",
        None,
        None,
    )


def test_a_result_without_the_list_says_so() -> None:
    assert Played().play(list_all("templates"), [result({})]).stopped == "the result has no array 'resourceTemplates'"


def test_a_list_without_end_is_cut() -> None:
    replies = [page(f"a{number}", cursor=str(number)) for number in range(5)]
    stopped = Played().play(list_all("tools", page_limit=5), replies).stopped
    assert stopped == "more than 5 pages (--max pages=N raises that)"


def test_a_page_that_comes_again_ends_it() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor="1"), page("a", cursor="2")])
    assert (pages.stopped, pages.next_cursor) == ("page 2 is page 1 again", "2")


def test_empty_pages_are_followed_but_not_for_ever() -> None:
    pages = Played().play(list_all("tools"), [page(cursor="1"), page("a", cursor="2"), page("b")])
    assert (names(pages.items), pages.stopped) == (["a", "b"], "")
    replies = [page(cursor=str(number)) for number in range(10)]
    assert Played().play(list_all("tools"), replies).stopped == "10 pages in a row were empty"


def test_as_many_pages_as_are_wanted_and_no_complaint() -> None:
    played = Played()
    pages = played.play(list_all("tools", wanted=1), [page("a", cursor="2")])
    assert (names(pages.items), pages.stopped, pages.next_cursor) == (["a"], "", "2")


def test_it_can_begin_at_any_page() -> None:
    played = Played()
    pages = played.play(list_all("tools", cursor="2", wanted=1), [page("b", cursor="3")])
    assert [step.params for step in played.steps if isinstance(step, Send)] == [{"cursor": "2"}]
    assert pages.next_cursor == "3"
    again = Played().play(list_all("tools", cursor="2"), [page("b", cursor="2")])
    assert again.stopped == "the server gave the cursor '2' a second time"


def test_a_page_that_was_refused_can_be_asked_for_again() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor="2"), error(-32602)])
    assert (pages.stopped, pages.next_cursor) == ("page 2 could not be had", "2")
