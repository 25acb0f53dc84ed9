"""Things to choose from, side by side."""

from inspector.tui.widgets.segments import Segments
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


class Choosing(Showing):
    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        self.posted.append(event)
        event.control.choose(event.index)


def chosen(app: Showing) -> list[int]:
    return [message.index for message in app.posted if isinstance(message, Segments.Chosen)]


async def test_arrows_choose_the_next_and_go_round() -> None:
    app = Choosing(Segments(["unset", "true", "false"], (0,)))
    async with app.run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press("right", "right", "right", "left")
        assert chosen(app) == [1, 2, 0, 2]
        assert "● false" in text(app)
        assert "○ unset" in text(app)


async def test_a_letter_chooses_the_label_that_begins_with_it() -> None:
    app = Choosing(Segments(["unset", "true", "false"], (0,)))
    async with app.run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press("f", "t", "x")
        assert chosen(app) == [2, 1]


async def test_several_are_toggled_one_by_one() -> None:
    app = Choosing(Segments(["A", "B"], (), multi=True))
    async with app.run_test(size=(60, 3)) as pilot:
        app.query_one(Segments).focus()
        await pilot.press("right", "space")
        assert chosen(app) == [1]
        assert "✓ B" in text(app)


async def test_a_click_chooses() -> None:
    app = Choosing(Segments(["one", "two"], (0,)))
    async with app.run_test(size=(60, 3)) as pilot:
        await pilot.click(Segments, offset=(text(app).index("two"), 0))
        assert chosen(app) == [1]


async def test_labels_without_room_go_to_the_next_line() -> None:
    app = Choosing(Segments(["a" * 15, "b" * 15, "c" * 15], (0,)))
    async with app.run_test(size=(45, 5)):
        assert app.query_one(Segments).size.height == 2
        assert "c" * 15 in app.rows()[1]


async def test_foreign_labels_are_made_safe_and_read_as_no_markup() -> None:
    app = Choosing(Segments(["\x1b[31mred", "[bold]x[/]", ""], (0,)))
    async with app.run_test(size=(70, 3)):
        assert "␛[31mred" in text(app)
        assert "[bold]x[/]" in text(app)
        assert '""' in text(app)


async def test_labels_can_be_given_other_words() -> None:
    app = Choosing(Segments(["History"], (0,), tabs=True))
    async with app.run_test(size=(70, 3)) as pilot:
        app.query_one(Segments).relabel(["History 3"])
        await pilot.pause()
        assert "▸ History 3" in text(app)
