"""The view of one payload in its forms."""

import json

import pytest

from inspector.tui.widgets import payload as payload_view
from inspector.tui.widgets.json_tree.view import JsonView
from inspector.tui.widgets.payload import BYTES, RAW, TREE, PayloadView
from tests.tui.screen_text import press, shows, text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_each_form_shows_the_same_payload() -> None:
    async with Showing(view := PayloadView()).run_test(size=(90, 12)) as pilot:
        for form, expected in ((TREE, '"a": 1'), (RAW, '{"a":1}'), (BYTES, "7b 22 61 22 3a 31 7d")):
            view.show([("request", "strong")], [("7 B", "muted")], b'{"a":1}', form)
            await pilot.pause()
            await pilot.pause()
            assert expected in text(pilot.app)
            assert "request" in text(pilot.app)


async def test_the_value_to_copy_is_that_under_the_cursor_of_the_tree_or_the_whole() -> None:
    async with Showing(view := PayloadView()).run_test(size=(90, 12)) as pilot:
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


async def test_payload_head_has_path_and_pointer() -> None:
    async with (app := Showing(view := PayloadView())).run_test(size=(90, 12)) as pilot:
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


async def test_a_place_that_is_found_only_once_its_view_is_gone_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload_view, "_AT_ONCE", 10)
    async with (app := Showing(view := PayloadView())).run_test(size=(70, 20)) as pilot:
        view.show([], [], LONG, TREE)
        await pilot.pause()
        tree = view.query_one(JsonView)
        await view.remove()
        view.on_json_view_selected(JsonView.Selected(tree))  # the last of its messages
        await until(lambda: all(each.is_finished for each in app.workers), "its place is found")


@pytest.mark.usefixtures("limit")
async def test_text_and_bytes_open_where_the_tree_is_with_the_value_marked() -> None:
    async with (app := Showing(view := PayloadView())).run_test(size=(70, 20)) as pilot:
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
    async with Showing(view := PayloadView()).run_test(size=(70, 20)) as pilot:
        view.show([], [], LONG, TREE)
        await pilot.pause()
        view.show([], [], view.payload, BYTES)
        await pilot.pause()
        view.focus_content()
        await pilot.press("G", "up")
        view.show([], [], view.payload, TREE)
        await until(lambda: view.path == "z[0]" or view.path == "z", "the tree is at these bytes")


async def test_non_json_payload_opens_at_its_beginning() -> None:
    async with (app := Showing(view := PayloadView())).run_test(size=(70, 20)) as pilot:
        view.show([], [], b"first\nsecond", TREE)
        await pilot.pause()
        view.focus_content()
        await pilot.press("down")
        view.show([], [], view.payload, BYTES)
        await pilot.pause()
        assert app.marked()[0].startswith("00000000")


async def test_raw_view_copies_the_whole() -> None:
    async with Showing(view := PayloadView()).run_test(size=(70, 20)) as pilot:
        view.show([], [], LONG, BYTES)
        await pilot.pause()
        assert view.whole == LONG
        assert [copy.name for copy in view.copies()] == ["raw message"]


SHORT = json.dumps({"a": {"b": [1, {"c": "here"}]}}).encode()
POINTING_LONG = json.dumps({"many": ["x" * 50] * 30_000, "a": {"b": [1, {"c": "here"}]}}).encode()


@pytest.mark.parametrize("payload", [SHORT, POINTING_LONG], ids=["short", "long"])
async def test_a_pointer_leads_to_its_value(payload: bytes) -> None:
    async with (app := Showing(view := PayloadView())).run_test(size=(80, 20)):
        view.show([("answer", "strong")], [], payload, TREE)
        view.point_at("/a/b/1/c", None)
        await until(lambda: "$.a.b[1].c" in text(app), "the cursor was there")


async def test_bytes_are_marked() -> None:
    async with (app := Showing(view := PayloadView())).run_test(size=(80, 20)):
        view.point_at("", (0, 1))  # nothing is shown yet: nothing happens
        view.show([("bytes", "strong")], [], b"x" * 400 + b"YY" + b"z" * 400, BYTES)
        view.point_at("", (400, 402))
        await shows(app, "59 59")
        assert app.style_of("59").reverse


async def test_long_lines_of_exact_text_go_on_below_or_to_the_right_whatever_payload_comes() -> None:
    async with (app := Showing(view := PayloadView())).run_test(size=(90, 12)) as pilot:
        view.show([], [], LONG, RAW)
        await pilot.pause()
        view.focus_content()
        await until(lambda: "↪" in text(app) and '"z": [1, 2, 3]' in text(app), "it goes on below")
        await press(pilot, "right", shows="↪")
        await pilot.press("w")
        await until(lambda: "↪" not in text(app) and "›" in text(app), "one line, and more to the right")
        for _ in range(30):
            await pilot.press("right")
        await until(lambda: '"z": [1, 2, 3]' in text(app) and "‹" in text(app), "its end")
        await press(pilot, "left", shows=("A" * 30, "›"))
        view.show([], [], b"[" + LONG + b"]", RAW)
        await until(lambda: '  [{"image"' in text(app) and "›" in text(app), "the next payload likewise")
        await press(pilot, "w", shows="↪")


async def test_only_exact_text_has_these_keys() -> None:
    async with Showing(view := PayloadView()).run_test(size=(90, 12)) as pilot:
        view.show([], [], LONG, TREE)
        await pilot.pause()
        assert [view.check_action(name, ()) for name in ("wrap", "sideways", "copy_as")] == [False, False, True]
        view.show([], [], LONG, RAW)
        assert [view.check_action(name, ()) for name in ("wrap", "sideways")] == [True, False]
