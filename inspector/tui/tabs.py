"""The tabs of the app: a conversation each, with its own panels and notices; one of them is visible.

Events in a hidden tab are shown with its name. A line of tabs is there only while there are several.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

from textual.app import App

from inspector.config.paths import places
from inspector.present.words import is_stream
from inspector.protocol import peek
from inspector.session.desk import TicketState
from inspector.session.engine import Live, OpenedSession
from inspector.text import one_line, visible
from inspector.tui.conversation import ConversationStage, LiveSubject, OpenConversation, Recording
from inspector.tui.panels import Panel
from inspector.tui.toasts import Toasts

if TYPE_CHECKING:
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
        """`number` is its own for as long as the app runs; for the others see `Opened`.

        `begin` makes a new connection. It takes the capabilities to declare, if they were chosen, and `held`: nothing
        is started or sent before `Live.begin`.
        """
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
        """The line about server requests. Made after the first picture."""
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
        guide = self.subject.login.guide
        waiting, before = guide.waiting if guide is not None else None, self._login
        self._login = waiting
        return "login required" if waiting is not None and waiting is not before else ""

    @property
    def running(self) -> list[str]:
        """What would be lost if it ended now, a line each: requests under way, and questions."""
        from inspector.tui.screens.inbox.model import asked_in_short

        if not self.subject.can_act or self.subject.stage is not ConversationStage.OPEN:
            return []
        pending = self.subject.journal.conversation.pairs.pending
        asked = [ticket.question for ticket in self.subject.desk.tickets if ticket.state is TicketState.WAITING]
        return [
            *(
                f"{visible(each.method, limit=100)} is waiting for a response"
                for each in pending
                if not is_stream(each)
            ),
            *(f"server request: {asked_in_short(each)}" for each in asked),
        ]


def subject_of(first: Live | None, capture: Path | None) -> OpenConversation:
    """What a tab shows. Raises: CaptureError if `capture` is not a capture."""
    if capture is not None:
        return Recording(capture, places().cache / "captures")
    assert first is not None, "a waiting request"
    return LiveSubject(first)


class Tabs(Sequence[Tab]):
    """All tabs in their order, the one visible, and the timeline of all of them once it was shown."""

    def __init__(self, app: App[None], toasts: Toasts, first: Tab) -> None:
        self._app = app
        self._toasts = toasts
        self._tabs = [first]
        self._numbers = first.number
        self._looks = 0
        self.current = first
        """The one visible, or that was before the timeline was."""
        self.timeline: TimelinePanel | None = None
        self.shows_timeline = False
        self.bar: ConversationBar | None = None
        """The line of tabs; None while there is one tab."""

    @overload
    def __getitem__(self, index: int) -> Tab: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tab]: ...
    def __getitem__(self, index: int | slice) -> Tab | Sequence[Tab]:
        return self._tabs[index]

    def __len__(self) -> int:
        return len(self._tabs)

    @property
    def subject(self) -> OpenConversation:
        """The conversation of the visible tab."""
        return self.current.subject

    @property
    def panel(self) -> Panel:
        """The visible panel."""
        if self.shows_timeline and self.timeline is not None:
            return self.timeline
        return self.current.panels[self.current.shown]

    @property
    def panels(self) -> list[Panel]:
        """Those of all tabs, and the timeline."""
        panels = [panel for tab in self for panel in tab.panels.values()]
        return panels if self.timeline is None else [*panels, self.timeline]

    def numbered(self, number: int) -> Tab | None:
        """The tab with this number; None once it is closed."""
        return next((each for each in self if each.number == number), None)

    def add(self, opened: OpenedSession) -> Tab:
        """Put a conversation into a tab, hidden. Raises: CaptureError if it is a capture that can't be read."""
        self._numbers += 1
        subject = subject_of(opened.first, opened.capture)
        tab = Tab(self._numbers, subject, opened.begin, name=opened.name, named=opened.named, close=opened.close)
        tab.name = _unlike(tab.name, [each.name for each in self])
        self._tabs.append(tab)
        for each in self:
            each.subject.journal.name = each.name
        return tab

    def remove(self, tab: Tab) -> Tab:
        """Take a tab out of the list; the one that becomes visible in its place."""
        place = self._tabs.index(tab)
        self._tabs.remove(tab)
        return self._tabs[min(place, len(self) - 1)]

    def tick(self) -> None:
        """Report what is new in each tab, and renew the line of tabs."""
        for tab in self:
            self._tell_news(tab)
        self._looks = (self._looks + 1) % _LOOK
        if self.bar is not None and not self._looks:
            self.bar.sync()

    def _tell_news(self, tab: Tab) -> None:
        if name := tab.own_name():
            tab.name = _unlike(name, [each.name for each in self if each is not tab])
            if len(self) > 1:
                tab.subject.journal.name = tab.name
        here = tab is self.current and not self.shows_timeline
        prefix = "" if here else f"{tab.name}: "
        seen = not here or getattr(self._app.screen, "SHOWS_QUESTIONS", False)
        if came := tab.notice.sync(shown="inbox" if seen else tab.shown):
            self._app.bell()
            if not here:  # in its own tab the line above the footer says it
                self._toasts.say(prefix + came)
        for said in tab.subject.watching.news():
            self._toasts.say(prefix + said, severity="warning")
        for said in (tab.end_told(), tab.login_told()):
            if said and not here:  # in its own tab it is seen
                self._toasts.say(prefix + said, severity="warning")


def _unlike(name: str, others: list[str]) -> str:
    """A name that no other tab has."""
    number, found = 1, name
    while found in others:
        number += 1
        found = f"{name} {number}"
    return found
