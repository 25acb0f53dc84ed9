"""The kinds of offers: what each sends, and which recorded requests are its own."""

from typing import Any

import pytest

from inspector.protocol.things import Prompt, Resource, Template, Thing
from inspector.tui.panels.offer_kind import OfferKind, Request
from inspector.tui.panels.prompts import PROMPTS
from inspector.tui.panels.resources import RESOURCES

DAY = Template({"uriTemplate": "x://{day}"})


@pytest.mark.parametrize(
    ("kind", "thing", "arguments", "params"),
    [
        (RESOURCES, Resource({"uri": "x://a"}), {}, {"uri": "x://a"}),
        (RESOURCES, DAY, {"day": "mon day"}, {"uri": "x://mon%20day"}),
        (RESOURCES, DAY, "no object", {"uri": "x://"}),
        (PROMPTS, Prompt({"name": "a"}), {}, {"name": "a"}),
        (PROMPTS, Prompt({"name": "a"}), {"b": "c"}, {"name": "a", "arguments": {"b": "c"}}),
        (PROMPTS, Prompt({"name": "a"}), [1], {"name": "a", "arguments": [1]}),
    ],
)
def test_each_kind_sends_what_it_should(kind: OfferKind, thing: Thing, arguments: Any, params: Any) -> None:
    request = kind.request(thing, arguments)
    assert isinstance(request, Request)
    assert (request.params, request.problem) == (params, "")


def test_recorded_requests_find_their_thing() -> None:
    assert RESOURCES.made(DAY, "x://monday")
    assert not RESOURCES.made(DAY, "y://monday")
    assert RESOURCES.made(Resource({"uri": "x://a"}), "x://a")
    assert PROMPTS.made(Prompt({"name": "a"}), "a")


def test_only_what_has_arguments_can_be_completed() -> None:
    assert RESOURCES.reference(Resource({"uri": "x://a"})) is None
    assert RESOURCES.reference(DAY) == {"type": "ref/resource", "uri": "x://{day}"}
    assert PROMPTS.reference(Prompt({"name": "a"})) == {"type": "ref/prompt", "name": "a"}
