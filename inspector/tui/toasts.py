"""Toasts: short messages at the right edge, above all permanent lines."""

from collections.abc import Callable, Iterable

from textual.app import App
from textual.events import Event, Key, MouseDown
from textual.widget import Widget

from inspector.text import visible

TOAST_CSS = """
    ToastRack { margin-bottom: 2; scrollbar-size-vertical: 0; padding-right: 1; }
    Toast { width: auto; max-width: 96%; padding: 0 1; margin-top: 0; }
"""
_UNTIL_DISMISSED_S = 7 * 24 * 3600.0
_BELOW = 2
"""The footer, and the last line of a panel: a status line, or the status of a form."""


class Toasts:
    """Shows toasts, and keeps them above the bars."""

    def __init__(self, app: App[None], bars: Callable[[], Iterable[Widget | None]]) -> None:
        """`bars` returns the bars that may be above the footer now."""
        self._app = app
        self._bars = bars
        self._lines_below = _BELOW
        self._until_input: set[str] = set()
        """Messages that stay until the next input."""

    def say(self, message: str, *, severity: str = "information", timeout: float = 4) -> None:
        """Show a message for `timeout` seconds."""
        self._app.notify(message, severity=severity, timeout=timeout)  # type: ignore[arg-type]

    def show_until_input(self, message: str) -> None:
        """Show a message about an event that the user did not trigger. It disappears on the next key or click.

        A timeout would write to a terminal that is otherwise idle.
        """
        self._until_input.add(visible(message, limit=400))
        self.say(message, timeout=_UNTIL_DISMISSED_S)

    def notice(self, event: Event) -> None:
        """Remove the messages that stay until the next input."""
        if not self._until_input or not isinstance(event, Key | MouseDown):
            return
        app, messages = self._app, self._until_input
        for each in [each for each in app._notifications if each.message in messages]:  # noqa: SLF001 - no public way
            app._unnotify(each)  # noqa: SLF001
            messages.discard(each.message)  # one that is yet to appear leaves at a later input

    def tick(self) -> None:
        """Measure the bars above the footer. Nearly free while they stay the same."""
        bars = self._bars()
        below = _BELOW + sum(bar.size.height for bar in bars if bar is not None and bar.is_attached and bar.display)
        if below != self._lines_below:
            for rack in self._app.screen_stack[0].query_children("ToastRack"):  # there is none before the first paint
                self._lines_below = below
                rack.styles.margin = (0, 0, below, 0)
