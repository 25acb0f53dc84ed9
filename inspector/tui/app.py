"""The app: a subject, its screens on digits, and a clock that asks the visible parts to look again.

It knows no traffic and draws nothing itself. Thirty times a second (ten where all is quiet) it calls `sync` on the
header and on the panel in sight; each compares and repaints only what has changed. While a slow terminal has not taken
the last picture yet, no new one is made: otherwise keys would wait behind pictures.
"""

import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.events import Event
from textual.screen import Screen

from inspector.session.engine import Live
from inspector.text import for_clipboard, visible
from inspector.tui import app_parts, keys, safety
from inspector.tui.app_parts import (
    TOASTS,
    AppWaiting,
    CapabilitySwitching,
    Checking,
    Exporting,
    LoggingIn,
    RecentCaptures,
    Relisting,
    Toasts,
)
from inspector.tui.bars import HeaderBar
from inspector.tui.conversation import ConversationStage, LiveSubject, OpenConversation, Recording
from inspector.tui.input_queue import InputQueue, has_hidden_focus, lose_hidden_focus
from inspector.tui.pacing import Pacing
from inspector.tui.panels import Panel, make_panel
from inspector.tui.safety import dress, install, turn_theme
from inspector.tui.screens.items.definition_changes import Remembering
from inspector.tui.screens.notes.notes import AppMarking
from inspector.tui.screens.replay.controls import Replaying
from inspector.tui.tabs import Tab, Tabs, subject_of
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import FooterBar

if TYPE_CHECKING:
    from inspector.session.engine import OpenedSession
    from inspector.tui.screens.help.palette import Command
    from inspector.tui.tabs import Opener
    from inspector.tui.widgets.payload_actions import PayloadDeeds

_TURN_S = 0.005
"""Python's own default; until the first picture, the caller may have set another."""


