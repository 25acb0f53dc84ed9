"""A user examines the payloads of a real server: finds, decodes, views bytes and copies."""

from pathlib import Path

import pytest

from inspector.tui.widgets.json_tree.decoded import DecodedScreen
from inspector.tui.widgets.picture import PictureScreen
from tests.stories.persons import Person, at_the_screen
from tests.stories.real_targets import named, running

pytestmark = [
    pytest.mark.real,
    pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning"),  # the picture library's own
]
WIDE = (160, 45)


async def call(person: Person, tool: str, *keys: str) -> None:
    await person.press("2", "slash")
    await person.types(tool, "enter", shows=f"▌ {tool}")
    await person.press("enter", *keys, "ctrl+j", shows="✓ OK")
    await person.press("escape", "escape", "escape", "1", "G")


def screen(person: Person) -> type[object]:
    return type(person.pilot.app.screen)


async def test_a_picture_in_a_result_is_decoded_from_the_traffic(tmp_path: Path) -> None:
    async with (
        running(named("everything-stdio"), tmp_path) as target,
        at_the_screen(target, tmp_path / "a.mcpcap", WIDE) as person,
    ):
        await person.sees("● Connected", "→ prompts/list")
        await call(person, "get-tiny-image")
        await person.sees("tools/call get-tiny-image", "Response  #")
        await person.press("enter", "tab", "/")
        await person.types("ivbor", "enter", shows=("$.result.content[1].data", "find ivbor"))
        await person.press("d", shows=("decoded $.result.content[1].data", "looks like image/png", "89 50 4e 47"))
        assert screen(person) is DecodedScreen
        await person.press("v", "i")
        assert screen(person) is PictureScreen
        await person.press("escape", "escape")
        await person.press("right_square_bracket", "right_square_bracket", shows=('data":"i', "VBORw0KG"))
        await person.press("left_square_bracket", "left_square_bracket", "Y")
        await person.sees("mcp-inspect call get-tiny-image", "$.result.content[1].data")
        await person.press("escape")
