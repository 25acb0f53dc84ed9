"""A picture in the terminal."""

import io
import re
import struct
import threading
import zlib

import pytest
from PIL import Image
from textual_image.widget import sixel
from textual_image.widget.sixel import _ImageSixelImpl

from inspector.demo import tools_content
from inspector.tui.widgets import picture
from inspector.tui.widgets.picture import MOST_PIXELS, PictureScreen
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # the library's own


async def shown(data: bytes, until_words: str) -> str:
    async with (app := Showing()).run_test(size=(60, 20)):
        app.push_screen(PictureScreen(data, "image · 64 × 40 [/]"))
        await until(lambda: until_words in text(app), f"{until_words!r} is on the screen")
        return text(app)


async def test_a_picture_is_drawn_below_its_title() -> None:
    drawn = await shown(tools_content.tide_picture(12), "▀▀▀▀")
    assert "image · 64 × 40 [/]" in drawn


@pytest.mark.parametrize("data", [b"", b"nothing at all", tools_content.tide_picture(12)[:60]])
async def test_invalid_picture_is_reported(data: bytes) -> None:
    await shown(data, "Invalid image")


def _with_a_broken_profile(picture: bytes) -> bytes:
    """The same picture, with a colour profile whose checksum is wrong."""
    profile = b"iCCP" + b"x\0\0" + zlib.compress(b"none")
    chunk = struct.pack(">I", len(profile) - 4) + profile + struct.pack(">I", zlib.crc32(profile) ^ 1)
    return picture[:33] + chunk + picture[33:]


async def test_a_picture_with_a_broken_part_that_is_not_its_own_is_drawn() -> None:
    await shown(_with_a_broken_profile(tools_content.tide_picture(12)), "▀▀▀▀")


@pytest.mark.parametrize("data", [b"", b"nothing at all"])
async def test_no_name_of_an_object_of_ours_is_shown(data: bytes) -> None:
    assert "object at" not in await shown(data, "Invalid image")


async def test_a_picture_that_would_swell_is_refused_by_its_header() -> None:
    side = int(MOST_PIXELS**0.5) + 1
    head = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    await shown(data, "Too large: 40,005,625 pixels")


async def test_a_picture_that_is_decoded_after_its_screen_was_taken_down_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def decoded(_: bytes) -> None:
        begun.set()
        may_end.wait()
        raise OSError("cut off")

    monkeypatch.setattr(picture, "_decoded", decoded)
    async with (app := Showing()).run_test(size=(60, 20)):
        await app.push_screen(PictureScreen(b"", "image"))
        try:
            await until(begun.is_set, "it is being decoded")
            work = list(app.workers)
            await app.screen.query("*").remove()
        finally:
            may_end.set()
        await app.workers.wait_for_complete(work)


async def test_escape_goes_back() -> None:
    async with (app := Showing()).run_test(size=(60, 20)) as pilot:
        app.push_screen(PictureScreen(tools_content.tide_picture(4), "image"))
        await until(lambda: "▀▀" in text(app), "it is drawn")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, PictureScreen), "it is gone")


async def test_sixel_image_selects_the_colors_it_defines_and_leaves_the_cursor_in_its_last_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_ImageSixelImpl, "_get_sixel_segments", _ImageSixelImpl._get_sixel_segments)
    picture._fix_sixels()
    monkeypatch.setattr(picture, "_widget_for", lambda *_, **__: sixel.Image)
    flag, out = Image.new("RGB", (12, 12), (255, 0, 0)), io.BytesIO()
    flag.paste((0, 0, 255), (0, 6, 12, 12))
    flag.save(out, "PNG")
    async with (app := Showing()).run_test(size=(60, 20)):
        app.push_screen(PictureScreen(out.getvalue(), "flag"))
        await until(lambda: any(image.size for image in app.screen.query(_ImageSixelImpl)), "it is drawn")
        image = app.screen.query_one(_ImageSixelImpl)
        (_, sixels, move) = [segment.text for line in image.render_lines(image.size.region) for segment in line]
        found = re.findall(r"#(\d+);2;([\d;]+)(#\d+)?", sixels)
        assert {"100;0;0", "0;0;100"} <= {color.replace("99", "100") for _, color, _ in found}  # 0.8.0 rounds down
        assert all(selected == f"#{number}" for number, _, selected in found)
        assert move == f"\x1b[{image.region.bottom};{image.region.right + 1}H"
