"""Held messages and rules of an attached tap: rows made from the tap's status, and initial drafts."""

import time
from collections.abc import Sequence
from typing import Any

from inspector.capture.journal import Journal
from inspector.capture.messages import exchange_at, messages_at, request_of, result_response_of
from inspector.documents import UnreadableDocument, read_json
from inspector.filters.language.completion import quoted
from inspector.forms.typed import json_text
from inspector.forms.validate import validate
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, span
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Notification, Request, ResultResponse
from inspector.protocol.listed_items import ListedItem, Prompt, Resource, Tool
from inspector.text import one_line

URGENT_S = 10
"""A countdown below this many seconds is red."""

_WIDE = 50
"""Row width in cells from which the method and the receiver of a held message are shown."""

_OF_TAP = ("hits", "by", "trouble")
"""Members of a rule that only the tap writes."""

_METHODS: dict[type[ListedItem], str] = {Tool: "tools/call", Prompt: "prompts/get", Resource: "resources/read"}
_FIELDS = {"tools/call": "tool", "prompts/get": "prompt", "resources/read": "uri"}


class TapStatus:
    """Latest status of the tap, with its time."""

    def __init__(self, reply: dict[str, Any] | None = None) -> None:
        self.reply = reply or {}
        self._at = time.monotonic()

    @property
    def held(self) -> Sequence[dict[str, Any]]:
        """Held messages, oldest first."""
        return list(self.reply.get("held", ()))

    @property
    def rules(self) -> Sequence[dict[str, Any]]:
        """Rules in their order."""
        return list(self.reply.get("rules", ()))

    def releases_in_s(self, held: dict[str, Any]) -> float:
        """Return the seconds until a message is released by its deadline."""
        return max(0.0, float(held["releases_in_s"]) - (time.monotonic() - self._at))

    @property
    def badge(self) -> list[Span]:
        """Badge for the header; empty if nothing is held."""
        if not self.held:
            return []
        first = min(self.held, key=lambda each: float(each["releases_in_s"]))
        left = self.releases_in_s(first)
        return [
            (f"■ {len(self.held)} held", "warning"),
            span(f" · {first['method']} {first['target']} releases in "),
            (f"{left:.0f} s", "error" if left < URGENT_S else "warning"),
        ]

    @property
    def timeout(self) -> str:
        """When messages are released, and the source of the client's timeout."""
        by = {"given": "given", "observed": "observed"}.get(str(self.reply.get("timeout_by")), "assumed")
        seconds = float(self.reply.get("timeout_s", 60))
        return f"released at 80 % of the timeout ({seconds:g} s, {by})"


class HeldRows(RowSource):
    """Rows of held messages and then rules, or of held messages alone."""

    def __init__(self, *, rules: bool = True) -> None:
        self._status = TapStatus()
        self._with_rules = rules

    def show(self, status: TapStatus) -> None:
        """Show another status of the tap."""
        self._status = status
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self._every)

    def at(self, index: int) -> dict[str, Any] | None:
        """Return the held message or the rule in a row."""
        every = self._every
        return every[index] if 0 <= index < len(every) else None

    @property
    def _every(self) -> list[dict[str, Any]]:
        return [*self._status.held, *(self._status.rules if self._with_rules else ())]

    def row(self, index: int, width: int) -> RowView:
        found = self.at(index)
        if found is None:
            return RowView([])
        if "held" in found:
            left = self._status.releases_in_s(found)
            arrow = "to server" if found["dir"] == "c2s" else "to client"
            is_wide = width >= _WIDE
            name = (
                f"{found['method'] or found['side']} {found['target']}"
                if is_wide
                else found["target"] or found["method"]
            )
            what = one_line(name, max(10, width - (32 if is_wide else 18)))
            kind = " response" if found["side"] == "response" else ""
            countdown = f" {arrow} releases in {left:.0f} s" if is_wide else f" releases {left:.0f} s"
            urgent: Role = "error" if left < URGENT_S else "muted"
            return RowView([("■ ", "warning"), span(what, "method"), (kind, "muted"), (countdown, urgent)], live=True)
        mark = "[x] " if found["enabled"] else "[ ] "
        what = f"{found['name']}  {found['action']} {found.get('side', 'either')} {found.get('when', '')}"
        trouble: list[Span] = [span(f"  {found['trouble']}", "error")] if found["trouble"] else []
        return RowView(
            [
                (mark, "accent"),
                span(one_line(what, max(10, width - 12)), "text"),
                (f"  ×{found['hits']}", "muted"),
                *trouble,
            ]
        )


# Drafts


