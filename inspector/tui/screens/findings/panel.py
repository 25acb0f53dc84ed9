"""Findings screen: findings of the checks, worst first, with evidence, impact, fix and specification.

A wide terminal shows the detail beside the list, a narrow one below it. Enter goes to the evidence in Traffic.
Checks lag behind the traffic: the row below the list shows their progress.
"""

from collections.abc import Sequence
from functools import partial

from rich.console import Group as RichGroup
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from inspector.checks.findings import Finding
from inspector.config.paths import places
from inspector.config.remembered import Mute, StoredMutes
from inspector.present.findings import failure_in, findings_text, unexplained
from inspector.present.live_checks import mute_of
from inspector.present.spans import Section, Span
from inspector.present.trace import entries_of_all
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.panels import ExportScope, Panel
from inspector.tui.screens.findings.model import FindingRows, Group, about, checked, counted, disabled_line
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.bars import ButtonBar, StatusLine
from inspector.tui.widgets.divider import Divider
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.search_bar import NO_FILTER, SearchBar
from inspector.tui.widgets.section_card import section_renderable
from inspector.tui.widgets.virtual_lines import Scroller
from inspector.tui.widgets.virtual_list import LogList

_MOST_COPIED = 100
_MOST_EVIDENCE = 100
"""Maximum number of exported entries per finding."""

_NARROW = 120
_TICKS = 10
"""Ticks between updates: about a third of a second, since rows that move more often are hard to read."""


