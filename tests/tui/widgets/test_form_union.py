"""One of several kinds."""

from inspector.tui.widgets.form_union import UnionBody
from inspector.tui.widgets.segments import Segments
from tests.tui.widgets.filling import TEXT, Filling, props

PLACE = props(
    to={
        "oneOf": [
            {**props("harbour", harbour=TEXT), "title": "A harbour"},
            {**props("lat", lat={"type": "number"}), "title": "A position"},
            {"type": "string", "title": "Words"},
        ]
    }
)


async def test_a_branch_is_picked_and_its_fields_are_drawn() -> None:
    app = Filling(PLACE)
    async with app.run_test(size=(90, 24)) as pilot:
        app.query_one("UnionBody > Segments", Segments).focus()
        await pilot.press("right")
        assert "harbour *" in app.screen_text
        app.editor("to", "harbour").focus()
        await pilot.press(*"Bay")
        assert app.form.arguments == {"to": {"harbour": "Bay"}}


async def test_what_was_typed_in_one_branch_comes_back_with_it() -> None:
    app = Filling(PLACE, {"to": {"harbour": "Bay"}})
    async with app.run_test(size=(90, 24)) as pilot:
        app.query_one("UnionBody > Segments", Segments).focus()
        await pilot.press("right")
        assert "lat *" in app.screen_text
        assert app.form.arguments == {"to": {}}
        await pilot.press("left")
        assert app.form.arguments == {"to": {"harbour": "Bay"}}


async def test_the_branch_of_a_value_is_found() -> None:
    app = Filling(PLACE, {"to": "north"})
    async with app.run_test(size=(90, 24)):
        assert app.query_one("UnionBody > Segments", Segments).chosen == (3,)


async def test_unset_is_a_branch_too() -> None:
    app = Filling(PLACE, {"to": "north"})
    async with app.run_test(size=(90, 24)) as pilot:
        app.query_one("UnionBody > Segments", Segments).focus()
        await pilot.press("u")
        assert app.form.arguments == {}
        assert len(app.query(UnionBody)) == 1


async def test_a_value_of_no_branch_is_edited_as_json() -> None:
    app = Filling(PLACE, {"to": 7})
    async with app.run_test(size=(90, 24)) as pilot:
        assert "of none of these kinds" in app.screen_text
        app.editor("to", kind="BlockEdit").focus()
        await pilot.press("end", "7")
        assert app.form.arguments == {"to": 77}
