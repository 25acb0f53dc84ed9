"""One payload under its name, in the form that was asked for."""

import json

import pytest

from inspector.tui.panels import payload_view
from inspector.tui.panels.payload_view import BYTES, RAW, TREE, PayloadView
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_each_form_shows_the_same_payload() -> None:
    view = PayloadView()
    async with Showing(view).run_test(size=(90, 12)) as pilot:
        for form, expected in ((TREE, '"a": 1'), (RAW, '{"a":1}'), (BYTES, "7b 22 61 22 3a 31 7d")):
            view.show([("request", "strong")], [("7 B", "muted")], b'{"a":1}', form)
            await pilot.pause()
            await pilot.pause()
            assert expected in text(pilot.app)
            assert "request" in text(pilot.app)


async def test_the_value_to_copy_is_that_under_the_cursor_of_the_tree_or_the_whole() -> None:
    view = PayloadView()
    async with Showing(view).run_test(size=(90, 12)) as pilot:
        view.show([], [], b'{"a":{"b":1}}', TREE)
        await pilot.pause()
        view.focus_content()
        await pilot.press("down", "down")
        assert (view.path, view.value) == ("a.b", b"1")
        view.show([], [], b'{"a":{"b":1}}', RAW)
        await pilot.pause()
        assert (view.path, view.value) == ("", b'{"a":{"b":1}}')


LONG = json.dumps({"image": "A" * 700, "uri": "data:x", "z": [1, 2, 3]}).encode()


@pytest.fixture(params=[1_000_000, 10], ids=["at once", "on a thread"])
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload_view, "_AT_ONCE", request.param)


async def test_the_place_of_the_cursor_is_told_as_path_and_pointer() -> None:
    view = PayloadView()
    app = Showing(view)
    async with app.run_test(size=(90, 12)) as pilot:
        view.show([("answer", "strong")], [], b'{"a":{"b c":[1]}}', TREE)
        await pilot.pause()
        view.focus_content()
        await pilot.press("down", "down", "down")
        await until(lambda: '$.a["b c"][0]   /a/b c/0' in app.rows()[0], "the place is told")
        view.show([("answer", "strong")], [], view.payload, RAW)
        await pilot.pause()
        assert "$.a" not in app.rows()[0]


def value_is_marked(app: Showing) -> bool:
    return "data:x" in "".join(app.marked()) and bool(app.style_of("data:x").reverse)


@pytest.mark.usefixtures("limit")
async def test_text_and_bytes_open_where_the_tree_is_with_the_value_marked() -> None:
    view = PayloadView()
    app = Showing(view)
    async with app.run_test(size=(70, 20)) as pilot:
        view.show([], [], LONG, TREE)
        await pilot.pause()
        view.focus_content()
        await pilot.press("down", "down")
        for form in (RAW, BYTES):
            view.show([], [], view.payload, form)
            await until(lambda: value_is_marked(app), f"the value is marked in {form}")
        view.show([], [], view.payload, TREE)
        await pilot.pause()
        assert view.path == "uri"


@pytest.mark.usefixtures("limit")
async def test_back_in_the_tree_the_cursor_is_on_the_value_whose_bytes_were_looked_at() -> None:
    view = PayloadView()
    app = Showing(view)
    async with app.run_test(size=(70, 20)) as pilot:
        view.show([], [], LONG, TREE)
        await pilot.pause()
        view.show([], [], view.payload, BYTES)
        await pilot.pause()
        view.focus_content()
        await pilot.press("G", "up")
        await pilot.pause()
        view.show([], [], view.payload, TREE)
        await until(lambda: view.path == "z[0]" or view.path == "z", "the tree is at these bytes")


async def test_what_is_no_json_has_no_places_and_opens_at_its_beginning() -> None:
    view = PayloadView()
    app = Showing(view)
    async with app.run_test(size=(70, 20)) as pilot:
        view.show([], [], b"first\nsecond", TREE)
        await pilot.pause()
        view.focus_content()
        await pilot.press("down")
        view.show([], [], view.payload, BYTES)
        await pilot.pause()
        assert app.marked()[0].startswith("00000000")


async def test_in_text_and_bytes_the_whole_is_what_is_copied_and_paged() -> None:
    view = PayloadView()
    async with Showing(view).run_test(size=(70, 20)) as pilot:
        view.show([], [], LONG, BYTES)
        await pilot.pause()
        assert view.whole == LONG
        assert [copy.name for copy in view.copies()] == ["raw message"]
