"""What the app does with the captures of earlier sessions: opens one in a tab, compares two."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp
    from inspector.tui.panels.sessions import SessionsPanel


class Recent:
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
            from inspector.viewmodels.start import OpenCapture

            await self.open_tab(OpenCapture(message.path))

    def on_sessions_panel_compare_wanted(  # type: ignore[misc]
        self: "InspectApp", message: "SessionsPanel.CompareWanted"
    ) -> None:
        """Show them side by side."""
        from inspector.tui.screens.compare import of_files

        self.push_screen(of_files(message.before, message.after))
