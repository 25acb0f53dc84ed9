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
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


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
        await pilot.pause()
        assert isinstance(app.screen, DecodedScreen)
        assert "decoded $.text" in text(app)
        assert '"inner": "[1, {' in text(app)
        await pilot.press("down", "d")
        await pilot.pause()
        assert "decoded $.inner" in text(app)
        assert '"deep": "yes"' in text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert '"inner": "[1, {' in text(app)
        await pilot.press("escape")
        assert app.screen.id == "_default"
        assert app.focused is view


async def test_decoded_value_is_searched_and_folded() -> None:
    app = Decoding(view_of([json.dumps({"rows": [{"needle": 1}], "end": 2})]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "d")
        await pilot.pause()
        await pilot.press("/", *"needle", "enter")
        await pilot.pause()
        assert "find needle" in text(app)
        assert "$.rows[0].needle" in text(app)


async def test_decoded_token_is_marked_unverified() -> None:
    segments = [base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"none"}', b'{"exp":1}', b"x")]
    async with (app := Decoding(view_of([".".join(segments)]))).run_test(size=(100, 24)) as pilot:
        await pilot.press("down", "d")
        await pilot.pause()
        assert "not verified" in text(app)
        assert "exp 1970-01-01 00:00:01 UTC, expired" in text(app)


async def test_several_readings_are_gone_through() -> None:
    async with (app := Decoding(view_of(["data:,a%20b"]))).run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "d")
        await pilot.pause()
        assert "1 data URI" in text(app)
        assert "2 URL-encoded" in text(app)
        assert "a b" in text(app)
        await pilot.press("right_square_bracket")
        await pilot.pause()
        assert "data:,a b" in text(app)
        await pilot.press("left_square_bracket")
        await pilot.pause()
        assert "data:,a b" not in text(app)


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # the library's own
async def test_a_picture_is_shown_as_bytes_and_by_a_key_as_a_picture() -> None:
    async with (app := Decoding(view_of([base64.b64encode(PNG).decode()]))).run_test(size=(100, 24)) as pilot:
        await pilot.press("down", "d")
        await pilot.pause()
        assert "89 50 4e 47" in text(app)
        assert "looks like image/png" in text(app)
        await pilot.press("v i")
        await pilot.pause()
        assert isinstance(app.screen, PictureScreen)
        await app.workers.wait_for_complete()


async def test_plain_text_opens_no_decoded_screen() -> None:
    async with (app := Decoding(view_of(["plain words"]))).run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("down", "d")
        await pilot.pause()
        assert not isinstance(app.screen, DecodedScreen)
        assert "URI, JWT or timestamp" in text(app)


async def test_a_large_value_is_decoded_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoded, "_AT_ONCE", 10)
    async with (app := Decoding(view_of([json.dumps(["later"])]))).run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "d")
        await until(lambda: '"later"' in text(app), "it is decoded")


async def test_oversized_value_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.present.decodings.LARGEST", 10)
    async with (app := Decoding(view_of(["x" * 50]))).run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("down", "d")
        await pilot.pause()
        assert "exceed the limit" in text(app)


async def test_the_layers_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoded, "_DEEPEST", 2)
    app = Decoding(view_of(json.dumps(json.dumps(json.dumps([1])))))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        for _ in range(4):
            await pilot.press("d")
            await pilot.pause()
        assert "At most 2 layers are decoded" in text(app)
        assert len(app.screen_stack) == 3
