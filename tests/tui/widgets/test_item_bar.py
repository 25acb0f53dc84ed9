"""Lines of items: the least important goes first, nothing wraps, and a click finds what it was on."""

import pytest

from inspector.tui.styles import DARK_NAME, LIGHT_NAME, role_styles
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from tests.tui.widgets.showing import Showing


def item(text: str, **more: object) -> Item:
    return Item(((text, "text"),), **more)  # type: ignore[arg-type]


class Bar(ItemBar):
    """Remembers what was pressed."""

    def __init__(self, *lines: Line) -> None:
        super().__init__()
        self.pressed_names: list[str] = []
        self.show(lines)

    def pressed(self, name: str) -> None:
        self.pressed_names.append(name)


LINE = Line((item("name"), item("version", rank=2)), (item("state", rank=0), item("file", rank=3)))


async def shown(bar: ItemBar, width: int) -> list[str]:
    app = Showing(bar)
    async with app.run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        return app.rows()


async def test_left_and_right_stand_at_their_edges() -> None:
    assert (await shown(Bar(LINE), 30))[0] == "name  version      state  file"


@pytest.mark.parametrize(
    ("width", "seen"),
    [(28, "name version state file"), (27, "name version state"), (22, "name version state"), (21, "name state")],
)
async def test_what_has_no_room_goes_by_rank(width: int, seen: str) -> None:
    assert (await shown(Bar(LINE), width))[0].split() == seen.split()


async def test_where_even_the_rest_has_no_room_the_first_is_cut_and_the_last_stays() -> None:
    rows = await shown(Bar(Line((item("a long name"),), (item("state"),))), 14)
    assert rows[0] == "a lo…    state"


async def test_a_sign_says_that_something_was_left_out() -> None:
    line = Line((item("one", rank=1), item("two", rank=2)), (item("help"),), says_more=True)
    assert (await shown(Bar(line), 16))[0].split() == ["one", "two", "help"]
    assert (await shown(Bar(line), 15))[0].split() == ["one", "…", "help"]


async def test_what_has_no_room_is_shortened_before_anything_goes_and_the_least_important_first() -> None:
    items = (
        item("here"),
        item("3 three", rank=1, short=(("3", "text"),)),
        item("8 eight", rank=2, short=(("8", "text"),)),
    )
    line = Line(items, (item("end"),), says_more=True)
    assert (await shown(Bar(line), 31))[0].split() == ["here", "3", "three", "8", "eight", "end"]
    assert (await shown(Bar(line), 28))[0].split() == ["here", "3", "three", "8", "end"]
    assert (await shown(Bar(line), 20))[0].split() == ["here", "3", "8", "end"]
    assert (await shown(Bar(line), 16))[0].split() == ["here", "…", "end"]


async def test_the_inset_is_kept_free_at_both_edges() -> None:
    rows = await shown(Bar(Line((item("left"),), (item("right"),), inset=1)), 20)
    assert rows[0] == " left         right"


async def test_each_line_takes_one_row_and_another_line_another() -> None:
    bar = Bar(Line((item("one"),)))
    app = Showing(bar)
    async with app.run_test(size=(20, 5)) as pilot:
        assert bar.region.height == 1
        bar.show([Line((item("one"),)), Line((item("two"),), grave=True)])
        await pilot.pause()
        assert bar.region.height == 2
        assert app.rows()[:2] == ["one", "two"]


async def test_a_click_presses_what_is_under_it_and_the_ground_does_nothing() -> None:
    bar = Bar(Line((item("one", name="1"), item("two", name="2"), item("three"))))
    async with Showing(bar).run_test(size=(30, 5)) as pilot:
        for x in (0, 2, 3, 5, 7, 8, 10, 20):
            await pilot.click(bar, offset=(x, 0))
    assert bar.pressed_names == ["1", "1", "2", "2"]


async def test_what_acts_on_a_terminal_is_shown() -> None:
    assert (await shown(Bar(Line((item("a\x1b[2J"),))), 20))[0] == "a␛[2J"


@pytest.mark.parametrize("theme", [DARK_NAME, LIGHT_NAME])
async def test_inks_are_those_of_the_theme(theme: str) -> None:
    app = Showing(Bar(Line((Item((("fine", "ok"),)),))), theme=theme)
    async with app.run_test(size=(20, 3)):
        assert app.style_of("fine").color == role_styles(dark=theme == DARK_NAME)["ok"].color


async def test_the_same_again_is_not_painted_again() -> None:
    bar = Bar(LINE)
    async with Showing(bar).run_test(size=(40, 5)) as pilot:
        await pilot.pause()
        painted = 0

        def count(*regions: object, **more: object) -> ItemBar:
            nonlocal painted
            painted += 1
            return bar

        bar.refresh = count  # type: ignore[method-assign, assignment]
        bar.show([Line(LINE.left, LINE.right)])
        assert painted == 0
        bar.show([Line(LINE.left)])
        assert painted == 1
