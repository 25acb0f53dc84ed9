"""The hint of the demo, one line above the footer: the next step to try, in four steps. Hiding it is remembered."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from textual.app import App

from inspector.config.paths import places
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.session.inbox import TicketState
from inspector.tui import keys
from inspector.tui.pacing import SLOWER, Pacing
from inspector.tui.tabs import Tab, Tabs
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar

_WANTED = "MCP_INSPECT_DEMO_HINTS"
"""Environment variable that `mcp-inspect demo` sets for its server."""
_EVERY = 10
"""Ticks between two updates."""
_LEAST_ROWS = 20
"""Minimum height of the terminal; the hint is hidden in a lower one."""
_NEWEST = 50
"""How many of the newest requests are examined."""

LAST = "To inspect your server: mcp-inspect -- COMMAND"


class DemoStep(NamedTuple):
    template: str
    """Its text, with the ids of actions in braces."""
    is_done: Callable[[Tab], bool]
    screen: str = ""
    """Screen on which it begins: its key is named while another one is shown. "" if the step names it."""

    def text(self, shown: str) -> str:
        """Return its text while a screen is shown, with the user's keys."""
        text = self.template
        if self.screen and shown != self.screen:
            text = f"Press {{screen.{self.screen}}}, {text[0].lower()}{text[1:]}"
        return re.sub(r"{([\w.]+)}", lambda found: keys.shown_key(found[1]), text)


def _newest(tab: Tab) -> list[Exchange]:
    exchanges = tab.conversation.journal.conversation.exchanges
    return [exchanges[at] for at in range(max(0, len(exchanges) - _NEWEST), len(exchanges))]


def _has(tab: Tab, tool: str, state: ExchangeState) -> bool:
    return any(each.method == "tools/call" and each.target == tool and each.state is state for each in _newest(tab))


STEPS = (
    DemoStep(
        "Call echo: type a text, press {tools.send}", lambda tab: _has(tab, "echo", ExchangeState.ANSWERED), "tools"
    ),
    DemoStep(
        "Call long_running and cancel it with {request.cancel}",
        lambda tab: _has(tab, "long_running", ExchangeState.CANCELLED),
    ),
    DemoStep(
        "Call elicit_form and respond with {respond}",
        lambda tab: any(each.state is TicketState.ANSWERED for each in tab.conversation.inbox.tickets),
    ),
    DemoStep("Press {screen.findings} and read a finding", lambda tab: tab.shown == "findings"),
)


class DemoHintBar(ItemBar):
    """The line. `press` is called with "next" or "hide"."""

    def __init__(self, press: Callable[[str], None]) -> None:
        super().__init__(id="demo-hint")
        self._press = press

    def say(self, at: int, shown: str) -> None:
        """Show step `at`, from 0, while a screen is shown; after the last step the closing line."""
        is_last = at >= len(STEPS)
        head = "Demo " if is_last else f"Demo {at + 1} of {len(STEPS)}  "
        left = BarItem(((head, "accent"), (LAST if is_last else STEPS[at].text(shown), "text")))
        right = [] if is_last else [BarItem((("[ Next ]", "accent"),), "next")]
        self.show([BarLine((left,), (*right, BarItem((("[ Hide ]", "accent"),), "hide")), inset=1)])

    def pressed(self, name: str) -> None:
        """Go to the next step, or hide the hint."""
        self._press(name)


class DemoHint:
    """Shows the hint while the server is the demo, and advances when a step is done."""

    def __init__(self, app: App[None], tabs: Tabs, pacing: Pacing) -> None:
        self._app, self._tabs, self._pacing = app, tabs, pacing
        self._ticks = 0
        self._at = 0
        self._is_over = False
        self.bar: DemoHintBar | None = None

    def tick(self) -> None:
        """Update every few ticks."""
        self._ticks += SLOWER if self._pacing.is_slow else 1
        if self._is_over or self._ticks < _EVERY:
            return
        self._ticks = 0
        if self.bar is None:
            self._begin()
        elif self.bar.is_attached:
            while self._at < len(STEPS) and STEPS[self._at].is_done(self._tabs.current):
                self._at += 1
            self.bar.say(self._at, self._tabs.current.shown)
            self.bar.display = self._app.size.height >= _LEAST_ROWS

    def _begin(self) -> None:
        environment = self._tabs.conversation.about.environment
        if environment is None or _WANTED not in environment.values or _hidden().exists():
            self._is_over = True
            return
        self.bar = DemoHintBar(self._pressed)
        self._app.screen_stack[0].mount(self.bar)

    def _pressed(self, name: str) -> None:
        assert self.bar is not None, "it was clicked"
        if name == "next":
            self._at += 1
            self.bar.say(self._at, self._tabs.current.shown)
            return
        self._is_over = True
        self.bar.remove()
        with suppress(OSError):  # on failure, it is shown again the next time
            _hidden().parent.mkdir(parents=True, exist_ok=True)
            _hidden().touch()


def _hidden() -> Path:
    return places().state / "demo-hint-hidden"
