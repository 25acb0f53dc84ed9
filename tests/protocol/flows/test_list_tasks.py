"""How a server's tasks are listed."""

import pytest

from inspector.errors import UsageError
from inspector.protocol.flows.list_tasks import list_tasks, why_no_list
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import ROWS
from tests.protocol.flows.scripted import Played, error, result

CORE = Opening(ROWS[3], capabilities={"tasks": {"list": {}}})


def test_all_pages_are_fetched() -> None:
    played = Played()
    pages = [
        result({"tasks": [{"taskId": "a"}, {"taskId": "b"}], "nextCursor": "2"}),
        result({"tasks": [{"taskId": "c"}, {"no": "id"}]}),
    ]
    found = played.play(list_tasks(CORE), pages)
    assert (found.ids, found.pages, found.stopped) == (("a", "b", "c"), 2, "")
    assert played.methods == ["tasks/list", "tasks/list"]


def test_a_cursor_that_comes_again_ends_it() -> None:
    page = result({"tasks": [{"taskId": "a"}], "nextCursor": "x"})
    found = Played().play(list_tasks(CORE), [page, page])
    assert (found.ids, found.pages) == (("a",), 2)
    assert "a second time" in found.stopped


def test_a_refused_page_and_one_without_an_array_are_said() -> None:
    refused = Played().play(list_tasks(CORE), [error(-32603)])
    assert (refused.pages, refused.stopped) == (0, "page 1 could not be had")
    assert refused.failed is not None
    assert Played().play(list_tasks(CORE), [result({})]).stopped == "the result has no array 'tasks'"


@pytest.mark.parametrize("opening", [Opening(ROWS[3]), Opening(ROWS[4]), Opening(ROWS[0])])
def test_where_there_is_no_list_none_is_asked_for(opening: Opening) -> None:
    assert why_no_list(opening)
    with pytest.raises(UsageError):
        Played().play(list_tasks(opening), [])
