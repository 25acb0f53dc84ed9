"""The list of tools and what is known of one of them. What a server says of its tools is shown as a claim.

A tool that can't be used as it is stays in the list and says why. What a tool costs is its size in the list as
a model gets it: bytes are counted, tokens are a guess and called one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.jsonrpc import encode
from inspector.protocol.things import Tool
from inspector.viewmodels import signs, text
from inspector.viewmodels.grades import badge
from inspector.viewmodels.lines import Fact, Line, Section, fact, lay, paragraph
from inspector.viewmodels.marks import MARKS
from inspector.viewmodels.ranking import always, best_first
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowSource, RowView
from inspector.viewmodels.thing_facts import icon_words

if TYPE_CHECKING:
    from inspector.checks.findings import Finding

MOST_PROPERTIES = 100
"""Of a schema that the summary names."""


class ToolRow(msgspec.Struct, frozen=True, gc=False):
    """A tool of the list. What its row shows is made when it is shown: of a hundred thousand, few are."""

    position: int
    """In the server's list, from 0."""
    tool: Tool
    size: int
    """Bytes of its JSON in the list."""

    @property
    def name(self) -> str:
        """Safe to show; a word of ours in brackets where the tool has none."""
        return text.visible(self.tool.name, limit=200) or "(no name)"

    @property
    def title(self) -> str:
        """Safe to show; "" if it says nothing that the name does not."""
        return "" if self.tool.title == self.tool.name else text.visible(self.tool.title, limit=200)

    @property
    def flaw(self) -> str:
        """Why it can't be used as it is; "" if it can."""
        return self.tool.flaw


def tool_rows(tools: Sequence[Tool], wanted: str = "") -> list[ToolRow]:
    """The tools that a search finds, best first; all of them in the server's order without one.

    A name that contains the text comes before a title that does, before a name that has its letters in order,
    before a description that contains it.
    """
    return _found([_row(position, tool) for position, tool in enumerate(tools)], wanted)


def _found(rows: list[ToolRow], wanted: str, goes_on: Callable[[], bool] = always) -> list[ToolRow]:
    needle = wanted.strip().casefold()
    return best_first(rows, lambda row: _rank(row, needle), goes_on) if needle else rows


def _row(position: int, tool: Tool) -> ToolRow:
    return ToolRow(position, tool, len(encode(tool.raw)))


def _rank(row: ToolRow, wanted: str) -> int | None:
    name = row.tool.name.casefold()
    if wanted in name:
        return 0 if name.startswith(wanted) else 1
    if wanted in row.tool.title.casefold():
        return 2
    letters = iter(name)
    if all(letter in letters for letter in wanted if not letter.isspace()):
        return 3
    return 4 if wanted in row.tool.description.casefold() else None


def total_cost(rows: Sequence[ToolRow]) -> str:
    """What the tools cost together: "13 tools, 9.1 kB, ~2300 tokens est."."""
    size = sum(row.size for row in rows)
    count = f"{len(rows)} tool{'' if len(rows) == 1 else 's'}"
    return f"{count}, {text.human_size(size)}, {_tokens(size)}"


def _tokens(size: int) -> str:
    return f"~{text.estimate_tokens(size)} tokens est."


class ToolList(RowSource):
    """The tools as rows of a list."""

    def __init__(self) -> None:
        self.rows: Sequence[ToolRow] = ()
        self.marks: Mapping[str, str] = {}
        """By key, "new" or "changed"; set before `replace`."""
        self.found: Callable[[Tool], Sequence[Finding]] = lambda tool: ()
        """What checks have found about a tool."""
        self._generation = 0
        self._all: tuple[Sequence[Tool], list[ToolRow]] = ((), [])

    def replace(self, tools: Sequence[Tool], wanted: str = "") -> None:
        """Show other tools, or the same after another search."""
        self.show(self.sought(tools, wanted))

    def sought(self, tools: Sequence[Tool], wanted: str, goes_on: Callable[[], bool] = always) -> list[ToolRow]:
        """What a search finds. Any thread."""
        return _found(self.all_rows(tools), wanted, goes_on)

    def show(self, rows: Sequence[ToolRow]) -> None:
        """Show what a search has found."""
        self.rows = rows
        self._generation += 1

    def all_rows(self, tools: Sequence[Tool]) -> list[ToolRow]:
        """A row for each tool; made once for the same list, because each tool is weighed for it."""
        if self._all[0] is not tools:
            self._all = (tools, tool_rows(tools))
        return self._all[1]

    def thing(self, index: int) -> Tool:
        """The tool in a row."""
        return self.rows[index].tool

    def identity(self, index: int) -> object:
        """Its kind and key."""
        thing = self.thing(index)
        return type(thing), thing.key

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def generation(self) -> int:
        return self._generation

    def row(self, index: int, width: int) -> RowView:
        row = self.rows[index]
        return RowView(row_spans(row, width, self.marks.get(row.tool.key, ""), badge(self.found(row.tool))))

    def judged(self) -> None:
        """Checks have found something: rows may look otherwise."""
        self._generation += 1

    def header(self, width: int) -> Sequence[Span]:
        cost = "size  tokens est." if width >= _WIDE else "size"
        return lay([(text.pad("tool", max(0, width - len(cost) - 1)), "muted"), (f" {cost}", "muted")], width)


_WIDE = 60


