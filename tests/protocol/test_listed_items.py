"""What servers list and return, read leniently."""

from typing import Any

from hypothesis import given

from inspector.protocol.listed_items import LISTS, Content, ListedItem, Prompt, Resource, Template, Tool
from tests.protocol.test_peek import JSON


def test_a_tools_title_comes_from_three_places_in_order() -> None:
    annotated = {"name": "n", "annotations": {"title": "A"}}
    assert Tool(annotated | {"title": "T"}).title == "T"
    assert Tool(annotated).title == "A"
    assert Tool({"name": "n"}).title == "n"
    assert Resource({"name": "n", "annotations": {"title": "A"}}).title == "n"


def test_annotations_are_claims_and_only_those_that_were_made() -> None:
    tool = Tool({"name": "n", "annotations": {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": "yes"}})
    assert tool.claims == ("writes", "destructive")
    assert tool.destructive
    assert not Tool({"name": "n"}).destructive
    assert not Tool({"name": "n", "annotations": {"destructiveHint": True, "readOnlyHint": True}}).destructive


def test_unusable_tool_has_a_flaw() -> None:
    assert Tool(7).flaw == "a number instead of an object"
    assert Tool([]).flaw == "an array instead of an object"
    assert Resource([]).flaw == Template([]).flaw == "an array instead of an object"
    assert Tool({"inputSchema": {}}).flaw == "it has no name"
    assert Tool({"name": "n"}).flaw == "its inputSchema is missing"
    assert Tool({"name": "n", "inputSchema": []}).flaw == "its inputSchema is not an object"
    assert Tool({"name": "n", "inputSchema": {}}).flaw == ""


def test_a_block_finds_its_text_and_data_wherever_they_stand() -> None:
    assert Content({"type": "text", "text": "a"}).text == "a"
    assert Content({"type": "resource", "resource": {"uri": "u", "text": "b"}}).text == "b"
    assert Content({"type": "resource", "resource": {"uri": "u", "blob": "QQ=="}}).data == "QQ=="
    assert Content({"type": "image", "data": "QQ==", "mimeType": "image/png"}).mime_type == "image/png"
    assert Content({"type": "resource_link", "uri": "u"}).uri == "u"


def test_each_kind_of_list_knows_its_method_and_member() -> None:
    assert [(listed.method, listed.member) for listed in LISTS.values()] == [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ]


@given(JSON)
def test_anything_can_be_looked_at_as_a_thing(raw: Any) -> None:
    for kind in (ListedItem, Tool, Resource, Template, Prompt, Content):
        thing = kind(raw)
        for name in dir(thing):
            if not name.startswith("_"):
                getattr(thing, name)
