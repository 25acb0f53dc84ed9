"""The app: a header, the visible panel, and parts that are updated at each tick of its clock.

It neither reads traffic nor draws anything itself. Each part compares and repaints only what has changed. A key runs
an action by its name in the table of keys: the method `action_<name>` of the app or of one of its parts.
"""

import gc
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from rich.console import RenderableType
from textual.actions import ActionParseResult, parse
from textual.app import ComposeResult, SystemCommand
from textual.dom import DOMNode
from textual.events import Event
from textual.screen import Screen
from textual.widget import Widget

from inspector.config.targets import Target
from inspector.session.engine import Live, OpenedSession
from inspector.text import for_clipboard
from inspector.tui import app_parts, keymap, keys
from inspector.tui.actions import Command
from inspector.tui.app_parts import Checker, ConnectionActions, ExportActions, ServerRequests, Waits
from inspector.tui.bars import HeaderBar
from inspector.tui.conversation import ConversationStage, OpenConversation, Recording
from inspector.tui.demo_hint import DemoHint
from inspector.tui.input_queue import FocusKeeper
from inspector.tui.lasting_app import border
from inspector.tui.navigation import Navigation, Opener, import_panel, make_panel
from inspector.tui.pacing import Pacing, Painted
from inspector.tui.panels import Panel
from inspector.tui.queued_app import QueuedApp
from inspector.tui.replay_controls import Replay
from inspector.tui.restarts import Restarts
from inspector.tui.safety import apply_theme, install, switch_theme
from inspector.tui.screens.items.definition_changes import DefinitionChanges
from inspector.tui.tabs import Tab, Tabs, conversation_of
from inspector.tui.theme import glyphs
from inspector.tui.threads import TURN_S
from inspector.tui.toasts import TOAST_CSS, Toasts
from inspector.tui.widgets.key_bars import FooterBar, MenuBar, Menus, valid_actions
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.features.watch.watcher import Watcher
    from inspector.tui.screens.replay.playback import AnyPlayback
    from inspector.tui.screens.sessions.panel import SessionsPanel
    from inspector.tui.screens.tap.dialog import AttachedTap
    from inspector.tui.widgets.json_tree.view import JsonView
    from inspector.tui.widgets.payload_actions import PayloadActions

_TO_SERVER = frozenset(("ping", "refresh_mode", "restart_again"))
"""Actions in the menus that need a connection of mcp-inspect: a capture and a tap have none."""

_LIKELY_NEXT = ("help.help", "start.start", "inbox.panel", "server.panel")
"""Modules of dialogs that are often opened first, and of screens whose imports take longest."""

_RECENT = 10
"""Number of recent commands listed first in the palette."""


class TickingPart(Protocol):
    """A part of the app that is updated at each tick."""

    def tick(self) -> None:
        """Update; nearly free while nothing has changed."""


