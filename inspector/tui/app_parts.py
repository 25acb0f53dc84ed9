"""Parts of the app: connections, logins and server requests, waits, checks and exports.

A part is an object with explicit dependencies. The app calls its `tick` and finds its methods `action_<name>`.
"""

import asyncio
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from textual.app import App

from inspector.errors import InspectError
from inspector.present.server import PING, method_of
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import Headers
from inspector.protocol.flows.steps import Replied, Silent
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.text import human_duration, visible
from inspector.tui import keys
from inspector.tui.bars import WaitingBar
from inspector.tui.conversation import ConversationStage, OpenConversation, why_silent
from inspector.tui.navigation import Opener
from inspector.tui.pacing import SLOWER, Pacing
from inspector.tui.panels import HasCapture, HasEntry
from inspector.tui.tabs import Tab, Tabs
from inspector.tui.toasts import Toasts
from inspector.tui.widgets.key_bars import working_key

if TYPE_CHECKING:
    from inspector.auth.guide import WaitingForLogin
    from inspector.tui.screens.export.ways import ExportResult, ExportSource
    from inspector.tui.screens.tap.dialog import AttachedTap

_WAITS_EVERY = 10
"""Ticks between two updates of the waiting bar: three updates a second."""

_UNFIT = r"[^A-Za-z0-9._-]+"
_MAX_NAME_CHARS = 80
_RUSH = 2000
"""Entries per second that count as a rush."""
_JOIN_S = 0.1
_LOOK_S = 0.02
"""Minimum time between two measurements of the rate."""


class Waits:
    """Shows who waits for whom as soon as something hangs."""

    def __init__(self, app: App[None], tabs: Tabs, pacing: Pacing) -> None:
        self._app = app
        self._tabs = tabs
        self._pacing = pacing
        self._ticks = 0
        self.bar: WaitingBar | None = None

    def tick(self) -> None:
        """Update every few ticks; the bar is created by the first update, after the first paint."""
        self._ticks += SLOWER if self._pacing.is_slow else 1
        if self._ticks < _WAITS_EVERY:
            return
        self._ticks = 0
        if self.bar is None:
            if not self._tabs.conversation.can_act:
                return
            self.bar = WaitingBar()
            self._app.screen_stack[0].mount(self.bar)  # an open dialog would take it along
        elif self.bar.is_attached:
            self.bar.sync(None if self._tabs.shows_timeline else self._tabs.conversation)


class ServerRequests:
    """Reports pending logins; shows the dialog for a login or for a server request."""

    def __init__(self, app: App[None], tabs: Tabs, toasts: Toasts) -> None:
        self._app = app
        self._tabs = tabs
        self._toasts = toasts
        self._login_seen: WaitingForLogin | None = None
        self.tap: AttachedTap | None = None
        """The tap to which the app is attached."""

    def tick(self) -> None:
        """Check for a pending login that has not been shown yet.

        While the connection is being opened, the dialog opens on its own, because nothing else can be done. Later it
        must not open while the user may be typing.
        """
        guide = self._tabs.conversation.login.guide
        waiting = guide.waiting if guide is not None else None
        if waiting is None or waiting is self._login_seen:
            return
        self._login_seen = waiting
        if self._tabs.conversation.stage is ConversationStage.CONNECTING and len(self._app.screen_stack) == 1:
            self._show_login()
        else:
            self._app.bell()
            key = working_key(self._app, "respond")
            self._toasts.say(f"Login required: {key} opens it.", severity="warning")

    def _show_login(self) -> bool:
        """Show the dialog if a login is pending; return whether it is."""
        guide = self._tabs.conversation.login.guide
        if guide is None or guide.waiting is None:
            return False
        from inspector.tui.screens.login.dialog import LoginScreen

        self._app.push_screen(LoginScreen(self._tabs.conversation))
        return True

    def action_held(self, kind: str = "") -> None:
        """Show the messages held by the tap, its rules, or a draft for the selected row; see `AttachedTap.show`."""
        if self.tap is not None:
            panel = self._tabs.panel
            self.tap.show(kind, panel.chosen_entry if isinstance(panel, HasEntry) else 0, panel.showing[0])

    def action_answer_here(self) -> None:
        """Show a pending login, or else the oldest server request, in a dialog over the visible screen."""
        if self._show_login():
            return
        waiting = self._tabs.current.notice.oldest
        if waiting is None:
            self._toasts.say("No server requests waiting.")
            return
        from inspector.tui.screens.inbox.dialog import QuestionScreen

        self._app.clear_notifications()  # they have been seen, and would cover the actions
        self._app.push_screen(QuestionScreen(self._tabs.conversation, waiting))


