"""Where to save what a server gave: a path that the person types. A file that is there is never replaced unasked."""

import mimetypes
import os
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import unquote

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.forms.typed import parse_json
from inspector.tui.screens.making import Making
from inspector.viewmodels.text import human_size
from inspector.whole import whole_file

_LONGEST: Final = 80
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class SaveScreen(Making[Path]):
    """Asks for a path and writes the file. Its result is the path that was written, None if none was."""

    SAID = ".save--said"
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

    def compose(self) -> ComposeResult:
        """A box with the question and the line for the answer."""
        with Vertical() as box:
            box.border_title = "Save to a file"
            yield Static(Text(f"{human_size(len(self._payload))}, as it came. Enter saves, Esc leaves."))
            yield Input(str(fresh(Path.cwd() / self._proposed)), compact=True, select_on_focus=False)
            yield Static("", classes="save--said")

    def on_mount(self) -> None:
        """Begin at the end of the path."""
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def maker(self, path: Path, *, replace: bool) -> Callable[[], Path]:
        """Write it as it came."""

        def make() -> Path:
            write(path, self._payload, replace=replace)
            return path

        return make

    def told(self, made: Path) -> str:
        """Where it is."""
        return f"Saved as {made.name}."


def write(path: Path, payload: bytes, *, replace: bool) -> None:
    """Write a file for its owner alone, completely or not at all, and never through a link.

    Raises: FileExistsError unless `replace`; OSError.
    """
    with whole_file(path, overwrite=replace) as new:
        new.file.write(payload)


def file_name(uri: str, mime_type: str, payload: bytes | None = None, *, called: str = "") -> str:
    """A name for what came from a URI, or else of what is `called` so: no separators, no dot in front, never empty.

    It has an ending: the URI's own, else that of the MIME type, else what `payload` looks like.
    """
    path = uri.partition("://")[2].partition("?")[0].partition("#")[0]
    last = unquote(path.rstrip("/").rpartition("/")[2])
    name = _fit(last) or _fit(called) or "content"
    if last and "." in name:
        return name
    guessed = mimetypes.guess_extension(mime_type.partition(";")[0].strip().lower())
    return name + (guessed or (_ending(payload) if payload is not None else ""))


def _fit(name: str) -> str:
    return _UNFIT.sub("_", name)[-_LONGEST:].lstrip("._-")


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


def _ending(payload: bytes) -> str:
    """The ending that fits the bytes: of a known format, .json, .txt, or .bin."""
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
    """The path, or with a number behind its name if it is taken."""
    others = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, 1000))
    return next((each for each in chain((path,), others) if not os.path.lexists(each)), path)
