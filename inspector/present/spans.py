"""Spans: cutting, marking and wrapping lines so that text and role stay together."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from inspector import text
from inspector.text import cell_width, fit, visible

# The role of a piece of text: the only thing that a view-model states about its appearance.

Role: TypeAlias = Literal[
    # text
    "text", "strong", "muted", "faint", "accent", "title", "button",
    # a row of traffic
    "method", "target", "to_server", "from_server", "request", "answer", "notification", "stderr", "event",
    # states and verdicts
    "ok", "pending", "warning", "error", "claimed", "match",
    # JSON
    "key", "string", "number", "literal", "punctuation", "foreign",
    # comparing
    "added", "removed",
]  # fmt: skip
"""`claimed` is what a server states about itself; `foreign` is text other than JSON; `event` is what happened besides
the frames; `match` is a search hit; `button` is the main button of a dialog or form.
"""

Span: TypeAlias = tuple[str, Role]
"""Text that has been through `text.visible`, and its role."""


# Search patterns for a payload, from what the user types: a text, or after `~` its letters in order.

FUZZY = "~"
_APART = 11
"""Maximum characters between two letters. A gap ends at the next letter's first occurrence: nothing is tried twice."""

TO_SERVER = "→"
FROM_SERVER = "←"
NOTE = "·"
OK = "✓"
ERROR = "✗"
WARNING = "▲"
PENDING = "⋯"
STDERR = "!"
EVENT = "◆"
CONNECTED = "●"
DISCONNECTED = "○"
CLOSED = "▸"
OPENED = "▾"
BRANCH = "└"
TIMES = "×"
FINDING = "⚑"
CLAIMED = "~"
PLAY = "►"
PAUSE = "‖"
STOP = "■"
MARK = "★"
DASH = "─"
MOST_CHARACTERS = 2000
"""Maximum characters of a value in a fact. More is not useful there, and the complete value is shown elsewhere."""
_CHARACTERS_A_CELL = 4
"""Maximum after `visible`: a letter and three marks."""


Line = tuple[Span, ...]
"""Spans from left to right; safe to show."""


class Fact(msgspec.Struct, frozen=True):
    """A named value. Both texts are safe to show."""

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
    """A sentence of ours about the section; "" for none."""


def text_of(needle: str) -> tuple[str, bool]:
    """Return the text to find, and whether its letters may be apart."""
    if not needle.startswith(FUZZY) or not needle[len(FUZZY) :].strip():
        return needle, False
    rest = needle[len(FUZZY) :]
    return (rest, False) if rest.startswith(FUZZY) else ("".join(rest.split()), True)


def in_json(needle: str) -> re.Pattern[bytes]:
    """Return a pattern that finds it in JSON, where each foreign letter may be written as an escape."""
    text, apart = text_of(needle)
    if apart:
        return re.compile(_apart_in_json(text), _flags(text))
    spellings = {text, "".join(map(_escaped, text))}
    return re.compile(b"|".join(re.escape(each.encode(errors="replace")) for each in spellings), _flags(text))


def in_text(needle: str) -> re.Pattern[str]:
    """Return a pattern that finds it in text as shown."""
    text, apart = text_of(needle)
    return re.compile(_apart(visible(text)) if apart else re.escape(visible(text)), _flags(text))


def _flags(text: str) -> re.RegexFlag:
    return re.IGNORECASE if text == text.lower() else re.NOFLAG


def _apart(text: str) -> str:
    parts = [rf'[^\s"{re.escape(letter)}]{{0,{_APART}}}{re.escape(letter)}' for letter in text[1:]]
    return re.escape(text[:1]) + "".join(parts)


def _apart_in_json(text: str) -> bytes:
    parts = []
    for place, letter in enumerate(text):
        written = letter.encode(errors="replace")
        spelled = re.escape(written)
        first = re.escape(written[:1])
        if not letter.isascii():
            spelled, first = b"(?:%b|%b)" % (spelled, re.escape(_escaped(letter).encode())), first + rb"\\"
        gap = b'[^\\s"%b]{0,%d}' % (first, _APART) if place else b""
        parts.append(gap + spelled)
    return b"".join(parts)


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isascii():
        return char
    units = char.encode("utf-16-be", errors="replace")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def clip(spans: Sequence[Span], width: int) -> list[Span]:
    """Return spans cut to `width` cells; the one that is cut ends in "…"."""
    clipped: list[Span] = []
    for piece, role in spans:
        clipped.append((fit(piece, width), role))
        width -= cell_width(piece)
        if width <= 0:
            break
    return clipped


def joined(spans: Iterable[Span]) -> list[Span]:
    """Join neighbouring spans of the same role."""
    found: list[Span] = []
    for shown, role in spans:
        if found and found[-1][1] == role:
            found[-1] = (found[-1][0] + shown, role)
        else:
            found.append((shown, role))
    return found


def spans_width(spans: Sequence[Span]) -> int:
    """Return the number of cells that spans take."""
    return sum(cell_width(text) for text, _ in spans)


