"""References lead to places in the document, and to no other."""

import pytest

from inspector.forms.refs import SchemaDocument
from tests.forms.schemas import doubling

ROOT: dict[str, object] = {
    "$id": "https://example.org/root",
    "$defs": {
        "a/b": {"title": "slash"},
        "t~e": {"title": "tilde"},
        "per cent": {"title": "space"},
        "named": {"$anchor": "here", "title": "anchored"},
        "old": {"$id": "#older", "title": "older"},
        "other": {"$id": "other.json", "title": "other", "$defs": {"in": {"title": "inner"}}},
    },
    "list": [{"title": "first"}],
}


@pytest.mark.parametrize(
    ("ref", "title"),
    [
        ("#/$defs/a~1b", "slash"),
        ("#/$defs/t~0e", "tilde"),
        ("#/$defs/per%20cent", "space"),
        ("#here", "anchored"),
        ("#older", "older"),
        ("other.json", "other"),
        ("https://example.org/other.json", "other"),
        ("other.json#/$defs/in", "inner"),
        ("https://example.org/root#/$defs/named", "anchored"),
        ("#/list/0", "first"),
    ],
)
def test_a_reference_within_the_document_is_found(ref: str, title: str) -> None:
    found, why = SchemaDocument(ROOT).find(ref)
    assert why == ""
    assert isinstance(found, dict)
    assert found["title"] == title


def test_the_whole_document_is_a_place_too() -> None:
    assert SchemaDocument(ROOT).find("#") == (ROOT, "")


@pytest.mark.parametrize("ref", ["#/nope", "#nope", "#/list/7", "#/list/x", "#/list/-1", "#/$id/x"])
def test_a_reference_to_nowhere_is_answered_with_a_sentence(ref: str) -> None:
    found, why = SchemaDocument(ROOT).find(ref)
    assert found is None
    assert why == f"it refers to {ref}, which is not in the schema"


@pytest.mark.parametrize("ref", ["https://elsewhere.example/x.json", "file:///etc/passwd", "x.json#/a", "http://["])
def test_a_reference_to_elsewhere_is_never_fetched(ref: str) -> None:
    found, why = SchemaDocument(ROOT).find(ref)
    assert found is None
    assert "never fetched" in why


def test_a_document_that_is_no_object_has_no_places() -> None:
    assert SchemaDocument([1]).find("#a")[1]
    assert SchemaDocument("x").find("#") == ("x", "")


def test_a_vast_document_is_searched_up_to_a_limit() -> None:
    vast = {"all": [{} for _ in range(20_000)], "z": {"$anchor": "z"}}
    assert SchemaDocument(vast).find("#z")[1]
    assert SchemaDocument(doubling("allOf")).find("#/$defs/d60") == ({"type": "string"}, "")
