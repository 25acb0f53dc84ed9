"""What we offer a server, as switches: which are on, what each means, and how the revision declares it.

Two of them lean on each other: tools in sampling mean nothing without sampling.
"""

import json
from collections.abc import Collection

import msgspec

from inspector import text
from inspector.present.spans import Span, lay
from inspector.protocol import capabilities
from inspector.protocol.revisions._shape import Revision

MEANINGS = {
    capabilities.ROOTS: "directories to work in",
    capabilities.SAMPLING: "responses from a language model",
    capabilities.SAMPLING_TOOLS: "the model can call tools",
    capabilities.FORM: "forms",
    capabilities.URL: "URLs to open",
    capabilities.TASKS: "calls as tasks",
}
_NAME = max(map(len, MEANINGS)) + 2


class Switch(msgspec.Struct, frozen=True):
    """One thing that can be offered."""

    name: str
    on: bool
    was_on: bool
    """Whether it is offered now, before anything was switched."""
    exists: bool
    """Whether the revision has words for it; True while none is settled."""


def switches(chosen: Collection[str], now: Collection[str], revision: Revision | None) -> tuple[Switch, ...]:
    """All of them, in the order of the command line's words."""
    known = capabilities.offered_in(revision, capabilities.ALL) if revision is not None else frozenset(capabilities.ALL)
    return tuple(Switch(name, name in chosen, name in now, name in known) for name in capabilities.ALL)


def toggled(chosen: frozenset[str], name: str) -> frozenset[str]:
    """The same with one switched; the other is switched along where one can't be without it."""
    if name in chosen:
        return chosen - {name} - ({capabilities.SAMPLING_TOOLS} if name == capabilities.SAMPLING else set())
    return chosen | {name} | ({capabilities.SAMPLING} if name == capabilities.SAMPLING_TOOLS else set())


def switch_row(switch: Switch, *, on: str, off: str, width: int) -> list[Span]:
    """One as a line; `on` and `off` are its two signs."""
    sign: Span = (f" {on if switch.on else off} ", "ok" if switch.on else "muted")
    name: Span = (text.pad(switch.name, _NAME), "strong" if switch.on else "text")
    if not switch.exists:
        tail: Span = ("not in this protocol version", "faint")
    else:
        tail = (MEANINGS[switch.name], "text" if switch.on else "muted")
    changed: list[Span] = [("  changed", "warning")] if switch.on != switch.was_on else []
    return lay([sign, name, tail, *changed], width)


def declaration(chosen: Collection[str], revision: Revision | None) -> str:
    """What is declared then, as a line of JSON; "" while no revision is settled."""
    return json.dumps(capabilities.declared(chosen, revision)) if revision is not None else ""
