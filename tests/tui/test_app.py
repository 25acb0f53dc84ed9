"""The app: screens, keys and connections."""

import os
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from textual import events
from textual.binding import ActiveBinding
from textual.pilot import Pilot
from textual.widget import AwaitMount, Widget

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.session.engine import Engine, Live
from inspector.session.options import Settings
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.help.help import HelpScreen
from inspector.tui.screens.traffic.panel import TrafficPanel
from inspector.tui.theme import DARK_NAME, LIGHT_NAME
from inspector.tui.widgets.key_bars import MenuBar
from inspector.tui.widgets.virtual_list import LogList
from tests.architecture.sources import ROOT
from tests.captures.record import sample
from tests.settling import click
from tests.tui.screen_text import lines, press, text
from tests.waiting import until

REPO = ROOT
SIZE = (120, 36)


class Sitting:
    """The demo server behind an app, as often as it is asked for."""

    def __init__(self, *flags: str, held: bool = False) -> None:
        self.engine = Engine()
        self.held = held
        self.flags = flags
        self.lives: list[Live] = []

    def begin(self, *, held: bool = False) -> Live:
        environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={REPO}"])
        target = StdioTarget((sys.executable, "-m", "inspector.demo", *self.flags), environment, str(REPO))
        self.lives.append(Live(self.engine, target, start_capture(None), Settings(), held=held or self.held))
        return self.lives[-1]


@pytest.fixture
async def sitting() -> AsyncIterator[Sitting]:
    made = Sitting()
    yield made
    for live in made.lives:
        live.end().result(10)
    made.engine.stop()


async def connected(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, InspectApp)
    await until(lambda: app.conversation.stage is ConversationStage.OPEN, "connected")
    await until(lambda: "gull-rock-lighthouse" in text(app), "the server's name in the header")


async def test_the_first_picture_comes_before_the_first_message() -> None:
    sitting = Sitting(held=True)
    async with InspectApp(sitting.begin).run_test(size=SIZE) as pilot:
        await connected(pilot)
    sitting.lives[0].end().result(10)
    sitting.engine.stop()


