"""Statistics screen: requests by tool, method, server, client or hour, with a histogram of the selected row.

The filter of Traffic restricts what is counted. Enter on a row adds the row to that filter; Enter on a call of a top
list shows its request. In a replay, the statistics are those at the replay position.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Static

from inspector.filters.language.completion import describe
from inspector.filters.language.fields import Term, all_of
from inspector.present.rows import RowSource, RowView, SpanRows
from inspector.present.spans import Line, Span, clip
from inspector.present.stats import GROUPINGS, Grouping, Repeated, StatsGroup, StatsTable, filter_of
from inspector.present.stats_counting import FilteredEntries, JournalStats, Repeats
from inspector.present.stats_report import (
    COLUMNS,
    TotalLine,
    column_at,
    duration_text,
    header,
    histogram_lines,
    key_text,
    markdown_text,
    row,
    sorted_groups,
    sparkline,
    summary_text,
    total_lines,
    totals,
)
from inspector.text import fit, visible
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.pacing import hurry
from inspector.tui.panels import Panel
from inspector.tui.process_usage import usage_text
from inspector.tui.tabs import Tab
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.bars import BarItem, BarLine, TabLine
from inspector.tui.widgets.virtual_list import LogList

_TICKS = 10
"""Ticks between redraws: about a third of a second, since figures that change more often are hard to read."""
_LONGEST_S = 0.005
"""Time limit of one update, in seconds."""
_PIECE, _REPEATS_PIECE, _ENTRIES_PIECE = 500, 20, 2000
"""Requests counted, requests whose arguments are compared, and entries filtered between two time checks."""
_WIDE = 110
"""Width from which the filter is shown in full."""
_MOST_MARKED = 1000
"""Maximum number of entries with findings that the rows mention."""
_TREND = 24
"""Maximum columns of the sparklines of the selected row."""

_MANY = 1000
"""Entries that are not counted yet from which the screen says so: below, they are counted at the next update."""


class GroupRows(RowSource):
    """Groups sorted by a column."""

    def __init__(self) -> None:
        self.table = StatsTable()
        self.by = COLUMNS[0].title
        """Title of the sort column."""
        self._groups: list[StatsGroup] = []
        self.grades: Mapping[str, int] = {}
        """Worst finding of each group, by key."""
        self._numbers: dict[str, int] = {}

    def take(self) -> None:
        self._groups = sorted_groups(self.table, self.by)
        for group in self._groups:
            self._numbers.setdefault(group.key, len(self._numbers))
        self._generation += 1

    def group(self, index: int) -> StatsGroup | None:
        """Return the group in a row; None if there is no such row."""
        return self._groups[index] if 0 <= index < len(self._groups) else None

    @property
    def count(self) -> int:
        return len(self._groups)

    def row(self, index: int, width: int) -> RowView:
        return RowView(row(self.table, group := self._groups[index], width, self.grades.get(group.key, 0)))

    def header(self, width: int) -> Sequence[Span]:
        return header(self.table.by, width, self.by)

    def key(self, index: int) -> int:
        return self._numbers[self._groups[index].key]

    def index_of(self, key: int) -> int:
        found = (at for at, group in enumerate(self._groups) if self._numbers[group.key] == key)
        return next(found, min(key, self.count - 1))


class GroupList(LogList):
    """List of groups; a click on a title sorts."""

    class TitleChosen(Message):
        """A title was clicked."""

        def __init__(self, title: str) -> None:
            super().__init__()
            self.title = title

    def on_click(self, event: events.Click) -> None:
        """Sort by the clicked title; Textual then also calls the handler of the base class."""
        if event.y < self.header_height and (title := column_at(event.x, self.line_width)):
            self.post_message(self.TitleChosen(title))


class Counting:
    """Counts the requests of one conversation into a table, in slices."""

    def __init__(self, conversation: OpenConversation, table: StatsTable, term: Term | None, source: int) -> None:
        """`term` restricts what is counted; `source` is the index of the conversation in the table."""
        journal = conversation.journal
        self._chosen: FilteredEntries | None = None
        if term is not None:
            findings = conversation.checks_so_far
            self._chosen = FilteredEntries(journal, term, lambda: conversation.now_ns, threaded=True, findings=findings)
        self._conversation = conversation
        self._source = source
        self._stats = JournalStats(journal, table, self._chosen, source)
        self._repeats = Repeats(self._stats)

    def parts(self) -> list[Callable[[], bool]]:
        """Return the functions that count a piece, and return whether more is left."""
        found: list[Callable[[], bool]] = []
        if (chosen := self._chosen) is not None:
            found.append(lambda: chosen.take(_ENTRIES_PIECE))
        return [*found, lambda: self._stats.take(_PIECE), lambda: self._repeats.take(_REPEATS_PIECE)]

    @property
    def done(self) -> tuple[int, bool, int]:
        """How far it has counted."""
        return self._stats.done, self._stats.is_behind, self._repeats.done

    @property
    def is_behind(self) -> bool:
        """Whether requests are missing in the table."""
        return self._stats.is_behind or (self._chosen is not None and self._chosen.is_filtering)

    def repeated(self) -> list[Repeated]:
        """Return the calls made most often with the same arguments."""
        return self._repeats.top(source=self._source)

    def grade(self, grades: dict[str, int]) -> None:
        """Add the worst finding of each group, by key; of very many findings only the worst ones of the first entries.

        `find` is fast: a million entries take well under a millisecond.
        """
        checks, store = self._conversation.checks_so_far, self._conversation.journal.store
        if checks is None:
            return
        marks, left = checks.worst(1, store.count), _MOST_MARKED
        for grade in (3, 2, 1):
            at = marks.find(grade)
            while at >= 0 and left > 0:
                group, left = self._stats.group_of(store.exchange(at + 1)), left - 1
                if group is not None:
                    grades[group.key] = max(grades.get(group.key, 0), grade)
                at = marks.find(grade, at + 1)

    def cancel(self) -> None:
        """Stop filtering."""
        if self._chosen is not None:
            self._chosen.cancel()


class StatsPanel(Panel):
    """Panel with the table of groups, the histogram of one of them, and the totals."""

    places = keys.SCREENS["stats"].places
    BINDINGS = keys.bindings("Statistics")
    DEFAULT_CSS = """
    StatsPanel { layout: vertical; }
    StatsPanel > GroupList { height: 1fr; min-height: 4; }
    StatsPanel > Horizontal { height: 50%; max-height: 16; border-top: solid $border-blurred; }
    StatsPanel > Horizontal > Static { width: 2fr; height: 1fr; padding: 0 1; }
    StatsPanel > Horizontal > Vertical { width: 3fr; height: 1fr; border-left: solid $border-blurred; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self._by: Grouping = GROUPINGS[0]
        self._term: Term | None = None
        self._head = TabLine()
        self._rows = GroupRows()
        self._list = GroupList(self._rows)
        self._group = Static("", markup=False)
        self._drawn: object = None
        self._total_rows = SpanRows()
        self._totals = LogList(self._total_rows)
        self._lines: list[TotalLine] = []
        self._is_of_all = False
        """Whether the conversations of all tabs are counted together."""
        self._counted: list[OpenConversation] = []
        self._counting: list[Counting] = []
        self._ticks = 0
        self._shown_state: tuple[object, ...] = ()
        self._begin()

    def _begin(self) -> None:
        """Restart counting."""
        for each in self._counting:
            each.cancel()
        self._counted, table = self._conversations(), StatsTable(self._by)
        self._counting = [Counting(each, table, self._term, source) for source, each in enumerate(self._counted)]
        self._rows.table = table
        self._ticks, self._shown_state = 0, ()

    def _conversations(self) -> list[OpenConversation]:
        """Return the conversations to count, its own first."""
        if not self._is_of_all:
            return [self._conversation]
        tabs: Iterable[Tab] = getattr(self.app, "tabs", ())
        return [self._conversation, *(tab.conversation for tab in tabs if self not in tab.panels.values())]

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._list
        with Horizontal():
            yield self._group
            with Vertical():
                yield self._totals

    # Interface for the app

    def sync(self) -> None:
        if not (self._list.is_mounted and self._totals.is_mounted and self._group.is_mounted):
            return
        if self._is_of_all and self._conversations() != self._counted:
            self._begin()
        self._ticks += 1
        if (self._ticks == 1 or self._ticks % _TICKS != 1) and self._count():
            hurry(self)
        if self._ticks % _TICKS == 1:
            self._look()  # even with partial counts the first time: a key may follow at once
        for each in (self._list, self._totals):
            each.sync()

    def rebind(self, conversation: OpenConversation) -> None:
        """Show the statistics of another conversation; grouping and filter are kept."""
        self._conversation = conversation
        self._begin()

    def narrow(self, term: Term | None) -> None:
        """Count only what matches this filter; None: everything."""
        if term != self._term:
            self._term = term
            self._begin()

    def take_focus(self) -> None:
        self._list.focus()

    def go_back(self) -> bool:
        """Return from the lower panes to the groups."""
        if self._list.has_focus:
            return False
        self._list.focus()
        return True

    def copy(self) -> None:
        """Copy the table and the totals as Markdown."""
        copy(self.app, markdown_text(self._rows.table, self._repeated()), "statistics as Markdown")

    # Keys and clicks

    def action_turn(self, by: int) -> None:
        """Group by the next or previous key."""
        self._group_by(GROUPINGS[(GROUPINGS.index(self._by) + by) % len(GROUPINGS)])

    def action_all_tabs(self) -> None:
        """Count the servers of all tabs together, or only this one."""
        self._is_of_all = not self._is_of_all
        if len(self._conversations()) == 1 and self._is_of_all:
            self._is_of_all = False
            message = f"Only one server is open. {keys.shown_key('tabs.open')} opens another one."
            self.app.notify(message, timeout=3)
            return
        self._begin()
        self.sync()

    def action_sort(self) -> None:
        """Sort by the next column."""
        titles = [column.title for column in COLUMNS]
        self._sort_by(titles[(titles.index(self._rows.by) + 1) % len(titles)])

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """Group by the clicked key."""
        message.stop()
        self._group_by(next(each for each in GROUPINGS if each.title == message.name))

    def on_group_list_title_chosen(self, message: GroupList.TitleChosen) -> None:
        """Sort by the clicked column."""
        message.stop()
        self._sort_by(message.title)

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        message.stop()
        if message.control is self._list:
            self._show()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Filter Traffic by the group, or show the call of a top list there."""
        message.stop()
        if message.control is self._list:
            self._filter_by(self._rows.group(message.index))
        elif message.control is self._totals and 0 <= message.index < len(self._lines):
            if n := self._lines[message.index].n:
                self.post_message(self.EntryWanted(n))

    def _filter_by(self, group: StatsGroup | None) -> None:
        term = filter_of(self._by, group.key) if group is not None else None
        if term is None:
            self.app.notify("No filter selects this row.", timeout=3)
            return
        both = term if self._term is None else all_of([self._term, term])
        self.post_message(self.EntryWanted(0, matching=describe(both)))

    def _group_by(self, by: Grouping) -> None:
        if by != self._by:
            self._by = by
            self._begin()
            self.sync()

    def _sort_by(self, title: str) -> None:
        self._rows.by = title
        self._rows.take()
        self._list.sync()

    # Counting and rendering

    def _count(self) -> bool:
        """Count for some milliseconds; return whether more is left."""
        end = time.perf_counter() + _LONGEST_S
        more = False
        for part in [part for each in self._counting for part in each.parts()]:
            while left := part():
                if time.perf_counter() >= end:
                    break
            more = more or left
            if time.perf_counter() >= end:
                return True
        return more

    def _repeated(self) -> list[Repeated]:
        """Return the calls made most often with the same arguments, of all counted conversations."""
        return sorted((call for each in self._counting for call in each.repeated()), key=lambda call: -call.count)

    def _look(self) -> None:
        table = self._rows.table
        done = [each.done for each in self._counting]
        sampled = usage.changes if (usage := self._conversation.usage) is not None else 0
        checks = [found.changes for each in self._counted if (found := each.checks_so_far) is not None]
        counts = (table.changes, table.duration_ns, table.messages[:], table.stderr_lines)
        state = (*counts, done, self._is_behind, sampled, checks, self._group.content_size.width)
        if state != self._shown_state:
            self._shown_state = state
            grades: dict[str, int] = {}
            for each in self._counting:
                each.grade(grades)
            self._rows.grades = grades
            self._rows.take()
            empty = _empty(self._conversation, filtered=self._term is not None)
            self._list.empty = [[("Counting…", "muted")]] if self._is_behind else empty
            self._list.sync()
            self._show()
            self._show_totals()
        self._show_head()

    @property
    def _is_behind(self) -> bool:
        """Whether many entries are still to be counted, or a capture is still being read."""
        is_reading = any(each.stage is ConversationStage.LOADING for each in self._counted)
        return is_reading or (self._known - self._done >= _MANY and any(each.is_behind for each in self._counting))

    @property
    def _known(self) -> int:
        return sum(each.journal.count for each in self._counted)

    @property
    def _done(self) -> int:
        return sum(each.done[0] for each in self._counting)

    @property
    def _share(self) -> float:
        """Counted share of the known entries; below 1, because it is shown while the rest is not counted."""
        return min(0.99, self._done / max(1, self._known))

    def _show_head(self) -> None:
        table = self._rows.table
        left = [
            BarItem(((" Statistics", "title"),)),
            BarItem(
                ((f" {summary_text(table, table.sums)}{' so far' if self._is_behind else ''}  ", "muted"),), rank=1
            ),
        ]
        left += [
            BarItem(
                ((f" {each.title} ", "title" if each is self._by else "muted"),),
                name=each.title,
                chosen=each is self._by,
            )
            for each in GROUPINGS
        ]
        right: list[BarItem] = []
        if len(self._counted) > 1:
            right.append(BarItem(((f"{len(self._counted)} servers ", "accent"),)))
        if self._is_behind:
            right.append(BarItem(((f"{glyphs().pending} counting {self._share:.0%} ", "pending"),)))
        elif self._term is not None:
            message = fit(f"filter {visible(describe(self._term), limit=200)}", 40)
            right.append(BarItem(((f"{message if self.size.width >= _WIDE else 'filtered'} ", "accent"),)))
        self._head.show([BarLine(left=tuple(left), right=tuple(right), gap=0)])

    def _show(self) -> None:
        group, table, width = self._rows.group(self._list.view.cursor), self._rows.table, self._group.content_size.width
        if group is None or width < 2:
            self._group.update("")
            return
        lines: list[Line] = [((f"{key_text(group.key)}, duration", "title"),), *histogram_lines(group.durations, width)]
        columns = max(8, min(_TREND, width - 24))
        means = table.mean_trend(group, columns)
        rates = table.trend(group, columns)
        lines += [
            (),
            (("Calls/min ", "muted"), (sparkline(rates), "accent"), (f"  max {max(rates):,.0f}", "muted")),
            (("Mean time ", "muted"), (sparkline(means), "accent"), (f"  max {duration_text(max(means))}", "muted")),
        ]
        if group.in_flight > 1 and self._term is None:
            lines.append((("In flight ", "muted"), (f"{group.in_flight:,} at most", "text")))
        if lines != self._drawn:
            self._drawn = lines
            dark = self.app.current_theme.dark
            shown = Text("\n", no_wrap=True, overflow="ellipsis").join(
                spans_to_text(clip(line, width), dark=dark) for line in lines
            )
            self._group.update(shown)

    def _show_totals(self) -> None:
        table = self._rows.table
        self._lines = totals(table, table.sums, self._repeated()[:3])
        if self._is_behind:
            self._lines.insert(0, TotalLine("So far", f"{self._share:.0%} of the entries are counted"))
        usage = self._conversation.usage
        if usage is not None and (message := usage_text(usage.samples)):
            self._lines.insert(1, TotalLine("Process", message))
        self._total_rows.replace(total_lines(self._lines))


def _empty(conversation: OpenConversation, *, filtered: bool) -> list[list[Span]]:
    if filtered:
        return [
            [("No request matches the filter of Traffic.", "muted")],
            [(f"{keys.shown_key('traffic.clear')} in Traffic clears it", "faint")],
        ]
    return [
        [("No tool calls.", "muted")],
        [
            (
                f"{keys.shown_key('screen.tools')} shows the tools; {keys.shown_key('stats.next')} groups by method",
                "faint",
            )
        ],
    ]
