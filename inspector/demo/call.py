"""A request that the demo handles: its client, its revision, and how to respond.

It also holds the state of its connection. This file does not know the transport: `reply` writes to the request's own
stream, `notify` to the listeners.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from inspector.demo.state import DemoState, StationChange

# Protocol revisions, independent of the client's table

META = "io.modelcontextprotocol/"
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
METHOD_NOT_FOUND = -32601
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
PARSE_ERROR = -32700
RESOURCE_NOT_FOUND = -32002
URL_REQUIRED = -32042
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
_ADDED: dict[str, tuple[str, ...]] = {
    "2024-11-05": (),
    "2025-03-26": ("batches", "completions", "tool.annotations", "progress.message", "content.audio"),
    "2025-06-18": (
        *("tool.title", "tool.outputSchema", "tool._meta", "result.structuredContent", "resource.title"),
        *("template.title", "prompt.title", "argument.title", "implementation.title", "content.resource_link"),
        "elicitation",
    ),
    "2025-11-25": (
        *("error without id", "elicitation.modes", "elicitation.choices", "tool.icons", "resource.icons"),
        *("template.icons", "prompt.icons", "implementation.icons", "implementation.description"),
        *("implementation.websiteUrl", "tasks", "tool.execution"),
    ),
    "2026-07-28": (),
}
"""The features that each revision adds."""
_REMOVED = {"2025-06-18": "batches", "2026-07-28": "tool.execution"}
_STATELESS = ("2026-07-28",)
_GATED = frozenset(feature for added in _ADDED.values() for feature in added)
ASSUMED_OVER_HTTP = "2025-03-26"
"""Revision of a request without a version header (2025-06-18 basic/transports, protocol version header)."""
_KEY = secrets.token_bytes(32)


@dataclass(frozen=True, slots=True)
class DemoEra:
    """One revision: its name and its features."""

    name: str
    features: frozenset[str] = frozenset()
    """Features such as "batches", or "kind.member" for a member that objects of this kind may have."""
    stateless: bool = False
    """Whether each request declares its own revision; there is no handshake and no stored state."""

    def has(self, feature: str) -> bool:
        """Return whether the revision has a feature."""
        return feature in self.features


Json = dict[str, Any]
Send = Callable[[Any], Awaitable[None]]
"""Sends one message (or, in a batch, a list of them) to the client."""


class DemoFault(Exception):
    """Raised when a tool fails: its result has `isError`."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    legacy: bool = True
    modern: bool = True
    page_size: int = 0
    """Number of items per page of a list; 0 means all on one page."""
    weather: float = 5.0
    """Seconds between changes of the barometer; 0: never."""


def _eras() -> Iterator[DemoEra]:
    features: frozenset[str] = frozenset()
    for name, added in _ADDED.items():
        features = (features | frozenset(added)) - {_REMOVED.get(name, "")}
        yield DemoEra(name, features, name in _STATELESS)


LEGACY = {era.name: era for era in _eras() if not era.stateless}
"""Opened by `initialize`."""
MODERN = {era.name: era for era in _eras() if era.stateless}
"""Stateless: `_meta` on every request."""
NEWEST_LEGACY = LEGACY[max(LEGACY)]
NEWEST_MODERN = MODERN[max(MODERN)]


def counter_offer(wanted: object) -> DemoEra:
    """Return the revision for `initialize`: the requested one if it is known, else our newest with a handshake."""
    return LEGACY.get(wanted, NEWEST_LEGACY) if isinstance(wanted, str) else NEWEST_LEGACY


def trim(kind: str, item: Mapping[str, Any], era: DemoEra) -> dict[str, Any]:
    """Return an object without the members that this revision does not know."""
    return {
        key: value for key, value in item.items() if f"{kind}.{key}" not in _GATED or f"{kind}.{key}" in era.features
    }


def fit_content(block: Mapping[str, Any], era: DemoEra) -> dict[str, Any]:
    """Return a content block; one of a type that this revision does not know becomes a line of text."""
    kind = f"content.{block['type']}"
    if kind not in _GATED or kind in era.features:
        return dict(block)
    about = block.get("uri") or block.get("mimeType", "")
    return {"type": "text", "text": f"[{block['type']} left out in {era.name}: {about}]"}


def fit_result(result: Mapping[str, Any], era: DemoEra) -> dict[str, Any]:
    """Return a tool's result without what this revision does not know."""
    fitted = trim("result", result, era)
    fitted["content"] = [fit_content(block, era) for block in result["content"]]
    return fitted


