"""What a tool says of itself, above its form: title, description, claims, cost, and why it may not work."""

from collections.abc import Iterator

from inspector.protocol import peek
from inspector.protocol.apps import app_of
from inspector.protocol.jsonrpc import encode
from inspector.protocol.things import Thing, Tool
from inspector.tui.actions import key_name
from inspector.tui.panels.thing_form import ThingHead
from inspector.tui.styles import glyphs
from inspector.viewmodels import text
from inspector.viewmodels.apps import link_line
from inspector.viewmodels.lines import fact_lines
from inspector.viewmodels.roles import Span
from inspector.viewmodels.thing_facts import meta_lines, said_facts
from inspector.viewmodels.tools import tool_facts

_FEW = 3
"""Lines, and so many characters each, that are shown at first."""
_LINE = 160
_MOST = 200
"""Lines that are shown of a description in full."""


class ToolHead(ThingHead):
    """About one tool. Long descriptions show their beginning until somebody asks for all."""

    DEFAULT_CSS = """
    ToolHead { height: auto; padding: 0 2; margin: 0 0 1 0; }
    """

    def __init__(self) -> None:
        super().__init__("")
        self._tool: Tool | None = None
        self.full = False

    def show(self, thing: Thing | None) -> None:
        """Show another tool."""
        self._tool = thing if isinstance(thing, Tool) else None
        self.full = False
        self._renew()

    def toggle(self) -> None:
        """Show all of the description, or its beginning."""
        self.full = not self.full
        self._renew()

    def lines(self) -> list[list[Span]]:
        """Its name, what is wrong with it, and what its server says of it."""
        tool = self._tool
        if tool is None:
            return []
        flaw = tool_facts(tool).flaw
        title, *rest = _lines(tool, full=self.full)
        wrong: list[list[Span]] = []
        if flaw:
            wrong.append([(f"{glyphs().warning} {flaw}: it can still be called, with JSON", "warning")])
        found = [] if self._folded else self.finding_lines(full=self.full)
        return [title, *wrong, *found, *rest]


def _lines(tool: Tool, *, full: bool) -> Iterator[list[Span]]:
    facts = tool_facts(tool)
    yield list(facts.title)
    described = [[(part, role) for part, role in line] for line in facts.description]
    if full:
        yield from described[:_MOST]
    else:
        yield from beginning(described)
    claims = ", ".join([*tool.claims, *([f"tasks {text.visible(tool.task_support)}"] if tool.task_support else [])])
    if claims:
        yield [(f"{glyphs().claimed} claimed by server: ", "faint"), (claims, "claimed")]
    if (link := app_of(tool)) is not None:
        yield list(link_line(link, key_name("o")))
    if outlook := _outlook(tool):
        yield outlook
    size = len(encode(tool.raw))
    cost = f"{text.human_size(size)} in the list, ≈{text.estimate_tokens(size):,} tokens (estimate)"
    star: list[Span] = [("*", "error"), (" required   ", "faint")]
    said = said_facts(tool)
    more: list[Span] = [(f"   {key_name('i')} shows {len(said)} more", "accent")] if said and not full else []
    more.append((f"   {key_name('S')} schemas", "accent"))
    yield [*(star if peek.items(tool.input_schema, "required") else []), (cost, "faint"), *more]
    if full:
        yield from (list(line) for line in fact_lines(said))
        yield from (list(line) for line in meta_lines(tool.raw))


def _outlook(tool: Tool) -> list[Span]:
    """The worst that hosts are known to do with it, and the key that shows all of them; [] for nothing."""
    from inspector.viewmodels.hosts import outlook_of  # what is known of hosts is not needed for a first picture

    line = outlook_of(tool.raw)
    return [*line, (f"  {key_name('M')} shows all", "accent")] if line else []


def beginning(described: list[list[Span]]) -> Iterator[list[Span]]:
    """The first lines of a description, and the key that shows the others."""
    left = _FEW * _LINE
    for at, line in enumerate(described):
        length = sum(len(part) for part, _ in line)
        if at >= _FEW or length > left:
            words, role = line[0]
            cut = words[: max(left, 0)] if at < _FEW else ""
            yield [(cut, role), (f"{glyphs().ellipsis} i shows all", "accent")]
            return
        left -= length
        yield line
