"""The part of the app that says who waits on whom, as soon as something hangs."""

import asyncio
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from textual.app import App
from textual.events import Event, Key, MouseDown

from inspector.errors import InspectError
from inspector.present.server import PING, method_of
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Replied, Silent
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.text import human_duration, visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation, why_silent
from inspector.tui.pacing import SLOWER

if TYPE_CHECKING:
    from inspector.auth.guide import WaitingForLogin as GuideWaiting
    from inspector.tui.app import InspectApp
    from inspector.tui.bars import WaitingBar
    from inspector.tui.screens.export.ways import ExportSource, Made
    from inspector.tui.screens.sessions.panel import SessionsPanel


_EVERY = 10
"""Ticks between two looks: three a second."""


class AppWaiting:
    """What the app does about waits."""

    _waiting_bar: "WaitingBar | None" = None
    _waiting_ticks = 0

    def look_at_waits(self: "InspectApp") -> None:  # type: ignore[misc]
        """Look again, now and then; the bar comes with the first look that is due, after the first picture."""
        self._waiting_ticks += SLOWER if self.is_quiet else 1
        if self._waiting_ticks < _EVERY:
            return
        self._waiting_ticks = 0
        if self._waiting_bar is None:
            if not self.subject.can_act:
                return
            from inspector.tui.bars import WaitingBar

            self._waiting_bar = WaitingBar()
            self.screen_stack[0].mount(self._waiting_bar)  # a dialog that is open now would take it along
        elif self._waiting_bar.is_attached:
            self._waiting_bar.sync(None if self.shows_timeline else self.subject)


# --- What happens when the process goes on after it was stopped.


def install(app: App[Any]) -> None:
    """Resume in good order; once, when `app` runs. Nothing happens where there is no terminal."""
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


# --- Pinging: one round trip, in words. It knows no widget; what came of all of them stands on the server's screen.


async def ping(subject: OpenConversation) -> tuple[str, bool]:
    """Send a ping, or what comes nearest to one, and wait: what came of it, and whether that is well."""
    opening = subject.opening
    if (why := why_silent(subject)) or opening is None:
        return why or "Nothing is sent before the server has said what it speaks.", False
    method = method_of(opening.revision)
    if not method:
        return f"{opening.revision.named} has no ping, and nothing in its place.", False
    sent: list[Exchange] = []
    try:
        called = await subject.call(method, {}, sent.append)
    except InspectError as error:
        return f"{method} failed: {visible(str(error), limit=300)}", False
    instead = "" if method == PING else f" ({method}: this revision has no ping)"
    reply, took = called.reply, sent[-1].duration_ns if sent else None
    if not isinstance(reply, Replied) or took is None:
        waited = f"nothing came for {reply.seconds:g} s" if isinstance(reply, Silent) else "no answer came"
        return f"Ping: {waited}{instead}", False
    if isinstance(reply.message, ErrorAnswer):
        said = visible(reply.message.message, limit=200)
        return f"Ping: {human_duration(took)}, answered with error {reply.message.code}: {said}", False
    return f"Ping: {human_duration(took)}{instead}", True


# --- Where toasts stand: at the right edge, above every line that is there for good, as low and as small as they
# can be.

TOASTS = """
    ToastRack { margin-bottom: 2; scrollbar-size-vertical: 0; padding-right: 1; }
    Toast { width: auto; max-width: 96%; padding: 0 1; margin-top: 0; }
"""
_LONG_S = 7 * 24 * 3600.0
_BELOW = 2
"""The footer, and the last line of a panel: a status line, or what a form says of itself."""


