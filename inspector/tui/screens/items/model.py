"""Items of a server other than tools: rows of a searchable list, and the details of one item.

Invalid items stay in the list and show what is wrong. Everything that the server declares is shown as its claim, and
an icon only as a fact: nothing is fetched because a server names it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from inspector import text
from inspector.checks.findings import Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.checks.verdict import verdict
from inspector.present import spans as signs
from inspector.present.items import ItemRow, SearchedRows, annotation_facts, icon_facts, laid, mark, meta_facts
from inspector.present.live_checks import JournalFindings
from inspector.present.rows import RowView
from inspector.present.spans import Fact, Line, Span, fact, paragraph, span, spans_width
from inspector.present.words import GRADES
from inspector.present.words import mark as words_mark
from inspector.protocol import peek
from inspector.protocol.listed_items import Content, ListedItem, Prompt, Resource, Template, Tool
from inspector.protocol.tracking.subscriptions import Subscriptions
from inspector.protocol.uri_templates import UriTemplate, Variable, could_have_made, take_apart

COMMON = frozenset({"name", "title", "description", "icons", "_meta"})
"""Members that all offers share."""
TEMPLATE_SIGN = "{} "
_KNOWN = COMMON | {"uri", "uriTemplate", "mimeType", "size", "annotations"}
MOST_ARGUMENTS = 500
_PROMPTS_KNOWN = COMMON | {"arguments"}
_MOST_TRIED = 100
"""Maximum number of URIs that are matched against a template."""
MOST_ALLOWED = 100
"""Maximum number of values in one response."""
UNSUPPORTED = -32601
_KINDS: dict[type[ListedItem], str] = {
    Tool: "tools",
    Prompt: "prompts",
    Resource: "resources",
    Template: "resourceTemplates",
}
_FEW = 2
"""Lines that are shown at first."""
_MAX_GROUPS = 50
_SHORT, _LONG = 160, 400
"""Characters of a sentence, at first and in full."""


class ListedRows(SearchedRows):
    def __init__(self, titles: tuple[str, str, str]) -> None:
        """`titles` are the column titles: label, place, right edge."""
        super().__init__()
        self._titles = titles

    def header(self, width: int) -> Sequence[Span]:
        label, place, right = map(self.marked, self._titles)
        return laid([(label, "muted")], [(place, "muted")], (right, "muted"), width)

    def sort_keys(self) -> Mapping[str, Callable[[ItemRow], Any]]:
        label, place, right = self._titles
        return {label: lambda row: row.label.casefold(), place: lambda row: row.place, right: lambda row: row.right}


class ResourceRow(ItemRow, frozen=True, gc=False):
    """A resource or a resource template in the list."""

    @property
    def heading(self) -> str:
        return self.item.title or self.item.key

    @property
    def place(self) -> str:
        return text.visible(self.item.key, limit=400)

    @property
    def right(self) -> str:
        mime_type = text.visible(peek.text(self.item.raw, "mimeType") or "", limit=60)
        size = None if isinstance(self.item, Template) else peek.integer(self.item.raw, "size")
        shown = "" if size is None or size < 0 else text.human_size(size)
        return " ".join(part for part in (mime_type, shown) if part)

    @property
    def flaw(self) -> str:
        cannot_be_expanded = isinstance(self.item, Template) and take_apart(self.item.key).problem
        return self.item.flaw or ("cannot be expanded" if cannot_be_expanded else "")

    @property
    def sign(self) -> str:
        return TEMPLATE_SIGN if isinstance(self.item, Template) else ""


class PromptRow(ItemRow, frozen=True, gc=False):
    @property
    def place(self) -> str:
        return _signature(Prompt(self.item.raw))

    @property
    def right(self) -> str:
        count = len(_named(Prompt(self.item.raw)))
        return text.counted(count, "argument") if count else ""


class Completion(msgspec.Struct, frozen=True):
    values: tuple[str, ...] = ()
    """Values as received: they are sent back unchanged and are not safe to show."""
    note: Line = ()
    """Number of values, or the error."""
    supported: bool = True
    """False if the server does not support completion."""


NOT_SUPPORTED = Completion(note=(("the server does not support completion", "muted"),), supported=False)


def head_lines(item: ListedItem) -> tuple[Line, ...]:
    """Return the title, and the name if it differs."""
    title = text.visible(item.title, limit=200) or "(no name)"
    name = f"  {text.visible(item.name, limit=200)}" if item.name and item.name != item.title else ""
    return (((title, "title"), (name, "muted")),)


def described(item: ListedItem) -> tuple[Line, ...]:
    """Return the server's description, line by line; () without one."""
    return paragraph(item.description, "foreign", limit=20_000)


