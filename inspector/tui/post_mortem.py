"""The post-mortem card: why a connection failed or was lost, and the evidence.

It is shown beside the traffic and covers nothing. Its keys reconnect, copy its text, and close it.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from inspector.capture.connection_facts import TAIL_LINES
from inspector.present.failure_report import PostMortem, diagnosis_lines, of_findings, post_mortem, with_surroundings
from inspector.present.spans import Line, Section, plain
from inspector.text import cell_width, visible
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.theme import glyphs, role_styles, spans_to_text
from inspector.tui.widgets.bars import ButtonBar
from inspector.tui.widgets.section_card import COPY, section_renderable, sections_text
from inspector.tui.widgets.virtual_lines import Scroller
from inspector.tui.widgets.wrapping import wrapping

_WIDE_FROM = 100
_STDERR, _LOST = "stderr", "Lost"
_LEAST_LINES, _MOST_LINES = 3, 12
"""Lines of stderr, depending on the space; the server's log and Traffic have more."""
_SHARE = 0.65
"""Maximum share of the available height."""


class PostMortemCard(Scroller):
    BINDINGS: ClassVar[list[BindingType]] = [COPY]
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")
    _LOOKS_AGAIN_S = 0.5
    """Update interval in seconds: the last output on stderr may arrive after the end."""

    def __init__(self, conversation: OpenConversation, *, dismissable: bool = True) -> None:
        """Show the end of `conversation`; `dismissable`: whether Esc closes the card."""
        super().__init__()
        self._conversation = conversation
        self._dismissable = dismissable
        self._seen: tuple[object, ...] = ()
        self._text = Static(markup=False)

    def compose(self) -> ComposeResult:
        yield self._text
        login = self._conversation.login
        credentials = ("token", "headers") if login.refused and login.target is not None else ()
        restart = "Start server" if not self._conversation.can_act else "Reconnect" if login.target else "Restart"
        yield ButtonBar(*credentials, ("reconnect", restart), ("screen.log", "Log"), "copy", has_primary=True)

    def on_mount(self) -> None:
        """Draw, and keep checking for late output."""
        self.border_title = "Post-mortem"
        if self._dismissable:
            back = keys.action("back")
            self.border_subtitle = Content(f"{keys.key_name(back.keys[0])} Close")
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())
        self.sync()
        self.set_interval(self._LOOKS_AGAIN_S, self.sync)

    def sync(self) -> None:
        """Update; nearly free while nothing has changed."""
        checks = self._conversation.checks_so_far
        found = checks.changes if checks is not None else 0
        seen = (self._conversation.journal.count, self._conversation.stage, self._conversation.why, found)
        if seen != self._seen:
            self._seen = seen
            self._draw()

    def _draw(self) -> None:
        wide, dark = self.size.width >= _WIDE_FROM, self.app.current_theme.dark
        around = self.parent.size if isinstance(self.parent, Widget) else self.app.size
        size = max(1, (self.size.width or around.width) - 4), int(around.height * _SHARE) - 2
        drawn = _drawn(self._conversation, self._mortem(), self._reason(), size, wide=wide, dark=dark)
        self._text.update(drawn)

    def on_resize(self) -> None:
        self._draw()

    def _mortem(self) -> PostMortem:
        conversation = self._conversation
        shell = os.environ if conversation.journal.live else {}
        mortem = post_mortem(conversation.journal, conversation.why)
        return with_surroundings(mortem, conversation.journal, conversation.about.environment, shell)

    def _reason(self) -> list[Line]:
        """Return the reason, as far as the checks have found it by now; they run in the background."""
        checks = self._conversation.checks_so_far
        if checks is None or not checks.all:
            return []
        found = of_findings(tuple(checks.all))
        return diagnosis_lines(found) if found is not None else []

    def action_copy(self) -> None:
        """Copy the whole card as text."""
        mortem = self._mortem()
        note = "\n".join(filter(None, (mortem.why, *map(plain, self._reason()))))
        head = Section(plain(_headline(self._conversation, mortem)), note=note)
        copy(self.app, sections_text([head, *mortem.sections]), "post-mortem")