def fit_prompt(prompt: Mapping[str, Any], era: DemoEra) -> dict[str, Any]:
    """Return a prompt of a list. Its arguments have no title before titles were introduced."""
    fitted = trim("prompt", prompt, era)
    if "arguments" in fitted:
        fitted["arguments"] = [trim("argument", argument, era) for argument in fitted["arguments"]]
    return fitted


class DemoError(Exception):
    """Raised to respond to a request with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    def as_error(self) -> Json:
        """Return the `error` member of the response."""
        error: Json = {"code": self.code, "message": str(self)}
        if self.data is not None:
            error["data"] = self.data
        return error


@dataclass(slots=True, eq=False)
class DemoConnection:
    """State of one connection: a process on stdio, a session on HTTP, one POST in the stateless era."""

    notify: Send
    era: DemoEra | None = None
    """Revision of the handshake; None until `initialize` was handled."""
    log_level: str = "info"
    watched: set[str] = field(default_factory=set)
    """Resources to which the client has subscribed (handshake era)."""
    capabilities: Json = field(default_factory=dict)
    """Capabilities that the client declared in its handshake."""
    ids: "count[int]" = field(default_factory=lambda: count(1))
    """Ids of our own requests."""
    waiting: dict[str, "asyncio.Future[Json]"] = field(default_factory=dict)
    """Our own pending requests by id (handshake era)."""
    visits: list[str] = field(default_factory=list)
    """Ids of elicitations that an error mentioned."""

    async def hear(self, change: StationChange) -> None:
        """Send a notification about a change, as in the handshake era: lists always, resources to subscribers."""
        if change.what != "resource" or change.uri in self.watched:
            method, params = news(change)
            await self.notify({"jsonrpc": "2.0", "method": method, "params": params})


@dataclass(slots=True)
class DemoRequest:
    """A request being handled."""

    id: str | int
    method: str
    params: Json
    era: DemoEra
    link: DemoConnection
    reply: Send
    station: DemoState
    options: DemoOptions

    @property
    def meta(self) -> Json:
        """`_meta` of the request; empty if there is none."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def capabilities(self) -> Json:
        """Capabilities that the client declared with this request, or in its handshake."""
        declared = self.meta.get(META + "clientCapabilities") if self.era.stateless else self.link.capabilities
        return declared if isinstance(declared, dict) else {}

    def text(self, name: str) -> str:
        """Return a required string of the params. Raises: DemoError."""
        value = self.params.get(name)
        if not isinstance(value, str):
            raise DemoError(INVALID_PARAMS, f"params.{name} must be a string")
        return value

    async def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Send progress, if the request has a progress token."""
        token = self.meta.get("progressToken")
        if isinstance(token, bool) or not isinstance(token, (str, int)):
            return
        params: Json = {"progressToken": token, "progress": done}
        if total is not None:
            params["total"] = total
        if message and self.era.has("progress.message"):
            params["message"] = message
        await self.tell("notifications/progress", params)

    async def log(self, level: str, data: object, logger: str = "lighthouse") -> None:
        """Send a log message, if the client has requested its level."""
        if self._wants(level):
            await self.tell("notifications/message", {"level": level, "logger": logger, "data": data})

    def _wants(self, level: str) -> bool:
        lowest = self.meta.get(META + "logLevel") if self.era.stateless else self.link.log_level
        # Stateless: a request without a level gets no logs (2026-07-28 server/utilities/logging).
        return lowest in LEVELS and LEVELS.index(level) >= LEVELS.index(lowest)

    async def tell(self, method: str, params: Json) -> None:
        """Send a notification on the request's own stream."""
        await self.reply({"jsonrpc": "2.0", "method": method, "params": params})


def news(change: StationChange) -> tuple[str, Json]:
    """Return method and params of the notification about a change."""
    if change.what == "resource":
        return "notifications/resources/updated", {"uri": change.uri}
    return f"notifications/{change.what}/list_changed", {}


