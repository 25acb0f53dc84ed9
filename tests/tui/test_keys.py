"""The keys of a comparison."""

from collections import Counter

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from inspector.tui import actions, keys
from inspector.tui.actions import Action, ActionScope
from inspector.tui.app import InspectApp
from inspector.tui.keys import ACTIONS, COMPARING, EXPORTING, SESSIONS, SHELF, TABBING, TIMELINE
from inspector.tui.screens.export.dialog import ExportScreen
from inspector.tui.screens.sessions.compare import CompareScreen
from inspector.tui.screens.sessions.panel import SessionsPanel
from inspector.tui.screens.start.start import OpenScreen
from inspector.tui.screens.traffic.timeline import TimelinePanel
from inspector.tui.theme import Glyphs
from tests.captures.record import sample


def test_they_are_part_of_the_table_and_no_key_means_two_things() -> None:
    assert set(COMPARING) <= set(ACTIONS)
    for action in COMPARING:
        assert hasattr(CompareScreen, f"action_{action.action.partition('(')[0]}"), action.id
    places = (ActionScope.MOVING, ActionScope.LIST, ActionScope.COMPARE)
    used = [key for action in ACTIONS if action.where in places for key in action.keys]
    assert len(used) == len(set(used))


def test_they_are_part_of_the_table_and_somebody_does_what_they_ask_for() -> None:
    assert set(EXPORTING) <= set(ACTIONS)
    for action in EXPORTING:
        if action.where is ActionScope.EXPORT:
            assert hasattr(ExportScreen, f"action_{action.action.partition('(')[0]}"), action.id


async def test_the_app_or_a_part_of_it_has_each_action_of_the_app() -> None:
    app = InspectApp(replay=sample("handshake"))
    everywhere = (ActionScope.EVERYWHERE, ActionScope.REPLAY)
    for action in ACTIONS:
        name = action.action.removeprefix("app.").partition("(")[0]
        if action.action.startswith("app.") or action.where in everywhere:
            assert name in app._action_owners or hasattr(app, f"action_{name}"), action.id
    await app.subject.end()


TOGETHER = (
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.LIST,
        ActionScope.TRAFFIC,
        ActionScope.FINDING,
        ActionScope.DETAIL,
    ),
    (ActionScope.SEARCH, ActionScope.FILTER),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.JSON,
        ActionScope.PAYLOAD,
        ActionScope.TRAFFIC,
        ActionScope.DETAIL,
    ),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.TEXT,
        ActionScope.PAYLOAD,
        ActionScope.TRAFFIC,
        ActionScope.DETAIL,
    ),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.JSON,
        ActionScope.PAYLOAD,
        ActionScope.TOOLS,
        ActionScope.OFFERED,
        ActionScope.RESULT,
        ActionScope.DETAIL,
    ),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.LIST,
        ActionScope.TOOLS,
        ActionScope.OFFERED,
        ActionScope.RESULT,
        ActionScope.DETAIL,
    ),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.JSON,
        ActionScope.PAYLOAD,
        ActionScope.RESOURCES,
        ActionScope.OFFERED,
        ActionScope.RESULT,
        ActionScope.DETAIL,
    ),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.LIST,
        ActionScope.RESOURCES,
        ActionScope.OFFERED,
        ActionScope.RESULT,
        ActionScope.DETAIL,
    ),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.JSON,
        ActionScope.PAYLOAD,
        ActionScope.PROMPTS,
        ActionScope.OFFERED,
        ActionScope.RESULT,
        ActionScope.DETAIL,
    ),
    (
        ActionScope.EVERYWHERE,
        ActionScope.MOVING,
        ActionScope.LIST,
        ActionScope.PROMPTS,
        ActionScope.OFFERED,
        ActionScope.RESULT,
        ActionScope.DETAIL,
    ),
    (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, ActionScope.INBOX),
    (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.SERVER),
    (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.JSON, ActionScope.PAYLOAD, ActionScope.RAW),
    (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, ActionScope.RAW),
    (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, ActionScope.SKILLS),
    (ActionScope.MOVING, ActionScope.LIST, ActionScope.START),
)
ARROWS = {"left", "right", "up", "down"}
NEVER = {"ctrl+i", "ctrl+m", "ctrl+[", "ctrl+left_square_bracket", "ctrl+s", "ctrl+q"}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_an_action_explains_itself(action: Action) -> None:
    assert 0 < len(action.label) <= 16
    assert action.tooltip.endswith(".")
    assert action.keys
    assert not NEVER & set(action.keys)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_the_first_key_reaches_us_from_every_terminal(action: Action) -> None:
    first = action.keys[0]
    if action.id == "help.typing":  # where `?` is text: the key of help everywhere, and Esc ? is another way
        assert first == "f1"
        return
    named = first in {"enter", "escape", "tab", "shift+tab", "space", "pageup", "pagedown", "comma", *ARROWS}
    control = first.startswith("ctrl+") and len(first) == 6 and first[5].isalpha()
    assert len(first) == 1 or named or control or first == "ctrl+@"  # that one is a byte of its own: NUL


