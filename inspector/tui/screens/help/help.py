"""Help: twelve keys first, then all keys of this screen, signs and terms; a field searches all actions."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.segment import Segment
from textual import events
from textual.app import App, ComposeResult
from textual.content import Content
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from inspector.present.items import DESTRUCTIVE, READ_ONLY
from inspector.present.spans import Fact, Section, Span, words_wrapped
from inspector.text import cell_width
from inspector.tui import keys
from inspector.tui.actions import ActionScope, Command
from inspector.tui.safety import through_filters
from inspector.tui.screens.help.palette import CommandRows
from inspector.tui.theme import glyphs, role_styles
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.virtual_lines import Scroller
from inspector.tui.widgets.virtual_list import LogList

_WIDE_FROM = 110
_KEY_WIDTH, _WIDEST_KEY = 10, 22
_GAP_CELLS = 2

_TERMS = (
    ("Frame", "One message or line, exactly as sent or received."),
    ("Message", "A frame as JSON-RPC: request, notification, result or error."),
    ("Exchange", "A request and its response, or why there is none."),
    ("Operation", "All exchanges of one call, with pages, retries and rounds of input."),
    ("Server request", "What a server asks the client for: elicitation, sampling or roots."),
    ("Protocol version", "One published version of MCP."),
)
_FIRST = (
    ("Screens", "screen.traffic"),
    ("Next pane", "pane.next"),
    ("Open", "list.open"),
    ("Back", "back"),
    ("Call or send", "tools.send"),
    ("Palette", "palette"),
    ("Filter or search", "traffic.filter"),
    ("Copy", "copy"),
    ("Refresh or run again", "refresh"),
    ("Respond to the server", "respond"),
    ("Restart or reconnect", "reconnect"),
    ("Quit", "quit"),
)
"""Keys that are listed first."""


class _Field(Input):
    """Search field. While it is empty, a question mark closes the help."""

    async def _on_key(self, event: events.Key) -> None:
        if event.character == "?" and not self.value:
            event.stop()
            event.prevent_default()
            await self.run_action("screen.back")
        else:
            await super()._on_key(event)


class HelpScreen(Dialog[Command | None]):
    """Help about the visible scopes, over the current screen. Returns the command that was found, or None."""

    BINDINGS = keys.bindings("Help")
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")

    def __init__(self, places: tuple[str, ...], more: Sequence[Section] = (), commands: Sequence[Command] = ()) -> None:
        """Explain the keys of `places` and the global ones; `more` is listed first. `commands` can be run."""
        super().__init__()
        self._places = places
        self._more = more
        self._rows = CommandRows(_all_commands(commands, self))

    def compose(self) -> ComposeResult:
        self.set_class(self.app.size.width >= _WIDE_FROM, "-wide")  # later, everything would be styled a second time
        here = [place for place in self._places if place != ActionScope.EVERYWHERE]
        with DialogBox() as frame:
            frame.border_title = "Help"
            count = sum(len(rows) for _, rows in keys.help_text(*self._places))
            frame.border_subtitle = Content(f"{count} keys · {keys.shown_key('help.close')} closes")
            yield (line := _Field(placeholder="/ Search keys and actions", compact=True))
            line.cursor_blink = False
            with Scroller(id="help", can_focus=False):
                yield _Column([_first(), *self._more, *_keys(*here)])
                yield _Column(
                    [*_keys(ActionScope.EVERYWHERE), _signs(), Section("Terms", tuple(Fact(*each) for each in _TERMS))]
                )
            yield LogList(self._rows, empty=((("Nothing matches", "muted"),),))

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= _WIDE_FROM, "-wide")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.set_class(bool(event.value), "-searching")
        self._rows.search(event.value)
        found = self.query_one(LogList)
        found.sync()
        found.go_to(0)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the selected result."""
        event.stop()
        shown = self._rows.found
        self._rows.search(event.value)
        at = self.query_one(LogList).view.cursor if self._rows.found == shown else 0
        if event.value and 0 <= at < self._rows.count:
            self.dismiss(self._rows.found[at])

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        self.dismiss(self._rows.found[event.index])

    def action_back(self) -> None:
        self.dismiss(None)

    def action_scroll(self, way: str, by: int) -> None:
        """Scroll the results or the text while the field keeps the focus."""
        if self.has_class("-searching"):
            getattr(self.query_one(LogList), f"action_{way}")(by)
        else:
            text = self.query_one("#help")
            lines = by if way == "move" else by * max(1, text.size.height - 1)
            text.scroll_relative(y=lines, animate=False)


def _all_commands(valid: Sequence[Command], owner: Widget) -> list[Command]:
    """Return all actions: valid ones can be run, the others notify the user that they can't."""

    def say() -> None:
        owner.app.notify("Not available here.", timeout=3)

    known = {each.id for each in valid}
    rest = [each for each in keys.all_actions() if each.id not in known]
    return [*valid, *(Command(each.label, each.sentence, each.key_text, say, each.where, each.id) for each in rest)]


