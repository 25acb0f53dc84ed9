"""The view of a payload: folding, search and the path of a line."""

import gc
import json
import threading
import weakref

import pytest
from textual.containers import Container

from inspector.present.json_text import JsonLines
from inspector.tui.widgets.json_tree import view as json_find
from inspector.tui.widgets.json_tree.model import JsonRows
from inspector.tui.widgets.json_tree.view import JsonView
from tests.tui.screen_text import press, text
from tests.tui.widgets.showing import Showing
from tests.waiting import PATIENCE_S, until

RAW = json.dumps({"a": ["needle", {"x": "Needle"}], "needle": 1, "z": "hay"}).encode()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_search_marks_counts_and_moves(size: tuple[int, int]) -> None:
    async with (app := Showing(view := JsonView(RAW))).run_test(size=size) as pilot:
        await press(pilot, "/", *"needle", shows="✓ 3")
        assert view.path == "a[0]"
        assert app.style_of("needle").reverse
        await pilot.press("enter", "n")
        assert view.path == "a[1].x"
        await pilot.press("n", "n")
        assert view.path == "a[0]"
        await pilot.press("N")
        assert view.path == "needle"


async def test_search_continues_from_its_start() -> None:
    async with Showing(view := JsonView(RAW)).run_test(size=(80, 24)) as pilot:
        view.go_to_line(6)
        await pilot.press("/", "n")
        await until(lambda: view.path == "needle", "the first letter leads on")
        await pilot.press("backspace", "h")
        await until(lambda: view.path == "z", "another letter leads from the same place")


async def test_escape_ends_it_and_marks_nothing_any_more() -> None:
    async with (app := Showing(view := JsonView(RAW))).run_test(size=(80, 24)) as pilot:
        await pilot.press("/", *"hay", "enter")
        assert app.focused is view
        assert "find hay" in text(app)
        await pilot.press("escape")
        assert "find" not in text(app)
        assert view.rows.needle == ""
        assert app.focused is view
        await pilot.press("escape")  # nothing is found any more: Escape is others' again
        await pilot.press("/", "escape")
        assert app.focused is view


async def test_search_unfolds_matches() -> None:
    async with (app := Showing(view := JsonView(RAW))).run_test(size=(80, 24)) as pilot:
        await pilot.press("v a")
        assert '"x"' not in text(app)
        await pilot.press("/", *"Needle")
        await until(lambda: view.path == "a[1].x", "it is unfolded")
        assert '"x": "Needle"' in text(app)


async def test_search_without_matches_has_a_zero() -> None:
    async with (app := Showing(JsonView(RAW))).run_test(size=(80, 24)) as pilot:
        await pilot.press("/", *"straw")
        await until(lambda: "▲ 0" in text(app) or "! 0" in text(app), "it is said")


async def test_a_large_payload_is_searched_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_find, "_AT_ONCE", 10)
    async with Showing(view := JsonView(RAW)).run_test(size=(80, 24)) as pilot:
        await press(pilot, "/", *"needle", shows="✓ 3")
        assert view.path == "a[0]"
        await pilot.press("enter", "n")
        await until(lambda: view.path == "a[1].x", "the next one is found")
        await pilot.press("N")
        await until(lambda: view.path == "a[0]", "the one before is found")


async def test_slow_search_is_stopped_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_find, "_AT_ONCE", 10)
    monkeypatch.setattr(json_find, "MOST_S", 0.0)
    async with Showing(view := JsonView(RAW)).run_test(size=(80, 24)) as pilot:
        await press(pilot, "/", *"needle", shows="stopped after")
        assert view.path == ""


JSON_ROWS_VIEW_RAW = json.dumps(
    {"rows": [{"n": 1, "t": [1]}, {"n": 2, "t": [2]}], "more": {"deep": {"er": 1}}, "end": 0}
).encode()


@pytest.fixture(params=[1_000_000, 10], ids=["at once", "on a thread"])
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_find, "AT_ONCE", request.param)


