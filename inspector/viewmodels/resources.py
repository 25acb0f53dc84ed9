"""Resources and templates in one list, what is known of one of them, and what a template's form asks for.

A read asks the server each time: hints on caching are shown, and nothing is served from a cache.
"""

from collections.abc import Sequence
from typing import Any

from inspector.protocol import peek
from inspector.protocol.templates import UriTemplate, Variable, take_apart
from inspector.protocol.things import Resource, Template, Thing
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Fact, Line, fact, span
from inspector.viewmodels.offers import COMMON, Offer, claims, unknown_members

TEMPLATE_SIGN = "{} "
_KNOWN = COMMON | {"uri", "uriTemplate", "mimeType", "size", "annotations"}


def resource_offers(resources: Sequence[Resource], templates: Sequence[Template]) -> list[Offer]:
    """Resources first, then templates, each in the server's order."""
    return [*map(_resource, resources), *map(_template, templates)]


def _resource(resource: Resource) -> Offer:
    size = peek.integer(resource.raw, "size")
    shown = "" if size is None or size < 0 else text.human_size(size)
    right = " ".join(part for part in (_type(resource.mime_type), shown) if part)
    label = text.visible(resource.title or resource.uri, limit=200) or "(no name)"
    return Offer(resource, label, text.visible(resource.uri, limit=400), right, resource.flaw)


def _template(template: Template) -> Offer:
    label = text.visible(template.title or template.uri_template, limit=200) or "(no name)"
    place = text.visible(template.uri_template, limit=400)
    flaw = template.flaw or ("can't be expanded" if take_apart(template.uri_template).problem else "")
    return Offer(template, label, place, _type(template.mime_type), flaw, TEMPLATE_SIGN)


def _type(mime_type: str) -> str:
    return text.visible(mime_type, limit=60)


def counts(offers: Sequence[Offer]) -> tuple[str, str]:
    """What there is in two parts: "5 resources", ", 2 templates"; ("", "") for nothing."""
    templates = sum(isinstance(offer.thing, Template) for offer in offers)
    others = len(offers) - templates
    first = f"{others:,} resource{'' if others == 1 else 's'}" if offers else ""
    return first, f", {templates:,} template{'' if templates == 1 else 's'}" if templates else ""


def resource_place(thing: Thing) -> Line:
    """Where it is: the URI, or the template."""
    return (span(thing.key or "(no uri)", "target"),)


def resource_facts(thing: Thing) -> tuple[Fact, ...]:
    """What the server says of a resource or template."""
    raw, facts = thing.raw, []
    if mime_type := peek.text(raw, "mimeType"):
        facts.append(fact("type", mime_type))
    size = peek.integer(raw, "size")
    if size is not None:
        facts.append(Fact("size", f"{size:,} bytes, claimed by server", "claimed" if size >= 0 else "warning"))
    facts += claims(raw)
    facts += unknown_members(raw, _KNOWN)
    if isinstance(thing, Template) and (note := take_apart(thing.uri_template).note):
        facts.append(fact("template", note, "warning"))
    return tuple(facts)


def template_schema(template: UriTemplate) -> Any:
    """The form of a template: a text for each variable, or a list of texts for one that takes several."""
    return {
        "type": "object",
        "properties": {each.name: _variable(each) for each in template.variables},
        "required": [each.name for each in template.variables if each.needed],
        "additionalProperties": False,
    }


def _variable(variable: Variable) -> Any:
    about = "" if variable.needed else "may be left unset: its part of the URI then goes away"
    if variable.prefix:
        about = f"only its first {variable.prefix} characters are used"
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string"}} if variable.several else {"type": "string"}
    return schema | ({"description": about} if about else {})


def preview(uri: str, problem: str) -> Line:
    """What a template expands to now, or why to nothing."""
    if problem:
        return ((f"{signs.WARNING} can't be expanded: {text.visible(problem, limit=300)}", "warning"),)
    return ((f"{signs.CLOSED} ", "accent"), span(uri, "target"))