class Toasts:
    """The part of the app that keeps toasts out of the way."""

    _lines_below = _BELOW
    _until_input = ""
    """What the toast says that stays until the person does something; "" for none."""

    def say_until_input(self: "InspectApp", message: str) -> None:  # type: ignore[misc]
        """Show a toast about what happened by itself. It leaves at the next key or click.

        One that left by itself would write to a terminal at which nothing happens.
        """
        self._until_input = message
        self.say(message, timeout=_LONG_S)

    async def on_event(self: "InspectApp", event: Event) -> None:  # type: ignore[misc]
        """The person does something: what stayed until then leaves."""
        if self._until_input and isinstance(event, Key | MouseDown):
            said, self._until_input = self._until_input, ""
            for each in [each for each in self._notifications if each.message == said]:
                self._unnotify(each)
        await super().on_event(event)

    def lift_toasts(self: "InspectApp") -> None:  # type: ignore[misc]
        """Look which bars stand above the footer. Nearly free while they stay the same."""
        bars = (self.tab.notice, self._waiting_bar, self._bar_of_replay)
        below = _BELOW + sum(bar.size.height for bar in bars if bar is not None and bar.is_attached and bar.display)
        if below != self._lines_below:
            for rack in self.screen_stack[0].query_children("ToastRack"):  # none before the first picture
                self._lines_below = below
                rack.styles.margin = (0, 0, below, 0)


# --- Fetching lists anew, now, or by itself whenever the server says that one has changed.


class Relisting:
    """The app's actions for it."""

    async def action_refresh(self: "InspectApp") -> None:  # type: ignore[misc]
        """Ask the server for its lists again."""
        if why := why_silent(self.subject):
            self.say(why, severity="warning")
            return
        self.run_worker(self._fetch_anew(), group="relisting")  # it may have to wait for a person who logs in

    async def _fetch_anew(self: "InspectApp") -> None:  # type: ignore[misc]
        await self.subject.refresh()
        self.say("The lists were fetched anew.")

    async def action_refresh_mode(self: "InspectApp") -> None:  # type: ignore[misc]
        """Fetch lists that change by themselves, or only when asked for."""
        if why := why_silent(self.subject):
            self.say(why, severity="warning")
            return
        on = not self.subject.refreshes
        by_itself, asked = (
            "Lists that change are fetched by themselves.",
            "Lists that change wait until L fetches them.",
        )
        self.say(by_itself if on else asked)
        await self.subject.refresh_by_itself(on)


# --- Checking beside everything else: one thread gives the checks of all tabs their time, a bite at a time.


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


# --- The part of the app that has checks run beside everything else, from shortly after the first picture on.


class Checking:
    """The part of the app that has checks run."""

    CHECKS_AFTER_S = 0.5
    """Seconds from the first picture to the first check: what a person does first goes before."""
    checker: "Checker | None" = None

    def begin_checking(self: "InspectApp") -> None:  # type: ignore[misc]
        """Begin."""
        if self.checker is None:
            # XX

            self.checker = Checker(lambda: [tab.subject for tab in list(self.tabs)])

    def on_unmount(self: "InspectApp") -> None:  # type: ignore[misc]
        """End, before what is checked is closed."""
        if self.checker is not None:
            self.checker.stop()


# --- Exporting from any screen: all of it, or what is in sight or chosen there; a long result is shown, not said.

_UNFIT = r"[^A-Za-z0-9._-]+"
_LONGEST = 80


class Exporting:
    """What the app does to export."""

    def action_export(self: "InspectApp") -> None:  # type: ignore[misc]
        """Ask what is to be made, and make it."""
        if self.shows_timeline:
            self.say("This is the timeline of all. Choose the tab that is to be exported.")
            return
        from inspector.tui.screens.export.dialog import ExportScreen

        self.clear_notifications()  # they would cover the path
        self.push_screen(ExportScreen(self._export_source()), self._exported)

    def _export_source(self: "InspectApp") -> "ExportSource":  # type: ignore[misc]
        from inspector.tui.screens.export.ways import ExportSource

        share = self.opener.share if self.opener is not None else None
        path = self.panel.export_capture
        if path is not None:
            return ExportSource(_fit(path.stem), path, share=share)
        journal = self.subject.journal
        name = journal.capture_path.stem if journal.capture_path is not None else self.subject.about.label
        return ExportSource(_fit(name), journal.capture_path, journal, tuple(self.panel.export_scopes), share)

    def _exported(self: "InspectApp", made: "Made | None") -> None:  # type: ignore[misc]
        if made is None:
            return
        if made.lines:
            from inspector.tui.widgets.lines import LinesScreen

            self.push_screen(LinesScreen(visible(made.said, limit=200), made.lines))
        else:
            self.notify(visible(made.said, limit=400), markup=False, timeout=8)