@pytest.mark.usefixtures("limit")
async def test_all_is_folded_and_unfolded() -> None:
    async with (app := Showing(view := JsonView(JSON_ROWS_VIEW_RAW))).run_test(size=(80, 30)) as pilot:
        await until(lambda: view.is_ready, "the payload is read")
        await pilot.press("v a")
        await until(lambda: view.view.count == 5, "all is folded")
        assert app.rows()[1:4] == [
            '  ▸   "rows": [ 2 items, 12 lines ],',
            '  ▸   "more": { 1 member, 3 lines },',
            '      "end": 0',
        ]
        await pilot.press("v a")
        await until(lambda: view.view.count == view.lines.count, "all is unfolded")


@pytest.mark.usefixtures("limit")
async def test_sibling_fold_keeps_the_cursor() -> None:
    async with (app := Showing(view := JsonView(JSON_ROWS_VIEW_RAW))).run_test(size=(80, 30)) as pilot:
        await until(lambda: view.is_ready, "the payload is read")
        await press(pilot, "down", "down", "v u", shows="{ 2 members, 4 lines },")
        assert view.path == "rows[0]"
        assert '"deep": {' in text(app)
        assert text(app).count("2 members, 4 lines") == 2
        await pilot.press("v u")
        await until(lambda: view.view.count == view.lines.count, "both are unfolded")


@pytest.mark.usefixtures("limit")
async def test_a_level_is_folded_wherever_it_is() -> None:
    async with (app := Showing(view := JsonView(JSON_ROWS_VIEW_RAW))).run_test(size=(80, 30)) as pilot:
        await until(lambda: view.is_ready, "the payload is read")
        await press(pilot, "down", "down", "v n", shows='"deep": { 1 member }')
        assert text(app).count("2 members, 4 lines") == 2


async def test_folding_what_the_cursor_is_in_takes_the_cursor_along() -> None:
    async with Showing(view := JsonView(JSON_ROWS_VIEW_RAW)).run_test(size=(80, 30)) as pilot:
        view.go_to_line(3)
        await pilot.press("v a")
        assert view.path == "rows"


async def test_long_payload_folds_big_values() -> None:
    raw = json.dumps({"result": {"rows": [{"n": n} for n in range(3000)], "n": 1}}).encode()
    async with (app := Showing(view := JsonView(raw))).run_test(size=(80, 24)) as pilot:
        assert '"rows": [ 3,000 items, 9,000 lines ]' in text(app)
        await pilot.press("down", "down", "right")
        assert view.view.count == view.lines.count


async def test_invalid_json_number_has_a_note() -> None:
    async with (app := Showing(JsonView(b'{"a": NaN}'))).run_test(size=(80, 24)):
        assert "JSON with NaN, which is not JSON." in app.rows()[0]
        assert '    "a": NaN' in text(app)


SAMPLE = json.dumps({"a": {"b": [1, 2], "c": "three"}, "text": "lorem ipsum " * 30, "z": 0}).encode()


class Listening(Showing):
    def on_json_view_selected(self, message: JsonView.Selected) -> None:
        self.posted.append(message)

    def on_json_view_ready(self, message: JsonView.Ready) -> None:
        self.posted.append(message)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_payload_is_shown_in_lines(size: tuple[int, int]) -> None:
    async with (app := Listening(JsonView(SAMPLE))).run_test(size=size):
        rows = app.rows()
        assert rows[:4] == ["▌ ▾ {", '  ▾   "a": {', '  ▾     "b": [', "          1,"]
        assert rows[8].startswith('  ▸   "text": "lorem ipsum')
        assert rows[8].endswith("…")
        assert app.style_of('"a"') != app.style_of('"three"')


async def test_keys_fold_and_unfold() -> None:
    async with (app := Listening(widget := JsonView(SAMPLE))).run_test(size=(80, 24)) as pilot:
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
        await pilot.press("space", "g g", "space")
        assert app.marked() == ["▸ { 3 members, 9 lines }"]
        assert app.rows()[1] == ""


async def test_a_long_line_is_opened_and_closed_by_the_same_key() -> None:
    async with (app := Listening(widget := JsonView(SAMPLE))).run_test(size=(80, 24)) as pilot:
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


