"""Where to save what a server gave: a path that the person types. A file that is there is never replaced unasked."""

import asyncio
import mimetypes
import os
import re
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import unquote

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.tui.styles import glyphs
from inspector.viewmodels.text import human_size, visible

_LONGEST: Final = 80
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class SaveScreen(ModalScreen[Path | None]):
    """Asks for a path and writes the file. Its result is the path that was written, None if none was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Back without saving.", id="save.back")
    ]
    DEFAULT_CSS = """
    SaveScreen { align: center middle; background: $background 60%; }
    SaveScreen > Vertical {
        width: 76; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 1 2;
    }
    SaveScreen Static { height: auto; }
    SaveScreen Input { margin: 1 0; background: $panel; border: none; height: 1; padding: 0 1; }
    SaveScreen .save--said { color: $text-warning; }
    """

    def __init__(self, payload: bytes, name: str) -> None:
        """`name` is a proposal, fit for a file."""
        super().__init__()
        self._payload = payload
        self._proposed = name
        self._warned: Path | None = None
        """The file that the person has been told is there."""

    def compose(self) -> ComposeResult:
        """A box with the question and the line for the answer."""
        with Vertical() as box:
            box.border_title = "Save to a file"
            yield Static(Text(f"{human_size(len(self._payload))}, as it came. Enter saves, Esc leaves."))
            yield Input(str(Path.cwd() / self._proposed), compact=True, select_on_focus=False)
            yield Static("", classes="save--said")

    def on_mount(self) -> None:
        """Begin at the end of the path."""
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another path: what was said of the one before is void."""
        event.stop()
        self._warned = None
        self._say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save, or ask first."""
        event.stop()
        if event.value.strip():
            self._save(Path(event.value.strip()).expanduser())

    @work(exclusive=True)
    async def _save(self, path: Path) -> None:
        try:
            await asyncio.to_thread(write, path, self._payload, replace=path == self._warned)
        except FileExistsError:
            self._warned = path
            self._say("It is there already. Enter again replaces it.")
        except (OSError, ValueError) as error:
            self._say(f"It can't be written: {getattr(error, 'strerror', None) or error}.")
        else:
            self.dismiss(path)

    def _say(self, sentence: str) -> None:
        shown = f"{glyphs().warning} {visible(sentence, limit=300)}" if sentence else ""
        self.query_one(".save--said", Static).update(Text(shown))

    def action_leave(self) -> None:
        """Leave without saving."""
        self.dismiss(None)


def write(path: Path, payload: bytes, *, replace: bool) -> None:
    """Write a file for its owner alone, never through a link. Raises: FileExistsError unless `replace`, OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_TRUNC if replace else os.O_EXCL)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(payload)


def file_name(uri: str, mime_type: str) -> str:
    """A name for what came from a URI: no separators, no dot in front, never empty."""
    path = uri.partition("://")[2].partition("?")[0].partition("#")[0]
    last = unquote(path.rstrip("/").rpartition("/")[2])
    name = _UNFIT.sub("_", last)[-_LONGEST:].lstrip("._-") or "content"
    if "." in name:
        return name
    return name + (mimetypes.guess_extension(mime_type.partition(";")[0].strip().lower()) or "")
