"""Resources and templates as rows and facts, and the form of a template."""

from inspector.protocol.templates import take_apart
from inspector.protocol.things import Resource, Template
from inspector.viewmodels.lines import plain
from inspector.viewmodels.resources import (
    counts,
    preview,
    resource_facts,
    resource_offers,
    resource_place,
    template_schema,
)

CHART = {"uri": "x://chart", "name": "chart", "title": "Chart", "mimeType": "image/png", "size": 2048}


def test_resources_come_first_and_say_type_and_size() -> None:
    template = {"uriTemplate": "x://{day}", "name": "day"}
    offers = resource_offers([Resource(CHART), Resource({"uri": "x://b"})], [Template(template)])
    assert [(each.label, each.place, each.right) for each in offers] == [
        ("Chart", "x://chart", "image/png 2.0 kB"),
        ("x://b", "x://b", ""),
        ("day", "x://{day}", ""),
    ]
    assert offers[2].sign == "{} "
    assert counts(offers) == ("2 resources", ", 1 template")
    assert counts(offers[:1]) == ("1 resource", "")
    assert counts([]) == ("", "")


def test_what_cannot_be_used_stays_and_says_why() -> None:
    offers = resource_offers([Resource(7), Resource({"name": "a", "size": -1})], [Template({"uriTemplate": "x://{"})])
    assert [each.flaw for each in offers] == ["a number instead of an object", "it has no uri", "can't be expanded"]
    assert [each.label for each in offers] == ["(no name)", "a", "x://{"]


def test_facts_are_what_the_server_claims() -> None:
    facts = {fact.key: fact.value for fact in resource_facts(Resource(CHART | {"annotations": {"priority": 1}}))}
    assert facts == {"type": "image/png", "size": "2,048 bytes, claimed by server", "priority": "1"}
    assert resource_facts(Resource({"size": -5}))[0].role == "warning"
    assert plain(resource_place(Resource(CHART))) == "x://chart"
    assert plain(resource_place(Resource({}))) == "(no uri)"


def test_a_template_with_an_odd_name_has_a_note() -> None:
    (fact,) = resource_facts(Template({"uriTemplate": "x://{a-b}"}))
    assert "no variable name" in fact.value


def test_a_template_asks_for_its_variables() -> None:
    schema = template_schema(take_apart("x://{day:3}{?unit,zones*}"))
    assert list(schema["properties"]) == ["day", "unit", "zones"]
    assert schema["required"] == ["day"]
    assert schema["properties"]["zones"]["type"] == "array"
    assert "first 3 characters" in schema["properties"]["day"]["description"]
    assert "goes away" in schema["properties"]["unit"]["description"]


def test_the_preview_is_the_uri_or_why_there_is_none() -> None:
    assert plain(preview("x://\x1b", "")).endswith("x://␛")
    assert "can't be expanded: it is empty" in plain(preview("", "it is empty"))