def test_an_id_is_given_once() -> None:
    assert max(Counter(action.id for action in ACTIONS).values()) == 1


@pytest.mark.parametrize("places", TOGETHER)
def test_where_actions_meet_no_key_means_two_things(places: tuple[ActionScope, ...]) -> None:
    counts = Counter(key for action in ACTIONS if action.where in places for key in action.keys)
    assert [key for key, count in counts.items() if count > 1] == []


def test_what_works_while_somebody_types_is_no_letter() -> None:
    for action in ACTIONS:
        if action.priority:
            assert all(len(key) > 1 for key in action.keys), action.id


def test_keys_are_written_as_people_write_them() -> None:
    assert [keys.key_name(key) for key in ("ctrl+p", "f5", "enter", "f", "G", "ctrl+enter")] == [
        "^p",
        "F5",
        "⏎",
        "f",
        "G",
        "^⏎",
    ]
    assert keys.action("move.down").key_text == "j  ↓"


def test_the_help_lists_every_action_of_a_place() -> None:
    ((heading, rows),) = keys.help_text(ActionScope.LIST)
    assert heading is ActionScope.LIST
    assert [shown for shown, _ in rows] == ["⏎", "F", "Space", "P"]


async def test_each_key_of_an_action_runs_it() -> None:
    moved: list[int] = []

    class Mover(Static, can_focus=True):
        BINDINGS = keys.bindings(ActionScope.MOVING)

        def action_move(self, by: int) -> None:
            moved.append(by)

    class OneWidget(App[None]):
        def compose(self) -> ComposeResult:
            yield Mover()

    async with OneWidget().run_test() as pilot:
        await pilot.press("j", "down", "k", "up")
    assert moved == [1, 1, -1, -1]


async def test_an_action_can_be_given_another_key_by_its_id() -> None:
    moved: list[int] = []

    class Mover(Static, can_focus=True):
        BINDINGS = keys.bindings(ActionScope.MOVING)

        def action_move(self, by: int) -> None:
            moved.append(by)

    class OneWidget(App[None]):
        def compose(self) -> ComposeResult:
            yield Mover()

        def on_mount(self) -> None:
            self.set_keymap({"move.down": "x"})

    async with OneWidget().run_test() as pilot:
        await pilot.press("x", "j")
    assert moved == [1]


def test_a_terminal_without_unicode_reads_words_for_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [keys.key_name(key) for key in ("enter", "ctrl+p", "f5", "j")] == ["⏎", "^p", "F5", "j"]
    monkeypatch.setattr(actions, "glyphs", lambda: Glyphs(to_server=">"))
    assert [keys.key_name(key) for key in ("enter", "up", "ctrl+enter", "escape")] == ["Enter", "Up", "^Enter", "Esc"]


def test_they_are_part_of_the_table_and_the_screen_does_what_they_ask_for() -> None:
    assert {*SESSIONS, *SHELF} <= set(ACTIONS)
    for action in SHELF:
        assert hasattr(SessionsPanel, f"action_{action.action}"), action.id


def test_they_are_part_of_the_table() -> None:
    assert set(TABBING) | set(TIMELINE) <= set(ACTIONS)


def test_panel_and_screen_do_what_they_ask_for() -> None:
    owners = {ActionScope.TIMELINE: TimelinePanel, ActionScope.OPEN: OpenScreen}
    for action in TIMELINE:
        assert hasattr(owners[action.where], f"action_{action.action.partition('(')[0]}"), action.id
