"""Screen 3, Resources: resources and templates in one list, reading them, and every content that came, whole."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.protocol.templates import could_have_made, expand, take_apart
from inspector.protocol.things import Resource, Template, Thing
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.panels.offer_kind import OfferKind, Request
from inspector.tui.panels.resource_side import ResourceSide
from inspector.tui.panels.result_body import ResultWords
from inspector.tui.panels.thing_list import ListWords
from inspector.tui.panels.watching import WatchingPanel
from inspector.tui.subject import Subject
from inspector.viewmodels.offers import Offer
from inspector.viewmodels.resources import (
    counts,
    preview,
    resource_facts,
    resource_offers,
    resource_place,
    template_schema,
)


def _offers(listings: Sequence[Listing]) -> list[Offer]:
    resources, templates = listings
    return resource_offers([Resource(raw) for raw in resources.items], [Template(raw) for raw in templates.items])


def _schema(thing: Thing) -> Any:
    if isinstance(thing, Template):
        return template_schema(take_apart(thing.uri_template))
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _request(thing: Thing, arguments: Any) -> Request:
    if not isinstance(thing, Template):
        return Request({"uri": thing.key}, "" if thing.key else "it has no uri")
    expanded = expand(take_apart(thing.uri_template), arguments if isinstance(arguments, dict) else {})
    problem = "the template can't be expanded" if expanded.problem else ""
    return Request({"uri": expanded.uri}, problem, preview(expanded.uri, expanded.problem))


def _reference(thing: Thing) -> dict[str, Any] | None:
    return {"type": "ref/resource", "uri": thing.uri_template} if isinstance(thing, Template) else None


def _made(thing: Thing, uri: str) -> bool:
    if isinstance(thing, Template):
        return could_have_made(take_apart(thing.uri_template), uri)
    return uri == thing.key


RESOURCES = OfferKind(
    kinds=("resources", "templates"),
    method="resources/read",
    verb="Read",
    done="read",
    words=ListWords("resource", "resources", "title, uri, type or description"),
    result_words=ResultWords("Not read yet", "reads it", "No reads of this yet", structured=False),
    titles=("resource", "uri", "type, size"),
    offers=_offers,
    counts=counts,
    place=resource_place,
    facts=resource_facts,
    schema=_schema,
    request=_request,
    reference=_reference,
    made=_made,
)


class ResourcesPanel(WatchingPanel):
    """The resources of a server, reading them, and watching them."""

    places = (
        Where.EVERYWHERE,
        Where.RESOURCES,
        Where.OFFERED,
        Where.FORM,
        Where.FORM_LINE,
        Where.RESULT,
        Where.DETAIL,
        Where.MOVING,
        Where.JSON,
        Where.FINDING_HERE,
        Where.PAYLOAD,
        Where.SEARCH,
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.RESOURCES, Where.OFFERED, Where.RESULT, Where.DETAIL)
    HELP = """\
Choose a resource and read it; of a template (`{}`) fill the variables first: the URI that comes of it stands below
them. Every content is shown; Enter, or the view Item, shows the one under the cursor whole, and `w` saves it.
`s` watches the resource: what the server has granted stands below the list. One that was updated since it was read is
marked; read again, `u` shows what has changed.
"""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject, RESOURCES, ResourceSide(subject, RESOURCES))
