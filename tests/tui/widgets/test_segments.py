"""Things to choose from, side by side."""

from inspector.tui.widgets.segments import Segments
from tests.tui.screen_text import shows, text
from tests.tui.widgets.showing import Showing


class Choosing(Showing):
    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        self.posted.append(event)
        event.control.choose(event.index)


def chosen(app: Showing) -> list[int]:
    return [message.index for message in app.posted if isinstance(message, Segments.Chosen)]


async def test_arrows_choose_the_next_and_go_round() -> None:
    async with (app := Choosing(Segments(["unset", "true", "false"], (0,)))).run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press("right", "right", "right", "left")
        assert chosen(app) == [1, 2, 0, 2]
        await shows(app, "● false", "○ unset")


async def test_a_letter_chooses_the_label_that_begins_with_it() -> None:
    async with (app := Choosing(Segments(["unset", "true", "false"], (0,)))).run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press("f", "t", "x")
        assert chosen(app) == [2, 1]
        await pilot.press("backspace", "n", "y", *"es", *"no")
        assert chosen(app) == [2, 1, 2, 1, 2]


async def test_several_are_toggled_one_by_one() -> None:
    async with (app := Choosing(Segments(["A", "B"], (), multi=True))).run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press("right", "space")
        assert chosen(app) == [1]
        assert "✓ B" in text(app)


async def test_whole_words_choose_one_of_several_each() -> None:
    words = Segments(["fast", "slow", "read", "readonly"], (), multi=True)
    async with (app := Choosing(words)).run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press(*"fast")
        assert chosen(app) == [0]
        await pilot.press(*"slow")
        assert chosen(app) == [0, 1]
        await pilot.press(*"readonly")
        assert chosen(app) == [0, 1, 2, 2, 3]


async def test_a_word_that_begins_no_label_chooses_none_by_its_letters() -> None:
    async with (app := Choosing(Segments(["unset", "green", "dark", "ember"], (0,)))).run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press(*"red")
        assert chosen(app) == []
        await pilot.press("backspace", *"da")
        assert chosen(app) == [2]
        await pilot.press(*"mge")
        assert chosen(app) == [2]


async def test_a_click_chooses() -> None:
    async with (app := Choosing(Segments(["one", "two"], (0,)))).run_test(size=(60, 3)) as pilot:
        await pilot.click(Segments, offset=(text(app).index("two"), 0))
        assert chosen(app) == [1]


async def test_labels_without_room_go_to_the_next_line() -> None:
    async with (app := Choosing(Segments(["a" * 15, "b" * 15, "c" * 15], (0,)))).run_test(size=(45, 5)):
        assert app.query_one(Segments).size.height == 2
        assert "c" * 15 in app.rows()[1]


async def test_foreign_labels_are_made_safe_and_read_as_no_markup() -> None:
    async with (app := Choosing(Segments(["\x1b[31mred", "[bold]x[/]", ""], (0,)))).run_test(size=(70, 3)):
        await shows(app, "␛[31mred", "[bold]x[/]", '""')


async def test_labels_can_be_given_other_words() -> None:
    async with (app := Choosing(Segments(["History"], (0,), tabs=True))).run_test(size=(70, 3)):
        app.query_one(Segments).relabel(["History 3"])
        await shows(app, "▸ History 3")
