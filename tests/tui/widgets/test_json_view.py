"""A payload that is walked through."""

import json

import pytest

from inspector.tui.widgets.json_view import JsonView
from inspector.viewmodels.json_lines import JsonLines
from tests.tui.widgets.showing import Showing
from tests.waiting import until

SAMPLE = json.dumps({"a": {"b": [1, 2], "c": "three"}, "text": "lorem ipsum " * 30, "z": 0}).encode()


class Listening(Showing):
    def on_json_view_selected(self, message: JsonView.Selected) -> None:
        self.posted.append(message)

    def on_json_view_ready(self, message: JsonView.Ready) -> None:
        self.posted.append(message)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_payload_is_shown_in_lines(size: tuple[int, int]) -> None:
    app = Listening(JsonView(SAMPLE))
    async with app.run_test(size=size):
        rows = app.rows()
        assert rows[:4] == ["▌ ▾ {", '  ▾   "a": {', '  ▾     "b": [', "          1,"]
        assert rows[8].startswith('  ▸   "text": "lorem ipsum')
        assert rows[8].endswith("…")
        assert app.style_of('"a"') != app.style_of('"three"')


async def test_keys_fold_and_unfold() -> None:
    widget = JsonView(SAMPLE)
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "enter")
        assert app.marked() == ['▸   "a": { 2 members, 5 lines },']
        await pilot.press("right")
        assert app.marked() == ['▾   "a": {']
        await pilot.press("right", "right")
        assert widget.path == "a.b[0]"
        await pilot.press("left")
        assert widget.path == "a.b"
        await pilot.press("left")
        assert app.marked() == ['▸     "b": [ 2 items ],']
        await pilot.press("left")
        assert widget.path == "a"
        await pilot.press("space", "g", "space")
        assert app.marked() == ["▸ { 3 members, 9 lines }"]
        assert app.rows()[1] == ""


async def test_a_long_line_is_opened_and_closed_by_the_same_key() -> None:
    widget = JsonView(SAMPLE)
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        widget.go_to(8)
        await pilot.press("enter")
        assert app.rows()[8].startswith('▌ ▾   "text": "lorem')
        assert app.rows()[10].startswith("        ")
        await pilot.press("down", "left")
        assert app.marked()[0].endswith("…")
        await pilot.press("enter")
        await pilot.resize_terminal(60, 24)
        await pilot.pause()
        assert app.marked()[0].endswith("…")


async def test_a_search_marks_and_goes_to_what_it_finds() -> None:
    widget = JsonView(b'{"a": ["needle", {"x": "needle"}], "needle": 1}')
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "enter")
        assert widget.search("needle") == 3
        await pilot.pause()
        assert widget.path == "a[0]"
        assert app.style_of("needle").reverse
        places = []
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            places.append(widget.path)
        assert places == ["a[1].x", "needle", "a[0]", "needle"]
        assert widget.search("absent") == 0
        assert widget.search("") == 0
        await pilot.press("n")
        assert widget.path == "needle"


async def test_what_is_found_far_away_is_shown_with_what_stands_around_it() -> None:
    widget = JsonView(json.dumps([*range(100), "needle", *range(100)]).encode())
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        widget.search("needle")
        await pilot.pause()
        rows = [row.strip(" ▌") for row in app.rows()]
        assert rows.index('"needle",') == 8
        assert widget.path == "[100]"


async def test_the_value_under_the_cursor_can_be_had() -> None:
    widget = JsonView(SAMPLE)
    async with Listening(widget).run_test() as pilot:
        await pilot.press("j", "j")
        assert json.loads(widget.value) == [1, 2]


async def test_moving_is_told() -> None:
    widget = JsonView(SAMPLE)
    app = Listening(widget)
    async with app.run_test() as pilot:
        app.posted.clear()
        await pilot.press("j")
        await pilot.pause()
        (message,) = app.posted
        assert isinstance(message, JsonView.Selected)
        assert message.control.path == "a"


async def test_a_click_on_the_sign_folds_and_on_the_line_chooses() -> None:
    widget = JsonView(SAMPLE)
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(widget, offset=(20, 3))
        assert widget.path == "a.b[0]"
        await pilot.click(widget, offset=(2, 1))
        assert app.marked() == ['▸   "a": { 2 members, 5 lines },']
        await pilot.click(widget, offset=(20, 1), times=2)
        assert app.marked() == ['▾   "a": {']


async def test_what_is_no_json_says_so_above() -> None:
    app = Listening(JsonView(b"Listening on [/ \x1b]0;evil\x07 port 3000"))
    async with app.run_test(size=(80, 24)):
        rows = app.rows()
        assert rows[0].startswith("  ▲ It is no JSON")
        assert rows[1].endswith("Listening on [/ ␛]0;evil␇ port 3000")


async def test_without_a_payload_there_are_words() -> None:
    widget = JsonView()
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "Nothing to show" in "".join(app.rows())
        await pilot.press("enter", "left", "right", "n", "N", "j", "G")
        assert (widget.line, widget.path, widget.value) == (-1, "", b"")


async def test_a_big_payload_is_prepared_aside_and_the_view_says_so() -> None:
    raw = json.dumps([{"name": f"item {number}"} for number in range(80_000)]).encode()
    widget = JsonView()
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        app.posted.clear()
        widget.show(raw)
        assert widget.empty[0][0][0].startswith("⋯ reading 1.")
        await until(lambda: any(isinstance(m, JsonView.Ready) for m in app.posted), "the payload is ready")
        await pilot.press("G", "k")
        assert app.marked() == ["}"]
        assert widget.path == "[79999]"


async def test_a_payload_that_comes_too_late_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.tui.widgets.json_view.AT_ONCE", 10)
    widget = JsonView()
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        widget.show(b'["the first, slow one"]')
        widget.show(b"[2]")
        app.posted.clear()
        await until(lambda: any(isinstance(m, JsonView.Ready) for m in app.posted), "a payload is ready")
        await pilot.pause()
        assert sum(isinstance(m, JsonView.Ready) for m in app.posted) == 1
        assert [row.strip(" ▌▾") for row in app.rows()[:3]] == ["[", "2", "]"]


async def test_one_line_of_a_megabyte_stays_responsive_to_look_at() -> None:
    raw = b'["' + "数".encode() * 300_000 + b'"]'
    assert len(raw) < 1_000_000
    widget = JsonView(raw)
    app = Listening(widget)
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.rows()[1].endswith("… 900 kB")
        await pilot.press("j", "enter")
        assert all(strip.cell_length == 80 for strip in app.screen._compositor.render_strips())
        assert len(widget._rows.lines.line(1)) < JsonLines(raw).size
