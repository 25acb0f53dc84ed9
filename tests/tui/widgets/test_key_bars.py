"""The footer and the menus: the keys that work now, and clicks on them."""

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
from inspector.tui.widgets.key_bars import FooterBar, MenuBar, Menus
from inspector.tui.widgets.search_bar import SearchLine
from tests.tui.screen_text import lines
from tests.tui.widgets.showing import Showing


class Pane(Static, can_focus=True):
    """Binds what a list of traffic binds."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "unknown", "Own [/]", show=True),
        *keys.bindings(ActionScope.LIST, "Traffic", ActionScope.MOVING),
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
        BINDINGS: ClassVar[list[BindingType]] = keys.bindings("Tools", ActionScope.EVERYWHERE)
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

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("Tools")


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


async def test_a_menu_that_opens_while_the_app_ends_is_not_shown() -> None:
    async with (app := Showing(Static(""))).run_test():
        menus = Menus(app)
        menus.bar = bar = MenuBar("Go to", {})
    app._screen_stacks["_default"] = [Screen()]  # one that is not attached any more
    menus._show(bar)
    assert not bar.is_attached
