"""The one table of actions: every part is in it, each key means one thing, and each action is two keys away."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.dom import DOMNode
from textual.widgets import Static

import inspector.tui
from inspector.tui import actions, keymap, keys
from inspector.tui.actions import MENUS, ActionScope
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage, why_silent
from inspector.tui.demo_hint import STEPS
from inspector.tui.keys import ACTIONS, HEADER, TOGETHER
from inspector.tui.theme import Glyphs
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.staging import Staged

ONE_MEANING = {
    "r": {"refresh", "result.again", "saved.run", "tasks.fetch", "skills.list", "captures.refresh"},
    "n": {"traffic.find_next", "timeline.find_next", "json.next", "compare.next", "replay.match"},
    "N": {
        *("traffic.find_previous", "timeline.find_previous", "json.previous", "compare.previous"),
        "replay.match_before",
    },
    "s": {"tools.save", "resources.save", "prompts.save", "app.save", "trace.save", "marks.view"},
    "o": {"network.entry", "timeline.go", "composer.entry", "result.traffic", "tasks.call"},
    "y": {"copy", "trace.copy", "login.copy"},
    "d": {"json.decode"},
    "e": {"payload.editor", "marks.comment"},
    "m": {"traffic.mark", "marks.colour", "export.notes"},
    "w": {"text.wrap"},
    "a": {"columns.add", "start.add"},
    "i": {"tools.info", "resources.info", "prompts.info"},
    "j": {"move.down"},
    "k": {"move.up"},
    "G": {"move.last"},
    "Y": {"payload.copy", "traffic.copy_as", "copy.leave"},
    "Q": {"login.qr", "qr.back"},
    "t": {"start.demo"},
    "g": {"menu.go"},
    "v": {"menu.view"},
    "f": {"menu.filter"},
    "x": {"menu.act"},
}
"""A letter means this on every screen; `q` leaves what is on top."""
NEVER = {"ctrl+i", "ctrl+m", "ctrl+[", "ctrl+left_square_bracket", "ctrl+s", "ctrl+q"}
_NAMED = {
    *("enter", "escape", "tab", "shift+tab", "space", "pageup", "pagedown"),
    *("up", "down", "left", "right", "home", "end"),
}
_HARD = set("&_%@#\\;'^$\"~`")
"""Signs that need a dead key or AltGr on German, French or Nordic layouts."""

_MORE_WAYS = {"help.typing", "confirm.yes"}
"""Actions that other keys do, too: `?`, or → and Enter."""


def _all_modules() -> None:
    for found in pkgutil.walk_packages(inspector.tui.__path__, "inspector.tui."):
        importlib.import_module(found.name)


def _descendants(kind: type[object]) -> set[type[object]]:
    return {kind, *(each for below in kind.__subclasses__() for each in _descendants(below))}


def test_every_key_that_a_widget_or_dialog_of_ours_binds_is_in_the_table() -> None:
    _all_modules()
    ours = [each for each in _descendants(DOMNode) if each.__module__.startswith("inspector.")]
    known = {action.id for action in ACTIONS}
    own = {
        (each.__name__, getattr(binding, "id", None))
        for each in ours
        for binding in each.__dict__.get("BINDINGS", ())
        if getattr(binding, "id", None) not in known and getattr(binding, "show", False)
    }
    assert own == set()


async def test_the_app_or_a_part_of_it_has_each_action_of_the_app() -> None:
    app = InspectApp(replay=sample("handshake"))
    for action in ACTIONS:
        name = action.action.removeprefix("app.").partition("(")[0]
        if action.action.startswith("app.") or action.where in (ActionScope.EVERYWHERE, ActionScope.REPLAY):
            assert name in app._action_owners or hasattr(app, f"action_{name}"), action.id
    await app.conversation.end()


def test_an_action_explains_itself() -> None:
    for action in ACTIONS:
        assert 0 < len(action.label) <= 24, action.id
        assert action.label[0].isupper() or action.id == "tools.stderr", action.id
        assert action.sentence.endswith("."), action.id


def test_the_first_key_of_an_action_reaches_us_from_every_terminal() -> None:
    for action in ACTIONS:
        assert not NEVER & set(action.keys), action.id
        assert not action.priority or all(len(key) > 1 for key in action.keys), (
            f"{action.id}: a letter is text in a field"
        )
        first = action.keys[0].rpartition(" ")[2] if action.keys[0] != " " else " "
        control = first.startswith("ctrl+") and len(first) == 6 and first[5].isalpha()
        is_sent = len(first) == 1 or first in _NAMED or control or first == "ctrl+@"
        assert is_sent or action.id in _MORE_WAYS, action.id
        assert not set(action.keys) <= _HARD, f"{action.id}: never the only key"


def test_an_action_is_at_most_two_keys_away() -> None:
    for key in (key for action in ACTIONS for key in action.keys):
        leader, _, second = key.strip().rpartition(" ")
        assert not leader or (leader in MENUS and second), key


def test_an_id_is_given_once() -> None:
    assert max(Counter(action.id for action in ACTIONS).values()) == 1


def test_the_nine_screens_are_on_the_nine_digits() -> None:
    assert [action.keys for action in HEADER] == [(str(digit),) for digit in range(1, 10)]


def test_few_printable_keys_act_at_once() -> None:
    assert len({key for action in ACTIONS for key in action.keys if key == "space" or len(key) == 1}) <= 50


def test_a_letter_means_the_same_on_every_screen() -> None:
    for action in ACTIONS:
        for key in action.keys:
            if len(key) == 1 and key.isalpha() and key != "q":
                assert action.id in ONE_MEANING[key], f"{key}: {action.id}"


@pytest.mark.parametrize("places", TOGETHER)
def test_key_has_one_meaning_per_place(places: tuple[str, ...]) -> None:
    meanings: dict[str, set[str]] = {}
    for action in ACTIONS:
        if action.where in places:
            for key in action.keys:
                meanings.setdefault(key, set()).add(action.id)
    twice = {key: ids for key, ids in meanings.items() if len(ids) > 1}
    nearer = {key: ids for key, ids in twice.items() if ids <= ONE_MEANING.get(key, set())}
    assert {key: ids for key, ids in twice.items() if key not in nearer and not _goes_back(ids)} == {}


def _goes_back(ids: set[str]) -> bool:
    """Escape goes back from the innermost thing; in the panes of a screen a slash filters the list or searches."""
    return all(each.rpartition(".")[2] in ("back", "leave", "unfind", "quit", "filter", "find") for each in ids)


_SENDS = {"Call", "Read", "Get", "Respond", "Send", "Apply", "Continue", "Confirm", "Approve", "Release", "Save"}


def test_a_control_or_function_key_means_the_same_wherever_it_means_anything() -> None:
    meanings: dict[str, set[str]] = {}
    for action in ACTIONS:
        for key in action.keys:
            if key.startswith("ctrl+") or key in {f"f{number}" for number in range(1, 13)}:
                label = "Send" if action.label in _SENDS else action.label
                meanings.setdefault(key, set()).add(label)
    for key, labels in {
        "ctrl+e": {"Editor", "Type"},  # a payload has no fields, and text in a field no editor
        "ctrl+l": {"Unset", "Remove"},  # an item, or a property of one's own, is left out by removing it
        "ctrl+n": {"Null", "Next suggestion"},  # a filter has no values that could be null
        "ctrl+right": {"Next tab", "Next message", "Raise level"},
        "ctrl+left": {"Previous tab", "Previous message", "Lower level"},
        "ctrl+p": {"Palette", "Close"},
        "ctrl+j": {"Send", "Choose"},  # what sends must not confirm
        "f1": {"Help", "Close"},
    }.items():
        assert meanings.pop(key) == labels
    assert {key: labels for key, labels in meanings.items() if len(labels) > 1} == {}


def test_keys_are_written_as_people_write_them() -> None:
    named = ("ctrl+p", "f5", "enter", "f", "G", "ctrl+enter", "g t", "x space", "ctrl+@")
    assert [keys.key_name(key) for key in named] == ["^p", "F5", "⏎", "f", "G", "^⏎", "g t", "x Space", "^Space"]
    assert keys.action("move.down").key_text == "j  ↓"


def test_the_help_lists_every_action_of_a_place() -> None:
    ((heading, rows),) = keys.help_text(ActionScope.LIST)
    assert heading is ActionScope.LIST
    assert [shown for shown, _ in rows] == ["⏎", "Space", "v f", "v p"]


class Mover(Static, can_focus=True):
    BINDINGS = keys.bindings(ActionScope.MOVING)

    def __init__(self) -> None:
        super().__init__()
        self.moved: list[int] = []

    def action_move(self, by: int) -> None:
        self.moved.append(by)


class OneWidget(App[None]):
    def __init__(self, keymap: dict[str, str] | None = None) -> None:
        super().__init__()
        self.mover = Mover()
        self.set_keymap(keymap or {})

    def compose(self) -> ComposeResult:
        yield self.mover


async def test_each_key_of_an_action_runs_it() -> None:
    async with (app := OneWidget()).run_test() as pilot:
        await pilot.press("j", "down", "k", "up")
    assert app.mover.moved == [1, 1, -1, -1]


async def test_an_action_can_be_given_another_key_by_its_id() -> None:
    async with (app := OneWidget({"move.down": "z"})).run_test() as pilot:
        await pilot.press("z", "j")
    assert app.mover.moved == [1]


def test_a_terminal_without_unicode_reads_words_for_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [keys.key_name(key) for key in ("enter", "ctrl+p", "f5", "j")] == ["⏎", "^p", "F5", "j"]
    monkeypatch.setattr(actions, "glyphs", lambda: Glyphs(to_server=">"))
    assert [keys.key_name(key) for key in ("enter", "up", "ctrl+enter", "escape")] == ["Enter", "Up", "^Enter", "Esc"]


def test_own_keys_are_read_by_id_and_each_mistake_is_one_sentence_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(
        '"traffic.tree" = "z"\nlist.follow = ["F", "v f"]\n"no.such" = "b"\n"move.down" = "q"\n'
        'copy = "ctrl+s"\nlayout = "z t"\nhelp = 7\n'
    )
    own = keymap.load(file)
    assert own.keys == {"traffic.tree": ("z",), "list.follow": ("F", "v f")}
    assert own.for_textual == {"traffic.tree": "z", "list.follow": "F,v f"}
    found = sorted(problem.removeprefix(f"{file}:") for problem in own.problems)
    assert [each[0] for each in found] == ["3", "4", "5", "6", "7"]
    assert "unknown action 'no.such'" in found[0]
    assert "'q' of 'move.down' is already the key of 'quit'" in found[1]
    assert "flow control" in found[2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", "keys.toml"),
        ('"copy" = ""\n', "must be a string"),
        ('"copy" = "hyper+q"\n', "unknown key"),
        ("\udcff", "keys.toml: not UTF-8 at byte 0"),
    ],
)
def test_invalid_keymap_changes_nothing_and_has_a_reason(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(text, errors="surrogateescape")
    own = keymap.load(file)
    assert own.keys == {}
    assert said in own.problems[0]
    assert keymap.load(tmp_path / "none.toml") == keymap.Keymap()


def test_a_key_may_move_from_one_action_to_another_in_one_file() -> None:
    assert keymap.checked({"quit": "Z", "copy": "q"}).problems == ()


@pytest.fixture
def remapped() -> Iterator[None]:
    keys.rebind({each.id: ("f9",) for each in keys.ACTIONS})
    yield
    keys.rebind({})


@pytest.mark.usefixtures("remapped")
def test_hints_name_the_keys_of_the_user() -> None:
    tape = Tape()
    why = [
        why_silent(Staged(tape, stage=stage)) for stage in (ConversationStage.CONNECTING, ConversationStage.RECORDED)
    ]
    hints = [*why, *(step.text("server") for step in STEPS)]
    assert all("F9" in hint for hint in hints), hints
