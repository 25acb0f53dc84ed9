"""Detail of one message: its summary, its exchange, and its payload in several forms.

If there is enough height, the request is shown above its response; otherwise `p` switches between them.
"""

from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from inspector.capture.messages import exchange_at
from inspector.checks.findings import Finding
from inspector.present.copies import Copy, of_request
from inspector.present.findings import finding_line, finding_section
from inspector.present.spans import Section, Span, spans_width
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.listed_items import Tool
from inspector.text import decode, human_size
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import OpenConversation, past_of
from inspector.tui.panels import Panel
from inspector.tui.screens.traffic.model import (
    Detail,
    PayloadSide,
    detail_of,
    diff_sections,
    moment_sections,
    previous_of,
    schema_sections,
    tool_of,
    trace_sections,
)
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.bars import StatusLine, TabLine
from inspector.tui.widgets.payload import BYTES, RAW, TREE, PayloadView
from inspector.tui.widgets.payload_actions import PayloadActions
from inspector.tui.widgets.section_card import section_renderable

FINDINGS, STATE = "Findings", "State"
TRACE, HEADERS, SCHEMA, DIFF = "Trace", "Headers", "Schema", "Diff"
_IN_SECTIONS = (TRACE, HEADERS, SCHEMA, STATE, DIFF, FINDINGS)
"""Tabs that show sections instead of a payload."""
_EDGES = 4
"""Width beside a section that holds no text, in cells."""
_BOTH = 18
"""Minimum height in rows to show a request above its response."""
_LIVE_TICKS = 3
_NEVER_JSON = ("stderr", "event")
"""Kinds of payload that are not expected to be JSON."""


class KnownState:
    """State of the conversation right after an entry, computed on a thread if the entry is far back."""

    def __init__(self, widget: Widget, changed: Callable[[], None]) -> None:
        """`changed` is called when the state has been computed; `widget` runs the work."""
        self._widget = widget
        self._changed = changed
        self._known: tuple[OpenConversation, int, tuple[Section, ...]] | None = None
        self._wanted: tuple[OpenConversation, int] | None = None
        """The conversation and entry requested last."""
        self._coming = 0
        """The entry whose state is being computed."""

    def moment(self, entry: int) -> int:
        """Return the entry whose state is shown: the given one, or during a replay, the one at the replay position."""
        playback = getattr(self._widget.app, "playback", None)
        if playback is not None and playback.position is not None and playback.chosen == entry:
            return int(playback.at)
        return entry

    def has_moved(self, entry: int) -> bool:
        """Whether the replay position has changed since the state was computed."""
        return self._known is not None and self._known[1] != self.moment(entry) != self._coming

    def sections(self, conversation: OpenConversation, entry: int) -> tuple[Section, ...]:
        """Return the state at the entry, or a note that it is being computed."""
        n, known = self.moment(entry), self._known
        self._wanted = conversation, n
        if known is not None and known[:2] == (conversation, n):
            return known[2]
        if not n:
            return ()
        past = past_of(conversation)
        if not past.is_far(n):
            self._known = conversation, n, moment_sections(past.known(n))
            return self._known[2]
        if self._coming != n:
            self._coming = n
            self._widget.run_worker(self._find_out(conversation, n), exclusive=True, group="state")
        return (Section("State", note=f"computing the state at #{n:,}"),)

    async def _find_out(self, conversation: OpenConversation, n: int) -> None:
        def stop() -> bool:
            return self._wanted != (conversation, n) or not self._widget.is_attached

        then = await read_on_thread(past_of(conversation).at, n, stop)
        self._coming = 0
        if then.count == n and self._wanted == (conversation, n):
            self._known = conversation, n, moment_sections(then)
            self._changed()


