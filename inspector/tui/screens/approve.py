"""Asking before a start, one server after the other: each in full, and nothing is started or dialled from here."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from inspector.tui.safety import install
from inspector.tui.screens.dialog import Dialog
from inspector.tui.screens.start import ConfirmScreen
from inspector.tui.styles import glyphs
from inspector.tui.theming import dress
from inspector.tui.widgets.footer_bar import FooterBar
from inspector.tui.widgets.form_editors import LineEdit
from inspector.viewmodels.start import Server
from inspector.viewmodels.text import visible


def ask_for(app: "App[Any]", server: Server, then: "Callable[[Server | None], None]") -> None:
    """Ask for what a file leaves to the person; `then` gets the server with that, or None if the person left."""
    if not server.wishes:
        then(server)
        return

    def answered(values: "dict[str, str] | None") -> None:
        then(server.filled(values) if values is not None else None)

    app.push_screen(WishesScreen(server), answered)


class WishesScreen(Dialog["dict[str, str] | None"]):
    """Answers with the values by id; None for none: nothing is started then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j", "done", "Go on", tooltip="Use these values.", id="wishes.done", priority=True),
        Binding("escape", "leave", "Back", tooltip="Start nothing.", id="wishes.leave"),
    ]
    DEFAULT_CSS = """
    WishesScreen { align: center middle; background: $background 60%; }
    WishesScreen > Vertical {
        width: 84; max-width: 96%; height: auto; max-height: 90%;
        background: $background; border: round $border; border-title-color: $text-accent; padding: 0 1;
    }
    WishesScreen VerticalScroll { height: auto; max-height: 30; }
    WishesScreen Static { height: auto; }
    WishesScreen LineEdit { margin: 0 0 1 0; }
    WishesScreen .wishes--wrong { color: $text-error; }
    WishesScreen FooterBar { dock: none; }
    """

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._wishes = server.wishes
        self._name = visible(server.name, limit=60)
        self._edits = [LineEdit(each.default, unset=True, secret=each.secret) for each in self._wishes]

    def compose(self) -> ComposeResult:
        """What each value is for, and a line for it; a secret one shows dots."""
        with Vertical() as box:
            box.border_title = Content(f"Values for {self._name}")
            with VerticalScroll(can_focus=False):
                for wish, edit in zip(self._wishes, self._edits, strict=True):
                    about = f"  {visible(wish.about, limit=300)}" if wish.about else ""
                    one_of = f"  one of {', '.join(visible(each, limit=60) for each in wish.options)}"
                    yield Static(
                        Text.assemble(
                            (visible(wish.id, limit=100), "bold"), about, one_of if wish.options else "", no_wrap=False
                        )
                    )
                    yield edit
            yield Static("", classes="wishes--wrong")
            yield FooterBar()

    def on_mount(self) -> None:
        """Begin with the first."""
        self._edits[0].focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the next value, or be done behind the last."""
        event.stop()
        at = next((at for at, edit in enumerate(self._edits) if edit is event.input), len(self._edits) - 1)
        if at + 1 < len(self._edits):
            self._edits[at + 1].focus()
        else:
            self.action_done()

    def action_done(self) -> None:
        """Take the values, unless one is none of those that are allowed."""
        for wish, edit in zip(self._wishes, self._edits, strict=True):
            if wish.options and edit.value not in wish.options:
                said = f"{visible(wish.id, limit=100)} must be one of the values above."
                self.query_one(".wishes--wrong", Static).update(Text(said))
                edit.focus()
                return
        self.dismiss({wish.id: edit.value for wish, edit in zip(self._wishes, self._edits, strict=True)})

    def action_leave(self) -> None:
        """Start nothing."""
        self.dismiss(None)


class ApproveApp(App["list[Server | None]"]):
    """Answers with each server that was approved, with the values that it needs, and None for each other.

    None for all if it was left by force.
    """

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, servers: Sequence[Server]) -> None:
        super().__init__()
        install(self, ascii_only=glyphs().to_server.isascii())
        dress(self)
        self._servers = servers
        self._answers: list[Server | None] = []

    def on_mount(self) -> None:
        """Ask about the first."""
        self._ask()

    def _ask(self) -> None:
        if len(self._answers) == len(self._servers):
            self.exit(self._answers)
            return
        self.push_screen(ConfirmScreen(self._servers[len(self._answers)]), self._answered)

    def _answered(self, sure: bool | None) -> None:
        if sure:
            ask_for(self, self._servers[len(self._answers)], self._take)
        else:
            self._take(None)

    def _take(self, server: Server | None) -> None:
        self._answers.append(server)
        self._ask()