class InspectApp(
    Tabs,
    Checking,
    Exporting,
    LoggingIn,
    CapabilitySwitching,
    Pacing,
    Relisting,
    Remembering,
    Replaying,
    AppMarking,
    RecentCaptures,
    AppWaiting,
    Toasts,
    App[None],
):
    """The inspector on one conversation, live or recorded."""

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.EVERYWHERE, keys.ActionScope.REPLAY)
    CSS = (
        """
    Screen { color: $foreground; }
    Panel { height: 1fr; width: 1fr; }
    """
        + TOASTS
    )

    def __init__(
        self,
        begin: Callable[..., Live] | None = None,
        *,
        first: Live | None = None,
        replay: Path | None = None,
        show: str = "traffic",
        name: str = "",
        named: bool = True,
        beside: "Sequence[OpenedSession]" = (),
        opener: "Opener | None" = None,
    ) -> None:
        """Show a live conversation or a capture, and others `beside` in tabs of their own.

        `begin` starts a new live conversation, for reconnecting, and takes what is to be offered if somebody chose it;
        `first` is one that has been started already. The caller ends `subject` once the app is over. `show` names
        the first screen, `name` the first tab (`named`: see `Opened`). With an `opener` the person can have further
        ones opened.

        Raises: CaptureError if `replay` is no capture.
        """
        super().__init__()
        safety.install_workarounds()
        install(self, ascii_only=glyphs().to_server != "→")
        dress(self)
        if first is None and replay is None and begin is not None:
            first = begin()
        self.tab = Tab(1, self._first_subject(first, replay), begin, shown=show, name=name, named=named)
        self.tabs = [self.tab]
        self.opener = opener
        self._beside = [*beside]
        self.header = HeaderBar(self.subject, shown=show)
        self._input = InputQueue(self, self._refocus)
        self._had_focus = False
        """Whether anything had the focus at the last look."""

    def _first_subject(self, first: Live | None, replay: Path | None) -> OpenConversation:
        return subject_of(first, replay)

    def compose(self) -> ComposeResult:
        """Lay out the first panel between header and footer; the others come when they are first shown.

        What nobody sees yet comes after the first picture.
        """
        panel = self.tab.panels[self.tab.shown] = make_panel(self.tab.shown, self.subject)
        yield self.header
        yield panel
        yield FooterBar()

    async def on_mount(self) -> None:
        """Show the first screen and start the clock."""
        app_parts.install(self)
        await self.action_show(self.tab.shown)
        self.start_clock()
        tab = self.tab
        self.call_after_refresh(tab.subject.begin)
        self.call_after_refresh(lambda: self.mount(tab.notice))
        self.call_after_refresh(_settle)
        self.set_timer(self.CHECKS_AFTER_S, self.begin_checking)
        if isinstance(self.subject, Recording):
            self.run_worker(self.subject.keep_up, thread=True, exclusive=True, group="load")
        if self._beside:
            self.call_after_refresh(self.add_tabs, self._beside)

    async def action_show(self, name: str) -> None:
        """Show a screen by its name, as `make_panel` knows it."""
        tab, self.shows_timeline = self.tab, False
        subject, panel = await self.subject_for(name), tab.panels.get(name)
        if panel is None:
            panel = tab.panels[name] = make_panel(name, tab.subject if name == "traffic" else subject)
            await self.mount(panel, after=self.header)
        self.show_moment(panel, subject)
        if name == "findings":
            panel.show_findings(self.panel.meant_findings)
        tab.shown = self.header.shown = name
        self.show_only(panel)
        self.put_cursor()

    async def on_event(self, event: Event) -> None:
        """Let keys and clicks act one after the other."""
        if self._input.concerns(event):
            await self._input.take(event, super().on_event)
        else:
            await super().on_event(event)

    def _look_at_focus(self) -> None:
        """Have the focus put on what is in sight, once it is on something else or Textual has dropped it."""
        if not (stack := self.screen_stack):  # it is ending
            return
        focused = stack[-1].focused
        lost = focused is None and self._had_focus and self.app_focus and len(stack) == 1
        self._had_focus = focused is not None
        if lost or has_hidden_focus(self):
            self.call_later(self._mend_focus)  # a focus that was asked for before this comes first

    def _mend_focus(self) -> None:
        if lose_hidden_focus(self) or self.screen.focused is None:
            self._refocus()

    def _refocus(self) -> None:
        """Focus what is in sight; a dialog's own keys work without a focus."""
        if self._is_laid_out and not self.screen.is_modal:
            self.panel.take_focus()

    @property
    def _is_laid_out(self) -> bool:
        """Whether there is a panel in sight."""
        return bool(self.tab.panels) and self.header.is_attached

    async def _tick(self) -> None:
        await self._input.look()
        if not self._is_laid_out:
            return
        self._look_at_focus()
        if self._terminal_is_behind():
            return
        self.look_at_replay()
        self.header.sync()
        self.panel.sync()
        self.look_for_login()
        self.look_at_tabs()
        self.look_at_memory()
        self.look_at_waits()
        self.lift_toasts()

    def _terminal_is_behind(self) -> bool:
        """Whether the terminal has not taken the last picture yet. Textual has no public word for it."""
        writer = getattr(self._driver, "_writer_thread", None)
        queue = getattr(writer, "_queue", None)
        return queue is not None and queue.qsize() > 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what is about recordings where one is shown."""
        offered = self.offers_replay(action)
        return super().check_action(action, parameters) if offered is None else offered

    async def action_back(self) -> None:
        """Go back one step within the panel; from its first step to the traffic. Never quits."""
        if not self.panel.go_back() and self.tab.shown != "traffic":
            await self.action_show("traffic")

    def action_copy(self) -> None:
        """Copy what is selected in the panel in sight."""
        self.panel.copy()

    def action_cycle_layout(self) -> None:
        """Arrange the panel in sight another way."""
        self.panel.cycle_layout()

    async def action_cancel_request(self) -> None:
        """Cancel the running request; without one, say how to quit."""
        for panel in self.tab.panels.values():
            if await panel.cancel_running():
                return
        if self.subject.stage is ConversationStage.CONNECTING:
            self.say("Still connecting: ^r begins anew, q quits.")
        else:
            self.say("Nothing is running. Press q to quit.")

    async def action_reconnect(self) -> None:
        """End this conversation and begin a new one with the same server; of a recording, offer to start its server."""
        tab = self.tab
        if tab.begin is None:
            self.offer_server(tab)
            return
        chosen = () if tab.offers is None else (tab.offers,)
        old = tab.subject
        new = LiveSubject(tab.begin(*chosen))
        new.watch_first(old.wants_watched)
        tab.rebind(new)
        self.header.rebind(tab.subject)
        self.run_worker(old.end(), group="ending")
        kept = old.journal.capture_path
        self.say("A new connection." + (f" The one before is kept in {kept.name}." if kept else ""))

    def action_ping(self) -> None:
        """Send a ping, and say how long its answer took."""
        self.run_worker(self._ping(), group="ping")

    async def _ping(self) -> None:
        from inspector.tui.app_parts import ping

        said, well = await ping(self.subject)
        self.say(said, severity="information" if well else "warning")

    def action_answer_here(self) -> None:
        """Show what waits in a dialog over whatever is in sight: a login, else the oldest question."""
        if self.show_login():
            return
        waiting = self.tab.notice.oldest
        if waiting is None:
            self.say("The server asks nothing now.")
            return
        from inspector.tui.screens.inbox.dialog import QuestionScreen

        self.clear_notifications()  # it has been seen, and would cover the ways to answer
        self.push_screen(QuestionScreen(self.subject, waiting))

    def action_toggle_theme(self) -> None:
        """Switch between dark and light."""
        turn_theme(self)

    def action_help(self) -> None:
        """Show the keys of the panel or dialog in sight, or put the help away."""
        from inspector.tui.screens.help.help import turn_help

        replay = () if self.playback is None else (keys.ActionScope.REPLAY,)
        turn_help(self, (*self.panel.places, *replay))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: our own actions, by the words of the help."""
        return (SystemCommand(each.name, each.does, each.run) for each in self.commands())

    def commands(self) -> "list[Command]":
        """What the palette offers, with the keys."""
        from inspector.tui.screens.help.palette import Command

        offered = (each for each in keys.ACTIONS if each.where is keys.ActionScope.EVERYWHERE)
        return [
            *(
                Command(each.label, each.tooltip, each.key_text, self._runner(each.action))
                for each in offered
                if each.id not in _NOT_IN_PALETTE
            ),
            Command("Screenshot", "Save the screen as an SVG file.", "", self.deliver_screenshot),
        ]

    def action_command_palette(self) -> None:
        """Find a command by its name."""
        from inspector.tui.screens.help.palette import Command, PaletteScreen

        def chosen(command: Command | None) -> None:
            if command is not None:
                command.run()

        if not isinstance(self.screen, PaletteScreen):
            self.push_screen(PaletteScreen(self.commands()), chosen)

    def _runner(self, action: str) -> Callable[[], None]:
        def run() -> None:
            self.call_later(self.run_action, action.removeprefix("app."))

        return run

    def _fatal_error(self) -> None:
        """Leave after an error of ours with a plain traceback.

        Textual's own shows the values of variables: a server's text, raw, and what nobody else should read.
        """
        import traceback

        self.bell()
        self._exit_renderables.append(Text(visible(traceback.format_exc(), newlines=True)))
        self._close_messages_no_wait()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy without control characters: pasted into a terminal, they would act there."""
        super().copy_to_clipboard(for_clipboard(text)[0])

    def say(self, message: str, *, severity: str = "information", timeout: float = 4) -> None:
        """Show a toast for `timeout` seconds. Foreign text in it is made visible; markup is never read."""
        said = visible(message, limit=300)
        self.notify(said, severity=severity, markup=False, timeout=timeout)  # type: ignore[arg-type]

    async def on_panel_entry_wanted(self, message: Panel.EntryWanted) -> None:
        """Show an entry in the traffic, in full."""
        await self.action_show("traffic")
        if (playback := self._playback_of(self.tab)) is not None:
            playback.visit(message.n)
        self.panel.show_evidence(message.n, message.pointer, message.span)

    def on_payload_deeds_expect_wanted(self, message: "PayloadDeeds.ExpectWanted") -> None:
        """Make a test case of a value."""
        from inspector.tui.screens.traffic.expecting import expect

        expect(message.view)

    async def on_panel_draft_wanted(self, message: Panel.DraftWanted) -> None:
        """Write a message anew, on the screen for that."""
        await self.action_show("raw")
        await self.panel.take_draft(message.message)

    def on_header_bar_screen_chosen(self, message: HeaderBar.ScreenChosen) -> None:
        """A click on the header's tabs."""
        self.call_later(self.action_show, message.name)


_NOT_IN_PALETTE = {"palette", "help.typing", "back", "pane.next", "pane.previous", "copy", "layout"}


def _settle() -> None:
    """After the first picture: what exists now stays, and full collections become rare (measured: 48 to 20 ms).

    Threads take turns in Python's usual time again: shorter ones are soon had and soon lost, and a key needs many.
    """
    gc.freeze()
    gc.set_threshold(10_000, 5, 5)
    gc.enable()
    sys.setswitchinterval(_TURN_S)