def _searched(widget: JsonView, needle: str) -> int:
    widget.finder.find_from_start(needle)
    return widget.lines.matches(needle)


async def test_a_search_marks_and_goes_to_what_it_finds() -> None:
    widget = JsonView(b'{"a": ["needle", {"x": "needle"}], "needle": 1}')
    async with (app := Listening(widget)).run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "enter")
        assert _searched(widget, "needle") == 3
        await pilot.pause()
        assert widget.path == "a[0]"
        assert app.style_of("needle").reverse
        places = []
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            places.append(widget.path)
        assert places == ["a[1].x", "needle", "a[0]", "needle"]
        assert _searched(widget, "absent") == 0
        assert _searched(widget, "") == 0
        await pilot.press("n")
        assert widget.path == "needle"


async def test_distant_match_is_shown_in_context() -> None:
    widget = JsonView(json.dumps([*range(100), "needle", *range(100)]).encode())
    async with (app := Listening(widget)).run_test(size=(80, 24)) as pilot:
        _searched(widget, "needle")
        await pilot.pause()
        rows = [row.strip(" ▌") for row in app.rows()]
        assert rows.index('"needle",') == 8
        assert widget.path == "[100]"


async def test_the_value_under_the_cursor_can_be_had() -> None:
    async with Listening(widget := JsonView(SAMPLE)).run_test() as pilot:
        await pilot.press("j", "j")
        assert json.loads(widget.value) == [1, 2]


async def test_cursor_move_is_posted() -> None:
    async with (app := Listening(JsonView(SAMPLE))).run_test() as pilot:
        app.posted.clear()
        await pilot.press("j")
        (message,) = app.posted
        assert isinstance(message, JsonView.Selected)
        assert message.control.path == "a"


async def test_a_click_on_the_sign_folds_and_on_the_line_chooses() -> None:
    async with (app := Listening(widget := JsonView(SAMPLE))).run_test(size=(80, 24)) as pilot:
        await pilot.click(widget, offset=(20, 3))
        assert widget.path == "a.b[0]"
        await pilot.click(widget, offset=(2, 1))
        assert app.marked() == ['▸   "a": { 2 members, 5 lines },']
        await pilot.click(widget, offset=(20, 1), times=2)
        assert app.marked() == ['▾   "a": {']


async def test_invalid_json_has_a_note() -> None:
    async with (app := Listening(JsonView(b"Listening on [/ \x1b]0;evil\x07 port 3000"))).run_test(size=(80, 24)):
        rows = app.rows()
        assert rows[0].startswith("  ▲ Invalid JSON")
        assert rows[1].endswith("Listening on [/ ␛]0;evil␇ port 3000")


async def test_without_a_payload_there_are_words() -> None:
    async with (app := Listening(widget := JsonView())).run_test(size=(80, 24)) as pilot:
        assert "Nothing to show" in "".join(app.rows())
        await pilot.press("enter", "left", "right", "n", "N", "j", "G")
        assert (widget.line, widget.path, widget.value) == (-1, "", b"")


async def test_big_payload_is_prepared_in_the_background() -> None:
    raw = json.dumps([{"name": f"item {number}"} for number in range(80_000)]).encode()
    async with (app := Listening(widget := JsonView())).run_test(size=(80, 24)) as pilot:
        app.posted.clear()
        widget.show(raw)
        assert widget.empty[0][0][0].startswith("⋯ reading 1.")
        await until(lambda: any(isinstance(m, JsonView.Ready) for m in app.posted), "the payload is ready")
        await pilot.press("G", "k")
        assert app.marked() == ["}"]
        assert widget.path == "[79999]"


