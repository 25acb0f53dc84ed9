"""The page about lists: what has changed in them, on as many rows as it needs."""

from typing import Any

from inspector.protocol.tracking.catalogue import Items, Listing, Was
from inspector.tui.screens.changes import ChangesScreen, Wrapped
from inspector.viewmodels.list_news import ListNews
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def news(before: list[Any], after: list[Any]) -> ListNews:
    was = Was(Items().and_page(before, 1), True, 0)
    listing = Listing(items=Items().and_page(after, 2), pages=1, asked=True, was=was)
    return ListNews("prompts", listing, listing.changes("prompts"))


async def test_all_of_it_is_shown_and_copied() -> None:
    app = Showing()
    screen = ChangesScreen([news([{"name": "old"}], [{"name": "new", "title": "N\x1b[31m"}])], 5_000_000_000)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.push_screen(screen)
        await until(lambda: "− old" in text(app), "both sides are there")
        assert "Changed, as seen 5 s ago:" in text(app)
        assert "1 prompt added" in text(app)
        assert "\x1b" not in text(app)
        await pilot.press("y")
        assert "1 prompt added\n    + new" in app.clipboard
        await pilot.press("D")
        await until(lambda: app.screen is not screen, "the same key closes it")


def test_long_lines_go_on_below_themselves() -> None:
    lines = Wrapped([(("  a" + " word" * 20, "text"),), ()])
    assert lines.count(40) == 4
    assert all(len("".join(part for part, _ in lines.line(index, 40))) <= 40 for index in range(3))
    assert "".join(part for part, _ in lines.line(1, 40)).startswith("    word")
