"""The table of docs/forms.md: the shapes of two packages or more, how often they occur, and how one types each."""

import json
from collections.abc import Iterator
from typing import Any, Final

from inspector.forms.fields import (
    ArrayField,
    ChoiceField,
    Field,
    JsonField,
    LazyField,
    ObjectField,
    UnionField,
    kind_of,
    opened,
)
from inspector.forms.read_schema import read_schema
from tests.schemas.shapes import MANIFEST, Shape, shapes
from tests.schemas.values import Typist, accepted_values, as_tool, text_for

_LONGEST: Final = 90


def shape_table() -> str:
    """Return the summary and the table as Markdown."""
    found = shapes()
    common = [each for each in found if len(each.packages) >= 2]
    manifest = json.loads(MANIFEST.read_text())
    fields, shared = sum(each.fields for each in found), sum(each.fields for each in common)
    rows = [
        f"{len(manifest['packages'])} packages, {fields:,} fields, {len(found)} shapes. {len(common)} shapes, those of "
        f"{shared:,} fields, occur in two packages or more:",
        "",
        "| shape | fields | packages | place | typed | sent |",
        "|---|--:|--:|---|---|---|",
        *(_row(each) for each in common),
    ]
    return "\n".join(rows)


def _row(shape: Shape) -> str:
    value = accepted_values(shape.schema)[0]
    typed = "" if isinstance(value, dict | list) else text_for(value)
    return (
        f"| {_code(json.dumps(shape.schema))} | {shape.fields} | {len(shape.packages)} | {place(shape.schema)} "
        f"| {_code(typed) if typed else 'member by member' if isinstance(value, dict) else 'item by item'} "
        f"| {_code(json.dumps(value))} |"
    )


def field_of(schema: Any) -> Field:
    """Return the field of a shape as the argument `value` of a tool."""
    root = opened(read_schema(as_tool(schema)))
    assert isinstance(root, ObjectField), "as_tool makes one"
    found = root.child("value")
    assert found is not None, "as_tool names it"
    return found


def place(schema: Any) -> str:
    """Return the place where one types, in words."""
    asked = opened(field_of(schema))
    return f"{_named(asked)} or null" if asked.nullable else _named(asked)


def _named(field: Field) -> str:
    match field:
        case UnionField():
            return " or ".join(dict.fromkeys(_named(opened(each.field)) for each in field.branches))
        case ObjectField():
            return "members" if field.properties else "members of any name"
        case ArrayField():
            return "list"
        case ChoiceField():
            return "choices" if field.multi else "choice"
        case JsonField():
            return "anything"
        case LazyField():
            return _named(opened(field))
        case _:
            return kind_of(field)


def needing_json() -> Iterator[tuple[Shape, list[str]]]:
    """Yield the shapes for which JSON has to be typed, with the reasons."""
    for shape in shapes():
        typist = Typist()
        for value in accepted_values(shape.schema):
            typist.type(field_of(shape.schema), value)
        if typist.needs_json:
            yield shape, typist.needs_json


def _code(text: str) -> str:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f"`{short.replace('|', chr(92) + '|')}`"