def claims(raw: Any) -> list[Fact]:
    """Return facts about annotations, icons and `_meta`, if present."""
    return [*annotation_facts(raw), *icon_facts(raw), *meta_facts(raw)]


def unknown_members(raw: Any, known: frozenset[str]) -> list[Fact]:
    """Return a fact that names members outside the specification; [] if there are none."""
    more = [key for key in peek.mapping(raw) if key not in known]
    return [fact("unknown members", ", ".join(more), "warning")] if more else []


# Resources and templates


def resource_offers(resources: Sequence[Resource], templates: Sequence[Template]) -> list[ItemRow]:
    """Return resources, then templates, each in the server's order."""
    return [*map(ResourceRow, (*resources, *templates))]


def counts(offers: Sequence[ItemRow]) -> tuple[str, str]:
    """Return the counts in two parts: "5 resources", ", 2 templates"; ("", "") for none."""
    templates = sum(isinstance(offer.item, Template) for offer in offers)
    others = len(offers) - templates
    first = text.counted(others, "resource") if offers else ""
    return first, f", {text.counted(templates, 'template')}" if templates else ""


def resource_place(item: ListedItem) -> Line:
    """Return the URI or the template."""
    return (span(item.key or "(no uri)", "target"),)


def resource_facts(item: ListedItem) -> tuple[Fact, ...]:
    """Return the server's facts about a resource or template."""
    raw, facts = item.raw, []
    if mime_type := peek.text(raw, "mimeType"):
        facts.append(fact("type", mime_type))
    size = peek.integer(raw, "size")
    if size is not None:
        facts.append(Fact("size", f"{size:,} bytes (reported)", "claimed" if size >= 0 else "warning"))
    facts += claims(raw)
    facts += unknown_members(raw, _KNOWN)
    if isinstance(item, Template) and (note := take_apart(item.uri_template).note):
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


def prompt_offers(prompts: Sequence[Prompt]) -> list[ItemRow]:
    """Return the prompts in the server's order."""
    return [*map(PromptRow, prompts)]


def prompt_counts(offers: Sequence[ItemRow]) -> tuple[str, str]:
    """Return the count, and no additional text."""
    return (text.counted(len(offers), "prompt") if offers else ""), ""


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


def prompt_place(item: ListedItem) -> Line:
    """Return the arguments in one line, required ones marked."""
    asked = _signature(Prompt(item.raw))
    return ((asked, "target") if asked else ("no arguments", "muted"),)


def prompt_facts(item: ListedItem) -> tuple[Fact, ...]:
    """Return the server's facts about a prompt, and problems of its arguments."""
    raw = item.raw
    facts = claims(raw) + unknown_members(raw, _PROMPTS_KNOWN)
    given = peek.at(raw, "arguments")
    if given is not None and not isinstance(given, list):
        facts.append(Fact("arguments", f"{peek.type_name(given)} instead of array", "warning"))
    elif odd := len(peek.items(raw, "arguments")) - len(_named(Prompt(raw))):
        facts.append(Fact("arguments", f"{odd:,} left out: no name, duplicate name, or too many", "warning"))
    return tuple(facts)


def prompt_schema(item: ListedItem) -> Any:
    """Return the form: a string for each argument. More can be added, to test how the server handles them."""
    named = _named(Prompt(item.raw))
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


