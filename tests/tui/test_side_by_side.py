"""Two servers side by side: both halves are live, the one with the focus gets keys, and differences are named."""

from typing import Any

from inspector.present.spans import plain
from inspector.protocol.tracking.catalogue import Items, Listing
from inspector.tui.app import InspectApp
from inspector.tui.side_by_side import ListsCompared, compare_lists, summary_line
from inspector.tui.tabs import WIDE
from inspector.tui.widgets.lines import LinesScreen
from tests.stories.persons import Person
from tests.tui.screen_text import lines, press, text
from tests.tui.several import aboard
from tests.waiting import until

BROAD = (WIDE + 10, 40)


def _tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": {}}, **more}


def _listing(*items: dict[str, Any], cursor: str | None = None) -> dict[str, Listing]:
    return {"tools": Listing(items=Items().and_page(items, 1), pages=1, asked=True, next_cursor=cursor)}


def _compared(left: dict[str, Listing], right: dict[str, Listing]) -> ListsCompared:
    return compare_lists(("old", "new"), ("tools",), left, right)


def test_equal_different_and_missing_items_are_counted() -> None:
    left = _listing(_tool("add"), _tool("sum", description="Adds."), _tool("gone"))
    right = _listing(_tool("add"), _tool("sum", description="Adds all."), _tool("fresh"))
    found = _compared(left, right)
    assert plain(summary_line(found, "tools")) == "Tools  1 alike  ▲ 1 differ  ▲ 1 only in old  ▲ 1 only in new"
    assert found.differs


def test_equal_lists_do_not_differ() -> None:
    found = _compared(_listing(_tool("add")), _listing(_tool("add")))
    assert plain(summary_line(found, "tools")) == "Tools  1 alike"
    assert not found.differs


def test_incomplete_list_reports_no_missing_items() -> None:
    found = _compared(_listing(_tool("add"), cursor="2"), _listing(_tool("add"), _tool("sum")))
    assert not found.differs


def test_the_selected_item_is_compared() -> None:
    left = _listing(_tool("add"), _tool("sum", title="Sum"), _tool("gone"))
    right = _listing(_tool("add"), _tool("sum", title="Total"), _tool("fresh\x1b[31m"))
    found = _compared(left, right)
    assert plain(found.about("add")) == "add is the same"
    assert plain(found.about("sum")) == "sum differs: title"
    assert plain(found.about("gone")) == "gone only in old"
    assert "\x1b" not in plain(found.about("fresh\x1b[31m"))


def _halves(app: InspectApp) -> tuple[str, str]:
    """What the left and the right half of the screen show."""
    middle = app.size.width // 2
    return tuple("\n".join(part) for part in zip(*((line[:middle], line[middle:]) for line in lines(app)), strict=True))  # type: ignore[return-value]


async def _side_by_side(app: InspectApp, press: Any) -> None:
    await press("v 2")
    await until(lambda: all("tools/list" in half for half in _halves(app)), "the traffic of both")


async def test_both_servers_are_visible_with_their_names() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await _side_by_side(app, pilot.press)
        left, _ = _halves(app)
        assert "pier" in left
        await until(lambda: "quay" in _halves(app)[1] and "Connected" in _halves(app)[1], "the title on the right")
        await pilot.press("v 2")
        await until(lambda: not app.tabs[1].pane.display, "one at a time")
        assert app.tab is app.tabs[0]


async def test_a_screen_is_shown_of_both_and_the_selection_is_followed() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await _side_by_side(app, pilot.press)
        await pilot.press("2")
        await until(lambda: all("complex_form" in half for half in _halves(app)), "the tools of both")
        await until(lambda: "alike" in text(app), "the comparison")
        panels = [tab.panels["tools"] for tab in app.tabs]
        for _ in range(3):
            await pilot.press("down")
        await until(lambda: panels[0].showing[0] is not None, "a tool")
        chosen = panels[0].showing[0]
        assert chosen is not None
        await until(lambda: panels[1].showing[0] == panels[0].showing[0] != None, "the same on the right")  # noqa: E711
        assert app.tab is app.tabs[0], "the focus stays"


async def test_keys_go_to_the_half_with_the_focus() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await _side_by_side(app, pilot.press)
        person = Person(pilot, app.conversation.journal)
        y = next(at for at, line in enumerate(lines(app)) if "tools/list" in line[BROAD[0] // 2 :])
        await person.click((BROAD[0] // 2 + 12, y))
        await until(lambda: app.tab is app.tabs[1], "the right half")
        before = [tab.conversation.journal.count for tab in app.tabs]
        await pilot.press("x p")
        await until(lambda: app.tabs[1].conversation.journal.count > before[1], "the ping")
        assert app.tabs[0].conversation.journal.count == before[0]
        await pilot.press("g shift+tab")
        await until(lambda: app.tab is app.tabs[0] and app.tabs[1].pane.display, "the left half, both visible")


async def test_results_are_compared() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await _side_by_side(app, pilot.press)
        for tab in app.tabs:
            await tab.conversation.call("tools/call", {"name": "image_result", "arguments": {}}, lambda exchange: None)
        await press(pilot, "2", "slash", *"image_result", "enter", shows="Results")
        await press(pilot, "escape", shows="the same")


async def test_servers_without_a_difference_open_no_window() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await _side_by_side(app, pilot.press)
        await press(pilot, "2", shows="alike")
        await press(pilot, "v =", shows="do not differ here")
        assert len(app.screen_stack) == 1


async def test_side_by_side_needs_a_wide_terminal() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await press(pilot, "v 2", shows=f"need {WIDE} columns")
        assert app.tabs.pair == ()


async def test_a_terminal_that_becomes_narrow_shows_the_current_one() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await _side_by_side(app, pilot.press)
        await pilot.resize_terminal(100, 30)
        await until(lambda: not app.tabs[1].pane.display and app.tabs[0].pane.display, "one of them")
        await pilot.resize_terminal(*BROAD)
        await until(lambda: app.tabs[1].pane.display, "both again")


async def test_closing_one_leaves_the_other() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await _side_by_side(app, pilot.press)
        await pilot.press("ctrl+w")
        await until(lambda: len(app.tabs) == 1 and app.tab.name == "quay" and app.tab.pane.display, "the other")
        assert app.tabs.pair == ()


async def test_without_a_comparison_the_differences_say_how_to_get_one() -> None:
    async with aboard("pier", "quay", size=BROAD) as (app, pilot, _):
        await press(pilot, "v =", shows="side by side (")
        assert not isinstance(app.screen, LinesScreen)