def written_rule(rule: dict[str, Any]) -> dict[str, Any]:
    """Convert a rule from the tap's report to its form in a file."""
    return {name: value for name, value in rule.items() if name not in _OF_TAP and (name, value) != ("enabled", True)}


def proposed_rule(journal: Journal, n: int) -> dict[str, Any] | None:
    """Return a rule that holds messages like an entry of the journal; None if the entry is not a message."""
    messages, exchange = messages_at(journal, n), exchange_at(journal, n)
    if not messages:
        return None
    message = messages[0]
    method, target = (exchange.method, exchange.target) if exchange is not None else ("", "")
    if isinstance(message, Request | Notification):
        method = message.method
    elif not isinstance(message, ResultResponse | ErrorResponse):
        return None
    side = {Request: "request", Notification: "notification"}.get(type(message), "response")
    return _holding(method, target, side)


def rule_for(item: ListedItem | None) -> dict[str, Any]:
    """Return a rule that holds requests for an item of a list; all tool calls for None or a resource template."""
    method = None if item is None else _METHODS.get(type(item))
    return _holding(method or "tools/call", item.key if item and method else "", "request")


def _holding(method: str, target: str, side: str) -> dict[str, Any]:
    field = _FIELDS.get(method, "")
    when = f"{field} == {quoted(target)}" if field and target else f"method == {quoted(method)}"
    return {"name": f"hold {target or method} {side}"[:80], "action": "hold", "side": side, "when": when}


def request_like(journal: Journal, n: int) -> dict[str, Any]:
    """Return method and params of an entry's request, to be sent again; those of `tools/list` if there is none."""
    exchange = exchange_at(journal, n)
    if exchange is not None and exchange.sender is Direction.TO_SERVER:
        message = request_of(journal, exchange)
        if message is not None:
            return {"method": message.method} | ({"params": message.params} if message.params is not None else {})
    return {"method": "tools/list", "params": {}}


def recorded_results(journal: Journal, method: str, target: str) -> list[Any]:
    """Return the server's results for requests of this kind, newest first."""
    found = []
    for exchange in reversed(journal.conversation.exchanges):
        fits = (exchange.method, exchange.target) == (method, target) and exchange.state is ExchangeState.ANSWERED
        if (
            fits
            and exchange.sender is Direction.TO_SERVER
            and (answer := result_response_of(journal, exchange)) is not None
        ):
            found.append(answer.result)
    return found


def blank_result(method: str) -> dict[str, Any]:
    """Return an initial result for a method without recorded results."""
    return {"content": [{"type": "text", "text": ""}]} if method == "tools/call" else {}


def result_of(value: Any) -> dict[str, Any]:
    """Return a tool result with the given structured content."""
    text = json_text(value, indent=None)
    return {"content": [{"type": "text", "text": text}], "structuredContent": value}


def tool_named(journal: Journal, name: str) -> Tool | None:
    """Return a tool of the session by its name; None if it was not listed."""
    items = journal.conversation.catalogue.listings["tools"].items
    return next((Tool(item) for item in items if peek.text(item, "name") == name), None)


def checked_part(tool: Tool | None, kind: str, side: str) -> tuple[Any, tuple[str, ...]]:
    """Return the schema for a text in the editor, None if there is none, and the path of the value it describes.

    `kind`: `held` or `response`; `side`: that of the held message.
    """
    if kind == "response":
        return None if tool is None else tool.output_schema, ("structuredContent",)
    if side == "response":
        return None if tool is None else tool.output_schema, ("result", "structuredContent")
    return None if tool is None else tool.input_schema, ("params", "arguments")


def verdict_on(text: str, tool: Tool | None, kind: str, side: str) -> Span:
    """Return whether an edited text is JSON and fits the schema of its tool, and if not, the first problem."""
    try:
        value = read_json(text)
    except UnreadableDocument as error:
        return span(f"▲ Not JSON: {error.placed}", "warning")
    schema, path = checked_part(tool, kind, side)
    found = peek.at(value, *path)
    if not isinstance(schema, dict) or (found is None and path[0] != "params"):
        return "✓ JSON", "muted"
    name = "inputSchema" if path[0] == "params" else "outputSchema"
    validation = validate(schema, {} if found is None else found)
    if validation.problems:
        first = validation.problems[0]
        more = f", and {len(validation.problems) - 1} more" if len(validation.problems) > 1 else ""
        return span(f"▲ {name}: {first.pointer or path[-1]} {first.sentence}{more}", "warning")
    return (f"✓ Valid against {name}", "ok") if validation.ok else span(f"▲ {name}: {validation.note}", "muted")
