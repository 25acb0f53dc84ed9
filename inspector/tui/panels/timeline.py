"""The timeline of all servers: what crossed every wire in one order of time, and beside it the one message in full.

It belongs to the app and to no tab. A line leads to its server's own tab, where everything else about it is.
"""

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.panels import Panel
from inspector.tui.panels.filter_pane import FilterPane
from inspector.tui.panels.timeline_ways import TimelineWays
from inspector.tui.panels.timeline_wires import Wires
from inspector.tui.styles import glyphs
from inspector.tui.subject import Subject
from inspector.tui.tabs import ALL
from inspector.tui.widgets.ground import Ground
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import one_line
from inspector.viewmodels.timeline import Timeline

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp
    from inspector.tui.panels.detail import DetailPanel

NARROW = 100
"""Below this many columns the list and the detail take turns."""
_LAYOUTS = ("right", "below", "alone")
_SHOW_EVERY_TICKS = 5
_AGE_EVERY_TICKS = 15
"""A filter that asks how long something has waited is tried again twice a second."""


class TimelineFilter(FilterPane):
    """The filter line above the timeline; it holds for all servers."""

    _told: tuple[int, int, str] | None = None

    def tell(self, timeline: Timeline, sought: int | None) -> None:
        """Say beside the lines how much matches and how much was found, where that has changed."""
        if self._finder is not None and self._finder.display:
            self._finder.say_count(sought)
        now = (timeline.matches, timeline.total, timeline.trouble) if timeline.term is not None else None
        if now == self._told or self._bar is None:
            return
        self._told = now
        self._bar.say_count(now[0] if now else None, of=now[1] if now else None)
        if now and now[2]:
            self._bar.say_error(now[2])


