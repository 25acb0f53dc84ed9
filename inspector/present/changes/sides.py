"""Both sides of a changed value: one below the other, or beside each other, with the words that differ in brackets."""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from inspector import text
from inspector.capture.compare.differences import TOO_DEEP
from inspector.present.spans import Line, Role, Span, lay, span
from inspector.protocol.changes import ABSENT, JsonChange
from inspector.protocol.jsonrpc import encode

_LONGEST = 240
"""Maximum number of characters of a value in a line."""
_MOST_WORDS = 1_000
"""Texts with more words are shown in full."""
_LONGEST_TEXT = 4_000
"""Maximum number of characters of a text with more words."""
_MOST_LINES = 2_000
"""Maximum number of lines of a text that are compared."""
_AROUND = 16
"""Number of characters kept before the first difference when a long value is cut."""
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


def shown(value: Any, limit: int = _LONGEST) -> str:
    """Return a value as one line of JSON: foreign text, cut if it is long."""
    if value is ABSENT:
        return ""
    message = encode(encodable(value)).decode("utf-8", "replace")
    return message if len(message) <= limit else f"{message[:limit]}… ({len(message):,} characters)"


def encodable(value: Any) -> Any:
    """Return the value, or a text that says so if it can't be encoded."""
    try:
        encode(value)
    except RecursionError:
        return TOO_DEEP
    return value


def brief(value: Any, limit: int) -> str:
    """Return the beginning of a value as JSON, safe to show."""
    return text.visible(text.decode(encode(value)[: limit * 4]), limit=limit)


def both_sides(before: Any, after: Any, indent: str, show: Callable[[Any], str] = shown) -> Iterator[Line]:
    """Yield the values of both sides, each on a line; none for a side without a value."""
    if before is not ABSENT:
        yield ((f"{indent}− ", "removed"), span(show(before), "removed", limit=None))
    if after is not ABSENT:
        yield ((f"{indent}+ ", "added"), span(show(after), "added", limit=None))


def both_texts(before: str, after: str, indent: str) -> Iterator[Line]:
    """Yield two texts, each on a line, with brackets around the words that the other lacks."""
    old, new = word_differences(before, after)
    yield ((f"{indent}− ", "removed"), *old)
    yield ((f"{indent}+ ", "added"), *new)


def word_differences(before: str, after: str, *, colored: bool = False, least_ratio: float = 0) -> tuple[Line, Line]:
    """Return both texts, each on one line, with brackets around the words that the other lacks.

    `colored`: equal words have the colour of their side. Texts whose similarity is below `least_ratio` have no
    brackets.
    """
    old, new = (_WORDS.findall(each[: _MOST_WORDS * 20]) for each in (before, after))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if max(len(old), len(new)) > _MOST_WORDS or (least_ratio and matcher.ratio() < least_ratio):
        return (span(before, "removed", limit=_LONGEST_TEXT),), (span(after, "added", limit=_LONGEST_TEXT),)
    left: list[Span] = []
    right: list[Span] = []
    for tag, i, j, k, m in matcher.get_opcodes():
        left += _words(old[i:j], "removed", is_equal=tag == "equal", colored=colored)
        right += _words(new[k:m], "added", is_equal=tag == "equal", colored=colored)
    return tuple(left), tuple(right)


def _words(words: Sequence[str], role: Role, *, is_equal: bool, colored: bool) -> list[Span]:
    message = "".join(words)
    if is_equal:
        return [span(message, role if colored else "foreign", limit=None)]
    return [("[", role), span(message, role, limit=None), ("]", role)] if message else []


def beside(before: Line, after: Line, room: int) -> Line:
    """Return two lines beside each other, the left one in `room` cells."""
    return (*lay(before, room), (" │ ", "faint"), *lay(after, room))


def pairs(change: JsonChange, room: int) -> Iterator[tuple[Line, Line]]:
    """Yield corresponding lines of both sides of a change, each cut to `room` cells; () for a missing line."""
    before, after = change.before, change.after
    if isinstance(before, str) and isinstance(after, str) and ("\n" in before or "\n" in after):
        yield from _line_pairs(before.splitlines(), after.splitlines(), room)
        return
    path = f"{text.visible(change.path, limit=60)}: " if change.path else ""
    old, new = (shown(each, 4_000) for each in (before, after))
    yield (
        () if before is ABSENT else _side("-", path, _cut(old, new, room - len(path) - 2), "removed"),
        () if after is ABSENT else _side("+", path, _cut(new, old, room - len(path) - 2), "added"),
    )


def _line_pairs(before: Sequence[str], after: Sequence[str], room: int) -> Iterator[tuple[Line, Line]]:
    if max(len(before), len(after)) > _MOST_LINES:
        before, after = before[:_MOST_LINES], after[:_MOST_LINES]
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for old, new in zip_longest(before[i:j], after[k:m]):
            yield (
                () if old is None else _side("-", "", _cut(old, new or "", room - 2), "removed"),
                () if new is None else _side("+", "", _cut(new, old or "", room - 2), "added"),
            )


def _side(sign: str, path: str, value: str, role: Role) -> Line:
    return ((f"{sign} ", role), (path, "key"), span(value, role, limit=None))


def _cut(value: str, other: str, room: int) -> str:
    """Cut a value that is too long, to start shortly before its first difference."""
    if len(value) <= room:
        return value
    first = next((at for at, (one, two) in enumerate(zip(value, other, strict=False)) if one != two), 0)
    start = max(0, min(first - _AROUND, len(value) - room + 1))
    return f"…{value[start + 1 :]}" if start else value
