"""The part of the app that has checks run beside everything else, from shortly after the first picture on."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp
    from inspector.tui.checker import Checker


class Checking:
    """The part of the app that has checks run."""

    CHECKS_AFTER_S = 0.5
    """Seconds from the first picture to the first check: what a person does first goes before."""
    checker: "Checker | None" = None

    def begin_checking(self: "InspectApp") -> None:  # type: ignore[misc]
        """Begin."""
        if self.checker is None:
            from inspector.tui.checker import Checker

            self.checker = Checker(lambda: [tab.subject for tab in list(self.tabs)])

    def on_unmount(self: "InspectApp") -> None:  # type: ignore[misc]
        """End, before what is checked is closed."""
        if self.checker is not None:
            self.checker.stop()
