"""Dialogs that ask for a path and create a file there, on a thread. Existing files need a confirmation."""

import asyncio
import mimetypes
import os
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import ClassVar, Final, Generic, TypeVar
from urllib.parse import unquote

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, Static

from inspector.atomic_write import whole_file
from inspector.config.paths import expanded
from inspector.errors import InspectError
from inspector.forms.typed import parse_json
from inspector.text import human_size, visible
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.dialogs import Dialog, DialogBox, DialogButtons, is_on_top

CreatedT = TypeVar("CreatedT")
_MAX_NAME_CHARS: Final = 80
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF8", ".gif"),
    (b"%PDF-", ".pdf"),
    (b"PK\x03\x04", ".zip"),
    (b"\x1f\x8b", ".gz"),
    (b"OggS", ".ogg"),
    (b"ID3", ".mp3"),
)


class CreateDialog(Dialog[CreatedT | None], Generic[CreatedT]):
    """Dialog whose result is the created object; None if cancelled. Subclasses compose an `Input` and a `Static`."""

    SAID: ClassVar[str]
    """Selector of the `Static` that shows progress and errors."""

    def __init__(self) -> None:
        super().__init__()
        self._warned: Path | None = None
        """Existing file that the user has been warned about."""
        self._is_making = False
        self._made: CreatedT | None = None
        """Result that was created while another screen lay over this one."""

    def creator(self, path: Path, *, replace: bool) -> Callable[[], CreatedT]:
        """Return a function that creates the file from the current choices; it is called on a thread.

        The function raises FileExistsError if the file exists and must not be replaced; InspectError, OSError or
        ValueError if it can't be created.
        """
        raise NotImplementedError

    def result_text(self, made: CreatedT) -> str:
        """Return a sentence about the created object; may contain untrusted text."""
        raise NotImplementedError

    def busy(self) -> str:
        """Return the text shown while the file is being created."""
        return "Writing…"

    def on_input_changed(self, event: Input.Changed) -> None:
        """Drop the warning and the error about the previous path."""
        event.stop()
        self._warned = None
        if not self._is_making:
            self._say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Create the file; if it exists, ask first."""
        event.stop()
        if event.value.strip() and not self._is_making:
            self._is_making = True
            self._say(self.busy())
            path = expanded(event.value.strip())
            attempt = self._attempt(path, self.creator(path, replace=path == self._warned))
            self.app.run_worker(attempt, group="making")  # a worker of the app: continues if the dialog closes

    def on_screen_resume(self) -> None:
        """Close if the file was created while another screen lay over this one."""
        if self._made is not None:
            self.dismiss(self._made)

    async def _attempt(self, path: Path, make: Callable[[], CreatedT]) -> None:
        try:
            made = await asyncio.to_thread(make)
        except FileExistsError:
            self._warned = path
            self._fail("File exists. Press Enter again to replace it.")
        except InspectError as error:
            self._fail(error.full_text)
        except (OSError, ValueError) as error:
            self._fail(f"Cannot write: {getattr(error, 'strerror', None) or error}.")
        else:
            self._succeed(made)

    def _succeed(self, made: CreatedT) -> None:
        if is_on_top(self):
            self.dismiss(made)
        elif self in self.app.screen_stack:
            self._made = made
        else:
            self.app.notify(self.result_text(made), timeout=8)

    def _fail(self, sentence: str) -> None:
        self._is_making = False
        if self in self.app.screen_stack:
            self._say(sentence)
        else:
            self.app.notify(sentence, severity="error", timeout=8)

    def _say(self, sentence: str) -> None:
        shown = f"{glyphs().warning} {visible(sentence, limit=400)}" if sentence else ""
        self.query_one(self.SAID, Static).update(Text(shown))


class SaveScreen(CreateDialog[Path]):
    """Asks for a path and writes the payload. The result is the path; None if nothing was written."""

    SAID = ".save--said"
    BINDINGS = keys.bindings_of("save.back")
    DEFAULT_CSS = """
    SaveScreen { align: center middle; background: $background 60%; }
    SaveScreen > Vertical {
        width: 76; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 1 2;
    }
    SaveScreen Static { height: auto; }
    SaveScreen Input { margin: 1 0; background: $panel; border: none; height: 1; padding: 0 1; }
    SaveScreen Input:focus { border: none; }
    SaveScreen .save--said { color: $text-warning; }
    """

    def __init__(self, payload: bytes, name: str) -> None:
        """`name` is the proposed file name."""
        super().__init__()
        self._payload = payload
        self._proposed = name

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = "Save to a file"
            yield Static(Text(f"{human_size(len(self._payload))}, unchanged."))
            yield Input(str(fresh(Path.cwd() / self._proposed)), compact=True, select_on_focus=False)
            yield Static("", classes="save--said")
            yield DialogButtons("Save")

    def on_mount(self) -> None:
        """Put the cursor at the end of the path."""
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def creator(self, path: Path, *, replace: bool) -> Callable[[], Path]:
        """Return a function that writes the payload as received."""

        def make() -> Path:
            write(path, self._payload, replace=replace)
            return path

        return make

    def result_text(self, made: Path) -> str:
        """Return where the file is."""
        return f"Saved as {made.name}."


def write(path: Path, payload: bytes, *, replace: bool) -> None:
    """Write a file that only its owner can read. The write is atomic and never follows a link.

    Raises: FileExistsError unless `replace`; OSError.
    """
    with whole_file(path, overwrite=replace) as new:
        new.file.write(payload)


def file_name(uri: str, mime_type: str, payload: bytes | None = None, *, called: str = "") -> str:
    """Return a file name made from a URI, or else from the name `called`.

    It has no separators and no leading dot, and is never empty.

    Its extension is that of the URI, else that of the MIME type, else one that fits the content of `payload`.
    """
    last = unquote(uri.partition("://")[2].partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2])
    name = _fit(last) or _fit(called) or "content"
    if last and "." in name:
        return name
    guessed = mimetypes.guess_extension(mime_type.partition(";")[0].strip().lower())
    return name + (guessed or (_ending(payload) if payload is not None else ""))


def _fit(name: str) -> str:
    return _UNFIT.sub("_", name)[-_MAX_NAME_CHARS:].lstrip("._-")


def _ending(payload: bytes) -> str:
    """Return the extension for these bytes: of a known format, .json, .txt, or .bin."""
    if payload[:4] == b"RIFF":
        return {b"WAVE": ".wav", b"WEBP": ".webp"}.get(payload[8:12], ".bin")
    known = next((ending for begins, ending in _BEGINNINGS if payload.startswith(begins)), "")
    if known:
        return known
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return ".bin"
    return ".json" if text.lstrip()[:1] in ("{", "[") and not parse_json(text).problem else ".txt"


def fresh(path: Path) -> Path:
    """Return the path, with a number appended to its name if it exists."""
    others = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, 1000))
    return next((each for each in chain((path,), others) if not os.path.lexists(each)), path)
