"""The footer shows the keys that work now, and a click on one does what it does."""

from types import SimpleNamespace
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.tui import keys, styles
from inspector.tui.keys import Where
from inspector.tui.subject import Stage
from inspector.tui.widgets.footer_bar import FooterBar
from inspector.tui.widgets.search_bar import SearchLine
from tests.tui.screen_text import lines


class Pane(Static, can_focus=True):
    """Binds what a list of traffic binds."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "unknown", "Own [/]", show=True),
        *keys.bindings(Where.LIST, Where.TRAFFIC, Where.MOVING),
    ]
    allowed: bool | None = True
    done: ClassVar[list[str]] = []

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.allowed if action == "freeze" else True

    def action_open(self) -> None:
        self.done.append("open")

    def action_freeze(self) -> None:
        self.done.append("freeze")

    def action_unknown(self) -> None:
        self.done.append("unknown")


class Plain(Static, can_focus=True):
    """Binds nothing."""


class Framed(App[None]):
    """A pane, a field, a footer."""

    pane: type[Static] = Pane

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.EVERYWHERE)

    def compose(self) -> ComposeResult:
        self.register_theme(styles.DARK)
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
    assert said.startswith(" ⏎ Open  F Follow  P Freeze  / Filter  T Tree/order  W Waterfall  x Own [/] ")
    assert said.endswith("? Help  ^p Palette  q Quit")


async def test_at_80_columns_the_palette_goes_first_and_help_stays() -> None:
    async with Framed().run_test(size=(80, 10)) as pilot:
        said = await footer(pilot)
        assert said.endswith("? Help  q Quit")
        assert said.startswith(" ⏎ Open  F Follow  P Freeze  / Filter  T Tree/order  …")
        await pilot.resize_terminal(60, 10)
        said = await footer(pilot)
    assert said.startswith(" ⏎ Open  F Follow  P Freeze  / Filter  …")
    assert said.endswith("? Help  q Quit")


async def test_while_somebody_types_letters_are_no_keys() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pilot.app.query_one(Input).focus()
        said = await footer(pilot)
    assert "q Quit" not in said
    assert "Freeze" not in said
    assert said.endswith("^p Palette")


async def test_what_is_not_offered_is_not_shown() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.allowed = False
        pane.refresh_bindings()
        assert "Freeze" not in await footer(pilot)
        pane.allowed = True
        pane.refresh_bindings()
        assert "P Freeze" in await footer(pilot)


async def test_a_click_does_what_the_key_does() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        said = await footer(pilot)
        for label in ("Open", "Freeze", "Own"):
            await pilot.click(FooterBar, offset=(said.index(label), 0))
        await pilot.pause()
        assert Pane.done == ["open", "freeze", "unknown"]


async def test_a_click_on_what_can_not_be_done_now_does_nothing() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.allowed = None
        pane.refresh_bindings()
        said = await footer(pilot)
        await pilot.click(FooterBar, offset=(said.index("Freeze"), 0))
        await pilot.pause()
        assert Pane.done == []


async def test_a_key_given_by_the_person_is_the_one_shown() -> None:
    async with Framed().run_test(size=(110, 10)) as pilot:
        pilot.app.set_keymap({"list.open": "o"})
        said = await footer(pilot)
    assert said.startswith(" o Open")


async def test_of_two_keys_the_one_that_works_while_somebody_types_is_shown() -> None:
    class Both(Framed):
        BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.TOOLS, Where.EVERYWHERE)
        pane = Plain

    async with Both().run_test(size=(110, 10)) as pilot:
        assert "e Form/JSON" in await footer(pilot)
        pilot.app.query_one(Input).focus()
        said = await footer(pilot)
    assert "^o Form/JSON" in said
    assert "History" not in said
    assert "^j Call" in said
    assert " Filter" not in said


class Searching(App[None]):
    """A line to search with, above the footer."""

    def compose(self) -> ComposeResult:
        self.register_theme(styles.DARK)
        self.theme = styles.DARK_NAME
        yield SearchLine("words")
        yield FooterBar()


async def test_while_one_types_a_search_it_says_how_to_get_out_by_the_first_key() -> None:
    app = Searching()
    async with app.run_test(size=(60, 4)) as pilot:
        await pilot.pause()
        assert "⏎ Go  Esc Clear" in lines(app)[-1]


class Offering(Static, can_focus=True):
    """Binds what the tools bind."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.TOOLS)


@pytest.mark.parametrize("stage", [Stage.OPEN, Stage.CLOSED, Stage.RECORDED, Stage.LOADING])
async def test_what_needs_a_server_is_not_offered_of_a_recording(stage: Stage) -> None:
    class Shown(Framed):
        pane = Offering
        subject = SimpleNamespace(stage=stage)

    async with Shown().run_test(size=(110, 10)) as pilot:
        said = await footer(pilot)
        assert ("^j Call" in said) is (stage in (Stage.OPEN, Stage.CLOSED))
        assert "/ Filter" in said
        assert "h History" in said
