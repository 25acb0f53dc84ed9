"""All actions and their keys, from actions.txt: the source of bindings, footer, menus, palette, help and docs/keys.md.

Keys are layered. A few act at once; `g v f x` open a menu, whose second key is written after a space: "g t". A
letter has the same meaning on every screen, or none. The first key of an action works in every terminal; function
keys and `ctrl+enter` are secondary because many terminals do not send them. Never bound are `ctrl+i ctrl+m ctrl+[`
(other names of Tab, Enter and Escape) and `ctrl+s ctrl+q` (flow control). Characters that need a dead key or AltGr
on some layouts are never the only key. Users rebind actions by `id` in keys.toml.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from textual.binding import Binding, BindingType

from inspector.tui.actions import MENUS as MENUS
from inspector.tui.actions import Action as Action
from inspector.tui.actions import ActionScope as ActionScope
from inspector.tui.actions import key_name as key_name
from inspector.tui.actions import read_table
from inspector.tui.actions import types as types

_TABLE = read_table(Path(__file__).parent)
ACTIONS = _TABLE.actions
"""All actions, in the order of footer, menus and help."""
HEADER = tuple(each for each in ACTIONS if each.id.startswith("screen.") and each.keys[0].isdigit())
"""The nine screens of the header, in order."""
TOGETHER = _TABLE.together
"""Scopes whose actions are valid at the same time."""
SCREENS = _TABLE.screens
"""The screens, by the name in `app.show('…')`."""
OPENED_BY = _TABLE.opened_by
"""The action that opens the dialog or view with the actions of a scope."""
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
