"""The help: the keys that work here, the words the program uses, and what its signs mean.

The keys are read from the table that binds them, so what stands here is what works.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from inspector.present.spans import Fact, Section, Span, words_wrapped
from inspector.text import cell_width
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.safety import through_filters
from inspector.tui.theme import glyphs, role_styles
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.virtual_lines import Scroller

_WIDE = 110
_KEY_WIDTH, _WIDEST_KEY = 10, 22
_GAP = 2

_WORDS = (
    ("Frame", "What crossed the wire, byte for byte; it may be no message at all."),
    ("Message", "A frame read as JSON-RPC: request, notification, answer, error, or none of these."),
    ("Exchange", "A request with its answer, or with the reason why there is none."),
    ("Operation", "All exchanges behind one wish: a list with its pages, a call with its retries."),
    ("Conversation", "What all frames so far amount to."),
    ("Question", "What a server asks of you: input, a sampled text, the roots."),
    ("Revision", "One published version of the protocol."),
)


class HelpScreen(Dialog[None]):
    """Help on the places in sight, over what is there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("back")),
        replace(keys.binding(keys.action("help")), action="back"),
    ]
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
            layout: vertical;
        }
        &.-wide > #help { layout: horizontal; }
    }
    """

    def __init__(self, places: tuple[ActionScope, ...], more: Sequence[Section] = ()) -> None:
        """Explain the keys of `places`, and of what works everywhere; `more` stands first."""
        super().__init__()
        self._places = places
        self._more = more

    def compose(self) -> ComposeResult:
        """Keys and signs; beside or below them the keys that work everywhere and the words."""
        here = [place for place in self._places if place is not ActionScope.EVERYWHERE]
        with Scroller(id="help") as frame:
            frame.border_title = "Help"
            frame.border_subtitle = "Esc closes"
            yield _Column([*self._more, *_keys(*here)])
            yield _Column([*_keys(ActionScope.EVERYWHERE), _signs(), _words()])

    def on_resize(self, event: events.Resize) -> None:
        """Use the room."""
        self.set_class(event.size.width >= _WIDE, "-wide")

    def action_back(self) -> None:
        """Close it."""
        self.dismiss()


def turn_help(app: App[Any], places: tuple[ActionScope, ...]) -> None:
    """Show the help of a dialog on top by its own keys, else that of `places`; put it away if it is shown."""
    top = app.screen
    if isinstance(top, HelpScreen):
        top.dismiss()
        return
    if not isinstance(top, ModalScreen):
        app.push_screen(HelpScreen(places))
        return
    if isinstance(top, Dialog) and top.places:
        app.push_screen(HelpScreen(top.places))
        return
    known = {action.id: action.where for action in keys.ACTIONS}
    active = [found.binding for found in top.active_bindings.values() if found.node is not app]
    own: dict[str, list[str]] = {}
    for each in active:
        if each.id not in known and (each.tooltip or each.description):
            own.setdefault(each.tooltip or each.description, []).append(keys.key_name(each.key))
    found = dict.fromkeys(known[each.id] for each in active if each.id in known)
    here = [place for place in found if place is not ActionScope.EVERYWHERE]
    dialog = Section("This dialog", tuple(Fact("  ".join(named), does) for does, named in own.items()))
    app.push_screen(HelpScreen((*here, ActionScope.EVERYWHERE), (dialog,) if own else ()))


class _Column(Widget):
    """Sections one under the other, laid out once for a width and painted line by line.

    A table of the renderer for each section would be laid out several times before it is first seen.
    """

    DEFAULT_CSS = """
    _Column { height: auto; width: 1fr; }
    """

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self._sections = sections
        self._laid: tuple[int, list[list[Span]]] = (-1, [])

    def _lines(self, width: int) -> list[list[Span]]:
        if self._laid[0] != width:
            self._laid = width, _lay(self._sections, width)
        return self._laid[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the sections take at this width."""
        return len(self._lines(width))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a part, in the theme of the moment."""
        width, paper, ground = self.size.width, self.rich_style, self.background_colors[1]
        inks = role_styles(dark=self.app.current_theme.dark)
        lines = self._lines(width)[crop.y : crop.bottom]
        lines += [[]] * (crop.height - len(lines))
        strips = (Strip([Segment(text, paper + inks[role]) for text, role in line]) for line in lines)
        painted = [through_filters(self, strip.adjust_cell_length(width, paper), ground) for strip in strips]
        whole = crop.x == 0 and crop.width == width
        return painted if whole else [strip.crop(crop.x, crop.right) for strip in painted]


def _lay(sections: Sequence[Section], width: int) -> list[list[Span]]:
    """Each section under its title, an empty line above it; what a key does is wrapped beside the key."""
    lines: list[list[Span]] = []
    for section in sections:
        beside = min(_WIDEST_KEY, max([_KEY_WIDTH, *(cell_width(fact.key) for fact in section.facts)]))
        room = max(1, width - beside - 3 * _GAP)
        lines += [[], [(" " * _GAP, "text"), (section.title, "title")]]
        for fact in section.facts:
            keys_of = words_wrapped(((fact.key, "accent"),), beside)
            does = words_wrapped(((fact.value, fact.role),), room)
            for key, words in zip_longest(keys_of, does, fillvalue=[("", "text")]):
                pad = beside + _GAP - sum(cell_width(part) for part, _ in key)
                lines.append([(" " * _GAP, "text"), *key, (" " * pad, "text"), *words])
    return lines


def _keys(*places: ActionScope) -> list[Section]:
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
