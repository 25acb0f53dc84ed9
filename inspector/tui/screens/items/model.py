"""Items of a server other than tools: rows of a searchable list, and the details of one item.

Invalid items stay in the list and show what is wrong. Everything that the server declares is shown as its claim, and
an icon only as a fact: nothing is fetched because a server names it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from inspector import text
from inspector.checks.findings import Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.checks.verdict import verdict
from inspector.present import spans as signs
from inspector.present.items import (
    MARKS,
    SearchedRows,
    always,
    annotation_facts,
    best_first,
    icon_facts,
    mark,
    meta_facts,
)
from inspector.present.live_checks import JournalFindings
from inspector.present.rows import RowView
from inspector.present.spans import Fact, Line, Span, fact, lay, paragraph, span, spans_width
from inspector.present.words import GRADES, badge
from inspector.present.words import mark as words_mark
from inspector.protocol import peek
from inspector.protocol.listed_items import Content, ListedItem, Prompt, Resource, Template, Tool
from inspector.protocol.tracking.subscriptions import Subscriptions
from inspector.protocol.uri_templates import UriTemplate, Variable, could_have_made, take_apart

_WIDE = 60


@dataclass(frozen=True, slots=True)
class Offer:
    """An item of the list with the data of its row. Texts are safe to show."""

    thing: ListedItem
    label: str
    """Title, else name, else our own text in brackets."""
    place: str
    """Identification: a URI, a template or argument names."""
    right: str
    """Short text at the right edge: media type, size."""
    flaw: str = ""
    """Why it can't be used; "" if it can."""
    sign: str = ""
    """Sign of its kind, followed by a space, if the list has several kinds."""


def found(offers: Sequence[Offer], wanted: str, goes_on: Callable[[], bool] = always) -> list[Offer]:
    """Return the matches of a search, best first; without a search text, all offers in the server's order.

    The order is: label begins with the text, label contains it, name, URI or right text contains it, label has its
    letters in order, description contains it.
    """
    needle = wanted.strip().casefold()
    return best_first(offers, lambda offer: _rank(offer, needle), goes_on) if needle else list(offers)


def _rank(offer: Offer, needle: str) -> int | None:
    label, thing = offer.label.casefold(), offer.thing
    if needle in label:
        return 0 if label.startswith(needle) else 1
    if any(needle in each.casefold() for each in (thing.name, thing.key, offer.right)):
        return 2
    letters = iter(label)
    if all(letter in letters for letter in needle if not letter.isspace()):
        return 3
    return 4 if needle in thing.description.casefold() else None


class OfferList(SearchedRows[Offer]):
    """Offers as rows."""

    def __init__(self, titles: tuple[str, str, str]) -> None:
        """`titles` are the column titles: label, place, right edge."""
        super().__init__()
        self._titles = titles

    def matching(self, offers: Sequence[Offer], wanted: str, goes_on: Callable[[], bool] = always) -> list[Offer]:
        """Return the matches of a search. Callable on any thread."""
        return found(offers, wanted, goes_on)

    def thing(self, index: int) -> ListedItem:
        """Return the item in a row."""
        return self.rows[index].thing

    def row(self, index: int, width: int) -> RowView:
        offer = self.rows[index]
        return RowView(row_spans(offer, width, self.marks.get(offer.thing.key, ""), badge(self.found(offer.thing))))

    def header(self, width: int) -> Sequence[Span]:
        label, place, right = map(self.marked, self._titles)
        return _laid([(label, "muted")], [(place, "muted")], (right, "muted"), width)

    def sort_keys(self) -> Mapping[str, Callable[[Offer], Any]]:
        """Sort by any column."""
        label, place, right = self._titles
        return {
            label: lambda offer: offer.label.casefold(),
            place: lambda offer: offer.place,
            right: lambda offer: offer.right,
        }