class DetailPanel(Widget):
    """Detail of the entry that is selected in the list."""

    takes_edits = True
    """A message that was changed in an editor becomes a draft in the Composer."""

    DEFAULT_CSS = """
    DetailPanel { layout: vertical; }
    DetailPanel PayloadView { border-top: solid $border-blurred; }
    DetailPanel .hidden { display: none; }
    DetailPanel #first { height: 2fr; }
    DetailPanel #second { height: 3fr; }
    DetailPanel #headers { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; border-top: solid $border-blurred; }
    DetailPanel #headers Static { height: auto; margin-bottom: 1; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self.title_row = StatusLine()
        self._detail: Detail | None = None
        self._tab = TREE
        self._turned: int | None = None
        """Side shown if there is space for only one; None for the entry's own."""
        self._reveal = False
        self._ticks = 0
        self.is_laid_out = False
        """Whether its children are mounted. Before that, a key only changes what they will show."""
        self._exchange: Exchange | None = None
        self._tool: Tool | None = None
        """The tool called by the exchange."""
        self._before: Exchange | None = None
        """Exchange to compare with."""
        self._seen_findings = -1
        self._state = KnownState(self, self._draw)

    def compose(self) -> ComposeResult:
        yield self.title_row
        yield StatusLine(id="facts")
        yield StatusLine(id="found", classes="hidden")
        yield TabLine()
        yield PayloadView(id="first")
        yield PayloadView(id="second")
        yield VerticalScroll(id="headers", classes="hidden")

    def on_mount(self) -> None:
        """Show the entry selected meanwhile, now that the children exist; a panel that is closing has none."""
        self.is_laid_out = self.title_row.is_attached
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Show one or both sides."""
        self._draw()

    @property
    def entry(self) -> int:
        """The entry shown; 0 if there is none."""
        return self._detail.n if self._detail else 0

    def rebind(self, conversation: OpenConversation) -> None:
        """Switch to another conversation; nothing is shown until an entry is selected."""
        self._conversation = conversation
        self._detail = self._exchange = self._tool = self._before = None
        self._draw()

    def show(self, n: int) -> None:
        """Show entry n; 0 shows nothing."""
        self._turned = None
        self._reveal = False
        self._look(n)

    def sync(self) -> None:
        """Update an exchange that is not finished yet."""
        self._ticks += 1
        if self._ticks % _LIVE_TICKS == 0 and self._detail is not None and _is_open(self._conversation, self._detail):
            self._look(self._detail.n)
        elif self._ticks % _LIVE_TICKS == 0:
            self._look_for_findings()
            if self._tab == STATE and self._state.has_moved(self.entry):
                self._draw()

    def turn(self, by: int) -> None:
        """Show the next (1) or previous (-1) tab."""
        tabs = self._tabs
        at = tabs.index(self._tab) if self._tab in tabs else 0
        self._open(tabs[(at + by) % len(tabs)])

    def toggle_state(self) -> None:
        """Toggle between the state at the entry and the message."""
        self._open(TREE if self._tab == STATE else STATE)

    def switch_side(self) -> bool:
        """Switch between request and response; return whether both are there to be shown."""
        if self._detail is None or len(self._detail.sides) < 2 or not self.is_laid_out or not self.display:
            return False
        if self.size.height >= _BOTH:
            second = self.query_one("#second", PayloadView)
            (self.query_one("#first", PayloadView) if second.has_focus_within else second).focus_content()
        else:
            shown = self._detail.shown if self._turned is None else self._turned
            self._turned = 1 - shown
            self._draw()
        return True

    def focus_content(self) -> None:
        """Focus the content, as soon as it is mounted."""
        if not self.is_laid_out:
            self.call_after_refresh(self.focus_content)
        elif self._tab in _IN_SECTIONS or self.query_one("#first").has_class("hidden"):
            headers = self.query_one("#headers")
            self.call_after_refresh(headers.focus)  # hidden widgets can't be focused
        else:
            self.query_one("#first", PayloadView).focus_content()

    def reveal(self) -> bool:
        """Show or hide the secret headers of this message; return whether they are shown."""
        self._reveal = not self._reveal
        self._look(self.entry)
        return self._reveal

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """Show the clicked tab."""
        message.stop()
        self._open(message.name)

    def _open(self, tab: str) -> None:
        if not self.is_laid_out:
            self._tab = tab
            return
        inside, view = self.has_focus_within, self.payload_view
        self._tab = tab
        self._draw()
        if inside and tab not in _IN_SECTIONS and not view.has_class("hidden"):
            view.focus_content()
        elif inside:
            self.focus_content()

    def _look(self, n: int) -> None:
        journal = self._conversation.journal
        if not 0 < n <= journal.count:
            self._detail = None
        else:
            before = self._detail
            self._detail = detail_of(journal, n, reveal=self._reveal, now_ns=self._conversation.now_ns)
            if before is not None and before.n == n:
                self._detail = _with_same_payloads(self._detail, before)
        exchange, self._exchange = self._exchange, self.exchange
        if exchange is not self._exchange or self._before is None:
            self._tool, self._before = tool_of(journal, self._exchange), previous_of(journal, self._exchange)
        self._draw()

    def _draw(self) -> None:
        if not self.is_laid_out:
            return  # `on_mount` draws
        detail = self._detail
        self.title_row.show(detail.title if detail else [("No message selected", "muted")])
        self.query_one("#facts", StatusLine).show(
            _summary(detail, self.size.width - 2) if detail else [("No entry selected", "faint")]
        )
        sides = self._visible_sides()
        tab = self._tab if sides and self._tab in self._tabs else TREE if sides else HEADERS
        tab = STATE if self._tab == STATE and detail else tab
        self._draw_finding_line(self.findings)
        if tab == TREE and all(side.name in _NEVER_JSON for side in sides):
            tab = RAW
        hint: list[Span] = (
            [(keys.shown_key("traffic.pair"), "accent"), (" Request/response", "faint")]
            if detail and len(detail.sides) > len(sides) > 0
            else []
        )
        self.query_one(TabLine).show_tabs(self._tabs, tab, hint)
        for place, view_id in enumerate(("#first", "#second")):
            view = self.query_one(view_id, PayloadView)
            view.set_class(tab in _IN_SECTIONS or place >= len(sides), "hidden")
            if tab not in _IN_SECTIONS and place < len(sides):
                _fill(view, sides[place], tab)
        headers = self.query_one("#headers", VerticalScroll)
        headers.set_class(tab not in _IN_SECTIONS, "hidden")
        if tab in _IN_SECTIONS:
            self._draw_sections(headers, self._sections(tab))

    def _sections(self, tab: str) -> tuple[Section, ...]:
        if tab == STATE:
            return self._state.sections(self._conversation, self.entry)
        journal = self._conversation.journal
        if tab == TRACE:
            return trace_sections(journal, self.entry, self.size.width - _EDGES)
        if tab == SCHEMA and self._tool is not None:
            return schema_sections(self._tool)
        if tab == DIFF and self._exchange is not None and self._before is not None:
            return diff_sections(journal, self._exchange, self._before)
        return self._headers if tab == HEADERS else tuple(map(finding_section, self.findings))

    def _visible_sides(self) -> Sequence[PayloadSide]:
        if self._detail is None or not self._detail.sides:
            return ()
        if self.size.height >= _BOTH:
            return self._detail.sides
        shown = self._detail.shown if self._turned is None else self._turned
        return self._detail.sides[shown : shown + 1]

    @property
    def _tabs(self) -> tuple[str, ...]:
        there = {TRACE: self._exchange is not None, SCHEMA: self._tool is not None, DIFF: self._before is not None}
        there[FINDINGS] = bool(self.findings)
        return (TREE, RAW, BYTES, *(tab for tab in _IN_SECTIONS if there.get(tab, True)))

    @property
    def _headers(self) -> tuple[Section, ...]:
        detail = self._detail
        sections = (Section("Facts", detail.facts), *detail.headers) if detail else ()
        if detail and not detail.headers:
            sections = (*sections, Section("HTTP headers", note="No headers: not sent over HTTP"))
        return sections

    def _draw_sections(self, headers: VerticalScroll, sections: tuple[Section, ...]) -> None:
        wanted = [(section.title, section) for section in sections]
        if getattr(headers, "sections", None) == wanted:
            return
        headers.sections = wanted  # type: ignore[attr-defined]
        headers.remove_children()
        dark = self.app.current_theme.dark
        for title, section in wanted:
            headers.mount(Static(Content.styled(title, "bold $accent"), markup=False, classes="heading"))
            headers.mount(Static(section_renderable(section, dark=dark), markup=False))

    @property
    def payload_view(self) -> PayloadView:
        """Payload that keys act on: the focused one, else the first."""
        second = self.query_one("#second", PayloadView)
        return second if second.has_focus_within else self.query_one("#first", PayloadView)

    def chosen_value(self) -> tuple[str, bytes] | None:
        """Return the path of the cursor in the message and the JSON there; None if the cursor is not in a tree."""
        if not self.is_laid_out:
            return None
        view = self.payload_view
        return (view.path, view.value) if view.path else None

    def copy(self) -> None:
        """Copy the value under the cursor, or the message."""
        if not self.is_laid_out:
            return
        copy(self.app, decode(self.payload_view.value))

    def copy_entry(self, n: int) -> None:
        """Copy the payload of an entry that is not shown here, because there is room for the list alone."""
        journal = self._conversation.journal
        what = journal.store.entry(n).what if 0 < n <= journal.count else None
        copy(self.app, decode(getattr(what, "payload", b"")))

    @property
    def exchange(self) -> Exchange | None:
        """The entry's exchange; None if it has none."""
        return exchange_at(self._conversation.journal, self.entry)

    def more_to_copy(self) -> list[Copy]:
        """Return ways to copy the request as a command."""
        return of_request(self._conversation.journal, self.entry, reveal=self._reveal)

    def on_payload_actions_edited(self, message: PayloadActions.Edited) -> None:
        """Open the edited message as a draft in the Composer."""
        message.stop()
        self.post_message(Panel.DraftWanted(message.payload))

    @property
    def findings(self) -> list[Finding]:
        """Findings about the request and its response, the most severe first."""
        checks, detail = self._conversation.checks_so_far, self._detail
        if checks is None or detail is None:
            return []
        entries = {detail.n, *(side.n for side in detail.sides)}
        found = [each for n in sorted(entries) for each in checks.of(n)]
        return sorted(found, key=lambda each: each.severity.rank)

    def _look_for_findings(self) -> None:
        """Draw again if checks have found something new."""
        checks = self._conversation.checks_so_far
        changes = checks.changes if checks is not None else 0
        if changes != self._seen_findings:
            self._seen_findings = changes
            self._draw()

    def _draw_finding_line(self, found: list[Finding]) -> None:
        """Show the most severe finding above the tabs, and the number of findings."""
        line = self.query_one("#found", StatusLine)
        line.set_class(not found, "hidden")
        if not found:
            return
        all_of_them = keys.key_name(keys.action("screen.findings").keys[0])
        line.show(list(finding_line(found[0], len(found) - 1)), [(f"{all_of_them} Findings", "faint")])

    def point_at(self, n: int, pointer: str = "", span: tuple[int, int] | None = None, *, focus: bool = True) -> None:
        """Select a value in the tree or bytes in entry `n`. Does nothing if the entry is not shown here."""
        if not self.is_laid_out:
            self.call_after_refresh(self.point_at, n, pointer, span, focus=focus)
            return
        detail = self._detail
        place = next((at for at, side in enumerate(detail.sides) if side.n == n), None) if detail else None
        if place is None:
            return
        self._tab = BYTES if span is not None and not pointer else TREE
        self._turned = place
        self._draw()
        for at, side in enumerate(self._visible_sides()):
            if side.n == n:
                view = self.query_one(("#first", "#second")[at], PayloadView)
                view.point_at(pointer, span)
                if focus:
                    view.focus_content()


