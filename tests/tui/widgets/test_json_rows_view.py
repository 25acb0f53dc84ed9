"""Folding many values of a payload at once."""

import json

import pytest

from inspector.tui.widgets import json_rows_view
from inspector.tui.widgets.json_view import JsonView
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

RAW = json.dumps({"rows": [{"n": 1, "t": [1]}, {"n": 2, "t": [2]}], "more": {"deep": {"er": 1}}, "end": 0}).encode()


@pytest.fixture(params=[1_000_000, 10], ids=["at once", "on a thread"])
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_rows_view, "AT_ONCE", request.param)


@pytest.mark.usefixtures("limit")
async def test_all_is_folded_and_unfolded() -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("a")
        await until(lambda: view.view.count == 5, "all is folded")
        assert app.rows()[1:4] == [
            '  ▸   "rows": [ 2 items, 12 lines ],',
            '  ▸   "more": { 1 member, 3 lines },',
            '      "end": 0',
        ]
        await pilot.press("a")
        await until(lambda: view.view.count == view.lines.count, "all is unfolded")


@pytest.mark.usefixtures("limit")
async def test_what_is_beside_is_folded_and_the_cursor_stays() -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("down", "down", "f")
        await until(lambda: "{ 2 members, 4 lines }," in text(app), "both rows are folded")
        assert view.path == "rows[0]"
        assert '"deep": {' in text(app)
        assert text(app).count("2 members, 4 lines") == 2
        await pilot.press("f")
        await until(lambda: view.view.count == view.lines.count, "both are unfolded")


@pytest.mark.usefixtures("limit")
async def test_a_level_is_folded_wherever_it_is() -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("down", "down", "l")
        await until(lambda: '"deep": { 1 member }' in text(app), "the level is folded")
        assert text(app).count("2 members, 4 lines") == 2


async def test_folding_what_the_cursor_is_in_takes_the_cursor_along() -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 30)) as pilot:
        view.go_to_line(3)
        await pilot.press("a")
        assert view.path == "rows"


async def test_of_a_long_payload_the_big_values_come_folded() -> None:
    raw = json.dumps({"result": {"rows": [{"n": n} for n in range(3000)], "n": 1}}).encode()
    view = JsonView(raw)
    app = Showing(view)
    async with app.run_test(size=(80, 24)) as pilot:
        assert '"rows": [ 3,000 items, 9,000 lines ]' in text(app)
        await pilot.press("down", "down", "right")
        assert view.view.count == view.lines.count


async def test_what_json_forbids_is_said_above_the_tree() -> None:
    app = Showing(JsonView(b'{"a": NaN}'))
    async with app.run_test(size=(80, 24)):
        assert "JSON with NaN, which JSON does not know." in app.rows()[0]
        assert '    "a": NaN' in text(app)