def _headline(conversation: OpenConversation, mortem: PostMortem) -> Line:
    if conversation.stage is ConversationStage.FAILED and not conversation.journal.processes:
        what = "Login required" if conversation.login.refused else "Cannot connect"
        return ((f"{glyphs().error} ", "error"), (what, "error"))
    return mortem.headline


def _drawn(
    conversation: OpenConversation,
    mortem: PostMortem,
    reason: Sequence[Line],
    size: tuple[int, int],
    *,
    wide: bool,
    dark: bool,
) -> RenderableType:
    """Return the card: what happened and why, then the end of stderr and the facts, side by side if they fit.

    `size`: visible width and height, in cells and rows.
    """
    width, rows = size
    inks = role_styles(dark=dark)
    headline = spans_to_text(_headline(conversation, mortem), dark=dark)
    headline.no_wrap, headline.end = False, "\n"
    begins = headline.plain[2:].strip().lower()
    is_repeated = any(plain(line)[2:].lower().startswith(begins) for line in reason)  # with the cause behind it
    head: list[Text] = [] if is_repeated else [headline]
    reason_text = " ".join(plain(line) for line in reason)
    if not _says_the_same(mortem.why, headline.plain) and mortem.why.rstrip(".") not in reason_text:
        head.append(Text(mortem.why, inks["text"]))
    known = " ".join(each.plain for each in head).lower()
    for line in reason:
        if plain(line)[2:].lower() in known:
            continue
        shown = spans_to_text(line, dark=dark)
        shown.no_wrap, shown.end = False, "\n"
        head.append(shown)
    if conversation.hint and len(reason) < 2:  # the second line says what to do
        head.append(Text(visible(conversation.hint, limit=500), inks["accent"]))
    room = rows - sum(-(-cell_width(each.plain) // width) for each in head) - 3
    words = [
        _last_words(section, conversation, room, dark=dark) for section in mortem.sections if section.title == _STDERR
    ]
    ordered = sorted(mortem.sections, key=lambda section: section.title != _LOST)
    facts = [_part(section, dark=dark) for section in ordered if section.title != _STDERR]
    return Group(*map(wrapping, head), _beside(facts, words) if wide and facts and words else Group(*words, *facts))


def _last_words(section: Section, conversation: OpenConversation, room: int, *, dark: bool) -> RenderableType:
    """Return the end of stderr: as many lines as fit, each cut at the edge."""
    shown = section.lines[-max(_LEAST_LINES, min(room, _MOST_LINES)) :]
    there = len(conversation.journal.stderr_tail)
    total = f" of {there}" if there < TAIL_LINES else ""
    more = f"  last {len(shown)}{total} lines" if len(shown) < there else ""
    title = Text.assemble((section.title, role_styles(dark=dark)["title"]), (more, role_styles(dark=dark)["muted"]))
    lines = [spans_to_text(line, dark=dark) for line in shown]
    for line in lines:
        line.no_wrap, line.overflow, line.end = True, "ellipsis", "\n"
    return Group(Text(""), title, *lines)


def _says_the_same(why: str, headline: str) -> bool:
    """Whether `why` only repeats the headline, apart from another format of the time."""
    message = headline[2:].partition(" after ")[0]
    why = why.replace(" was ended by ", " was terminated by ")
    return why.lower().startswith(message.lower()) and len(why) <= len(headline) + 8


def _part(section: Section, *, dark: bool) -> RenderableType:
    title = Text(section.title, role_styles(dark=dark)["title"])
    return Group(Text(""), title, section_renderable(section, dark=dark))


def _beside(left: list[RenderableType], right: list[RenderableType]) -> Table:
    grid = Table.grid(padding=(0, 3, 0, 0), expand=True)
    grid.add_column(ratio=1)
    grid.add_column(ratio=1)
    grid.add_row(Group(*left), Group(*right))
    return grid
