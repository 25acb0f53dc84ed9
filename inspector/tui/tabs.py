"""Tabs of the app: one conversation each, with its panels and notices; one tab is visible.

Events in a hidden tab are shown with its name. The line of tabs exists only while there are several.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, overload

import msgspec
from textual.app import App
from textual.containers import Vertical

from inspector.config.paths import places
from inspector.present.spans import Role, Span
from inspector.present.words import is_stream
from inspector.protocol import peek
from inspector.protocol.facts import Headers
from inspector.session.engine import Live, OpenedSession
from inspector.text import one_line, visible
from inspector.tui.conversation import ConversationStage, LiveConversation, OpenConversation, Recording
from inspector.tui.panels import Panel, Panes
from inspector.tui.theme import glyphs
from inspector.tui.toasts import Toasts

if TYPE_CHECKING:
    from inspector.tui.notice_bar import NoticeBar

ALL = 0
"""Number of the timeline of all tabs; the numbers of tabs start at 1."""
_LONGEST_NAME = 40
WIDE = 160
"""Minimum width of the terminal for two tabs side by side, in columns."""
_LOOK = 3
"""The line of tabs is repainted at every third update, like running figures."""

_WIDEST = 26


class Tab:
    """One conversation of the app."""

    def __init__(
        self,
        number: int,
        conversation: OpenConversation,
        begin: Callable[..., Live] | None = None,
        *,
        shown: str = "traffic",
        name: str = "",
        named: bool = True,
        close: Callable[[], object] | None = None,
    ) -> None:
        """`number` identifies the tab for as long as the app runs; for the other arguments see `Opened`.

        `begin` creates a new connection. It takes the capabilities to declare and the `headers` to send, if the user
        chose some, and `held`: nothing is started or sent before `Live.begin`.
        """
        self.number = number
        self.conversation = conversation
        self.begin = begin
        self.name = name or conversation.about.label
        self._is_named = named and bool(name)
        self.close = close
        self.offers: frozenset[str] | None = None
        """Capabilities that new connections declare; None for the caller's choice."""
        self.headers: Headers | None = None
        """Headers that new connections send; None for the caller's choice."""
        self.shown = shown
        self.panels: dict[str, Panel] = {}
        self.pane = Vertical(classes="pane")
        """Where its panels are."""
        self._stage = conversation.stage
        self._login: object = None
        """The login that has been reported."""

    def reopened(self, begin: Callable[..., Live]) -> Live:
        """Create a new connection as the user chose it; nothing is started or sent before `Live.begin`."""
        offers = () if self.offers is None else (self.offers,)
        headers = {} if self.headers is None else {"headers": self.headers}
        return begin(*offers, **headers, held=True)

    @cached_property
    def notice(self) -> "NoticeBar":
        """The line about server requests, created after the first paint."""
        from inspector.tui.notice_bar import NoticeBar

        return NoticeBar(self.conversation)

    def own_name(self) -> str:
        """Return the server's name once, when it becomes known, if the user has not named the tab; "" otherwise."""
        opening = None if self._is_named else self.conversation.opening
        if opening is None or not isinstance(self.conversation, LiveConversation):
            return ""
        self._is_named = True
        name = peek.text(opening.server, "name")
        return one_line(name, _LONGEST_NAME) if name else ""

    def rebind(self, conversation: OpenConversation) -> None:
        """Show another conversation with the same server."""
        conversation.journal.name = self.conversation.journal.name
        self.conversation = conversation
        self.notice.rebind(conversation)
        for panel in self.panels.values():
            panel.rebind(conversation)

    def take_end_notice(self) -> str:
        """Return that the connection has failed or closed since the last call, with the reason; "" otherwise."""
        stage, before = self.conversation.stage, self._stage
        self._stage = stage
        if (
            stage is before
            or stage not in (ConversationStage.FAILED, ConversationStage.CLOSED)
            or not self.conversation.why
        ):
            return ""
        return ("not connected: " if stage is ConversationStage.FAILED else "closed: ") + self.conversation.why

    def take_login_notice(self) -> str:
        """Return that the server requires a login, once for each login; "" otherwise."""
        guide = self.conversation.login.guide
        waiting, before = guide.waiting if guide is not None else None, self._login
        self._login = waiting
        return "login required" if waiting is not None and waiting is not before else ""

    @property
    def running(self) -> list[str]:
        """What would be lost by closing the tab, one line each: pending requests and server requests."""
        from inspector.tui.screens.inbox.model import request_summary

        if not self.conversation.can_act or self.conversation.stage is not ConversationStage.OPEN:
            return []
        pending = self.conversation.journal.conversation.pairs.pending
        asked = [ticket.server_request for ticket in self.conversation.inbox.waiting]
        return [
            *(
                f"{visible(each.method, limit=100)} is waiting for a response"
                for each in pending
                if not is_stream(each)
            ),
            *(f"server request: {request_summary(each)}" for each in asked),
        ]


class TabBar(Protocol):
    def sync(self) -> object:
        """Update."""


class TabState(msgspec.Struct, frozen=True):
    name: str
    sign: Span
    """State; each has its own sign."""
    failed: int = 0
    """Number of failed exchanges: an error, a tool error, or no response."""
    waiting: int = 0
    """Number of server requests waiting for a response."""