def marked(spans: Sequence[Span], needle: str) -> list[Span]:
    """Return spans in which the hits of a search for `needle` have the role `match`."""
    if not needle:
        return list(spans)
    pattern = in_text(needle)
    result: list[Span] = []
    for piece, role in spans:
        at = 0
        for found in pattern.finditer(piece):
            result += [(piece[at : found.start()], role), (found.group(), "match")]
            at = found.end()
        result.append((piece[at:], role))
    return [span for span in result if span[0]]


def wrapped(spans: Sequence[Span], width: int, indent: int) -> list[list[Span]]:
    """Return one long line as rows of at most `width` cells (2 or more); those after the first are indented."""
    indent = min(indent, width - 2)
    rows: list[list[Span]] = [[]]
    room = width
    for piece, role in spans:
        while piece:
            cut = characters_in(piece, room)
            if not cut:
                rows.append([(" " * indent, "punctuation")])
                room = width - indent
                continue
            rows[-1].append((piece[:cut], role))
            room -= cell_width(piece[:cut])
            piece = piece[cut:]
    return rows


def characters_in(text: str, room: int) -> int:
    """Return how many characters of `text` fit into `room` cells; combining marks stay with their letter."""
    if text[: room + 1].isascii():
        return min(room, len(text))
    used = end = 0
    for char in text:
        used += cell_width(char)
        if used > room:
            break
        end += 1
    return end


# The building blocks of panels: lines of spans, facts of a key and a value, sections of lines.


def fact(key: str, value: str, role: Role = "text") -> Fact:
    """Make a fact of foreign key and value."""
    return Fact(text.visible(key, limit=200), text.visible(value, limit=MOST_CHARACTERS), role)


def span(foreign: str, role: Role = "text", *, limit: int | None = MOST_CHARACTERS) -> Span:
    """Make a span of foreign text: one line, safe to show."""
    return text.visible(foreign, limit=limit), role


def paragraph(foreign: str, role: Role = "text", *, limit: int | None = None) -> tuple[Line, ...]:
    """Make one line of each line of foreign text, without empty ones at its end; nothing for an empty text."""
    safe = text.visible(foreign, limit=limit, newlines=True).rstrip("\n")
    return () if not safe else tuple(((part, role),) for part in safe.split("\n"))


def plain(line: Iterable[Span]) -> str:
    return "".join(part for part, _ in line)


def lay(spans: Iterable[Span], width: int) -> list[Span]:
    """Return spans in exactly `width` cells: cut with "…" or filled with spaces."""
    laid: list[Span] = []
    left = width
    for part, role in spans:
        if left <= 0:
            break
        if len(part) <= left and text.is_narrow(part):  # nearly always
            laid.append((part, role))
            left -= len(part)
            continue
        shown = text.fit(part, left)
        laid.append((shown, role))
        left -= text.cell_width(shown)
        if shown != part:
            break
    if left > 0:
        laid.append((" " * left, "text"))
    return laid


def fact_lines(facts: Sequence[Fact], *, indent: str = "") -> list[Line]:
    """Return facts as lines with aligned values."""
    width = max((text.cell_width(each.key) for each in facts), default=0)
    return [((f"{indent}{text.pad(each.key, width)}  ", "muted"), (each.value, each.role)) for each in facts]


def section_lines(section: Section) -> list[Line]:
    """Return a section as lines: title, note, facts, lines. All but the title are indented."""
    found: list[Line] = [((section.title, "title"),)]
    if section.note:
        found.append((("  " + section.note, "muted"),))
    found += fact_lines(section.facts, indent="  ")
    found += [(("  ", "text"), *line) for line in section.lines]
    return found


def words_wrapped(spans: Line, width: int, indent: int = 0) -> list[Line]:
    """Wrap a line that is one span at spaces, and any other line anywhere.

    Only the part of a long rest that may fit into a row is examined: a line of a megabyte has many rows.
    """
    width = max(1, width)
    if sum(text.cell_width(part) for part, _ in spans) <= width:
        return [tuple(spans)]
    if len(spans) != 1:
        return [tuple(row) for row in wrapped(spans, width, indent)]
    indent = min(indent, width // 2)
    (words, role), rows, at, before = spans[0], list[Line](), 0, ""
    narrow = text.is_narrow(words)
    most = width if narrow else _CHARACTERS_A_CELL * width
    while at < len(words) or not rows:
        piece = before + words[at : at + most]
        is_last = at + most >= len(words) and text.cell_width(piece) <= width
        head = piece if is_last else piece[: width if narrow else characters_in(piece, width)]
        follows = at + len(head) - len(before)
        cut = len(head) if is_last else head.rfind(" ", max(len(head) // 3, indent + 1))
        cut = len(head) if cut < 0 or words[follows : follows + 1] == " " else cut
        rows.append(((piece[:cut], role),))
        at += cut - len(before)
        while words[at : at + 1] == " ":
            at += 1
        before = " " * indent
    return rows