def _is_open(conversation: OpenConversation, detail: Detail) -> bool:
    """Whether an exchange may still get a response or progress."""
    number = conversation.journal.store.exchange(detail.n)
    exchanges = conversation.journal.conversation.exchanges
    if not 0 < number <= len(exchanges):
        return False
    return exchanges[number - 1].state is ExchangeState.PENDING or len(detail.sides) == 1


def _fill(view: PayloadView, side: PayloadSide, tab: str) -> None:
    problem: list[Span] = [("cannot read the message from the capture", "error")] if side.missing else []
    size: list[Span] = [(human_size(len(side.payload)), "muted")]
    view.show(
        [(side.name.capitalize(), "strong"), ("  ", "text"), (f"#{side.n}" if side.n else "", "faint")],
        problem or size,
        side.payload,
        tab,
    )


def _summary(detail: Detail, width: int) -> list[Span]:
    """Return the most important facts on one line: as many complete ones as fit into `width` cells."""
    known = {fact.key: fact for fact in detail.facts}
    if len(detail.sides) > 1:
        known.pop("size", None)  # each side has its own below
    spans: list[Span] = []
    for key in ("state", "progress", "problem", "advice", "defect", "why", "size", "protocol version", "entry"):
        if key in known:
            between: list[Span] = [("  ·  ", "faint")] if spans else []
            part: Span = (known[key].value, known[key].role if known[key].role != "text" else "muted")
            if not spans or spans_width([*spans, *between, part]) <= width:
                spans += [*between, part]
    return spans


def _with_same_payloads(new: Detail, old: Detail) -> Detail:
    """Return the new detail with the old payload objects where they are equal, so that views keep their position."""
    from dataclasses import replace

    known = {_identity(side): side.payload for side in old.sides}
    sides = (replace(side, payload=known.get(_identity(side), side.payload)) for side in new.sides)
    return replace(new, sides=tuple(sides))


def _identity(side: PayloadSide) -> tuple[int, int | bytes]:
    """Return what tells a payload from others: that of an entry never changes, that of an edit may."""
    return side.n, len(side.payload) if side.n else side.payload
