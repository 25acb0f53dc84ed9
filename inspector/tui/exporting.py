"""Exporting from any screen: all of it, or what is in sight or chosen there; a long result is shown, not said."""

import re
from typing import TYPE_CHECKING

from inspector.viewmodels.text import visible

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp
    from inspector.tui.export_ways import Made, Source

_UNFIT = r"[^A-Za-z0-9._-]+"
_LONGEST = 80


class Exporting:
    """What the app does to export."""

    def action_export(self: "InspectApp") -> None:  # type: ignore[misc]
        """Ask what is to be made, and make it."""
        if self.shows_timeline:
            self.say("This is the timeline of all. Choose the tab that is to be exported.")
            return
        from inspector.tui.screens.export import ExportScreen

        self.clear_notifications()  # they would cover the path
        self.push_screen(ExportScreen(self._export_source()), self._exported)

    def _export_source(self: "InspectApp") -> "Source":  # type: ignore[misc]
        from inspector.tui.export_ways import Source

        share = self.opener.share if self.opener is not None else None
        path = self.panel.export_capture
        if path is not None:
            return Source(_fit(path.stem), path, share=share)
        journal = self.subject.journal
        name = journal.capture_path.stem if journal.capture_path is not None else self.subject.about.label
        return Source(_fit(name), journal.capture_path, journal, tuple(self.panel.export_scopes), share)

    def _exported(self: "InspectApp", made: "Made | None") -> None:  # type: ignore[misc]
        if made is None:
            return
        if made.lines:
            from inspector.tui.screens.lines import LinesScreen

            self.push_screen(LinesScreen(visible(made.said, limit=200), made.lines))
        else:
            self.notify(visible(made.said, limit=400), markup=False, timeout=8)


def _fit(name: str) -> str:
    """A name that is only a name, and never empty."""
    return re.sub(_UNFIT, "_", name)[:_LONGEST].lstrip("._-") or "session"
