"""Definition of actions: their scope, their keys, how keys are written, and how actions.txt is read.

The table of all actions is `keys`.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from textual.binding import Binding
from textual.dom import DOMNode

from inspector.tui.theme import glyphs

MENUS: Final = {"g": "Go to", "v": "View", "f": "Filter by", "x": "Act"}
"""Keys that open a menu, with the menu's title."""

_FILE = "actions.txt"
_SIGNS = {"enter": "⏎", "shift+tab": "⇧Tab", "up": "↑", "down": "↓", "left": "←", "right": "→"}
_WORDS = {"enter": "Enter", "shift+tab": "Shift+Tab", "up": "Up", "down": "Down", "left": "Left", "right": "Right"}

_NAMES = {
    "escape": "Esc",
    "tab": "Tab",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "comma": ",",
    "delete": "Del",
    "shift+up": "⇧↑",
    "shift+down": "⇧↓",
}

_NAMED_OTHERWISE = frozenset(("at", "backslash", "minus", "plus", "slash", "underscore"))
"""Keys that type a character which Textual cannot derive from their name."""


class ActionScope(StrEnum):
    """Scopes that more than one package names. A screen's own are the headings of its `actions.txt`."""

    EVERYWHERE = "Everywhere"
    MOVING = "Moving"
    LIST = "Lists"
    JSON = "Payloads"
    PAYLOAD = "Payloads in any form"
    TEXT = "Payloads as exact text"
    FINDING_HERE = "Search in a payload"
    SEARCH = "Search field"
    DETAIL = "Detail"
    RESULT = "Results"
    FORM = "Forms"
    FORM_LINE = "Rows of a form"
    FORM_CHOICE = "Choices in a form"
    START = "Start"
    REPLAY = "Replay"
    REPLAY_BAR = "Replay bar"
    DIALOG = "Dialogs"


_GENERAL = (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, ActionScope.SEARCH)
"""Scopes that the palette goes to no screen for."""


class Action(msgspec.Struct, frozen=True):
    """An action of the user, with its keys and texts."""

    id: str
    """Identifier, used in keys.toml."""
    keys: tuple[str, ...]
    """Keys as Textual names them; the first one is shown. "g t" is `t` in the menu of `g`."""
    label: str
    """One to three words in sentence case, for footer, menus, palette and buttons."""
    sentence: str
    """One sentence, for help, palette and tooltips."""
    where: str
    """Scope in which it is valid; also a heading in the help."""
    action: str
    """Textual action: `action_<this>` of the widget that binds it, or of the app if it begins with `app.`."""
    footer: bool = False
    """Whether the footer shows it while it is valid."""
    priority: bool = False
    """Whether it works even while a field is focused."""
    needs: str = ""
    """What it needs where it is not valid, as a sentence; "" for another place in the interface."""

    @property
    def key_text(self) -> str:
        """Keys as written in the help."""
        return "  ".join(key_name(key) for key in self.keys)


class ScreenEntry(msgspec.Struct, frozen=True):
    """What is known of a screen before it is imported."""

    panel: str
    """Module and class of its panel, which is imported when it is first shown."""
    is_of_a_moment: bool
    """Whether it shows the state at the replay position."""
    places: tuple[str, ...]
    """Scopes that the help lists while it is visible; the first one but Everywhere is its own."""
    hidden: tuple[str, ...] = ()
    """Scopes that the help does not list."""

    @property
    def own(self) -> str:
        """Its own scope."""
        return next(each for each in self.places if each != ActionScope.EVERYWHERE)


class ActionTable(msgspec.Struct, frozen=True):
    """All actions and all screens."""

    actions: tuple[Action, ...]
    """In the order of footer, menus and help."""
    screens: dict[str, ScreenEntry]
    """By the name in `app.show('…')`, in the order of the actions that show them."""
    together: tuple[tuple[str, ...], ...]
    """Scopes whose actions are valid at the same time."""
    opened_by: dict[str, str]
    """The action that opens the dialog or view with the actions of a scope."""

    def screen_of(self) -> dict[str, str]:
        """Return the screen that the palette goes to for the actions of each scope: the first one that has it."""
        found: dict[str, str] = {}
        for name, screen in self.screens.items():
            for scope in (*screen.places, *screen.hidden):
                if scope not in _GENERAL:
                    found.setdefault(scope, name)
        return found


