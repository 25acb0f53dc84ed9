"""Applies rules to a message: `Judge` tries each rule in order, and its ruling states what to forward.

This module knows no transport, does not wait, and does not send: the relay on stdio and the proxy for HTTP carry out
the ruling.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from inspector.documents import UNDECODABLE
from inspector.features.tap.rules import LISTS, ArmedRule, Rule
from inspector.filters.engine.message import MessageView
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, NotJsonRpc, Request, ResultResponse, encode, write_error
from inspector.text import rounded

_MOST_PENDING = 10_000


# Changing messages


class PatchFailed(ValueError):
    """A patch does not fit the value."""


class Note(msgspec.Struct, frozen=True):
    """The action of a rule on a message, as it is recorded."""

    act: str
    by: str
    why: str = ""


def apply_patch(value: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """Apply a JSON Patch (RFC 6902) to a copy of the value. Raises: PatchFailed."""
    import jsonpatch  # few taps have a rule that edits

    value = deepcopy(value)
    for each in deepcopy([*operations]):  # the library puts the values of a patch into the document
        where = f"{each['from']} or {each['path']}" if "from" in each else each["path"]
        try:
            value = jsonpatch.apply_patch(value, [each], in_place=True)
        except jsonpatch.JsonPatchTestFailed:  # what the library says quotes the message
            raise PatchFailed(f"{where} is not as the patch expects") from None
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            raise PatchFailed(f"{where} is not there") from None
    return value


def apply_merge(value: Any, patch: Any) -> Any:
    """Apply a merge patch (RFC 7396): members of objects are merged, null removes, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for name, new in patch.items():
        if new is None:
            merged.pop(name, None)
        else:
            merged[name] = apply_merge(merged.get(name), new)
    return merged


# Judging


class Ruling(msgspec.Struct):
    """The decision on a message."""

    view: MessageView
    payload: bytes | None
    """Message to forward, without line end; None for nothing."""
    notes: list[Note] = []
    hold: ArmedRule | None = None
    delay_s: float = 0.0
    only_this: bool = False
    reply: bytes | None = None
    """Response to the sender that the other party never sees."""
    before: bytes | None = None
    """Line to write before the message."""
    twice: bool = False
    kill: bool = False
    """Whether to kill the server."""
    status: int = 0
    """HTTP status of the response that replaces the message; 0 for none. Not used on stdio."""

    @property
    def is_plain(self) -> bool:
        """Whether the message is forwarded unchanged and immediately."""
        return not self.notes and self.hold is None

    @property
    def is_changed(self) -> bool:
        """Whether the message is replaced or dropped."""
        return self.payload != self.view.payload

    def edits(self) -> Iterator[tuple[Note, bytes | None]]:
        """Yield the notes, the last one with the message that replaces this one, if one does."""
        for note in self.notes:
            yield note, self.payload if note is self.notes[-1] and self.is_changed else None


