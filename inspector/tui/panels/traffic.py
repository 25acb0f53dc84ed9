"""Screen 1, Traffic: everything that crossed the wire, and beside it the one message in full.

The list is fed by `sync` alone, in slices, so that a flood of messages is drawn at the pace of the screen and no
key waits. Wide terminals show the detail beside or below the list; narrow ones show one at a time.
"""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.panels import Panel
from inspector.tui.panels.detail import DetailPanel
from inspector.tui.styles import glyphs
from inspector.tui.subject import Stage, Subject
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.search_bar import SearchBar
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.roles import Span

NARROW = 100
"""Below this many columns the list and the detail take turns."""
_LAYOUTS = ("right", "below", "alone")
_SHOW_EVERY_TICKS = 5
"""While rows rush past, the detail follows them at a pace at which it can be read."""


class TrafficPanel(Panel):
    """The list of what crossed the wire, its filter, and the detail."""

    places = (Where.EVERYWHERE, Where.TRAFFIC, Where.LIST, Where.MOVING, Where.DETAIL, Where.JSON, Where.SEARCH)
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.TRAFFIC, Where.DETAIL)
    DEFAULT_CSS = """
    TrafficPanel { layout: vertical; }
    TrafficPanel > #split { height: 1fr; layout: horizontal; }
    TrafficPanel #log-side { width: 1fr; height: 1fr; }
    TrafficPanel DetailPanel { display: none; width: 45%; height: 1fr; border-left: solid $border-blurred; }
    TrafficPanel.-right DetailPanel { display: block; }
    TrafficPanel.-below > #split { layout: vertical; }
    TrafficPanel.-below DetailPanel { display: block; width: 1fr; height: 50%; border-left: none; }
    TrafficPanel.-detail-only #log-side { display: none; }
    TrafficPanel.-detail-only DetailPanel { display: block; width: 1fr; height: 1fr; border: none; }
    TrafficPanel SearchBar { display: none; }
    TrafficPanel.-searching SearchBar { display: block; }
    """

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
        self.model = self._new_model()
        self._arrangement = "right"
        self._detail_alone = False
        self._wanted = 0
        """The entry that the cursor is on; 0 without one."""
        self._tick = 0
        self._matches: tuple[int, int] | None = None
        self._mourned: Stage | None = None

    def _new_model(self) -> LogModel:
        return LogModel(self.subject.journal, lambda: self.subject.now_ns)

    def compose(self) -> ComposeResult:
        """Filter, list with its status, detail."""
        yield SearchBar("filter")
        with Container(id="split"):
            with Container(id="log-side"):
                yield LogList(self.model, follow=True, empty=self._empty())
                yield StatusLine()
            yield DetailPanel(self.subject)

    def on_mount(self) -> None:
        """Begin in the arrangement that the width allows."""
        self._arrange()

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for another width."""
        self._arrange()

    # --- what the app asks

    def sync(self) -> None:
        """Take in what is new, and repaint what of it is in sight."""
        if not self.is_mounted or not self.is_attached:
            return
        self._tick += 1
        self.model.refresh()
        if self.model.is_filtering:
            self.model.filter_step()
        self._say_matches()
        rows = self.query_one(LogList)
        if not self.model.count:
            rows.empty = self._empty()
            rows.refresh()
        rows.sync()
        self.query_one(StatusLine).show(*self._status())
        if not rows.following or self._tick % _SHOW_EVERY_TICKS == 0:
            self._show_detail()
        self.query_one(DetailPanel).sync()
        self._mourn()

    def rebind(self, subject: Subject) -> None:
        """Show another conversation from its beginning; layout and filter stay."""
        wanted = self.query_one(SearchBar).text
        tree = self.model.tree
        self.subject = subject
        self.model = self._new_model()
        self.model.show(tree=tree)
        self.model.set_filter(wanted)
        rows = self.query_one(LogList)
        rows.source = self.model
        rows.action_last()
        self._wanted, self._mourned = 0, None
        for card in self.query("PostMortemCard"):
            card.remove()
        self.query_one(DetailPanel).rebind(subject)

    def take_focus(self) -> None:
        """The list, or the detail where it stands alone."""
        (self.query_one(DetailPanel) if self._detail_alone else self.query_one(LogList)).focus()

    def go_back(self) -> bool:
        """From the detail to the list, then from the card and the filter."""
        if self._detail_alone:
            self._detail_alone = False
            self._arrange()
            self.query_one(LogList).focus()
            return True
        if self.query_one(DetailPanel).has_focus_within:
            self.query_one(LogList).focus()
            return True
        return self._put_card_away()

    # --- keys

    def action_filter(self) -> None:
        """Open the filter line."""
        self.add_class("-searching")
        self.query_one(SearchBar).focus()

    def action_clear_filter(self) -> None:
        """Show all lines again."""
        self.query_one(SearchBar).text = ""
        self.model.set_filter("")
        self.remove_class("-searching")
        self.query_one(LogList).focus()

    def action_toggle_tree(self) -> None:
        """Between the tree and the order of the wire; the chosen entry stays chosen."""
        rows = self.query_one(LogList)
        n, following = self._wanted, rows.following
        self.model.show(tree=not self.model.tree)
        rows.sync()
        if not following:
            self._go_to_entry(n)

    def action_exchange(self, by: int) -> None:
        """To the next request, or the one before."""
        rows = self.query_one(LogList)
        index = self.model.next_exchange(rows.view.cursor, back=by < 0)
        if index is not None:
            rows.go_to(index)

    def action_pair(self) -> None:
        """From a request to its answer and back; in the tree the detail turns over."""
        rows = self.query_one(LogList)
        if not 0 <= rows.view.cursor < self.model.count:
            return
        partner = self.model.pair(rows.view.cursor)
        if self.model.tree:
            self.query_one(DetailPanel).turn_over()
        elif partner is not None:
            self._go_to_entry(partner)

    def action_tab(self, by: int) -> None:
        """The next view of the message."""
        self.query_one(DetailPanel).turn(by)

    def cycle_layout(self) -> None:
        """Detail beside the list, below it, or away."""
        if self.size.width >= NARROW:
            self._arrangement = _LAYOUTS[(_LAYOUTS.index(self._arrangement) + 1) % len(_LAYOUTS)]
            self._arrange()

    def copy(self) -> None:
        """Copy the chosen value, or message."""
        self.query_one(DetailPanel).copy()

    # --- messages

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """Remember what to show; `sync` shows it."""
        self._wanted = self.model.entry_of(message.index) if 0 <= message.index < self.model.count else 0

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show the message in full, where there is room only for one of both."""
        self._wanted = self.model.entry_of(message.index)
        if self.size.width < NARROW or self._arrangement == "alone":
            self._detail_alone = True
            self._arrange()
        self._show_detail()
        self.query_one(DetailPanel).focus_content()

    def on_search_bar_changed(self, message: SearchBar.Changed) -> None:
        """Filter as it is typed."""
        self.model.set_filter(message.text)

    def on_search_bar_done(self, message: SearchBar.Done) -> None:
        """Back to the list; an empty line goes away."""
        if not self.query_one(SearchBar).text:
            self.remove_class("-searching")
        self.query_one(LogList).focus()

    # --- showing

    def _arrange(self) -> None:
        narrow = self.size.width < NARROW
        if not narrow and self._arrangement != "alone":
            self._detail_alone = False
        self.set_class(not narrow and self._arrangement == "right", "-right")
        self.set_class(not narrow and self._arrangement == "below", "-below")
        self.set_class(self._detail_alone, "-detail-only")

    def _show_detail(self) -> None:
        detail = self.query_one(DetailPanel)
        if detail.display and self._wanted != detail.entry:
            detail.show(self._wanted)

    def _go_to_entry(self, n: int) -> None:
        index = self.model.find(n)
        if index is not None:
            self.query_one(LogList).go_to(index)

    def _status(self) -> tuple[list[Span], list[Span]]:
        """What stands under the list: what it shows, and how much there is."""
        way = "tree: exchanges" if self.model.tree else "order of the wire"
        left: list[Span] = [(way, "muted"), ("  T changes", "faint")]
        if self.model.is_filtering:
            left.append((f"  {glyphs().pending} filtering", "pending"))
        return left, [(f"{self.subject.journal.count:,} entries", "muted")]

    def _say_matches(self) -> None:
        """Beside the filter: how much matches, when that has changed."""
        bar = self.query_one(SearchBar)
        now = (self.model.matches, self.subject.journal.count) if bar.text else None
        if now != self._matches:
            self._matches = now
            bar.say_count(None) if now is None else bar.say_count(now[0], of=now[1])

    def _empty(self) -> list[list[Span]]:
        """What stands in a list without rows: why it is empty and what can be done."""
        if self.query("SearchBar") and self.query_one(SearchBar).text:
            return [[("Nothing matches.", "muted")], [("\\ shows all lines again", "faint")]]
        waiting: dict[Stage, list[list[Span]]] = {
            Stage.CONNECTING: [[("Connecting…", "muted")], [("nothing has crossed the wire yet", "faint")]],
            Stage.LOADING: [[("Reading the capture…", "muted")]],
            Stage.RECORDED: [[("This capture holds no traffic.", "muted")]],
        }
        nothing: list[list[Span]] = [[("Nothing has crossed the wire.", "muted")], [("^r connects again", "faint")]]
        return waiting.get(self.subject.stage, nothing)

    def _mourn(self) -> None:
        """Show the post-mortem card once, when a connection could not be made or died by itself."""
        stage = self.subject.stage
        if stage is self._mourned:
            return
        self._mourned = stage
        if stage is Stage.FAILED or (stage is Stage.CLOSED and self.subject.why):
            from inspector.tui.panels.post_mortem import PostMortemCard

            self.query_one("#log-side").mount(PostMortemCard(self.subject))

    def _put_card_away(self) -> bool:
        for card in self.query("PostMortemCard"):
            card.remove()
            return True
        return False
