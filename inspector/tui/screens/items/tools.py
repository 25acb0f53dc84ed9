"""Tools screen: the tools of a server, the form of the chosen one, and calling it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from inspector import text
from inspector.forms.typed import json_text
from inspector.present.compatibility import outlook_of
from inspector.present.items import ToolList, item_facts, link_line, meta_lines, tool_facts, total_cost
from inspector.present.spans import Line, Span, fact_lines
from inspector.protocol import peek
from inspector.protocol.apps import app_of
from inspector.protocol.flows.tasks import Support, support_of
from inspector.protocol.headers import cautions
from inspector.protocol.jsonrpc import encode
from inspector.protocol.listed_items import ListedItem, Tool
from inspector.protocol.tracking.catalogue import Listing
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation
from inspector.tui.results.calls import question
from inspector.tui.results.panel import ResultPanel
from inspector.tui.results.views import SCHEMA, STDERR
from inspector.tui.screens.items.dialogs import show_app_of, show_hosts
from inspector.tui.screens.items.form import ItemForm, ItemHead
from inspector.tui.screens.items.list import ItemKind, ItemList
from inspector.tui.screens.items.panel import ItemsPanel
from inspector.tui.theme import glyphs
from inspector.tui.widgets.dialogs import ConfirmScreen

if TYPE_CHECKING:
    from inspector.tui.screens.items.app_dialog import AppOpener

_MOST = 200
"""Maximum number of lines of an expanded description."""

_TASK_WORDS = {
    Support.NONE: "",
    Support.FORBIDDEN: "",
    Support.REQUIRED: "task required",
    Support.SERVER_DECIDES: "task optional",
}

_COUNTED, _TICKS = 500, 10
"""Requests counted per update, and updates between two refreshes of the usage text (a third of a second)."""


def describe(item: ListedItem, full: bool, found: Sequence[list[Span]]) -> Iterator[list[Span]]:
    """Yield the description of a tool: title, text, claims, cost, and why it may not work."""
    tool = Tool(item.raw)
    facts = tool_facts(tool)
    yield list(facts.title)
    if facts.flaw:
        yield [(f"{glyphs().warning} {facts.flaw}: use JSON to call it", "warning")]
    yield from found
    if (link := app_of(tool)) is not None:
        yield list(link_line(link, keys.shown_key("tools.app")))
        if link.uri:
            yield [(f"{keys.shown_key('tools.browser')} Show app in browser", "accent")]
    described = [[(part, role) for part, role in line] for line in facts.description]
    claims = ", ".join([*tool.claims, *([f"tasks {text.visible(tool.task_support)}"] if tool.task_support else [])])
    hints: list[list[Span]] = [[(f"{glyphs().claimed} server hints: ", "faint"), (claims, "claimed")]] if claims else []
    yield from (*hints, *described[:_MOST]) if tool.destructive else (*described[:_MOST], *hints)
    if outlook := _outlooks.of(tool.raw):
        yield list(outlook)
    size = len(encode(tool.raw))
    cost = f"{text.human_size(size)} definition, ≈{text.estimate_tokens(size):,} tokens"
    star: list[Span] = [("*", "error"), (" required   ", "faint")]
    more_facts = item_facts(tool)
    yield [*(star if peek.items(tool.input_schema, "required") else []), (cost, "faint")]
    more: list[Span] = [(f"{keys.shown_key('tools.schema')} Schemas", "accent")]
    if outlook:
        more.append((f"   {keys.shown_key('tools.clients')} Clients", "accent"))
    yield more
    if full:
        yield from (list(line) for line in fact_lines(more_facts))
        yield from (list(line) for line in meta_lines(tool.raw))


class _Outlooks:
    """What clients do with the tool that is shown: a head is drawn often, and a large schema takes long."""

    def __init__(self) -> None:
        self._latest: tuple[object, Line] = (None, ())

    def of(self, raw: object) -> Line:
        if self._latest[0] is not raw:
            self._latest = (raw, outlook_of(raw))
        return self._latest[1]


_outlooks = _Outlooks()


class ToolForm(ItemForm):
    def __init__(self) -> None:
        super().__init__(ItemHead(describe), one="tool", verb="Call")
        self._support = Support.NONE
        self._is_mirrored = False
        self._as_tasks: set[str] = set()
        """Names of tools to call as tasks, if there is a choice."""

    @property
    def as_task(self) -> bool:
        """Whether the user has chosen to run the call as a task, if there is a choice."""
        return self.tool is not None and self.has_task_choice and self.tool.name in self._as_tasks

    def set_task_support(self, support: Support) -> None:
        """Set whether calls of the tool can run as tasks."""
        if support is not self._support:
            self._support = support
            self._renew_bar()

    def set_mirrored(self, mirrored: bool) -> None:
        """Set whether calls are sent over HTTP with headers that mirror parameters."""
        if mirrored is not self._is_mirrored:
            self._is_mirrored = mirrored
            self._renew_bar()

    def cautions(self) -> tuple[str, ...]:
        """Return warnings about the headers of the call."""
        tool = self.tool
        return cautions(tool.input_schema, self.form.arguments) if self._is_mirrored and tool is not None else ()

    @property
    def has_task_choice(self) -> bool:
        """Whether the user chooses if the call runs as a task."""
        return self.tool is not None and self._support is Support.OPTIONAL

    def toggle_task(self) -> None:
        """Toggle whether calls of this tool run as a task, if there is a choice."""
        if self.tool is not None and self.has_task_choice:
            self._as_tasks ^= {self.tool.name}
            self._renew_bar()

    def task_words(self) -> str:
        if self._support is Support.OPTIONAL:
            return f"{glyphs().ok if self.as_task else glyphs().disconnected} as a task {keys.shown_key('tools.task')}"
        return _TASK_WORDS[self._support]

    @property
    def tool(self) -> Tool | None:
        return self.item if isinstance(self.item, Tool) else None

    def schema(self, item: ListedItem) -> object:
        """Return the schema of the form; for a tool without one, an object with arbitrary members."""
        found = Tool(item.raw).input_schema
        return found if isinstance(found, dict) else {"type": "object"}


def _read(listings: Sequence[Listing]) -> Sequence[Tool]:
    return tuple(Tool(raw) for listing in listings for raw in listing.items)


def _summary(rows: ToolList, tools: Sequence[Tool]) -> tuple[str, str]:
    """Return the number of tools and their cost."""
    count, _, rest = total_cost(rows.all_rows(tools)).partition(",")
    return count, f",{rest}" if rest else ""


class ToolsPanel(ItemsPanel[ToolForm]):
    """Panel of the server's tools and their calls."""

    places = keys.SCREENS["tools"].places
    BINDINGS = keys.bindings("Tools", "Tools, Resources and Prompts", ActionScope.RESULT, ActionScope.DETAIL)

    def __init__(self, conversation: OpenConversation) -> None:
        rows = ToolList()
        kind = ItemKind(
            kinds=("tools",),
            one="tool",
            many="tools",
            search="name, title or description",
            read=_read,
            summary=lambda tools: _summary(rows, tools),
            method="tools/call",
            made=lambda item, name: name == item.name,
        )
        super().__init__(conversation, ItemList(conversation, rows, kind), ToolForm(), ResultPanel())
        self._rows = rows
        self._opener: AppOpener | None = None
        """Created at first use: few tools have an app."""
        self.form.asks_later = lambda item: self.requests.calling.must_ask(Tool(item.raw))
        self._ticks = 0
        self._seen_use: tuple[object, int, Tool | None] = (None, 0, None)

    def sync(self) -> None:
        """Update all parts, the usage of the tools, and whether the shown one can run as a task."""
        super().sync()
        if self.steps.is_ready:
            conversation = self.conversation
            self._show_usage()
            opening = conversation.opening
            mirrored = opening is not None and opening.revision.routing_headers
            self.form.set_mirrored(mirrored and bool(conversation.journal.http_exchanges))
            self.form.set_task_support(support_of(self.form.tool, opening) if opening is not None else Support.NONE)

    def _show_usage(self) -> None:
        use, tool = self.conversation.tool_use, self.form.tool
        self._ticks += 1
        seen = (use, use.take(_COUNTED), tool)
        if seen != self._seen_use and (self._ticks % _TICKS == 0 or tool is not self._seen_use[2]):
            self._seen_use = seen
            self._rows.used = use.text
            self._rows.touch()
            self.items.list.sync()
            self.form.show_usage(self.usage_text())

    def usage_text(self) -> str:
        """Return the use of the shown tool, and the age of the list."""
        tool, age = self.form.tool, super().usage_text()
        used = self.conversation.tool_use.text(tool.name) if tool is not None else ""
        return f" {glyphs().note} ".join(filter(None, (used, age)))

    def can_do(self, name: str) -> bool:
        """Enable tasks and apps for tools that have them."""
        if name == "task":
            return self.form.has_task_choice
        return self.result.body.has_app if name in ("app", "browser") else super().can_do(name)

    async def do_more(self, name: str) -> None:
        """Run the actions of this screen: "task", "app", "hosts", "sort", "schema", "stderr".

        Also run "edit" and "repeat" of the shown call.
        """
        match name:
            case "task":
                self.form.toggle_task()
            case "app":
                show_app_of(self.app, self.conversation, self.form.tool)
            case "browser":
                last = self.requests.last
                self._app_opener().open(self.form.tool, last.exchange if last is not None else None)
            case "sort":
                title = self._rows.sort_next()
                self.app.notify(f"Sorted by {title.lower()}." if title else "In the server's order.")
            case "schema":
                self.steps.show_view(SCHEMA)
            case "stderr":
                self.steps.show_view(STDERR)
            case "hosts":
                show_hosts(self.app, self.conversation)
            case _:
                await super().do_more(name)

    def _app_opener(self) -> "AppOpener":
        if self._opener is None:
            from inspector.tui.screens.items.app_dialog import AppOpener  # brings a web server

            self._opener = AppOpener(self, self.conversation)
        return self._opener

    async def choose(self, item: ListedItem | None) -> None:
        """Show the tool, its newest call and its schemas."""
        await super().choose(item)
        tool, body = self.form.tool, self.result.body
        found = peek.mapping(tool.raw) if tool is not None else {}
        schemas = {key: found[key] for key in ("inputSchema", "outputSchema") if key in found}
        link = None if tool is None else app_of(tool)
        body.has_app = link is not None and bool(link.uri)
        body.show_schema(json_text(schemas).encode(errors="replace") if schemas else b"")
        if body.tab == SCHEMA:
            self.steps.open_result(go=False)

    def on_item_form_call_wanted(self, event: ItemForm.CallWanted) -> None:
        """Call the tool, after the user's confirmation if it is required."""
        event.stop()
        tool, arguments, calling = Tool(event.item.raw), event.arguments, self.requests.calling

        def call() -> None:
            self.requests.begin(calling.begin(tool, arguments, as_task=self.form.as_task))

        def answered(yes: bool | None) -> None:
            if yes:
                calling.confirmed(tool)
                call()

        if calling.must_ask(tool):
            quoted = visible(json_text(arguments), limit=2000, newlines=True) or "no arguments"
            lines = question(tool, self.conversation.about.label, self.form.form.problem_count)
            self.app.push_screen(ConfirmScreen(f"Call {visible(tool.name, limit=40)}?", lines, quoted), answered)
        else:
            call()
