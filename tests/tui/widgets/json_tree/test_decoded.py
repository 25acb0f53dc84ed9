"""A value as what it may stand for, on a screen of its own."""

import base64
import json
import struct
import zlib

import pytest

from inspector.tui.widgets.json_tree import decoded
from inspector.tui.widgets.json_tree.decoded import DecodedScreen
from inspector.tui.widgets.json_tree.view import JsonView
from inspector.tui.widgets.picture import PictureScreen
from tests.tui.screen_text import press, shows, text
from tests.tui.widgets.showing import Showing


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(bytes(7)))
    + chunk(b"IEND", b"")
)


class Decoding(Showing):
    def on_json_view_decode_wanted(self, message: JsonView.DecodeWanted) -> None:
        decoded.decode(self, message.value, message.where)


def view_of(value: object) -> JsonView:
    return JsonView(json.dumps(value).encode())


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_json_in_strings_is_unwrapped_layer_by_layer_and_left_again(size: tuple[int, int]) -> None:
    view = view_of({"text": json.dumps({"inner": json.dumps([1, {"deep": "yes"}])})})
    async with (app := Decoding(view)).run_test(size=size) as pilot:
        await pilot.press("down", "d")
        assert isinstance(app.screen, DecodedScreen)
        await shows(app, "decoded $.text", '"inner": "[1, {')
        await press(pilot, "down", "d", shows=("decoded $.inner", '"deep": "yes"'))
        await press(pilot, "escape", shows='"inner": "[1, {')
        await pilot.press("escape")
        assert app.screen.id == "_default"
        assert app.focused is view


async def test_decoded_value_is_searched_and_folded() -> None:
    app = Decoding(view_of([json.dumps({"rows": [{"needle": 1}], "end": 2})]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "d")
        await press(pilot, "/", *"needle", "enter", shows=("find needle", "$.rows[0].needle"))


async def test_decoded_token_is_marked_unverified() -> None:
    segments = [base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"none"}', b'{"exp":1}', b"x")]
    async with Decoding(view_of([".".join(segments)])).run_test(size=(100, 24)) as pilot:
        await press(pilot, "down", "d", shows=("not verified", "exp 1970-01-01 00:00:01 UTC, expired"))


async def test_several_readings_are_gone_through() -> None:
    async with (app := Decoding(view_of(["data:,a%20b"]))).run_test(size=(80, 24)) as pilot:
        await press(pilot, "down", "d", shows=("1 data URI", "2 URL-encoded", "a b"))
        await press(pilot, "right_square_bracket", shows="data:,a b")
        await pilot.press("left_square_bracket")
        assert "data:,a b" not in text(app)


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # the library's own
async def test_a_picture_is_shown_as_bytes_and_by_a_key_as_a_picture() -> None:
    async with (app := Decoding(view_of([base64.b64encode(PNG).decode()]))).run_test(size=(100, 24)) as pilot:
        await press(pilot, "down", "d", shows=("89 50 4e 47", "looks like image/png"))
        await pilot.press("v i")
        assert isinstance(app.screen, PictureScreen)
        await app.workers.wait_for_complete()


async def test_plain_text_opens_no_decoded_screen() -> None:
    async with (app := Decoding(view_of(["plain words"]))).run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("down", "d")
        assert not isinstance(app.screen, DecodedScreen)
        assert "URI, JWT or timestamp" in text(app)


async def test_a_large_value_is_decoded_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoded, "_AT_ONCE", 10)
    async with Decoding(view_of([json.dumps(["later"])])).run_test(size=(80, 24)) as pilot:
        await press(pilot, "down", "d", shows='"later"')


async def test_oversized_value_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.present.decodings.LARGEST", 10)
    async with Decoding(view_of(["x" * 50])).run_test(size=(80, 24), notifications=True) as pilot:
        await press(pilot, "down", "d", shows="exceed the limit")


async def test_the_layers_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoded, "_DEEPEST", 2)
    app = Decoding(view_of(json.dumps(json.dumps(json.dumps([1])))))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        for _ in range(4):
            await pilot.press("d")
        assert "At most 2 layers are decoded" in text(app)
        assert len(app.screen_stack) == 3
