"""What an action is, where it is offered, and how its keys are written. The table of all of them is `keys`."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

import msgspec
from textual.binding import Binding
from textual.dom import DOMNode

from inspector.tui.theme import glyphs


class ActionScope(StrEnum):
    """Where an action is valid; also the headings of the help."""

    EVERYWHERE = "Everywhere"
    MOVING = "Moving"
    LIST = "Lists"
    JSON = "Payloads"
    PAYLOAD = "Payloads in any form"
    TEXT = "Payloads as exact text"
    FINDING_HERE = "Search in a payload"
    SEARCH = "Search field"
    FILTER = "Filter field"
    SEARCH_MODE = "Filter and search"
    FINDING = "Search in Traffic"
    TRAFFIC = "Traffic"
    WATERFALL = "Waterfall"
    TIMELINE = "All servers"
    DETAIL = "Detail"
    OFFERED = "Tools, Resources and Prompts"
    TOOLS = "Tools"
    RESOURCES = "Resources"
    PROMPTS = "Prompts"
    RESULT = "Results"
    SAVED = "Saved calls"
    FORM = "Forms"
    FORM_LINE = "Rows of a form"
    FORM_CHOICE = "Choices in a form"
    INBOX = "Inbox"
    SERVER = "Server"
    LOG = "Log"
    TASKS = "Tasks"
    FINDINGS = "Findings"
    RAW = "Composer"
    SKILLS = "Skills"
    NETWORK = "HTTP exchanges"
    STATS = "Statistics"
    START = "Start"
    REPLAY = "Replay"
    REPLAY_BAR = "Replay bar"
    MARKS = "Marks and views"
    TRACE = "Trace"
    SESSIONS = "Captures"
    COMPARE = "Comparison of captures"
    OPEN = "Open a server"
    EXPORT = "Export"
    DIALOG = "Dialogs"
    HELP = "Help"
    CONFIRM = "Confirmation"


class Action(msgspec.Struct, frozen=True):
    """Something a person can do, and how."""

    id: str
    """The name under which users rebind it."""
    keys: tuple[str, ...]
    """As Textual names them; the first is shown. "g t" is `t` in the menu of `g`."""
    label: str
    """One to three words in sentence case, for footer, menus, palette and buttons."""
    sentence: str
    """One sentence, for help, palette and the mouse."""
    where: ActionScope
    action: str
    """What Textual runs: the method `action_<this>` of whoever binds it, or of the app with `app.` before it."""
    footer: bool = False
    """Whether the footer shows it where it is valid."""
    priority: bool = False
    """Whether it works even while a field has the focus."""

    @property
    def key_text(self) -> str:
        """The keys as the help writes them."""
        return "  ".join(key_name(key) for key in self.keys)


class Command(NamedTuple):
    """Something that the command palette offers."""

    name: str
    does: str
    key: str
    """As the help shows it; "" for none."""
    run: Callable[[], object]
    where: str = ""
    """A screen or pane, or what kind of item it opens."""
    id: str = ""
    """The id of the action; of an item its kind and key."""


def lend_actions(owner: DOMNode, make_parts: Callable[[], Sequence[object]]) -> None:
    """Let the bindings of a widget run the actions of its parts: Textual looks for `action_<name>` at the widget.

    The parts are made when the first of their actions is run: the first picture needs none.
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


MENUS: Final = {"g": "Go to", "v": "View", "f": "Filter by", "x": "Act"}
"""The keys that open a menu, with its title."""

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


def key_name(key: str) -> str:
    """Return a key as footer and help write it: `^p`, `F5`, `⏎`, or "Enter" where the terminal has no such sign."""
    if " " in key.strip():
        return " ".join(key_name(part) for part in key.split(" "))
    if key.startswith("ctrl+"):
        return "^" + ("Space" if key == "ctrl+@" else key_name(key[5:]))
    names = _NAMES | (_WORDS if glyphs().to_server.isascii() else _SIGNS)
    if key in names:
        return names[key]
    return key.upper() if key[0] == "f" and key[1:].isdigit() else key


_NAMED_OTHERWISE = frozenset(("at", "backslash", "minus", "plus", "slash", "underscore"))
"""Keys that type a sign that Textual can't tell by their name."""


def types(key: str, character: str | None) -> bool:
    """Whether a key types a sign, so that a field takes it; `character` is what Textual says that it types."""
    return key in _NAMED_OTHERWISE or (character is not None and character.isprintable())
