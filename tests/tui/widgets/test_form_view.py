"""How a field looks for its value."""

from inspector.forms.fields import UNSET
from inspector.tui.widgets.form_view import FieldView
from tests.tui.widgets.filling import TEXT, Filling, props


async def test_every_kind_of_field_is_drawn_with_its_value() -> None:
    schema = props(
        "name",
        name=TEXT,
        age={"type": "integer", "minimum": 0},
        awake={"type": "boolean"},
        colour={"enum": ["red", "blue"]},
        tags={"type": "array", "items": {"enum": ["x", "y"]}},
        form={"const": "GR-12"},
        bare={"type": "null"},
        thing=True,
        big={"enum": [f"port {n}" for n in range(50)]},
    )
    app = Filling(schema, {"name": "Ann", "age": 7, "awake": True, "colour": "blue", "tags": ["y"], "thing": {"k": 1}})
    async with app.run_test(size=(90, 60)):
        shown = app.screen_text
    for word in ("name *", " Ann", " 7", "● true", "● blue", "✓ y", "○ GR-12", '"k": 1', "one of 50  unset", "choose"):
        assert word in shown, word


async def test_what_the_schema_says_is_foreign_text() -> None:
    hostile = {"type": "string", "title": "[bold]t[/]", "description": "\x1b[5mblinks [@click=app.quit]x[/]"}
    app = Filling(props(**{"\x1b]0;n\x07": hostile}))
    async with app.run_test(size=(90, 12)):
        assert "[bold]t[/]" in app.screen_text
        assert "␛[5mblinks [@click=app.quit]x[/]" in app.screen_text
        assert "␛]0;n␇" in app.screen_text
        assert all(widget.id is None for widget in app.query(FieldView))


async def test_a_long_description_is_shown_in_full_where_the_focus_is() -> None:
    app = Filling(props(a={"type": "string", "description": "word " * 40 + "the end"}, b=TEXT))
    async with app.run_test(size=(60, 24)) as pilot:
        app.editor("b").focus()
        await pilot.pause()
        assert "the end" not in app.screen_text
        app.editor("a").focus()
        await pilot.pause()
        assert "the end" in app.screen_text


async def test_unset_null_and_empty_look_different() -> None:
    either = {"type": ["string", "null"]}
    app = Filling(props(a=either, b=either, c=either), {"a": UNSET, "b": None, "c": ""})
    async with app.run_test(size=(60, 20)):
        rows = [row.strip(" ▌") for row in app.rows() if row.strip()]
    assert "unset" in rows
    assert any("null  write a value" in row for row in rows)
    assert 'empty text ""' in rows
