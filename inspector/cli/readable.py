"""What the commands print for a person: the panels' own view-models as lines, one below the other.

Lines are safe to show and carry roles; whether they come out in colour is the writer's business. What a script
reads is JSON and does not pass through here.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from inspector import text
from inspector.present import spans
from inspector.present.blocks import ContentBlock
from inspector.present.failure_report import PostMortem
from inspector.present.items import NEVER_RENDERED, ToolRow, link_line, tool_rows, total_cost
from inspector.present.result import ResultView, StructuredPart
from inspector.present.server import opening_sections
from inspector.present.spans import Fact, Line, Role, Section, fact, fact_lines, plain, section_lines, span
from inspector.present.words import TRANSPORTS
from inspector.protocol import peek
from inspector.protocol.apps import AppLink
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.things import ListedItem, Prompt, Resource, Template, Tool

MOST_OF_DESCRIPTION = 160
"""Characters that a list shows of a description."""


def info_lines(
    opening: Opening,
    transport: str,
    counts: Mapping[str, int | None],
    apps: Sequence[AppLink] = (),
    failed: Container[str] = (),
) -> list[Line]:
    """What a server says about itself; `counts` has None for a list that it would not give, or does not have.

    `apps` are the pages that its tools name, `failed` the kinds whose list is missing or incomplete.
    """

    def count_of(kind: str, count: int | None) -> Fact:
        if count is None:
            return Fact(kind, "could not be fetched" if kind in failed else "none declared")
        return Fact(kind, f"{count} (incomplete)" if kind in failed else str(count))

    spoken = Fact("transport", TRANSPORTS.get(transport) or text.visible(transport, limit=40))
    has = Section("It has", (spoken, *(count_of(kind, count) for kind, count in counts.items())))
    pages = Section("Apps", tuple(fact(app.tool, plain(link_line(app)), "target") for app in apps), note=NEVER_RENDERED)
    return _sections((*opening_sections(opening), has, pages))


def list_lines(kind: str, items: Sequence[Any]) -> list[Line]:
    """A list by its kind: "tools", "resources", "templates", "prompts"; an empty one says so."""
    if not items:
        return [((f"{kind}: none", "muted"),)]
    match kind:
        case "tools":
            rows = tool_rows([Tool(raw) for raw in items])
            return [((total_cost(rows), "title"),), *(line for row in rows for line in _tool(row))]
        case "resources":
            found = (_resource(Resource(raw)) for raw in items)
        case "templates":
            found = (_template(Template(raw)) for raw in items)
        case _:
            found = (_prompt(Prompt(raw)) for raw in items)
    counted = f"{len(items):,} {kind if len(items) != 1 else kind.removesuffix('s')}"
    return [((counted, "title"),), *(line for lines in found for line in lines)]


def result_lines(view: ResultView) -> list[Line]:
    """What came of a call, a read or a prompt: the headline, what was said, every block, the verdict."""
    found: list[Line] = [view.headline]
    found += [(("  ", "text"), *line) for line in view.said]
    found += fact_lines(view.facts, indent="  ")
    for block in view.blocks:
        found += _block(block)
    if view.structured is not None:
        found += _structured(view.structured)
    if view.hint:
        found += [(), ((f"{spans.NOTE} ", "accent"), (view.hint, "muted"))]
    return found


def post_mortem_lines(card: PostMortem) -> list[Line]:
    """The card of a connection that died."""
    why: list[Line] = [((f"  {card.why}", "text"),)] if card.why else []
    return [card.headline, *why, *_sections(card.sections)]


def _sections(sections: Iterable[Section]) -> list[Line]:
    """Sections with an empty line between them; those without content are left out."""
    found: list[Line] = []
    for section in sections:
        if section.facts or section.lines:
            found += [()] if found else []
            found += section_lines(section)
    return found


def _tool(row: ToolRow) -> list[Line]:
    head: list[Any] = [(row.name, "method")]
    if row.title:
        head.append((f"  {row.title}", "text"))
    if row.tool.claims:
        head.append((f"  {spans.CLAIMED}{', '.join(row.tool.claims)}", "claimed"))
    head.append((f"  {text.human_size(row.size)}", "faint"))
    if row.flaw:
        head.append((f"  {spans.WARNING} {row.flaw}", "warning"))
    return [tuple(head), *_described(row.tool)]


def _resource(resource: Resource) -> list[Line]:
    name = resource.title or "(no name)"
    kind = f"  {text.visible(resource.mime_type, limit=80)}" if resource.mime_type else ""
    head: Line = (span(resource.uri or "(no uri)", "target"), ("  ", "text"), span(name), (kind, "muted"))
    return [head, *_described(resource)]


def _template(template: Template) -> list[Line]:
    head: Line = (span(template.uri_template or "(no template)", "target"), ("  ", "text"), span(template.title))
    return [head, *_described(template)]


def _prompt(prompt: Prompt) -> list[Line]:
    name = prompt.name or "(no name)"
    title = "" if prompt.title == prompt.name else f"  {text.visible(prompt.title, limit=200)}"
    arguments = [_argument(argument) for argument in prompt.arguments]
    asked = f"  ({', '.join(arguments)})" if arguments else ""
    return [(span(name, "method", limit=200), (title, "text"), (asked, "muted")), *_described(prompt)]


def _argument(argument: Any) -> str:
    name = text.visible(peek.text(argument, "name") or "?", limit=60)
    return name if peek.flag(argument, "required") else f"{name}?"


def _described(thing: ListedItem) -> list[Line]:
    """The first line of the description."""
    first = next((line.strip() for line in thing.description.split("\n") if line.strip()), "")
    return [((f"    {text.visible(first, limit=MOST_OF_DESCRIPTION)}", "muted"),)] if first else []


def _block(block: ContentBlock) -> list[Line]:
    found: list[Line] = [(), block.title]
    found += fact_lines(block.facts, indent="  ")
    role: Role = "foreign" if block.look != "json" else "text"
    found += [((line, role),) for line in block.text.split("\n")] if block.text else []
    return found


def _structured(structured: StructuredPart) -> list[Line]:
    found: list[Line] = [(), (("structuredContent  ", "muted"), *structured.verdict)]
    found += fact_lines(structured.problems, indent="  ")
    found += [((line, "text"),) for line in structured.text.split("\n")] if structured.text else []
    return found
