"""Several conversations in one app: a tab each, with its own subject, panels and notices; one of them is in sight.

What happens in a tab out of sight is told with its name. A line of tabs is there only while there are several.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from inspector.errors import InspectError
from inspector.protocol import peek
from inspector.session.engine import Live, OpenedSession
from inspector.text import one_line
from inspector.tui.conversation import ConversationStage, LiveSubject, OpenConversation, Recording
from inspector.tui.panels import Panel

if TYPE_CHECKING:
    from inspector.present.spans import Span
    from inspector.present.start import Capture, ConfiguredServer, Wanted
    from inspector.tui.app import InspectApp
    from inspector.tui.bars import ConversationBar, NoticeBar
    from inspector.tui.screens.traffic.timeline import TimelinePanel


ALL = 0
"""The number that stands for the timeline of all tabs; tabs count from 1."""
_LONGEST_NAME = 40
_LOOK = 3
"""The line of tabs is painted at every third look, as figures that run are."""


class Tab:
    """One conversation of the app."""

    def __init__(
        self,
        number: int,
        subject: OpenConversation,
        begin: Callable[..., Live] | None = None,
        *,
        shown: str = "traffic",
        name: str = "",
        named: bool = True,
        close: Callable[[], object] | None = None,
    ) -> None:
        """`number` is its own for as long as the app runs; for the others see `Opened`."""
        self.number = number
        self.subject = subject
        self.begin = begin
        self.name = name or subject.about.label
        self._is_named = named and bool(name)
        self.close = close
        self.offers: frozenset[str] | None = None
        """What new connections offer the server; None for what the caller set."""
        self.shown = shown
        self.panels: dict[str, Panel] = {}
        self._stage = subject.stage
        self._login: object = None
        """The login that has been told of."""

    @cached_property
    def notice(self) -> "NoticeBar":
        """What tells of questions. Made once the first picture is there."""
        from inspector.tui.bars import NoticeBar

        return NoticeBar(self.subject)

    def own_name(self) -> str:
        """The server's own name, once it is known, for a tab that nobody named; "" otherwise, and from then on."""
        opening = None if self._is_named else self.subject.opening
        if opening is None or not isinstance(self.subject, LiveSubject):
            return ""
        self._is_named = True
        name = peek.text(opening.server, "name")
        return one_line(name, _LONGEST_NAME) if name else ""

    def rebind(self, subject: OpenConversation) -> None:
        """Show another conversation with the same server."""
        subject.journal.name = self.subject.journal.name
        self.subject = subject
        self.notice.rebind(subject)
        for panel in self.panels.values():
            panel.rebind(subject)

    def end_told(self) -> str:
        """That it has failed or broken off since the last time this was asked, with the reason; "" otherwise."""
        stage, before = self.subject.stage, self._stage
        self._stage = stage
        if stage is before or stage not in (ConversationStage.FAILED, ConversationStage.CLOSED) or not self.subject.why:
            return ""
        return ("not connected: " if stage is ConversationStage.FAILED else "closed: ") + self.subject.why

    def login_told(self) -> str:
        """That its server wants a login, once for each; "" otherwise."""
        guide = self.subject.guide
        waiting, before = guide.waiting if guide is not None else None, self._login
        self._login = waiting
        return "the server wants a login before it goes on" if waiting is not None and waiting is not before else ""

    @property
    def running(self) -> list[str]:
        """What would be lost if it ended now, a line each: requests under way, and questions."""
        from inspector.present.words import is_stream
        from inspector.session.desk import TicketState
        from inspector.text import visible
        from inspector.tui.screens.inbox.model import asked_in_short

        if not self.subject.can_act or self.subject.stage is not ConversationStage.OPEN:
            return []
        pending = self.subject.journal.conversation.pairs.pending
        asked = [ticket.question for ticket in self.subject.tickets if ticket.state is TicketState.WAITING]
        return [
            *(f"{visible(each.method, limit=100)} waits for its answer" for each in pending if not is_stream(each)),
            *(f"asked: {asked_in_short(each)}" for each in asked),
        ]


def subject_of(first: Live | None, capture: Path | None) -> OpenConversation:
    """What a tab shows. Raises: CaptureError if `capture` is no capture."""
    if capture is not None:
        from inspector.config.paths import places

        return Recording(capture, places().cache / "captures")
    assert first is not None, "there is something to show"
    return LiveSubject(first)


