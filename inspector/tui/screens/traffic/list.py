"""The traffic list with its filter above, its status below, and the post-mortem card of a lost connection.

Rows are only added by `sync`, in slices: a flood of messages is drawn at the pace of the screen, and no key waits.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from textual.app import ComposeResult

from inspector.capture.journal import Journal
from inspector.config.paths import places
from inspector.config.remembered import StoredAppearance, appearance_file
from inspector.config.settings import user_config
from inspector.errors import UsageError
from inspector.filters.language.fields import Term
from inspector.json_file import JsonFile
from inspector.present.spans import Span
from inspector.present.traffic.columns import Appearance, TimeMode, by_width, column
from inspector.present.traffic.log import LogModel
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.notes import notes_of
from inspector.tui.pacing import hurry
from inspector.tui.panels import Panel
from inspector.tui.screens.traffic.filter_pane import FilterPane
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.divider import Divider
from inspector.tui.widgets.list_detail import LAYOUTS, ListDetail
from inspector.tui.widgets.virtual_lines import Ground
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.tui.screens.traffic.detail import DetailPanel

PATIENT_TICKS = 15
"""Ticks after which hidden widgets are created even if the server has not responded: half a second."""
_LINES_EVERY = 5
"""Ticks between attempts to create the input lines."""
_LONGEST_S = 0.008
"""Maximum time per tick to add new entries. In a flood, half of the time belongs to the thread that reads the pipe."""
_LONGEST_BEHIND_S = 0.02
"""The same while a long capture is being loaded."""
_PICTURE_BEHIND = 8
"""Ticks per repaint while it is being loaded."""
_MARKS_EVERY = 6
"""Ticks between updates of the findings: each may redraw all visible rows."""
_AGE_EVERY = 15
"""Ticks between updates of ages for a filter that tests them: twice a second."""
_SCREENFULS, _FAR_BEHIND = 200, 20_000
"""Number of rows that fills any screen; number of pending entries that take many ticks."""
_AT_ONCE = 500
"""Entries between two checks of the elapsed time."""
NARROW = 100
"""Width in columns below which the list and the detail are shown one at a time."""
SHOW_EVERY_TICKS = 5
"""Ticks between updates of the detail while the list follows, so that it stays readable."""


class ListAppearance:
    """Changes the appearance of the rows of a list."""

    def __init__(self, rows: "TrafficList") -> None:
        self._list = rows
        self._kept: JsonFile[StoredAppearance] | None = None

    @property
    def now(self) -> Appearance:
        """Current columns and time format."""
        return self._list.model.look

    @property
    def names(self) -> tuple[str, ...]:
        """Visible columns, provided that they fit."""
        return self.now.chosen or by_width(self._list.rows.line_width)

    def show(self, look: Appearance) -> None:
        """Apply a look without storing it."""
        model = self._list.model
        model.look = msgspec.structs.replace(look, started_ns=self._list.journal.started_ns)
        self._list.rows.sync()

    def set(self, look: Appearance) -> None:
        """Apply a look and store it for the next run."""
        self.show(look)
        self._file().write(StoredAppearance(look.chosen, "" if look.mode is TimeMode.REFERENCE else look.mode.value))

    def choose(self, names: tuple[str, ...]) -> None:
        """Show these columns; an empty tuple selects them by width."""
        self.set(msgspec.structs.replace(self.now, chosen=names))

    def toggle_reference(self) -> None:
        """Measure times from the row under the cursor; on the same row again, stop doing so."""
        n = self._list.model.jumps.entry_at(self._list.rows.view.cursor)
        self._count_from(0 if n == self.now.reference else n)
        self._note_reference(self.now.reference)

    def _count_from(self, n: int) -> None:
        self.show(self.now.with_reference(n, self._list.journal.store.time_ns(n) if n else 0))

    def _note_reference(self, n: int) -> None:
        """Store the reference entry with the notes on the capture."""
        with suppress(UsageError):  # then it only applies to this run
            notes_of(self._list.filters.conversation).change(lambda notes: msgspec.structs.replace(notes, reference=n))

    def recall_notes(self) -> None:
        """Restore the stored marks and the reference entry, and report problems of the notes."""
        notes = notes_of(self._list.filters.conversation).notes
        if notes.trouble:
            self._list.notify(notes.trouble, severity="warning")
        if 0 < notes.reference <= self._list.journal.count:
            self._count_from(notes.reference)
        elif notes.marks:
            self.show(self.now)

    def recall(self) -> None:
        """Apply the configured look, or else the last one used."""
        kept, own = self._file().read() or StoredAppearance(), user_config()
        names = tuple(name for name in own.columns or kept.columns if column(name) is not None)
        times = own.time_format or kept.times
        mode = times if times in (TimeMode.START, TimeMode.ABOVE) else TimeMode.CLOCK
        if names or mode is not TimeMode.CLOCK:
            self.show(msgspec.structs.replace(self.now, chosen=names, mode=TimeMode(mode)))

    def _file(self) -> JsonFile[StoredAppearance]:
        if self._kept is None:
            self._kept = appearance_file(places().state)
        return self._kept


class MessageDetail:
    """The detail beside a list of messages: created when first needed; its layout, focus and keys."""

    def __init__(
        self, panel: Panel, name: str, rows: Callable[[], LogList], conversation: Callable[[], OpenConversation]
    ) -> None:
        """`name` identifies the remembered size; `conversation` returns the first conversation."""
        self._panel = panel
        self._name = name
        self._conversation = conversation
        self.created: DetailPanel | None = None
        """The detail, if it exists."""
        self.frame = ListDetail(
            panel,
            rows,
            lambda: self.created,
            narrow=NARROW,
            layouts=LAYOUTS,
            focus_detail=lambda: self.view.focus_content(),
        )

    @property
    def view(self) -> "DetailPanel":
        """The detail, created on first access."""
        if self.created is None:
            from inspector.tui.screens.traffic.detail import DetailPanel

            self.created = DetailPanel(self._conversation())
            self.created.add_class("panel--detail")
            self._panel.title_rows = (self.created.title_row,)
            self._panel.mount(Divider(self._name), self.created)
        return self.created

    def make_room(self) -> None:
        """Show the detail instead of the list if there is space for only one of both."""
        if self.frame.is_single:
            self.frame.open()

    def action_tab(self, by: int) -> None:
        """Show the next (1) or previous (-1) tab of the detail."""
        self.view.turn(by)

    def action_reveal(self) -> None:
        """Show or hide the secret headers of the selected message."""
        state = "shown" if self.view.reveal() else "masked"
        self._panel.notify(f"Secrets are {state}.", timeout=3)


class TrafficList(Ground):
    BINDINGS = keys.bindings("Search in Traffic", "Rows of Traffic")
    DEFAULT_CSS = """
    TrafficList { layout: vertical; width: 1fr; height: 1fr; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self.model = _model(conversation)
        self.chosen = 0
        """Entry under the cursor; 0 if there is none."""
        self.filters = FilterPane(conversation)
        self.term: Term | None = None
        """Current filter."""
        self.look = ListAppearance(self)
        self._looks = 0
        self._has_lines = False
        """Whether the input lines have been created."""
        self._card_shown_for: ConversationStage | None = None
        self._called_for = 0
        """Entry to show as soon as it has a row; 0 if there is none."""

    def compose(self) -> ComposeResult:
        """Compose filter, rows and status. The input lines are created later."""
        self.call_after_refresh(self._create_lines)
        self.call_after_refresh(self.look.recall)
        follow = self._conversation.stage not in (
            ConversationStage.LOADING,
            ConversationStage.RECORDED,
        )  # a capture is read from its beginning
        yield self.filters
        yield LogList(self.model, follow=follow, empty=_empty(self._conversation, ""), labelled=False)
        yield StatusLine()

    @property
    def rows(self) -> LogList:
        """The list widget."""
        return self.query_one(LogList)

    def _create_lines(self) -> None:
        """Create the input lines before they are needed, because that takes a twentieth of a second."""
        if not self.filters.is_attached:  # the app has ended meanwhile
            return
        if self._looks >= PATIENT_TICKS or not self._conversation.is_starting:
            self._has_lines = self.filters.bar.is_attached and self.filters.finder.is_attached

    def sync(self) -> None:
        """Add new entries, and repaint visible changes."""
        if not self._has_lines and self._looks % _LINES_EVERY == 0:
            self.call_after_refresh(self._create_lines)
        rows = self.rows
        behind = self._is_behind()
        if not rows.frozen and _take_in(self.model, _LONGEST_BEHIND_S if behind else _LONGEST_S):
            hurry(self)  # a frozen list adds nothing
        self._looks += 1
        if self._looks % _AGE_EVERY == 0:
            self.model.age()
        if behind and self._looks % _PICTURE_BEHIND:
            return
        rows.empty = () if self.model.count else _empty(self._conversation, self.filters.text)
        if self._looks % _MARKS_EVERY == 0:
            self.model.marks.step()
        rows.sync()
        self._show_requested()
        self._show_matches()
        self.query_one(StatusLine).show(*_status(self._conversation, self.model, rows.growth_label))
        self._show_card()

    def _show_matches(self) -> None:
        """Continue the search, and show how many rows match filter and search."""
        self.model.finder.step()
        self.filters.say(self.model, self.model.finder.matches if self.model.finder.text else None)

    def _settle(self) -> None:
        """Filter and search before the next key that acts."""

        def is_busy() -> bool:
            return (self.model.is_filtering and not self.rows.frozen) or self.model.finder.is_searching

        def work() -> None:
            if not self.rows.frozen:
                _take_in(self.model, _LONGEST_S)
            self.rows.sync()
            self._show_matches()

        self.filters.settle(is_busy, work)

    def _is_behind(self) -> bool:
        """Whether a long capture is being loaded: it is ready sooner with fewer repaints."""
        if self._conversation.can_act or self.model.count < _SCREENFULS:
            return False
        return (
            self._conversation.stage is ConversationStage.LOADING
            or self._conversation.journal.count - self.model.taken > _FAR_BEHIND
        )

    def rebind(self, conversation: OpenConversation, *, card_shown: bool = False) -> None:
        """Show another conversation from its beginning; view and filter stay.

        `card_shown`: whether its end has been shown already.
        """
        old, self._conversation = self.model, conversation
        old.cancel_filter()
        self.filters.conversation = conversation
        self.model = _model(conversation)
        self.model.show(tree=old.tree, partners=old.partners)
        self.model.set_filter(self.term)
        self.model.finder.set(old.finder.text)
        self.look.show(old.look.with_reference(0, 0) if old.look.reference else old.look)
        self.rows.source = self.model
        self.rows.action_last()
        self.chosen, self._card_shown_for = 0, conversation.stage if card_shown else None
        self.close_card()

    def clear_filter(self) -> None:
        """Clear filter and search."""
        self.filters.clear()
        self.filter(None)
        self.model.finder.set("")
        self.rows.focus()

    def leave_filter(self) -> bool:
        """Clear filter and search; return whether there was one."""
        had = self.model.has_filter or bool(self.filters.text) or bool(self.model.finder.text)
        if had:
            self.clear_filter()
        return had

    def show_partners(self) -> bool:
        """Toggle whether matches are shown with the rest of their exchange; return the new setting."""
        self.model.show(partners=not self.model.partners, around=0 if self.rows.following else self.chosen)
        self.rows.sync()
        return self.model.partners

    def toggle_tree(self) -> None:
        """Switch between the tree and the wire order; the selected entry stays."""
        n, following = self.chosen, self.rows.following
        self.model.show(tree=not self.model.tree, around=0 if following else n)
        self.rows.sync()
        if not following:
            self.go_to_entry(n)

    def go_to_entry(self, n: int) -> bool:
        """Go to the row of an entry; return whether there is one."""
        index = self.model.find(n)
        if index is not None:
            self.rows.go_to(index)
        return index is not None

    @property
    def journal(self) -> Journal:
        return self._conversation.journal

    def request_entry(self, n: int) -> None:
        """Show an entry in full as soon as it has a row; a filter that hides it is cleared."""
        self._called_for = n

    def _show_requested(self) -> None:
        n = self._called_for
        if not 0 < n <= self.model.taken:
            return
        if self.model.find(n) is None and self.filters.text:
            self.clear_filter()
        self._called_for = 0
        index = self.model.find(n)
        if index is not None:
            self.rows.go_to(index)
            self.rows.opened()

    def toggle_card(self) -> None:
        """Show or close the post-mortem card of a connection that has ended."""
        if self.close_card():
            return
        stages = ConversationStage
        if self._conversation.stage in (stages.CONNECTING, stages.OPEN, stages.LOADING):
            self.notify("The connection has not ended.", timeout=3)
            return
        if self._conversation.moment_shown is not None and not _is_dead(self._conversation):
            self.notify("The connection was still open at that entry.", timeout=3)
            return
        from inspector.tui.post_mortem import PostMortemCard

        self.mount(PostMortemCard(self._conversation))

    def close_card(self) -> bool:
        """Close the post-mortem card; return whether there was one."""
        cards = self.query("PostMortemCard")
        gone = bool(cards)
        cards.remove()
        return gone

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        self.chosen = self.model.entry_of(message.index) if 0 <= message.index < self.model.count else 0

    def on_filter_pane_filtered(self, message: FilterPane.Filtered) -> None:
        self.filter(message.term)
        self._settle()

    def on_filter_pane_search_changed(self, message: FilterPane.SearchChanged) -> None:
        """Search for another text."""
        self.model.finder.set(message.text)
        self._settle()

    def on_filter_pane_left(self, message: FilterPane.Left) -> None:
        """Focus the rows, and go to the first match if requested."""
        self.rows.focus()
        if message.found:
            self.action_found(1)

    def action_copy_as(self) -> None:
        """Let the user choose what to copy of the selected row."""
        from inspector.present.copies import of_payload, of_request  # not needed for the first paint
        from inspector.tui.widgets.payload_actions import choose_copy

        journal, n = self._conversation.journal, self.chosen
        payload = getattr(journal.store.entry(n).what, "payload", b"") if 0 < n <= journal.count else b""
        choose_copy(self.app, [*of_payload(payload), *of_request(journal, n)] if payload else [])

    def action_found(self, by: int) -> None:
        """Go to the next (1) or previous (-1) match of the search.

        Without a search, every row that the filter shows is a match.
        """
        if not self.model.finder.text and self.model.has_filter:
            self.rows.go_to(self.rows.view.cursor + by)
            return
        self.model.finder.step()
        index = self.model.finder.next(self.rows.view.cursor, back=by < 0)
        if index is not None:
            self.rows.go_to(index)

    def filter(self, term: Term | None) -> None:
        """Show only matches; None shows all. Entries that have matched before are tested again."""
        self.term = term
        self.model.set_filter(term)
        self.rows.sync()  # the rows have changed, so sync before the next paint

    def show_notes(self) -> None:
        """Draw the rows again after a change of marks, and apply a filter that tests marks again."""
        self.look.show(self.look.now)
        if "mark" in self.filters.text or "comment" in self.filters.text:
            self.filter(self.term)

    def _show_card(self) -> None:
        """Show the post-mortem card once, if the connection failed or was lost."""
        stage = self._conversation.stage
        if stage is self._card_shown_for:
            return
        self._card_shown_for = stage
        if stage is ConversationStage.RECORDED:
            self.look.recall_notes()
        if _is_dead(self._conversation) and not self.query("PostMortemCard"):  # first closed, then also failed to open
            self.toggle_card()


def _is_dead(conversation: OpenConversation) -> bool:
    """Whether a connection, live or recorded, has failed or ended unexpectedly."""
    stage = conversation.stage
    if stage is ConversationStage.RECORDED:
        from inspector.present.failure_report import has_failure

        return has_failure(conversation.journal)
    return stage is ConversationStage.FAILED or (stage is ConversationStage.CLOSED and bool(conversation.why))


def _model(conversation: OpenConversation) -> LogModel:
    return LogModel(
        conversation.journal, lambda: conversation.now_ns, threaded=True, found=lambda: conversation.checks_so_far
    )


def _take_in(model: LogModel, longest_s: float) -> bool:
    """Let the rows catch up with the journal for some milliseconds; return whether something is left."""
    end = time.perf_counter() + longest_s
    while (reads := model.refresh(_AT_ONCE)) and time.perf_counter() < end:
        pass
    model.filter_step()
    while (lays := model.lay()) and time.perf_counter() < end:
        pass
    return reads or lays


def _status(conversation: OpenConversation, model: LogModel, growth: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """Return the status line: the kind of view, whether it follows, and the number of entries."""
    way, other = ("Tree", "Wire order") if model.tree else ("Wire order", "Tree")
    left: list[Span] = [(way, "muted"), (f"  {keys.shown_key('traffic.tree')} ", "accent"), (other, "faint")]
    if model.partners and not model.tree:
        left.append(("  with request/response pairs", "accent"))
    if model.is_filtering:
        left.append((f"  {glyphs().pending} filtering {100 * model.looked_through:.0f} %", "pending"))
    gap: list[Span] = [("   ", "text")] if growth else []
    return left, [*growth, *gap, (f"{conversation.journal.count:,} entries", "muted")]


def _empty(conversation: OpenConversation, wanted: str) -> list[list[Span]]:
    """Return the text shown without rows: the reason, and what to do."""
    if wanted:
        return [[("No matches.", "muted")], [(f"{keys.shown_key('back')} clears the filter", "faint")]]
    waiting: dict[ConversationStage, list[list[Span]]] = {
        ConversationStage.CONNECTING: [[("Connecting…", "muted")], [("No messages yet.", "faint")]],
        ConversationStage.LOADING: [[("Reading the capture…", "muted")]],
        ConversationStage.RECORDED: [[("This capture is empty.", "muted")]],
    }
    nothing: list[list[Span]] = [[("No messages.", "muted")], [(f"{keys.shown_key('reconnect')} reconnects", "faint")]]
    return waiting.get(conversation.stage, nothing)