def row_spans(row: ToolRow, width: int, mark: str = "", badge: Span | None = None) -> list[Span]:
    """One tool in exactly `width` cells: its name, title and claims at the left, its cost at the right.

    `mark` is "new" or "changed" for a tool that is, `badge` what checks say of it.
    """
    cost = text.human_size(row.size)
    if width >= _WIDE:
        cost += f"  {text.pad(f'~{text.estimate_tokens(row.size)}', 11, right=True)}"
    left: list[Span] = [(row.name, "warning" if row.flaw else "method")]
    if mark:
        left += [(" ", "text"), MARKS[mark]]
    if badge is not None:
        left += [(" ", "text"), badge]
    if row.flaw:
        left.append((f" {signs.WARNING} {row.flaw}", "warning"))
    left += _badges(row.tool)
    if row.title:
        left.append((f"  {row.title}", "muted"))
    return lay([*lay(left, max(0, width - len(cost) - 1)), (f" {cost}", "faint")], width)


def _badges(tool: Tool) -> list[Span]:
    if tool.read_only:
        return [(f" {signs.CLAIMED}read-only", "claimed")]
    if tool.destructive:
        return [(f" {signs.CLAIMED}destructive", "claimed")]
    return []


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What is known of one tool."""

    title: Line
    description: tuple[Line, ...]
    sections: tuple[Section, ...]
    flaw: str = ""
    """Why it can't be used as it is; "" if it can."""


def tool_facts(tool: Tool) -> ToolFacts:
    """Everything that a panel about one tool shows."""
    row = _row(0, tool)
    title: Line = ((row.name, "title"), (f"  {row.title}", "text")) if row.title else ((row.name, "title"),)
    described = paragraph(tool.description, "foreign", limit=20_000)
    sections = (
        Section("Claims", _claims(tool), note="claimed by server, checked by nobody"),
        Section("Cost", _cost(row)),
        Section("Input", lines=tuple(schema_lines(tool.input_schema))),
        Section("Output", lines=_output(tool)),
        Section("Also", _also(tool)),
    )
    found = tuple(section for section in sections if section.facts or section.lines)
    return ToolFacts(title, described or ((("no description", "muted"),),), found, row.flaw)


def _claims(tool: Tool) -> tuple[Fact, ...]:
    found = [Fact("is", claim, "claimed") for claim in tool.claims]
    if tool.task_support:
        found.append(fact("as a task", tool.task_support, "claimed"))
    return tuple(found)


def _cost(row: ToolRow) -> tuple[Fact, ...]:
    parts = [(key, len(encode(peek.at(row.tool.raw, key)))) for key in ("description", "inputSchema", "outputSchema")]
    facts = [Fact("in the list", f"{row.size} bytes, {_tokens(row.size)}")]
    facts += [Fact(key, f"{size} bytes") for key, size in parts if peek.has(row.tool.raw, key)]
    return tuple(facts)


def _output(tool: Tool) -> tuple[Line, ...]:
    schema = tool.output_schema
    return () if schema is None else tuple(schema_lines(schema))


def _also(tool: Tool) -> tuple[Fact, ...]:
    raw = tool.raw
    found = [fact("icon", icon_words(icon), "muted") for icon in peek.items(raw, "icons")[:10]]
    if meta := peek.mapping(raw, "_meta"):
        found.append(fact("_meta", ", ".join(meta), "muted"))
    known = {
        "name",
        "title",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
        "icons",
        "_meta",
        "execution",
    }
    if more := [key for key in peek.mapping(raw) if key not in known]:
        found.append(fact("unknown members", ", ".join(more), "warning"))
    return tuple(found)


_KNOWN = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta", "execution"}
)


def schema_lines(schema: Any) -> list[Line]:
    """A schema in short: a line for each property, with its type, whether it is required, and what it is about."""
    if not isinstance(schema, dict):
        return [((f"a {peek.type_name(schema)} instead of a schema", "warning"),)]
    properties = peek.mapping(schema, "properties")
    required = {item for item in peek.items(schema, "required") if isinstance(item, str)}
    if not properties:
        said = type_words(schema)
        return [(("no parameters" if said in ("object", "anything") else said, "muted"),)]
    shown = list(properties.items())[:MOST_PROPERTIES]
    width = min(24, max(text.cell_width(text.visible(name, limit=60)) for name, _ in shown))
    lines = [_property(name, inner, name in required, width) for name, inner in shown]
    if len(properties) > len(shown):
        lines.append(((f"and {len(properties) - len(shown)} more", "muted"),))
    return lines


def _property(name: str, schema: Any, required: bool, width: int) -> Line:
    about = peek.text(schema, "description") or peek.text(schema, "title") or ""
    return (
        (text.pad(text.visible(name, limit=60), width), "key"),
        ("* " if required else "  ", "accent"),
        (type_words(schema), "literal"),
        (f"  {text.visible(about, limit=200)}" if about else "", "muted"),
    )


def type_words(schema: Any, depth: int = 0) -> str:
    """The type that a schema asks for in a few words: "string", "array of integer", "one of 3 values"."""
    if not isinstance(schema, dict):
        return "anything" if schema is True else "nothing" if schema is False else "?"
    for key, words in _WORDS:
        if key in schema:
            return words(schema[key])
    named = schema.get("type")
    if isinstance(named, list):
        return " or ".join(text.visible(item, limit=20) for item in named[:8] if isinstance(item, str)) or "?"
    if named == "array" and depth < 3 and "items" in schema:
        return f"array of {type_words(schema['items'], depth + 1)}"
    return text.visible(named, limit=20) if isinstance(named, str) else "anything"


def _reference(value: Any) -> str:
    return text.visible(value.rpartition("/")[2], limit=40) if isinstance(value, str) else "?"


def _choices(value: Any) -> str:
    count = len(value) if isinstance(value, list) else 0
    return f"one of {count} value{'' if count == 1 else 's'}"


def _branches(value: Any) -> str:
    return f"one of {len(value)} shapes" if isinstance(value, list) else "?"


_WORDS = (
    ("$ref", _reference),
    ("enum", _choices),
    ("const", lambda _: "one value"),
    ("oneOf", _branches),
    ("anyOf", _branches),
)