async def test_keys_pressed_before_a_payload_is_prepared_move_in_it_and_not_in_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inspector.tui.widgets.json_tree.view.AT_ONCE", 10)
    may_go_on = threading.Event()

    def prepared(raw: bytes) -> JsonRows:
        may_go_on.wait(PATIENCE_S)
        return JsonRows(JsonLines(raw))

    monkeypatch.setattr("inspector.tui.widgets.json_tree.view._prepared", prepared)
    async with (app := Listening(widget := JsonView())).run_test(size=(80, 24)) as pilot:
        widget.show(b'["one", "two", "three"]')
        await pilot.press("G", "k")
        assert not widget.is_ready
        may_go_on.set()
        await until(lambda: widget.is_ready, "the payload is ready")
        await until(lambda: app.marked() == ['"three"'], "the keys have moved the cursor")
        may_go_on.clear()
        widget.show(b'["four", "five"]')
        await pilot.press("j", "j")
        widget.show(b"[6]")
        await pilot.press("j")
        may_go_on.set()
        await until(lambda: widget.is_ready and app.marked() == ["6"], "only the key for the last one has moved it")


async def test_a_payload_that_comes_too_late_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.tui.widgets.json_tree.view.AT_ONCE", 10)
    async with (app := Listening(widget := JsonView())).run_test(size=(80, 24)) as pilot:
        widget.show(b'["the first, slow one"]')
        widget.show(b"[2]")
        app.posted.clear()
        await until(lambda: any(isinstance(m, JsonView.Ready) for m in app.posted), "a payload is ready")
        await pilot.pause()
        assert sum(isinstance(m, JsonView.Ready) for m in app.posted) == 1
        assert [row.strip(" ▌▾") for row in app.rows()[:3]] == ["[", "2", "]"]


async def test_payloads_that_follow_fast_are_prepared_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.tui.widgets.json_tree.view.AT_ONCE", 10)
    go_on, at_work, most = threading.Event(), [0], [0]

    def prepared(raw: bytes) -> JsonRows:
        at_work[0] += 1
        most[0] = max(most[0], at_work[0])
        go_on.wait(10)
        at_work[0] -= 1
        return JsonRows(JsonLines(raw))

    monkeypatch.setattr("inspector.tui.widgets.json_tree.view._prepared", prepared)
    monkeypatch.setattr("inspector.tui.widgets.json_tree.view._PATIENCE_S", 10)
    async with (app := Listening(widget := JsonView())).run_test(size=(80, 24)) as pilot:
        for number in range(4):
            widget.show(b'["payload %d"]' % number)
            await until(lambda: at_work[0] > 0, "one is prepared")
            await pilot.pause()
        go_on.set()
        await until(lambda: any("payload 3" in row for row in app.rows()), "the last one is shown")
    assert most[0] == 1


async def test_one_line_of_a_megabyte_stays_responsive_to_look_at() -> None:
    raw = b'["' + "数".encode() * 300_000 + b'"]'
    assert len(raw) < 1_000_000
    async with (app := Listening(widget := JsonView(raw))).run_test(size=(80, 24)) as pilot:
        assert app.rows()[1].endswith("… 900 kB")
        await pilot.press("j", "enter")
        assert all(strip.cell_length == 80 for strip in app.screen._compositor.render_strips())
        assert len(widget.rows.lines.line(1)) < JsonLines(raw).size


@pytest.mark.parametrize("folded", [False, True])
async def test_a_heavy_payload_is_forgotten_while_hidden_and_shown_again_unless_it_was_folded(
    folded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_find, "_HEAVY", 10)
    async with (app := Showing(around := Container(view := JsonView(RAW)))).run_test(size=(80, 24)) as pilot:
        view.focus()
        if folded:
            await pilot.press("v a")
        shown = text(app)
        around.display = False
        await until(lambda: folded or not view.lines.count, "its lines are forgotten, if they are as at first")
        await until(lambda: app.focused is None, "it has lost the focus with its place on the screen")
        around.display = True
        await pilot.pause()
        view.focus()
        await until(lambda: text(app) == shown, "all is there again")
        assert view.lines.count


def test_lines_of_a_payload_are_freed_with_their_last_reference() -> None:
    lines = JsonLines(RAW)
    assert lines.places.steps(1)
    gone = weakref.ref(lines)
    gc.disable()
    del lines
    gc.enable()
    assert gone() is None
