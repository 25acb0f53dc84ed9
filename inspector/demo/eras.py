"""The demo's own table of protocol revisions: which one says what, and how a thing looks in each.

The only file of this room that knows a revision's name. It is written apart from the client's table on
purpose: where both would copy one mistake, nobody could see it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Era:
    """One revision: its name and what may be said in it."""

    name: str
    features: frozenset[str] = frozenset()
    """Words of its own like "batches", or "kind.member" for a member that a kind of thing may have."""
    stateless: bool = False
    """Each request declares its own revision; nothing is opened, nothing is remembered."""

    def then(self, name: str, *more: str, gone: str = "", stateless: bool = False) -> "Era":
        """The revision after this one: what it adds, and the one thing it took back."""
        return Era(name, (self.features | frozenset(more)) - {gone}, stateless)

    def has(self, feature: str) -> bool:
        """Whether it may be said."""
        return feature in self.features


_FIRST = Era("2024-11-05")
_SECOND = _FIRST.then(
    "2025-03-26",
    "batches",
    "completions",
    "tool.annotations",
    "progress.message",
    "content.audio",
)
_THIRD = _SECOND.then(
    "2025-06-18",
    "tool.title",
    "tool.outputSchema",
    "tool._meta",
    "result.structuredContent",
    "resource.title",
    "template.title",
    "prompt.title",
    "argument.title",
    "implementation.title",
    "content.resource_link",
    "elicitation",
    gone="batches",
)
_FOURTH = _THIRD.then(
    "2025-11-25",
    "error without id",
    "elicitation.modes",
    "elicitation.choices",
    "tool.icons",
    "resource.icons",
    "template.icons",
    "prompt.icons",
    "implementation.icons",
    "implementation.description",
    "implementation.websiteUrl",
    "tasks",
    "tool.execution",
)
_FIFTH = _FOURTH.then("2026-07-28", gone="tool.execution", stateless=True)

LEGACY = {era.name: era for era in (_FIRST, _SECOND, _THIRD, _FOURTH)}
"""Opened by `initialize`."""
MODERN = {_FIFTH.name: _FIFTH}
"""Stateless: `_meta` on every request."""
NEWEST_LEGACY = _FOURTH
NEWEST_MODERN = _FIFTH
ASSUMED_OVER_HTTP = _SECOND
"""What a request without a version header speaks (2025-06-18 basic/transports, protocol version header)."""
BEFORE_STREAMABLE_HTTP = _FIRST

_GATED = _FOURTH.features | _FIFTH.features


def counter_offer(wanted: object) -> Era:
    """The revision that `initialize` settles on: the wanted one if it is known, else our newest with a handshake."""
    return LEGACY.get(wanted, NEWEST_LEGACY) if isinstance(wanted, str) else NEWEST_LEGACY


def trim(kind: str, thing: Mapping[str, Any], era: Era) -> dict[str, Any]:
    """The thing without the members that this revision does not know."""
    return {
        key: value for key, value in thing.items() if f"{kind}.{key}" not in _GATED or f"{kind}.{key}" in era.features
    }


def fit_content(block: Mapping[str, Any], era: Era) -> dict[str, Any]:
    """A content block; one of a type that this revision does not know becomes a line of text."""
    kind = f"content.{block['type']}"
    if kind not in _GATED or kind in era.features:
        return dict(block)
    about = block.get("uri") or block.get("mimeType", "")
    return {"type": "text", "text": f"[{block['type']} left out in {era.name}: {about}]"}


def fit_result(result: Mapping[str, Any], era: Era) -> dict[str, Any]:
    """A tool's result as this revision may see it."""
    fitted = trim("result", result, era)
    fitted["content"] = [fit_content(block, era) for block in result["content"]]
    return fitted


def fit_prompt(prompt: Mapping[str, Any], era: Era) -> dict[str, Any]:
    """A prompt of a list; its arguments had no title before they had one elsewhere."""
    fitted = trim("prompt", prompt, era)
    if "arguments" in fitted:
        fitted["arguments"] = [trim("argument", argument, era) for argument in fitted["arguments"]]
    return fitted
