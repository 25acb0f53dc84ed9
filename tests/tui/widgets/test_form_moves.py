"""The focus on its way through a form."""

from inspector.tui.widgets.form_moves import only_heads, steps_of
from tests.tui.widgets.filling import TEXT, Filling, props


async def test_only_a_line_with_something_to_reach_below_it_is_passed_by() -> None:
    app = Filling(props(ship=props(name=TEXT), crew={"type": "array", "items": TEXT}), {"ship": {"name": "x"}})
    async with app.run_test(size=(80, 20)) as pilot:
        ship, crew = (app.node(name).query("FormBar").first() for name in ("ship", "crew"))
        assert only_heads(ship)
        assert not only_heads(crew)
        assert not only_heads(app.editor("ship", "name"))
        ship.focus()
        await pilot.press("enter")
        assert not only_heads(ship)


async def test_beyond_its_ends_the_focus_leaves_the_form() -> None:
    app = Filling(props(a=TEXT, b=TEXT))
    async with app.run_test(size=(80, 20)) as pilot:
        assert steps_of(app.editor("a")) is app.form
        assert steps_of(app.form) is None
        app.editor("b").focus()
        await pilot.press("down")
        assert app.focused is app.editor("a")  # there is nothing else on this screen
        await pilot.press("up")
        assert app.focused is app.editor("a")
        app.screen.set_focus(None)
        app.form.action_step(1)
        assert app.focused is None
