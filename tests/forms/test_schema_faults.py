"""What no metaschema sees."""

from inspector.forms.schema_faults import schema_faults


def test_patterns_and_references_that_are_none_are_found_at_their_places() -> None:
    schema = {
        "properties": {
            "pattern": {"type": "string", "pattern": "("},
            "x": {"patternProperties": {"[": {}, "^fine": {}}},
            "y": [{"$ref": "#/nope"}],
            "z": {"$ref": "#/properties/x"},
            "m": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        },
        "default": {"$ref": "#/data", "pattern": "("},
    }
    found = [(keyword, fault.path) for keyword, fault in schema_faults(schema)]
    assert found == [
        ("pattern", ("properties", "pattern", "pattern")),
        ("patternProperties", ("properties", "x", "patternProperties", "[")),
        ("$ref", ("properties", "y", 0, "$ref")),
    ]


def test_anything_can_be_looked_at() -> None:
    assert list(schema_faults(5)) == []
    assert list(schema_faults([{}] * 20_000)) == []