class FindingsPanel(Panel):
    places = keys.SCREENS["findings"].places
    BINDINGS = keys.bindings("Findings")
    ROW_ACTIONS = frozenset(("mute",))
    DEFAULT_CSS = """
    FindingsPanel > Vertical { width: 3fr; height: 1fr; }
    FindingsPanel > Vertical > Static { height: auto; max-height: 4; padding: 0 1; }
    FindingsPanel > .findings--detail { width: 2fr; }
    FindingsPanel Scroller { height: 1fr; padding: 0 0 0 1; }
    FindingsPanel Scroller > Static { height: auto; }
    FindingsPanel ButtonBar { dock: bottom; }
    FindingsPanel.-below > Vertical { width: 1fr; height: 1fr; }
    FindingsPanel.-below > .findings--detail { width: 1fr; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self._rows = FindingRows()
        self._line = StatusLine()
        self.title_rows = (self._line,)
        self._bar = SearchBar("filter", placeholder="words, a slug, a severity, #12", grows=True)
        self._bar.display = False
        self._list = LogList(self._rows)
        self._failed = Static("", markup=False)
        self._failed.display = False
        self._shown_failed = ""
        self._foot = StatusLine()
        self._page = Scroller()
        self._buttons = ButtonBar()
        self._text = Static("", markup=False)
        self.frame: ListDetail = ListDetail(
            self, lambda: self._list, lambda: self._page, narrow=_NARROW, narrow_layout="below"
        )
        self._shown_item: object = None
        self._wanted_finding: Finding | None = None
        self._ticks = 0

    def compose(self) -> ComposeResult:
        self.frame.arrange(self.app.size.width)
        with Vertical():
            yield self._line
            yield self._bar
            yield self._list
            yield self._failed
            yield self._foot
        yield Divider("findings")
        with Vertical(classes="findings--detail"):
            with self._page:
                yield self._text
            yield self._buttons

    # Interface for the app

    def sync(self) -> None:
        if not (self._list.is_mounted and self._bar.is_mounted and self._text.is_mounted):
            return
        self._ticks += 1
        if self._ticks % _TICKS == 1:
            self._look()
        self._list.sync()

    def rebind(self, conversation: OpenConversation) -> None:
        """Show the findings of another conversation; the filter is kept."""
        self._conversation = conversation
        self._ticks = 0

    def go_back(self) -> bool:
        """Return from the filter line or the detail to the list."""
        if not self._bar.has_focus_within:
            return super().go_back()
        self._list.focus()
        return True

    def show_findings(self, findings: Sequence[Finding]) -> None:
        self._wanted_finding = findings[0] if findings else None
        self._ticks = 0

    @property
    def has_row(self) -> bool:
        return self._rows.item(self._list.view.cursor) is not None

    @property
    def export_scopes(self) -> Sequence[ExportScope]:
        """Evidence of the selected findings, with the operations that it belongs to."""
        ns = dict.fromkeys(n for each in self._findings() for n in each.frames[:_MOST_EVIDENCE])
        find = partial(entries_of_all, self._conversation.journal, tuple(ns))
        return (ExportScope("the finding's evidence", find=find),) if ns else ()

    # Keys

    def action_filter(self) -> None:
        """Open the filter line."""
        self._bar.display = True
        self._bar.focus()

    def action_clear_filter(self) -> None:
        """Show all findings again."""
        if not self._bar.display:
            self.notify(NO_FILTER, timeout=3)
        self._bar.text = ""
        self._bar.display = False
        self._want("")
        self._list.focus()

    def action_open(self) -> None:
        """Show the evidence of the selected finding in Traffic."""
        if (found := self._evidence) is not None:
            self.post_message(self.EntryWanted(found.frames[0], found.pointer, found.span))

    def copy(self) -> None:
        """Copy the selected finding, or those of the selected group."""
        chosen = self._findings()[:_MOST_COPIED]
        if chosen:
            copy(self.app, findings_text(chosen), f"{len(chosen)} findings" if len(chosen) > 1 else "finding")

    def action_muted(self) -> None:
        """Toggle whether muted findings are shown."""
        if not self._conversation.checks.hidden:
            self.notify("Nothing is muted.", timeout=3)
        self._rows.shows_muted = not self._rows.shows_muted
        self._look()

    def action_pause(self) -> None:
        """Pause or resume the checks."""
        checks = self._conversation.checks
        checks.pause(not checks.paused)
        self._look()

    def action_mute(self) -> None:
        """Mute or unmute the selected finding, or the check of a group."""
        item, checks = self._rows.item(self._list.view.cursor), self._conversation.checks
        if item is None:
            return
        mutes = {Mute(item.id)}
        if isinstance(item, Finding):
            own = {mute_of(each) for each in self._rows.occurrences(item)}
            mutes = (own | mutes) & checks.muted or own
        now = checks.muted - mutes if mutes <= checks.muted else checks.muted | mutes
        checks.mute(now)
        kept = self._kept().keep(now)
        message = (
            f"Muted in this capture. {keys.shown_key('findings.muted')} shows them."
            if mutes <= now
            else "No longer muted."
        )
        self.notify(message if kept else f"{message} It could not be saved.", timeout=3)
        self._look()

    # Messages of the widgets

    def on_search_bar_changed(self, message: SearchBar.Changed) -> None:
        message.stop()
        self._want(message.text)

    def on_search_bar_done(self, message: SearchBar.Done) -> None:
        """Return to the list; hide an empty filter."""
        message.stop()
        self._bar.display = bool(self._rows.wanted)
        self._list.focus()

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        message.stop()
        self._show()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show the evidence in Traffic; for a group, that of its first finding."""
        message.stop()
        item = self._rows.item(message.index)
        found = item.findings[0] if isinstance(item, Group) else item
        if found is not None and found.frames:
            self.post_message(self.EntryWanted(found.frames[0], found.pointer, found.span))
        elif found is not None:
            self.notify("No evidence to show: a message is missing.")

    # Rendering

    def _want(self, words: str) -> None:
        self._rows.wanted = words
        self._look()

    def _look(self) -> None:
        checks = self._conversation.checks_so_far
        if self._rows.take(checks):
            self._list.sync()
            self._show()
        self._list.empty = () if self._rows.count else _empty(self._conversation, self._rows)
        self._go_to_wanted()
        self._line.show(*counted(checks, shows_muted=self._rows.shows_muted))
        checker = getattr(self.app, "checker", None)
        failed = checker is not None and checker.has_failed
        self._show_failed()
        self._foot.show(*checked(checks, self._conversation.journal.count, failed=failed))
        if self._rows.wanted:
            self._bar.show_count(self._rows.shown, of=sum(checks.counts.values()) if checks is not None else 0)
        elif self._bar.display:
            self._bar.show_count(None)

    def _show_failed(self) -> None:
        """Show which checks failed with an internal error."""
        words = spans_to_text(disabled_line(self._conversation.checks_so_far), dark=self.app.current_theme.dark)
        words.no_wrap, words.overflow = False, "fold"
        if words.plain != self._shown_failed:
            self._shown_failed = words.plain
            self._failed.display = bool(words.plain)
            self._failed.update(words)

    def _go_to_wanted(self) -> None:
        wanted, self._wanted_finding = self._wanted_finding, None
        at = self._rows.reveal(wanted) if wanted is not None else None
        if at is not None:
            self._list.sync()
            self._list.view.go_to(at)
            self._list.moved()
            self._show()

    def _show(self) -> None:
        item = self._rows.item(self._list.view.cursor)
        if item == self._shown_item:
            return
        self._shown_item = item
        if item is None:
            section = Section("")
        else:
            section = about(item, self._affected(item))
        dark = self.app.current_theme.dark
        title = spans_to_text([(section.title, "title")], dark=dark)
        title.no_wrap, title.end = False, "\n"
        self._text.update(RichGroup(title, section_renderable(section, dark=dark)))
        self._page.scroll_home(animate=False)
        evidence = [("list.open", "Evidence")] if self._evidence is not None else []
        self._buttons.offer(*evidence, "copy", "findings.mute") if item is not None else self._buttons.offer()

    def _affected(self, item: Group | Finding) -> Sequence[str]:
        """Return the names of the listed items that a group, or the only finding of a check, is about."""
        checks = self._conversation.checks_so_far
        if checks is None or (isinstance(item, Finding) and checks.times(item.id) > item.count):
            return ()
        return checks.affected(item.id, item.severity)

    @property
    def _evidence(self) -> Finding | None:
        """Selected finding, or the first of the selected group; None without an entry to show."""
        found = self._findings()[:1]
        return found[0] if found and found[0].frames else None

    def _kept(self) -> StoredMutes:
        return StoredMutes(places().state, self._conversation.journal.head.id)

    def _findings(self) -> Sequence[Finding]:
        item = self._rows.item(self._list.view.cursor)
        return () if item is None else item.findings if isinstance(item, Group) else (item,)