class ConnectionActions:
    def __init__(self, app: App[None], tabs: Tabs, toasts: Toasts, restart: Callable[[Tab], None]) -> None:
        """`restart` creates a new connection for a tab."""
        self._app = app
        self._tabs = tabs
        self._toasts = toasts
        self._restart = restart

    async def action_refresh(self) -> None:
        """Fetch the server's lists again."""
        if why := why_silent(self._tabs.conversation):
            self._toasts.say(why, severity="warning")
            return
        self._app.run_worker(self._refresh(), group="relisting")  # it may have to wait for the user's login

    async def _refresh(self) -> None:
        await self._tabs.conversation.refresh()
        self._toasts.say("Lists refreshed.")

    async def action_refresh_mode(self) -> None:
        """Toggle whether changed lists are fetched automatically."""
        conversation = self._tabs.conversation
        if why := why_silent(conversation):
            self._toasts.say(why, severity="warning")
            return
        on = not conversation.refreshes
        how = "automatically" if on else f"on request ({keys.shown_key('refresh')})"
        self._toasts.say(f"Changed lists are refreshed {how}.")
        await conversation.refresh_by_itself(on)

    def action_offers(self) -> None:
        """Show the client capabilities as switches, and declare those that are chosen."""
        conversation = self._tabs.conversation
        if not conversation.can_act:
            self._toasts.say("Not available in a recording.")
            return
        from inspector.tui.screens.server.capabilities import CapabilitiesScreen

        opening = conversation.opening

        async def take(chosen: frozenset[str] | None) -> None:
            if chosen is not None and chosen != conversation.inbox.offers:
                await self.offer(chosen)

        self._app.push_screen(
            CapabilitiesScreen(conversation.inbox.offers, opening.revision if opening else None), take
        )

    def action_credentials(self, kind: str) -> None:
        """Ask for a bearer token, or show the headers of the connection; reconnect with what is entered."""
        from inspector.tui.screens.login.credentials import HeadersScreen, TokenScreen

        tab = self._tabs.current

        def take(headers: Headers | None) -> None:
            if headers is not None:
                tab.headers = headers
                self._restart(tab)

        if (target := tab.conversation.login.target) is not None:
            self._app.push_screen((TokenScreen if kind == "token" else HeadersScreen)(target), take)

    async def offer(self, chosen: frozenset[str]) -> None:
        """Declare these capabilities: immediately if possible, otherwise with a new connection."""
        conversation = self._tabs.conversation
        self._tabs.current.offers = chosen
        if conversation.stage is ConversationStage.OPEN and await conversation.inbox.declare(chosen):
            self._toasts.say("Applies from the next request.")
        else:
            self._restart(self._tabs.current)

    def action_ping(self) -> None:
        """Send a ping, and show how long the response took."""
        self._app.run_worker(self._ping(), group="ping")

    async def _ping(self) -> None:
        message, well = await ping(self._tabs.conversation)
        self._toasts.say(message, severity="information" if well else "warning")

    async def action_cancel_request(self) -> None:
        """Cancel the running request; if there is none, show how to quit."""
        for panel in self._tabs.current.panels.values():
            if await panel.cancel_running():
                return
        if self._tabs.conversation.stage is ConversationStage.CONNECTING:
            self._toasts.say(
                f"Still connecting. {keys.shown_key('reconnect')} reconnects, {keys.shown_key('quit')} quits."
            )
        else:
            self._toasts.say(f"No request is running. {keys.shown_key('quit')} quits.")


class Pace(msgspec.Struct, frozen=True):
    """Length of a slice of checking (`slice_s`) and of the pause after it, in seconds."""

    slice_s: float
    pause: float


IDLE = Pace(0, 0.25)
RUSHING = Pace(0.002, 0.06)
LIVE = Pace(0.002, 0.002)
RECORDED = Pace(0.008, 0.001)


async def ping(conversation: OpenConversation) -> tuple[str, bool]:
    """Send a ping, or its nearest equivalent; return the outcome as text, and whether it was successful."""
    opening = conversation.opening
    if (why := why_silent(conversation)) or opening is None:
        return why or "Not connected yet: protocol version not negotiated.", False
    method = method_of(opening.revision)
    if not method:
        return f"{opening.revision.named} has no ping.", False
    sent: list[Exchange] = []
    try:
        called = await conversation.call(method, {}, sent.append)
    except InspectError as error:
        return f"{method} failed: {visible(str(error), limit=300)}", False
    instead = "" if method == PING else f" ({method}: no ping in this protocol version)"
    reply, took = called.reply, sent[-1].duration_ns if sent else None
    if not isinstance(reply, Replied) or took is None:
        waited = f"no response within {reply.seconds:g} s" if isinstance(reply, Silent) else "no response"
        return f"Ping: {waited}{instead}", False
    if isinstance(reply.message, ErrorResponse):
        message = visible(reply.message.message, limit=200)
        return f"Ping: {human_duration(took)}, error {reply.message.code}: {message}", False
    return f"Ping: {human_duration(took)}{instead}", True


