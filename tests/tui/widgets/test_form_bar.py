"""A line that can be pressed."""

from inspector.tui.widgets.form_bar import ADD, REMOVE, UP, Deed, FormBar
from inspector.viewmodels.roles import Span
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


def deeds(app: Showing) -> list[str]:
    return [message.deed for message in app.posted if isinstance(message, FormBar.Pressed)]


class Bars(Showing):
    def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        self.posted.append(event)


async def test_enter_does_the_first_thing_and_letters_the_others() -> None:
    app = Bars(FormBar([("crew", "strong")], [Deed("fold", "fold"), UP, REMOVE]))
    async with app.run_test(size=(60, 3)) as pilot:
        app.query_one(FormBar).focus()
        await pilot.press("enter", "d", "K", "a")
        assert deeds(app) == ["fold", "remove", "up"]


async def test_the_letters_are_shown_only_with_the_focus() -> None:
    app = Bars(FormBar([("crew", "strong")], [ADD, REMOVE]))
    async with app.run_test(size=(60, 3)) as pilot:
        app.screen.set_focus(None)
        await pilot.pause()
        assert "× remove" in text(app)
        assert "remove d" not in text(app)
        app.query_one(FormBar).focus()
        await pilot.pause()
        assert "remove d" in text(app)


async def test_a_click_does_what_was_clicked() -> None:
    app = Bars(FormBar([("crew", "strong")], [ADD, REMOVE]))
    async with app.run_test(size=(60, 3)) as pilot:
        app.screen.set_focus(None)
        await pilot.pause()
        await pilot.click(FormBar, offset=(text(app).index("remove"), 0))
        await pilot.click(FormBar, offset=(1, 0))
        assert deeds(app) == ["remove", "add"]


async def test_a_line_without_deeds_takes_no_focus() -> None:
    app = Bars(FormBar([("name", "strong")]))
    async with app.run_test(size=(60, 3)):
        assert not app.query_one(FormBar).focusable


async def test_a_full_line_keeps_its_deeds_and_cuts_its_words() -> None:
    app = Bars(FormBar([("n" * 100, "strong")], [ADD]))
    async with app.run_test(size=(40, 3)):
        first, second = app.rows()[:2]
        assert "…" in first
        assert "+ add" in second


async def test_what_has_no_room_in_one_line_goes_on_in_the_next() -> None:
    spans: list[Span] = [
        ("callsign", "strong"),
        ("  Call sign of the ship", "text"),
        ("  text · matches ^[A-Z]{2,4}$", "faint"),
    ]
    app = Bars(FormBar(spans, [ADD, REMOVE]))
    async with app.run_test(size=(44, 5)) as pilot:
        bar = app.query_one(FormBar)
        app.screen.set_focus(None)
        await pilot.pause()
        assert [row.rstrip() for row in app.rows()[:3]] == [
            "callsign  Call sign of the ship",
            "  text · matches ^[A-Z]{2,4}$",
            "  + add  × remove",
        ]
        await pilot.click(FormBar, offset=(12, 2))
        await pilot.click(FormBar, offset=(12, 1))
        assert deeds(app) == ["remove", "add"]
        bar.show(spans[:1])
        await pilot.pause()
        assert app.rows()[0].rstrip() == "callsign  + add ⏎  × remove d"
        assert bar.size.height == 1
