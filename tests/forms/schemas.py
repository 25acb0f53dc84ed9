"""Schemas that several tests use, and a strategy for arbitrary JSON."""

from typing import Any

from hypothesis import strategies as st

TREE: dict[str, Any] = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["name"],
        }
    },
}
"""A schema that refers to itself, in the way that libraries write one."""


def doubling(keyword: str, levels: int = 60) -> dict[str, Any]:
    """Definitions that each name the next one twice: 2 to the power of `levels` ways through them."""
    steps: dict[str, Any] = {
        f"d{at}": {keyword: [{"$ref": f"#/$defs/d{at + 1}"}, {"$ref": f"#/$defs/d{at + 1}"}]} for at in range(levels)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**steps, f"d{levels}": {"type": "string"}}}


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
any_json = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)

_KEYWORDS = """
    type properties required items prefixItems enum const anyOf oneOf allOf not if then $ref $defs $id $anchor
    additionalProperties patternProperties pattern format minimum maximum exclusiveMinimum minLength maxLength
    minItems uniqueItems multipleOf default title description examples nullable $schema dependencies contains
    propertyNames unevaluatedProperties unevaluatedItems dependentRequired $dynamicRef
""".split()  # noqa: SIM905
_WORDS = st.sampled_from(
    "string object array integer number boolean null a b # #/$defs/a #/properties/a ^a (".split()  # noqa: SIM905
)
schema_like = st.recursive(
    scalars | _WORDS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*_KEYWORDS, "a", "b"]), inner, max_size=6)
    ),
    max_leaves=25,
)
"""JSON that has the words of JSON Schema in all the wrong places, and sometimes in the right ones."""