def write_stderr(line: str) -> None:
    """Write a line to stderr, where a server may write anything."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def parse(data: bytes) -> Any:
    """Parse JSON. Raises: DemoError for anything invalid."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise DemoError(PARSE_ERROR, f"This is not JSON: {error}") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def dump(message: object) -> bytes:
    """Return a message as one line of JSON without its line end."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


# Elicitation, sampling and roots requests of tools


class InputRequired(Exception):
    """Raised to respond to a call with input requests, with a state, or with both."""

    def __init__(self, requests: Json, state: str) -> None:
        super().__init__("input required")
        self.requests = requests
        self.state = state

    def as_result(self) -> Json:
        made: Json = {"resultType": "input_required", "requestState": self.state}
        return made | ({"inputRequests": self.requests} if self.requests else {})


async def ask(call: DemoRequest, questions: dict[str, Json], state: Json | None = None) -> dict[str, Json]:
    """Return the client's answers, by the keys of the questions. A question is `{method, params}`.

    `state` is what `remembered` returns when the client calls again.

    Raises: InputRequired (stateless era, if the answers are missing), Mishap if the client refused.
    """
    if not call.era.stateless:
        answers = await asyncio.gather(*(_ask_one(call, question) for question in questions.values()))
        return dict(zip(questions, answers, strict=True))
    remembered(call)
    given = call.params.get("inputResponses", {})
    if not isinstance(given, dict):
        raise DemoError(INVALID_PARAMS, "params.inputResponses must be an object")
    if not questions.keys() <= given.keys():
        raise InputRequired(questions, seal(call, state or {}))
    # An answer is used once: the same key requests another answer when it is used again.
    return {key: _object(given.pop(key), questions[key]["method"]) for key in questions}


async def _ask_one(call: DemoRequest, question: Json) -> Json:
    """Send a request and wait for its response; cancel it if the call is cancelled meanwhile."""
    link = call.link
    request_id = f"lamp-{next(link.ids)}"
    waiting = link.waiting[request_id] = asyncio.get_running_loop().create_future()
    try:
        await call.reply({"jsonrpc": "2.0", "id": request_id, **question})
        answer: Json = await waiting
    except asyncio.CancelledError:
        reason = "the call was cancelled"
        await call.tell("notifications/cancelled", {"requestId": request_id, "reason": reason})
        raise
    finally:
        del link.waiting[request_id]
    if "error" in answer:
        error = answer["error"] if isinstance(answer["error"], dict) else {}
        raise DemoFault(f"The client rejected {question['method']}: {error.get('message')} ({error.get('code')})")
    return _object(answer.get("result"), question["method"])


def _object(answer: Any, method: str) -> Json:
    if not isinstance(answer, dict):
        raise DemoFault(f"The result of {method} must be an object")
    return answer


def remembered(call: DemoRequest) -> Json:
    """Return the state given to `ask` or `again`; empty in the first round. Raises: DemoError."""
    sealed = call.params.get("requestState")
    return {} if sealed is None or not call.era.stateless else _unseal(call, sealed)


def again(call: DemoRequest, state: Json) -> InputRequired:
    """Return an exception that makes the client call again without input requests; stateless era only."""
    return InputRequired({}, seal(call, state))


def seal(call: DemoRequest, state: Json) -> str:
    """Return a signed state to be carried by the client."""
    text = base64.urlsafe_b64encode(json.dumps(state).encode()).decode()
    return f"{text}.{_signature(call, text)}"


def _unseal(call: DemoRequest, sealed: object) -> Json:
    text, _, signature = str(sealed).partition(".")
    if not isinstance(sealed, str) or not hmac.compare_digest(signature.encode(), _signature(call, text).encode()):
        raise DemoError(INVALID_PARAMS, "Invalid params.requestState for this tool")
    state: Json = json.loads(base64.urlsafe_b64decode(text))
    return state


def _signature(call: DemoRequest, text: str) -> str:
    return hmac.new(_KEY, f"{call.params.get('name')}\n{text}".encode(errors="replace"), hashlib.sha256).hexdigest()


def declares(capabilities: Json, needed: Json) -> bool:
    """Return whether a client's capabilities include the needed ones. Elicitation without a mode means form mode."""
    for name, parts in needed.items():
        there = capabilities.get(name)
        if not isinstance(there, dict):
            return False
        if name == "elicitation" and not there:
            there = {"form": {}}
        if not parts.keys() <= there.keys():
            return False
    return True


def demand(capabilities: Json, needed: Json, *, stateless: bool) -> None:
    """Reject a call if the client lacks a needed capability.

    Raises: Mishap in the handshake era, which has no error for it; DemoError in the stateless one.
    """
    if declares(capabilities, needed):
        return
    named = " and ".join(".".join((name, *parts)) for name, parts in needed.items())
    sentence = f"This tool needs the client capability {named}"
    if stateless:
        raise DemoError(MISSING_CAPABILITY, sentence, {"requiredCapabilities": needed})
    raise DemoFault(f"{sentence}.")
