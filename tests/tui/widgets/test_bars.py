"""The footer and other bars: the keys that work now, and clicks on them."""

from types import SimpleNamespace
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.tui import keys
from inspector.tui import theme as styles
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import ConversationStage
from inspector.tui.theme import DARK_NAME, LIGHT_NAME, role_styles
from inspector.tui.widgets.bars import (
    BarItem,
    BarLine,
    FooterBar,
    ItemBar,
    MenuBar,
    Menus,
    StatusLine,
    TabLine,
    button_spans,
)
from inspector.tui.widgets.search_bar import SearchLine
from tests.tui.screen_text import lines
from tests.tui.widgets.showing import Showing


class Pane(Static, can_focus=True):
    """Binds what a list of traffic binds."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "unknown", "Own [/]", show=True),
        *keys.bindings(ActionScope.LIST, ActionScope.TRAFFIC, ActionScope.MOVING),
    ]
    allowed: bool | None = True
    done: ClassVar[list[str]] = []

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.allowed if action == "mark" else True

    def action_open(self) -> None:
        self.done.append("open")

    def action_mark(self) -> None:
        self.done.append("mark")

    def action_unknown(self) -> None:
        self.done.append("unknown")


class Plain(Static, can_focus=True):
    """Binds nothing."""


class Framed(App[None]):
    """A pane, a field, a footer."""

    pane: type[Static] = Pane

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(ActionScope.EVERYWHERE)

    def compose(self) -> ComposeResult:
        self.register_theme(styles.THEMES[0])
        self.theme = styles.DARK_NAME
        yield self.pane("pane")
        yield Input()
        yield FooterBar()

    def on_mount(self) -> None:
        Pane.done.clear()
        self.query_one(self.pane).focus()


async def footer(pilot: Pilot[None]) -> str:
    await pilot.pause()
    await pilot.pause()
    return lines(pilot.app)[-1].rstrip()


async def test_the_keys_of_the_place_stand_left_and_those_of_everywhere_right() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        said = await footer(pilot)
    assert said.startswith(" ⏎ Open  / Filter  m Mark  x Own [/]  g Go to  v View ")
    assert said.endswith("? Help  ^p Palette  q Quit")


async def test_footer_at_80_columns_keeps_help() -> None:
    async with Framed().run_test(size=(80, 10)) as pilot:
        said = await footer(pilot)
        assert said.endswith("? Help  q Quit")
        assert said.startswith(" ⏎ Open  / Filter  m Mark  x Own [/]  g Go to  v View")
        await pilot.resize_terminal(60, 10)
        said = await footer(pilot)
    assert said.startswith(" ⏎ Open  / Filter  g Go to  v View  …")
    assert said.endswith("? Help  q Quit")


async def test_footer_hides_letter_keys_while_typing() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pilot.app.query_one(Input).focus()
        said = await footer(pilot)
    assert "q Quit" not in said
    assert "Mark" not in said
    assert said.endswith("^p Palette")


async def test_footer_hides_disallowed_actions() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.allowed = False
        pane.refresh_bindings()
        assert "Mark" not in await footer(pilot)
        pane.allowed = True
        pane.refresh_bindings()
        assert "m Mark" in await footer(pilot)


async def test_a_click_does_what_the_key_does() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        said = await footer(pilot)
        for label in ("Open", "Mark", "Own"):
            await pilot.click(FooterBar, offset=(said.index(label), 0))
        await pilot.pause()
        assert Pane.done == ["open", "mark", "unknown"]


async def test_a_click_on_what_can_not_be_done_now_does_nothing() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.allowed = None
        pane.refresh_bindings()
        said = await footer(pilot)
        await pilot.click(FooterBar, offset=(said.index("Mark"), 0))
        await pilot.pause()
        assert Pane.done == []


async def test_a_key_given_by_the_person_is_the_one_shown() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pilot.app.set_keymap({"list.open": "o"})
        said = await footer(pilot)
    assert said.startswith(" o Open")


async def test_footer_shows_the_key_that_works_while_typing() -> None:
    class Both(Framed):
        BINDINGS: ClassVar[list[BindingType]] = keys.bindings(ActionScope.TOOLS, ActionScope.EVERYWHERE)
        pane = Plain

    async with Both().run_test(size=(110, 10)) as pilot:
        assert "? Help" in await footer(pilot)
        pilot.app.query_one(Input).focus()
        said = await footer(pilot)
    assert "F1 Help" in said
    assert "^o Form/JSON" in said
    assert "^j Call" in said
    assert " Filter" not in said


class Searching(App[None]):
    """A line to search with, above the footer."""

    def compose(self) -> ComposeResult:
        self.register_theme(styles.THEMES[0])
        self.theme = styles.DARK_NAME
        yield SearchLine("words")
        yield FooterBar()


async def test_footer_of_a_search_names_escape_keys() -> None:
    async with (app := Searching()).run_test(size=(60, 4)) as pilot:
        await pilot.pause()
        assert "⏎ Apply  Esc Clear" in lines(app)[-1]


class Offering(Static, can_focus=True):
    """Binds what the tools bind."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(ActionScope.TOOLS)