class Command(NamedTuple):
    """A command of the palette."""

    name: str
    does: str
    key: str
    """Key as shown in the help; "" if there is none."""
    run: Callable[[], object]
    where: str = ""
    """Screen or pane, or the kind of item that it opens."""
    id: str = ""
    """Id of the action; for an item, its kind and key."""


def read_table(folder: Path) -> ActionTable:
    """Read the tables of the interface in this folder. Raises: TypeError, KeyError for a malformed one."""
    with os.scandir(folder / "screens") as packages:
        names = sorted(each.name for each in packages if os.path.exists(os.path.join(each.path, _FILE)))
    actions: list[tuple[int, Action]] = []
    screens: dict[str, ScreenEntry] = {}
    together: list[tuple[str, ...]] = []
    opened_by: dict[str, str] = {}
    needs = {"": ""}
    for package in ("", *names):
        file = folder / "screens" / package / _FILE if package else folder / _FILE
        for section, number, columns in _lines(file):
            try:
                if section == "together":
                    together.append(tuple(columns))
                elif section == "screens":
                    screens[columns[0]] = _screen(package, *columns[1:])
                elif section == "opened by":
                    opened_by[columns[0]] = columns[1]
                elif section == "needs":
                    needs[columns[0]] = columns[1]
                else:
                    actions.append((number, _action(needs, section, *columns)))
            except (TypeError, KeyError) as error:
                error.add_note(f"{file}: {'  '.join(columns)}")
                raise
    actions.sort(key=lambda each: each[0])
    ordered = tuple(action for _, action in actions)
    shown_by = {action.action: place for place, action in enumerate(ordered)}
    screens = {name: screens[name] for name in sorted(screens, key=lambda name: shown_by[f"app.show('{name}')"])}
    lists = ((ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, each.own) for each in screens.values())
    return ActionTable(ordered, screens, (*together, *lists), opened_by)


def _screen(package: str, panel: str, flags: str, *scopes: str) -> ScreenEntry:
    hidden = tuple(each.strip("()") for each in scopes if each.startswith("("))
    places = tuple(each for each in scopes if not each.startswith("("))
    return ScreenEntry(f"{package}.{panel}", "M" in flags, places, hidden)


def _action(
    needs: Mapping[str, str], scope: str, id_: str, keys: str, label: str, run: str, flags: str, sentence: str
) -> Action:
    needed = needs[flags.strip("FP-")]
    return Action(id_, tuple(keys.split(", ")), label, sentence, scope, run, "F" in flags, "P" in flags, needed)


def _lines(file: Path) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the section, its number and the columns of each line."""
    section, number = "", 0
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("["):
            section, _, given = line[1:].partition("]")
            number = int(given or number)
        elif line and not line.startswith("#"):
            yield section, number, re.split("  +", line)


def lend_actions(owner: DOMNode, make_parts: Callable[[], Sequence[object]]) -> None:
    """Let a widget's bindings run actions of its parts: Textual only looks for `action_<name>` on the widget.

    The parts are created when the first of their actions runs, because the first paint does not need them.
    """
    parts = cache(make_parts)

    def lend(method: str) -> None:
        def act(*parameters: object) -> object:
            return next(getattr(part, method) for part in parts() if hasattr(part, method))(*parameters)

        setattr(owner, method, act)

    for binding in owner.BINDINGS:
        method = f"action_{binding.action.partition('(')[0]}" if isinstance(binding, Binding) else ""
        if method and "." not in method and not hasattr(owner, method):
            lend(method)


def key_name(key: str) -> str:
    """Return a key as footer and help show it: `^p`, `F5`, `⏎`, or "Enter" if the terminal lacks that character."""
    if " " in key.strip():
        return " ".join(key_name(part) for part in key.split(" "))
    if key.startswith("ctrl+"):
        return "^" + ("Space" if key == "ctrl+@" else key_name(key[5:]))
    names = _NAMES | (_WORDS if glyphs().to_server.isascii() else _SIGNS)
    if key in names:
        return names[key]
    return key.upper() if key[0] == "f" and key[1:].isdigit() else key


def types(key: str, character: str | None) -> bool:
    """Whether a key types a character, so that a field consumes it; `character` is what Textual reports for the key."""
    return key in _NAMED_OTHERWISE or (character is not None and character.isprintable())