class TimelinePanel(Panel, TimelineWays, Ground):
    """The list and the detail."""

    places = (
        *(Where.EVERYWHERE, Where.TIMELINE, Where.LIST, Where.MOVING),
        *(Where.DETAIL, Where.JSON, Where.PAYLOAD, Where.TEXT, Where.FILTER, Where.SEARCH),
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.TIMELINE, Where.DETAIL)
    DEFAULT_CSS = """
    TimelinePanel { layout: horizontal; }
    TimelinePanel > #timeline { width: 1fr; height: 1fr; }
    TimelinePanel > DetailPanel { width: 1fr; height: 1fr; }
    TimelinePanel.-right > #timeline { width: 60%; }
    TimelinePanel.-right > DetailPanel { border-left: solid $border-blurred; }
    TimelinePanel.-below { layout: vertical; }
    TimelinePanel.-below > DetailPanel { height: 50%; }
    TimelinePanel.-alone > DetailPanel { display: none; }
    TimelinePanel.-detail-only > #timeline { display: none; }
    """

    def __init__(self, inspect: "InspectApp") -> None:
        super().__init__()
        self._inspect = inspect
        self._wires = Wires()
        self._filter = self.line = TimelineFilter(inspect.subject)
        self._detail: DetailPanel | None = None
        self.chosen: tuple[int, int] = (ALL, 0)
        """The tab and the entry that the cursor is on."""
        self._shown: tuple[int, int] = (ALL, 0)
        self._about: Subject | None = None
        self._arrangement = "right"
        self._detail_alone = False
        self._ticks = 0

    def compose(self) -> ComposeResult:
        """Filter, rows, state; then the detail."""
        self._arrange(self.app.size.width)
        empty: list[list[Span]] = [[("Nothing has crossed any wire, or nothing matches.", "muted")]]
        with Vertical(id="timeline"):
            yield self._filter
            yield LogList(self._wires.timeline, follow=True, empty=empty)
            yield StatusLine()

    @property
    def rows(self) -> LogList:
        """The rows."""
        return self.query_one(LogList)

    @property
    def timeline(self) -> Timeline:
        """What they show."""
        return self._wires.timeline

    @property
    def detail(self) -> "DetailPanel":
        """What shows the chosen message."""
        if self._detail is None:
            from inspector.tui.panels.detail import DetailPanel

            self._about = self._wires.subject(self.chosen[0]) or self._inspect.subject
            self._detail = DetailPanel(self._about)
            self.mount(self._detail)
        return self._detail

    def sync(self) -> None:
        """Look again."""
        if not self.is_mounted or not self.is_attached:
            return
        self._ticks += 1
        if self._ticks % _AGE_EVERY_TICKS == 0:
            self.timeline.age()
        if self._wires.sync(self._inspect.tabs, self._inspect.traffic_of):
            self.rows.source = self.timeline
            self.find_anew()
        self.rows.sync()
        self._filter.tell(self.timeline, self.find_step())
        self.query_one(StatusLine).show(*self._status())
        if not self.rows.following or self._ticks % _SHOW_EVERY_TICKS == 0:
            self._show_detail()
        if self._detail is not None:
            self._detail.sync()

    def take_focus(self) -> None:
        """The list, or the detail where it stands alone."""
        if self._detail_alone:
            self.detail.focus_content()
        else:
            self.rows.focus()

    def go_back(self) -> bool:
        """From the detail to the list, from there to the tab that was in sight before."""
        if self._detail_alone or (self._detail is not None and self._detail.has_focus_within):
            self._detail_alone = False
            self._arrange(self.size.width)
            self.rows.focus()
        else:
            self.app.call_later(self._inspect.action_show_tab, self._inspect.tab.number)
        return True

    def copy(self) -> None:
        """Copy the chosen value, or message."""
        self.detail.copy()

    def cycle_layout(self) -> None:
        """Detail beside the list, below it, or away."""
        if self.size.width >= NARROW:
            self._arrangement = _LAYOUTS[(_LAYOUTS.index(self._arrangement) + 1) % len(_LAYOUTS)]
            self._arrange(self.size.width)

    def action_filter(self) -> None:
        """Open the filter line, with proposals from the tab that was in sight."""
        self._filter.subject = self._inspect.subject
        self._filter.open()

    def action_clear_filter(self) -> None:
        """Show all lines again."""
        self._filter.clear()
        self._seek("")
        self._wires.set_filter(None)
        self.rows.focus()

    async def action_go(self) -> None:
        """Show the chosen line in its server's own tab."""
        number, n = self.chosen
        if n and self._wires.subject(number) is not None:
            await self._inspect.action_show_tab(number)
            await self._inspect.action_show("traffic")
            self._inspect.panel.show_entry(n)

    def action_tab(self, by: int) -> None:
        """The next view of the message."""
        self.detail.turn(by)

    def action_reveal(self) -> None:
        """Show the secret headers of the chosen message, or hide them again."""
        self.detail.reveal()

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for another width."""
        self._arrange(self.size.width)

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """Remember what is chosen."""
        if 0 <= message.index < self.timeline.count:
            wire, n = self.timeline.entry(message.index)
            self.chosen = (wire.number, n)
        else:
            self.chosen = (ALL, 0)

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show the message in full, alone where there is room only for one of both."""
        if self.size.width < NARROW or self._arrangement == "alone":
            self._detail_alone = True
            self._arrange(self.size.width)
        self._show_detail()
        self.detail.focus_content()

    def on_filter_pane_filtered(self, message: FilterPane.Filtered) -> None:
        """Show what matches."""
        self._wires.set_filter(message.term)

    def _show_detail(self) -> None:
        number, n = self.chosen
        subject = self._wires.subject(number)
        if self.has_class("-alone") or (self.chosen == self._shown and subject is self._about):
            return
        detail = self.detail
        if subject is not None and subject is not self._about:
            self._about = subject
            detail.rebind(subject)
        self._shown = self.chosen
        detail.show(n)

    def _status(self) -> tuple[list[Span], list[Span]]:
        timeline = self.timeline
        left: list[Span] = [
            (f"{len(timeline.wires)} servers in one order of time", "muted"),
            ("  o goes there", "faint"),
        ]
        if reading := self._wires.reading(self._inspect.tabs):
            left.append((f"  {glyphs().pending} reading {one_line(', '.join(reading), 40)}", "pending"))
        elif timeline.is_behind and timeline.term is not None:
            left.append((f"  {glyphs().pending} filtering", "pending"))
        if self.rows.frozen:
            left.append((f"  {glyphs().frozen} frozen", "warning"))
        return left, [(f"{timeline.total:,} entries", "muted")]

    def _arrange(self, width: int) -> None:
        """Have list and detail share so many columns."""
        narrow = width < NARROW
        if not narrow and self._arrangement != "alone":
            self._detail_alone = False
        wanted = {"-detail-only"} if self._detail_alone else {f"-{'alone' if narrow else self._arrangement}"}
        if self.classes != wanted:
            self.set_classes(wanted)
