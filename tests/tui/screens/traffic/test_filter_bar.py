"""A line to type a filter into."""

from collections.abc import Sequence

from inspector.filters.language.completion import suggest
from inspector.tui.screens.traffic.filter_bar import FilterBar
from inspector.tui.screens.traffic.filter_model import read_filter
from inspector.tui.widgets.search_bar import SearchBar
from tests.tui.widgets.showing import Showing
from tests.waiting import until

_SEEN = {"tool": ["search", "echo"]}


class Listening(Showing):
    def on_search_bar_changed(self, message: SearchBar.Changed) -> None:
        self.posted.append(message)

    def on_search_bar_done(self, message: SearchBar.Done) -> None:
        self.posted.append(message)

    def on_filter_bar_kept(self, message: FilterBar.Kept) -> None:
        self.posted.append(message)

    def kept(self) -> list[str]:
        return [message.text for message in self.posted if isinstance(message, FilterBar.Kept)]

    def ends(self) -> int:
        return sum(isinstance(message, SearchBar.Done) for message in self.posted)


def made(used: Sequence[str] = ()) -> tuple[FilterBar, Listening]:
    bar = FilterBar(
        lambda text: read_filter(text, {"slow": "dur > 1s"}),
        lambda before: suggest(before, lambda name: _SEEN.get(name, ()), ("slow",)),
        lambda: used,
    )
    return bar, Listening(bar)


async def test_fields_and_values_are_proposed_and_taken() -> None:
    bar, app = made()
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press("t", "o", "o")
        assert app.rows()[1].startswith(" Tab tool")
        assert "name of the called tool" in app.rows()[1]
        await pilot.press("tab")
        assert bar.text == "tool "
        await pilot.press(*"==", "space")
        assert app.rows()[1].startswith(" Tab search  echo")
        await pilot.press("ctrl+n")
        assert app.rows()[1].startswith(" Tab echo  search")
        await pilot.press("tab")
        assert bar.text == "tool == echo "


async def test_filter_error_is_shown_at_its_place() -> None:
    bar, app = made()
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press(*"kind==xyz")
        assert bar.has_class("-wrong")
        assert "unknown kind" in app.rows()[1]
        assert app.style_of("x").reverse
        await pilot.press("enter")
        assert (app.kept(), app.ends()) == ([], 0)
        bar.show_count(3)
        await pilot.pause()
        assert "unknown kind `xyz`" in app.rows()[1]


async def test_unfinished_filter_is_no_error_until_enter() -> None:
    bar, app = made()
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press(*"tool==", "space")
        assert not bar.has_class("-wrong")
        await pilot.press("enter")
        assert "expected a value" in app.rows()[1]


async def test_a_shorthand_is_shown_in_full() -> None:
    bar, app = made()
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press(*"t:x")
        assert app.rows()[1] == ' = tool contains "x"'


async def test_up_brings_back_what_was_used() -> None:
    bar, app = made(["tool == a", "pending"])
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press(*"di")
        found = []
        for _ in range(4):
            await pilot.press("up")
            found.append(bar.text)
        assert found == ["pending", "tool == a", "di", "pending"]


async def test_enter_keeps_a_filter_and_goes_to_what_it_finds() -> None:
    bar, app = made()
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press(*"@slow", "enter")
        await until(lambda: app.ends() == 1, "the end of typing")
        assert app.kept() == ["@slow"]


async def test_definition_shows_what_enter_does() -> None:
    bar, app = made()
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press(*"@bad = is:error")
        assert app.rows()[1] == " Enter saves it as @bad"


async def test_tab_in_an_empty_line_stays_and_shows_what_can_be_typed() -> None:
    bar, app = made()
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press("tab", "tab")
        assert bar.has_focus_within
        assert bar.text == ""
        assert "method  tool" in app.rows()[1]
        await pilot.press("p")
        assert bar.text == "p"


async def test_a_question_mark_asks_for_help_only_in_an_empty_line() -> None:
    bar, app = made()
    asked: list[bool] = []
    app.action_help = lambda: asked.append(True)  # type: ignore[attr-defined]
    async with app.run_test(size=(80, 10)) as pilot:
        bar.focus()
        await pilot.press("question_mark")
        assert (asked, bar.text) == ([True], "")
        await pilot.press("a", "question_mark")
        assert (asked, bar.text) == ([True], "a?")
