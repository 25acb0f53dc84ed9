"""What an action is, where it is offered, and how its keys are written. The table of all of them is `keys`."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache

import msgspec
from textual.binding import Binding
from textual.dom import DOMNode

from inspector.tui.theme import glyphs


class ActionScope(StrEnum):
    """Where an action is offered; also the headings of the help."""

    EVERYWHERE = "Everywhere"
    MOVING = "Moving in lists and payloads"
    LIST = "Lists of traffic"
    JSON = "Payloads"
    PAYLOAD = "Payloads in any form"
    TEXT = "Payloads as exact text"
    FINDING_HERE = "Finding in a payload"
    SEARCH = "Search line"
    FILTER = "Filter line"
    FINDING = "Finding in the traffic"
    TRAFFIC = "Traffic"
    WATERFALL = "Waterfall"
    TIMELINE = "Timeline of all servers"
    DETAIL = "Detail"
    OFFERED = "Lists of what a server offers"
    TOOLS = "Tools"
    RESOURCES = "Resources"
    PROMPTS = "Prompts"
    RESULT = "Result of a call"
    FORM = "Forms"
    FORM_LINE = "Lines of a form"
    FORM_CHOICE = "Choices in a form"
    INBOX = "Questions"
    SERVER = "Server"
    LOG = "Log of the server"
    TASKS = "Tasks"
    FINDINGS = "Findings"
    RAW = "Messages written by hand"
    SKILLS = "Skills"
    NETWORK = "HTTP exchanges"
    START = "Start"
    REPLAY = "Replay of a recording"
    MARKS = "Marks and views"
    STORY = "Story of an operation"
    SESSIONS = "Sessions"
    COMPARE = "Comparing captures"
    OPEN = "Opening another server"
    EXPORT = "Exporting"
    CONFIRM = "Questions before a start"


class Action(msgspec.Struct, frozen=True):
    """Something a person can do, and how."""

    id: str
    """The name under which users rebind it."""
    keys: tuple[str, ...]
    """As Textual names them; the first is shown."""
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """One sentence, for the help and the mouse."""
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
}


def key_name(key: str) -> str:
    """Return a key as footer and help write it: `^p`, `F5`, `⏎`, or "Enter" where the terminal has no such sign."""
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
