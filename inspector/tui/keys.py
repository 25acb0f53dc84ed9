"""All actions and their keys, from actions.txt: the source of bindings, footer, menus, palette, help and docs/keys.md.

Keys are layered. A few act at once; `g v f x` open a menu, whose second key is written after a space: "g t". A
letter has the same meaning on every screen, or none. The first key of an action works in every terminal; function
keys and `ctrl+enter` are secondary because many terminals do not send them. Never bound are `ctrl+i ctrl+m ctrl+[`
(other names of Tab, Enter and Escape) and `ctrl+s ctrl+q` (flow control). Characters that need a dead key or AltGr
on some layouts are never the only key. Users rebind actions by `id` in keys.toml.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from textual.binding import Binding, BindingType

from inspector.tui.actions import MENUS, Action, ActionScope, key_name, types

_EVERY, _MOVE, _LIST = ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST
_JSON, _PAYLOAD, _TEXT, _DETAIL = ActionScope.JSON, ActionScope.PAYLOAD, ActionScope.TEXT, ActionScope.DETAIL
_ITEMS = (ActionScope.TOOLS, ActionScope.RESOURCES, ActionScope.PROMPTS)
_LISTS = (
    *(ActionScope.INBOX, ActionScope.SERVER, ActionScope.LOG, ActionScope.TASKS, ActionScope.FINDINGS),
    *(ActionScope.RAW, ActionScope.SKILLS, ActionScope.NETWORK, ActionScope.SESSIONS, ActionScope.STATS),
    ActionScope.SAVED,
)
TOGETHER: tuple[tuple[ActionScope, ...], ...] = (
    (_EVERY, _MOVE, _LIST, ActionScope.TRAFFIC, ActionScope.FINDING, _DETAIL),
    (_EVERY, _MOVE, _JSON, _PAYLOAD, ActionScope.TRAFFIC, _DETAIL),
    (_EVERY, _MOVE, _TEXT, _PAYLOAD, ActionScope.TRAFFIC, _DETAIL),
    (_EVERY, _MOVE, _LIST, ActionScope.TIMELINE, _DETAIL),
    *(
        (_EVERY, _MOVE, pane, _PAYLOAD, of, ActionScope.OFFERED, ActionScope.RESULT, _DETAIL)
        for of in _ITEMS
        for pane in (_JSON, _LIST)
    ),
    *((_EVERY, _MOVE, _LIST, of) for of in _LISTS),
    (_MOVE, _JSON, _PAYLOAD, ActionScope.FINDING_HERE),
    (_MOVE, _LIST, ActionScope.START),
    (_MOVE, _LIST, ActionScope.WATERFALL),
    (_MOVE, _LIST, ActionScope.COMPARE),
    (_MOVE, _LIST, ActionScope.MARKS),
    (ActionScope.SEARCH, ActionScope.FILTER, ActionScope.SEARCH_MODE),
    (_EVERY, ActionScope.REPLAY, ActionScope.REPLAY_BAR),
)
"""Scopes whose actions are valid at the same time."""


def _read(table: str) -> Iterator[Action]:
    where = ActionScope.EVERYWHERE
    for line in table.splitlines():
        if line.startswith("["):
            where = ActionScope(line.strip("[]"))
        elif line and not line.startswith("#"):
            id_, keys, label, run, flags, sentence = re.split("  +", line, maxsplit=5)
            shown, always = "F" in flags, "P" in flags
            yield Action(id_, tuple(keys.split(", ")), label, sentence, where, run, footer=shown, priority=always)


ACTIONS = tuple(_read(Path(__file__).with_name("actions.txt").read_text("utf-8")))
"""All actions, in the order of footer, menus and help."""
SCREENS = tuple(each for each in ACTIONS if each.id.startswith("screen.") and each.keys[0].isdigit())
"""The nine screens of the header, in order."""
_BY_ID = {action.id: action for action in ACTIONS}


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


def bindings(*places: ActionScope) -> list[BindingType]:
    """Return the bindings of some scopes, for the BINDINGS of a widget or a screen."""
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


def help_text(*places: ActionScope) -> list[tuple[ActionScope, list[tuple[str, str]]]]:
    """Return the help of some scopes: for each, its keys and sentences."""
    return [(place, [(a.key_text, a.sentence) for a in all_actions() if a.where is place]) for place in places]


__all__ = [
    "ACTIONS",
    "MENUS",
    "SCREENS",
    "TOGETHER",
    "Action",
    "ActionScope",
    "action",
    "all_actions",
    "binding",
    "bindings",
    "help_text",
    "key_name",
    "known_action",
    "menu_bindings",
    "rebind",
    "shown_key",
    "types",
]
