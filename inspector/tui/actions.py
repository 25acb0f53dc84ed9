"""Definition of actions: their scope, their keys, and how keys are written. The table of all actions is `keys`."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

import msgspec
from textual.binding import Binding
from textual.dom import DOMNode

from inspector.tui.theme import glyphs

MENUS: Final = {"g": "Go to", "v": "View", "f": "Filter by", "x": "Act"}
"""Keys that open a menu, with the menu's title."""

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

    @property
    def key_text(self) -> str:
        """Keys as written in the help."""
        return "  ".join(key_name(key) for key in self.keys)


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