def _fit(name: str) -> str:
    """A name that is only a name, and never empty."""
    return re.sub(_UNFIT, "_", name)[:_LONGEST].lstrip("._-") or "session"


# --- Telling that a login waits, and showing its dialog: by itself while nothing else goes on, else on a key.


class LoggingIn:
    """The app's part in it."""

    _told_of: "GuideWaiting | None" = None

    def look_for_login(self: "InspectApp") -> None:  # type: ignore[misc]
        """Whether somebody is waited for who has not been told.

        While a connection is opened nothing else can be done, so the dialog comes by itself. Later it must not come
        below somebody's fingers.
        """
        guide = self.subject.guide
        waiting = guide.waiting if guide is not None else None
        if waiting is None or waiting is self._told_of:
            return
        self._told_of = waiting
        if self.subject.stage is ConversationStage.CONNECTING and len(self.screen_stack) == 1:
            self.show_login()
        else:
            self.bell()
            key = keys.action("question.here").keys[0]
            self.say(f"The server wants a login before it goes on: {key} shows it.", severity="warning")

    def show_login(self: "InspectApp") -> bool:  # type: ignore[misc]
        """Show the dialog if somebody is waited for; whether that is so."""
        guide = self.subject.guide
        if guide is None or guide.waiting is None:
            return False
        from inspector.tui.screens.login.dialog import LoginScreen

        self.push_screen(LoginScreen(self.subject))
        return True


# --- Offering other things to the server: the switches are shown, and what was chosen becomes true.


def show_offers(app: "InspectApp") -> None:
    """Show the switches."""
    subject = app.subject
    if not subject.can_act:
        app.say("A recording offers nothing.")
        return
    from inspector.tui.screens.server.capabilities import OffersScreen

    opening = subject.opening

    async def take(chosen: frozenset[str] | None) -> None:
        if chosen is not None and chosen != subject.offers:
            await offer(app, chosen)

    app.push_screen(OffersScreen(subject.offers, opening.revision if opening else None), take)


async def offer(app: "InspectApp", chosen: frozenset[str]) -> None:
    """Offer this from now on: at once where that can be, else by a new connection."""
    app.tab.offers = chosen
    if app.subject.stage is ConversationStage.OPEN and await app.subject.declare(chosen):
        app.say("Offered from the next request on.")
    else:
        await app.action_reconnect()


class CapabilitySwitching:
    """The app's action for it."""

    def action_offers(self: "InspectApp") -> None:  # type: ignore[misc]
        """Show what is offered to the server, as switches."""
        show_offers(self)


# --- What the app does with the captures of earlier sessions: opens one in a tab, compares two.


class RecentCaptures:
    """Answers to the screen of sessions."""

    async def on_sessions_panel_open_wanted(  # type: ignore[misc]
        self: "InspectApp", message: "SessionsPanel.OpenWanted"
    ) -> None:
        """Show the tab that has it, or open it in another."""
        for tab in self.tabs:
            shown = tab.subject.journal.capture_path
            if shown is not None and shown.absolute() == message.path:
                await self.action_show_tab(tab.number)
                await self.action_show("traffic")
                return
        if self.opener is None:
            self.say("Nothing can be opened from here.")
        else:
            from inspector.present.start import OpenCapture

            await self.open_tab(OpenCapture(message.path))

    def on_sessions_panel_compare_wanted(  # type: ignore[misc]
        self: "InspectApp", message: "SessionsPanel.CompareWanted"
    ) -> None:
        """Show them side by side."""
        from inspector.tui.screens.sessions.compare import of_files

        self.push_screen(of_files(message.before, message.after))
