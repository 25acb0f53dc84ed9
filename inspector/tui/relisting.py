"""Fetching lists anew, now, or by itself whenever the server says that one has changed."""

from typing import TYPE_CHECKING

from inspector.tui.subject import why_silent

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp


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
