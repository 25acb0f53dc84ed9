"""Where toasts stand: at the right edge, above every line that is there for good, as low and as small as they can be.

A toast tells what was done; what must be read stands in the screen itself. So it is one line where its words allow,
covers neither footer nor bars nor the last line of a panel, and goes by itself.
"""

from typing import TYPE_CHECKING

from textual.events import Event, Key, MouseDown

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp

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
            for rack in self.screen_stack[0].query("ToastRack"):  # none before the first picture and after the last
                self._lines_below = below
                rack.styles.margin = (0, 0, below, 0)
