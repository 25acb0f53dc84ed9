"""The form of the chosen tool, with what the tool says of itself above it and the way to call it below."""

from collections.abc import Iterator

from inspector import text
from inspector.present.items import link_line, meta_lines, said_facts, tool_facts
from inspector.present.spans import Span, fact_lines
from inspector.protocol import peek
from inspector.protocol.apps import app_of
from inspector.protocol.flows.tasks import Support
from inspector.protocol.headers import cautions
from inspector.protocol.jsonrpc import encode
from inspector.protocol.things import ListedItem, Tool
from inspector.tui import keys
from inspector.tui.actions import key_name
from inspector.tui.screens.items.form import ThingForm, ThingHead
from inspector.tui.theme import glyphs

# --- What a tool says of itself, above its form: title, description, claims, cost, and why it may not work.

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

    def show(self, thing: ListedItem | None) -> None:
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
    from inspector.present.compatibility import outlook_of  # what is known of hosts is not needed for a first picture

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


_WORDS = {
    Support.NONE: "",
    Support.FORBIDDEN: "never a task",
    Support.REQUIRED: "task required",
    Support.SERVER_DECIDES: "may be a task",
}
_NO_CHOICE = {
    Support.NONE: "This server has no tasks for tool calls.",
    Support.FORBIDDEN: "The server does not let this tool be called as a task.",
    Support.REQUIRED: "The tool must be called as a task, and is.",
    Support.SERVER_DECIDES: "The server alone decides whether a call becomes a task.",
}


class ToolForm(ThingForm):
    """One tool, ready to be called."""

    class CallWanted(ThingForm.CallWanted):
        """The person wants the tool to be called."""

        @property
        def tool(self) -> Tool:
            """The tool."""
            return Tool(self.thing.raw)

    def __init__(self) -> None:
        super().__init__(ToolHead(), one="tool", verb="Call")
        self._support = Support.NONE
        self._is_mirrored = False
        self._as_tasks: set[str] = set()
        """The names of the tools that are to be called as tasks, of those where that is a choice."""

    @property
    def as_task(self) -> bool:
        """Whether the person wants the call to be a task, where that is a choice."""
        tool = self.tool
        return self._support is Support.OPTIONAL and tool is not None and tool.name in self._as_tasks

    def say_support(self, support: Support) -> None:
        """Say whether calls of the tool may become tasks."""
        if support is not self._support:
            self._support = support
            self._renew_bar()

    def say_mirrored(self, mirrored: bool) -> None:
        """Say whether calls are sent over HTTP with headers that mirror parameters."""
        if mirrored is not self._is_mirrored:
            self._is_mirrored = mirrored
            self._renew_bar()

    def cautions(self) -> tuple[str, ...]:
        """What the headers of a call will not do as they should."""
        tool = self.tool
        return cautions(tool.input_schema, self.form.arguments) if self._is_mirrored and tool is not None else ()

    def toggle_task(self) -> None:
        """Call this tool as a task from now on, or not; where there is no choice, it is said why."""
        tool = self.tool
        if tool is None:
            return
        if self._support is Support.OPTIONAL:
            self._as_tasks ^= {tool.name}
            self._renew_bar()
        else:
            self.app.notify(_NO_CHOICE[self._support], markup=False)

    def task_words(self) -> str:
        """What the bar says of it."""
        if self._support is Support.OPTIONAL:
            return f"{glyphs().ok if self.as_task else glyphs().disconnected} as a task {keys.key_name('t')}"
        return _WORDS[self._support]

    @property
    def tool(self) -> Tool | None:
        """The tool that is shown."""
        return self.thing if isinstance(self.thing, Tool) else None

    def schema(self, thing: ListedItem) -> object:
        """The schema to draw; of a tool without one an object of whatever the person adds."""
        found = Tool(thing.raw).input_schema
        return found if isinstance(found, dict) else {"type": "object"}