class Tabs:
    """The app's tabs, and its actions for them."""

    tabs: list[Tab]
    tab: Tab
    """The one in sight, or that was before the timeline was."""
    opener: "Opener | None"
    timeline: "TimelinePanel | None" = None
    shows_timeline = False
    bar: "ConversationBar | None" = None
    _looks = 0
    _numbers = 1

    @property
    def subject(self) -> OpenConversation:
        """What the tab in sight is about."""
        return self.tab.subject

    @property
    def offers(self) -> frozenset[str] | None:
        """What new connections of the tab in sight offer the server; None for what the caller set."""
        return self.tab.offers

    @property
    def panel(self) -> Panel:
        """The panel in sight."""
        if self.shows_timeline and self.timeline is not None:
            return self.timeline
        return self.tab.panels[self.tab.shown]

    @property
    def all_panels(self) -> list[Panel]:
        """Those of all tabs, and the timeline."""
        panels = [panel for tab in self.tabs for panel in tab.panels.values()]
        return panels if self.timeline is None else [*panels, self.timeline]

    def look_at_tabs(self: "InspectApp") -> None:  # type: ignore[misc]
        """Tell what is new in each tab, and renew the line of tabs."""
        for tab in self.tabs:
            if name := tab.own_name():
                self._rename(tab, name)
            here = tab is self.tab and not self.shows_timeline
            prefix = "" if here else f"{tab.name}: "
            seen = not here or getattr(self.screen, "SHOWS_QUESTIONS", False)
            if came := tab.notice.sync(shown="inbox" if seen else tab.shown):
                self.bell()
                if not here:  # in its own tab the line above the footer says it
                    self.say(prefix + came)
            for said in tab.subject.watch_news():
                self.say(prefix + said, severity="warning")
            for said in (tab.end_told(), tab.login_told()):
                if said and not here:  # in its own tab it is seen
                    self.say(prefix + said, severity="warning")
        self._looks = (self._looks + 1) % _LOOK
        if self.bar is not None and not self._looks:
            self.bar.sync()

    def _rename(self, tab: Tab, name: str) -> None:
        tab.name = _unlike(name, [each.name for each in self.tabs if each is not tab])
        if len(self.tabs) > 1:
            tab.subject.journal.name = tab.name

    # --- coming and going

    async def add_tab(self: "InspectApp", opened: "OpenedSession") -> Tab:  # type: ignore[misc]
        """Give a conversation a tab, out of sight. Raises: CaptureError if it is a capture that can't be read."""
        self._numbers += 1
        subject = subject_of(opened.first, opened.capture)
        tab = Tab(self._numbers, subject, opened.begin, name=opened.name, named=opened.named, close=opened.close)
        tab.name = _unlike(tab.name, [each.name for each in self.tabs])
        self.tabs.append(tab)
        for each in self.tabs:
            each.subject.journal.name = each.name
        await self.mount(tab.notice)
        if isinstance(subject, Recording):
            self.run_worker(subject.keep_up, thread=True, group=f"load {tab.number}")
        if self.bar is None:
            from inspector.tui.bars import ConversationBar

            self.bar = ConversationBar(self)
            await self.mount(self.bar, before=self.header)
        self.bar.sync()
        return tab

    async def add_tabs(self: "InspectApp", several: "list[OpenedSession]") -> None:  # type: ignore[misc]
        """Give each a tab; one that can't be shown is told of, and the others are there."""
        for opened in several:
            try:
                await self.add_tab(opened)
            except InspectError as error:
                self.say(f"{opened.name}: {error}", severity="error")

    async def action_show_tab(self: "InspectApp", number: int) -> None:  # type: ignore[misc]
        """Show a tab by its number, on the screen that it was left on; ALL shows the timeline."""
        if number == ALL:
            await self.action_timeline()
            return
        tab = next((each for each in self.tabs if each.number == number), None)
        if tab is None:
            return
        self.tab = tab
        self.header.rebind(tab.subject)
        await self.action_show(tab.shown)

    async def action_turn_tab(self: "InspectApp", by: int) -> None:  # type: ignore[misc]
        """Show the next tab, or the one before; the timeline is one of them."""
        if len(self.tabs) == 1:
            self.say("There is one server. O opens another beside it.")
            return
        numbers = [ALL, *(tab.number for tab in self.tabs)]
        here = ALL if self.shows_timeline else self.tab.number
        await self.action_show_tab(numbers[(numbers.index(here) + by) % len(numbers)])

    async def action_timeline(self: "InspectApp") -> None:  # type: ignore[misc]
        """Show the traffic of all servers in one list."""
        if len(self.tabs) == 1:
            self.say("There is one server, so its traffic is all there is. O opens another beside it.")
            return
        if self.timeline is None:
            from inspector.tui.screens.traffic.timeline import TimelinePanel

            self.timeline = TimelinePanel(self)
            await self.mount(self.timeline, after=self.header)
        self.shows_timeline = True
        self.show_only(self.timeline)
        self.look_at_common()

    def show_only(self: "InspectApp", panel: Panel) -> None:  # type: ignore[misc]
        """Show one panel of all."""
        for other in self.all_panels:
            other.display = other is panel
        self.header.display = not self.shows_timeline
        if self.bar is not None:
            self.bar.sync()
        panel.sync()
        panel.take_focus()

    _typed: tuple[str, "Tab"] | None = None
    """What was typed last to open another server, and its tab."""

    def action_open(self: "InspectApp", typed: str = "", problem: str = "") -> None:  # type: ignore[misc]
        """Choose another server, or a capture, to be opened beside.

        What was typed and could not be opened, or failed to connect, stands there to be corrected; `problem` says why.
        """
        if self.opener is None:
            self.say("Nothing can be opened from here.")
            return
        from inspector.tui.screens.start.start import OpenScreen

        if not typed and self._typed is not None and self._typed[1].subject.stage is ConversationStage.FAILED:
            typed, problem = self._typed[0], self._typed[1].subject.why
        servers, captures = self.opener.found()
        screen = OpenScreen(servers, captures, typed=typed, problem=problem)

        def chosen(wanted: "Wanted | None") -> None:
            if wanted is not None:
                self.run_worker(self.open_tab(wanted, screen.typed), group="opening")

        self.push_screen(screen, chosen)

    async def open_tab(self: "InspectApp", wanted: "Wanted", typed: str = "") -> None:  # type: ignore[misc]
        """Open something in a tab of its own, and show that; what is wrong with it is said, where it was `typed`."""
        assert self.opener is not None, "whoever can choose has an opener"
        try:
            await _prepare(wanted)
            tab = await self.add_tab(self.opener.open(wanted))
        except InspectError as error:
            said = f"{error} {error.hint}".rstrip()
            if typed:
                self.action_open(typed, said)
            else:
                self.say(said, severity="error")
            return
        self._typed = (typed, tab) if typed else None
        await self.action_show_tab(tab.number)

    def action_close_tab(self: "InspectApp") -> None:  # type: ignore[misc]
        """End the server of the tab in sight and close it; asks first while something runs."""
        if self.shows_timeline:
            self.say("This is the timeline of all. Choose the tab that is to be closed.")
            return
        if len(self.tabs) == 1:
            self.say("It is the only one. Press q to quit.")
            return
        tab = self.tab
        if not (running := tab.running):
            self.run_worker(self.close_tab(tab), group="closing")
            return
        from inspector.text import visible
        from inspector.tui.widgets.dialogs import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self.call_later(self.close_tab, tab)

        asked = visible(f"Close {tab.name} and end its server?", limit=200)
        said = "This would be given up:"
        ways = ("no, keep it (n)", "yes, close it (y)")
        question: list[list[Span]] = [[(asked, "strong")], [(said, "text")]]
        self.push_screen(ConfirmScreen("Close", question, "\n".join(running), ways), answered)

    async def close_tab(self: "InspectApp", tab: Tab) -> None:  # type: ignore[misc]
        """End a conversation and take its tab away; another one comes in sight."""
        if tab not in self.tabs or len(self.tabs) == 1:
            return
        place = self.tabs.index(tab)
        self.tabs.remove(tab)
        self.forget_common()
        if self.tab is tab:
            await self.action_show_tab(self.tabs[min(place, len(self.tabs) - 1)].number)
        for widget in (*tab.panels.values(), tab.notice):
            await widget.remove()
        if len(self.tabs) == 1 and self.bar is not None:
            bar, self.bar = self.bar, None
            await bar.remove()
            if self.shows_timeline:
                await self.action_show_tab(self.tab.number)
        self.run_worker(self._end(tab), group=f"ending {tab.number}")

    async def _end(self: "InspectApp", tab: Tab) -> None:  # type: ignore[misc]
        await tab.subject.end()
        if tab.close is not None:
            await asyncio.to_thread(tab.close)
        kept = tab.subject.journal.capture_path if tab.subject.can_act else None
        self.say(f"{tab.name} is closed." + (f" It is kept in {kept.name}." if kept else ""))


async def _prepare(wanted: "Wanted") -> None:
    """Make a capture of another program's file, however long that takes. Raises: CaptureError."""
    from inspector.present.start import OpenCapture

    if isinstance(wanted, OpenCapture):
        from inspector.capture.foreign_files import stand_in

        await asyncio.to_thread(stand_in, wanted.path)


def _unlike(name: str, others: list[str]) -> str:
    """A name that no other tab has."""
    number, found = 1, name
    while found in others:
        number += 1
        found = f"{name} {number}"
    return found


# --- Opening another conversation: what the app asks of whoever knows how servers are started, recorded and ended.


class Opener(Protocol):
    """Whoever knows how."""

    def found(self) -> "tuple[Sequence[ConfiguredServer], Sequence[Capture]]":
        """The servers that hosts on this machine know, and recent captures."""

    def open(self, wanted: "Wanted") -> OpenedSession:
        """Begin it.

        Raises: InspectError if it can't be begun at all; a server that fails later is a state of its conversation.
        """

    def share(self, capture: "Path", out: "Path", *, notes: bool, overwrite: bool) -> list[str]:
        """Copy a capture without its secrets; what was done, in lines.

        Raises: InspectError if it can't be copied, or a secret would be left in it.
        """
