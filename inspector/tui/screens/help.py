"""The help: the keys that work here, the words the program uses, and what its signs mean.

The keys are read from the table that binds them, so what stands here is what works.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from rich.console import Group
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.styles import glyphs, role_styles
from inspector.tui.widgets.scroller import Scroller
from inspector.tui.widgets.section_card import section_renderable
from inspector.viewmodels.lines import Fact, Section
from inspector.viewmodels.roles import Role

_WIDE = 110
_KEY_WIDTH = 10

_WORDS = (
    ("Frame", "What crossed the wire, byte for byte; it may be no message at all."),
    ("Message", "A frame read as JSON-RPC: request, notification, answer, error, or none of these."),
    ("Exchange", "A request with its answer, or with the reason why there is none."),
    ("Operation", "All exchanges behind one wish: a list with its pages, a call with its retries."),
    ("Conversation", "What all frames so far amount to."),
    ("Question", "What a server asks of you: input, a sampled text, the roots."),
    ("Revision", "One published version of the protocol."),
)


class HelpScreen(ModalScreen[None]):
    """Help on the places in sight, over what is there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("back")),
        replace(keys.binding(keys.action("help")), action="back"),
    ]
    CSS = """
    HelpScreen { background: $background 60%; }
    """
    """Not among the defaults: an app's rule for all screens would win over those, and hide what is below."""
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        & > #help {
            width: 94%;
            max-width: 150;
            height: 92%;
            padding: 0 0 0 1;
            background: $background;
            border: round $border;
            border-title-color: $text-accent;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
        }
        #columns { height: auto; layout: vertical; }
        #columns > Vertical { height: auto; width: 1fr; }
        &.-wide #columns { layout: horizontal; }
    }
    """

    def __init__(self, places: tuple[Where, ...], more: Sequence[Section] = ()) -> None:
        """Explain the keys of `places`, and of what works everywhere; `more` stands first."""
        super().__init__()
        self._places = places
        self._more = more

    def compose(self) -> ComposeResult:
        """Keys and signs; beside or below them the keys that work everywhere and the words."""
        here = [place for place in self._places if place is not Where.EVERYWHERE]
        with Vertical(id="help") as frame:
            frame.border_title = "Help"
            frame.border_subtitle = "Esc closes"
            with Scroller(), Vertical(id="columns"):
                with Vertical():
                    yield from map(_Part, [*self._more, *_keys(*here)])
                with Vertical():
                    yield from map(_Part, [*_keys(Where.EVERYWHERE), _signs(), _words()])

    def on_resize(self, event: events.Resize) -> None:
        """Use the room."""
        self.set_class(event.size.width >= _WIDE, "-wide")

    def action_back(self) -> None:
        """Close it."""
        self.dismiss()


def turn_help(app: App[Any], places: tuple[Where, ...]) -> None:
    """Show the help of a dialog on top by its own keys, else that of `places`; put it away if it is shown."""
    top = app.screen
    if isinstance(top, HelpScreen):
        top.dismiss()
        return
    if not isinstance(top, ModalScreen):
        app.push_screen(HelpScreen(places))
        return
    known = {action.id: action.where for action in keys.ACTIONS}
    active = [found.binding for found in top.active_bindings.values() if found.node is not app]
    own: dict[str, list[str]] = {}
    for each in active:
        if each.id not in known and (each.tooltip or each.description):
            own.setdefault(each.tooltip or each.description, []).append(keys.key_name(each.key))
    found = dict.fromkeys(known[each.id] for each in active if each.id in known)
    here = [place for place in found if place is not Where.EVERYWHERE]
    dialog = Section("This dialog", tuple(Fact("  ".join(named), does) for does, named in own.items()))
    app.push_screen(HelpScreen((*here, Where.EVERYWHERE), (dialog,) if own else ()))


class _Part(Static):
    """One section under its title."""

    DEFAULT_CSS = """
    _Part { height: auto; padding: 1 2 0 0; }
    """

    def __init__(self, section: Section, keys_as: Role = "accent") -> None:
        super().__init__(markup=False)
        self._section = section
        self._keys_as: Role = keys_as

    def on_mount(self) -> None:
        """Draw in the theme of the moment."""
        dark = self.app.current_theme.dark
        title = Text(self._section.title, role_styles(dark=dark)["title"])
        self.update(
            Group(title, section_renderable(self._section, dark=dark, keys_as=self._keys_as, key_width=_KEY_WIDTH))
        )


def _keys(*places: Where) -> list[Section]:
    return [
        Section(place, tuple(Fact(shown, does) for shown, does in rows))
        for place, rows in keys.help_text(*places)
        if rows
    ]


def _signs() -> Section:
    signs = glyphs()
    meanings = (
        (signs.to_server, "to the server"),
        (signs.from_server, "from the server"),
        (signs.pending, "not answered yet"),
        (signs.ok, "went well"),
        (signs.error, "an error, or what never was a message"),
        (signs.warning, "look at this"),
        (signs.times, "cancelled"),
        (signs.stderr, "what the server wrote to stderr"),
        (signs.event, "what happened beside the messages: process, HTTP"),
        (f"{signs.connected} {signs.disconnected}", "connected or recording; not"),
        (f"{signs.opened} {signs.closed}", "unfolded; folded"),
        (f"{signs.follow} {signs.frozen}", "the list follows the newest line; stands still"),
        (signs.claimed, "the server says so of itself, and nobody has checked it"),
    )
    return Section("Signs", tuple(Fact(sign, meaning) for sign, meaning in meanings))


def _words() -> Section:
    return Section("Seven words", tuple(Fact(word, said) for word, said in _WORDS))
