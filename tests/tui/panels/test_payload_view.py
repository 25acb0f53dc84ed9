"""One payload under its name, in the form that was asked for."""

from inspector.tui.panels.payload_view import BYTES, RAW, TREE, PayloadView
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


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
