"""Client capabilities as switches: their state, their meaning, and their declaration in a protocol version.

Two of them depend on each other: tools in sampling need sampling.
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
_NAME_CELLS = max(map(len, MEANINGS)) + 2


class Switch(msgspec.Struct, frozen=True):
    name: str
    on: bool
    was_on: bool
    """Whether it is declared at present."""
    exists: bool
    """Whether the protocol version has it; True while no version is negotiated."""


def switches(chosen: Collection[str], now: Collection[str], revision: Revision | None) -> tuple[Switch, ...]:
    """Return all switches, in the order of the command line's names."""
    known = capabilities.offered_in(revision, capabilities.ALL) if revision is not None else frozenset(capabilities.ALL)
    return tuple(Switch(name, name in chosen, name in now, name in known) for name in capabilities.ALL)


def toggled(chosen: frozenset[str], name: str) -> frozenset[str]:
    """Return the set with one capability toggled, and a dependent one with it where necessary."""
    if name in chosen:
        return chosen - {name} - ({capabilities.SAMPLING_TOOLS} if name == capabilities.SAMPLING else set())
    return chosen | {name} | ({capabilities.SAMPLING} if name == capabilities.SAMPLING_TOOLS else set())


def switch_row(switch: Switch, *, on: str, off: str, width: int) -> list[Span]:
    """Return one switch as a line; `on` and `off` are its signs."""
    sign: Span = (f" {on if switch.on else off} ", "ok" if switch.on else "muted")
    name: Span = (text.pad(switch.name, _NAME_CELLS), "strong" if switch.on else "text")
    if not switch.exists:
        tail: Span = ("not in this protocol version", "faint")
    else:
        tail = (MEANINGS[switch.name], "text" if switch.on else "muted")
    changed: list[Span] = [("  changed", "warning")] if switch.on != switch.was_on else []
    return lay([sign, name, tail, *changed], width)


def declaration(chosen: Collection[str], revision: Revision | None) -> str:
    """Return the resulting declaration as a line of JSON; "" while no protocol version is negotiated."""
    return json.dumps(capabilities.declared(chosen, revision)) if revision is not None else ""