@pytest.mark.parametrize(
    "stage", [ConversationStage.OPEN, ConversationStage.CLOSED, ConversationStage.RECORDED, ConversationStage.LOADING]
)
async def test_footer_of_a_recording_hides_server_actions(stage: ConversationStage) -> None:
    class Shown(Framed):
        pane = Offering
        conversation = SimpleNamespace(is_recorded=stage in (ConversationStage.LOADING, ConversationStage.RECORDED))

    async with Shown().run_test(size=(110, 10)) as pilot:
        said = await footer(pilot)
        assert ("^j Call" in said) is (stage in (ConversationStage.OPEN, ConversationStage.CLOSED))
        assert "/ Filter" in said
        assert "s Save" in said


def item(text: str, **more: object) -> BarItem:
    return BarItem(((text, "text"),), **more)  # type: ignore[arg-type]


class Bar(ItemBar):
    """Remembers what was pressed."""

    def __init__(self, *lines: BarLine) -> None:
        super().__init__()
        self.pressed_names: list[str] = []
        self.show(lines)

    def pressed(self, name: str) -> None:
        self.pressed_names.append(name)


LINE = BarLine((item("name"), item("version", rank=2)), (item("state", rank=0), item("file", rank=3)))


async def shown(bar: ItemBar, width: int) -> list[str]:
    async with (app := Showing(bar)).run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        return app.rows()


async def test_left_and_right_stand_at_their_edges() -> None:
    assert (await shown(Bar(LINE), 30))[0] == "name  version      state  file"


@pytest.mark.parametrize(
    ("width", "seen"),
    [(28, "name version state file"), (27, "name version state"), (22, "name version state"), (21, "name state")],
)
async def test_bar_drops_items_by_rank(width: int, seen: str) -> None:
    assert (await shown(Bar(LINE), width))[0].split() == seen.split()


async def test_bar_cuts_the_first_item_at_last() -> None:
    rows = await shown(Bar(BarLine((item("a long name"),), (item("state"),))), 14)
    assert rows[0] == "a lo…    state"


async def test_bar_marks_omitted_items() -> None:
    line = BarLine((item("one", rank=1), item("two", rank=2)), (item("help"),), says_more=True)
    assert (await shown(Bar(line), 16))[0].split() == ["one", "two", "help"]
    assert (await shown(Bar(line), 15))[0].split() == ["one", "…", "help"]


async def test_bar_shortens_items_before_dropping() -> None:
    items = (
        item("here"),
        item("3 three", rank=1, short=(("3", "text"),)),
        item("8 eight", rank=2, short=(("8", "text"),)),
    )
    line = BarLine(items, (item("end"),), says_more=True)
    assert (await shown(Bar(line), 31))[0].split() == ["here", "3", "three", "8", "eight", "end"]
    assert (await shown(Bar(line), 28))[0].split() == ["here", "3", "three", "8", "end"]
    assert (await shown(Bar(line), 20))[0].split() == ["here", "3", "8", "end"]
    assert (await shown(Bar(line), 16))[0].split() == ["here", "…", "end"]


async def test_the_inset_is_kept_free_at_both_edges() -> None:
    rows = await shown(Bar(BarLine((item("left"),), (item("right"),), inset=1)), 20)
    assert rows[0] == " left         right"


async def test_each_line_takes_one_row_and_another_line_another() -> None:
    async with (app := Showing(bar := Bar(BarLine((item("one"),))))).run_test(size=(20, 5)) as pilot:
        assert bar.region.height == 1
        bar.show([BarLine((item("one"),)), BarLine((item("two"),), grave=True)])
        await pilot.pause()
        assert bar.region.height == 2
        assert app.rows()[:2] == ["one", "two"]