class Judge:
    """All rules of a tap, and the pending requests."""

    def __init__(self) -> None:
        self.rules: list[ArmedRule] = []
        self.switched_off: Callable[[ArmedRule], None] = lambda rule: None
        """Called with a rule that was switched off because it failed or was too slow."""
        self._pending: OrderedDict[tuple[Direction, int | str], tuple[MessageView, int]] = OrderedDict()

    @property
    def armed(self) -> bool:
        """Whether any rule is enabled."""
        return any(each.enabled for each in self.rules)

    def judge(
        self,
        direction: Direction,
        payload: bytes,
        *,
        channel: str = "",
        headers: Sequence[tuple[str, str]] = (),
        http_status: int | None = None,
    ) -> Ruling:
        """Return the decision on a message. A batch is treated like its first message that a rule matches."""
        whole = MessageView(direction, payload, channel=channel, headers=headers, http_status=http_status)
        views = [whole]
        if len(whole.messages) > 1:
            views = [MessageView(direction, payload, message=each, channel=channel) for each in whole.messages]
        for view in views:
            self._pair(view)
        ruling = Ruling(whole, payload)
        for rule in self.rules:
            was_enabled = rule.enabled
            matched = next(filter(rule.wants, views), None)
            if matched is not None and ruling.payload is not None:
                self._apply(rule, matched, ruling, is_batch=len(views) > 1)
            if was_enabled and not rule.enabled and rule.trouble:
                self.switched_off(rule)
        return ruling

    def age_ns(self, direction: Direction, id_: int | str) -> int | None:
        """Return the age of a pending request; None if it is not pending."""
        found = self._pending.get((direction, id_))
        return time.monotonic_ns() - found[1] if found is not None else None

    def forget(self, direction: Direction, id_: int | str) -> None:
        """Forget a request that will get no response from the other party."""
        self._pending.pop((direction, id_), None)

    def _pair(self, view: MessageView) -> None:
        message = view.message
        if isinstance(message, Request):
            self._pending[view.direction, message.id] = (view, time.monotonic_ns())
            if len(self._pending) > _MOST_PENDING:
                self._pending.popitem(last=False)
        elif isinstance(message, ResultResponse | ErrorResponse) and message.id is not None:
            found = self._pending.pop((_opposite(view.direction), message.id), None)
            if found is not None:
                view.request, view.elapsed_ns = found[0], time.monotonic_ns() - found[1]

    def _apply(self, rule: ArmedRule, view: MessageView, ruling: Ruling, *, is_batch: bool) -> None:
        by, written = f"rule:{rule.rule.name}", rule.rule
        match written.action:
            case "log":
                ruling.notes.append(Note("log", by, written.text or "matched"))
            case "hold":
                ruling.hold, ruling.only_this = ruling.hold or rule, written.only_this
            case "delay":
                ruling.delay_s += rule.wait_s(len(view.payload))
                ruling.notes.append(Note("delay", by, f"{rounded(ruling.delay_s)} s"))
            case "drop":
                ruling.payload = None
                ruling.notes.append(Note("drop", by))
                self._gone(view)
            case "edit" | "hide" | "override":
                self._edit(rule, view, ruling, by, is_batch=is_batch)
            case "answer":
                if isinstance(view.message, Request) and not is_batch:
                    self._answer(view.message, written, view, ruling)
                    ruling.notes.append(Note("answer", by))
            case "fault":
                self._fault(rule, view, ruling, by)

    def _gone(self, view: MessageView) -> None:
        if isinstance(view.message, Request):
            self.forget(view.direction, view.message.id)

    def _answer(self, message: Request, rule: Rule, view: MessageView, ruling: Ruling) -> None:
        error = rule.error
        if rule.action == "fault" and error is None:
            error = {"code": -32603, "message": "Fault injected by mcp-inspect"}
        member = {"error": error} if error is not None else {"result": rule.result}
        ruling.payload, ruling.reply = None, encode({"jsonrpc": "2.0", "id": message.id} | member)
        self._gone(view)

    def _edit(self, rule: ArmedRule, view: MessageView, ruling: Ruling, by: str, *, is_batch: bool) -> None:
        if is_batch or isinstance(view.message, NotJsonRpc):
            ruling.notes.append(Note("log", by, "not edited: it is a batch, or no JSON-RPC message"))
            return
        try:
            value = msgspec.json.decode(ruling.payload or b"")
            edited = _edited(rule.rule, value, view.method)
        except (PatchFailed, *UNDECODABLE) as error:
            ruling.notes.append(Note("log", by, f"not edited: {error}"[:300]))
            return
        if edited != value:
            ruling.payload = encode(edited)
            ruling.notes.append(Note("modify", by))

    def _fault(self, rule: ArmedRule, view: MessageView, ruling: Ruling, by: str) -> None:
        payload, kind = ruling.payload or b"", rule.rule.fault
        if kind == "error":
            if isinstance(view.message, Request):
                self._answer(view.message, rule.rule, view, ruling)
            elif isinstance(view.message, ResultResponse):
                error = rule.rule.error or {}
                code, message = peek.integer(error, "code") or -32603, peek.text(error, "message")
                ruling.payload = write_error(view.message.id, code, message or "Fault injected by mcp-inspect")
        elif kind == "cut":
            ruling.payload = payload[: len(payload) // 2]
        elif kind == "malformed":
            ruling.payload = payload.replace(b'"', b"'", 1) if b'"' in payload else payload + b"}"
        elif kind == "banner":
            ruling.before = b"Server is listening (injected by mcp-inspect)"
        elif kind == "duplicate":
            ruling.twice = True
        elif kind == "status":
            ruling.status = rule.rule.status
        else:
            ruling.kill = True
        ruling.notes.append(Note("fault", by, f"status {ruling.status}" if kind == "status" else str(kind)))


def _opposite(direction: Direction) -> Direction:
    return Direction.TO_SERVER if direction is Direction.FROM_SERVER else Direction.FROM_SERVER


def _edited(rule: Rule, value: Any, method: str) -> Any:
    if rule.action == "edit":
        return _patched(rule, value)
    member, key = LISTS[method]
    items = peek.items(value, "result", member)
    if rule.action == "hide":
        kept = [item for item in items if not _is_named(rule, item, key)]
    else:
        kept = [_patched(rule, item) if _is_named(rule, item, key) else item for item in items]
    return value if kept == items else value | {"result": value["result"] | {member: kept}}


def _patched(rule: Rule, value: Any) -> Any:
    patched = apply_patch(value, rule.patch) if rule.patch else value
    return apply_merge(patched, rule.merge) if rule.merge is not None else patched


def _is_named(rule: Rule, item: Any, key: str) -> bool:
    name = peek.text(item, key) or ""
    return any(fnmatchcase(name, pattern) for pattern in rule.names)