def conversation_of(first: Live | None, capture: Path | None) -> OpenConversation:
    """Return the conversation of a tab. Raises: CaptureError if `capture` is not a capture."""
    if capture is not None:
        return Recording(capture, places().cache / "captures")
    assert first is not None, "a waiting request"
    return LiveConversation(first)


class Tabs(Sequence[Tab]):
    """All tabs in order, the visible one, and the timeline of all of them once it has been shown."""

    def __init__(self, app: App[None], toasts: Toasts, first: Tab) -> None:
        self._app = app
        self._toasts = toasts
        self._tabs = [first]
        self._numbers = first.number
        self._looks = 0
        self.current = first
        """The visible tab; while the timeline is visible, the previous one."""
        self.timeline: Panel | None = None
        self.shows_timeline = False
        self.panes = Panes()
        """Where the panels of all tabs are."""
        self.pair: tuple[Tab, ...] = ()
        """The two tabs to show side by side, in the order of all tabs; () for one at a time."""
        self.bar: TabBar | None = None
        """The line of tabs; None while there is only one tab."""

    @overload
    def __getitem__(self, index: int) -> Tab: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tab]: ...
    def __getitem__(self, index: int | slice) -> Tab | Sequence[Tab]:
        return self._tabs[index]

    def __len__(self) -> int:
        return len(self._tabs)

    @property
    def conversation(self) -> OpenConversation:
        return self.current.conversation

    @property
    def panel(self) -> Panel:
        if self.shows_timeline and self.timeline is not None:
            return self.timeline
        return self.current.panels[self.current.shown]

    def set_pair(self, *both: Tab) -> None:
        """Show two tabs side by side where there is room for both; without arguments, show one at a time."""
        self.pair = tuple(sorted(both, key=self._tabs.index))

    @property
    def other(self) -> Tab | None:
        """The tab beside the current one; None while only one is visible."""
        if self.shows_timeline or self.current not in self.pair or self._app.size.width < WIDE:
            return None
        return next(tab for tab in self.pair if tab is not self.current)

    def turn_to(self, tab: Tab) -> None:
        """Make a tab the current one. Of two side by side, a third one replaces the current one."""
        if self.pair and tab not in self.pair:
            self.set_pair(tab, *[each for each in self.pair if each is not self.current][:1])
        self.current = tab

    @property
    def panels(self) -> list[Panel]:
        """Panels of all tabs, and the timeline."""
        panels = [panel for tab in self for panel in tab.panels.values()]
        return panels if self.timeline is None else [*panels, self.timeline]

    def numbered(self, number: int) -> Tab | None:
        """Return the tab with this number; None if it is closed."""
        return next((each for each in self if each.number == number), None)

    def add(self, opened: OpenedSession) -> Tab:
        """Add a hidden tab with a conversation. Raises: CaptureError if it is a capture that can't be read."""
        self._numbers += 1
        conversation = conversation_of(opened.first, opened.capture)
        tab = Tab(self._numbers, conversation, opened.begin, name=opened.name, named=opened.named, close=opened.close)
        tab.name = _unlike(tab.name, [each.name for each in self])
        self._tabs.append(tab)
        for each in self:
            each.conversation.journal.name = each.name
        return tab

    def remove(self, tab: Tab) -> Tab:
        """Remove a tab, and return the tab that becomes visible instead."""
        place = self._tabs.index(tab)
        self._tabs.remove(tab)
        if tab in self.pair:
            self.pair = ()
        return self._tabs[min(place, len(self) - 1)]

    def tick(self) -> None:
        """Report news of each tab, and update the line of tabs."""
        for tab in self:
            self._report_news(tab)
        self._looks = (self._looks + 1) % _LOOK
        if self.bar is not None and not self._looks:
            self.bar.sync()

    def _report_news(self, tab: Tab) -> None:
        if name := tab.own_name():
            tab.name = _unlike(name, [each.name for each in self if each is not tab])
            if len(self) > 1:
                tab.conversation.journal.name = tab.name
        here = tab is self.current and not self.shows_timeline
        prefix = "" if here else f"{tab.name}: "
        if came := tab.notice.sync(shown=tab.shown if here else "inbox"):
            self._app.bell()
            if not here:  # in the visible tab, the line above the footer shows it
                self._toasts.say(prefix + came)
        for message in tab.conversation.watching.news():
            self._toasts.say(prefix + message, severity="warning")
        for message in (tab.take_end_notice(), tab.take_login_notice()):
            if message and not here:  # in the visible tab, it is seen anyway
                self._toasts.say(prefix + message, severity="warning")


def _unlike(name: str, others: list[str]) -> str:
    """Return a unique tab name by appending a number if necessary."""
    number, found = 1, name
    while found in others:
        number += 1
        found = f"{name} {number}"
    return found


def tab_label(state: TabState, *, here: bool) -> tuple[Span, ...]:
    role: Role = "title" if here else "muted"
    spans: list[Span] = [(" ", "text"), state.sign, (f" {one_line(state.name, _WIDEST)}", role)]
    if state.waiting:
        spans.append((f" {glyphs().event} {state.waiting}", "warning"))
    if state.failed:
        spans.append((f" {glyphs().error} {state.failed:,}", "error"))
    return (*spans, (" ", "text"))
