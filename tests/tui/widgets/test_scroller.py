"""A page scrolls by the keys of our lists, and goes from card to card."""

from textual.pilot import Pilot
from textual.widgets import Static

from inspector.tui.widgets.scroller import Scroller
from inspector.tui.widgets.section_card import SectionCard
from inspector.viewmodels.lines import Section, paragraph
from tests.tui.widgets.showing import Showing


def page(*heights: int) -> Scroller:
    texts = ("\n".join(f"card {number} line {line}" for line in range(height)) for number, height in enumerate(heights))
    cards = [SectionCard(Section(f"{number}", lines=paragraph(text))) for number, text in enumerate(texts)]
    return Scroller(*cards)


def chosen(pilot: Pilot[None]) -> str:
    focused = pilot.app.focused
    return focused.section.title if isinstance(focused, SectionCard) else ""


async def test_a_page_of_text_moves_at_once_and_stops_at_its_ends() -> None:
    scroller = Scroller(Static("\n".join(map(str, range(100)))))
    app = Showing(scroller)
    async with app.run_test(size=(20, 10)) as pilot:
        scroller.focus()
        for key, top in (("j", 2), ("down", 4), ("k", 2), ("pagedown", 11), ("pageup", 2), ("G", 90), ("j", 90)):
            await pilot.press(key)
            await pilot.pause()
            assert scroller.scroll_y == top, key
        await pilot.press("g")
        await pilot.pause()
        assert app.rows()[0].startswith("0")


async def test_j_goes_to_the_next_card_once_the_end_of_this_one_is_in_sight() -> None:
    scroller = page(3, 3, 30)
    async with Showing(scroller).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        scroller.query(SectionCard).first().focus()
        await pilot.press("j")
        await pilot.pause()
        assert chosen(pilot) == "1"
        await pilot.press("j")
        await pilot.pause()
        assert chosen(pilot) == "2"
        before = scroller.scroll_y
        await pilot.press("j")
        await pilot.pause()
        assert chosen(pilot) == "2"
        assert scroller.scroll_y == before + 2


async def test_k_goes_back_to_the_card_before() -> None:
    scroller = page(3, 3)
    async with Showing(scroller).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        scroller.query(SectionCard).last().focus()
        await pilot.press("k")
        await pilot.pause()
        assert chosen(pilot) == "0"


async def test_the_beginning_of_a_card_higher_than_the_page_is_shown_first() -> None:
    scroller = page(3, 40)
    app = Showing(scroller)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        scroller.query(SectionCard).first().focus()
        await pilot.press("j")
        await pilot.pause()
        assert any("card 1 line 0" in row for row in app.rows())
        assert not any("card 0" in row for row in app.rows())
