"""Schemas that are valid beyond doubt: made of common keywords alone, each with a value of its type.

Most tools have such a schema. Judging it by the metaschema takes a hundred times as long, and jsonschema, which takes
4 MB and 50 ms to import.
"""

from typing import Annotated, Any, Literal, TypeAlias, Union

import msgspec
from msgspec import UNSET, UnsetType

from inspector.documents import prepared_type

DIALECTS = frozenset(("2020-12", "2019-09", "draft-07"))
"""Dialects in which the keywords below have the same types."""

_Type: TypeAlias = Literal["string", "number", "integer", "boolean", "object", "array", "null"]
_Schema: TypeAlias = Union["_PlainSchema", bool]
_Schemas: TypeAlias = Annotated[list[_Schema], msgspec.Meta(min_length=1)]
_Size: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_Number: TypeAlias = int | float
_Step: TypeAlias = Annotated[int, msgspec.Meta(gt=0)] | Annotated[float, msgspec.Meta(gt=0)]


class _PlainSchema(msgspec.Struct, rename="camel", forbid_unknown_fields=True, gc=False):
    schema: str | UnsetType = msgspec.field(name="$schema", default=UNSET)
    comment: str | UnsetType = msgspec.field(name="$comment", default=UNSET)
    type: _Type | Annotated[list[_Type], msgspec.Meta(min_length=1)] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    default: Any = UNSET
    const: Any = UNSET
    enum: list[Any] | UnsetType = UNSET
    examples: list[Any] | UnsetType = UNSET
    read_only: bool | UnsetType = UNSET
    write_only: bool | UnsetType = UNSET
    format: str | UnsetType = UNSET
    pattern: str | UnsetType = UNSET
    min_length: _Size | UnsetType = UNSET
    max_length: _Size | UnsetType = UNSET
    minimum: _Number | UnsetType = UNSET
    maximum: _Number | UnsetType = UNSET
    exclusive_minimum: _Number | UnsetType = UNSET
    exclusive_maximum: _Number | UnsetType = UNSET
    multiple_of: _Step | UnsetType = UNSET
    items: _Schema | UnsetType = UNSET
    min_items: _Size | UnsetType = UNSET
    max_items: _Size | UnsetType = UNSET
    unique_items: bool | UnsetType = UNSET
    properties: dict[str, _Schema] | UnsetType = UNSET
    required: list[str] | UnsetType = UNSET
    additional_properties: _Schema | UnsetType = UNSET
    min_properties: _Size | UnsetType = UNSET
    max_properties: _Size | UnsetType = UNSET
    any_of: _Schemas | UnsetType = UNSET
    one_of: _Schemas | UnsetType = UNSET
    all_of: _Schemas | UnsetType = UNSET

    def __post_init__(self) -> None:
        for names in (self.required, self.type):
            if isinstance(names, list) and len(set(names)) < len(names):
                raise ValueError("a name twice")


_PREPARED = prepared_type(_PlainSchema)
"""Not by a decorator: the type refers to itself by its name."""


def is_plain(schema: object) -> bool:
    """Return whether a schema is valid by its keywords; False may mean anything. Patterns are not looked at."""
    try:
        msgspec.convert(schema, _PREPARED)
    except (msgspec.ValidationError, RecursionError):
        return False
    return True
