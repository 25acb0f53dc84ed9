"""The pictures and the recording of docs/forms.md: `python -m tests.screens.forms [DIRECTORY]`.

The pictures show the ten most frequent shapes of fields in one form. The recording calls a tool with three optional
arguments in a real terminal; it needs tmux.
"""

import asyncio
import shlex
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from inspector.tui.theme import DARK_NAME, LIGHT_NAME
from tests.architecture.sources import ROOT
from tests.schemas.shapes import shapes
from tests.screens.pictures import pixels
from tests.screens.staging import plain
from tests.stories.first_minutes import Terminal
from tests.tui.widgets.filling import Filling

PAGE = ROOT / "docs" / "forms.md"
_BEGIN, _END = "<!-- recording:begin -->", "<!-- recording:end -->"
_SIZES: Final = {"small": (80, 24), "wide": (120, 36)}
_THEMES: Final = {"dark": DARK_NAME, "light": LIGHT_NAME}
NAMES = tuple(f"form-{size}-{theme}.svg" for size in _SIZES for theme in _THEMES)
"""The files of the pictures."""
_FIELDS: Final = (
    ("city", "The city, with its country if the name is common elsewhere"),
    ("budget", "In euros"),
    ("nights", "Number of nights"),
    ("breakfast", "Whether breakfast is included"),
    ("room", "Size of the room"),
    ("view", "Side of the house"),
    ("guests", "Names of the guests"),
    ("note", "A note for the house"),
    ("voucher", "Code of a voucher"),
    ("newsletter", "Whether to send news"),
)
_KEYS: Final = (*"Oslo", "tab", *"240.5", "tab", "3", "tab", "t", "tab", "b", "tab", "tab", "tab", *"late", "tab")
_MOMENT_S: Final = 1.0
_STEPS: Final = (
    ("Open the form of the selected tool", ("Enter",), "[ Call"),
    ("Type a number, a text, and the first letter of true", ("type 5", "Tab", "type abc", "Tab", "type t"), "● true"),
    ("Call", ("C-j",), '"flag": true'),
)


def most_frequent() -> dict[str, Any]:
    """Return a schema whose fields have the ten most frequent shapes."""
    found = [dict(shape.schema) for shape in shapes()[: len(_FIELDS)]]
    described = zip(_FIELDS, found, strict=True)
    return {"type": "object", "properties": {name: each | {"description": said} for (name, said), each in described}}


async def draw(size: tuple[int, int], theme: str) -> str:
    """Return the form as SVG, with some fields filled in and the focus in one with a description."""
    async with (app := Filling(most_frequent())).run_test(size=size) as pilot:
        app.theme = theme
        app.form.focus_first()
        await pilot.pause()
        await pilot.press(*_KEYS)
        await app.judged(pilot)
        return plain(app.export_screenshot(title="mcp-inspect", simplify=True))


def record(home: Path) -> list[str]:
    """Return the steps of the recording as lines of Markdown."""
    terminal = Terminal(home)
    lines: list[str] = []
    keys = 0
    try:
        terminal.sees("$")
        command = shlex.join((sys.executable, "-m", "tests.servers.optional_fields"))
        for key in (f"type cd {shlex.quote(str(ROOT))}; clear; mcp-inspect -- {command}", "Enter"):
            terminal.press(key)
        terminal.sees("tools/list")
        terminal.press("2")
        terminal.sees("pick")
        for title, pressed, sees in _STEPS:
            for key in pressed:
                terminal.press(key)
                time.sleep(_MOMENT_S)
            keys += sum(len(key.removeprefix("type ")) if key.startswith("type ") else 1 for key in pressed)
            names = " ".join(f"`{key.removeprefix('type ').replace('C-j', 'Ctrl+J')}`" for key in pressed)
            lines += ["", f"{title}: {names}", "", "```text", terminal.sees(sees).strip("\n"), "```"]
    finally:
        terminal.close()
    return [f"`pick(n: int | None = None, s: str | None = None, flag: bool | None = None)` takes {keys} keys.", *lines]


def main() -> None:
    """Write the pictures and the recording, into a directory if one is given."""
    place = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "screenshots"
    for size, cells in _SIZES.items():
        for theme, name in _THEMES.items():
            svg = asyncio.run(draw(cells, name))
            (place / f"form-{size}-{theme}.svg").write_text(svg)
            if sys.argv[1:]:
                (place / f"form-{size}-{theme}.png").write_bytes(pixels(svg))
    with TemporaryDirectory(prefix="mcp-inspect-") as home:
        recorded = "\n".join(record(Path(home)))
    page = PAGE.read_text()
    before, after = page.split(_BEGIN)[0], page.split(_END)[1]
    text = f"{before}{_BEGIN}\n{recorded}\n{_END}{after}"
    (PAGE if not sys.argv[1:] else place / PAGE.name).write_text(text)


if __name__ == "__main__":
    main()
