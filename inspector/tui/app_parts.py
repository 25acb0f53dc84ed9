"""Parts of the app: what it does about connections, logins and questions, waits, checks and exports.

A part is an object that gets what it needs. The app calls its `tick`, and finds its methods `action_<name>`.
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
from inspector.protocol.flows.steps import Replied, Silent
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.text import human_duration, visible
from inspector.tui import keys
from inspector.tui.bars import WaitingBar
from inspector.tui.conversation import ConversationStage, OpenConversation, why_silent
from inspector.tui.navigation import Opener
from inspector.tui.pacing import SLOWER, Pacing
from inspector.tui.panels import HasEntry
from inspector.tui.tabs import Tab, Tabs
from inspector.tui.toasts import Toasts

if TYPE_CHECKING:
    from inspector.auth.guide import WaitingForLogin
    from inspector.tui.screens.export.ways import ExportSource, Made
    from inspector.tui.screens.tap.dialog import AttachedTap

_WAITS_EVERY = 10
"""Ticks between two looks at what is waited for: three a second."""


class Waits:
    """Says who waits on whom, as soon as something hangs."""

    def __init__(self, app: App[None], tabs: Tabs, pacing: Pacing) -> None:
        self._app = app
        self._tabs = tabs
        self._pacing = pacing
        self._ticks = 0
        self.bar: WaitingBar | None = None

    def tick(self) -> None:
        """Look again, now and then; the bar comes with the first look that is due, after the first picture."""
        self._ticks += SLOWER if self._pacing.is_quiet else 1
        if self._ticks < _WAITS_EVERY:
            return
        self._ticks = 0
        if self.bar is None:
            if not self._tabs.subject.can_act:
                return

            self.bar = WaitingBar()
            self._app.screen_stack[0].mount(self.bar)  # a dialog that is open now would take it along
        elif self.bar.is_attached:
            self.bar.sync(None if self._tabs.shows_timeline else self._tabs.subject)


class Questions:
    """Says that a login waits; shows the dialog for it, or for a question of the server."""

    def __init__(self, app: App[None], tabs: Tabs, toasts: Toasts) -> None:
        self._app = app
        self._tabs = tabs
        self._toasts = toasts
        self._login_seen: WaitingForLogin | None = None
        self.tap: AttachedTap | None = None
        """The tap that the app is attached to."""

    def tick(self) -> None:
        """See whether a login waits that was not shown yet.

        While a connection is opened nothing else can be done, so the dialog comes by itself. Later it must not come
        below somebody's fingers.
        """
        guide = self._tabs.subject.login.guide
        waiting = guide.waiting if guide is not None else None
        if waiting is None or waiting is self._login_seen:
            return
        self._login_seen = waiting
        if self._tabs.subject.stage is ConversationStage.CONNECTING and len(self._app.screen_stack) == 1:
            self._show_login()
        else:
            self._app.bell()
            key = keys.action("respond").keys[0]
            self._toasts.say(f"Login required: {key} opens it.", severity="warning")

    def _show_login(self) -> bool:
        """Show the dialog if a login waits; whether one does."""
        guide = self._tabs.subject.login.guide
        if guide is None or guide.waiting is None:
            return False
        from inspector.tui.screens.login.dialog import LoginScreen

        self._app.push_screen(LoginScreen(self._tabs.subject))
        return True

    def action_held(self, kind: str = "") -> None:
        """Show what the attached tap holds, its rules, or a draft for the selected row; see `AttachedTap.show`."""
        if self.tap is not None:
            panel = self._tabs.panel
            self.tap.show(kind, panel.chosen_entry if isinstance(panel, HasEntry) else 0)

    def action_answer_here(self) -> None:
        """Show what waits in a dialog over the visible screen: a login, else the oldest question."""
        if self._show_login():
            return
        waiting = self._tabs.current.notice.oldest
        if waiting is None:
            self._toasts.say("No server requests waiting.")
            return
        from inspector.tui.screens.inbox.dialog import QuestionScreen

        self._app.clear_notifications()  # it has been seen, and would cover the ways to answer
        self._app.push_screen(QuestionScreen(self._tabs.subject, waiting))


class ConnectionActions:
    """What a person does with the visible connection."""

    def __init__(
        self,
        app: App[None],
        tabs: Tabs,
        toasts: Toasts,
        restart: Callable[[Tab], None],
    ) -> None:
        """`restart` makes a new connection for a tab."""
        self._app = app
        self._tabs = tabs
        self._toasts = toasts
        self._restart = restart

    async def action_refresh(self) -> None:
        """Ask the server for its lists again."""
        if why := why_silent(self._tabs.subject):
            self._toasts.say(why, severity="warning")
            return
        self._app.run_worker(self._refresh(), group="relisting")  # it may have to wait for a person who logs in

    async def _refresh(self) -> None:
        await self._tabs.subject.refresh()
        self._toasts.say("Lists refreshed.")

    async def action_refresh_mode(self) -> None:
        """Fetch lists that change by themselves, or only when asked for."""
        subject = self._tabs.subject
        if why := why_silent(subject):
            self._toasts.say(why, severity="warning")
            return
        on = not subject.refreshes
        by_itself, asked = (
            "Changed lists are refreshed automatically.",
            f"Changed lists are refreshed on request ({keys.shown_key('refresh')}).",
        )
        self._toasts.say(by_itself if on else asked)
        await subject.refresh_by_itself(on)

    def action_offers(self) -> None:
        """Show what is offered to the server, as switches; what is chosen there is offered."""
        subject = self._tabs.subject
        if not subject.can_act:
            self._toasts.say("Not available in a recording.")
            return
        from inspector.tui.screens.server.capabilities import OffersScreen

        opening = subject.opening

        async def take(chosen: frozenset[str] | None) -> None:
            if chosen is not None and chosen != subject.desk.offers:
                await self.offer(chosen)

        self._app.push_screen(OffersScreen(subject.desk.offers, opening.revision if opening else None), take)

    async def offer(self, chosen: frozenset[str]) -> None:
        """Offer this from now on: at once where that can be, else by a new connection."""
        subject = self._tabs.subject
        self._tabs.current.offers = chosen
        if subject.stage is ConversationStage.OPEN and await subject.desk.declare(chosen):
            self._toasts.say("Applies from the next request.")
        else:
            self._restart(self._tabs.current)

    def action_ping(self) -> None:
        """Send a ping, and say how long its answer took."""
        self._app.run_worker(self._ping(), group="ping")

    async def _ping(self) -> None:
        said, well = await ping(self._tabs.subject)
        self._toasts.say(said, severity="information" if well else "warning")

    async def action_cancel_request(self) -> None:
        """Cancel the running request; without one, say how to quit."""
        for panel in self._tabs.current.panels.values():
            if await panel.cancel_running():
                return
        if self._tabs.subject.stage is ConversationStage.CONNECTING:
            self._toasts.say("Still connecting. ^r reconnects, q quits.")
        else:
            self._toasts.say(f"No request is running. {keys.shown_key('quit')} quits.")


async def ping(subject: OpenConversation) -> tuple[str, bool]:
    """Send a ping, or what comes nearest to one, and wait: the outcome of it, and whether that is well."""
    opening = subject.opening
    if (why := why_silent(subject)) or opening is None:
        return why or "Not connected yet: protocol version not negotiated.", False
    method = method_of(opening.revision)
    if not method:
        return f"{opening.revision.named} has no ping.", False
    sent: list[Exchange] = []
    try:
        called = await subject.call(method, {}, sent.append)
    except InspectError as error:
        return f"{method} failed: {visible(str(error), limit=300)}", False
    instead = "" if method == PING else f" ({method}: no ping in this protocol version)"
    reply, took = called.reply, sent[-1].duration_ns if sent else None
    if not isinstance(reply, Replied) or took is None:
        waited = f"no response within {reply.seconds:g} s" if isinstance(reply, Silent) else "no response"
        return f"Ping: {waited}{instead}", False
    if isinstance(reply.message, ErrorAnswer):
        said = visible(reply.message.message, limit=200)
        return f"Ping: {human_duration(took)}, error {reply.message.code}: {said}", False
    return f"Ping: {human_duration(took)}{instead}", True


_UNFIT = r"[^A-Za-z0-9._-]+"
_LONGEST = 80


class ExportActions:
    """Exports from any screen: all of it, or what is visible or chosen there. A long result has its own screen."""

    def __init__(self, app: App[None], tabs: Tabs, toasts: Toasts, opener: Opener | None) -> None:
        self._app = app
        self._tabs = tabs
        self._toasts = toasts
        self._share = opener.share if opener is not None else None

    def action_export(self) -> None:
        """Ask what is to be made, and make it."""
        if self._tabs.shows_timeline:
            self._toasts.say("This tab shows all servers. Go to the tab to export.")
            return
        from inspector.tui.screens.export.dialog import ExportScreen

        self._app.clear_notifications()  # they would cover the path
        self._app.push_screen(ExportScreen(self._source()), self._exported)

    def _source(self) -> "ExportSource":
        from inspector.tui.screens.export.ways import ExportSource

        panel, subject = self._tabs.panel, self._tabs.subject
        path = panel.export_capture
        if path is not None:
            return ExportSource(_fit(path.stem), path, share=self._share)
        journal = subject.journal
        name = journal.capture_path.stem if journal.capture_path is not None else subject.about.label
        return ExportSource(_fit(name), journal.capture_path, journal, tuple(panel.export_scopes), self._share)

    def _exported(self, made: "Made | None") -> None:
        if made is None:
            return
        if made.lines:
            from inspector.tui.widgets.lines import LinesScreen

            self._app.push_screen(LinesScreen(visible(made.said, limit=200), made.lines))
        else:
            self._app.notify(visible(made.said, limit=400), markup=False, timeout=8)


def _fit(name: str) -> str:
    """A name that is only a name, and never empty."""
    return re.sub(_UNFIT, "_", name)[:_LONGEST].lstrip("._-") or "session"


class Pace(msgspec.Struct, frozen=True):
    """How long a bite lasts, and the pause after it, in seconds."""

    bite: float
    pause: float


IDLE = Pace(0, 0.25)
RUSHING = Pace(0.002, 0.06)
LIVE = Pace(0.002, 0.002)
RECORDED = Pace(0.008, 0.001)
_RUSH = 2000
"""Entries a second from which on messages rush in."""
_PATIENCE_S = 0.1
_LOOK_S = 0.02
"""How far two looks at how fast they come are apart."""


class Checker:
    """The thread. Started when made; `stop` ends it after the bite that is under way."""

    def __init__(self, subjects: Callable[[], Iterable[OpenConversation]]) -> None:
        self._subjects = subjects
        self._enough = threading.Event()
        self._rates: dict[int, Rate] = {}
        self._thread = threading.Thread(target=self._run, name="mcp-inspect checks", daemon=True)
        self._thread.start()

    @property
    def has_failed(self) -> bool:
        """Whether an error of ours has ended it: nothing more will be checked."""
        return not self._thread.is_alive() and not self._enough.is_set()

    def stop(self) -> None:
        """Ask it to end, and wait for a bite of the usual length; one check of a very long list may take seconds."""
        self._enough.set()
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        pause = 0.0
        while not self._enough.wait(pause):
            try:
                pause = min((self._bite(each) for each in self._subjects()), default=IDLE.pause)
            except (OSError, ValueError, InspectError):  # what it reads was closed under a bite that took long
                if not self._enough.is_set():
                    raise

    def _bite(self, subject: OpenConversation) -> float:
        """Let the checks of one subject work; after how many seconds they want to again."""
        rate = self._rates.setdefault(id(subject), Rate())
        pace = pace_of(subject, rate.of(subject.journal.count, time.monotonic()))
        return pace.pause if pace.bite and subject.checks.step(pace.bite) else IDLE.pause


class Rate:
    """How fast a count grows, a second; looked at now and then."""

    def __init__(self) -> None:
        self._count, self._at, self._rate = 0, 0.0, 0.0

    def of(self, count: int, now: float) -> float:
        """The rate at the last look, which may be this one."""
        if now - self._at >= _LOOK_S:
            self._rate = (count - self._count) / (now - self._at)
            self._count, self._at = count, now
        return self._rate


def pace_of(subject: OpenConversation, rate: float) -> Pace:
    """How the checks of a subject go on while its journal grows by so many entries a second."""
    if subject.stage is ConversationStage.LOADING:
        return IDLE
    if not subject.journal.live:
        subject.checks.consider()
    if subject.checks.paused:
        return IDLE
    if not subject.journal.live:
        return RECORDED
    return RUSHING if rate >= _RUSH else LIVE


# What happens when the process continues after it was stopped


def install(app: App[Any]) -> None:
    """Resume cleanly; once, when `app` runs. Nothing happens where there is no terminal."""
    driver = app._driver  # noqa: SLF001 - Textual has no public way; a test in a real terminal pins it
    if driver is None or not hasattr(driver, "_sigcont_application"):
        return
    loop = asyncio.get_running_loop()
    # On the loop, for a handler runs in the midst of anything, with whatever lock is held there.
    signal.signal(signal.SIGCONT, lambda *_: loop.call_soon_threadsafe(resume, driver))


def resume(driver: Any) -> None:
    """Set the terminal up again."""
    reader = driver._key_thread  # noqa: SLF001
    if driver._auto_restart and reader is not None and reader.is_alive():  # noqa: SLF001
        driver.suspend_application_mode()
        driver._must_signal_resume = True  # noqa: SLF001 - that is what has everything drawn
    driver._sigcont_application()  # noqa: SLF001
