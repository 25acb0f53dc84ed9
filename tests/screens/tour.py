"""The animated picture of the README: `python -m tests.screens.tour` runs a server and writes `screenshots/tour.gif`.

The app is connected to server-everything, keys are pressed, and each picture is what the app shows then. It needs the
extra `dev` and the servers of `python -m tests.servers.real.install`.
"""

import argparse
import asyncio
import io
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from PIL import Image

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from tests.architecture.sources import ROOT
from tests.screens.pictures import PLACE, pixels
from tests.servers.real import argv
from tests.stories.persons import Person, at_the_screen

NAME = "tour.gif"
SIZE = (120, 32)
WIDTH = 1100
"""Pixels."""
_FONT_FACES = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


class Step(NamedTuple):
    """One picture, or one for each key."""

    keys: tuple[str, ...]
    """As Textual names them."""
    sees: tuple[str, ...]
    """Text that must be on the screen before the picture is taken."""
    hold_ms: int = 1500
    """How long the last picture is shown; those before it are shown for a moment."""


STEPS = (
    Step((), ("tools/list",), 2000),
    Step(("2",), ("get-sum",)),
    Step(("slash", *"sum"), ("get-sum",)),
    Step(("enter",), ("get-sum",), 300),
    Step(("enter",), ("First number",)),
    Step(("1", "7"), ("17",), 300),
    Step(("down",), (), 300),
    Step(("4", "full_stop", "5"), ("4.5",), 800),
    Step(("ctrl+j",), ("21.5",), 2500),
    Step(("escape", "escape", "1"), ("tools/call",), 800),
    Step(("G",), ("get-sum",), 2500),
    Step(("g",), ("Request/response pair",), 2000),
    Step(("escape", "8"), ("schema-dialect",), 3000),
)
_MOMENT_MS = 160
_COLORS = 128


async def frames(place: Path) -> list[tuple[str, int]]:
    """Run the steps and return each picture as SVG with the time that it is shown, in milliseconds.

    The session is recorded in the directory `place`.
    """
    taken: list[tuple[str, int]] = []
    async with at_the_screen(_server(), place / "tour.mcpcap", SIZE, has_person=True) as person:
        for step in STEPS:
            for key in step.keys:
                await person.press(key)
                taken.append((_svg(person), _MOMENT_MS))
            await person.sees(*step.sees)
            await person.pilot.pause()
            taken.append((_svg(person), step.hold_ms))
    return taken


def _server() -> StdioTarget:
    """Return server-everything, started in its own directory: no path of this machine is in the picture."""
    program = Path(argv("everything")[0]).resolve()
    environment = build_environment(os.environ, inherit_all=False)
    return StdioTarget(("node", f"{program.parent.name}/{program.name}"), environment, str(program.parents[1]))


def _svg(person: Person) -> str:
    svg = person.pilot.app.export_screenshot(title="mcp-inspect", simplify=True)
    return _FONT_FACES.sub("", svg).replace("Fira Code", "DejaVu Sans Mono")


def animated(taken: list[tuple[str, int]]) -> bytes:
    """Return an animated GIF. Equal pictures in a row are one, shown for as long as all of them."""
    pictures: list[Image.Image] = []
    times: list[int] = []
    last = ""
    for svg, shown_ms in taken:
        plain = re.sub(r"terminal-\d+-", "", svg)
        if plain == last:
            times[-1] += shown_ms
            continue
        last = plain
        picture = Image.open(io.BytesIO(pixels(svg))).convert("RGB")
        height = round(picture.height * WIDTH / picture.width)
        pictures.append(picture.resize((WIDTH, height), Image.Resampling.LANCZOS))
        times.append(shown_ms)
    palette = _palette(pictures)
    first, *others = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures]
    written = io.BytesIO()
    first.save(written, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    return written.getvalue()


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """Return one palette for all pictures: what does not change between two of them then takes no room."""
    sheet = Image.new("RGB", (pictures[0].width, pictures[0].height * len(pictures)))
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (0, number * picture.height))
    return sheet.quantize(_COLORS)


def main() -> None:
    """Make the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=PLACE, metavar="DIRECTORY")
    place = parser.parse_args().into
    with TemporaryDirectory(prefix="mcp-inspect-tour-") as home:
        os.environ.update({"MCP_INSPECT_HOME": home, "TERM": "xterm-256color", "TZ": "UTC"})
        os.environ.pop("NO_COLOR", None)
        os.chdir(ROOT)
        made = animated(asyncio.run(frames(Path(home))))
    (place / NAME).write_bytes(made)
    print(f"{place / NAME}: {len(made):,} bytes")


if __name__ == "__main__":
    main()
