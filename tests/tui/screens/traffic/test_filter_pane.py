"""The filter lines above Traffic, and saved filters."""

from textual.pilot import Pilot

from inspector.config.paths import places
from inspector.config.remembered import SavedFilters
from inspector.filters.language.fields import Term
from inspector.present.traffic.log import LogModel
from inspector.tui.screens.traffic.filter_pane import FilterPane
from tests.present.tape import Tape
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Listening(Showing):
    def on_filter_pane_filtered(self, message: FilterPane.Filtered) -> None:
        self.posted.append(message)

    def on_filter_pane_search_changed(self, message: FilterPane.SearchChanged) -> None:
        self.posted.append(message)

    def terms(self) -> list[Term | None]:
        return [message.term for message in self.posted if isinstance(message, FilterPane.Filtered)]

    def sought(self) -> list[str]:
        return [message.text for message in self.posted if isinstance(message, FilterPane.SearchChanged)]


async def ready(pilot: Pilot[None], pane: FilterPane) -> None:
    """Have both lines there, as the list does."""
    assert not pane.bar.display
    assert not pane.finder.display
    await pilot.pause()


def kept() -> SavedFilters:
    own = places()
    return SavedFilters(own.config, own.state)


async def test_a_filter_that_cannot_be_read_changes_nothing(tape: Tape) -> None:
    async with (app := Listening(pane := FilterPane(Staged(handshake(tape))))).run_test() as pilot:
        pane.set("tool == a")
        await until(lambda: len(app.terms()) == 1, "the filter")
        pane.set("tool == a and dur >")
        await pilot.pause()
        assert len(app.terms()) == 1
        pane.clear()
        await until(lambda: app.terms()[-1] is None, "no filter")


async def test_a_filter_gets_a_name_and_is_used_by_it(tape: Tape) -> None:
    async with Listening(pane := FilterPane(Staged(handshake(tape)))).run_test() as pilot:
        await ready(pilot, pane)
        pane.open()
        await until(lambda: pane.bar.has_focus_within, "the line has the focus")
        await pilot.press(*"@slow = dur > 1s", "enter")
        await until(lambda: kept().named() == {"slow": "dur > 1s"}, "the name in the file")
        await until(lambda: pane.text == "@slow", "the name in the line")
        assert kept().used() == []
        pane.clear()
        pane.open()
        await until(lambda: pane.bar.has_focus_within, "the line has the focus")
        await pilot.press(*"pending", "enter")
        await until(lambda: kept().used() == ["pending"], "what was used")
        pane.set("@slow =")
        pane.open()
        await until(lambda: pane.bar.has_focus_within, "the line has the focus")
        await pilot.press("enter")
        await until(lambda: kept().named() == {}, "the name is gone")


async def test_finder_posts_its_text(tape: Tape) -> None:
    async with (app := Listening(pane := FilterPane(Staged(handshake(tape))))).run_test() as pilot:
        await ready(pilot, pane)
        pane.open_finder()
        await until(lambda: pane.finder.has_focus_within, "the line has the focus")
        await pilot.press(*"sell", "enter")
        await until(lambda: app.sought()[-1:] == ["sell"], "what is sought")
        assert app.terms() == []


async def test_the_count_goes_with_the_filter(tape: Tape) -> None:
    pane = FilterPane(Staged(handshake(tape)))
    app = Listening(pane)
    model = LogModel(tape.journal, tape.clock)
    async with app.run_test(size=(80, 10)) as pilot:
        await ready(pilot, pane)
        pane.open()
        await until(lambda: pane.bar.has_focus_within, "the line has the focus")
        await pilot.press(*"method")
        await until(lambda: bool(app.terms()), "the filter")
        model.refresh()
        model.set_filter(app.terms()[-1])
        model.filter_step()
        pane.say(model, None)
        await pilot.pause()
        assert " of 5" in app.rows()[0]
        await pilot.press("escape")
        await until(lambda: app.terms()[-1] is None, "no filter")
        model.set_filter(None)
        pane.say(model, None)
        await pilot.pause()
        assert " of 5" not in app.rows()[0]


async def test_the_count_of_a_filter_that_nothing_matches_is_shown_after_a_look_without_the_filter(tape: Tape) -> None:
    model = LogModel(tape.journal, tape.clock)
    async with (app := Listening(pane := FilterPane(Staged(handshake(tape))))).run_test(size=(80, 10)) as pilot:
        await ready(pilot, pane)
        pane.set("tools/call")
        await until(lambda: bool(app.terms()), "the filter")
        model.refresh()
        pane.say(model, None)
        model.set_filter(app.terms()[-1])
        model.filter_step()
        pane.say(model, None)
        await pilot.pause()
        assert app.rows()[0].endswith("▲ 0 of 5")