def row_spans(offer: Offer, width: int, mark: str = "", badge: Span | None = None) -> list[Span]:
    """Return one offer in exactly `width` cells: label, in wide lists the place, and a short text at the right.

    `mark` is "new" or "changed" for such an offer, `badge` shows its findings. In a narrow list the label is cut
    before the badge.
    """
    left: list[Span] = [(offer.sign, "accent")] if offer.sign else []
    left.append((offer.label, "warning" if offer.flaw else "method"))
    if badge is not None:
        left += [(" ", "text"), badge]
    if mark:
        left += [(" ", "text"), MARKS[mark]]
    if offer.flaw:
        left.append((f" {signs.WARNING} {offer.flaw}", "warning"))
    middle: list[Span] = [] if offer.flaw else [(offer.place, "target")]
    return _laid(left, middle, (offer.right, "faint"), width)


def _laid(left: list[Span], middle: list[Span], right: Span, width: int) -> list[Span]:
    edge = min(text.cell_width(right[0]), max(0, width // 2))
    room = max(0, width - edge - 1)
    spans = lay(left, room)
    if width >= _WIDE and middle:
        column = min(width * 2 // 5, room)  # independent of the right edge, so that the places are aligned
        spans = [*lay(left, column), ("  ", "text"), *lay(middle, room - column - 2)]
    return lay([*spans, (" ", "text"), (text.fit(right[0], edge), right[1])], width)


def head_lines(thing: ListedItem) -> tuple[Line, ...]:
    """Return the title, and the name if it differs."""
    title = text.visible(thing.title, limit=200) or "(no name)"
    name = f"  {text.visible(thing.name, limit=200)}" if thing.name and thing.name != thing.title else ""
    return (((title, "title"), (name, "muted")),)


def described(thing: ListedItem) -> tuple[Line, ...]:
    """Return the server's description, line by line; () without one."""
    return paragraph(thing.description, "foreign", limit=20_000)


def claims(raw: Any) -> list[Fact]:
    """Return facts about annotations, icons and `_meta`, if present."""
    return [*annotation_facts(raw), *icon_facts(raw), *meta_facts(raw)]


def unknown_members(raw: Any, known: frozenset[str]) -> list[Fact]:
    """Return a fact that names members outside the specification; [] if there are none."""
    more = [key for key in peek.mapping(raw) if key not in known]
    return [fact("unknown members", ", ".join(more), "warning")] if more else []


COMMON = frozenset({"name", "title", "description", "icons", "_meta"})
"""Members that all offers share."""


# Resources and templates

TEMPLATE_SIGN = "{} "
_KNOWN = COMMON | {"uri", "uriTemplate", "mimeType", "size", "annotations"}


def resource_offers(resources: Sequence[Resource], templates: Sequence[Template]) -> list[Offer]:
    """Return resources, then templates, each in the server's order."""
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
    flaw = template.flaw or ("cannot be expanded" if take_apart(template.uri_template).problem else "")
    return Offer(template, label, place, _type(template.mime_type), flaw, TEMPLATE_SIGN)


def _type(mime_type: str) -> str:
    return text.visible(mime_type, limit=60)


def counts(offers: Sequence[Offer]) -> tuple[str, str]:
    """Return the counts in two parts: "5 resources", ", 2 templates"; ("", "") for none."""
    templates = sum(isinstance(offer.thing, Template) for offer in offers)
    others = len(offers) - templates
    first = f"{others:,} resource{'' if others == 1 else 's'}" if offers else ""
    return first, f", {templates:,} template{'' if templates == 1 else 's'}" if templates else ""


def resource_place(thing: ListedItem) -> Line:
    """Return the URI or the template."""
    return (span(thing.key or "(no uri)", "target"),)


def resource_facts(thing: ListedItem) -> tuple[Fact, ...]:
    """Return the server's facts about a resource or template."""
    raw, facts = thing.raw, []
    if mime_type := peek.text(raw, "mimeType"):
        facts.append(fact("type", mime_type))
    size = peek.integer(raw, "size")
    if size is not None:
        facts.append(Fact("size", f"{size:,} bytes (reported)", "claimed" if size >= 0 else "warning"))
    facts += claims(raw)
    facts += unknown_members(raw, _KNOWN)
    if isinstance(thing, Template) and (note := take_apart(thing.uri_template).note):
        facts.append(fact("template", note, "warning"))
    return tuple(facts)


def template_schema(template: UriTemplate) -> Any:
    """Return the form of a template: a string for each variable, or a list of strings for one that takes several."""
    return {
        "type": "object",
        "properties": {each.name: _variable(each) for each in template.variables},
        "required": [each.name for each in template.variables if each.needed],
        "additionalProperties": False,
    }


def _variable(variable: Variable) -> Any:
    about = "" if variable.needed else "optional: omitted from the URI if unset"
    if variable.prefix:
        about = f"only the first {variable.prefix} characters are used"
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string"}} if variable.several else {"type": "string"}
    return schema | ({"description": about} if about else {})


def preview(uri: str, problem: str) -> Line:
    """Return the current expansion of a template, or why it can't be expanded."""
    if problem:
        return ((f"{signs.WARNING} cannot expand: {text.visible(problem, limit=300)}", "warning"),)
    return ((f"{signs.CLOSED} ", "accent"), span(uri, "target"))


# Prompts

MOST_ARGUMENTS = 500
_PROMPTS_KNOWN = COMMON | {"arguments"}


def prompt_offers(prompts: Sequence[Prompt]) -> list[Offer]:
    """Return the prompts in the server's order."""
    return [_offer(prompt) for prompt in prompts]


def _offer(prompt: Prompt) -> Offer:
    label = text.visible(prompt.title, limit=200) or "(no name)"
    count = len(_named(prompt))
    right = f"{count} argument{'' if count == 1 else 's'}" if count else ""
    return Offer(prompt, label, _signature(prompt), right, prompt.flaw)


def prompt_counts(offers: Sequence[Offer]) -> tuple[str, str]:
    """Return the count, and no additional text."""
    return (f"{len(offers):,} prompt{'' if len(offers) == 1 else 's'}" if offers else ""), ""


def _named(prompt: Prompt) -> dict[str, Any]:
    """Return the arguments that have a name, without duplicates."""
    found: dict[str, Any] = {}
    for each in prompt.arguments[:MOST_ARGUMENTS]:
        name = peek.text(each, "name")
        if name:
            found.setdefault(name, each)
    return found


def _signature(prompt: Prompt) -> str:
    parts = (name + ("*" if peek.flag(each, "required") else "") for name, each in _named(prompt).items())
    return text.visible(", ".join(parts), limit=300)


def prompt_place(thing: ListedItem) -> Line:
    """Return the arguments in one line, required ones marked."""
    asked = _signature(Prompt(thing.raw))
    return ((asked, "target") if asked else ("no arguments", "muted"),)


def prompt_facts(thing: ListedItem) -> tuple[Fact, ...]:
    """Return the server's facts about a prompt, and problems of its arguments."""
    raw = thing.raw
    facts = claims(raw) + unknown_members(raw, _PROMPTS_KNOWN)
    given = peek.at(raw, "arguments")
    if given is not None and not isinstance(given, list):
        facts.append(Fact("arguments", f"{peek.type_name(given)} instead of array", "warning"))
    elif odd := len(peek.items(raw, "arguments")) - len(_named(Prompt(raw))):
        facts.append(Fact("arguments", f"{odd:,} left out: no name, duplicate name, or too many", "warning"))
    return tuple(facts)


def prompt_schema(thing: ListedItem) -> Any:
    """Return the form: a string for each argument. More can be added, to test how the server handles them."""
    named = _named(Prompt(thing.raw))
    return {
        "type": "object",
        "properties": {name: _argument(each) for name, each in named.items()},
        "required": [name for name, each in named.items() if peek.flag(each, "required")],
        "additionalProperties": {"type": "string"},
    }


def _argument(raw: Any) -> Any:
    about = {key: found for key in ("title", "description") if (found := peek.text(raw, key))}
    return {"type": "string", **about}


def prompt_markdown(result: Any) -> str:
    """Return the messages of a prompts/get result as Markdown: server text for the clipboard, not for a screen."""
    parts: list[str] = []
    if description := peek.text(result, "description"):
        parts.append(f"# {' '.join(description.split())}")
    for message in peek.items(result, "messages"):
        parts.append(f"## {peek.text(message, 'role') or 'no role'}")
        content = peek.at(message, "content")
        parts += (_block(Content(each)) for each in (content if isinstance(content, list) else [content]))
    return "\n\n".join(parts) + "\n" if parts else ""


def _block(content: Content) -> str:
    if content.type == "text" and content.text is not None:
        return content.text
    if content.text is not None:
        return f"{content.uri}\n\n{_fenced(content.text)}"
    return f"*({', '.join(_facts(content))})*"


def _facts(content: Content) -> Iterator[str]:
    """Yield facts about a block that is not text, never its data."""
    yield content.type or "a block without a type"
    if content.uri:
        yield content.uri
    if content.mime_type:
        yield content.mime_type
    if content.data is not None:
        yield f"{text.human_size(len(content.data) * 3 // 4)}"


def _fenced(foreign: str) -> str:
    longest = max((len(run) for run in re.findall("`+", foreign)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{foreign.rstrip(chr(10))}\n{fence}"


# Rows with their subscription state

_MOST_TRIED = 100
"""Maximum number of URIs that are matched against a template."""


class WatchedRows(OfferList):
    """Rows with their subscription state."""

    def __init__(self, titles: tuple[str, str, str], subscriptions: Callable[[], Subscriptions]) -> None:
        super().__init__(titles)
        self._subscriptions = subscriptions

    def row(self, index: int, width: int) -> RowView:
        subscriptions, thing = self._subscriptions(), self.rows[index].thing
        if not subscriptions.changes:
            return super().row(index, width)
        marks = mark(subscriptions, uris_of(thing, subscriptions), short=width < 60)
        cells = spans_width(marks)
        if not marks or cells > width * 2 // 3:
            return super().row(index, width)
        return RowView([*super().row(index, width - cells).spans, *marks])


def uris_of(thing: ListedItem, subscriptions: Subscriptions) -> tuple[str, ...]:
    """Return the URIs of a row: of the resource, or those that a template could have expanded to."""
    if not isinstance(thing, Template):
        return (thing.key,) if thing.key else ()
    template = take_apart(thing.uri_template)
    wanted = [uri for stream in subscriptions.open_streams for uri in stream.asked.uris]
    known = dict.fromkeys([*wanted, *list(subscriptions.subscribed), *list(subscriptions.updates)])
    return tuple(uri for uri in list(known)[:_MOST_TRIED] if could_have_made(template, uri))


# Completion

MOST_ALLOWED = 100
"""Maximum number of values in one response."""
UNSUPPORTED = -32601


class Completion(msgspec.Struct, frozen=True):
    """Outcome of a completion request."""

    values: tuple[str, ...] = ()
    """Values as received: they are sent back unchanged and are not safe to show."""
    note: Line = ()
    """Number of values, or the error."""
    supported: bool = True
    """False if the server does not support completion."""


def completion_of(result: Any) -> Completion:
    """Read the result of completion/complete, valid or not."""
    if not isinstance(peek.at(result, "completion", "values"), list):
        return Completion(note=((f"{signs.WARNING} the result has no completion.values", "warning"),))
    given = peek.items(result, "completion", "values")
    values = tuple(value for value in given if isinstance(value, str))
    return Completion(values, _note(result, values, len(given) - len(values)))


def _note(result: Any, values: tuple[str, ...], odd: int) -> Line:
    total, more = peek.integer(result, "completion", "total"), peek.flag(result, "completion", "hasMore") is True
    count = f"{len(values):,} value{'' if len(values) == 1 else 's'}" if values else "no values"
    if total is not None and total != len(values):
        count += f" of {total:,}"
    if more:
        count += ", more available"
    wrong = ""
    if len(values) > MOST_ALLOWED:
        wrong = f"  {signs.WARNING} more than the allowed {MOST_ALLOWED}"
    elif odd:
        wrong = f"  {signs.WARNING} {odd:,} not strings"
    return (count, "muted"), (wrong, "warning")


def completion_failed(error: Any) -> Completion:
    """Read a JSON-RPC error: completion is not supported, or this request was rejected."""
    if peek.integer(error, "code") == UNSUPPORTED:
        return NOT_SUPPORTED
    said = text.visible(peek.text(error, "message") or "no reason given", limit=200)
    return Completion(note=((f"{signs.WARNING} no completion: {said}", "warning"),))


NOT_SUPPORTED = Completion(note=(("the server does not support completion", "muted"),), supported=False)


# Findings about one item: its current definition, and the uses of it

_KINDS: dict[type[ListedItem], str] = {
    Tool: "tools",
    Prompt: "prompts",
    Resource: "resources",
    Template: "resourceTemplates",
}
_FEW = 2
"""Lines that are shown at first."""
_MOST = 50
_SHORT, _LONG = 160, 400
"""Characters of a sentence, at first and in full."""


def findings_about(checks: JournalFindings | None, thing: ListedItem) -> Sequence[Finding]:
    """Return the findings about an item, worst first; empty before anything was checked."""
    kind = _KINDS.get(type(thing))
    if checks is None or kind is None:
        return ()
    return sorted(checks.of_item(kind, thing.key, thing.raw), key=lambda each: each.severity.rank)


def own_findings(checks: JournalFindings | None, thing: ListedItem) -> Sequence[Finding]:
    """Return the findings about an item, without those that most items share and that are shown once for all."""
    found = findings_about(checks, thing)
    kind = _KINDS.get(type(thing))
    if checks is None or kind is None or not found:
        return found
    shared = {(each.id, each.severity) for each in checks.shared(kind)}
    return [each for each in found if (each.id, each.severity) not in shared] if shared else found


def shared_lines(checks: JournalFindings | None, kinds: Sequence[str], evidence_key: str) -> list[list[Span]]:
    """Return a line for each finding that most items of a list share, worst first, and the key that shows more."""
    found = [each for kind in kinds for each in checks.shared(kind)] if checks is not None else []
    if not found:
        return []

    lines: list[list[Span]] = []
    for each in found[:_FEW]:
        sign, role = words_mark(GRADES.index(each.severity) + 1)
        title = CHECKS[each.id].title if each.id in CHECKS else ""
        many: Span = (f" {signs.NOTE} {each.count:,} of {each.of:,}", "muted")
        lines.append([(f"{sign} {each.id} ", role), (title, "text"), many])
    left = len(found) - len(lines)
    more = f"  {evidence_key} {f'{left} more' if left else 'Evidence'}"
    return [*lines[:-1], [*lines[-1], (more, "accent")]]


def finding_spans(
    findings: Sequence[Finding], *, full: bool, more_key: str = "", evidence_key: str = ""
) -> list[list[Span]]:
    """Return a line for each check with findings, worst first, and the keys that show more; [] without findings.

    `full`: all of them, with complete sentences.
    """
    groups: dict[tuple[int, str], list[Finding]] = {}
    for each in sorted(findings, key=lambda each: each.severity.rank):
        groups.setdefault((each.severity.rank, each.id), []).append(each)
    shown = list(groups.values())[: _MOST if full else _FEW]
    lines = [_line(group, limit=_LONG if full else _SHORT) for group in shown]
    return [*lines, *_keys(len(groups) - len(shown), "" if full else more_key, evidence_key)] if lines else []


def cause_line(checks: JournalFindings, frames: Sequence[int | None]) -> list[Span]:
    """Return the primary finding about the messages of one exchange as a line; [] if there is none or only a hint."""
    found = {(each.id, each.sentence): each for n in frames if n for each in checks.of(n)}
    first = verdict(found.values()).primary
    return _line([first], limit=_LONG) if first is not None and first.severity is not Severity.HINT else []


def _line(group: Sequence[Finding], *, limit: int) -> list[Span]:
    first = group[0]
    sign, role = words_mark(3 - first.severity.rank)
    many: list[Span] = [(f" {signs.TIMES}{len(group):,}", "muted")] if len(group) > 1 else []
    head: list[Span] = [(f"{sign} {first.severity} {first.id} ", role)]
    return [*head, (text.visible(first.sentence, limit=limit), "text"), *many]


def _keys(left: int, more_key: str, evidence_key: str) -> list[list[Span]]:
    said = [f"{more_key} {left} more" if more_key else f"{left} more"] if left > 0 else []
    if evidence_key:
        said.append(f"{evidence_key} Evidence")
    return [[(f"  {'   '.join(said)}", "accent")]] if said else []
