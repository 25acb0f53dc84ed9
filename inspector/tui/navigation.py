"""Navigation between screens and tabs; opening and closing conversations.

Panels are imported when they are first shown, so that they do not delay the first paint.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from textual.app import App

from inspector.capture.format.notes import Mark, View
from inspector.config.targets import Capture, OpenCapture, OpenServer, StartChoice
from inspector.errors import InspectError
from inspector.present.spans import Span
from inspector.protocol.changes import THINGS
from inspector.protocol.listed_items import ListedItem
from inspector.session.engine import OpenedSession
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.actions import Command
from inspector.tui.bars import ConversationBar, HeaderBar
from inspector.tui.conversation import ConversationStage, OpenConversation, Recording
from inspector.tui.notes import notes_of
from inspector.tui.panels import CanNarrow, Panel
from inspector.tui.replay_controls import Replay, recorded_server
from inspector.tui.screens.traffic.panel import TrafficPanel
from inspector.tui.tabs import ALL, Tab, Tabs
from inspector.tui.toasts import Toasts

if TYPE_CHECKING:
    from inspector.config.servers import FoundServer
    from inspector.tui.side_by_side import SideBySide

_ITEM_SCREENS = {
    "tools": ("tools", "Tool"),
    "resources": ("resources", "Resource"),
    "templates": ("resources", "Template"),
    "prompts": ("prompts", "Prompt"),
}
"""The screen of each list, and the name of its items."""


class Opener(Protocol):
    """Opens further conversations."""

    def found(self) -> "tuple[Sequence[FoundServer], Sequence[Capture]]":
        """Return the servers configured in hosts on this machine, and recent captures."""

    def open(self, wanted: StartChoice) -> OpenedSession:
        """Start a conversation.

        Raises: InspectError if it can't be started at all; a later failure of the server is a state of the
        conversation.
        """

    def share(self, capture: Path, out: Path, *, notes: bool, overwrite: bool) -> list[str]:
        """Copy a capture without its secrets; return a report in lines.

        Raises: InspectError if it can't be copied, or a secret would remain in it.
        """


class Navigation:
    """Shows screens, tabs and the timeline; opens and closes tabs."""

    def __init__(
        self,
        app: App[None],
        tabs: Tabs,
        header: HeaderBar,
        replay: Replay,
        toasts: Toasts,
        opener: Opener | None,
        has_time: Callable[[], bool],
    ) -> None:
        """Without an `opener`, no further conversations can be opened. `has_time`: whether the app is at rest."""
        self._app = app
        self._tabs = tabs
        self._header = header
        self._replay = replay
        self._toasts = toasts
        self._opener = opener
        self._has_time = has_time
        self._beside: SideBySide | None = None
        """Created at first use."""
        self._typed: tuple[str, Tab] | None = None
        """Last input for another server, and its tab."""
        self.ahead: list[str] = []
        """Screens of the visible tab to create before they are shown: one at each tick at which there is time."""

    def tick(self) -> None:
        """Update the header and the visible panel; each repaints only what has changed."""
        self._header.sync()
        self._tabs.panel.sync()
        if (other := self._tabs.other) is not None and (panel := other.panels.get(other.shown)) is not None:
            panel.sync()
        if self._beside is not None:
            self._beside.tick()
        if self.ahead and self._has_time():
            self._app.call_later(self._prepare_ahead, self.ahead.pop(0))

    # Screens

    async def action_show(self, name: str) -> None:
        """Show a screen of the visible tab by its name; see `make_panel`."""
        self._tabs.shows_timeline = False
        panels = [await self._prepared(self._tabs.current, name)]
        if (other := self._tabs.other) is not None:
            panels.append(await self._prepared(other, name))
            other.shown = name
        self._tabs.current.shown = self._header.shown = name
        self._show_only(*panels)
        self._replay.put_cursor()

    async def _prepare_ahead(self, name: str) -> None:
        panel = await self._prepared(self._tabs.current, name, hidden=True)
        panel.sync()

    async def _prepared(self, tab: Tab, name: str, *, hidden: bool = False) -> Panel:
        """Return the panel of a screen of a tab, ready to be shown; a new one may be hidden until it is."""
        replay = self._replay
        conversation, panel = await replay.conversation_for(name, tab), tab.panels.get(name)
        if panel is None:
            panel = tab.panels[name] = make_panel(name, tab.conversation if name == "traffic" else conversation)
            if tab.pane.parent is None:
                await self._tabs.panes.mount(tab.pane)
            panel.display = not hidden
            await tab.pane.mount(panel)
            conversation = await replay.conversation_for(name, tab)  # the tab may have another one by now
        replay.show_moment(panel, conversation, tab)
        if name == "findings":
            panel.show_findings(tab.panels.get(tab.shown, panel).selected_findings)
        if isinstance(panel, CanNarrow):
            traffic = tab.panels.get("traffic")
            panel.narrow(traffic.list.term if isinstance(traffic, TrafficPanel) else None)
        return panel

    def item_commands(self) -> Iterator[Command]:
        """Yield a command to open each tool, resource, template and prompt."""
        listings = self._tabs.conversation.journal.conversation.catalogue.listings
        for kind, (screen, where) in _ITEM_SCREENS.items():
            for raw in listings[kind].items:
                item = THINGS[kind](raw)
                run = partial(self._app.call_later, self._show_item, screen, item)
                does = item.title if item.title != item.key else ""
                yield Command(item.key, does, keys.key_name("enter"), run, where, f"{kind} {item.key}")

    async def _show_item(self, screen: str, item: ListedItem) -> None:
        await self.action_show(screen)
        self._tabs.panel.show_item(item)

    async def show_entry(self, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Show an entry in full in Traffic."""
        await self.action_show("traffic")
        if (playback := self._replay.playback_of(self._tabs.current)) is not None:
            playback.visit(n)
        self._tabs.panel.show_evidence(n, pointer, span)

    async def filter_traffic(self, text: str) -> None:
        await self.action_show("traffic")
        panel = self._tabs.panel
        if isinstance(panel, TrafficPanel):
            panel.list.filters.set(text)

    async def open_draft(self, message: bytes) -> None:
        """Open a message as a draft in the Composer."""
        await self.action_show("raw")
        await self._tabs.panel.take_draft(message)

    async def action_back(self) -> None:
        """Go back one step within the panel, or from its first step to Traffic. Never quits."""
        if not self._tabs.panel.go_back() and self._tabs.current.shown != "traffic":
            await self.action_show("traffic")

    def _show_only(self, panel: Panel, *beside: Panel) -> None:
        for each in self._tabs.panels:
            each.display = each is panel or each in beside
        for tab in self._tabs:
            tab.pane.display = not self._tabs.shows_timeline and tab in (self._tabs.current, self._tabs.other)
        self._header.display = not self._tabs.shows_timeline
        if self._tabs.bar is not None:
            self._tabs.bar.sync()
        panel.sync()
        panel.take_focus()

    def action_marks(self) -> None:
        """List marks and views; show the chosen one."""
        from inspector.tui.screens.notes.dialogs import MarksScreen

        if self._tabs.shows_timeline:
            return
        panel = self._tabs.current.panels.get("traffic")
        traffic = panel if isinstance(panel, TrafficPanel) else None
        conversation = self._tabs.conversation

        def went(found: Mark | View | None) -> None:
            self._app.call_later(self._go_to_noted, found, traffic)

        present = traffic.present_view() if traffic is not None else None
        self._app.push_screen(MarksScreen(conversation, notes_of(conversation), present), went)

    async def _go_to_noted(self, found: Mark | View | None, traffic: TrafficPanel | None) -> None:
        if traffic is not None:
            traffic.list.show_notes()
        if isinstance(found, Mark) and found.n <= self._tabs.conversation.journal.count:
            await self._go_to_mark(found.n)
        elif found is not None and not isinstance(found, Mark):
            await self.action_show("traffic")
            if traffic is not None:
                traffic.apply_view(found)

    async def _go_to_mark(self, n: int) -> None:
        """Seek to a mark in a capture, otherwise show its row in Traffic."""
        if self._replay.playback is not None and self._tabs.current.shown != "traffic":
            await self._replay.go_to_moment(n)
            return
        await self.action_show("traffic")
        if self._replay.playback is not None:
            await self._replay.go_to_moment(n)
        else:
            self._tabs.panel.show_entry(n)

    # Tabs

    async def show_tab(self, number: int) -> None:
        """Show a tab by its number, on its last screen; ALL shows the timeline."""
        if number == ALL:
            await self.action_timeline()
            return
        tab = self._tabs.numbered(number)
        if tab is None:
            return
        self._tabs.turn_to(tab)
        self._header.rebind(tab.conversation)
        await self.action_show(tab.shown)

    async def show_entry_of(self, number: int, n: int) -> None:
        """Show an entry in Traffic of a tab."""
        await self.show_tab(number)
        await self.action_show("traffic")
        self._tabs.panel.show_entry(n)

    async def action_turn_tab(self, by: int) -> None:
        """Show the next (1) or previous (-1) tab; the timeline is one of them."""
        if len(self._tabs) == 1:
            self._toasts.say(f"Only one server is open. {keys.shown_key('tabs.open')} opens another one.")
            return
        numbers = [ALL, *(tab.number for tab in self._tabs)]
        here = ALL if self._tabs.shows_timeline else self._tabs.current.number
        await self.show_tab(numbers[(numbers.index(here) + by) % len(numbers)])

    def _side_by_side(self) -> "SideBySide":
        if self._beside is None:
            from inspector.tui.side_by_side import SideBySide

            self._beside = SideBySide(self._app, self._tabs, self._header, self._toasts, self.action_show)
        return self._beside

    async def action_side_by_side(self) -> None:
        """Show two tabs side by side, or one at a time."""
        await self._side_by_side().turn()

    def action_differences(self) -> None:
        """Show what differs between two tabs side by side."""
        self._side_by_side().show_differences()

    def action_blame(self) -> None:
        """Ask whether to find out why the session of this tab fails and that of another one works."""
        from inspector.tui.blaming import BlameScreen, server_of

        here = self._tabs.current
        others = [tab for tab in self._tabs if tab is not here]
        if not others:
            self._toasts.say(f"This needs a second tab that works: {keys.shown_key('tabs.open')} opens one.")
            return
        there = self._tabs.other or others[0]
        server = server_of(here, there)
        if server is None:
            self._toasts.say(
                f"Both are recordings: {keys.shown_key('reconnect')} starts the server of one in a new tab."
            )
            return
        self._app.push_screen(BlameScreen(here, there, server))

    async def action_timeline(self) -> None:
        """Show the traffic of all tabs in one list."""
        tabs = self._tabs
        if len(tabs) == 1:
            self._toasts.say(f"Only one server is open. {keys.shown_key('tabs.open')} opens another one.")
            return
        if tabs.timeline is None:
            from inspector.tui.screens.traffic.timeline import TimelinePanel

            tabs.timeline = TimelinePanel(tabs, self._replay.common.traffic_of, self.show_tab, self.show_entry_of)
            await tabs.panes.mount(tabs.timeline)
        tabs.shows_timeline = True
        self._show_only(tabs.timeline)
        self._replay.common.timeline_shown()

    # Opening and closing

    async def add_tab(self, opened: OpenedSession) -> Tab:
        """Add a hidden tab with a conversation. Raises: CaptureError if it is a capture that can't be read."""
        tabs = self._tabs
        tab = tabs.add(opened)
        await self._app.mount(tab.notice)
        if isinstance(tab.conversation, Recording):
            self._app.run_worker(tab.conversation.keep_up, thread=True, group=f"load {tab.number}")
        if tabs.bar is None:
            tabs.bar = bar = ConversationBar(tabs, self.show_tab)
            await self._app.mount(bar, before=self._header)
        tabs.bar.sync()
        return tab

    async def add_tabs(self, several: list[OpenedSession]) -> None:
        """Add several tabs; report those that fail and add the others."""
        for opened in several:
            try:
                await self.add_tab(opened)
            except InspectError as error:
                self._toasts.say(f"{opened.name}: {error}", severity="error")

    def action_open(self, typed: str = "", problem: str = "") -> None:
        """Let the user choose another server or a capture to open in a new tab.

        Input that could not be opened, or whose connection failed, is shown again to be corrected, the latter selected
        so that typing replaces it; `problem` is the reason.
        """
        if self._opener is None:
            self._toasts.say("Opening is not available here.")
            return
        from inspector.tui.screens.start.start import OpenScreen

        is_old = not typed
        if is_old and self._typed is not None and self._typed[1].conversation.stage is ConversationStage.FAILED:
            typed, problem = self._typed[0], self._typed[1].conversation.why
        servers, captures = self._opener.found()
        screen = OpenScreen(servers, captures, typed=typed, problem=problem)
        screen.pane.is_replaced = is_old

        def chosen(wanted: StartChoice | None) -> None:
            if wanted is not None:
                self._app.run_worker(self.open_tab(wanted, screen.pane.typed), group="opening")

        self._app.push_screen(screen, chosen)

    async def open_tab(self, wanted: StartChoice, typed: str = "") -> None:
        """Open a conversation in a new tab and show it. On failure, show the error and the `typed` input."""
        assert self._opener is not None, "no opener"
        try:
            await _prepare(wanted)
            tab = await self.add_tab(self._opener.open(wanted))
        except InspectError as error:
            if typed:
                self.action_open(typed, error.full_text)
            else:
                self._toasts.say(error.full_text, severity="error")
            return
        self._typed = (typed, tab) if typed else None
        await self.show_tab(tab.number)

    async def open_capture(self, path: Path) -> None:
        """Show the tab that has this capture, or open it in a new one."""
        for tab in self._tabs:
            shown = tab.conversation.journal.capture_path
            if shown is not None and shown.absolute() == path:
                await self.show_tab(tab.number)
                await self.action_show("traffic")
                return
        if self._opener is None:
            self._toasts.say("Opening is not available here.")
        else:
            await self.open_tab(OpenCapture(path))

    def offer_server(self, tab: Tab) -> None:
        """Show how the server of a capture was started, and offer to start it in a new tab."""
        from inspector.tui.screens.start.start import ApproveScreen

        if self._opener is None:
            self._toasts.say("Opening is not available here.")
            return
        server, missing = recorded_server(tab.conversation.journal, tab.conversation.about.label)
        if server is None:
            self._toasts.say(missing, severity="warning")
            return

        def answered(sure: bool | None) -> None:
            if sure:
                self._app.run_worker(self.open_tab(OpenServer(replace(server, approved=True))), group="opening")
                if missing:
                    self._toasts.say(missing, severity="warning")

        self._app.push_screen(ApproveScreen(server), answered)

    def action_close_tab(self) -> None:
        """Close the visible tab and end its server; asks first while something is running."""
        if self._tabs.shows_timeline:
            self._toasts.say("This tab shows all servers. Go to the tab to close.")
            return
        if len(self._tabs) == 1:
            self._toasts.say(f"This is the only tab. {keys.shown_key('quit')} quits.")
            return
        tab = self._tabs.current
        if not (running := tab.running):
            self._app.run_worker(self.close_tab(tab), group="closing")
            return
        from inspector.tui.widgets.dialogs import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self._app.call_later(self.close_tab, tab)

        asked = visible(f"Close {tab.name} and disconnect its server?", limit=200)
        ways = ("Back", "Close")
        question: list[list[Span]] = [[(asked, "strong")], [("Pending requests are cancelled:", "text")]]
        self._app.push_screen(ConfirmScreen("Close", question, "\n".join(running), ways), answered)

    async def close_tab(self, tab: Tab) -> None:
        """End a conversation and remove its tab; another one becomes visible."""
        tabs = self._tabs
        if tab not in tabs or len(tabs) == 1:
            return
        following = tabs.remove(tab)
        self._replay.common.forget()
        if tabs.current is tab:
            await self.show_tab(following.number)
        for widget in (tab.pane, tab.notice):
            if widget.parent is not None:
                await widget.remove()
        if len(tabs) > 1 and tabs.current is not tab and not tabs.shows_timeline:  # it may have been beside the other
            await self.action_show(tabs.current.shown)
        if len(tabs) == 1 and tabs.bar is not None:
            tabs.bar = None
            await self._app.query_one(ConversationBar).remove()
            if tabs.shows_timeline:
                await self.show_tab(tabs.current.number)
        self._app.run_worker(self._end(tab), group=f"ending {tab.number}")

    async def _end(self, tab: Tab) -> None:
        await tab.conversation.end()
        if tab.close is not None:
            await asyncio.to_thread(tab.close)
        kept = tab.conversation.journal.capture_path if tab.conversation.can_act else None
        self._toasts.say(f"{tab.name} closed." + (f" The session is in {kept.name}." if kept else ""))


async def _prepare(wanted: StartChoice) -> None:
    """Convert another program's file to a capture, which may take long. Raises: CaptureError."""
    if isinstance(wanted, OpenCapture):
        from inspector.capture.foreign_files import stand_in

        await asyncio.to_thread(stand_in, wanted.path)


def make_panel(name: str, conversation: OpenConversation) -> Panel:
    """Create the panel of a screen by its name in `keys.SCREENS`."""
    return import_panel(name)(conversation)


def import_panel(name: str) -> Callable[[OpenConversation], Panel]:
    """Import the panel of a screen by its name in `keys.SCREENS`."""
    module, _, panel = keys.SCREENS[name].panel.partition(":")
    made: Callable[[OpenConversation], Panel] = getattr(import_module(f"inspector.tui.screens.{module}"), panel)
    return made
