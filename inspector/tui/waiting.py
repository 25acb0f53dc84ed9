"""The part of the app that says who waits on whom, as soon as something hangs."""

from typing import TYPE_CHECKING

from inspector.tui.pacing import SLOWER

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp
    from inspector.tui.widgets.waiting_bar import WaitingBar

_EVERY = 10
"""Ticks between two looks: three a second."""


class Waiting:
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
            from inspector.tui.widgets.waiting_bar import WaitingBar

            self._waiting_bar = WaitingBar()
            self.screen_stack[0].mount(self._waiting_bar)  # a dialog that is open now would take it along
        elif self._waiting_bar.is_attached:
            self._waiting_bar.sync(None if self.shows_timeline else self.subject)
