"""The app on two captures, which begins with both side by side; behind that each has its tab."""

from collections.abc import Sequence
from pathlib import Path

from inspector.capture.compare.normal import Normal
from inspector.session.engine import OpenedSession
from inspector.tui.app import InspectApp
from inspector.tui.screens.sessions.compare import of_files
from inspector.tui.tabs import Opener


class ComparingApp(InspectApp):
    """As every other app, once the comparison is left."""

    def __init__(
        self, before: Path, after: Path, normal: Normal, only: Sequence[str] = (), opener: Opener | None = None
    ) -> None:
        """Raises: CaptureError if `before` is no capture."""
        super().__init__(
            replay=before, name=before.stem, beside=[OpenedSession(after.stem, capture=after)], opener=opener
        )
        self._comparison = of_files(before, after, normal, only)

    def on_mount(self) -> None:  # type: ignore[override]  # beside the one of every app, which runs as well
        """Begin with the comparison."""
        self.call_after_refresh(self.push_screen, self._comparison)