class ExportActions:
    """Exports from any screen: everything, or what is visible or selected there. A long result is shown on a screen."""

    def __init__(self, app: App[None], tabs: Tabs, toasts: Toasts, opener: Opener | None) -> None:
        self._app = app
        self._tabs = tabs
        self._toasts = toasts
        self._share = opener.share if opener is not None else None

    def action_export(self) -> None:
        if self._tabs.shows_timeline:
            self._toasts.say("This tab shows all servers. Go to the tab to export.")
            return
        from inspector.tui.screens.export.dialog import ExportScreen

        self._app.clear_notifications()  # they would cover the path
        self._app.push_screen(ExportScreen(self._source()), self._exported)

    def _source(self) -> "ExportSource":
        from inspector.tui.screens.export.ways import ExportSource

        panel, conversation = self._tabs.panel, self._tabs.conversation
        path = panel.export_capture if isinstance(panel, HasCapture) else None
        if path is not None:
            return ExportSource(_fit(path.stem), path, share=self._share)
        journal = conversation.journal
        name = journal.capture_path.stem if journal.capture_path is not None else conversation.about.label
        return ExportSource(_fit(name), journal.capture_path, journal, tuple(panel.export_scopes), self._share)

    def _exported(self, made: "ExportResult | None") -> None:
        if made is None:
            return
        if made.lines:
            from inspector.tui.widgets.lines import LinesScreen

            self._app.push_screen(LinesScreen(visible(made.message, limit=200), made.lines))
        else:
            self._app.notify(made.message, timeout=8)


def _fit(name: str) -> str:
    """Return a name without path separators, never empty."""
    return re.sub(_UNFIT, "_", name)[:_MAX_NAME_CHARS].lstrip("._-") or "session"


class Checker:
    """Checks the conversations on a thread, which starts at once; `stop` ends it after the current slice."""

    def __init__(self, conversations: Callable[[], Iterable[OpenConversation]]) -> None:
        self._conversations = conversations
        self._enough = threading.Event()
        self._rates: dict[int, Rate] = {}
        self._thread = threading.Thread(target=self._run, name="mcp-inspect checks", daemon=True)
        self._thread.start()

    @property
    def has_failed(self) -> bool:
        """Whether an internal error has ended the thread: nothing more will be checked."""
        return not self._thread.is_alive() and not self._enough.is_set()

    def stop(self) -> None:
        """Signal the thread to end, and wait for a usual slice; a single check of a very long list may take seconds."""
        self._enough.set()
        self._thread.join(_JOIN_S)

    def _run(self) -> None:
        pause = 0.0
        while not self._enough.wait(pause):
            try:
                pause = min((self._check_slice(each) for each in self._conversations()), default=IDLE.pause)
            except (OSError, ValueError, InspectError):  # its journal was closed during a long slice
                if not self._enough.is_set():
                    raise

    def _check_slice(self, conversation: OpenConversation) -> float:
        """Run the checks of one conversation for a slice; return the seconds until its next one."""
        rate = self._rates.setdefault(id(conversation), Rate())
        pace = pace_of(conversation, rate.of(conversation.journal.count, time.monotonic()))
        return pace.pause if pace.slice_s and conversation.checks.step(pace.slice_s) else IDLE.pause


class Rate:
    """Growth of a count per second, measured from time to time."""

    def __init__(self) -> None:
        self._count, self._at, self._rate = 0, 0.0, 0.0

    def of(self, count: int, now: float) -> float:
        """Return the rate at the last measurement, which may be this one."""
        if now - self._at >= _LOOK_S:
            self._rate = (count - self._count) / (now - self._at)
            self._count, self._at = count, now
        return self._rate


def pace_of(conversation: OpenConversation, rate: float) -> Pace:
    """Return the pace of a conversation's checks while its journal grows by `rate` entries per second."""
    if conversation.stage is ConversationStage.LOADING:
        return IDLE
    if not conversation.journal.live:
        conversation.checks.consider()
    if conversation.checks.paused:
        return IDLE
    if not conversation.journal.live:
        return RECORDED
    return RUSHING if rate >= _RUSH else LIVE


# Resuming after the process was stopped


def install(app: App[Any]) -> None:
    """Install a handler to resume cleanly, once, while `app` runs. Does nothing without a terminal."""
    driver = app._driver  # noqa: SLF001 - Textual has no public way; a test in a real terminal pins it
    if driver is None or not hasattr(driver, "_sigcont_application"):
        return
    loop = asyncio.get_running_loop()
    # On the loop, because a signal handler can interrupt anything, with any lock held.
    signal.signal(signal.SIGCONT, lambda *_: loop.call_soon_threadsafe(resume, driver))


def resume(driver: Any) -> None:
    """Set up the terminal again."""
    reader = driver._key_thread  # noqa: SLF001
    if driver._auto_restart and reader is not None and reader.is_alive():  # noqa: SLF001
        driver.suspend_application_mode()
        driver._must_signal_resume = True  # noqa: SLF001 - that is what has everything drawn
    driver._sigcont_application()  # noqa: SLF001
