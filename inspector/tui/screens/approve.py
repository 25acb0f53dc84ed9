"""Asking before a start, one server after the other: each in full, and nothing is started or dialled from here."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import App
from textual.binding import BindingType

from inspector.tui.safety import install
from inspector.tui.screens.start import ConfirmScreen
from inspector.tui.styles import DARK_NAME, THEMES, glyphs
from inspector.viewmodels.start import Server


class ApproveApp(App[list[bool]]):
    """Answers with a yes or a no for each; None if it was left by force."""

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, servers: Sequence[Server]) -> None:
        super().__init__()
        install(self, ascii_only=glyphs().to_server.isascii())
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK_NAME
        self._servers = servers
        self._answers: list[bool] = []

    def on_mount(self) -> None:
        """Ask about the first."""
        self._ask()

    def _ask(self) -> None:
        if len(self._answers) == len(self._servers):
            self.exit(self._answers)
            return
        self.push_screen(ConfirmScreen(self._servers[len(self._answers)]), self._answered)

    def _answered(self, sure: bool | None) -> None:
        self._answers.append(bool(sure))
        self._ask()
