"""Probes: requests that test how a server responds, and how to recognize them in the traffic.

Probes have no side effects on a conforming server: they name things that do not exist, or request a list. The checks
judge the responses by the traffic alone, so a recording of them is judged like the session itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.steps import Send
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.tracking.catalogue import Listing

METHOD = "mcp-inspect/no-such-method"
TOOL = "mcp-inspect-no-such-tool"
URI = "mcp-inspect://no/such/resource"
CURSOR = "mcp-inspect-no-such-cursor"
SESSION = "mcp-inspect-no-such-session"
VERSION = "mcp-inspect-no-such-version"
ORIGIN = "https://mcp-inspect.invalid"
HOST = "mcp-inspect.invalid"
"""Names ending in .invalid never exist (RFC 2606)."""


class Probe(msgspec.Struct, frozen=True):
    """A request to try."""

    what: str
    """Short description for the user."""
    send: Send


def requests(
    revision: Revision, capabilities: Mapping[str, Any], lists: Mapping[str, Listing], *, silence_s: float
) -> Iterator[Probe]:
    """Yield the probes that can be sent as requests in a session. `lists` has the lists fetched so far, by kind."""

    def probe(what: str, method: str, params: Any = None) -> Probe:
        return Probe(what, Send(method, params, probe=True, silence_s=silence_s))

    yield probe("a method that does not exist", METHOD)
    if "ping" in revision.client_requests:
        yield probe("ping", "ping")
    for kind, listed in LISTS.items():
        if listed.capability not in capabilities:
            yield probe(f"{listed.method}, which is not declared", listed.method)
        elif lists[kind].whole and lists[kind].pages == 1:
            yield probe(f"{listed.method} once more", listed.method)
    paged = next((listed for listed in LISTS.values() if listed.capability in capabilities), None)
    if paged is not None:
        yield probe(f"{paged.method} with a cursor that was never given", paged.method, {"cursor": CURSOR})
    if "tools" in capabilities:
        yield probe("a tool that does not exist", "tools/call", {"name": TOOL, "arguments": {}})
        yield probe("a call that names no tool", "tools/call", {"arguments": {}})
    if "resources" in capabilities:
        yield probe("a resource that does not exist", "resources/read", {"uri": URI})
    if (prompt := _demanding(lists["prompts"])) and "prompts" in capabilities:
        yield probe(f"the prompt {prompt[:60]} without what it needs", "prompts/get", {"name": prompt, "arguments": {}})


def _demanding(prompts: Listing) -> str:
    """Return the first prompt that requires an argument; "" if there is none."""
    for prompt in prompts.items:
        if any(peek.flag(argument, "required") for argument in peek.items(prompt, "arguments")):
            return peek.text(prompt, "name") or ""
    return ""
