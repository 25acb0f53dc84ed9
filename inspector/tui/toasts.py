"""Toasts: short messages at the right edge, above every line that is there for good."""

from collections.abc import Callable, Iterable

from textual.app import App
from textual.events import Event, Key, MouseDown
from textual.widget import Widget

from inspector.text import visible

TOAST_CSS = """
    ToastRack { margin-bottom: 2; scrollbar-size-vertical: 0; padding-right: 1; }
    Toast { width: auto; max-width: 96%; padding: 0 1; margin-top: 0; }
"""
_LONG_S = 7 * 24 * 3600.0
_BELOW = 2
"""The footer, and the last line of a panel: a status line, or what a form says of itself."""


class Toasts:
    """Shows messages, and keeps them out of the way."""

    def __init__(self, app: App[None], bars: Callable[[], Iterable[Widget | None]]) -> None:
        """`bars` gives those that may be above the footer now."""
        self._app = app
        self._bars = bars
        self._lines_below = _BELOW
        self._until_input = ""
        """The message that stays until the person does something; "" for none."""

    def say(self, message: str, *, severity: str = "information", timeout: float = 4) -> None:
        """Show a message for `timeout` seconds. Foreign text in it is made visible; markup is never read."""
        said = visible(message, limit=300)
        self._app.notify(said, severity=severity, markup=False, timeout=timeout)  # type: ignore[arg-type]

    def say_until_input(self, message: str) -> None:
        """Show a message about what happened by itself. It leaves at the next key or click.

        One that left by itself would write to a terminal at which nothing happens.
        """
        self._until_input = message
        self.say(message, timeout=_LONG_S)

    def notice(self, event: Event) -> None:
        """The person does something: what stayed until then leaves."""
        if not self._until_input or not isinstance(event, Key | MouseDown):
            return
        said, self._until_input = self._until_input, ""
        app = self._app
        for each in [each for each in app._notifications if each.message == said]:  # noqa: SLF001 - no public way
            app._unnotify(each)  # noqa: SLF001

    def tick(self) -> None:
        """Look which bars are above the footer. Nearly free while they stay the same."""
        bars = self._bars()
        below = _BELOW + sum(bar.size.height for bar in bars if bar is not None and bar.is_attached and bar.display)
        if below != self._lines_below:
            for rack in self._app.screen_stack[0].query_children("ToastRack"):  # none before the first picture
                self._lines_below = below
                rack.styles.margin = (0, 0, below, 0)
