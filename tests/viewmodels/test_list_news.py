"""What a list says beside its items."""

from typing import Any

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.things import LISTS
from inspector.protocol.tracking.catalogue import Catalogue
from inspector.viewmodels.lines import plain
from inspector.viewmodels.list_news import ListNews, about_lines, marks_of, news_lines

S = 1_000_000_000


def listed(catalogue: Catalogue, kind: str, items: list[Any], **more: Any) -> None:
    exchange = Exchange(1, Direction.TO_SERVER, 1, LISTS[kind].method, "", 1, 0, ended_ns=0)
    catalogue.answered(exchange, None, {LISTS[kind].member: items} | more)


def news(catalogue: Catalogue, *kinds: str, **more: Any) -> list[ListNews]:
    found = catalogue.listings
    return [ListNews(kind, found[kind], found[kind].changes(kind), **more) for kind in kinds]


def _clock(ns: int) -> str:
    return f"0:{ns // S:02}"


def above(found: list[ListNews], now_s: int = 12) -> list[str]:
    lines = news_lines(found, now_s * S, _clock, changes_key="D", more_key=">", refresh_key="L")
    return [plain(line) for line in lines]


def test_a_quiet_list_says_nothing() -> None:
    catalogue = Catalogue()
    assert above(news(catalogue, "tools")) == []
    listed(catalogue, "tools", [{"name": "a"}])
    assert above(news(catalogue, "tools")) == []


def test_a_list_that_has_changed_says_how_much_and_which_key_shows_it() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [{"name": "a"}, {"name": "b"}])
    listed(catalogue, "tools", [{"name": "b", "title": "B"}, {"name": "c"}, {"name": "d"}])
    assert above(news(catalogue, "tools")) == ["2 new, 1 gone, 1 changed: D shows"]
    assert marks_of(news(catalogue, "tools")) == {"b": "changed", "c": "new", "d": "new"}


def test_a_list_that_is_out_of_date_says_what_to_do() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [])
    catalogue.changed("notifications/tools/list_changed")
    assert above(news(catalogue, "tools")) == ["▲ changed since: L fetches"]
    assert above(news(catalogue, "tools", fetching=True)) == []


def test_more_pages_are_said_and_of_two_kinds_which() -> None:
    catalogue = Catalogue()
    listed(catalogue, "resources", [{"uri": "x://a"}], nextCursor="2")
    assert above(news(catalogue, "resources")) == ["page 1, more: > fetches the next"]
    assert above(news(catalogue, "resources", "templates")) == ["resources: page 1, more: > fetches the next"]
    assert above(news(catalogue, "resources", fetching=True)) == []


def test_what_is_wrong_is_said_once_and_the_rest_is_counted() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [{"name": "a"}, {"name": "a"}])
    assert above(news(catalogue, "tools", stopped="page 2 is page 1 again")) == [
        "▲ page 2 is page 1 again (and 1 more: D)"
    ]


def test_an_age_is_told_where_the_server_told_one() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [], ttlMs=60_000)
    listed(catalogue, "prompts", [], ttlMs=5_000, cacheScope="public")
    assert above(news(catalogue, "tools", "prompts")) == ["fetched 0:00, stale since 0:05, public"]


def test_the_page_about_a_list_tells_all_of_it() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [{"name": "a"}])
    listed(catalogue, "tools", [{"name": "b"}, {"name": "b"}], nextCursor="x\x1b", ttlMs=-1)
    catalogue.changed("notifications/tools/list_changed")
    lines = [plain(line) for line in about_lines(news(catalogue, "tools", "prompts", stopped="no"), 3 * S)]
    assert lines == [
        "Tools  2 items on 1 page",
        "  ▲ ttlMs -1 is negative: it counts as 0   fetched 3 s ago, stale since 3 s",
        "  ▲ the server says that they have changed since",
        "  not fetched to the end: the next page's cursor is 'x␛'",
        "  ▲ no",
        "  ▲ 1 item comes more than once: b",
        "",
        "  Changed, as seen 3 s ago:",
        "",
        "  2 tools added",
        "    + b  ",
        "    + b  ",
        "",
        "Prompts",
        "  never listed",
    ]


def test_a_list_that_never_changed_says_so() -> None:
    catalogue = Catalogue()
    listed(catalogue, "prompts", [])
    lines = [plain(line) for line in about_lines(news(catalogue, "prompts"), 0)]
    assert lines[-1] == "  nothing has changed since they were first listed"