def toggle_help(
    app: App[Any],
    places: tuple[str, ...],
    commands: Sequence[Command] = (),
    run: Callable[[Command | None], None] | None = None,
) -> None:
    """Show the help of the dialog on top, else that of `places`; close the help if it is open.

    `run` gets the command found among the valid `commands`.
    """
    top = app.screen
    if isinstance(top, HelpScreen):
        top.dismiss(None)
        return
    if not isinstance(top, ModalScreen):
        app.push_screen(HelpScreen(places, (), commands), run)
        return
    if isinstance(top, Dialog) and top.places:
        app.push_screen(HelpScreen(top.places))
        return
    known = {action.id: action.where for action in keys.ACTIONS}
    active = [found.binding for found in top.active_bindings.values() if found.node is not app]
    own: dict[str, list[str]] = {}
    for each in active:
        if known.get(each.id or "", ActionScope.DIALOG) == ActionScope.DIALOG and (each.tooltip or each.description):
            own.setdefault(each.tooltip or each.description, []).append(keys.key_name(each.key))
    found = dict.fromkeys(known[each.id] for each in active if each.id in known)
    here = [place for place in found if place not in (ActionScope.EVERYWHERE, ActionScope.DIALOG)]
    dialog = Section("This dialog", tuple(Fact("  ".join(named), does) for does, named in own.items()))
    app.push_screen(HelpScreen((*here, ActionScope.EVERYWHERE), (dialog,) if own else ()))


class _Column(Widget):
    """Column of sections, laid out once per width and painted line by line.

    A renderable table for each section would be laid out several times before it is first painted.
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
        return len(self._lines(width))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of a region in the current theme."""
        width, paper, ground = self.size.width, self.rich_style, self.background_colors[1]
        inks = role_styles(dark=self.app.current_theme.dark)
        lines = self._lines(width)[crop.y : crop.bottom]
        lines += [[]] * (crop.height - len(lines))
        strips = (Strip([Segment(text, paper + inks[role]) for text, role in line]) for line in lines)
        painted = [through_filters(self, strip.adjust_cell_length(width, paper), ground) for strip in strips]
        whole = crop.x == 0 and crop.width == width
        return painted if whole else [strip.crop(crop.x, crop.right) for strip in painted]


def _lay(sections: Sequence[Section], width: int) -> list[list[Span]]:
    """Return each section below its title with an empty line above; descriptions wrap beside their keys."""
    lines: list[list[Span]] = []
    for section in sections:
        beside = min(_WIDEST_KEY, max([_KEY_WIDTH, *(cell_width(fact.key) for fact in section.facts)]))
        room = max(1, width - beside - 3 * _GAP_CELLS)
        lines += [[], [(" " * _GAP_CELLS, "text"), (section.title, "title")]]
        for fact in section.facts:
            keys_of = words_wrapped(((fact.key, "accent"),), beside)
            does = words_wrapped(((fact.value, fact.role),), room)
            for key, words in zip_longest(keys_of, does, fillvalue=[("", "text")]):
                pad = beside + _GAP_CELLS - sum(cell_width(part) for part, _ in key)
                lines.append([(" " * _GAP_CELLS, "text"), *key, (" " * pad, "text"), *words])
    return lines


def _keys(*places: str) -> list[Section]:
    return [
        Section(place, tuple(Fact(shown, does) for shown, does in rows))
        for place, rows in keys.help_text(*places)
        if rows
    ]


def _first() -> Section:
    menus = "   ".join(f"{key} {title}" for key, title in keys.MENUS.items())
    facts = []
    for label, name in _FIRST:
        key = "1 … 9" if name == "screen.traffic" else keys.action(name).key_text
        facts.append(Fact(key, label))
    return Section("Twelve keys", (*facts, Fact("Menus", menus)))


def _signs() -> Section:
    signs = glyphs()
    meanings = (
        (signs.to_server, "sent to the server"),
        (signs.from_server, "received from the server"),
        (signs.pending, "pending"),
        (signs.ok, "OK"),
        (signs.error, "error or invalid message"),
        (signs.warning, "warning"),
        (signs.times, "cancelled"),
        (signs.stderr, "stderr of the server"),
        (signs.event, "event: process, HTTP, server request"),
        (f"{signs.connected} {signs.disconnected}", "connected or recording; disconnected"),
        (f"{signs.opened} {signs.closed}", "unfolded; folded"),
        (f"{signs.follow} {signs.frozen}", "the list follows the newest row; paused"),
        (signs.claimed, "a hint of the server, not verified"),
        (f"{READ_ONLY} {DESTRUCTIVE}", "tools that the server calls read-only or destructive"),
    )
    return Section("Signs", tuple(Fact(sign, meaning) for sign, meaning in meanings))
