"""Finding in a payload, as a person does it."""

import json

import pytest

from inspector.tui.widgets import json_find
from inspector.tui.widgets.json_view import JsonView
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

RAW = json.dumps({"a": ["needle", {"x": "Needle"}], "needle": 1, "z": "hay"}).encode()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_what_is_typed_is_marked_counted_and_gone_to(size: tuple[int, int]) -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=size) as pilot:
        await pilot.press("*", *"needle")
        await until(lambda: "✓ 3" in text(app), "it is counted")
        assert view.path == "a[0]"
        assert app.style_of("needle").reverse
        await pilot.press("enter", "n")
        assert view.path == "a[1].x"
        await pilot.press("n", "n")
        assert view.path == "a[0]"
        await pilot.press("N")
        assert view.path == "needle"


async def test_it_is_found_from_where_the_search_began_letter_by_letter() -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 24)) as pilot:
        view.go_to_line(6)
        await pilot.press("*", "n")
        await until(lambda: view.path == "needle", "the first letter leads on")
        await pilot.press("backspace", "h")
        await until(lambda: view.path == "z", "another letter leads from the same place")


async def test_escape_ends_it_and_marks_nothing_any_more() -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("*", *"hay", "enter")
        await pilot.pause()
        assert app.focused is view
        assert "find hay" in text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "find" not in text(app)
        assert view.needle == ""
        assert app.focused is view
        await pilot.press("escape")  # nothing is found any more: Escape is others' again
        await pilot.press("*", "escape")
        await pilot.pause()
        assert app.focused is view


async def test_what_is_folded_away_is_found_and_shown() -> None:
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        assert '"x"' not in text(app)
        await pilot.press("*", *"Needle")
        await until(lambda: view.path == "a[1].x", "it is unfolded")
        assert '"x": "Needle"' in text(app)


async def test_nothing_found_says_so() -> None:
    app = Showing(JsonView(RAW))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("*", *"straw")
        await until(lambda: "▲ 0" in text(app) or "! 0" in text(app), "it is said")


async def test_a_large_payload_is_searched_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_find, "_AT_ONCE", 10)
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("*", *"needle")
        await until(lambda: "✓ 3" in text(app), "it is counted")
        assert view.path == "a[0]"
        await pilot.press("enter", "n")
        await until(lambda: view.path == "a[1].x", "the next one is found")
        await pilot.press("N")
        await until(lambda: view.path == "a[0]", "the one before is found")


async def test_a_search_that_takes_too_long_is_given_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_find, "_AT_ONCE", 10)
    monkeypatch.setattr(json_find, "MOST_S", 0.0)
    view = JsonView(RAW)
    app = Showing(view)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("*", *"needle")
        await until(lambda: "given up" in text(app), "it is said")
        assert view.path == ""
