"""Tools that a model may confuse: names, descriptions and parameters that are nearly alike.

Likeness is measured by character trigrams (cosine), as in fuzzy search: it needs no language model and has the same
result everywhere. Only tools that share a rare word are compared, so the cost grows with the number of tools.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import Any, Final

import msgspec

from inspector.protocol import peek

MOST_TOOLS: Final = 5_000
"""Maximum number of tools that are compared."""
ALIKE: Final = 0.72
"""Likeness from which two tools are reported. Calibrated with the tools of ten public servers."""
_OTHER_ACTION: Final = 0.8
"""Factor for two names with different actions, such as `read_file` and `write_file`, which distinguish the tools."""
_ACTIONS: Final = frozenset(
    (
        *("add", "append", "call", "cancel", "clear", "click", "close", "copy", "create", "delete", "disable"),
        *("download", "drop", "edit", "enable", "export", "fetch", "find", "get", "hide", "hover", "import"),
        *("insert", "list", "load", "lock", "merge", "move", "open", "patch", "pause", "post", "push", "put", "read"),
        *("remove", "rename", "reply", "resume", "retrieve", "save", "search", "send", "set", "show", "start"),
        *("stop", "subscribe", "unlock", "unsubscribe", "update", "upload", "write"),
    )
)
_ALIKE_WORDS: Final = 0.3
"""Likeness of two words from which on they may be forms or misspellings of one."""
_TURNED: Final = re.compile(r"^(?:de|dis|down|en|ex|im|in|un|up)(?=\w{3})")
"""Prefixes of opposites, such as `encode` and `decode`, `activate` and `deactivate`, which no model confuses."""
_BLOCK: Final = 60
"""Maximum number of tools that share a word and are compared with each other; a more frequent word is ignored."""
_RAREST: Final = 6
"""Number of a tool's rarest words that are used to find similar tools."""
_LONGEST: Final = 2_000
"""Maximum characters of a description that count."""
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_SIBILANT: Final = re.compile(r"(?:(?<=[^a]ch)|(?<=sh)|(?<=ss))es$")
_EMPTY: Final = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "if", "in", "is", "it", "its", "of", "on", "or")
) | frozenset(("that", "the", "this", "to", "tool", "use", "used", "when", "which", "with", "will", "you", "your"))
"""Words that do not distinguish tools."""


class ConfusablePair(msgspec.Struct, frozen=True):
    """Two tools that are nearly alike. The texts are foreign."""

    first: int
    """Index of the first tool."""
    second: int
    likeness: float
    """0 to 1."""
    apart: tuple[tuple[str, ...], tuple[str, ...]]
    """The words that only the first tool has, and those that only the second has; at most eight each."""


class _Tool(msgspec.Struct):
    name: Counter[str]
    named: frozenset[str]
    description: Counter[str]
    parameters: frozenset[str]
    words: list[str]


def words_of(text: str) -> list[str]:
    """Split a text into words in lower case, also within `camelCase` and `snake_case`; a plural loses its s."""
    found = (_SIBILANT.sub("", each.lower()) for each in _WORD.findall(text))
    return [
        each[:-1] if len(each) > 3 and each.endswith("s") and each[-2:] not in ("ss", "us", "is") else each
        for each in found
    ]


def confusable_pairs(
    tools: Sequence[Mapping[str, Any]], rest: Callable[[int], None] = lambda _: None
) -> list[ConfusablePair]:
    """Return the pairs of tools that are nearly alike, the most alike first. Only the first 5,000 tools count.

    `rest` is called from time to time with the number of comparisons so far.
    """
    known = [_read(tool) for tool in tools[:MOST_TOOLS]]
    found = []
    for at, (first, second) in enumerate(_candidates(known)):
        rest(at)
        if (pair := _compared(known, first, second)) is not None:
            found.append(pair)
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first, pair.second))


def _read(tool: Mapping[str, Any]) -> _Tool:
    name, message = peek.text(tool, "name") or "", (peek.text(tool, "description") or "")[:_LONGEST]
    words = [word for word in words_of(f"{name} {message}") if word not in _EMPTY]
    parameters = frozenset(peek.mapping(tool, "inputSchema", "properties"))
    named = words_of(name)
    return _Tool(
        _trigrams(" ".join(named)), frozenset(named), _trigrams(" ".join(words_of(message))), parameters, words
    )


def _candidates(known: Sequence[_Tool]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of tools that share one of their rarest words, each once."""
    count = Counter(word for tool in known for word in set(tool.words))
    blocks: dict[str, list[int]] = defaultdict(list)
    for at, tool in enumerate(known):
        shared = sorted({word for word in tool.words if count[word] > 1}, key=lambda word: (count[word], word))
        for word in shared[:_RAREST]:
            blocks[word].append(at)
    seen: set[tuple[int, int]] = set()
    for block in blocks.values():
        for pair in combinations(block, 2) if len(block) <= _BLOCK else ():
            if pair not in seen:
                seen.add(pair)
                yield pair


def _compared(known: Sequence[_Tool], at: int, other: int) -> ConfusablePair | None:
    first, second = known[at], known[other]
    one, two = first.named - second.named, second.named - first.named
    if len(one) == len(two) == 1 and {_TURNED.sub("", each) for each in one} == {_TURNED.sub("", each) for each in two}:
        return None
    names = _cosine(first.name, second.name)
    if len(first.named) == len(second.named) and _differ_in_a_noun(one, two):
        return None
    if first.description and second.description:
        parameters = _overlap(first.parameters, second.parameters)
        likeness = 0.35 * names + 0.5 * _cosine(first.description, second.description) + 0.15 * parameters
    else:
        likeness = 0.8 * names + 0.2 * _overlap(first.parameters, second.parameters)
    if one & _ACTIONS and two & _ACTIONS:
        likeness *= _OTHER_ACTION
    if likeness < ALIKE:
        return None
    apart = _only(first.words, second.words), _only(second.words, first.words)
    return ConfusablePair(at, other, likeness, apart)


def _differ_in_a_noun(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether two names differ in one word each that names no action, such as `csv_to_json` and `xml_to_json`."""
    if len(one) != 1 or len(two) != 1 or (one | two) & _ACTIONS:
        return False
    (first,), (second,) = one, two
    is_part = first.startswith(second) or second.startswith(first)
    return not is_part and _cosine(_trigrams(first), _trigrams(second)) < _ALIKE_WORDS


def _only(words: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    missing = set(others)
    return tuple(dict.fromkeys(word for word in words if word not in missing))[:8]


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first or second else 1.0


def _trigrams(text: str) -> Counter[str]:
    padded = f"  {text} "
    return Counter(padded[at : at + 3] for at in range(len(padded) - 2)) if text else Counter()


def _cosine(first: Counter[str], second: Counter[str]) -> float:
    if len(first) > len(second):
        first, second = second, first
    shared = sum(times * second[each] for each, times in first.items())
    if not shared:
        return 0.0
    return shared / sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
