"""The most frequent shapes on the screen: a person types into the form, and the arguments are what was typed.

Values of one place share a form with others; objects and lists have one each, and are filled member by member with Tab.
"""

from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.forms.fields import ArrayField, ObjectField, UnionField, opened
from inspector.forms.interpret import interpret
from inspector.forms.read_schema import read_schema
from inspector.forms.typed import same
from inspector.forms.values import branch_of
from inspector.tui.widgets.schema_form.fields import FieldNode
from tests.schemas.page import field_of
from tests.schemas.shapes import Shape, shapes
from tests.schemas.values import accepted_values, as_tool, text_for
from tests.tui.widgets.filling import Filling

SIZE = (120, 50)
_TOGETHER = 20
_FURTHEST = 12
"""Maximum number of Tab keys between two places of one value."""


def value_to_type(shape: Shape) -> Any:
    """Return a value that typing gives without choosing a branch first."""
    values = accepted_values(shape.schema)
    field = field_of(shape.schema)
    direct = [each for each in values if not isinstance(each, dict | list) and each is not None]
    typed = [each for each in direct if same(interpret(field, text_for(each)).value, each)]
    return next(iter([*typed, *values]))


def is_place(value: Any) -> bool:
    """Return whether a value is typed into one place."""
    return not isinstance(value, dict | list)


def cases(most: int, *, places: bool) -> list[Any]:
    """Return the most frequent shapes of one place, or of several, in batches; all but the first one are slow."""
    found = [each for each in shapes() if is_place(value_to_type(each)) == places][:most]
    batches = [found[start : start + _TOGETHER] for start in range(0, len(found), _TOGETHER)]
    return [
        pytest.param(each, id=f"from_{at * _TOGETHER}", marks=[pytest.mark.slow] if at else [])
        for at, each in enumerate(batches)
    ]


async def press(pilot: Pilot[None], text: str) -> None:
    """Type a text; null is the key for it."""
    await pilot.press(*(_KEYS.get(each, each) for each in text))


_KEYS = {" ": "space", "\n": "enter"}


@pytest.mark.parametrize("batch", cases(40, places=True))
async def test_shape_of_one_place_takes_the_typed_value(batch: list[Shape]) -> None:
    values = {f"v{at}": value_to_type(shape) for at, shape in enumerate(batch)}
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    for name, shape in zip(values, batch, strict=True):
        tool = as_tool(shape.schema)
        properties[name] = tool["properties"]["value"]
        definitions |= tool.get("$defs", {})
    app = Filling({"type": "object", "properties": properties, "$defs": definitions})
    async with app.run_test(size=SIZE) as pilot:
        app.form.focus_first()
        await pilot.pause()
        for name, value in values.items():
            await reach(app, pilot, (name,))
            await type_value(pilot, value)
        await pilot.pause()
        assert app.form.arguments == values


@pytest.mark.parametrize("batch", cases(20, places=False))
async def test_shape_of_several_places_takes_the_typed_members(batch: list[Shape]) -> None:
    for shape in batch:
        app = Filling(as_tool(shape.schema))
        value = value_to_type(shape)
        async with app.run_test(size=SIZE) as pilot:
            app.form.focus_first()
            await pilot.pause()
            await fill(app, pilot, ("value",), field_of(shape.schema), value)
            await pilot.pause()
            assert app.form.arguments == {"value": value}, shape.text


async def fill(app: Filling, pilot: Pilot[None], path: tuple[str | int, ...], field: Any, value: Any) -> None:
    """Type a value into its places."""
    asked = opened(field)
    if isinstance(asked, UnionField) and not is_place(value):
        at = branch_of(asked, value)
        asked = opened(asked.branches[at or 0].field)
    if isinstance(value, dict) and isinstance(asked, ObjectField) and value:
        for name, each in value.items():
            child = asked.child(name)
            if child is None:
                await reach(app, pilot, path)
                await press(pilot, f"{name}\n")
                child = asked.additional if not isinstance(asked.additional, bool) else None
            await fill(app, pilot, (*path, name), child or read_schema({}), each)
    elif isinstance(value, list) and isinstance(asked, ArrayField) and value:
        for at, each in enumerate(value):
            await fill(app, pilot, (*path, at), asked.item_at(at), each)
    else:
        await reach(app, pilot, path)
        await type_value(pilot, value)


async def type_value(pilot: Pilot[None], value: Any) -> None:
    """Type the text of a value; null has a key."""
    if value is None:
        await pilot.press("ctrl+n")
    else:
        await press(pilot, text_for(value))


async def reach(app: Filling, pilot: Pilot[None], path: tuple[str | int, ...]) -> None:
    """Press Tab until the place has the focus, or what it is in and opens by typing."""
    for _ in range(_FURTHEST):
        here = focused_path(app)
        if here == path or (path[: len(here)] == here and not is_drawn(app, path)):
            return
        await pilot.press("tab")
    raise AssertionError(f"{path} was not reached: the focus is at {focused_path(app)}")


def focused_path(app: Filling) -> tuple[str | int, ...]:
    """Return the path of the field with the focus."""
    focused = app.focused
    nodes = [] if focused is None else [each for each in focused.ancestors_with_self if isinstance(each, FieldNode)]
    return nodes[0].path if nodes else ()


def is_drawn(app: Filling, path: tuple[str | int, ...]) -> bool:
    """Return whether the place is on the form."""
    return any(each.path == path for each in app.query(FieldNode))
