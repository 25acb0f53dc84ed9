"""The pictures of the README: `python -m tests.screens.pictures` renders `screenshots/` from the captures.

`--into DIRECTORY` writes every scene elsewhere, or those that are named, as SVG and as PNG, to look at.
"""

import argparse
import asyncio
from pathlib import Path

from tests.architecture.sources import ROOT
from tests.screens.scenes import SCENES
from tests.screens.staging import Scene, dressed, pose, posed

PLACE = ROOT / "screenshots"
SHOWN = (
    *("traffic", "tools", "tools-picture", "question", "inbox", "server", "post-mortem"),
    *("traffic-small", "tools-light", "traffic-alone", "waterfall", "findings"),
    *("start", "statistics", "saved-calls", "restarted", "side-by-side"),
)
"""The scenes that have a picture, by name."""


async def drawn(scene: Scene) -> str:
    """The picture of a scene, as SVG."""
    async with (app := posed(scene)).run_test(size=scene.size) as pilot:
        await pose(pilot, scene)
        svg = app.export_screenshot(simplify=True)
    await app.conversation.end()
    return svg


def write(scenes: list[Scene], place: Path, *, as_png: bool) -> None:
    """Write the pictures of scenes into a directory, as SVG, and with `as_png` as PNG too."""
    place.mkdir(exist_ok=True)
    for scene in scenes:
        with dressed(scene):
            svg = asyncio.run(drawn(scene))
        (place / f"{scene.name}.svg").write_text(svg)
        if as_png:
            (place / f"{scene.name}.png").write_bytes(pixels(svg))


def pixels(svg: str) -> bytes:
    """The same picture in pixels. Needs resvg, which comes with the extra `dev`."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, monospace_family="DejaVu Sans Mono"))


def main() -> None:
    """Make the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, metavar="DIRECTORY")
    parser.add_argument("names", nargs="*", metavar="SCENE")
    arguments = parser.parse_args()
    names = arguments.names or [scene.name for scene in SCENES if arguments.into or scene.name in SHOWN]
    chosen = [scene for scene in SCENES if scene.name in names]
    write(chosen, arguments.into or PLACE, as_png=arguments.into is not None)


if __name__ == "__main__":
    main()
