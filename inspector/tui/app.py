"""The app: a header, the visible panel, and parts that look again at each tick of its clock.

It knows no traffic and draws nothing itself. Each part compares and repaints only what has changed. Keys reach an
action by its name in the table of keys: it is the method `action_<name>` of the app or of one of its parts.
"""

import gc
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from rich.text import Text
from textual.actions import ActionParseResult, parse
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.events import Event
from textual.screen import Screen

from inspector.session.engine import Live, OpenedSession
from inspector.text import for_clipboard, visible
from inspector.tui import app_parts, keys, safety
from inspector.tui.actions import Command
from inspector.tui.app_parts import Checker, ConnectionActions, ExportActions, Questions, Waits
from inspector.tui.bars import HeaderBar
from inspector.tui.conversation import OpenConversation, Recording
from inspector.tui.demo_hint import DemoHint
from inspector.tui.input_queue import FocusKeeper, InputQueue
from inspector.tui.navigation import Navigation, Opener, make_panel
from inspector.tui.pacing import Pacing
from inspector.tui.panels import Panel
from inspector.tui.restarts import Restarts
from inspector.tui.safety import dress, install, turn_theme
from inspector.tui.screens.items.definition_changes import DefinitionChanges
from inspector.tui.screens.replay.controls import Replay
from inspector.tui.tabs import Tab, Tabs, subject_of
from inspector.tui.theme import glyphs
from inspector.tui.toasts import TOAST_CSS, Toasts
from inspector.tui.widgets.bars import FooterBar, MenuBar, Menus, valid_actions
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.features.watch.watcher import Watcher
    from inspector.tui.screens.replay.playback import AnyPlayback
    from inspector.tui.screens.sessions.panel import SessionsPanel
    from inspector.tui.screens.tap.dialog import AttachedTap
    from inspector.tui.widgets.payload_actions import PayloadDeeds

_TURN_S = 0.005
"""Python's own default; until the first picture, the caller may have set another."""


class TickingPart(Protocol):
    """A part of the app that looks at what has changed."""

    def tick(self) -> None:
        """Look again. Nearly free where nothing has changed."""


