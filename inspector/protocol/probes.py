"""Probes: requests that test how a server responds, and how to recognize them in the traffic.

Probes have no side effects on a conforming server: they name things that do not exist, or request a list. The checks
judge the responses by the traffic alone, so a recording of them is judged like the session itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.apps import app_uri
from inspector.protocol.flows.steps import Send
from inspector.protocol.frames import Cause
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.tracking.catalogue import Listing
from inspector.protocol.tracking.tasks import EXTENSION_NAME
from inspector.text import cut

METHOD = "mcp-inspect/no-such-method"
TOOL = "mcp-inspect-no-such-tool"
URI = "mcp-inspect://no/such/resource"
TASK = "mcp-inspect-no-such-task"
_SET_LEVEL, _SUBSCRIBE = "logging/setLevel", ("resources/subscribe", "resources/unsubscribe")
CURSOR = "mcp-inspect-no-such-cursor"
SESSION = "mcp-inspect-no-such-session"
VERSION = "mcp-inspect-no-such-version"
ORIGIN = "https://mcp-inspect.invalid"
HOST = "mcp-inspect.invalid"
"""Names ending in .invalid never exist (RFC 2606)."""
CHARSET, CHUNKED = "charset=utf-8", "chunked"
"""What a usual request has that this client's own have not: in Content-Type, and as Transfer-Encoding."""
IN_TWO = "mcp-inspect-body"
"""Header of a request whose body follows its head a moment later."""


class Probe(msgspec.Struct, frozen=True):
    """A request to try."""

    what: str
    """Short description for the user."""
    send: Send


def calls_a_tool(method: str, params: Any) -> bool:
    """Whether a probe calls an existing tool, as `check --probe` does with valid and invalid arguments."""
    return method == "tools/call" and peek.text(params, "name") not in (None, TOOL)


def first_requests(
    revision: Revision,
    capabilities: Mapping[str, Any],
    lists: Mapping[str, Listing],
    *,
    silence_s: float,
    ping_s: float,
    is_alone: bool,
) -> Iterator[Probe]:
    """Yield the requests without side effects that clients make first, and each list once more.

    The level of log messages is only set if it is that of this client alone (`is_alone`).
    """
    if "ping" in revision.client_requests:
        yield Probe("ping", Send("ping", cause=Cause.CHECK, silence_s=ping_s))
    for kind, listed in LISTS.items():
        if listed.capability in capabilities and lists[kind].whole and lists[kind].pages == 1:
            yield Probe(f"{listed.method} once more", Send(listed.method, cause=Cause.CHECK, silence_s=silence_s))
    uri = _first(lists["resources"], "uri")
    if uri is not None and "resources" in capabilities:
        yield Probe("the first resource", Send("resources/read", {"uri": uri}, cause=Cause.CHECK, silence_s=silence_s))
    page = next(filter(None, map(app_uri, lists["tools"].items)), None)
    if page not in (None, uri) and "resources" in capabilities:
        yield Probe("the page of an app", Send("resources/read", {"uri": page}, cause=Cause.CHECK, silence_s=silence_s))
    prompts = (each for each in lists["prompts"].items if not _requires(each))
    name = next((found for each in prompts if (found := peek.text(each, "name"))), None)
    if name is not None and "prompts" in capabilities:
        send = Send("prompts/get", {"name": name}, cause=Cause.CHECK, silence_s=silence_s)
        yield Probe("a prompt without arguments", send)
    if is_alone and "logging" in capabilities and _SET_LEVEL in revision.client_requests:
        send = Send(_SET_LEVEL, {"level": "debug"}, cause=Cause.CHECK, silence_s=silence_s)
        yield Probe("the level of log messages", send)


def later_lists(capabilities: Mapping[str, Any], lists: Mapping[str, Listing], *, silence_s: float) -> list[Probe]:
    """Return requests of the declared lists that are empty, which a server may fill late, or announced as changed."""
    may_differ = {kind for kind, each in lists.items() if each.outdated or (each.whole and not each.items)}
    again = [each for kind, each in LISTS.items() if each.capability in capabilities and kind in may_differ]
    return [Probe(f"{each.method} later", Send(each.method, cause=Cause.CHECK, silence_s=silence_s)) for each in again]


def _requires(prompt: Any) -> bool:
    """Whether a prompt has a required argument."""
    return any(peek.flag(argument, "required") for argument in peek.items(prompt, "arguments"))


def requests(
    revision: Revision, capabilities: Mapping[str, Any], lists: Mapping[str, Listing], *, silence_s: float
) -> Iterator[Probe]:
    """Yield the probes that can be sent as requests in a session. `lists` has the lists fetched so far, by kind."""

    def probe(what: str, method: str, params: Any = None) -> Probe:
        return Probe(what, Send(method, params, cause=Cause.PROBE, silence_s=silence_s))

    yield probe("a method that does not exist", METHOD)
    for listed in LISTS.values():
        if listed.capability not in capabilities:
            yield probe(f"{listed.method}, which is not declared", listed.method)
    paged = next((listed for listed in LISTS.values() if listed.capability in capabilities), None)
    if paged is not None:
        yield probe(f"{paged.method} with a cursor that was never given", paged.method, {"cursor": CURSOR})
    if "tools" in capabilities:
        yield probe("a tool that does not exist", "tools/call", {"name": TOOL, "arguments": {}})
        yield probe("a call that names no tool", "tools/call", {"arguments": {}})
    if "tasks" in capabilities or peek.has(capabilities, "extensions", EXTENSION_NAME):
        yield probe("a task that does not exist", "tasks/get", {"taskId": TASK})
        yield probe("cancelling a task that does not exist", "tasks/cancel", {"taskId": TASK})
    if "resources" in capabilities:
        yield probe("a resource that does not exist", "resources/read", {"uri": URI})
    uri = _first(lists["resources"], "uri")
    if uri and peek.flag(capabilities, "resources", "subscribe") and _SUBSCRIBE[0] in revision.client_requests:
        for method in _SUBSCRIBE:
            yield probe(f"{method} of the first resource", method, {"uri": uri})
    if (prompt := _demanding(lists["prompts"])) and "prompts" in capabilities:
        yield probe(
            f"the prompt {cut(prompt, 60)} without what it needs", "prompts/get", {"name": prompt, "arguments": {}}
        )


def _first(listing: Listing, member: str) -> str | None:
    """Return the first text of this member in a list; None if there is none."""
    return next((found for each in listing.items if (found := peek.text(each, member))), None)


def _demanding(prompts: Listing) -> str:
    """Return the first prompt that requires an argument; "" if there is none."""
    for prompt in prompts.items:
        if _requires(prompt):
            return peek.text(prompt, "name") or ""
    return ""
