"""A line to search with."""

import pytest
from textual.widgets import Input

from inspector.tui.widgets import search_bar
from inspector.tui.widgets.search_bar import SearchBar
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Listening(Showing):
    def on_search_bar_changed(self, message: SearchBar.Changed) -> None:
        self.posted.append(message)

    def on_search_bar_done(self, message: SearchBar.Done) -> None:
        self.posted.append(message)

    def changes(self) -> list[str]:
        return [message.text for message in self.posted if isinstance(message, SearchBar.Changed)]

    def ends(self) -> list[bool]:
        return [message.found for message in self.posted if isinstance(message, SearchBar.Done)]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_bar_shows_its_label_and_how_much_matches(size: tuple[int, int]) -> None:
    bar = SearchBar("Filter", placeholder="method, tool or text")
    async with (app := Listening(bar)).run_test(size=size) as pilot:
        assert app.rows()[0] == " Filter method, tool or text"
        bar.show_count(1234, of=99_999)
        await pilot.pause()
        assert app.rows()[0].endswith("✓ 1,234 of 99,999")
        bar.show_count(0)
        await pilot.pause()
        assert app.rows()[0].endswith("▲ 0")
        bar.show_count(None)
        await pilot.pause()
        assert app.rows()[0].endswith("tool or text")


async def test_search_text_is_posted_once_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_bar, "_PAUSE", 3600)
    async with (app := Listening(bar := SearchBar("Filter"))).run_test() as pilot:
        bar.focus()
        await pilot.press("t", "o", "o")
        monkeypatch.setattr(search_bar, "_PAUSE", 0.001)
        await pilot.press("l")
        await until(lambda: app.changes() != [], "the change is told")
        assert app.changes() == ["tool"]


async def test_enter_posts_the_search_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_bar, "_PAUSE", 3600)
    async with (app := Listening(bar := SearchBar("Filter"))).run_test() as pilot:
        bar.focus()
        await pilot.press("x", "enter")
        assert (app.changes(), app.ends()) == (["x"], [True])
        await pilot.press("down")
        assert (app.changes(), app.ends()) == (["x"], [True, True])


async def test_escape_clears_the_line_and_leaves_it() -> None:
    async with (app := Listening(bar := SearchBar("Filter"))).run_test() as pilot:
        bar.focus()
        bar.text = "abc"
        await pilot.press("escape")
        assert (bar.text, app.changes(), app.ends()) == ("", ["abc", ""], [False])


@pytest.mark.parametrize("key", ["tab", "shift+tab"])
async def test_tab_stays_in_the_line(key: str) -> None:
    async with Listening(bar := SearchBar("Filter")).run_test() as pilot:
        bar.focus()
        await pilot.press("a", key, "q")
        assert bar.text == "aq"


async def test_search_error_is_shown_until_a_count() -> None:
    async with (app := Listening(bar := SearchBar("Filter"))).run_test(size=(80, 24)) as pilot:
        bar.show_count(3)
        bar.show_error("unknown field “[/] \x1b[31m” at column 3; write `method`")
        await pilot.pause()
        assert app.rows()[1] == " ✗ unknown field “[/] ␛[31m” at column 3; write `method`"
        assert "✓" not in app.rows()[0]
        bar.show_count(3)
        await pilot.pause()
        assert app.rows()[1] == ""


async def test_search_input_is_silent_outside() -> None:
    heard: list[str] = []

    class Outside(Listening):
        def on_input_changed(self, message: Input.Changed) -> None:
            heard.append(message.value)

    async with Outside(bar := SearchBar("Find")).run_test() as pilot:
        bar.focus()
        await pilot.press("a")
        assert not bar.query_one(Input).cursor_blink
    assert heard == []