class InspectApp(App[None]):
    """The inspector on one conversation or several, live or recorded."""

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.EVERYWHERE, keys.ActionScope.REPLAY)
    CSS = (
        """
    Screen { color: $foreground; }
    Panel { height: 1fr; width: 1fr; }
    """
        + TOAST_CSS
    )
    CHECKS_AFTER_S = 0.5
    """Seconds from the first picture to the first check: what a person does first goes before."""

    def __init__(
        self,
        begin: Callable[..., Live] | None = None,
        *,
        first: Live | None = None,
        replay: Path | None = None,
        show: str = "traffic",
        name: str = "",
        named: bool = True,
        beside: Sequence[OpenedSession] = (),
        opener: Opener | None = None,
        over: Screen[None] | None = None,
        tap: str = "",
        watcher: "Watcher | None" = None,
    ) -> None:
        """Show a live conversation or a capture, and others `beside` in tabs of their own.

        `begin` starts a new live conversation, for reconnecting, and takes what is to be offered if somebody chose it;
        `first` is one that has been started already. The caller ends `subject` once the app is over. `show` names
        the first screen, `name` the first tab (`named`: see `Opened`). With an `opener` the person can have further
        ones opened. `over` lies over everything at first. `tap` is the socket of the tap that records `replay`.
        `watcher` says when the server of the first tab is to be restarted; the app starts and stops it.

        Raises: CaptureError if `replay` is not a capture.
        """
        super().__init__()
        safety.install_workarounds()
        install(self, ascii_only=glyphs().to_server != "→")
        dress(self)
        if first is None and replay is None and begin is not None:
            first = begin()
        self._beside = [*beside]
        self._over = over
        self.checker: Checker | None = None
        self.menus = Menus(self)
        self._recent: list[str] = []
        """Ids of what was run from the palette, the newest first."""
        self.input_queue = InputQueue(self, self._refocus)
        self._focus_keeper = FocusKeeper(self, self._refocus)
        self.toasts = Toasts(self, lambda: (self.tab.notice, self.waits.bar, self.demo_hint.bar, self.replay.bar))
        self.tabs = Tabs(
            self,
            self.toasts,
            Tab(1, self._first_subject(first, replay), begin, shown=show, name=name, named=named),
        )
        self.header = HeaderBar(self.subject, shown=show)
        self._make_parts(opener, tap, watcher)

    def _make_parts(self, opener: Opener | None, tap: str, watcher: "Watcher | None") -> None:
        self.replay = Replay(self, self.tabs, self.header, self.toasts)
        self.navigation = Navigation(self, self.tabs, self.header, self.replay, self.toasts, opener)
        self.questions = Questions(self, self.tabs, self.toasts)
        self.pacing = Pacing(
            self,
            self._tick,
            lambda: sum(tab.subject.journal.count for tab in self.tabs),
            lambda: self.playback is not None,
        )
        self.waits = Waits(self, self.tabs, self.pacing)
        self.demo_hint = DemoHint(self, self.tabs, self.pacing)
        self.restarts = Restarts(self, self.tabs, self.header, self.toasts, self.navigation.offer_server, watcher)
        self.parts: tuple[TickingPart, ...] = (
            self.replay,
            self.navigation,
            self.questions,
            self.tabs,
            DefinitionChanges(self, self.tabs, self.toasts),
            self.waits,
            self.demo_hint,
            self.restarts,
            self.toasts,
        )
        """In the order of their ticks: see `_tick`."""
        self.tap: AttachedTap | None = None
        if tap:
            from inspector.tui.screens.tap import dialog  # few runs are attached

            self.tap = self.questions.tap = dialog.AttachedTap(self, self.header, self.toasts, self.tabs, tap)
            self.parts += (self.tap,)
        restart = partial(self.restarts.restart, runs_again=False)
        self.connection = ConnectionActions(self, self.tabs, self.toasts, restart)
        exports = ExportActions(self, self.tabs, self.toasts, opener)
        self._action_owners = _action_owners(*self.parts, self.connection, exports, self.menus)

    def _first_subject(self, first: Live | None, replay: Path | None) -> OpenConversation:
        return subject_of(first, replay)

    @property
    def tab(self) -> Tab:
        """The visible tab, or that was before the timeline was."""
        return self.tabs.current

    @property
    def subject(self) -> OpenConversation:
        """The conversation of the visible tab."""
        return self.tabs.subject

    @property
    def panel(self) -> Panel:
        """The visible panel."""
        return self.tabs.panel

    @property
    def playback(self) -> "AnyPlayback | None":
        """The playback of the visible recording, or of all that the timeline shows; None if none is."""
        return self.replay.playback

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
        if self._over is not None:
            self.call_after_refresh(self.push_screen, self._over)
        app_parts.install(self)
        self._take_keymap()
        await self.navigation.action_show(self.tab.shown)
        self.pacing.start()
        if self.tap is not None:
            self.tap.start()
        tab = self.tab
        self.call_after_refresh(tab.subject.begin)
        self.call_after_refresh(lambda: self.mount(tab.notice))
        self.call_after_refresh(_settle)
        self.call_after_refresh(self.restarts.begin_watching)
        self.set_timer(self.CHECKS_AFTER_S, self._begin_checking)
        if isinstance(self.subject, Recording):
            self.run_worker(self.subject.keep_up, thread=True, exclusive=True, group="load")
        if self._beside:
            self.call_after_refresh(self.navigation.add_tabs, self._beside)

    def _take_keymap(self) -> None:
        """Bind the user's own keys, and report what is wrong with their files."""
        from inspector.tui import keymap

        keymap.take(self)

    def _begin_checking(self) -> None:
        if self.checker is None:
            self.checker = Checker(lambda: [tab.subject for tab in self.tabs])

    def on_unmount(self) -> None:
        """End watching and the checks, before what is checked is closed."""
        self.restarts.stop_watching()
        if self.checker is not None:
            self.checker.stop()

    # The tick

    async def _tick(self) -> None:
        """Look once: thirty times a second, or ten where all is quiet.

        1. Keys that wait for a handler that hangs go on, whatever else happens.
        2. The focus: until it is where it belongs, the next key has nowhere to go.
        3. While a slow terminal has not taken the last picture, no new one is made: keys would wait behind pictures.
        4. `replay` lets come what is due, so that all that follows shows one and the same moment.
        5. `navigation` has the header and the visible panel look again.
        6. `questions` shows a login that waits, before the line of tabs mentions it.
        7. `tabs` shows what is new in each tab; it mentions questions only where no dialog shows them.
        8. Definition changes: lists that have come are compared with what is remembered. Their news is in step 7
           of the next tick.
        9. `waits` looks last at what hangs, for the panel may just have shown that it continues.
        10. The demo's hint advances to the next step.
        11. `restarts` shows how a restart went and what it has changed.
        12. `toasts` measures the bars that steps 4, 7 and 9 have shown or hidden, and stays above them.
        """
        await self.input_queue.look()
        if not self._is_laid_out:
            return
        self._focus_keeper.tick()
        if self._terminal_is_behind():
            return
        for part in self.parts:
            part.tick()

    @property
    def _is_laid_out(self) -> bool:
        """Whether there is a panel visible."""
        return bool(self.tab.panels) and self.header.is_attached

    def _terminal_is_behind(self) -> bool:
        """Whether the terminal has not taken the last picture yet. Textual has no public word for it."""
        writer = getattr(self._driver, "_writer_thread", None)
        queue = getattr(writer, "_queue", None)
        return queue is not None and queue.qsize() > 0

    # Events and actions

    async def on_event(self, event: Event) -> None:
        """Let keys and clicks act one after the other."""
        if self.input_queue.concerns(event):
            await self.input_queue.take(event, self._act)
        else:
            await self._act(event)

    async def _act(self, event: Event) -> None:
        self.pacing.notice(event)
        self.toasts.notice(event)
        if not await self.menus.take(event):
            await super().on_event(event)

    def _refocus(self) -> None:
        """Focus what is visible; a dialog's own keys work without a focus."""
        if self._is_laid_out and not self.screen.is_modal:
            self.panel.take_focus()

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action: of a part if one has it, else as Textual does."""
        namespace, name, parameters = parse(action) if isinstance(action, str) else action
        is_ours = namespace == "app" or (not namespace and default_namespace in (None, self))
        owner = self._action_owners.get(name) if is_ours else None
        if owner is None:
            return await super().run_action(action, default_namespace, namespaces)
        if not self.check_action(name, parameters):
            return False
        done = getattr(owner, f"action_{name}")(*parameters)
        if inspect.isawaitable(done):
            await done
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what is about recordings where one is shown."""
        if action == "held" and self.tap is None:
            return False
        if self._action_owners.get(action) is self.replay:
            return self.replay.playback is not None
        return super().check_action(action, parameters)

    def action_copy(self) -> None:
        """Copy what is selected in the visible panel."""
        self.panel.copy()

    def action_cycle_layout(self) -> None:
        """Arrange the visible panel another way."""
        self.panel.cycle_layout()

    def action_toggle_theme(self) -> None:
        """Switch between dark and light."""
        turn_theme(self)

    def action_help(self) -> None:
        """Show the keys of the panel or dialog visible, or close the help."""
        from inspector.tui.screens.help.help import turn_help

        replay = () if self.replay.playback is None else (keys.ActionScope.REPLAY, keys.ActionScope.REPLAY_BAR)
        turn_help(self, (*self.panel.places, *replay), self._actions(), self._run)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: our own actions, by the words of the help."""
        return (SystemCommand(each.name, each.does, each.run) for each in self.commands())

    def commands(self) -> list[Command]:
        """Return what the palette offers: every valid action, then tools, resources and prompts."""
        picture = Command("Screenshot", "Save the screen as an SVG file.", "", self.deliver_screenshot, id="screenshot")
        items = [] if self.tabs.shows_timeline else list(self.navigation.item_commands())
        return [*self._actions(), picture, *items]

    def _actions(self) -> list[Command]:
        """Every valid action: of the focused pane, then of the screen, then of the app."""
        found = []
        for each in valid_actions(self.screen):
            known = keys.known_action(each.binding.id or "")
            if known is not None and known.id != "palette":
                key = keys.key_name(known.keys[0])
                run = partial(self.call_later, self.run_action, each.binding.action, each.node)
                found.append(Command(known.label, known.sentence, key, run, known.where, known.id))
        return sorted(found, key=lambda each: each.where is keys.ActionScope.MOVING)

    def action_command_palette(self) -> None:
        """Find an action or an item by its name."""
        from inspector.tui.screens.help.palette import PaletteScreen

        if not isinstance(self.screen, PaletteScreen):
            self.push_screen(PaletteScreen(self.commands(), self._recent), self._run)

    def _run(self, command: Command | None) -> None:
        """Run what was chosen in the palette or the help."""
        if command is not None:
            self._recent = [command.id, *(each for each in self._recent if each != command.id)][:_RECENT]
            command.run()

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

    # Messages of panels and bars

    async def on_menu_bar_pressed(self, message: MenuBar.Pressed) -> None:
        """An entry of a menu was clicked."""
        await self.menus.choose(message.key)

    async def on_panel_entry_wanted(self, message: Panel.EntryWanted) -> None:
        """Show an entry in the traffic, in full, or those that match a filter."""
        if message.matching:
            await self.navigation.filter_traffic(message.matching)
        else:
            await self.navigation.show_entry(message.n, message.pointer, message.span)

    def on_panel_held_wanted(self, message: Panel.HeldWanted) -> None:
        """Show a message that the tap holds."""
        if self.tap is not None:
            self.tap.show("held", message.held)

    def on_payload_deeds_expect_wanted(self, message: "PayloadDeeds.ExpectWanted") -> None:
        """Make a test case of a value."""
        from inspector.tui.screens.traffic.actions import expect

        expect(message.view, message.place)

    async def on_panel_draft_wanted(self, message: Panel.DraftWanted) -> None:
        """Write a message again, on the screen for that."""
        await self.navigation.write_anew(message.message)

    def on_header_bar_screen_chosen(self, message: HeaderBar.ScreenChosen) -> None:
        """A click on the header's tabs."""
        self.call_later(self.navigation.action_show, message.name)

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """The reader has moved in the traffic, or in the timeline."""
        self.replay.follow_cursor(message)

    async def on_sessions_panel_open_wanted(self, message: "SessionsPanel.OpenWanted") -> None:
        """Show the tab that has the capture, or open it in another."""
        await self.navigation.open_capture(message.path)

    def on_sessions_panel_compare_wanted(self, message: "SessionsPanel.CompareWanted") -> None:
        """Show two captures side by side."""
        from inspector.tui.screens.sessions.compare import of_files

        self.push_screen(of_files(message.before, message.after))


def _action_owners(*parts: object) -> dict[str, object]:
    """Which part has the action of a name."""
    prefix = "action_"
    return {name.removeprefix(prefix): part for part in parts for name in dir(part) if name.startswith(prefix)}


_RECENT = 10
"""Commands that the palette lists first."""


def _settle() -> None:
    """After the first picture: what exists now stays, and full collections become rare (measured: 48 to 20 ms).

    Threads take turns in Python's usual time again: shorter ones are soon had and soon lost, and a key needs many.
    """
    gc.freeze()
    gc.set_threshold(10_000, 5, 5)
    gc.enable()
    sys.setswitchinterval(_TURN_S)
