"""Cuts results to a number of tokens, so that one answer never fills an agent's context.

What is cut is marked in its place, with what was there: an agent that wants all of it can ask for it.
"""

import re
from typing import Any, Final

from inspector.protocol.jsonrpc import encode

DEFAULT_TOKENS: Final = 900
"""Tokens of the structured content of a result. The text of the result repeats it."""
_BYTES_OF_TOKEN: Final = 4
_STEPS: Final = (
    *((20_000, 500), (8000, 300), (4000, 200), (2000, 100), (1000, 50), (500, 25), (250, 12), (120, 8)),
    *((60, 5), (30, 3), (12, 2)),
)
"""Longest text in characters and longest list in items, tried in this order."""
_MAX_DEPTH: Final = 40
_END: Final = re.compile(r"\w{0,300}\Z")
"""A word at a cut: half of a secret has no shape by which it could be recognized."""


def fits(value: Any, tokens: int) -> bool:
    """Return whether a value has at most so many tokens as JSON."""
    return len(encode(value)) <= tokens * _BYTES_OF_TOKEN


def bounded(value: Any, tokens: int, *, marked: bool = True) -> tuple[Any, bool]:
    """Return a value of at most about so many tokens, and whether anything was left out.

    Without `marked`, the value keeps its types: only texts show what was left out, and objects stay whole.
    """
    if fits(value, tokens):
        return value, False
    found = value
    for text, items in _STEPS:
        found = _cut(value, text, items, 0, marked=marked)
        if fits(found, tokens):
            return found, True
    return (
        cut_text(encode(found).decode("utf-8", "replace"), tokens * _BYTES_OF_TOKEN // 2) if marked else found
    ), True


def cut_text(text: str, most: int) -> str:
    """Return a text of at most about `most` characters, with the number of those that were left out."""
    if len(text) <= most:
        return text
    kept = _END.sub("", text[:most]) or text[: min(most, 12)]
    return f"{kept}… (+{len(text) - len(kept):,} characters)"


def _cut(value: Any, text: int, items: int, depth: int, *, marked: bool) -> Any:
    if isinstance(value, str):
        return cut_text(value, text)
    if marked and depth >= _MAX_DEPTH and isinstance(value, dict | list):
        return f"… ({len(value):,} deeper)"
    if isinstance(value, list | tuple):
        kept = [_cut(each, text, items, depth + 1, marked=marked) for each in value[:items]]
        return [*kept, f"… (+{len(value) - items:,} items)"] if marked and len(value) > items else kept
    if isinstance(value, dict):
        most = max(items, 6) if marked else len(value)
        pairs = [*value.items()][:most]
        found = {cut_text(str(key), 80): _cut(each, text, items, depth + 1, marked=marked) for key, each in pairs}
        return found if len(value) <= most else found | {"…": f"+{len(value) - most:,} members"}
    return value
