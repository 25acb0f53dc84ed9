"""All actions and their keys, from actions.txt: the source of bindings, footer, menus, palette, help and docs/keys.md.

Keys are layered. A few act at once; `g v f x` open a menu, whose second key is written after a space: "g t". A
letter has the same meaning on every screen, or none. The first key of an action works in every terminal; function
keys and `ctrl+enter` are secondary because many terminals do not send them. Never bound are `ctrl+i ctrl+m ctrl+[`
(other names of Tab, Enter and Escape) and `ctrl+s ctrl+q` (flow control). Characters that need a dead key or AltGr
on some layouts are never the only key. Users rebind actions by `id` in keys.toml.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from textual.binding import Binding, BindingType

from inspector.tui.actions import MENUS as MENUS
from inspector.tui.actions import Action as Action
from inspector.tui.actions import ActionScope as ActionScope
from inspector.tui.actions import key_name as key_name
from inspector.tui.actions import types as types

_FILE = "actions.txt"
_GENERAL = (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, ActionScope.SEARCH)
"""Scopes that the palette goes to no screen for."""


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

    def screen_of(self) -> dict[str, str]:
        """Return the screen that the palette goes to for the actions of each scope: the first one that has it."""
        found: dict[str, str] = {}
        for name, screen in self.screens.items():
            for scope in (*screen.places, *screen.hidden):
                if scope not in _GENERAL:
                    found.setdefault(scope, name)
        return found


def read_table(folder: Path) -> ActionTable:
    """Read the tables of the interface in this folder. Raises: TypeError, KeyError for a malformed one."""
    with os.scandir(folder / "screens") as packages:
        names = sorted(each.name for each in packages if os.path.exists(os.path.join(each.path, _FILE)))
    actions: list[tuple[int, Action]] = []
    screens: dict[str, ScreenEntry] = {}
    together: list[tuple[str, ...]] = []
    for package in ("", *names):
        file = folder / "screens" / package / _FILE if package else folder / _FILE
        for section, number, columns in _lines(file):
            try:
                if section == "together":
                    together.append(tuple(columns))
                elif section == "screens":
                    screens[columns[0]] = _screen(package, *columns[1:])
                else:
                    actions.append((number, _action(section, *columns)))
            except TypeError as error:
                error.add_note(f"{file}: {'  '.join(columns)}")
                raise
    actions.sort(key=lambda each: each[0])
    ordered = tuple(action for _, action in actions)
    shown_by = {action.action: place for place, action in enumerate(ordered)}
    screens = {name: screens[name] for name in sorted(screens, key=lambda name: shown_by[f"app.show('{name}')"])}
    lists = ((ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, each.own) for each in screens.values())
    return ActionTable(ordered, screens, (*together, *lists))


def _screen(package: str, panel: str, flags: str, *scopes: str) -> ScreenEntry:
    hidden = tuple(each.strip("()") for each in scopes if each.startswith("("))
    places = tuple(each for each in scopes if not each.startswith("("))
    return ScreenEntry(f"{package}.{panel}", "M" in flags, places, hidden)


def _action(scope: str, id_: str, keys: str, label: str, run: str, flags: str, sentence: str) -> Action:
    return Action(id_, tuple(keys.split(", ")), label, sentence, scope, run, "F" in flags, "P" in flags)


def _lines(file: Path) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the section, its number and the columns of each line."""
    section, number = "", 0
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("["):
            section, _, given = line[1:].partition("]")
            number = int(given or number)
        elif line and not line.startswith("#"):
            yield section, number, re.split("  +", line)


_TABLE = read_table(Path(__file__).parent)
ACTIONS = _TABLE.actions
"""All actions, in the order of footer, menus and help."""
HEADER = tuple(each for each in ACTIONS if each.id.startswith("screen.") and each.keys[0].isdigit())
"""The nine screens of the header, in order."""
TOGETHER = _TABLE.together
"""Scopes whose actions are valid at the same time."""
SCREENS = _TABLE.screens
"""The screens, by the name in `app.show('…')`."""
SCREEN_OF = _TABLE.screen_of()
"""The screen that the palette goes to for the actions of a scope."""
_BY_ID = {action.id: action for action in ACTIONS}
_SCOPES = frozenset(action.where for action in ACTIONS)


def action(identifier: str) -> Action:
    """Return an action by its id, with the user's keys. Raises: KeyError."""
    return _BY_ID[identifier]


def shown_key(identifier: str) -> str:
    """Return the label of an action's first key. Raises: KeyError."""
    return key_name(_BY_ID[identifier].keys[0])


def known_action(identifier: str) -> Action | None:
    """Return an action by its id; None if there is none."""
    return _BY_ID.get(identifier)


def all_actions() -> tuple[Action, ...]:
    """Return all actions in order, with the user's keys."""
    return tuple(_BY_ID.values())


def rebind(keymap: Mapping[str, tuple[str, ...]]) -> None:
    """Set the keys to show for these action ids; the app binds them with Textual's keymap."""
    for each in ACTIONS:
        _BY_ID[each.id] = msgspec.structs.replace(each, keys=keymap.get(each.id, each.keys))


def bindings(*places: str) -> list[BindingType]:
    """Return the bindings of some scopes, for the BINDINGS of a widget or a screen. Raises: KeyError."""
    if unknown := {*places} - _SCOPES:
        raise KeyError(*unknown)
    return [binding(found) for found in ACTIONS if found.where in places]


def bindings_of(*identifiers: str) -> list[BindingType]:
    """Return the bindings of some actions, for the BINDINGS of a widget or a screen. Raises: KeyError."""
    return [binding(action(each)) for each in identifiers]


def binding(found: Action) -> Binding:
    """Return an action as a Textual binding."""
    return Binding(
        key=",".join(found.keys),
        action=found.action,
        description=found.label,
        show=found.footer,
        key_display=key_name(found.keys[0]),
        priority=found.priority,
        tooltip=found.sentence,
        id=found.id,
    )


def menu_bindings() -> list[BindingType]:
    """Return the bindings of the menus, for dialogs, which do not receive the app's keys."""
    return [binding(each) for each in ACTIONS if each.id.startswith("menu.")]


def help_text(*places: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the help of some scopes: for each, its keys and sentences."""
    return [(place, [(a.key_text, a.sentence) for a in all_actions() if a.where == place]) for place in places]
