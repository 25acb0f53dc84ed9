"""What several panels are made of: lines of spans, facts of a key and a value, sections of lines.

The helpers here take foreign text and make it safe; whoever builds a span without them does so himself.
"""

from collections.abc import Iterable, Sequence

import msgspec

from inspector.viewmodels import text
from inspector.viewmodels.roles import Role, Span

Line = tuple[Span, ...]
"""Spans from left to right; safe to show."""

MOST_CHARACTERS = 2000
"""Of a value in a fact: more is not read by anybody there, and the whole stands elsewhere."""


class Fact(msgspec.Struct, frozen=True):
    """Something known by a name. Both texts are safe to show."""

    key: str
    value: str
    role: Role = "text"


class Section(msgspec.Struct, frozen=True):
    """Facts and lines under a title."""

    title: str
    facts: tuple[Fact, ...] = ()
    lines: tuple[Line, ...] = ()
    """Shown below the facts."""
    note: str = ""
    """A sentence of ours about all of it; "" for none."""


def fact(key: str, value: str, role: Role = "text") -> Fact:
    """Make a fact of foreign text, both sides."""
    return Fact(text.visible(key, limit=200), text.visible(value, limit=MOST_CHARACTERS), role)


def span(foreign: str, role: Role = "text", *, limit: int | None = MOST_CHARACTERS) -> Span:
    """Make a span of foreign text: one line, nothing in it acts."""
    return text.visible(foreign, limit=limit), role


def paragraph(foreign: str, role: Role = "text", *, limit: int | None = None) -> tuple[Line, ...]:
    """Make one line of each line of foreign text, without empty ones at its end; nothing for an empty text."""
    safe = text.visible(foreign, limit=limit, newlines=True).rstrip("\n")
    if not safe:
        return ()
    return tuple(((part, role),) for part in safe.split("\n"))


def plain(line: Iterable[Span]) -> str:
    """Return the text of a line."""
    return "".join(part for part, _ in line)


def lay(spans: Iterable[Span], width: int) -> list[Span]:
    """Return spans in exactly `width` cells: cut with "…" or filled with spaces."""
    laid: list[Span] = []
    left = width
    for part, role in spans:
        if left <= 0:
            break
        shown = text.fit(part, left)
        laid.append((shown, role))
        left -= text.cell_width(shown)
        if shown != part:
            break
    if left > 0:
        laid.append((" " * left, "text"))
    return laid


def fact_lines(facts: Sequence[Fact], *, indent: str = "") -> list[Line]:
    """Return facts as lines, values under one another."""
    width = max((text.cell_width(each.key) for each in facts), default=0)
    return [((f"{indent}{text.pad(each.key, width)}  ", "muted"), (each.value, each.role)) for each in facts]


def section_lines(section: Section) -> list[Line]:
    """Return a section as lines: title, note, facts, lines, each but the title indented."""
    found: list[Line] = [((section.title, "title"),)]
    if section.note:
        found.append((("  " + section.note, "muted"),))
    found += fact_lines(section.facts, indent="  ")
    found += [(("  ", "text"), *line) for line in section.lines]
    return found