class WatchedRows(ListedRows):
    """Rows with their subscription state."""

    def __init__(self, titles: tuple[str, str, str], subscriptions: Callable[[], Subscriptions]) -> None:
        super().__init__(titles)
        self._subscriptions = subscriptions

    def row(self, index: int, width: int) -> RowView:
        subscriptions, item = self._subscriptions(), self.rows[index].item
        if not subscriptions.changes:
            return super().row(index, width)
        marks = mark(subscriptions, uris_of(item, subscriptions), short=width < 60)
        cells = spans_width(marks)
        if not marks or cells > width * 2 // 3:
            return super().row(index, width)
        return RowView([*super().row(index, width - cells).spans, *marks])


def uris_of(item: ListedItem, subscriptions: Subscriptions) -> tuple[str, ...]:
    """Return the URIs of a row: of the resource, or those that a template could have expanded to."""
    if not isinstance(item, Template):
        return (item.key,) if item.key else ()
    template = take_apart(item.uri_template)
    wanted = [uri for stream in subscriptions.open_streams for uri in stream.asked.uris]
    known = dict.fromkeys([*wanted, *list(subscriptions.subscribed), *list(subscriptions.updates)])
    return tuple(uri for uri in list(known)[:_MOST_TRIED] if could_have_made(template, uri))


# Completion


def completion_of(result: Any) -> Completion:
    """Read the result of completion/complete, valid or not."""
    if not isinstance(peek.at(result, "completion", "values"), list):
        return Completion(note=((f"{signs.WARNING} the result has no completion.values", "warning"),))
    given = peek.items(result, "completion", "values")
    values = tuple(value for value in given if isinstance(value, str))
    return Completion(values, _note(result, values, len(given) - len(values)))


def _note(result: Any, values: tuple[str, ...], odd: int) -> Line:
    total, more = peek.integer(result, "completion", "total"), peek.flag(result, "completion", "hasMore") is True
    count = text.counted(len(values), "value") if values else "no values"
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
    message = text.visible(peek.text(error, "message") or "no reason given", limit=200)
    return Completion(note=((f"{signs.WARNING} no completion: {message}", "warning"),))


# Findings about one item: its current definition, and the uses of it


def findings_about(checks: JournalFindings | None, item: ListedItem) -> Sequence[Finding]:
    """Return the findings about an item, worst first; empty before anything was checked."""
    kind = _KINDS.get(type(item))
    if checks is None or kind is None:
        return ()
    return sorted(checks.of_item(kind, item.key, item.raw), key=lambda each: each.severity.rank)


def own_findings(checks: JournalFindings | None, item: ListedItem) -> Sequence[Finding]:
    """Return the findings about an item, without those that most items share and that are shown once for all."""
    found = findings_about(checks, item)
    kind = _KINDS.get(type(item))
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
    shown = list(groups.values())[: _MAX_GROUPS if full else _FEW]
    lines = [_line(group, limit=_LONG if full else _SHORT) for group in shown]
    return [*lines, *_keys(len(groups) - len(shown), "" if full else more_key, evidence_key)] if lines else []


def cause_line(checks: JournalFindings, frames: Sequence[int | None]) -> list[Span]:
    """Return the primary finding about the messages of one exchange as a line; [] if there is none or only a hint."""
    in_result = "request-not-sendable"  # by the result, with its remedy
    found = {(each.id, each.sentence): each for n in frames if n for each in checks.of(n) if each.id != in_result}
    first = verdict(found.values()).primary
    return _line([first], limit=_LONG) if first is not None and first.severity is not Severity.HINT else []


def _line(group: Sequence[Finding], *, limit: int) -> list[Span]:
    first = group[0]
    sign, role = words_mark(3 - first.severity.rank)
    many: list[Span] = [(f" {signs.TIMES}{len(group):,}", "muted")] if len(group) > 1 else []
    head: list[Span] = [(f"{sign} {first.severity} {first.id} ", role)]
    return [*head, (text.visible(first.sentence, limit=limit), "text"), *many]


def _keys(left: int, more_key: str, evidence_key: str) -> list[list[Span]]:
    lines = [f"{more_key} {left} more" if more_key else f"{left} more"] if left > 0 else []
    if evidence_key:
        lines.append(f"{evidence_key} Evidence")
    return [[(f"  {'   '.join(lines)}", "accent")]] if lines else []
