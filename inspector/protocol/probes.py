"""Probes: requests that are made to see what a server says to them, and how they are known again in the traffic.

None does anything at a server that keeps to the protocol: what they name does not exist, or is a list. Whatever they
are answered is judged by the checks, from the traffic alone; so a recording of them is judged like the session itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.steps import Send
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.things import LISTS
from inspector.protocol.tracking.catalogue import Listing

METHOD = "mcp-inspect/no-such-method"
TOOL = "mcp-inspect-no-such-tool"
URI = "mcp-inspect://no/such/resource"
CURSOR = "mcp-inspect-no-such-cursor"
SESSION = "mcp-inspect-no-such-session"
VERSION = "mcp-inspect-no-such-version"
ORIGIN = "https://mcp-inspect.invalid"
HOST = "mcp-inspect.invalid"
"""Names ending in .invalid exist nowhere (RFC 2606)."""


class Probe(msgspec.Struct, frozen=True):
    """A request to try."""

    what: str
    """In a few words, for a person."""
    send: Send


def requests(
    revision: Revision, capabilities: Mapping[str, Any], lists: Mapping[str, Listing], *, silence_s: float
) -> Iterator[Probe]:
    """What can be tried by plain requests in a session; `lists` is what was listed so far, by kind."""

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
    """The first prompt that cannot be had without an argument; "" if there is none."""
    for prompt in prompts.items:
        if any(peek.flag(argument, "required") for argument in peek.items(prompt, "arguments")):
            return peek.text(prompt, "name") or ""
    return ""