async def test_digits_show_the_screens_and_escape_never_quits(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        await until(lambda: "tools/list" in text(app), "traffic")
        await press(pilot, "2", shows="complex_form")
        await press(pilot, "9", shows="Process")
        await press(pilot, "escape", "escape", "escape", shows="tools/list")
        assert app.is_running


async def test_the_likely_screens_are_filled_before_they_are_first_shown(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        await until(lambda: {*app.AHEAD} <= {*app.tab.panels}, "they are created")
        assert [name for name, panel in app.tab.panels.items() if panel.display] == ["traffic"]
        await press(pilot, "4", shows="hail_ship")
        assert [name for name, panel in app.tab.panels.items() if panel.display] == ["prompts"]


async def test_the_help_shows_the_keys_that_work_here_and_escape_closes_it(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        await press(pilot, "question_mark", shows="Everywhere")
        await pilot.press("escape")
        await until(lambda: "Everywhere" not in text(app), "no help")


async def test_reconnecting_shows_a_new_conversation_with_the_same_server(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        first = app.conversation
        await pilot.press("ctrl+r")
        await until(lambda: app.conversation is not first, "another subject")
        await until(lambda: app.conversation.stage is ConversationStage.OPEN, "connected again")
        await until(lambda: first.stage is ConversationStage.CLOSED, "the first one ended")
        await until(lambda: "prompts/list" in text(app), "its traffic")
    assert len(sitting.lives) == 2


async def test_control_c_without_a_call_explains_quitting(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE, notifications=True) as pilot:
        await connected(pilot)
        await press(pilot, "ctrl+c", shows="q quits")
        await pilot.press("q")
    assert app.return_code in (0, None)


async def test_the_theme_changes_and_stays_readable(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        assert app.theme == DARK_NAME
        await pilot.press("v T")
        assert app.theme == LIGHT_NAME
        await until(lambda: "tools/list" in text(app), "the traffic")


async def test_a_capture_opens_without_a_server() -> None:
    async with (app := InspectApp(replay=sample("handshake"))).run_test(size=SIZE, notifications=True) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "read")
        await until(lambda: "▸ Capture" in text(app), "the header")
        await press(pilot, "ctrl+r", shows="Opening is not available here")
    await app.conversation.end()


async def test_a_toast_reads_no_markup(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE, notifications=True) as pilot:
        await connected(pilot)
        app.toasts.say("[/nope] [@click=app.quit]x[/] \x1b[2J")
        await until(lambda: "[@click=app.quit]x[/]" in text(app), "the toast as it is")
        assert "\x1b" not in text(app)


async def test_internal_error_is_logged_without_values(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = InspectApp(replay=sample("handshake"))

    def sync() -> None:
        secret = "Bearer s3cr3t"
        raise ValueError(f"broken by \x1b[2J {len(secret)}")

    told: list[str] = []

    async def break_it() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "read")
            monkeypatch.setattr(app.panel, "sync", sync)
            await until(lambda: app._exception is not None, "the error")
            told.extend(str(each) for each in app._exit_renderables)
            await pilot.pause()

    with pytest.raises(ValueError, match="broken"):
        await break_it()
    await app.conversation.end()
    written = "".join(told) + capsys.readouterr().err
    assert "broken by ␛[2J" in written
    assert "s3cr3t" not in written.replace('secret = "Bearer s3cr3t"', "")
    assert "\x1b[2J" not in written


async def test_f1_shows_help_in_fields_filters_and_dialogs(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        for keys in (
            ("slash", "a"),
            ("escape", "escape", "2", "slash"),
            ("escape", "enter"),
            ("escape", "escape", "g O"),
        ):
            await pilot.press(*keys)
            await until(lambda: "F1 Help" in lines(app)[-1] or "? Help" in lines(app)[-1], f"the footer after {keys}")
            under = app.screen
            focused = under.focused
            await pilot.press("f1")
            await until(lambda: isinstance(app.screen, HelpScreen), f"help after {keys}")
            await pilot.press("f1")
            await until(lambda: not isinstance(app.screen, HelpScreen), f"no help after {keys}")
            assert app.screen is under
            assert under.focused is focused


async def test_replacing_view_keeps_the_focus() -> None:
    async with (app := InspectApp(replay=sample("harbour"))).run_test(size=SIZE) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture is read")
        await pilot.press("g g", "g x", "enter", "]", "]")
        panel = app.panel
        assert isinstance(panel, TrafficPanel)
        assert panel.detail.has_focus_within
        panel.detail.turn(1)  # hides the bytes, which have the focus, and asks for the focus of the headers
        await app._tick()  # the app looks before the focus has gone there
        await pilot.pause()
        assert app.focused is panel.detail.query_one("#headers")
        assert "HTTP" in text(app)
    await app.conversation.end()


async def test_focus_moves_to_a_visible_widget() -> None:
    async with (app := InspectApp(replay=sample("harbour"))).run_test(size=SIZE) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture is read")
        await pilot.press("g g", "g x", "enter")
        panel = app.panel
        assert isinstance(panel, TrafficPanel)
        await until(lambda: panel.detail.has_focus_within, "the detail has the focus")
        panel.detail.display = False
        await until(lambda: app.focused is panel.list.rows, "the list has the focus")
    await app.conversation.end()


async def test_every_valid_action_is_in_the_palette_on_each_screen() -> None:
    async with (app := InspectApp(replay=sample("lighthouse"))).run_test(size=SIZE) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "read")
        for digit in "123456789":
            await pilot.press(digit)
            offered = {command.id for command in app.commands()}
            bound = {
                found.binding.id
                for found in app.screen.active_bindings.values()
                if found.enabled and found.binding.id and _is_done(found, app)
            }
            assert bound - {"palette"} <= offered, digit
            assert {"screen.raw", "export", "theme", "help"} <= offered
    await app.conversation.end()


def _is_done(found: ActiveBinding, app: InspectApp) -> bool:
    name = found.binding.action.partition("(")[0]
    return name.startswith("app.") or found.node is app or hasattr(found.node, f"action_{name}")


async def test_a_menu_shows_itself_acts_by_its_second_key_and_closes(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        await press(pilot, "g", shows=("Go to   Esc Close", "o    Composer"))
        await pilot.press("escape")
        await until(lambda: "Esc Close" not in text(app), "it is closed")
        await pilot.press("g", "q")
        assert app.is_running, "a key that is not in the menu does nothing"
        assert not app.menus.is_open
        await pilot.press("g", "o")
        await until(lambda: app.tab.shown == "raw", "the Composer")
        await press(pilot, "escape", "1", "v", shows="Tree or wire order")
        await click(app, (5, 3))
        await until(lambda: not app.menus.is_open, "a click outside closes it")


async def test_a_menu_whose_second_key_is_typed_already_is_not_shown(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        mounted: list[Widget] = []
        mount = app.screen.mount

        def noted(*widgets: Widget, **place: Any) -> AwaitMount:
            mounted.extend(widgets)
            return mount(*widgets, **place)

        monkeypatch.setattr(app.screen, "mount", noted)
        for key in "go":
            app.post_message(events.Key(key, key))
        await until(lambda: app.tab.shown == "raw", "the Composer")
        assert not any(isinstance(each, MenuBar) for each in mounted)
        assert not app.menus.is_open
        await pilot.press("escape", "1", "g")
        await until(lambda: any(isinstance(each, MenuBar) for each in mounted), "shown, if no key follows")


async def test_key_change_is_painted_at_once() -> None:
    async with (app := InspectApp(replay=sample("lighthouse"))).run_test(size=SIZE) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "read")
        await pilot.pause()
        app.screen._update_timer.stop()
        app.post_message(events.Key("j", "j"))
        moved = app.panel.query_one(LogList)
        await until(lambda: moved.view.cursor > 0 and moved not in app.screen._dirty_widgets, "it is painted")
    await app.conversation.end()


async def test_a_tool_is_opened_from_the_palette_and_what_was_run_comes_first(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        await until(lambda: "echo" in {command.name for command in app.commands()}, "the tools are listed")
        await pilot.press("ctrl+p", *"echo", "enter")
        await until(lambda: app.tab.shown == "tools", "its form")
        await until(lambda: app.focused is not None, "a field has the focus")
        await press(pilot, "ctrl+p", shows="Palette")
        rows = app.screen.query_one(LogList).source
        assert "echo" in "".join(piece for piece, _ in rows.row(0, 100).spans)