def _empty(conversation: OpenConversation, rows: FindingRows) -> list[list[Span]]:
    """Return the text of an empty list: why it is empty, and an action."""
    checks = conversation.checks_so_far
    if rows.wanted:
        return [
            [("No finding matches the filter.", "muted")],
            [(f"{keys.shown_key('findings.clear')} clears the filter", "faint")],
        ]
    if (
        checks is None
        or not checks.is_done
        or conversation.stage in (ConversationStage.LOADING, ConversationStage.CONNECTING)
    ):
        return [[(f"{glyphs().pending} Checking…", "pending")]]
    if any(checks.is_muted(each) for each in checks.all):
        return [[("All findings are muted.", "muted")], [(f"{keys.shown_key('findings.muted')} shows muted", "faint")]]
    if checks.later:
        return [
            [("No findings up to this moment.", "muted")],
            [(f"{keys.shown_key('replay.end')} goes to the end", "faint")],
        ]
    if failure := _failure(conversation):
        return [
            list(unexplained(failure)),
            [(f"{keys.shown_key('screen.traffic')} Traffic, {keys.shown_key('screen.server')} Server", "faint")],
        ]
    return [[(f"{glyphs().ok} No findings.", "ok")]]


def _failure(conversation: OpenConversation) -> str:
    """Return what failed, according to the conversation or its traffic; "" if nothing did."""
    if conversation.stage is ConversationStage.FAILED:
        return f"no session was opened{f': {conversation.why}' if conversation.why else ''}"
    return failure_in(conversation.journal)
