"""What the diagnoses of a surface have in common: the tools of a page, with their traits, looked at once.

Several checks ask about the same page one after another. What was seen of it goes with its case.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from inspector.checks.registry import Flaw
from inspector.checks.scene import Case
from inspector.checks.surface.features import keywords_of
from inspector.checks.surface.tools import Trait, traits_of
from inspector.checks.surface.walk import Budget
from inspector.protocol import peek

LIST = "answer tools/list"
MOST_WITH: Final = 60
"""Tools of a page whose traits of one kind are kept: no check reports more of one message."""
_COUNTED: Final = frozenset(("input-dialect", "output-dialect"))
"""Kinds of which a check counts all; a tool has one of each at most."""


class Seen(msgspec.Struct, frozen=True):
    """One tool of a page."""

    place: str
    """Its JSON pointer within the answer."""
    name: str
    """For sentences: shortened, and never empty."""
    tool: dict[str, Any]
    traits: tuple[Trait, ...]
    """Those of a kind that many tools of the page have are kept for the first `MOST_WITH` of these tools."""


def tools_seen(case: Case) -> tuple[Seen, ...]:
    """Every tool of the page that is an object."""
    if case.surface is None:
        case.surface = tuple(_tools_seen(case))
    return case.surface


def _tools_seen(case: Case) -> Iterator[Seen]:
    budget = Budget()
    tools_with: Counter[str] = Counter()
    enough: set[str] = set()
    passed_over: frozenset[str] = frozenset()
    for at, tool in enumerate(peek.items(case.value, "tools")):
        case.rest(at)
        if type(tool) is not dict:
            continue
        kept = [each for each in traits_of(tool, budget, passed_over) if each.kind not in enough]
        tools_with.update({each.kind for each in kept} - _COUNTED)
        if more := {each.kind for each in kept if tools_with[each.kind] >= MOST_WITH}:
            enough |= more
            passed_over = keywords_of(enough)
        yield Seen(f"/result/tools/{at}", called(tool, at), tool, tuple(kept))


def called(thing: Any, at: int) -> str:
    """How a sentence calls a tool, prompt or resource."""
    return (peek.text(thing, "name") or f"number {at + 1}")[:80]


def flaws_of(case: Case, *kinds: str, most: int = 1 << 30) -> Iterator[Flaw]:
    """A flaw for each trait of these kinds, at most so many of a tool."""
    for at, seen in enumerate(tools_seen(case)):
        case.rest(at)
        found = [each for each in seen.traits if each.kind in kinds]
        for each in found[:most]:
            yield Flaw(f"{seen.name}: {each.sentence}", seen.place + each.pointer, trait=each.kind)


def is_paged(case: Case) -> bool:
    """Whether the answer is one page of several."""
    return peek.has(case.value, "nextCursor") or is_later_page(case)


def is_later_page(case: Case) -> bool:
    """Whether the answer is a page after the first."""
    return case.asked is not None and peek.has(case.asked.params, "cursor")