async def test_a_click_presses_what_is_under_it_and_the_ground_does_nothing() -> None:
    bar = Bar(BarLine((item("one", name="1"), item("two", name="2"), item("three"))))
    async with Showing(bar).run_test(size=(30, 5)) as pilot:
        for x in (0, 2, 3, 5, 7, 8, 10, 20):
            await pilot.click(bar, offset=(x, 0))
    assert bar.pressed_names == ["1", "1", "2", "2"]


async def test_bar_text_has_no_terminal_codes() -> None:
    assert (await shown(Bar(BarLine((item("a\x1b[2J"),))), 20))[0] == "a␛[2J"


@pytest.mark.parametrize("theme", [DARK_NAME, LIGHT_NAME])
async def test_inks_are_those_of_the_theme(theme: str) -> None:
    async with (app := Showing(Bar(BarLine((BarItem((("fine", "ok"),)),))), theme=theme)).run_test(size=(20, 3)):
        assert app.style_of("fine").color == role_styles(dark=theme == DARK_NAME)["ok"].color


async def test_the_same_again_is_not_painted_again() -> None:
    async with Showing(bar := Bar(LINE)).run_test(size=(40, 5)) as pilot:
        await pilot.pause()
        painted = 0

        def count(*regions: object, **more: object) -> ItemBar:
            nonlocal painted
            painted += 1
            return bar

        bar.refresh = count  # type: ignore[method-assign, assignment]
        bar.show([BarLine(LINE.left, LINE.right)])
        assert painted == 0
        bar.show([BarLine(LINE.left)])
        assert painted == 1


async def test_the_groups_stand_at_the_edges_and_the_left_one_is_cut_first() -> None:
    async with Showing(line := StatusLine()).run_test(size=(30, 3)) as pilot:
        line.show([("left", "muted")], [("right", "muted")])
        await pilot.pause()
        assert lines(pilot.app)[0] == " left" + " " * 19 + "right "
        line.show([("a long text at the left edge", "muted")], [("right", "muted")])
        await pilot.pause()
        assert lines(pilot.app)[0].endswith("…  right ")


async def test_click_on_a_tab_line_is_posted() -> None:
    tabs, clicked = TabLine(), []

    class Listening(Showing):
        def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
            clicked.append(message.name)

    async with Listening(tabs).run_test(size=(40, 3)) as pilot:
        tabs.show_tabs(("Tree", "Raw"), "Tree", [("p switches", "faint")])
        await pilot.pause()
        assert lines(pilot.app)[0].startswith(" Tree  Raw ")
        assert lines(pilot.app)[0].rstrip().endswith("p switches")
        await pilot.click(tabs, offset=(8, 0))
        await pilot.pause()
        assert clicked == ["Raw"]


@pytest.mark.parametrize("height", [15, 24])
async def test_a_menu_that_is_higher_than_the_screen_scrolls(height: int) -> None:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"
    entries = {
        letter: SimpleNamespace(binding=Binding(letter, "x", f"does {letter} " + "." * 30)) for letter in letters
    }
    menu = MenuBar("Go to", entries)  # type: ignore[arg-type]
    async with (app := Showing(menu)).run_test(size=(60, height)) as pilot:
        await pilot.pause()
        assert menu.size.height < height - 4, "the screen below is still visible"
        seen: set[str] = set()
        for _ in letters:
            seen |= {letter for letter in letters if f"does {letter} " in "".join(lines(app))}
            menu.pressed("more rows")
            await pilot.pause()
        assert seen == set(letters)


def test_main_button_is_filled_in_both_themes_and_keeps_its_brackets() -> None:
    ((label, role),) = button_spans("Call", "^j", "button")
    assert label == "[ Call ^j ]"
    assert all(role_styles(dark=dark)[role].bgcolor is not None for dark in (True, False))
    assert "".join(text for text, _ in button_spans("Back", "Esc")) == "[ Back Esc ]"


async def test_a_menu_that_opens_while_the_app_ends_is_not_shown() -> None:
    async with (app := Showing(Static(""))).run_test():
        menus = Menus(app)
        menus._bar = bar = MenuBar("Go to", {})
    app._screen_stacks["_default"] = [Screen()]  # one that is not attached any more
    menus._show(bar)
    assert not bar.is_attached