class InspectApp(QueuedApp[None]):
    """The inspector for one or more conversations, live or recorded."""

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS = keys.bindings(keys.ActionScope.EVERYWHERE, keys.ActionScope.REPLAY)
    CSS = (
        """
    Screen { color: $foreground; }
    Panel { height: 1fr; width: 1fr; }
    """
        + TOAST_CSS
    )
    CHECKS_AFTER_S = 0.5
    """Delay from the first paint to the first check, in seconds: the user's first actions take precedence."""
    AHEAD: ClassVar[tuple[str, ...]] = ("tools", "resources", "prompts")
    """Screens that are created and filled soon after the first paint, the likeliest first."""

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
        watch: "Callable[[Target], Watcher | None] | None" = None,
    ) -> None:
        """Show a live conversation or a capture, and others `beside` in separate tabs.

        `begin` starts another live conversation, to reconnect; it takes the capabilities to declare if the user
        chose some. `first` is a conversation that has already started. The caller ends `conversation` after the app has
        ended. `show` names the first screen, `name` the first tab (`named`: see `Opened`). With an `opener`, the
        user can open more conversations. `over` is a screen initially on top of everything. `tap` is the socket of
        the tap that records `replay`. `watch` returns a watcher that reports when a server has to be restarted; None
        if its files are not watched. The app starts and stops it.

        Raises: CaptureError if `replay` is not a capture.
        """
        super().__init__()
        install(self, ascii_only=glyphs().to_server != "→")
        apply_theme(self)
        if first is None and replay is None and begin is not None:
            first = begin()
        self._beside = [*beside]
        self._over = over
        self.checker: Checker | None = None
        self.menus = Menus(self, lambda: self.input_queue.has_key)
        self._recent: list[str] = []
        """Ids of commands run from the palette, the newest first."""
        self._focus_keeper = FocusKeeper(self, self.refocus)
        self.toasts = Toasts(self, partial(_bars_below_toasts, self))
        self.tabs = Tabs(
            self,
            self.toasts,
            Tab(1, self._first_conversation(first, replay), begin, shown=show, name=name, named=named),
        )
        self.header = HeaderBar(self.conversation, shown=show)
        self._make_parts(opener, tap, watch)

    def _make_parts(self, opener: Opener | None, tap: str, watch: "Callable[[Target], Watcher | None] | None") -> None:
        self.tap: AttachedTap | None = None

        def held() -> int | None:
            return None if self.tap is None or self.tap.gone else len(self.tap.status.held)

        self.replay = Replay(self, self.tabs, self.header, self.toasts, held)
        self.navigation = Navigation(
            self, self.tabs, self.header, self.replay, self.toasts, opener, partial(_has_time, self)
        )
        self.server_requests = ServerRequests(self, self.tabs, self.toasts)
        self.pacing = Pacing(
            self,
            self._tick,
            lambda: sum(tab.conversation.journal.count for tab in self.tabs),
            lambda: self.playback is not None,
        )
        self.painted = Painted(self)
        self.waits = Waits(self, self.tabs, self.pacing)
        self.demo_hint = DemoHint(self, self.tabs, self.pacing)
        self.restarts = Restarts(self, self.tabs, self.header, self.toasts, self.navigation.offer_server, watch)
        self.parts: tuple[TickingPart, ...] = (
            self.replay,
            self.navigation,
            self.server_requests,
            self.tabs,
            DefinitionChanges(self, self.tabs, self.toasts),
            self.waits,
            self.demo_hint,
            self.restarts,
            self.toasts,
        )
        """In the order of their ticks, see `_tick`."""
        self.input_queue.update = partial(_update_visible, self)
        if tap:
            from inspector.tui.screens.tap import dialog  # imported here because few runs are attached

            self.tap = self.server_requests.tap = dialog.AttachedTap(self, self.header, self.toasts, self.tabs, tap)
            self.parts += (self.tap,)
        restart = partial(self.restarts.restart, runs_again=False)
        self.connection = ConnectionActions(self, self.tabs, self.toasts, restart)
        exports = ExportActions(self, self.tabs, self.toasts, opener)
        self._action_owners = _action_owners(*self.parts, self.connection, exports, self.menus)

    def _first_conversation(self, first: Live | None, replay: Path | None) -> OpenConversation:
        return conversation_of(first, replay)

    @property
    def tab(self) -> Tab:
        """The visible tab; while the timeline is visible, the previous one."""
        return self.tabs.current

    @property
    def conversation(self) -> OpenConversation:
        """Conversation of the visible tab."""
        return self.tabs.conversation

    @property
    def panel(self) -> Panel:
        return self.tabs.panel

    @property
    def playback(self) -> "AnyPlayback | None":
        """The playback of the active tab, or of all tabs while the timeline is visible; None if nothing is replayed."""
        return self.replay.playback

    def compose(self) -> ComposeResult:
        """Compose the first panel between header and footer; other panels are created when they are first shown.

        Widgets that are not visible initially are created after the first paint.
        """
        panel = self.tab.panels[self.tab.shown] = make_panel(self.tab.shown, self.conversation)
        yield self.header
        with self.tabs.panes, self.tab.pane:
            yield panel
        yield FooterBar()

    async def on_mount(self) -> None:
        """Show the first screen, and start the clock."""
        if self._over is not None:
            self.call_after_refresh(self.push_screen, self._over)
        app_parts.install(self)
        keymap.take(self)
        await self.navigation.action_show(self.tab.shown)
        self.pacing.start()
        self.painted.start()
        if self.tap is not None:
            self.tap.start()
        tab = self.tab
        self.call_after_refresh(lambda: self.mount(tab.notice))
        self.call_after_refresh(_settle)
        self.call_after_refresh(self.restarts.begin_watching)
        self.set_timer(self.CHECKS_AFTER_S, self._begin_checking)
        if isinstance(self.conversation, Recording):
            self.run_worker(self.conversation.keep_up, thread=True, exclusive=True, group="load")
        if self._beside:
            self.call_after_refresh(self.navigation.add_tabs, self._beside)

    def on_ready(self) -> None:
        """Connect right after the first paint, before the remaining widgets are created."""
        self.tab.conversation.begin()
        self.take_left_keys()

    def _begin_checking(self) -> None:
        Thread(target=_import_ahead, args=(self,), name="mcp-inspect imports", daemon=True).start()
        if self.checker is None:
            self.checker = Checker(lambda: [tab.conversation for tab in self.tabs])

    def on_unmount(self) -> None:
        """Stop watching and checking before the journals are closed."""
        self.restarts.stop_watching()
        if self.checker is not None:
            self.checker.stop()

    # The tick

    async def _tick(self) -> None:
        """Update everything: thirty times a second, or ten times while nothing happens.

        1. Keys waiting for a handler that hangs are released, whatever else happens.
        2. The focus is corrected first: without it, the next key has no target.
        3. While a slow terminal has not received the last paint, nothing is painted: keys would queue behind output.
           Once a second everything is updated all the same.
        4. `replay` shows the entries that are due, so that all later steps show the same position.
        5. `navigation` updates the header and the visible panels; two tabs side by side then follow each other.
        6. `server_requests` shows a pending login, before the line of tabs mentions it.
        7. `tabs` shows news of each tab; it mentions server requests only if no dialog shows them.
        8. Definition changes: new lists are compared with the remembered ones. Step 7 of the next tick reports it.
        9. `waits` shows what hangs; it is late because the panel may just have shown progress.
        10. The hint of the demo advances to the next step.
        11. `restarts` shows how a restart went and what it has changed.
        12. `toasts` measures the menu and the bars that steps 4, 7 and 9 have shown or hidden, and stays above them.
        """
        await self.input_queue.look()
        if not self.is_laid_out or self.input_queue.rests:
            return
        self._focus_keeper.tick()
        if not self.painted.may_update():
            return
        for part in self.parts:
            with border():
                part.tick()

    @property
    def is_laid_out(self) -> bool:
        return bool(self.tab.panels) and self.header.is_attached

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Send only the parts of a repaint that differ from what the terminal shows."""
        super()._display(screen, self.painted.without_known(renderable))

    def repaint(self) -> None:
        """Lay out and paint all that is visible, and send all of it."""
        self.painted.forget()
        super().repaint()

    # Events and actions

    async def act(self, event: Event) -> None:
        """Handle an event, in an open menu first."""
        self.pacing.notice(event)
        self.painted.notice(event)
        self.toasts.notice(event)
        if not await self.menus.take(event):
            await super().act(event)

    def refocus(self) -> None:
        """Focus the visible panel, unless it is still composed; a dialog's keys work without a focus."""
        if self.is_laid_out and self.panel.is_mounted and not self.screen.is_modal:
            self.panel.take_focus()

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action on the part that implements it, otherwise as Textual does."""
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
        """Enable actions of a replay, of a tap, of a server and of a connection to a URL only where there is one."""
        if action == "held" and self.tap is None:
            return False
        if action == "credentials" and self.conversation.login.target is None:
            return False
        if action in _TO_SERVER and self.conversation.is_recorded:
            return False
        if self._action_owners.get(action) is self.replay:
            return self.replay.allows(action)
        return super().check_action(action, parameters)

    def action_copy(self) -> None:
        """Copy the selection of the visible panel."""
        self.panel.copy()

    def action_cycle_layout(self) -> None:
        """Switch the layout of the visible panel."""
        self.panel.cycle_layout()

    def action_toggle_theme(self) -> None:
        """Switch between dark and light."""
        switch_theme(self)

    def action_help(self) -> None:
        """Show the keys of the visible panel or dialog, or close the help."""
        from inspector.tui.screens.help.help import toggle_help

        replay = () if self.replay.playback is None else (keys.ActionScope.REPLAY, keys.ActionScope.REPLAY_BAR)
        toggle_help(self, (*self.panel.places, *replay), self._actions(), self._run)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Return the commands of the palette in Textual's form; its own commands are left out."""
        return (SystemCommand(each.name, each.does, each.run) for each in self.commands())

    def commands(self) -> list[Command]:
        """Return the commands of the palette: valid actions, tools, resources and prompts, then all other actions."""
        from inspector.tui.screens.help.commands import OtherActions

        picture = Command("Screenshot", "Save the screen as an SVG file.", "", self.deliver_screenshot, id="screenshot")
        items = [] if self.tabs.shows_timeline else list(self.navigation.item_commands())
        valid = self._actions()
        others = OtherActions(self, lambda: self.panel, self.navigation.action_show)
        return [*valid, picture, *items, *others.commands({each.id for each in valid})]

    def _actions(self) -> list[Command]:
        """Return the valid actions of the focused pane, then of the screen, then of the app."""
        found = []
        for each in valid_actions(self.screen):
            known = keys.known_action(each.binding.id or "")
            if known is not None and known.id != "palette":
                key = keys.key_name(known.keys[0])
                run = partial(self.call_later, self.run_action, each.binding.action, each.node)
                found.append(Command(known.label, known.sentence, key, run, known.where, known.id))
        return sorted(found, key=lambda each: each.where == keys.ActionScope.MOVING)

    def action_command_palette(self) -> None:
        """Open the palette to find an action or an item by its name."""
        from inspector.tui.screens.help.palette import PaletteScreen

        if not isinstance(self.screen, PaletteScreen):
            self.push_screen(PaletteScreen(self.commands(), self._recent), self._run)

    def _run(self, command: Command | None) -> None:
        """Run a command chosen in the palette or the help."""
        if command is not None:
            self._recent = [command.id, *(each for each in self._recent if each != command.id)][:_RECENT]
            command.run()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy without control characters: pasted into a terminal, they would take effect."""
        super().copy_to_clipboard(for_clipboard(text)[0])

    # Messages of panels and bars

    async def on_menu_bar_pressed(self, message: MenuBar.Pressed) -> None:
        """Run a clicked menu entry."""
        await self.menus.choose(message.key)

    async def on_panel_entry_wanted(self, message: Panel.EntryWanted) -> None:
        """Show an entry in full in Traffic, or the entries that match a filter."""
        if message.matching:
            await self.navigation.filter_traffic(message.matching)
        else:
            await self.navigation.show_entry(message.n, message.pointer, message.span)

    def on_panel_held_wanted(self, message: Panel.HeldWanted) -> None:
        """Show a message held by the tap."""
        if self.tap is not None:
            self.tap.show("held", message.held)

    def on_payload_actions_expect_wanted(self, message: "PayloadActions.ExpectWanted") -> None:
        """Create a test case for a value."""
        from inspector.tui.screens.traffic.actions import expect

        expect(message.view, message.place)

    def on_json_view_decode_wanted(self, message: "JsonView.DecodeWanted") -> None:
        """Show the decodings of a value."""
        from inspector.tui.widgets.json_tree.decoded import decode

        decode(self, message.value, message.where)

    async def on_panel_draft_wanted(self, message: Panel.DraftWanted) -> None:
        """Open a message as a draft in the Composer."""
        await self.navigation.open_draft(message.message)

    def on_header_bar_screen_chosen(self, message: HeaderBar.ScreenChosen) -> None:
        """Show the screen whose tab was clicked in the header."""
        self.call_later(self.navigation.action_show, message.name)

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """Follow a move of the cursor in Traffic or in the timeline."""
        self.replay.follow_cursor(message)

    async def on_sessions_panel_open_wanted(self, message: "SessionsPanel.OpenWanted") -> None:
        """Show the tab that has the capture, or open it in a new one."""
        await self.navigation.open_capture(message.path)

    def on_sessions_panel_compare_wanted(self, message: "SessionsPanel.CompareWanted") -> None:
        """Show two captures side by side."""
        from inspector.tui.screens.sessions.compare import of_files

        self.push_screen(of_files(message.before, message.after))


def _action_owners(*parts: object) -> dict[str, object]:
    """Map the names of actions to the parts that implement them."""
    prefix = "action_"
    return {name.removeprefix(prefix): part for part in parts for name in dir(part) if name.startswith(prefix)}


def _bars_below_toasts(app: InspectApp) -> tuple[Widget | None, ...]:
    menu = app.menus.bar if app._notifications else None  # noqa: SLF001 - without toasts, a menu lays out nothing else
    return menu, app.tab.notice, app.waits.bar, app.demo_hint.bar, app.replay.bar


def _has_time(app: InspectApp) -> bool:
    """Whether an open conversation is at rest, without a dialog."""
    is_open = app.conversation.stage in (ConversationStage.OPEN, ConversationStage.RECORDED)
    return is_open and app.pacing.rests and app.input_queue.is_idle and not app.screen.is_modal


def _import_ahead(app: InspectApp) -> None:
    """Import what the next keys are likely to need; a key meanwhile waits at most for one switch of threads."""
    for name in app.AHEAD:
        import_panel(name)
    app.navigation.ahead = [*app.AHEAD]
    for name in _LIKELY_NEXT:
        import_module(f"inspector.tui.screens.{name}")


def _update_visible(app: InspectApp) -> None:
    """Update the header and the visible panels now, as a tick does: what a key has changed is painted once."""
    if app.is_laid_out and app.painted.may_update():
        with border():
            app.navigation.tick()


def _settle() -> None:
    """Freeze existing objects after the first paint and make full collections rare (measured: 48 to 20 ms).

    The thread switch interval, which the caller may have shortened, is reset to Python's default: with a shorter one,
    handling a key takes many switches.
    """
    gc.freeze()
    gc.set_threshold(10_000, 5, 5)
    gc.enable()
    sys.setswitchinterval(TURN_S)
