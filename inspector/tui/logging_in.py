"""Telling that a login waits, and showing its dialog: by itself while nothing else goes on, else on a key."""

from typing import TYPE_CHECKING

from inspector.tui import keys
from inspector.tui.subject import Stage

if TYPE_CHECKING:
    from inspector.auth.guide import Waiting
    from inspector.tui.app import InspectApp


class LoggingIn:
    """The app's part in it."""

    _told_of: "Waiting | None" = None

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
        if self.subject.stage is Stage.CONNECTING and len(self.screen_stack) == 1:
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
        from inspector.tui.screens.login import LoginScreen

        self.push_screen(LoginScreen(self.subject))
        return True
