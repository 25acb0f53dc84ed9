"""All pages of a list, and cursors that lead nowhere."""

from typing import Any

import pytest

from inspector.protocol.flows.call import call
from inspector.protocol.flows.list_all import PAUSES, is_repeated, is_safe, list_all, sent, was_cut
from inspector.protocol.flows.steps import Notice, Pause, Send
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions._shape import Carriage
from inspector.protocol.revisions.table import NEWEST, ROWS
from tests.protocol.flows.scripted import Played, error, refused, result


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


def test_result_without_list_stops_with_a_reason() -> None:
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


def test_list_all_starts_at_a_cursor() -> None:
    played = Played()
    pages = played.play(list_all("tools", cursor="2", wanted=1), [page("b", cursor="3")])
    assert [step.params for step in played.steps if isinstance(step, Send)] == [{"cursor": "2"}]
    assert pages.next_cursor == "3"
    again = Played().play(list_all("tools", cursor="2"), [page("b", cursor="2")])
    assert again.stopped == "the server gave the cursor '2' a second time"


def test_refused_page_keeps_its_cursor() -> None:
    pages = Played().play(list_all("tools"), [page("a", cursor="2"), error(-32602)])
    assert (pages.stopped, pages.next_cursor) == ("page 2 could not be fetched", "2")


CUT = refused(200, why="the server broke the connection off", begun=True)
ASK = Send("tools/list")


def tool(**annotations: bool) -> Tool:
    return Tool({"name": "work", "annotations": annotations})


@pytest.mark.parametrize(
    "method", ["tools/list", "skills/list", "resources/read", "prompts/get", "completion/complete", "tasks/get"]
)
def test_lists_and_reads_can_be_made_twice(method: str) -> None:
    assert is_safe(method)


@pytest.mark.parametrize("method", ["tasks/update", "tasks/cancel", "logging/setLevel", "my/method"])
def test_changing_method_is_not_safe(method: str) -> None:
    assert not is_safe(method)


def test_safe_tool_is_declared_by_annotations() -> None:
    assert is_safe("tools/call", tool(readOnlyHint=True))
    assert is_safe("tools/call", tool(idempotentHint=True))
    assert not is_safe("tools/call", tool(destructiveHint=False))
    assert not is_safe("tools/call")


def test_automatic_repeat_is_for_stateless_revisions() -> None:
    assert [is_repeated("tools/list", row) for row in ROWS] == [row.carriage is Carriage.STATELESS for row in ROWS]
    assert is_repeated("tools/list", NEWEST)
    assert not is_repeated("tools/list", None)


def test_a_response_that_was_no_stream_is_not_cut() -> None:
    assert was_cut(CUT)
    assert not was_cut(refused(200))
    assert not was_cut(result({}))


def test_cut_request_is_noticed_delayed_and_repeated() -> None:
    played = Played()
    reply, tries = played.play(sent(ASK, again=True), [CUT, None, None, CUT, None, None, result({})])
    assert (tries, was_cut(reply)) == (3, False)
    assert played.methods == ["tools/list", "Notice", "Pause", "tools/list", "Notice", "Pause", "tools/list"]
    assert [step.seconds for step in played.steps if isinstance(step, Pause)] == list(PAUSES[:2])
    assert all("tools/list was cut" in step.what for step in played.steps if isinstance(step, Notice))


def test_repeats_are_limited() -> None:
    reply, tries = Played().play(sent(ASK, again=True), [CUT, None, None] * len(PAUSES) + [CUT])
    assert (tries, was_cut(reply)) == (len(PAUSES) + 1, True)


def test_cut_request_is_not_repeated_by_default() -> None:
    assert Played().play(sent(ASK, again=False), [CUT]) == (CUT, 1)


def test_every_try_of_a_call_is_a_round() -> None:
    called = Played().play(call("resources/read", {}, revision=NEWEST), [CUT, None, None, result({})])
    assert called.rounds == 2


def test_call_repeats_by_option_or_method() -> None:
    assert was_cut(Played().play(call("tools/call", {}, revision=NEWEST), [CUT]).reply)
    told = Played().play(call("tools/call", {}, revision=ROWS[-2], again=True), [CUT, None, None, result({})])
    assert told.rounds == 2


def test_cut_page_of_a_list_is_repeated() -> None:
    page = result({"tools": [{"name": "a"}], "nextCursor": "2"})
    replies = [page, CUT, None, None, result({"tools": [{"name": "b"}]})]
    pages = Played().play(list_all("tools", revision=NEWEST), replies)
    assert (len(pages.items), pages.stopped) == (2, "")
